//! The capability document: targets, actions, arguments, and what it must hold together.

use serde_json::{Value, json};
use uiap_model::capability::{TargetRef, risk};
use uiap_model::core::capabilities::{CapabilitiesGetPayload, Disclosure};
use uiap_model::problem::Severity;
use uiap_model::{JsonObject, parse};

use crate::support::{
    accepted, capability_document, changed, problems, refused, refused_listing, warned, warnings,
};

const DOC: &str = "CapabilityDocument";

fn with(pointer: &str, value: Value) -> Value {
    changed(capability_document(), pointer, value)
}

/// Requirement: CAP-3-01
#[test]
fn a_target_is_told_apart_by_five_words() {
    let five = ["stableId", "scope", "route", "semantic", "custom"];
    for by in five {
        let target = if by == "semantic" {
            json!({ "by": by, "role": "button" })
        } else {
            json!({ "by": by, "value": "v" })
        };
        accepted("TargetRef", &target);
        let typed: TargetRef = parse(target.to_string().as_bytes()).unwrap();
        assert_eq!(typed.tag(), by);
    }
    for bad in ["css", "instanceId", "x.foo"] {
        refused_listing("TargetRef", &json!({ "by": bad, "value": "v" }), "/by", &five);
    }
    assert_eq!(refused("TargetRef", &json!({ "value": "v" }), "").allowed, five);
}

/// Requirement: CAP-3-02
/// Requirement: CAP-3-03
/// Requirement: CAP-3-04
#[test]
fn a_target_by_name_carries_a_non_empty_string() {
    for by in ["stableId", "scope", "route"] {
        accepted("TargetRef", &json!({ "by": by, "value": "video.submit" }));
        refused("TargetRef", &json!({ "by": by }), "");
        for bad in [json!(""), json!(7), json!({})] {
            refused("TargetRef", &json!({ "by": by, "value": bad }), "/value");
        }
    }
}

/// Requirement: CAP-3-05
#[test]
fn a_semantic_target_needs_a_role_and_may_be_narrowed() {
    for target in [
        json!({ "by": "semantic", "role": "button" }),
        json!({ "by": "semantic", "role": "button", "name": "Save" }),
        json!({ "by": "semantic", "role": "button", "name": "Save", "scope": "form" }),
    ] {
        accepted("TargetRef", &target);
    }
    refused("TargetRef", &json!({ "by": "semantic", "name": "Save" }), "");
    refused("TargetRef", &json!({ "by": "semantic", "role": "knob" }), "/role");
    refused("TargetRef", &json!({ "by": "semantic", "role": "button", "name": 1 }), "/name");
}

/// Requirement: CAP-3-06
#[test]
fn a_custom_target_is_handed_on_unchanged() {
    let target = json!({ "by": "custom", "value": "chart:bar-3" });
    let typed: TargetRef = parse(target.to_string().as_bytes()).unwrap();
    assert_eq!(serde_json::to_value(&typed).unwrap(), target);
    refused("TargetRef", &json!({ "by": "custom" }), "");
    refused("TargetRef", &json!({ "by": "custom", "value": 3 }), "/value");
}

/// Requirement: CAP-3-07
#[test]
fn a_profile_names_itself_and_its_version() {
    for bad in [json!(""), json!(1)] {
        refused(DOC, &with("/profile", bad), "/profile");
    }
    refused(DOC, &with("/profile", Value::Null), "");
    for vague in ["web", "web@", "@0.1"] {
        warned(DOC, &with("/profile", json!(vague)), "/profile");
    }
}

/// Requirement: CAP-7-03
#[test]
fn an_action_needs_five_members_and_no_more() {
    let minimal = json!({ "id": "a.b", "kind": "domain", "targetKinds": ["none"], "executionModes": ["appAction"],
        "risk": { "level": "safe" } });
    accepted("ActionDescriptor", &minimal);
    for member in ["id", "kind", "targetKinds", "executionModes", "risk"] {
        let problem =
            refused("ActionDescriptor", &changed(minimal.clone(), &format!("/{member}"), Value::Null), "");
        assert!(problem.message.contains(member), "{problem}");
    }
}

/// Requirement: CAP-7-04
#[test]
fn an_action_is_primitive_or_domain() {
    for bad in ["candidate", "custom"] {
        refused_listing(
            DOC,
            &with("/actions/1/kind", json!(bad)),
            "/actions/1/kind",
            &["primitive", "domain"],
        );
    }
    refused(DOC, &with("/actions/1/kind", Value::Null), "/actions/1");
}

