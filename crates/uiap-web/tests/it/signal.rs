//! Signals that follow from what a page shows: two looks at a real page and what lies between them.

use serde_json::{Value, json};
use uiap_model::web::PageGraph;
use uiap_model::web::signal::WebSignalBody;
use uiap_web::Page;
use uiap_web::signal::derive::Deriver;

use crate::shared::{evaluate, page, run, snapshot};

/// The signals of a script, one after the other, as JSON.
struct Stage {
    page: Page,
    graph: PageGraph,
    deriver: Deriver,
}

impl Stage {
    async fn of(html: &str) -> Self {
        let page = page(html).await;
        let graph = snapshot(&page).await;
        let deriver = Deriver::beginning_with(&graph);
        Self { page, graph, deriver }
    }

    async fn after(&mut self, script: &str) -> Vec<Value> {
        evaluate(&self.page, &format!("{script}; 1")).await;
        let graph = snapshot(&self.page).await;
        let signals = self.deriver.compare(&self.graph, &graph, false);
        self.graph = graph;
        signals.iter().map(|signal| json_of(&signal.body)).collect()
    }

    async fn kinds(&mut self, script: &str) -> Vec<String> {
        let signals = self.after(script).await;
        signals.iter().map(|signal| signal.get("kind").unwrap().as_str().unwrap().to_owned()).collect()
    }
}

fn json_of(body: &WebSignalBody) -> Value {
    serde_json::to_value(body).unwrap()
}

fn get<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

/// Requirement: WEB-SIG-04
/// Requirement: WEB-A-09
#[test]
fn a_toast_is_told_with_its_text_and_its_leaving_is_not() {
    run(async {
        let mut stage =
            Stage::of("<div id=t data-uiap-signal=toast data-uiap-role=toast role=status></div>").await;
        let told = stage.after("t.innerHTML = '<p>Video  created</p>'").await;
        assert_eq!(told, [json!({ "kind": "toast.shown", "text": "Video created" })]);
        let told = stage.after("t.insertAdjacentHTML('beforeend', '<p>Saved</p>')").await;
        assert_eq!(told, [json!({ "kind": "toast.shown", "text": "Saved" })]);
        assert_eq!(stage.after("t.firstChild.remove()").await, [] as [Value; 0]);
        assert_eq!(stage.after("t.textContent = ''").await, [] as [Value; 0]);
    });
}

/// Requirement: WEB-SIG-05
/// Requirement: WEB-N-11
#[test]
fn a_status_is_told_when_its_text_changes_and_not_when_it_stays() {
    run(async {
        let mut stage =
            Stage::of("<div id=s role=status>Ready</div><div id=a role=alert></div><p id=p>Text</p>").await;
        let told = stage.after("s.textContent = '3 results'").await;
        assert_eq!(told.len(), 1);
        assert_eq!(
            (get(told.first().unwrap(), "/kind"), get(told.first().unwrap(), "/text")),
            (&json!("status.changed"), &json!("3 results"))
        );
        assert_eq!(get(told.first().unwrap(), "/scopeId"), &json!("~page"));
        assert_eq!(stage.after("s.textContent = '3 results'").await, [] as [Value; 0]);
        assert_eq!(stage.kinds("a.textContent = 'Lost connection'").await, ["status.changed"]);
        assert_eq!(
            stage.after("p.textContent = 'Other text'").await,
            [] as [Value; 0],
            "a paragraph is no status"
        );
    });
}

/// Requirement: WEB-SIG-06
#[test]
fn dialogs_are_told_once_when_they_open_and_once_when_they_close() {
    run(async {
        let mut stage = Stage::of(
            "<dialog id=n aria-label=Native><button>A</button></dialog><div id=r role=dialog aria-modal=true aria-label=Own data-uiap-id=own.dialog hidden><button>B</button></div><button>C</button>",
        )
        .await;
        let opened = stage.after("n.showModal()").await;
        let opened: Vec<_> = opened.iter().filter(|signal| get(signal, "/kind") != "focus.changed").collect();
        assert_eq!(opened.len(), 1, "{opened:?}");
        assert_eq!(get(opened.first().unwrap(), "/kind"), &json!("dialog.opened"));
        let id = get(opened.first().unwrap(), "/scopeId").clone();
        let closed = stage.after("n.close()").await;
        let closed: Vec<_> = closed.iter().filter(|signal| get(signal, "/kind") != "focus.changed").collect();
        assert_eq!(closed, [&json!({ "kind": "dialog.closed", "scopeId": id })]);
        let opened = stage.after("r.hidden = false").await;
        assert_eq!(opened.len(), 1, "{opened:?}");
        assert_eq!(get(opened.first().unwrap(), "/kind"), &json!("dialog.opened"));
        assert_eq!(stage.kinds("r.hidden = true").await, ["dialog.closed"]);
    });
}

