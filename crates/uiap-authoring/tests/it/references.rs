//! Step 8: what is named exists.

use uiap_authoring::diagnostic::{Code, Severity, codes};

use crate::support::{Look, Pkg, action, definition, ok, only_errors};

const BINDINGS: &str = "routes:
  - { id: home, match: [ { kind: path, value: /home } ] }
  - { id: list, parentRouteId: home, match: [ { kind: urlPattern, value: \"/list/:id\" } ], successSignals: [ { kind: route.changed } ] }
scopes:
  - { id: form, kind: form, routeIds: [home], stableIds: [save] }
  - { id: inner, kind: region, parentScopeId: form }
elements:
  - id: save
    scopeId: form
    routeIds: [home]
    role: button
    match: [ { by: annotation, attr: data-uiap-id, value: save }, { by: semantic, role: button, scopeId: form } ]
    risk: confirm
    defaultAction: doc.save
    success: [ { kind: element.disappeared, target: { by: stableId, value: save } } ]
";

const CAPABILITIES: &str = "document:
  modelVersion: \"0.1\"
  profile: web@0.1
  roles: [button, form]
  stateKeys: [enabled]
  affordances: [activate, invoke]
  riskLevels: [safe, confirm, blocked]
  successSignalKinds: [route.changed, element.disappeared, toast.contains]
  actions:
    - { id: ui.activate, kind: primitive, targetKinds: [element], executionModes: [semanticUi], risk: { level: safe }, success: [ { kind: route.changed } ] }
    - { id: doc.save, kind: domain, targetKinds: [none], executionModes: [appAction], risk: { level: safe }, success: [ { kind: toast.contains, text: ok } ] }
";

fn pkg() -> Pkg {
    Pkg::new()
        .with("b", "Bindings", BINDINGS)
        .with("a", "Actions", &format!("actions: [ {} ]", action("doc.save")))
        .with("c", "Capabilities", CAPABILITIES)
        .with("w", "WorkflowCatalog", &format!("workflows:\n  - definition: {}\n", definition("w", "0.1.0")))
}

/// Requirement: AUTH-7-09
/// Requirement: AUTH-13-04
/// Requirement: AUTH-5.3-02
/// Requirement: AUTH-5.3-04
/// Requirement: AUTH-5.3-05
/// Case: AUTH-144
/// Case: AUTH-145
/// Case: AUTH-147
/// Case: AUTH-149
/// Case: AUTH-156
#[test]
fn every_broken_reference_of_the_bindings_is_found() {
    ok(&pkg().build());
    let cases: &[(&str, &str, Code, &str)] = &[
        ("parentRouteId: home", "parentRouteId: hom", codes::UNKNOWN_REFERENCE, "hom"),
        ("{ id: home, match", "{ id: home, parentRouteId: list, match", codes::PARENT_CYCLE, "list"),
        (
            "{ id: form, kind: form, ",
            "{ id: form, kind: form, parentScopeId: inner, ",
            codes::PARENT_CYCLE,
            "inner",
        ),
        ("parentScopeId: form", "parentScopeId: from", codes::UNKNOWN_REFERENCE, "from"),
        ("routeIds: [home], stableIds", "routeIds: [away], stableIds", codes::UNKNOWN_REFERENCE, "away"),
        ("stableIds: [save]", "stableIds: [sav]", codes::UNKNOWN_REFERENCE, "sav"),
        ("scopeId: form\n", "scopeId: fom\n", codes::UNKNOWN_REFERENCE, "fom"),
        ("routeIds: [home]\n", "routeIds: [hme]\n", codes::UNKNOWN_REFERENCE, "hme"),
        ("defaultAction: doc.save", "defaultAction: doc.sav", codes::UNKNOWN_REFERENCE, "doc.sav"),
        ("role: button\n", "role: link\n", codes::UNDECLARED_WORD, "link"),
        ("{ by: stableId, value: save }", "{ by: stableId, value: gone }", codes::UNKNOWN_REFERENCE, "gone"),
        ("{ by: stableId, value: save }", "{ by: semantic, role: slider }", codes::UNDECLARED_WORD, "slider"),
        ("match: [ { kind: path, value: /home } ]", "match: []", codes::NO_MATCHER, "match"),
        ("value: /home", "value: home", codes::BAD_PATTERN, "home"),
        ("\"/list/:id\"", "\"/list/(a+)+\"", codes::BAD_PATTERN, "\"/list/(a+)+\""),
        ("\"/list/:id\"", "\"/list/(?=x)\"", codes::BAD_PATTERN, "\"/list/(?=x)\""),
        ("\"/list/:id\"", "\"/list/(\"", codes::BAD_PATTERN, "\"/list/(\""),
        ("id: save\n", "id: \"sa ve\"\n", codes::BAD_ID, "\"sa ve\""),
        ("{ kind: path, value: /home }", "{ kind: regex, value: x }", codes::UNKNOWN_VALUE, "regex"),
        (
            "by: annotation, attr: data-uiap-id, value: save",
            "by: css, value: save",
            codes::UNKNOWN_VALUE,
            "css",
        ),
        ("by: annotation, attr: data-uiap-id, value: save", "by: label", codes::MISSING_MEMBER, ""),
        ("risk: confirm", "risk: high", codes::UNKNOWN_VALUE, "high"),
    ];
    for (from, to, code, quoted) in cases {
        let text = BINDINGS.replacen(from, to, 1);
        assert_ne!(text, BINDINGS, "{from}");
        let built = pkg().with("b", "Bindings", &text).build();
        assert!(built.has(*code), "{to}: {:#?}", built.told(Severity::Error));
        assert!(built.quoted(*code).contains(quoted), "{to}: {}", built.quoted(*code));
        assert!(built.bundle.is_none(), "{to}");
    }
}

/// Requirement: AUTH-5.3-07
/// Requirement: AUTH-5.3-08
/// Requirement: AUTH-5.3-09
/// Case: AUTH-063
/// Case: AUTH-152
#[test]
fn fragile_and_confusing_bindings_are_warned_about() {
    let element = |matchers: &str| {
        let text = BINDINGS.replacen(
            "match: [ { by: annotation, attr: data-uiap-id, value: save }, { by: semantic, role: button, scopeId: form } ]",
            &format!("match: [ {matchers} ]"),
            1,
        );
        pkg().with("b", "Bindings", &text).build()
    };
    let hint = "{ by: runtimeHint, css: \"#save\" }";
    let annotation = "{ by: annotation, attr: data-uiap-id, value: save }";
    assert!(element(hint).has(codes::FRAGILE_TARGET));
    let extra = element(&format!("{annotation}, {hint}"));
    assert!(!extra.has(codes::FRAGILE_TARGET) && !extra.has(codes::HINT_FIRST));
    ok(&extra);
    assert!(element(&format!("{hint}, {annotation}")).has(codes::HINT_FIRST));
    only_errors(&element("{ by: runtimeHint, css: \"a[\" }"), &[codes::BAD_PATTERN]);
    let shared = pkg().with("b", "Bindings", &BINDINGS.replace("id: inner", "id: save")).build();
    assert!(shared.has(codes::SHARED_ID));
}

/// Requirement: AUTH-5.6-01
/// Requirement: AUTH-5.6-03
/// Case: AUTH-146
#[test]
fn the_steps_of_a_workflow_lead_somewhere() {
    let with = |from: &str, to: &str| {
        let text = definition("w", "0.1.0").replacen(from, to, 1);
        pkg().with("w", "WorkflowCatalog", &format!("workflows:\n  - definition: {text}\n")).build()
    };
    let code = |text: &str| Code::parse(text).unwrap();
    assert!(with("next: done", "next: don").has(code("UIAP-M121")));
    assert!(with("initialStepId: intro", "initialStepId: into").has(code("UIAP-M121")));
    let unreachable =
        with("{ id: done, type: complete }", "{ id: done, type: complete }, { id: lost, type: complete }");
    ok(&unreachable);
    assert!(unreachable.has(code("UIAP-M127")));
    only_errors(
        &with(
            "type: instruction, text: Hello",
            "type: action, actionId: doc.save, target: { by: stableId, value: nope }",
        ),
        &[codes::UNKNOWN_REFERENCE],
    );
    only_errors(
        &with("type: instruction, text: Hello", "type: action, actionId: doc.sav"),
        &[codes::UNKNOWN_REFERENCE],
    );
    ok(&with(
        "type: instruction, text: Hello",
        "type: action, actionId: ui.activate, target: { by: stableId, value: save }",
    ));
    only_errors(
        &with("type: instruction, text: Hello", "type: action, actionId: ui.hover"),
        &[codes::UNKNOWN_REFERENCE],
    );
    only_errors(&with("version: 0.1.0", "version: one"), &[codes::BAD_VERSION]);
    assert!(with("id: w, ", "").has(codes::MISSING_MEMBER));
}

/// Requirement: AUTH-5.2-01
/// Requirement: AUTH-5.2-02
/// Requirement: AUTH-5.2-03
/// Requirement: AUTH-5.4-01
/// Requirement: AUTH-5.4-02
/// Requirement: AUTH-5.4-04
/// Requirement: AUTH-5.4-05
/// Requirement: AUTH-13-07
/// Case: AUTH-148
/// Case: AUTH-150
/// Case: AUTH-151
/// Case: AUTH-153
#[test]
fn actions_agree_with_the_capabilities() {
    let with = |from: &str, to: &str| {
        let text = action("doc.save").replacen(from, to, 1);
        assert_ne!(text, action("doc.save"), "{from}");
        pkg().with("a", "Actions", &format!("actions: [ {text} ]")).build()
    };
    let risk = with("level: safe", "level: confirm");
    only_errors(&risk, &[codes::RISK_CONFLICT]);
    assert!(risk.others(codes::RISK_CONFLICT)[0].starts_with("c.uiap.yaml:"));
    assert!(
        with("kind: toast.contains, text: ok", "kind: status.contains, text: ok")
            .has(codes::UNDECLARED_SIGNAL)
    );
    assert!(with("success: [ { kind: toast.contains, text: ok } ], ", "").has(codes::NO_SUCCESS_SIGNAL));
    only_errors(&with(", ref: app.doc.save", ""), &[codes::EMPTY_REFERENCE]);
    assert!(
        with("implementation: { kind: sdkHandler, ref: app.doc.save }", "title: Save")
            .has(codes::NO_IMPLEMENTATION)
    );
    assert!(with("kind: sdkHandler", "kind: serverAction").has(codes::PREFER_HANDLER));
    assert!(with("kind: sdkHandler", "kind: webhook").has(codes::UNKNOWN_VALUE));
    assert!(with("risk: { level: safe }, ", "").has(codes::MISSING_MEMBER));
    assert!(with("executionModes: [appAction]", "executionModes: [magic]").has(codes::UNKNOWN_VALUE));
    only_errors(
        &with("targetKinds: [none]", "targetKinds: [none], requiredAffordances: [drag]"),
        &[codes::UNDECLARED_WORD],
    );
    let critical = pkg()
        .with(
            "a",
            "Actions",
            &format!("actions: [ {} ]", action("doc.drop").replace("level: safe", "level: blocked")),
        )
        .without("w");
    let critical = critical
        .with("b", "Bindings", &BINDINGS.replace("defaultAction: doc.save", "defaultAction: doc.drop"))
        .build();
    assert!(critical.story(codes::NO_SUCCESS_SIGNAL).contains("critical"));
    assert!(critical.has(codes::CAPABILITY_LACKS_ACTION));
    let json = ok(&pkg().build());
    assert_eq!(
        (json["capabilities"]["roles"][0].as_str(), json["profile"].as_str()),
        (Some("button"), Some("web@0.1"))
    );
    assert!(ok(&Pkg::new().build()).get("capabilities").is_none());
    assert!(
        Pkg::new().with("c", "Capabilities", "document: { roles: [] }").build().has(codes::MISSING_MEMBER)
    );
}

/// Requirement: AUTH-5.5-01
#[test]
fn policies_name_things_that_exist() {
    let rule = |matcher: &str| {
        let spec = format!(
            "policies: [ {{ id: p, document: {{ modelVersion: \"0.1\", defaults: {{ onUnknownAction: deny }}, rules: [ {{ id: r, match: {matcher}, effect: deny }} ] }} }} ]"
        );
        pkg().with("p", "PolicySet", &spec).build()
    };
    for unknown in [
        "{ scopes: [nope] }",
        "{ stableIds: [nope] }",
        "{ routes: [nope] }",
        "{ actions: [nope.*] }",
        "{ workflowIds: [x] }",
    ] {
        let built = rule(unknown);
        ok(&built);
        assert!(built.has(codes::RULE_NEVER_APPLIES), "{unknown}");
    }
    assert!(
        !rule("{ scopes: [form], actions: [doc.*, ui.activate], routes: [home] }")
            .has(codes::RULE_NEVER_APPLIES)
    );
    assert!(pkg().with("p", "PolicySet", "policies: [ { id: p } ]").build().has(codes::MISSING_MEMBER));
}

/// Requirement: AUTH-5.3-01
/// Requirement: AUTH-5.3-03
/// Requirement: AUTH-5.3-06
#[test]
fn each_list_and_each_matcher_alone_is_welcome() {
    let matchers = [
        "{ by: annotation, attr: a, value: v }",
        "{ by: semantic, role: button }",
        "{ by: label, text: t }",
        "{ by: text, text: t }",
        "{ by: adapter, id: i }",
        "{ by: runtimeHint, css: a }",
    ];
    for matcher in matchers {
        ok(&Pkg::new()
            .with("b", "Bindings", &format!("elements: [ {{ id: e, match: [ {matcher} ] }} ]"))
            .build());
    }
    for kind in ["routeId", "path", "urlPattern", "title", "signal"] {
        ok(&Pkg::new()
            .with(
                "b",
                "Bindings",
                &format!("routes: [ {{ id: e, match: [ {{ kind: {kind}, value: /x }} ] }} ]"),
            )
            .build());
    }
    ok(&Pkg::new().with("b", "Bindings", "scopes: [ { id: s, kind: form } ]").build());
    assert!(Pkg::new().with("b", "Bindings", "widgets: []").build().has(codes::UNKNOWN_MEMBER));
    assert!(Pkg::new().with("b", "Bindings", "routes: {}").build().has(codes::WRONG_KIND));
}
