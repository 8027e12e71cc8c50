//! Success signals on real pages: what a script did, seen by two looks and the signals between them.

use serde_json::{Value, json};
use uiap_model::web::PageGraph;
use uiap_model::web::evidence::Observation;
use uiap_model::web::signal::{WebSignal, WebSignalBase, WebSignalBody};
use uiap_web::Page;
use uiap_web::signal::derive::Deriver;

use crate::shared::{evaluate, page, run, snapshot};

/// A page before and after a script.
struct Seen {
    before: PageGraph,
    after: PageGraph,
    signals: Vec<WebSignal>,
}

impl Seen {
    async fn on(page: &Page, script: &str) -> Self {
        let before = snapshot(page).await;
        evaluate(page, &format!("{script}; 1")).await;
        let after = snapshot(page).await;
        let derived = Deriver::beginning_with(&before).compare(&before, &after, false);
        let signals = derived.into_iter().map(|each| signal(each.body)).collect();
        Self { before, after, signals }
    }

    async fn of(html: &str, script: &str) -> Self {
        Self::on(&page(html).await, script).await
    }

    fn holds(&self, wanted: &Value) -> bool {
        let wanted = serde_json::from_value(wanted.clone()).unwrap();
        let Self { before, after, signals } = self;
        Observation { before, after, signals, custom_sources: &["render.done"] }.look(&wanted).observed()
    }

    /// By what is shown alone, without a signal.
    fn shows(self, wanted: &Value) -> bool {
        Self { signals: Vec::new(), ..self }.holds(wanted)
    }
}

fn signal(body: WebSignalBody) -> WebSignal {
    WebSignal { base: WebSignalBase::default(), body }
}

fn told(signals: Value) -> Vec<WebSignal> {
    serde_json::from_value(signals).unwrap()
}

fn at(id: &str) -> Value {
    json!({ "by": "stableId", "value": id })
}

/// Requirement: WEB-S-01
#[test]
fn elements_appear_and_disappear_and_those_that_stay_do_neither() {
    run(async {
        let html = "<button id=a data-uiap-id=a hidden>A</button><button id=b data-uiap-id=b>B</button><button data-uiap-id=c>C</button>";
        let seen = Seen::of(html, "a.hidden = false; b.remove()").await;
        assert!(seen.holds(&json!({ "kind": "element.appeared", "target": at("a") })));
        assert!(seen.holds(&json!({ "kind": "element.disappeared", "target": at("b") })));
        for kind in ["element.appeared", "element.disappeared"] {
            assert!(!seen.holds(&json!({ "kind": kind, "target": at("c") })));
        }
    });
}

/// Requirement: WEB-S-02
/// Requirement: WEB-S-03
#[test]
fn states_and_values_hold_when_they_are_equal() {
    run(async {
        let html = "<input id=t data-uiap-id=t aria-label=T><input id=n data-uiap-id=n type=number aria-label=N><input id=c data-uiap-id=c type=checkbox aria-label=C checked>
            <input data-uiap-id=p type=password aria-label=P value=secret>";
        let seen = Seen::of(html, "t.value = ' Demo '; n.value = 3; c.checked = false").await;
        let state = |wanted: Value| {
            seen.holds(&json!({ "kind": "element.state", "target": at("c"), "state": wanted }))
        };
        assert!(state(json!({ "enabled": true, "checked": false })));
        assert!(!state(json!({ "enabled": true, "checked": true })));
        let value = |id: &str, wanted: Value| {
            seen.holds(&json!({ "kind": "value.equals", "target": at(id), "value": wanted }))
        };
        assert!(value("t", json!("Demo")) && !value("t", json!("demo")));
        assert!(value("n", json!(3)) && !value("n", json!(4)));
        assert!(value("c", json!(false)) && !value("c", json!(true)));
        assert!(!value("p", json!("secret")), "what is withheld never holds");
    });
}

/// Requirement: WEB-S-04
#[test]
fn routes_match_exactly_by_pattern_or_at_all() {
    run(async {
        let page = page("<button>A</button>").await;
        let seen = Seen::on(&page, "history.pushState(null, '', '/videos/42')").await;
        let route = |seen: &Seen, more: Value| {
            let mut wanted = json!({ "kind": "route.changed" });
            wanted.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            seen.holds(&wanted)
        };
        assert!(
            route(&seen, json!({}))
                && route(&seen, json!({ "exact": "/videos/42" }))
                && route(&seen, json!({ "pattern": "/videos/:id" }))
        );
        assert!(
            !route(&seen, json!({ "exact": "/videos" }))
                && !route(&seen, json!({ "pattern": "/videos/:id/edit" }))
        );
        let deeper = Seen::on(&page, "history.pushState(null, '', '/videos/42/edit')").await;
        assert!(
            !route(&deeper, json!({ "pattern": "/videos/:id" }))
                && route(&deeper, json!({ "pattern": "/videos/*" }))
        );
        let same = Seen::on(&page, "history.replaceState(null, '', location.href)").await;
        assert!(!route(&same, json!({})));
    });
}