/// Requirement: WEB-SIG-07
/// Requirement: WEB-A-09
#[test]
fn faults_of_a_form_are_told_and_so_is_their_repair() {
    run(async {
        let mut stage = Stage::of(
            "<form data-uiap-scope=f aria-label=Form><input id=i aria-label=Title aria-errormessage=e><p id=e></p><p id=v data-uiap-signal=validation></p></form>",
        )
        .await;
        let told = stage.after("e.textContent = 'Too short'; i.setAttribute('aria-invalid', 'true')").await;
        let told: Vec<_> =
            told.iter().filter(|signal| get(signal, "/kind") == "validation.changed").collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(get(told.first().unwrap(), "/scopeId"), &json!("f"));
        assert_eq!(get(told.first().unwrap(), "/issues/0/message"), &json!("Too short"));
        assert!(get(told.first().unwrap(), "/issues/0/instanceId").is_string());
        let told = stage.after("i.removeAttribute('aria-invalid'); e.textContent = ''").await;
        let told: Vec<_> =
            told.iter().filter(|signal| get(signal, "/kind") == "validation.changed").collect();
        assert_eq!(told, [&json!({ "kind": "validation.changed", "scopeId": "f", "issues": [] })]);
        let told = stage.after("v.textContent = 'Choose a title'").await;
        assert_eq!(get(told.first().unwrap(), "/issues/0/message"), &json!("Choose a title"), "{told:?}");
    });
}

/// Requirement: WEB-SIG-08
#[test]
fn the_way_of_the_focus_is_told() {
    run(async {
        let mut stage = Stage::of("<input id=a aria-label=A><input id=b aria-label=B>").await;
        let told = stage.after("a.focus()").await;
        assert_eq!(told.len(), 1);
        let (document, element, scope) = (
            get(told.first().unwrap(), "/focus/documentId"),
            get(told.first().unwrap(), "/focus/instanceId"),
            get(told.first().unwrap(), "/focus/scopeId"),
        );
        assert!(document.is_string() && element.is_string() && scope.is_string(), "{told:?}");
        let next = stage.after("b.focus()").await;
        assert_ne!(get(next.first().unwrap(), "/focus/instanceId"), element);
        assert_eq!(stage.after("b.blur()").await, [json!({ "kind": "focus.changed", "focus": null })]);
    });
}

/// Requirement: WEB-SIG-09
#[test]
fn busy_areas_are_told_as_long_as_something_in_them_is_busy() {
    run(async {
        let mut stage = Stage::of(
            "<section id=s aria-label=List data-uiap-scope=list><button id=one>One</button><button id=two>Two</button></section>",
        )
        .await;
        let busy = |value| [json!({ "kind": "busy.changed", "scopeId": "list", "busy": value })];
        assert_eq!(stage.after("s.setAttribute('aria-busy', 'true')").await, busy(true));
        assert_eq!(stage.after("one.setAttribute('aria-busy', 'true')").await, [] as [Value; 0]);
        assert_eq!(stage.after("s.removeAttribute('aria-busy')").await, [] as [Value; 0]);
        assert_eq!(stage.after("one.removeAttribute('aria-busy')").await, busy(false));
        assert_eq!(stage.after("two.setAttribute('aria-busy', 'true')").await, busy(true));
        assert_eq!(stage.after("two.remove()").await, busy(false), "it went away with what was busy");
    });
}

/// Requirement: WEB-SIG-10
#[test]
fn the_number_of_rows_is_told_when_it_changes() {
    run(async {
        let mut stage = Stage::of(
            "<table aria-label=Videos data-uiap-scope=videos><tbody id=t><tr><td>1</td></tr><tr><td>2</td></tr></tbody></table>
             <ul aria-label=Tags data-uiap-scope=tags><li>a</li></ul>",
        )
        .await;
        let told =
            stage.after("t.insertAdjacentHTML('beforeend', '<tr><td>3</td></tr><tr><td>4</td></tr>')").await;
        assert_eq!(told, [json!({ "kind": "collection.changed", "scopeId": "videos", "count": 4 })]);
        assert_eq!(stage.after("t.rows[0].cells[0].textContent = 'one'").await, [] as [Value; 0]);
        let told = stage.after("t.rows[0].remove()").await;
        assert_eq!(told, [json!({ "kind": "collection.changed", "scopeId": "videos", "count": 3 })]);
    });
}

/// Requirement: WEB-SIG-03
#[test]
fn another_address_is_another_route_and_another_title_is_not() {
    run(async {
        let mut stage = Stage::of("<title>Start</title><button>A</button>").await;
        let start = stage.graph.route.url.clone();
        let told = stage.after("history.pushState(null, '', '/videos/42?x=1')").await;
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(get(told.first().unwrap(), "/from/url"), &json!(start));
        assert_eq!(get(told.first().unwrap(), "/to/path"), &json!("/videos/42"));
        assert_eq!(stage.after("document.title = 'Other'").await, [] as [Value; 0]);
        let told = stage.after("location.hash = 'part'").await;
        assert_eq!(
            told.iter().filter(|signal| get(signal, "/kind") == "route.changed").count(),
            1,
            "{told:?}"
        );
        assert_eq!(stage.kinds("history.replaceState(null, '', location.href)").await, [] as [&str; 0]);
    });
}

/// Requirement: WEB-A-10
#[test]
fn what_is_ignored_tells_nothing() {
    run(async {
        let mut stage = Stage::of("<div data-uiap-ignore><div id=s role=status>Ready</div><div id=t data-uiap-role=toast></div></div><p>x").await;
        assert_eq!(stage.after("s.textContent = 'Changed'; t.textContent = 'Shown'").await, [] as [Value; 0]);
    });
}

/// What changes all the time and means nothing is no signal.
#[test]
fn clocks_and_counters_are_no_signals() {
    run(async {
        let mut stage = Stage::of(
            "<p id=clock>12:00:00</p><button id=b>Likes 3</button><img id=i alt=Advert width=20 height=20>",
        )
        .await;
        let script = "clock.textContent = '12:00:01'; b.textContent = 'Likes 4'; i.alt = 'Other advert'";
        assert_eq!(stage.after(script).await, [] as [Value; 0]);
    });
}
