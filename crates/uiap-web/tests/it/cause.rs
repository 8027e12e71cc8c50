//! What the handlers of an action's input made the page do is told apart from what the page does meanwhile, and the trace says which.

use std::sync::Arc;

use serde_json::{Value, json};
use uiap_model::action::result::ActionResultPayload;
use uiap_model::names::{ActionHandle, SessionId};
use uiap_model::policy::{PolicyPrincipal, vocabulary::PrincipalType};
use uiap_model::web::signal::WebSignalBody;
use uiap_policy::confirmation::Party;
use uiap_runtime::action::{Runtime, RuntimeOptions};
use uiap_runtime::journal::Journal;
use uiap_runtime::trace::{self, Line, Step};
use uiap_web::Page;
use uiap_web::signal::{Merger, Report, WatchOptions};
use uiap_web::surface::WebSurface;

use crate::shared::{blank, browser, run};
use crate::signal_site::Site;

/// Somebody who acts on a page through the whole runtime.
pub(crate) struct Actor {
    runtime: Runtime<WebSurface>,
    agent: Party,
}

impl Actor {
    pub(crate) async fn at(url: &str) -> Self {
        let page = Page::attach(blank().await).await.unwrap();
        let surface = WebSurface::new(browser().await, &page, WatchOptions::default()).await.unwrap();
        page.navigate(url).await.unwrap();
        let principal = PolicyPrincipal {
            principal_type: PrincipalType::Agent,
            id: "agent".into(),
            roles: None,
            grants: Some(serde_json::from_value(json!(["observe", "guide", "draft", "act"])).unwrap()),
        };
        let agent = Party { principal, connection: "test".into() };
        let journal = Arc::new(Journal::in_memory().unwrap());
        let options = RuntimeOptions::new(SessionId::parse("sess_1").unwrap(), journal);
        let runtime = Runtime::start(surface, options, &agent).await.unwrap();
        Self { runtime, agent }
    }

    /// Clicks on what has this name; `signals` is what must be seen, if anything in particular.
    pub(crate) async fn click(&self, role: &str, name: &str, signals: Value) -> Arc<ActionResultPayload> {
        let target = json!({ "ref": { "by": "semantic", "role": role, "name": name } });
        let mut request = json!({ "actionId": "ui.activate", "target": target, "args": {} });
        if !signals.is_null() {
            let wanted = json!({ "policy": "all", "signals": signals, "timeoutMs": 10_000 });
            request.as_object_mut().unwrap().insert("verification".to_owned(), wanted);
        }
        self.runtime.act(&self.agent, serde_json::from_value(request).unwrap(), None).await.unwrap()
    }

    pub(crate) fn trace(&self, result: &ActionResultPayload) -> Vec<Line> {
        self.runtime.trace(&result.action_handle).unwrap()
    }
}

/// How what the browser told with this in its text belongs to the action.
fn links(lines: &[Line], wanted: &str) -> Vec<String> {
    let signals = lines.iter().filter_map(|line| match &line.step {
        Step::Signal { signal, link, text, .. } if signal != "route.changed" && text.contains(wanted) => {
            Some(link.clone())
        }
        _ => None,
    });
    signals.collect()
}

fn done() -> Value {
    json!([{ "kind": "status.contains", "text": "Done" }])
}

// What is shown may be seen a moment before the answer that came ahead of it is told: what is asked about came well before.
const BUSY: &str = "<link rel=icon href=data:,><p role=status id=out></p><script>
    const told = (url) => fetch(url).then((answer) => answer.text());
    setInterval(() => told('/ok?poll'), 15);
    const finish = () => setTimeout(() => told('/ok?last').then(() => { out.textContent = 'Done'; }), 50);
    function save() {
        out.textContent = '';
        setTimeout(() => { console.error('late word'); told('/ok?late').then(finish); }, 30);
        told('/ok?now');
        told('/go?redirected');
        Promise.resolve().then(() => told('/ok?promised'));
        const request = new XMLHttpRequest();
        request.open('GET', '/ok?older');
        request.send();
        console.error('word at once');
        throw new Error('thrown at once');
    }
