//! What is shown to a person: the page does not notice, and the outcome is the same.

use std::sync::{Arc, Mutex};

use serde_json::json;
use uiap_model::action::result::ActionStatus;
use uiap_model::names::{ActionHandle, ActionId};
use uiap_runtime::action::{Cue, Moment};
use uiap_web::presenter::present;

use crate::shared::{evaluate, page, run};

/// Requirement: ACT-2.3-01
#[test]
fn what_is_drawn_for_a_person_leaves_the_page_alone() {
    run(async {
        let page = page("<button id=b>Save</button><script>changes = 0; new MutationObserver(() => changes++).observe(document, { subtree: true, childList: true, attributes: true, characterData: true })</script>").await;
        let said: Arc<Mutex<Vec<String>>> = Arc::default();
        let heard = Arc::clone(&said);
        let cues = present(&page, move |line| heard.lock().unwrap().push(line.to_owned())).await.unwrap();
        let target = json!({ "by": "semantic", "instanceId": "e1", "documentId": "doc_root", "role": "button", "name": "Save",
            "bbox": { "x": 8, "y": 8, "width": 60, "height": 20 } });
        for moment in [
            Moment::Aim,
            Moment::Point(20.0, 18.0),
            Moment::Notice("Mind the gap".to_owned()),
            Moment::End(ActionStatus::Succeeded),
        ] {
            let (shown, seen) = tokio::sync::oneshot::channel();
            let cue = Cue {
                action_handle: ActionHandle::parse("ses_1:act_1").unwrap(),
                action_id: ActionId::parse("ui.activate").unwrap(),
                moment,
                target: Some(serde_json::from_value(target.clone()).unwrap()),
                hints: None,
                shown: Some(shown),
            };
            cues.send(cue).await.unwrap();
            // Dropped when it was drawn.
            seen.await.unwrap_err();
        }
        assert_eq!(
            *said.lock().unwrap(),
            ["ui.activate button “Save”", "Mind the gap", "ui.activate: succeeded"]
        );
        assert_eq!(evaluate(&page, "[changes, document.querySelectorAll('*').length]").await, json!([0, 5]));
    });
}
