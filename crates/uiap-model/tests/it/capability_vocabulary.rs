//! The vocabularies of the Capability Model: what belongs to them and what is refused.

use serde_json::{Value, json};
use uiap_model::capability::{
    ExecutionMode, PrimitiveActionType, RiskTag, SignalKind, UIAffordance, UIRole, UIState, UIStateKey,
};
use uiap_model::parse;

use crate::support::{accepted, capability_document, changed, refused, refused_listing, warned, warnings};

const DOC: &str = "CapabilityDocument";

fn with(pointer: &str, value: Value) -> Value {
    changed(capability_document(), pointer, value)
}

/// Requirement: CAP-1-01
#[test]
fn a_value_of_one_vocabulary_is_refused_in_the_slot_of_another() {
    accepted(DOC, &capability_document());
    for (pointer, value) in
        [("/roles/-", "activate"), ("/affordances/-", "button"), ("/riskLevels/-", "billing")]
    {
        let document = with(pointer, json!(value));
        let list = pointer.trim_end_matches("/-");
        let place = document.pointer(list).unwrap().as_array().unwrap().len() - 1;
        let problem = refused(DOC, &document, &format!("{list}/{place}"));
        assert!(problem.message.contains(value), "{problem}");
        assert!(!problem.allowed.is_empty(), "{problem}");
    }
}

/// Requirement: CAP-2-01
#[test]
fn ids_that_read_like_words_for_people_are_warned_about() {
    let warning = warned(DOC, &with("/actions/1/id", json!("Video erstellen")), "/actions/1/id");
    assert!(warning.message.contains("Video erstellen"), "{warning}");
    assert!(warnings(DOC, &capability_document()).is_empty());
}

/// Requirement: CAP-2-02
#[test]
fn an_unprefixed_value_that_the_core_does_not_define_is_refused() {
    let problem = refused(DOC, &with("/roles/-", json!("assetcard")), "/roles/3");
    assert!(problem.message.contains("assetcard"), "{problem}");
    assert!(problem.help.unwrap().contains("x."));
}

/// Requirement: CAP-2-03
#[test]
fn vendor_values_are_accepted_where_vocabularies_are_open_and_survive_a_round_trip() {
    let mut document = capability_document();
    for (pointer, value) in [
        ("/roles/-", "x.videoland.asset-card"),
        ("/affordances/-", "x.acme.pinch"),
        ("/stateKeys/-", "x.acme.zoomed"),
        ("/riskTags/-", "x.acme.hipaa"),
        ("/successSignalKinds/-", "x.acme.done"),
    ] {
        document = changed(document, pointer, json!(value));
    }
    document = changed(document, "/actions/1/id", json!("x.acme.import"));
    accepted(DOC, &document);
    let typed: uiap_model::capability::CapabilityDocument = parse(document.to_string().as_bytes()).unwrap();
    assert_eq!(serde_json::to_value(&typed).unwrap(), document);
    refused(DOC, &with("/roles/-", json!("x.")), "/roles/3");
}

/// Requirement: CAP-2-04
#[test]
fn a_document_may_support_a_small_part_of_the_vocabulary() {
    let mut small = capability_document();
    small["roles"] = json!(["button"]);
    small["stateKeys"] = json!(["visible"]);
    small["affordances"] = json!(["activate"]);
    small["riskLevels"] = json!(["safe"]);
    let first = small["actions"][0].clone();
    small["actions"] = json!([first]);
    accepted(DOC, &small);
    refused(DOC, &changed(small, "/affordances", Value::Null), "");
}