/// Requirement: WEB-S-05
#[test]
fn dialogs_hold_by_signal_and_by_what_is_shown() {
    run(async {
        let page = page(
            "<dialog id=d data-uiap-scope=ask aria-label=Ask><button>Yes</button></dialog><button>A</button>",
        )
        .await;
        let wanted =
            |kind: &str, scope: &str| json!({ "kind": kind, "target": { "by": "scope", "value": scope } });
        let opened = Seen::on(&page, "d.showModal()").await;
        assert!(
            opened.holds(&wanted("dialog.opened", "ask")) && !opened.holds(&wanted("dialog.opened", "other"))
        );
        assert!(opened.shows(&wanted("dialog.opened", "ask")));
        let closed = Seen::on(&page, "d.close()").await;
        assert!(
            closed.holds(&wanted("dialog.closed", "ask")) && !closed.holds(&wanted("dialog.opened", "ask"))
        );
        assert!(closed.shows(&wanted("dialog.closed", "ask")));
    });
}

/// Requirement: WEB-S-06
#[test]
fn toasts_and_statuses_hold_by_a_part_of_their_text() {
    run(async {
        let html = "<div id=t data-uiap-role=toast></div><p id=s role=status></p><p id=p></p>";
        let seen = Seen::of(
            html,
            "t.textContent = 'Video erstellt'; s.textContent = '3 hits'; p.textContent = 'plain words'",
        )
        .await;
        assert!(seen.holds(&json!({ "kind": "toast.contains", "text": "ERSTELLT" })));
        assert!(seen.holds(&json!({ "kind": "status.contains", "text": "3 HITS" })));
        for kind in ["toast.contains", "status.contains"] {
            assert!(!seen.holds(&json!({ "kind": kind, "text": "plain" })));
        }
        assert!(seen.shows(&json!({ "kind": "toast.contains", "text": "erstellt" })));
    });
}

/// Requirement: WEB-S-07
#[test]
fn a_form_is_valid_when_it_shows_no_fault_at_all() {
    run(async {
        let page = page("<form data-uiap-scope=f aria-label=F><input id=i aria-label=Title aria-errormessage=e><p id=e></p></form>").await;
        let wanted = json!({ "kind": "validation.none", "scope": "f" });
        assert!(Seen::on(&page, "").await.holds(&wanted));
        assert!(
            !Seen::on(&page, "i.setAttribute('aria-invalid', 'true')").await.holds(&wanted),
            "a fault without words"
        );
        assert!(!Seen::on(&page, "e.textContent = 'Too short'").await.holds(&wanted));
        assert!(
            Seen::on(&page, "i.removeAttribute('aria-invalid'); e.textContent = ''").await.holds(&wanted)
        );
    });
}

/// Requirement: WEB-S-08
#[test]
fn a_collection_counts_what_it_says_else_what_is_there() {
    run(async {
        let page = page(
            "<table aria-label=Big data-uiap-scope=big aria-rowcount=300><tbody><tr><td>1</td></tr><tr><td>2</td></tr></tbody></table>
             <ul id=u aria-label=Tags data-uiap-scope=tags><li>a</li></ul>",
        )
        .await;
        let seen = Seen::on(&page, "u.insertAdjacentHTML('beforeend', '<li>b</li>')").await;
        let count = |scope: &str, op: &str, value: u64| {
            seen.holds(&json!({ "kind": "collection.count", "target": { "by": "scope", "value": scope }, "op": op, "value": value }))
        };
        assert!(count("big", "gte", 300) && !count("big", "lte", 2));
        assert!(count("tags", "eq", 2) && !count("tags", "eq", 1));
    });
}

/// Requirement: WEB-S-10
/// Requirement: WEB-S-11
#[test]
fn what_is_told_holds_for_its_own_kind_and_content_only() {
    run(async {
        let mut seen = Seen::of("<button>A</button>", "").await;
        seen.signals = told(json!([
            { "kind": "entity.created", "entityType": "video", "data": { "id": "7" } },
            { "kind": "network.response", "url": "http://h/api/videos", "status": 201 },
            { "kind": "custom", "name": "render.done", "payload": { "a": 1, "b": 2 } },
        ]));
        for (wanted, holds) in [
            (json!({ "kind": "entity.created", "entityType": "video", "idPath": "/id" }), true),
            (json!({ "kind": "entity.created", "entityType": "user" }), false),
            (json!({ "kind": "entity.deleted", "entityType": "video" }), false),
            (json!({ "kind": "network.response", "urlPattern": "*/api/videos", "status": 201 }), true),
            (json!({ "kind": "network.response", "urlPattern": "*/api/videos", "status": 500 }), false),
            (json!({ "kind": "network.response", "urlPattern": "*/api/users" }), false),
            (json!({ "kind": "custom", "name": "render.done", "payload": { "a": 1 } }), true),
            (json!({ "kind": "custom", "name": "render.done", "payload": { "a": 2 } }), false),
            (json!({ "kind": "custom", "name": "other" }), false),
        ] {
            assert_eq!(seen.holds(&wanted), holds, "{wanted}");
        }
    });
}