</script><button onclick=save()>Save</button>";

#[test]
fn what_a_handler_asks_for_and_says_was_caused_and_what_timers_do_came_meanwhile() {
    run(async {
        let site = Site::with(&[("/", BUSY)]).await;
        let actor = Actor::at(&site.url("/")).await;
        let mut polls = 0;
        for _ in 0..3 {
            let result = actor.click("button", "Save", done()).await;
            let lines = actor.trace(&result);
            let story = trace::story(&lines);
            for wanted in
                ["?now", "?redirected", "/ok\"", "?promised", "?older", "word at once", "thrown at once"]
            {
                assert_eq!(links(&lines, wanted), ["caused"], "{wanted}\n{story}");
            }
            for wanted in ["?late", "late word"] {
                assert_eq!(links(&lines, wanted), ["window"], "{wanted}\n{story}");
            }
            let found = links(&lines, "?poll");
            assert!(found.iter().all(|link| link == "window"), "{story}");
            polls += found.len();
            let asked = story.lines().find(|line| line.contains("?now")).unwrap();
            let place = format!("asked for at {}:2", site.url("/"));
            assert!(asked.contains("(caused)") && asked.contains(&place), "{asked}");
        }
        assert!(polls > 0, "the page polls all the time");
    });
}

const LEADS: &str =
    "<link rel=icon href=data:,><a href=/next#part>Next</a><form action=/next><button>Find</button></form>
    <button onclick=\"location.href = '/next?set'\">Go</button>
    <button onclick=\"setTimeout(() => { location.href = '/next?timer'; }, 30)\">Wait</button>";
const NEXT: &str = "<link rel=icon href=data:,><p role=status id=out></p><script>
    const told = (url) => fetch(url).then((answer) => answer.text());
    told('/ok?arriving');
    addEventListener('load', () => setTimeout(() => told('/ok?later').then(finish), 10));
    const finish = () => setTimeout(() => told('/ok?last').then(() => { out.textContent = 'Done'; }), 50);
</script>";

#[test]
fn a_document_that_a_click_leads_to_was_caused_with_what_it_loads_and_one_of_a_timer_was_not() {
    run(async {
        let site = Site::with(&[("/", LEADS), ("/next", NEXT)]).await;
        for (role, name, link) in [
            ("link", "Next", "caused"),
            ("button", "Find", "caused"),
            ("button", "Go", "caused"),
            ("button", "Wait", "window"),
        ] {
            let actor = Actor::at(&site.url("/")).await;
            let result = actor.click(role, name, done()).await;
            let lines = actor.trace(&result);
            let story = trace::story(&lines);
            assert_eq!(links(&lines, "/next"), [link], "{name}\n{story}");
            assert_eq!(links(&lines, "?arriving"), [link], "{name}\n{story}");
            assert_eq!(links(&lines, "?later"), ["window"], "{name}\n{story}");
        }
    });
}

#[test]
fn an_answer_that_comes_during_the_next_action_belongs_to_the_one_that_asked() {
    let [first, second] = ["act_1", "act_2"].map(|handle| ActionHandle::parse(handle).unwrap());
    let mut merger = Merger::default();
    merger.acting(Some(second.clone()));
    let body: WebSignalBody =
        serde_json::from_value(json!({ "kind": "network.response", "url": "http://h/", "status": 200 }))
            .unwrap();
    let heard = merger.report(Report { cause: Some(first.clone()), ..body.clone().into() });
    assert_eq!((heard.signal.base.action_handle, heard.caused), (Some(first), true));
    let heard = merger.report(body.into());
    assert_eq!((heard.signal.base.action_handle, heard.caused), (Some(second), false));
}
