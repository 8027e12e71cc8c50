//! How a target is found again: by its stable id, else by role, name and scope, and never by a guess.

use serde_json::json;
use uiap_discovery::candidate::find;
use uiap_discovery::record::Aim;
use uiap_model::names::{ScopeId, StableId};

use crate::graph::{Page, page};

fn aim() -> Aim {
    Aim {
        stable_id: StableId::parse("video.edit"),
        role: "button".into(),
        name: "Edit".to_owned(),
        scope_id: ScopeId::parse("tools"),
        ordinal: 0,
        href: None,
    }
}

fn base() -> Page {
    page("https://app.example/a")
        .scope("~page", "tools", "region", json!({}))
        .scope("~page", "other", "region", json!({}))
        .element("other", "button", "Edit", json!({}))
        .element("tools", "link", "Edit", json!({}))
        .element("tools", "button", "Close", json!({}))
}

#[track_caller]
fn found(page: Page, id: Option<&str>) {
    let graph = page.build();
    assert_eq!(find(&graph, &aim()).map(|element| element.instance_id.as_str()), id);
}

/// Requirement: DISC-11.5-07
#[test]
fn a_stable_id_comes_first_then_role_name_and_scope_together_and_nothing_is_guessed() {
    let named = || base().element("tools", "button", "Edit", json!({}));
    found(named().element("other", "button", "Rename", json!({ "stableId": "video.edit" })), Some("e5"));
    found(named(), Some("e4"));
    found(base().element("tools", "button", "Edit", json!({ "role": "tab" })), None);
    found(base(), None);
}