/// Requirement: CAP-2-05
#[test]
fn what_is_used_and_not_declared_is_refused_with_both_places() {
    let cases = [
        (
            "/actions/0/requiredAffordances",
            json!(["focus"]),
            "/actions/0/requiredAffordances/0",
            "/affordances",
        ),
        ("/actions/0/risk", json!({ "level": "blocked" }), "/actions/0/risk/level", "/riskLevels"),
        (
            "/actions/1/risk",
            json!({ "level": "confirm", "tags": ["legal"] }),
            "/actions/1/risk/tags/0",
            "/riskTags",
        ),
        (
            "/actions/0/success",
            json!([{ "kind": "route.changed" }, { "kind": "element.appeared", "target": { "by": "semantic", "role": "dialog" } }]),
            "/actions/0/success/1/target/role",
            "/roles",
        ),
        (
            "/actions/0/success",
            json!([{ "kind": "element.state", "target": { "by": "stableId", "value": "a" }, "state": { "busy": false } }]),
            "/actions/0/success/0/state/busy",
            "/stateKeys",
        ),
    ];
    for (pointer, value, place, list) in cases {
        let problem = refused(DOC, &with(pointer, value), place);
        assert_eq!(problem.related.as_ref().unwrap().pointer, list, "{problem}");
    }
}

/// Requirement: CAP-2-06
#[test]
fn a_value_that_looks_like_a_selector_is_warned_about_or_refused() {
    let warning = warned(DOC, &with("/roles/-", json!("x.app.div#submit>.btn-primary")), "/roles/3");
    assert!(warning.message.contains("selector"), "{warning}");
    refused(DOC, &with("/roles/-", json!("div.btn")), "/roles/3");
}

/// Requirement: CAP-4-01
#[test]
fn there_are_51_core_roles() {
    assert_eq!(UIRole::NAMES.len(), 51);
    accepted(DOC, &with("/roles", json!(UIRole::NAMES)));
    for role in UIRole::NAMES {
        assert_eq!(UIRole::parse(role).unwrap().as_str(), *role);
        // The base document's signals use no semantic target, so one role alone is enough.
        accepted(DOC, &with("/roles", json!([role])));
    }
    for bad in ["heading", "Button", "nav", ""] {
        refused_listing(DOC, &with("/roles", json!([bad])), "/roles/0", UIRole::NAMES);
    }
    accepted(DOC, &with("/roles", json!(["x.acme.card"])));
}

/// Requirement: CAP-5-01
#[test]
fn there_are_32_state_keys() {
    assert_eq!(UIStateKey::NAMES.len(), 32);
    accepted(DOC, &with("/stateKeys", json!(UIStateKey::NAMES)));
    for bad in ["disabled", "Visible", "hidden"] {
        refused_listing(DOC, &with("/stateKeys", json!([bad])), "/stateKeys/0", UIStateKey::NAMES);
        let element = json!({ "instanceId": "e", "role": "button", "affordances": [], "state": { bad: true },
            "web": { "attached": true }, "source": "native" });
        refused_listing("ElementNode", &element, &format!("/state/{bad}"), UIStateKey::NAMES);
    }
}

fn state(value: &Value) -> Result<UIState, Vec<uiap_model::Problem>> {
    parse(value.to_string().as_bytes())
}

fn state_refused(key: &str, value: &Value) -> uiap_model::Problem {
    let problems = state(&json!({ key: value })).expect_err("the value is wrong");
    assert_eq!(problems[0].pointer, format!("/{key}"), "{problems:#?}");
    problems[0].clone()
}

/// Requirement: CAP-5-02
#[test]
fn every_state_key_is_optional_and_absence_says_nothing() {
    let empty = state(&json!({})).unwrap();
    assert_eq!(empty, UIState::default());
    assert_ne!(empty.enabled, Some(false));
    for key in UIStateKey::NAMES {
        state_refused(key, &Value::Null);
    }
}

/// Requirement: CAP-5-03
#[test]
fn flags_of_the_state_take_booleans_only() {
    let flags = [
        "visible",
        "enabled",
        "focusable",
        "focused",
        "editable",
        "readonly",
        "required",
        "busy",
        "loading",
        "blocked",
        "selected",
        "pressed",
        "expanded",
        "open",
        "modal",
        "hovered",
        "dragged",
        "multiline",
        "sensitive",
        "obscured",
    ];
    for key in flags {
        for good in [true, false] {
            assert_eq!(
                serde_json::to_value(state(&json!({ key: good })).unwrap()).unwrap(),
                json!({ key: good })
            );
        }
        for bad in [json!("true"), json!(1), Value::Null] {
            let problem = state_refused(key, &bad);
            assert!(problem.message.contains("boolean"), "{problem}");
        }
    }
}

