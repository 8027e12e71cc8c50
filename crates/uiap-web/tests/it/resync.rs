//! A change that does not fit is dropped as a whole, and the page is asked anew.

use serde_json::{Value, json};
use uiap_cdp::protocol::page::{CreateIsolatedWorld, GetFrameTree};
use uiap_cdp::protocol::runtime::Evaluate;
use uiap_web::{FreshReason, ObserveOptions, Page, Revision};

use crate::shared::{evaluate, has, page, run};

/// Runs an expression where the in-page script lives.
pub(crate) async fn behind(page: &Page, expression: &str) -> Value {
    let session = page.session();
    let frame_id = session.call(GetFrameTree {}).await.unwrap().frame_tree.frame.id;
    let create = CreateIsolatedWorld { frame_id, world_name: Some("uiap"), grant_universal_access: false };
    let context = session.call(create).await.unwrap().execution_context_id;
    let evaluate =
        Evaluate { expression, context_id: Some(context), return_by_value: true, ..Evaluate::default() };
    let evaluation = session.call(evaluate).await.unwrap();
    assert!(evaluation.exception_details.is_none(), "{:?}", evaluation.exception_details);
    evaluation.result.value_as().unwrap().unwrap_or_default()
}

/// Puts an operation at the end of the next answer, and counts how often the whole page is asked for.
fn tamper(op: &Value) -> String {
    format!(
        "(() => {{ const page = globalThis.uiapPage, {{ update, observe }} = (globalThis.whole ??= {{ ...page }}); globalThis.asked = 0;
            page.observe = (request) => {{ globalThis.asked += 1; return observe.call(page, request) }};
            page.update = (request) => {{ page.update = update; const [head, graph] = update.call(page, request).split('\\n');
                const answer = JSON.parse(head); answer.ops.push({op}); return JSON.stringify(answer) + '\\n' + graph }};
            return typeof update }})()"
    )
}

/// Requirement: WEB-R1-03
#[test]
fn an_operation_on_what_was_never_published_drops_the_whole_change_and_asks_anew() {
    run(async {
        let unknown = [
            json!({ "op": "element.patch", "documentId": "doc_root", "instanceId": "el_none", "patch": { "name": "Ghost" } }),
            json!({ "op": "element.remove", "documentId": "doc_root", "instanceId": "el_none" }),
            json!({ "op": "scope.remove", "documentId": "doc_root", "scopeId": "none" }),
            json!({ "op": "document.remove", "documentId": "doc_none" }),
        ];
        let page = page("<main><button id=b>First</button></main>").await;
        let mut observation = page.observe(ObserveOptions::default());
        observation.next().await.unwrap();
        for (turn, op) in unknown.iter().enumerate() {
            let before = observation.graph().unwrap().clone();
            assert_eq!(behind(&page, &tamper(op)).await, "function");
            evaluate(&page, &format!("b.insertAdjacentHTML('afterend', '<button>Turn {turn}</button>'); 1"))
                .await;
            let Some(Revision::Snapshot(fresh)) = observation.sync().await.unwrap() else {
                panic!("the change was taken: {op}")
            };
            assert_eq!(fresh.reason, FreshReason::OutOfStep, "{op}");
            assert_eq!(fresh.before.unwrap(), before, "nothing of the change was applied: {op}");
            assert_eq!(behind(&page, "globalThis.asked").await, 1, "asked once");
            let graph = observation.graph().unwrap();
            assert!(has(graph, &format!("Turn {turn}")) && !has(graph, "Ghost"));
            assert_eq!(graph.seq.0, before.seq.0 + 1, "a reader misses no number");
        }
        // From there on changes are told as changes again.
        evaluate(&page, "b.textContent = 'Last'; 1").await;
        assert!(matches!(observation.sync().await.unwrap(), Some(Revision::Change(_))));
        assert!(has(observation.graph().unwrap(), "Last"));
    });
}