/// Requirement: CAP-7-05
#[test]
fn targets_of_an_action_are_of_six_kinds() {
    let six = ["element", "scope", "route", "entity", "session", "none"];
    accepted(DOC, &with("/actions/0/targetKinds", json!(six)));
    refused_listing(DOC, &with("/actions/0/targetKinds", json!(["page"])), "/actions/0/targetKinds/0", &six);
    refused(DOC, &with("/actions/0/targetKinds", json!("element")), "/actions/0/targetKinds");
    refused(DOC, &with("/actions/0/targetKinds", Value::Null), "/actions/0");
}

/// Requirement: CAP-7-07
#[test]
fn idempotency_has_three_values() {
    let three = ["idempotent", "conditional", "non_idempotent"];
    for good in three {
        accepted(DOC, &with("/actions/0/idempotency", json!(good)));
    }
    for bad in [json!("non-idempotent"), json!("none")] {
        refused_listing(DOC, &with("/actions/0/idempotency", bad), "/actions/0/idempotency", &three);
    }
    refused(DOC, &with("/actions/0/idempotency", json!(true)), "/actions/0/idempotency");
}

/// Requirement: CAP-7-08
#[test]
fn an_argument_has_a_name_and_one_of_six_types() {
    let six = ["string", "number", "boolean", "enum", "object", "array"];
    let args: Vec<Value> =
        six.iter().map(|each| json!({ "name": each, "type": each, "enum": ["a"] })).collect();
    accepted(DOC, &with("/actions/0/args", json!(args)));
    for bad in ["int", "date"] {
        let document = with("/actions/0/args", json!([{ "name": "n", "type": bad }]));
        refused_listing(DOC, &document, "/actions/0/args/0/type", &six);
    }
    refused(DOC, &with("/actions/0/args", json!([{ "type": "string" }])), "/actions/0/args/0");
    refused(DOC, &with("/actions/0/args", json!([{ "name": "n" }])), "/actions/0/args/0");
}

/// Requirement: CAP-7-09
#[test]
fn an_enum_argument_lists_its_values_and_takes_no_others() {
    let args =
        json!([{ "name": "size", "type": "enum", "enum": ["a", "b"], "required": true, "description": "d" }]);
    let document = with("/actions/1/args", args);
    accepted(DOC, &document);
    let action = action(&document, 1);
    assert!(action.check_args(&object(json!({ "size": "a" }))).is_empty());
    let problem = &action.check_args(&object(json!({ "size": "c" })))[0];
    assert_eq!(problem.allowed, ["a", "b"]);
    for empty in
        [json!([{ "name": "size", "type": "enum" }]), json!([{ "name": "size", "type": "enum", "enum": [] }])]
    {
        refused(DOC, &with("/actions/1/args", empty), "/actions/1/args/0");
    }
    refused(
        DOC,
        &with("/actions/1/args", json!([{ "name": "a", "type": "string", "required": "yes" }])),
        "/actions/1/args/0/required",
    );
    refused(
        DOC,
        &with("/actions/1/args", json!([{ "name": "a", "type": "string", "enum": "a" }])),
        "/actions/1/args/0/enum",
    );
    refused(
        DOC,
        &with("/actions/1/args", json!([{ "name": "a", "type": "string", "description": 1 }])),
        "/actions/1/args/0/description",
    );
}

fn action(document: &Value, index: usize) -> uiap_model::capability::ActionDescriptor {
    parse(document["actions"][index].to_string().as_bytes()).unwrap()
}

fn object(value: Value) -> JsonObject {
    serde_json::from_value(value).unwrap()
}

/// Requirement: CAP-7-10
#[test]
fn arguments_are_checked_before_anything_runs() {
    let create = action(&capability_document(), 1);
    assert!(create.check_args(&object(json!({ "title": "Demo" }))).is_empty());
    for (args, word) in [
        (json!({}), "title"),
        (json!({ "title": 7 }), "title"),
        (json!({ "title": "Demo", "titel": "x" }), "titel"),
    ] {
        let problems = create.check_args(&object(args));
        assert_eq!(problems.len(), 1);
        assert!(problems[0].message.contains(word), "{}", problems[0]);
    }
}

/// Requirement: CAP-7-11
#[test]
fn an_app_declares_actions_of_its_own() {
    let domain = |id: &str| {
        json!({ "id": id, "kind": "domain", "targetKinds": ["none"], "executionModes": ["appAction"],
        "risk": { "level": "safe" }, "success": [{ "kind": "route.changed" }] })
    };
    let mut document = capability_document();
    for id in ["workspace.setup", "billing.openSettings"] {
        document = changed(document, "/actions/-", domain(id));
    }
    accepted(DOC, &document);
    assert!(warnings(DOC, &document).is_empty());
}