fn literals(key: &str, good: &[Value], bad: &[Value]) {
    for value in good {
        assert_eq!(
            serde_json::to_value(state(&json!({ key: value })).unwrap()).unwrap(),
            json!({ key: value })
        );
    }
    for value in bad {
        let problem = state_refused(key, value);
        assert_eq!(problem.allowed.len(), good.len(), "{problem}");
    }
}

/// Requirement: CAP-5-04
#[test]
fn checked_is_true_false_or_mixed() {
    literals(
        "checked",
        &[json!(true), json!(false), json!("mixed")],
        &[json!("true"), json!("partial"), json!(1)],
    );
}

/// Requirement: CAP-5-05
#[test]
fn current_is_false_or_one_of_five_words() {
    let good = [json!(false), json!("page"), json!("step"), json!("location"), json!("date"), json!("time")];
    literals("current", &good, &[json!(true), json!("tab"), json!("")]);
}

/// Requirement: CAP-5-06
#[test]
fn invalid_is_a_flag_or_one_of_two_words() {
    let good = [json!(false), json!(true), json!("grammar"), json!("spelling")];
    literals("invalid", &good, &[json!("error"), json!("false"), json!(0)]);
}

/// Requirement: CAP-5-07
#[test]
fn has_popup_is_false_or_one_of_five_words() {
    let good = [json!(false), json!("menu"), json!("listbox"), json!("dialog"), json!("grid"), json!("tree")];
    literals("hasPopup", &good, &[json!(true), json!("tooltip"), json!("popover")]);
}

/// Requirement: CAP-5-08
#[test]
fn orientation_is_horizontal_or_vertical() {
    for good in ["horizontal", "vertical"] {
        state(&json!({ "orientation": good })).unwrap();
    }
    for bad in [json!("both"), json!("undefined")] {
        assert_eq!(state_refused("orientation", &bad).allowed, ["horizontal", "vertical"]);
    }
    state_refused("orientation", &json!(true));
}

/// Requirement: CAP-5-09
#[test]
fn texts_are_strings_and_measures_are_finite_numbers() {
    let slider = json!({ "numericValue": 5, "min": 0, "max": 10, "step": 0.5 });
    assert_eq!(serde_json::to_value(state(&slider).unwrap()).unwrap(), slider);
    assert!(state_refused("numericValue", &json!("5")).message.contains("number"));
    assert!(state_refused("textValue", &json!(5)).message.contains("string"));
    assert!(parse::<UIState>(b"{\"min\": NaN}").is_err());
    assert!(parse::<UIState>(b"{\"min\": 1e999}").is_err());
}

/// Requirement: CAP-6-01
#[test]
fn there_are_19_affordances() {
    assert_eq!(UIAffordance::NAMES.len(), 19);
    accepted(DOC, &with("/affordances", json!(UIAffordance::NAMES)));
    for bad in ["click", "hover", "type", "Activate"] {
        refused_listing(DOC, &with("/affordances/-", json!(bad)), "/affordances/3", UIAffordance::NAMES);
        let document = with("/actions/0/requiredAffordances", json!([bad]));
        refused_listing(DOC, &document, "/actions/0/requiredAffordances/0", UIAffordance::NAMES);
    }
}

/// Requirement: CAP-7-01
#[test]
fn there_are_20_primitive_actions_and_no_other_id_may_be_primitive() {
    assert_eq!(PrimitiveActionType::NAMES.len(), 20);
    for id in PrimitiveActionType::NAMES {
        accepted(DOC, &with("/actions/0/id", json!(id)));
    }
    for bad in ["ui.click", "ui.Activate", "x.ui.swipe"] {
        refused_listing(DOC, &with("/actions/0/id", json!(bad)), "/actions/0/id", PrimitiveActionType::NAMES);
    }
}

