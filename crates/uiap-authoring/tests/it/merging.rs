//! The rules by which several manifests become one content. Spec: authoring §7.1, selectors.

use serde_json::{Value, json};
use uiap_authoring::diagnostic::codes;

use crate::support::{ELEMENT, Look, Pkg, action, definition, ok, only_errors, policy, workflow};

/// Requirement: AUTH-7.1-03
/// Case: AUTH-061
/// Case: AUTH-062
#[test]
fn equal_bindings_are_one_and_different_ones_a_conflict() {
    let two = |other: &str| Pkg::new().with("b", "Bindings", ELEMENT).with("c", "Bindings", other).build();
    assert_eq!(ok(&two(ELEMENT))["bindings"]["elements"].as_array().unwrap().len(), 1);
    let role = two(&ELEMENT.replace("id: save,", "id: save, role: link,"));
    only_errors(&role, &[codes::BINDING_CONFLICT]);
    assert!(role.story(codes::BINDING_CONFLICT).contains("they differ in role"));
    assert_eq!(role.others(codes::BINDING_CONFLICT), ["b.uiap.yaml:7:13"]);
    assert!(two(&ELEMENT.replace("value: save", "value: other")).has(codes::MATCH_CONFLICT));
    let scopes = |kind: &str| format!("scopes: [ {{ id: s, kind: {kind} }} ]");
    let pkg = Pkg::new().with("b", "Bindings", &scopes("form"));
    ok(&pkg.clone().with("c", "Bindings", &scopes("form")).build());
    only_errors(&pkg.with("c", "Bindings", &scopes("dialog")).build(), &[codes::BINDING_CONFLICT]);
}

/// Requirement: AUTH-5.4-03
/// Requirement: AUTH-7.1-05
/// Case: AUTH-064
/// Case: AUTH-065
#[test]
fn an_action_has_one_implementation() {
    let two = |other: &str| {
        let list = |action: &str| format!("actions: [ {action} ]");
        Pkg::new().with("a", "Actions", &list(&action("x.do"))).with("b", "Actions", &list(other)).build()
    };
    assert_eq!(ok(&two(&action("x.do")))["actions"].as_array().unwrap().len(), 1);
    let differs = two(&action("x.do").replace("ref: app.x.do", "ref: app.other"));
    only_errors(&differs, &[codes::ACTION_CONFLICT]);
    assert!(differs.story(codes::ACTION_CONFLICT).contains("implementation"));
    assert_eq!(differs.others(codes::ACTION_CONFLICT).len(), 1);
}

/// Requirement: AUTH-7.1-07
/// Requirement: AUTH-5.6-03
/// Case: AUTH-066
#[test]
fn a_workflow_has_one_structure_unless_an_overlay_settles_it() {
    let pkg = |other: &str| {
        Pkg::new().with("v", "WorkflowCatalog", &workflow("w")).with("w", "WorkflowCatalog", other)
    };
    assert_eq!(ok(&pkg(&workflow("w")).build())["workflows"].as_array().unwrap().len(), 1);
    let other = workflow("w").replace("text: Hello", "text: Bye");
    only_errors(&pkg(&other).build(), &[codes::WORKFLOW_CONFLICT]);
    let overlay = format!(
        "selector: {{}}\npatches: [ {{ manifestId: w, path: /spec/workflows, op: upsert, matchKey: definition.id, value: {{ definition: {} }} }} ]",
        definition("w", "0.1.0")
    );
    let settled = pkg(&other).with("o", "Overlay", &overlay).build();
    ok(&settled);
    assert_eq!(settled.report.patches[0].overlay, "o");
}