/// Requirement: CAP-7-12
#[test]
fn domain_actions_are_named_after_the_operation() {
    assert!(warnings(DOC, &with("/actions/1/id", json!("team.invite"))).is_empty());
    for odd in ["clickBlueButton", "Team Invite"] {
        warned(DOC, &with("/actions/1/id", json!(odd)), "/actions/1/id");
    }
    let problem = refused(DOC, &with("/actions/1/id", json!("ui.submit")), "/actions/1/id");
    assert!(problem.message.contains("reserved"), "{problem}");
}

/// Requirement: CAP-7-13
#[test]
fn action_ids_are_unique() {
    let document = capability_document();
    let twin = document["actions"][1].clone();
    let problem = refused(DOC, &changed(document, "/actions/-", twin), "/actions/2/id");
    assert!(problem.message.contains("video.create"), "{problem}");
    assert_eq!(problem.related.unwrap().pointer, "/actions/1/id");
}

/// Requirement: CAP-8-03
#[test]
fn risk_needs_a_level_and_the_level_alone_steers() {
    accepted(
        DOC,
        &with(
            "/actions/1/risk",
            json!({ "level": "confirm", "tags": ["external_effect"], "reason": "mail" }),
        ),
    );
    refused(DOC, &with("/actions/1/risk", json!({ "tags": ["external_effect"] })), "/actions/1/risk");
    refused(
        DOC,
        &with("/actions/1/risk", json!({ "level": "confirm", "reason": 1 })),
        "/actions/1/risk/reason",
    );
    assert_eq!(risk::gate(risk::RiskLevel::Safe, true), risk::Gate::Autonomous);
}

/// Requirement: CAP-8-08
#[test]
fn a_grave_operation_that_is_rated_safe_is_warned_about() {
    for grave in ["payment.execute", "user.delete", "account.changePassword"] {
        let document =
            changed(with("/actions/1/id", json!(grave)), "/actions/1/risk", json!({ "level": "safe" }));
        let warning = warned(DOC, &document, "/actions/1/risk/level");
        assert!(warning.help.unwrap().contains("blocked"));
    }
    let open = changed(
        with("/actions/1/id", json!("billing.openSettings")),
        "/actions/1/risk",
        json!({ "level": "safe" }),
    );
    assert!(warnings(DOC, &open).is_empty());
}

/// Requirement: CAP-SEC-03
#[test]
fn a_grave_tag_excludes_the_level_safe() {
    for tag in ["destructive", "billing", "security", "irreversible"] {
        let document = changed(
            with("/riskTags", json!([tag])),
            "/actions/1/risk",
            json!({ "level": "safe", "tags": [tag] }),
        );
        let problem = refused(DOC, &document, "/actions/1/risk/level");
        assert!(problem.message.contains(tag), "{problem}");
        accepted(DOC, &changed(document, "/actions/1/risk/level", json!("confirm")));
    }
}

/// Requirement: CAP-9-18
#[test]
fn code_in_a_signal_is_a_literal_and_warned_about() {
    let odd = with("/actions/0/success", json!([{ "kind": "route.changed", "pattern": "() => true" }]));
    warned(DOC, &odd, "/actions/0/success/0/pattern");
    assert!(!uiap_model::web::predicate::route_matches("() => true", "/anything"));
    let plain = with("/actions/0/success", json!([{ "kind": "route.changed", "pattern": "/videos/:id" }]));
    assert!(warnings(DOC, &plain).is_empty());
}

/// Requirement: CAP-9-19
#[test]
fn an_action_without_a_success_signal_is_warned_about() {
    for none in [Value::Null, json!([])] {
        let warning = warned(DOC, &with("/actions/0/success", none), "/actions/0");
        assert!(warning.message.contains("ui.activate"), "{warning}");
    }
}

/// Requirement: CAP-9-20
#[test]
fn a_custom_signal_is_for_what_the_protocol_does_not_have() {
    let signal = |name: &str| {
        changed(
            with("/successSignalKinds/-", json!("custom")),
            "/actions/0/success",
            json!([{ "kind": "custom", "name": name }]),
        )
    };
    let warning = warned(DOC, &signal("routeChanged"), "/actions/0/success/0/name");
    assert!(warning.help.unwrap().contains("route.changed"));
    assert!(warnings(DOC, &signal("export.ready")).is_empty());
}

/// Requirement: CAP-9-21
#[test]
fn a_critical_action_combines_signals() {
    let single = with("/actions/1/success", json!([{ "kind": "route.changed" }]));
    warned(DOC, &single, "/actions/1/success");
    assert!(warnings(DOC, &capability_document()).is_empty());
}

