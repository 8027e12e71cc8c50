//! What roles, states, affordances and levels mean.

use serde_json::{Value, json};
use uiap_model::capability::risk::{Gate, RiskLevel, gate, strictest};
use uiap_model::capability::semantics::{
    NativeElement, accepts, affordances_of, better_than_custom, role_of,
};
use uiap_model::capability::{PrimitiveActionType, UIAffordance, UIRole, UIStateKey, usage};
use uiap_model::names::StableId;
use uiap_model::parse;
use uiap_model::web::check::{check, without_secrets};
use uiap_model::web::interaction::{Obstacle, pointer_obstacle, text_obstacle};
use uiap_model::web::{ElementNode, PageGraph};

use crate::support::{capability_document, changed, element, page, problems, warned};

fn tag(tag: &str) -> NativeElement<'_> {
    NativeElement { tag, ..NativeElement::default() }
}

fn input(kind: &str) -> NativeElement<'_> {
    NativeElement { tag: "input", input_type: Some(kind), ..NativeElement::default() }
}

fn aria(role: &str) -> NativeElement<'_> {
    NativeElement { tag: "div", aria_role: Some(role), ..NativeElement::default() }
}

fn offers(role: &UIRole, affordance: &UIAffordance) -> bool {
    affordances_of(role).contains(affordance)
}

/// Requirement: CAP-4-02
/// Requirement: CAP-6-08
#[test]
fn buttons_can_be_activated_and_text_is_no_button() {
    for button in [tag("button"), input("submit"), aria("button")] {
        assert_eq!(role_of(&button), Some(UIRole::Button));
    }
    assert!(offers(&UIRole::Button, &UIAffordance::Activate));
    assert!(accepts(PrimitiveActionType::UiActivate, affordances_of(&UIRole::Button)));
    assert_eq!(role_of(&tag("span")), None);
    let graph = page(&json!([element("e1", "button", &json!({}))]));
    let warning = &check(&graph)[0];
    assert_eq!(warning.pointer, "/documents/0/scopes/0/elements/0/affordances");
    let graph = page(&json!([element("e1", "button", &json!({ "affordances": ["activate"] }))]));
    assert_eq!(check(&graph), []);
}

/// Requirement: CAP-4-03
/// Requirement: CAP-6-03
#[test]
fn text_fields_can_be_edited_and_paragraphs_cannot() {
    assert_eq!(role_of(&input("text")), Some(UIRole::Textbox));
    assert_eq!(role_of(&input("email")), Some(UIRole::Textbox));
    assert_eq!(role_of(&tag("textarea")), Some(UIRole::Textarea));
    assert_eq!(role_of(&tag("p")), None);
    for role in [UIRole::Textbox, UIRole::Textarea] {
        assert!(offers(&role, &UIAffordance::Edit));
        assert!(accepts(PrimitiveActionType::UiEnterText, affordances_of(&role)));
    }
    let field = |state: Value| node(&element("e", "textbox", &json!({ "state": state })));
    assert_eq!(text_obstacle(&field(json!({}))), None);
    assert_eq!(text_obstacle(&field(json!({ "readonly": true }))), Some(Obstacle::ReadOnly));
}

/// Requirement: CAP-4-04
/// Requirement: CAP-6-05
#[test]
fn checkbox_radio_and_switch_are_roles_of_their_own_and_toggle() {
    assert_eq!(role_of(&input("checkbox")), Some(UIRole::Checkbox));
    assert_eq!(role_of(&input("radio")), Some(UIRole::Radio));
    let switch = NativeElement { aria_role: Some("switch"), ..input("checkbox") };
    assert_eq!(role_of(&switch), Some(UIRole::Switch));
    for role in [UIRole::Checkbox, UIRole::Radio, UIRole::Switch] {
        assert!(offers(&role, &UIAffordance::Toggle));
        assert!(accepts(PrimitiveActionType::UiToggle, affordances_of(&role)));
    }
    assert!(!offers(&UIRole::Button, &UIAffordance::Toggle));
    assert!(!accepts(PrimitiveActionType::UiToggle, affordances_of(&UIRole::Button)));
}

