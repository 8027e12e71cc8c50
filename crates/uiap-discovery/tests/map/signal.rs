//! Where a state would tell of success, before anything was done there.

use serde_json::{Value, json};

use crate::graph::{Page, page};
use crate::record::run;

fn candidates(page: Page) -> Value {
    let mut run = run();
    run.state(page);
    let package = serde_json::to_value(run.package()).unwrap();
    package["transitionGraph"]["states"][0]["metadata"]["signalCandidates"].clone()
}

/// Requirement: DISC-11.4-04
#[test]
fn regions_for_messages_are_candidates_for_signals_whatever_they_say() {
    let speaking = |text: &str| {
        page("https://app.example/")
            .scope("~page", "editor", "region", json!({"name": "Editor"}))
            .element(
                "editor",
                "button",
                "Save draft",
                json!({"success": [{"kind": "toast.contains", "text": "Draft saved"}]}),
            )
            .element("editor", "status", text, json!({"stableId": "editor.status"}))
            .element("~page", "toast", "", json!({}))
            .element("~page", "label", "", json!({"metadata": {"signal": "toast"}}))
    };
    let found = candidates(speaking("3 words"));
    let expected = json!([
        {"kind": "status.contains", "scopeId": "editor", "stableId": "editor.status"},
        {"kind": "toast.contains", "scopeId": "~page"},
        {"kind": "toast.contains", "text": "Draft saved"},
    ]);
    assert_eq!(found, expected);
    assert_eq!(candidates(speaking("4 words")), expected);
    let silent = page("https://app.example/").element("~page", "button", "Save draft", json!({}));
    assert_eq!(candidates(silent), Value::Null);
}