/// Requirement: CAP-10-01
/// Requirement: CAP-10-02
#[test]
fn a_document_has_eight_mandatory_members() {
    let mandatory = [
        "modelVersion",
        "profile",
        "roles",
        "stateKeys",
        "affordances",
        "actions",
        "riskLevels",
        "successSignalKinds",
    ];
    for member in mandatory {
        let problem = refused(DOC, &with(&format!("/{member}"), Value::Null), "");
        assert!(problem.message.contains(member), "{problem}");
    }
    let mut bare = with("/actions/1/risk", json!({ "level": "confirm" }));
    bare.as_object_mut().unwrap().remove("riskTags");
    accepted(DOC, &bare);
}

/// Requirement: CAP-10-03
#[test]
fn the_model_version_is_the_string_0_1() {
    for bad in [json!("0.2"), json!("v0.1")] {
        assert_eq!(refused(DOC, &with("/modelVersion", bad), "/modelVersion").allowed, ["0.1"]);
    }
    let problem = refused(DOC, &with("/modelVersion", json!(0.1)), "/modelVersion");
    assert!(problem.help.unwrap().contains("quotes"));
}

/// Requirement: CAP-10-05
#[test]
fn used_signal_kinds_are_listed() {
    let warning = warned(
        DOC,
        &with("/successSignalKinds", json!(["route.changed", "dialog.opened"])),
        "/actions/1/success/1/kind",
    );
    assert!(
        warning.message.contains("toast.contains") && warning.message.contains("video.create"),
        "{warning}"
    );
}

/// Requirement: CAP-SEC-01
#[test]
fn privileged_actions_are_pointed_out() {
    let document = changed(
        with("/riskTags/-", json!("privileged")),
        "/actions/1/risk",
        json!({ "level": "confirm", "tags": ["privileged"] }),
    );
    accepted(DOC, &document);
    let notes = problems(DOC, &document);
    let note = notes.iter().find(|note| note.severity == Severity::Info).expect("a note");
    assert!(note.message.contains("authorised"), "{note}");
}

/// Requirement: CAP-SEC-02
/// Requirement: CORE-MSG-10
/// Requirement: CORE-MSG-11
#[test]
fn capabilities_are_handed_out_to_authorised_agents_only() {
    let documents = [parse(capability_document().to_string().as_bytes()).unwrap()];
    let told = Disclosure { revision: "cap_1", documents: &documents, authorised: true };
    let all = CapabilitiesGetPayload { profile: None, if_revision_not: None };
    let list = told.answer(&all).unwrap();
    assert_eq!((list.revision.as_str(), list.documents.len()), ("cap_1", 1));
    let ask = |value: Value| parse::<CapabilitiesGetPayload>(value.to_string().as_bytes()).unwrap();
    assert_eq!(told.answer(&ask(json!({ "profile": "web@0.1" }))).unwrap().documents.len(), 1);
    assert_eq!(told.answer(&ask(json!({ "profile": "x.tv@0.1" }))).unwrap_err().code, "unsupported_profile");
    let same = told.answer(&ask(json!({ "ifRevisionNot": "cap_1" }))).unwrap();
    assert_eq!((same.not_modified, same.documents.len()), (Some(true), 0));
    assert_eq!(told.answer(&ask(json!({ "ifRevisionNot": "cap_0" }))).unwrap().not_modified, None);
    let stranger = Disclosure { authorised: false, ..told };
    let error = stranger.answer(&all).unwrap_err();
    assert_eq!(error.code, "forbidden");
    assert!(!serde_json::to_string(&error).unwrap().contains("video.create"));
}

/// Requirement: CAP-SEC-04
#[test]
fn delicate_fields_are_marked() {
    let args = json!([{ "name": "newPassword", "type": "string" }]);
    let document = with("/actions/1/args", args);
    let warning = warned(DOC, &document, "/actions/1/args/0");
    assert!(warning.message.contains("newPassword"), "{warning}");
    assert!(warnings(DOC, &changed(document, "/stateKeys/-", json!("sensitive"))).is_empty());
}

/// Requirement: CORE-T-06
/// Requirement: CAP-3-08
#[test]
fn ids_that_look_generated_are_warned_about() {
    for odd in ["x.acme.9f86d081884c7d659a2f", "x.7c9e6679-7425-40de-944b-e07fc1f90ae7.card"] {
        warned(DOC, &with("/roles/-", json!(odd)), "/roles/3");
    }
    for odd in [":r3:", "7c9e6679-7425-40de-944b-e07fc1f90ae7"] {
        let success = json!([{ "kind": "element.appeared", "target": { "by": "stableId", "value": odd } }]);
        let document =
            changed(with("/successSignalKinds/-", json!("element.appeared")), "/actions/0/success", success);
        warned(DOC, &document, "/actions/0/success/0/target/value");
    }
    assert!(warnings(DOC, &with("/roles/-", json!("x.videoland.asset-card"))).is_empty());
}