/// Requirement: CAP-4-05
/// Requirement: CAP-6-04
#[test]
fn choosers_offer_a_choice_among_options() {
    assert_eq!(role_of(&tag("select")), Some(UIRole::Combobox));
    assert_eq!(role_of(&NativeElement { is_list: true, ..tag("select") }), Some(UIRole::Listbox));
    assert_eq!(role_of(&tag("option")), Some(UIRole::Option));
    assert_eq!(role_of(&tag("li")), Some(UIRole::Listitem));
    for role in [UIRole::Combobox, UIRole::Listbox] {
        assert!(offers(&role, &UIAffordance::Choose));
        assert!(accepts(PrimitiveActionType::UiChoose, affordances_of(&role)));
    }
    assert!(!accepts(PrimitiveActionType::UiChoose, affordances_of(&UIRole::Button)));
}

/// Requirement: CAP-4-06
#[test]
fn dialogs_drawers_and_popovers_can_be_closed_and_regions_cannot() {
    assert_eq!(role_of(&tag("dialog")), Some(UIRole::Dialog));
    assert_eq!(role_of(&aria("alertdialog")), Some(UIRole::Dialog));
    for role in [UIRole::Dialog, UIRole::Drawer, UIRole::Popover] {
        assert!(offers(&role, &UIAffordance::Close));
    }
    for region in [tag("section"), tag("main"), tag("nav")] {
        assert_eq!(role_of(&region), Some(UIRole::Region));
    }
    assert!(!offers(&UIRole::Region, &UIAffordance::Close));
}

/// Requirement: CAP-4-07
#[test]
fn feedback_roles_are_told_apart_from_text() {
    assert_eq!(role_of(&aria("alert")), Some(UIRole::Alert));
    assert_eq!(role_of(&aria("status")), Some(UIRole::Status));
    assert_eq!(role_of(&tag("output")), Some(UIRole::Status));
    assert_eq!(role_of(&tag("p")), None);
}

/// Requirement: CAP-4-08
#[test]
fn custom_is_for_what_no_core_role_describes() {
    assert_eq!(better_than_custom(&UIRole::Custom, &input("checkbox")), Some(UIRole::Checkbox));
    assert_eq!(better_than_custom(&UIRole::Custom, &tag("canvas")), None);
    assert_eq!(better_than_custom(&UIRole::Button, &input("checkbox")), None);
}

fn node(value: &Value) -> ElementNode {
    parse(value.to_string().as_bytes()).unwrap()
}

/// Requirement: CAP-5-11
#[test]
fn hidden_does_not_mean_disabled() {
    let hidden = node(&element("e", "button", &json!({ "state": { "visible": false } })));
    assert_eq!(hidden.state.enabled, None);
    assert_eq!(pointer_obstacle(&hidden), Some(Obstacle::Hidden));
    let both =
        page(&json!([element("e", "textbox", &json!({ "state": { "visible": false, "enabled": true } }))]));
    assert_eq!(check(&both), []);
}

/// Requirement: CAP-5-12
#[test]
fn blocked_is_there_and_not_usable() {
    let button = |blocked: bool| {
        let state = json!({ "visible": true, "enabled": true, "blocked": blocked });
        node(&element("e", "button", &json!({ "state": state })))
    };
    assert_eq!(pointer_obstacle(&button(true)), Some(Obstacle::Blocked));
    assert_eq!(pointer_obstacle(&button(false)), None);
}