/// Requirement: CAP-7-02
/// Requirement: CORE-C3-01
#[test]
fn there_are_five_execution_modes_and_no_extensions() {
    assert_eq!(ExecutionMode::NAMES.len(), 5);
    accepted(DOC, &with("/actions/0/executionModes", json!(ExecutionMode::NAMES)));
    for bad in ["playwright", "AppAction", "x.custom", "semanticDom", "browserInput", "webdriver", "vision"] {
        let document = with("/actions/0/executionModes", json!([bad]));
        refused_listing(DOC, &document, "/actions/0/executionModes/0", ExecutionMode::NAMES);
        let request = json!({ "actionId": "ui.activate", "preferredExecutionModes": [bad] });
        refused_listing("ActionRequest", &request, "/preferredExecutionModes/0", ExecutionMode::NAMES);
    }
    refused(DOC, &with("/actions/0/executionModes", json!([])), "/actions/0/executionModes");
}

/// Requirement: CAP-8-01
#[test]
fn there_are_three_risk_levels_and_no_extensions() {
    for level in ["safe", "confirm", "blocked"] {
        let document = with("/riskLevels", json!(["safe", "confirm", "blocked"]));
        accepted(DOC, &changed(document, "/actions/0/risk", json!({ "level": level })));
    }
    for bad in ["low", "Safe", "x.audit"] {
        let document = with("/actions/0/risk", json!({ "level": bad }));
        refused_listing(DOC, &document, "/actions/0/risk/level", &["safe", "confirm", "blocked"]);
    }
    refused(DOC, &with("/actions/0/risk", json!({})), "/actions/0/risk");
}

/// Requirement: CAP-8-02
#[test]
fn there_are_nine_risk_tags() {
    assert_eq!(RiskTag::NAMES.len(), 9);
    let tagged = |tags: Value| {
        let document = with("/riskTags", json!(RiskTag::NAMES));
        changed(document, "/actions/1/risk", json!({ "level": "confirm", "tags": tags }))
    };
    accepted(DOC, &tagged(json!(RiskTag::NAMES)));
    for bad in ["payment", "external-effect"] {
        refused_listing(DOC, &tagged(json!([bad])), "/actions/1/risk/tags/0", RiskTag::NAMES);
    }
    refused(DOC, &tagged(json!("billing")), "/actions/1/risk/tags");
    let vendor = changed(tagged(json!(["x.acme.hipaa"])), "/riskTags/-", json!("x.acme.hipaa"));
    accepted(DOC, &vendor);
}

/// Requirement: CAP-9-01
#[test]
fn there_are_16_kinds_of_success_signal() {
    assert_eq!(SignalKind::NAMES.len(), 16);
    let target = json!({ "by": "stableId", "value": "video.title" });
    let each = json!([
        { "kind": "element.appeared", "target": target }, { "kind": "element.disappeared", "target": target },
        { "kind": "element.state", "target": target, "state": { "visible": true } },
        { "kind": "value.equals", "target": target, "value": "x" }, { "kind": "route.changed" },
        { "kind": "dialog.opened" }, { "kind": "dialog.closed" }, { "kind": "toast.contains", "text": "x" },
        { "kind": "status.contains", "text": "x" }, { "kind": "validation.none" },
        { "kind": "collection.count", "target": target, "op": "eq", "value": 1 },
        { "kind": "entity.created", "entityType": "v" }, { "kind": "entity.updated", "entityType": "v" },
        { "kind": "entity.deleted", "entityType": "v" }, { "kind": "network.response" },
        { "kind": "custom", "name": "export.ready" }
    ]);
    let kinds: Vec<&str> =
        each.as_array().unwrap().iter().map(|each| each["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, SignalKind::NAMES);
    for signal in each.as_array().unwrap() {
        accepted("SuccessSignal", signal);
    }
    for bad in [json!({ "kind": "toast.equals", "text": "x" }), json!({ "kind": "x.signal" })] {
        refused_listing("SuccessSignal", &bad, "/kind", SignalKind::NAMES);
    }
    let problem = refused("SuccessSignal", &json!({ "text": "x" }), "");
    assert_eq!(problem.allowed, SignalKind::NAMES);
}
