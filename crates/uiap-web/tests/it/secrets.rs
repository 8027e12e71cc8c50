//! The text of secret fields never leaves the page.

use serde_json::Value;
use uiap_model::capability::UIStateKey;

use crate::shared::{element, evaluate, json, options, page, run, snapshot, snapshot_with, state};

const CANARY: &str = "canary-7391";

/// Requirement: WEB-R7-01
/// Requirement: WEB-G-14
#[test]
fn no_text_of_a_secret_field_is_in_any_graph() {
    let html = format!(
        "<input type=password aria-label=P value={CANARY}>
         <input autocomplete=one-time-code aria-label=O value={CANARY}>
         <input autocomplete='section-a cc-number' aria-label=C value={CANARY}>
         <textarea data-uiap-data-class=secret aria-label=S>{CANARY}</textarea>
         <div data-uiap-data-class=credential><input aria-label=I value={CANARY}><button>Copy {CANARY}</button><p role=status>{CANARY}</p></div>
         <div data-uiap-data-class=misspelt-secret contenteditable aria-label=U>{CANARY}</div>
         <label>Repeat <input type=password value={CANARY}> twice <input type=checkbox></label>
         <button data-uiap-data-class=secret data-uiap-id=key>{CANARY}</button>
         <h2 id=h><input type=password value={CANARY}></h2><button aria-labelledby=h>L</button>
         <input type=email autocomplete=cc-name aria-invalid=true aria-label=E value={CANARY}>
         <ul><li><span data-uiap-data-class=secret>{CANARY}</span> token</li></ul>"
    );
    run(async {
        let page = page(&html).await;
        for choice in ["{}", r#"{"includeHidden":true,"includeBBox":true,"includeOptions":true}"#] {
            let graph = snapshot_with(&page, &options(choice)).await;
            assert!(!json(&graph).contains(CANARY), "{}", json(&graph));
            for name in ["P", "O", "C", "S", "I", "U"] {
                assert_eq!(state(element(&graph, name), "sensitive"), true, "{name}");
                assert_eq!(state(element(&graph, name), "textValue"), Value::Null, "{name}");
                assert_eq!(
                    element(&graph, name).redacted.as_deref(),
                    Some([UIStateKey::TextValue].as_slice())
                );
            }
        }
    });
}

#[test]
fn a_password_stays_secret_when_it_is_shown() {
    run(async {
        let page = page(&format!("<input type=password aria-label=P value={CANARY}>")).await;
        snapshot(&page).await;
        evaluate(&page, "document.querySelector('input').type = 'text'").await;
        let graph = snapshot(&page).await;
        assert!(!json(&graph).contains(CANARY));
        assert_eq!(state(element(&graph, "P"), "sensitive"), true);
    });
}