/// Requirement: CAP-5-13
#[test]
fn values_of_sensitive_elements_never_leave() {
    let field = |more: Value| page(&json!([element("e", "textbox", &more)]));
    let marked = field(json!({ "state": { "sensitive": true, "textValue": "hunter2" } }));
    let leak = &check(&marked)[0];
    assert_eq!(leak.pointer, "/documents/0/scopes/0/elements/0/state/textValue");
    let clean = without_secrets(marked);
    assert_eq!(check(&clean), []);
    assert!(!serde_json::to_string(&clean).unwrap().contains("hunter2"));
    assert_eq!(first(&clean).redacted, Some(vec![UIStateKey::TextValue]));
    let by_class = field(json!({ "dataClasses": ["credential"], "state": { "textValue": "hunter2" } }));
    assert!(check(&by_class).len() >= 2);
    assert!(!serde_json::to_string(&without_secrets(by_class)).unwrap().contains("hunter2"));
    let plain = field(json!({ "state": { "textValue": "hello" } }));
    assert_eq!(without_secrets(plain.clone()), plain);
}

fn first(graph: &PageGraph) -> &ElementNode {
    &graph.documents[0].scopes[0].elements[0]
}

/// Requirement: CAP-5-14
#[test]
fn a_covered_element_is_not_clicked_through() {
    let button =
        |obscured: bool| node(&element("e", "button", &json!({ "state": { "obscured": obscured } })));
    assert_eq!(pointer_obstacle(&button(true)), Some(Obstacle::Covered));
    assert_eq!(pointer_obstacle(&button(false)), None);
}

/// Requirement: CAP-6-02
/// Requirement: CAP-7-06
#[test]
fn an_action_is_offered_only_where_every_affordance_is() {
    for role in [UIRole::Button, UIRole::Link] {
        assert!(accepts(PrimitiveActionType::UiActivate, affordances_of(&role)));
    }
    let card = node(&element("e", "x.videoland.card", &json!({ "affordances": ["activate"] })));
    assert!(accepts(PrimitiveActionType::UiActivate, &card.affordances));
    assert!(!accepts(PrimitiveActionType::UiActivate, affordances_of(&UIRole::Status)));
    let descriptor: uiap_model::capability::ActionDescriptor = parse(
        json!({ "id": "form.send", "kind": "domain", "targetKinds": ["element"], "executionModes": ["appAction"],
            "requiredAffordances": ["edit", "submit"], "risk": { "level": "safe" } })
        .to_string()
        .as_bytes(),
    )
    .unwrap();
    assert_eq!(descriptor.missing_affordances(&[UIAffordance::Edit]), [UIAffordance::Submit]);
    assert!(descriptor.missing_affordances(&[UIAffordance::Submit, UIAffordance::Edit]).is_empty());
}

/// Requirement: CAP-6-06
#[test]
fn invoke_is_for_registered_actions_only() {
    assert!(accepts(PrimitiveActionType::AppInvoke, &[UIAffordance::Invoke]));
    for role in UIRole::ALL {
        assert!(!offers(role, &UIAffordance::Invoke), "{role}");
        assert!(!accepts(PrimitiveActionType::AppInvoke, affordances_of(role)), "{role}");
    }
}

/// Requirement: CAP-6-07
#[test]
fn affordances_and_actions_are_never_exchanged() {
    assert_eq!(PrimitiveActionType::parse("activate"), None);
    let wrong = element("e", "button", &json!({ "affordances": ["ui.activate"] }));
    let problem = &problems("ElementNode", &wrong)[0];
    assert_eq!(problem.pointer, "/affordances/0");
    assert_eq!(problem.allowed, UIAffordance::NAMES);
}

/// Requirement: CAP-3-08
#[test]
fn a_stable_id_finds_the_same_control_after_a_re_render() {
    let before =
        page(&json!([element("e1", "button", &json!({ "stableId": "video.submit", "name": "Create" }))]));
    let after = page(&json!([
        element("e7", "button", &json!({ "name": "Cancel" })),
        element("e8", "button", &json!({ "stableId": "video.submit", "name": "Create" }))
    ]));
    let id = StableId::parse("video.submit").unwrap();
    assert_eq!(before.by_stable_id(&id).unwrap().name, after.by_stable_id(&id).unwrap().name);
    let twice = page(&json!([
        element("e1", "button", &json!({ "stableId": "video.submit" })),
        element("e2", "button", &json!({ "stableId": "video.submit" }))
    ]));
    assert_eq!(twice.by_stable_id(&id), None);
}

