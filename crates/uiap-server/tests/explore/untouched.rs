//! While only observing nothing is done to a page. The page itself counts, whatever way somebody would do it.

use std::sync::{Arc, Mutex};

use axum::extract::Query;
use axum::routing::get;
use uiap_discovery::record::RunRecord;

use super::harness::Setup;
use super::served::{home, page, serve};

/// Hears everything that a person or a script does, before anybody else does, and tells the server.
const EAR: &str = "<script>
    for (const what of ['click', 'auxclick', 'dblclick', 'contextmenu', 'pointerdown', 'mousedown', 'touchstart', 'keydown', 'keypress', 'beforeinput',
        'input', 'change', 'submit', 'focusin'])
      addEventListener(what, event => fetch('/heard?what=' + what + (event.isTrusted ? '' : '-by-script')), { capture: true });
    </script>";
const BODY: &str = "<nav aria-label=Main><a href=/>Home</a> <a href=/list>List</a></nav>\
    <button type=button aria-expanded=false onclick=\"this.setAttribute('aria-expanded', true)\">More</button>\
    <details><summary>Questions</summary>Answers</details>\
    <div role=tablist><button role=tab aria-selected=true>One</button><button role=tab aria-selected=false>Two</button></div>\
    <label>Find <input type=search></label><label>Sort by <select><option>Name<option>Age</select></label>\
    <form><label>Name <input name=name></label><button>Save</button></form><button type=button>Delete all</button>";

/// Explores an app in a mode; says what its pages heard.
async fn heard(mode: &str) -> (RunRecord, Vec<String>) {
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let ear = Arc::clone(&heard);
    let hear = move |Query(what): Query<Vec<(String, String)>>| {
        ear.lock().unwrap().extend(what.into_iter().map(|(_, what)| what));
        async { "" }
    };
    let body: &'static str = Box::leak(format!("{EAR}{BODY}").into_boxed_str());
    let routes =
        home(body).route("/list", get(move || async move { page("List", body) })).route("/heard", get(hear));
    let (address, _) = serve(routes).await;
    let record = Setup::of(&format!("{address}/")).mode(mode).budget("maxTransitions", 20).run().await.record;
    let heard = heard.lock().unwrap().clone();
    (record, heard)
}

/// Requirement: DISC-8-10
/// Requirement: DISC-11.5-09
#[tokio::test(flavor = "multi_thread")]
async fn while_only_observing_a_page_hears_nothing_and_everything_is_mapped() {
    let (record, told) = heard("observe_only").await;
    assert_eq!(told, [] as [String; 0], "something was done");
    assert!(record.transitions.is_empty());
    let titles: Vec<&str> = record.states.iter().map(|state| state.title.as_str()).collect();
    assert_eq!(titles, ["Home", "List"], "addresses are opened");
    let names = |name: &str| {
        let mut elements = record.states.iter().flat_map(|state| state.graph.elements());
        elements.any(|(.., element)| element.name.as_deref() == Some(name))
    };
    assert!(names("More") && names("Name") && names("Delete all"), "what could be done is seen");
    // The same pages are not deaf.
    let (_, told) = heard("safe_explore").await;
    for what in ["click", "pointerdown", "input"] {
        assert!(told.iter().any(|each| each == what), "{what} is not heard: {told:?}");
    }
}