/// Requirement: AUTH-5.5-02
/// Requirement: AUTH-5.5-03
/// Requirement: AUTH-7.1-06
/// Case: AUTH-070
#[test]
fn policies_stand_side_by_side_in_one_order() {
    let (strict, loose) = (policy("strict", "deny"), policy("loose", "allow"));
    let pkg = |first: &str, second: &str| {
        Pkg::new().with("p", "PolicySet", first).with("q", "PolicySet", second).build()
    };
    assert_eq!(ok(&pkg(&strict, &loose)), ok(&pkg(&loose, &strict)));
    assert_eq!(ok(&pkg(&strict, &loose))["policies"].as_array().unwrap().len(), 2);
    let twice = format!("{strict}{}", strict.trim_start_matches("policies:\n"));
    only_errors(&Pkg::new().with("p", "PolicySet", &twice).build(), &[codes::POLICY_CONFLICT]);
    let prod = loose.replace("id: loose,", "id: loose, selector: { channels: [prod] },");
    let ids = |channel: &str| {
        let json = ok(&Pkg::new()
            .with("p", "PolicySet", &prod)
            .with("q", "PolicySet", &strict)
            .channel(channel)
            .build());
        json["policies"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| p["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (ids("prod"), ids("dev")),
        (vec!["loose".to_owned(), "strict".to_owned()], vec!["strict".to_owned()])
    );
    let tenant = loose.replace("id: loose,", "id: loose, selector: { tenantIds: [acme] },");
    let kept = ok(&Pkg::new().with("p", "PolicySet", &tenant).build());
    assert_eq!(kept["policies"][0]["selector"], json!({ "tenantIds": ["acme"] }));
}

/// Requirement: AUTH-7.1-02
/// Case: AUTH-068
#[test]
fn capabilities_are_merged_by_identity() {
    let document = |roles: &str, profile: &str| {
        format!(
            "document:\n  modelVersion: \"0.1\"\n  profile: {profile}\n  roles: {roles}\n  stateKeys: []\n  affordances: []\n  actions: []\n  riskLevels: [safe]\n  successSignalKinds: []\n"
        )
    };
    let two = |a: &str, b: &str| Pkg::new().with("c", "Capabilities", a).with("d", "Capabilities", b).build();
    let merged = ok(&two(&document("[button, link]", "web@0.1"), &document("[link, form]", "web@0.1")));
    assert_eq!(merged["capabilities"]["roles"], json!(["button", "link", "form"]));
    let conflict = two(&document("[]", "web@0.1"), &document("[]", "mobile@0.1"));
    only_errors(&conflict, &[codes::CAPABILITY_CONFLICT]);
    assert_eq!(conflict.others(codes::CAPABILITY_CONFLICT), ["c.uiap.yaml:8:14"]);
}

/// Requirement: AUTH-12-05
/// Requirement: AUTH-5.4-07
/// Requirement: AUTH-5.6-07
/// Case: AUTH-159
#[test]
fn a_bundle_holds_nothing_of_other_contexts() {
    let actions = format!(
        "actions: [ {}, {} ]",
        action("a.acme").replace(
            "id: a.acme,",
            "id: a.acme, selectors: [ { channels: [staging] }, { tenantIds: [acme, globex] } ],"
        ),
        action("a.all")
    );
    let workflows =
        workflow("w.acme").replace("- definition", "- selector: { tenantIds: [acme] }\n    definition");
    let overlay = "selector: { tenantIds: [acme] }\npatches: [ { manifestId: app, path: /spec/displayName, op: replace, value: Acme Secret Name } ]";
    let pkg = Pkg::new()
        .with("a", "Actions", &actions)
        .with("w", "WorkflowCatalog", &workflows)
        .with("o", "Overlay", overlay);
    let of = |tenant: &str| {
        let built =
            pkg.clone().context(|context| context.tenant_id = Some(tenant.into())).channel("prod").build();
        ok(&built);
        String::from_utf8(built.bundle.unwrap().bytes).unwrap()
    };
    let (acme, other) = (of("acme"), of("initech"));
    for word in ["a.acme", "w.acme", "Acme Secret Name"] {
        assert!(acme.contains(word) && !other.contains(word), "{word}");
    }
    assert!(!acme.contains("globex") && !acme.contains("selectors"));
    assert!(other.contains("a.all"));
    let undecided = pkg.channel("prod").build();
    assert!(undecided.has(codes::ITEM_SKIPPED));
    let json: Value = ok(&undecided);
    assert!(json.get("workflows").is_none());
}

/// Requirement: AUTH-5.5-04
/// Case: AUTH-069
#[test]
fn of_two_policies_the_stricter_decides_in_any_order() {
    let rules = |id: &str, effect: &str| {
        format!(
            "policies: [ {{ id: {id}, document: {{ modelVersion: \"0.1\", defaults: {{ onUnknownAction: {effect}, onNoMatch: {effect} }} }} }} ]"
        )
    };
    let act = format!("actions: [ {} ]", action("x.do"));
    let bundle = |list: &[(&str, &str)]| {
        let pkg = Pkg::new().with("act", "Actions", &act);
        let pkg = list.iter().fold(pkg, |pkg, (id, effect)| pkg.with(id, "PolicySet", &rules(id, effect)));
        pkg.build().bundle.unwrap().bytes
    };
    for (mild, strict) in
        [("allow", "deny"), ("allow", "confirm"), ("confirm", "deny"), ("confirm", "handoff")]
    {
        let both = bundle(&[("a", mild), ("b", strict)]);
        assert_eq!(both, bundle(&[("b", strict), ("a", mild)]), "the order of files changes the bundle");
        let decisions = |old: &[u8]| -> Vec<String> {
            let changes = uiap_authoring::diff::diff_bundles(old, &both).unwrap();
            changes.into_iter().filter(|change| change.rule == "BC11").map(|change| change.message).collect()
        };
        assert!(decisions(&bundle(&[("b", strict)])).is_empty(), "{mild} beside {strict} changes a decision");
        assert!(decisions(&bundle(&[("a", strict), ("b", strict)])).is_empty());
        let told = decisions(&bundle(&[("a", mild)]));
        assert!(told[0].ends_with(&format!("{mild} → {strict}")), "{told:?}");
    }
}