/// Requirement: CAP-5-10
#[test]
fn emitted_and_declared_state_keys_are_compared() {
    let document = parse(capability_document().to_string().as_bytes()).unwrap();
    let seen = page(&json!([element(
        "e",
        "button",
        &json!({ "affordances": ["activate"], "state": { "busy": true, "visible": true } })
    )]));
    let found = usage::compare(&document, &[seen]);
    assert!(
        found.iter().any(|each| each.code == usage::EMITTED_UNDECLARED && each.message.contains("`busy`"))
    );
    let unconfirmed: Vec<_> = found.iter().filter(|each| each.code == usage::UNCONFIRMED).collect();
    assert_eq!(unconfirmed.len(), 2, "{found:#?}");
    assert!(unconfirmed.iter().all(|each| !each.message.contains("`visible`")));
}

/// Requirement: CAP-10-04
#[test]
fn a_declared_action_that_nothing_supports_is_found() {
    let upload = json!({ "id": "ui.upload", "kind": "primitive", "targetKinds": ["element"], "executionModes": ["semanticUi"],
        "risk": { "level": "safe" }, "success": [{ "kind": "route.changed" }] });
    let value = changed(capability_document(), "/actions/-", upload);
    let document = parse(value.to_string().as_bytes()).unwrap();
    let seen = page(&json!([element("e", "button", &json!({ "affordances": ["activate"] }))]));
    let found = usage::compare(&document, std::slice::from_ref(&seen));
    assert!(found.iter().any(|each| each.code == usage::UNSUPPORTED && each.message.contains("ui.upload")));
    let without = parse(capability_document().to_string().as_bytes()).unwrap();
    assert!(usage::compare(&without, &[seen]).iter().all(|each| each.code != usage::UNSUPPORTED));
}

/// Requirement: CAP-8-04
/// Requirement: CAP-8-05
/// Requirement: CAP-8-06
/// Requirement: CORE-C17-01
#[test]
fn the_level_decides_where_there_is_no_policy() {
    assert_eq!(gate(RiskLevel::Safe, true), Gate::Autonomous);
    assert_eq!(gate(RiskLevel::Safe, false), Gate::Refused);
    assert_eq!(gate(RiskLevel::Confirm, true), Gate::NeedsConfirmation);
    assert_eq!(gate(RiskLevel::Confirm, false), Gate::Refused);
    assert_eq!(gate(RiskLevel::Blocked, true), Gate::Refused);
}

/// Requirement: CAP-8-07
#[test]
fn the_strictest_level_wins_in_any_order() {
    let levels = [RiskLevel::Safe, RiskLevel::Confirm, RiskLevel::Blocked];
    assert_eq!(strictest(levels), RiskLevel::Blocked);
    for left in levels {
        for right in levels {
            assert_eq!(strictest([left, right]), strictest([right, left]));
            assert!(strictest([left, right]) >= left);
        }
    }
    assert_eq!(strictest([RiskLevel::Safe, RiskLevel::Confirm]), RiskLevel::Confirm);
}

/// Requirement: CAP-11-01
#[test]
fn a_document_of_two_primitives_and_a_domain_action_passes_with_two_warnings() {
    let mut value = changed(capability_document(), "/actions/0/success", Value::Null);
    let mut second = value["actions"][0].clone();
    second["id"] = json!("ui.enterText");
    second["requiredAffordances"] = json!(["edit"]);
    second["args"] = json!([{ "name": "text", "type": "string", "required": true }]);
    value = changed(value, "/actions/-", second);
    for index in [0, 2] {
        warned("CapabilityDocument", &value, &format!("/actions/{index}"));
    }
    assert_eq!(problems("CapabilityDocument", &value).len(), 2);
    crate::support::refused(
        "CapabilityDocument",
        &changed(value, "/actions/1/risk", Value::Null),
        "/actions/1",
    );
}
