//! After the build: a new package, differences, publishing.

use serde_json::{Value, json};
use uiap_authoring::build::build;
use uiap_authoring::diff::{Level, diff_bundles, diff_values, level, require_bump};
use uiap_authoring::files::NoRegistry;
use uiap_authoring::init::{NewPackage, scaffold};
use uiap_authoring::publish::{PublishError, PublishOptions, Published, publish};

use crate::support::{ELEMENT, Pkg, action, definition, ok, policy};

/// Requirement: AUTH-14-01
/// Case: AUTH-170
#[test]
fn a_new_package_checks_and_builds_for_every_channel() {
    let new = NewPackage {
        app_id: "shop".into(),
        display_name: "Shop \"2\"".into(),
        base_url: "https://shop.example".into(),
    };
    let files = scaffold(&new).unwrap();
    for channel in ["dev", "staging", "prod"] {
        let options = Pkg::new().channel(channel).options;
        let built = build(&files, &NoRegistry, &options);
        ok(&built);
        assert!(built.diagnostics.is_empty(), "{:#?}", built.diagnostics);
    }
    let paths: Vec<&str> = files.iter().map(|(path, _)| path).collect();
    assert!(
        ["package.uiap.yaml", "app.uiap.yaml", "bindings/routes.uiap.yaml", "policies/default.uiap.yaml"]
            .iter()
            .all(|path| paths.contains(path))
    );
    assert!(scaffold(&NewPackage { app_id: "a:b".into(), ..new }).is_err());
}

fn bundle() -> Value {
    let rules = "policies: [ { id: p, document: { modelVersion: \"0.1\", defaults: { onUnknownAction: deny }, rules: [ { id: r, match: { dataClasses: [personal] }, effect: confirm } ] } } ]";
    let act = action("x.do").replace(
        "targetKinds",
        "idempotency: idempotent, args: [ { name: a, type: enum, enum: [one, two] } ], targetKinds",
    );
    ok(&Pkg::new()
        .with("app", "App", "appId: demo\ndisplayName: Demo\ndefaultLocale: en\nsupportedLocales: [en]\nenvironments: [ { id: prod, baseUrls: [\"https://a.example\"] } ]")
        .with("b", "Bindings", &format!("routes: [ {{ id: home, match: [ {{ kind: path, value: / }} ] }} ]\nscopes: [ {{ id: s, kind: form }} ]\n{}", ELEMENT.replace("id: save,", "id: save, role: button, risk: safe,")))
        .with("a", "Actions", &format!("actions: [ {act} ]"))
        .with("p", "PolicySet", rules)
        .with("w", "WorkflowCatalog", &format!("workflows:\n  - definition: {}\n", definition("w", "0.1.0")))
        .with("l", "LocalePack", "namespaces: { n: { messages: { k: { default: Text } } } }")
        .build())
}

/// Requirement: AUTH-11.2-01
/// Requirement: AUTH-11.3-01
/// Requirement: AUTH-11.4-01
/// Requirement: AUTH-2-07
/// Requirement: AUTH-5.3-10
#[test]
fn every_kind_of_change_has_its_rule() {
    let base = bundle();
    let set = |pointer: &str, value: Value| {
        let mut new = base.clone();
        *new.pointer_mut(pointer).unwrap() = value;
        new
    };
    let drop_at = |pointer: &str, key: &str| {
        let mut new = base.clone();
        new.pointer_mut(pointer).unwrap().as_object_mut().unwrap().remove(key);
        new
    };
    let add = |pointer: &str, key: &str, value: Value| {
        let mut new = base.clone();
        new.pointer_mut(pointer).unwrap().as_object_mut().unwrap().insert(key.to_owned(), value);
        new
    };
    let push = |pointer: &str, value: Value| {
        let mut new = base.clone();
        new.pointer_mut(pointer).unwrap().as_array_mut().unwrap().push(value);
        new
    };
    let cases = [
        ("BC01", set("/bindings/elements/0/id", json!("store"))),
        ("BC01", set("/bindings/routes", json!([]))),
        ("BC01", set("/actions", json!([]))),
        ("BC01", set("/workflows/0/id", json!("w2"))),
        ("BC01", set("/locales", json!({}))),
        ("BC02", set("/bindings/scopes/0/kind", json!("dialog"))),
        ("BC03", push("/actions/0/args", json!({ "name": "b", "type": "string", "required": true }))),
        ("BC03", set("/actions/0/args", json!([]))),
        ("BC03", set("/actions/0/args/0/enum", json!(["one"]))),
        ("BC03", set("/actions/0/args/0/type", json!("string"))),
        ("BC03", add("/actions/0/args/0", "required", json!(true))),
        ("BC04", set("/actions/0/idempotency", json!("non_idempotent"))),
        ("BC05", set("/actions/0/executionModes", json!(["semanticUi"]))),
        ("BC06", add("/actions/0", "requiredAffordances", json!(["invoke"]))),
        ("BC07", set("/actions/0/targetKinds", json!(["scope"]))),
        ("BC08", push("/actions/0/success", json!({ "kind": "route.changed" }))),
        ("BC09", set("/actions/0/implementation/kind", json!("serverAction"))),
        ("BC10", set("/workflows/0/steps/0/type", json!("handoff"))),
        ("BC10", set("/workflows/0/interactionModes", json!(["guide"]))),
        ("BC10", set("/workflows/0/startMode", json!("automatic"))),
        (
            "BC10",
            add("/workflows/0", "parameters", json!([{ "name": "p", "type": "string", "required": true }])),
        ),
        ("BC11", set("/policies/0/document/defaults/onUnknownAction", json!("allow"))),
        ("BC11", set("/policies/0/document/rules/0/effect", json!("deny"))),
        ("BC11", set("/policies/0/document/rules", json!([]))),
        ("BC11", add("/policies/0/document", "redaction", json!([]))),
        ("BC12", set("/bindings/elements/0/risk", json!("blocked"))),
        ("BC12", set("/actions/0/risk/level", json!("confirm"))),
        ("BC13", set("/compatibility/uiapCore", json!(">=0.1.5 <0.2"))),
        (
            "BC13",
            add(
                "/compatibility",
                "extensions",
                json!([{ "id": "uiap.policy", "range": "^0.1", "required": true }]),
            ),
        ),
        ("BC14", set("/profile", json!("mobile@0.1"))),
        ("BC16", set("/app/defaultLocale", json!("de"))),
        ("BC16", set("/app/supportedLocales", json!([]))),
        ("BC17", set("/bindings/elements/0/role", json!("link"))),
        ("BC18", add("/bindings/elements/0", "dataClasses", json!(["personal"]))),
        ("BC20", set("/app/environments/0/baseUrls", json!([]))),
        ("BC20", set("/app/environments", json!([]))),
        ("MI01", push("/bindings/elements", json!({ "id": "zoom", "match": [] }))),
        ("MI02", add("/locales", "n.new", json!("New"))),
        ("MI02", push("/app/supportedLocales", json!("de"))),
        ("MI03", push("/actions/0/args", json!({ "name": "b", "type": "string" }))),
        ("MI03", push("/actions/0/args/0/enum", json!("three"))),
        ("MI04", push("/actions/0/executionModes", json!("semanticUi"))),
        ("MI06", push("/bindings/elements/0/match", json!({ "by": "text", "text": "S" }))),
        ("MI07", set("/compatibility/uiapCore", json!(">=0.1 <0.3"))),
        ("MI08", add("/actions/0", "metadata", json!({ "deprecated": true }))),
        ("MI09", push("/app/environments", json!({ "id": "dev" }))),
        ("PA01", set("/app/displayName", json!("New name"))),
        ("PA01", set("/workflows/0/steps/0/text", json!("Bye"))),
        ("PA01", set("/locales/n.k", json!("Other"))),
        ("PA02", add("/policies/0/document/rules/0", "description", json!("why"))),
        ("PA03", set("/bindings/elements/0/match", json!([{ "by": "text", "text": "S" }]))),
        ("PA04", add("/bindings/elements/0", "metadata", json!({ "a": 1 }))),
    ];
    for (rule, new) in &cases {
        let changes = diff_values(&base, new).unwrap();
        let rules: Vec<&str> = changes.iter().map(|change| change.rule).collect();
        assert!(rules.contains(rule), "{rule} not in {changes:#?}");
        let wanted = match &rule[..2] {
            "BC" => Level::Major,
            "MI" => Level::Minor,
            _ => Level::Patch,
        };
        assert_eq!(level(&changes), Some(wanted), "{rule}: {changes:#?}");
    }
    assert!(diff_values(&base, &base).unwrap().is_empty());
    let gone = diff_values(&base, &drop_at("/app", "environments")).unwrap();
    assert_eq!(gone.iter().map(|change| change.rule).collect::<Vec<_>>(), ["BC20"]);
}

/// Case: AUTH-165
#[test]
fn a_policy_change_comes_with_a_request_that_shows_it() {
    let base = bundle();
    let mut new = base.clone();
    new["policies"][0]["document"]["rules"][0]["effect"] = json!("deny");
    let changes = diff_values(&base, &new).unwrap();
    assert_eq!(changes[0].message, "another decision for x.do, dataClass=personal: confirm → deny");
    assert!(require_bump("0.1.0", "0.1.1", &changes).unwrap_err().to_string().contains("minor"));
    assert_eq!(require_bump("0.1.0", "0.2.0", &changes), Ok(()));
    assert!(require_bump("1.0.0", "1.1.0", &changes).unwrap_err().to_string().contains("BC11"));
    assert_eq!(require_bump("1.0.0", "2.0.0", &changes), Ok(()));
    assert_eq!(require_bump("1.0.0", "1.0.0", &[]), Ok(()));
    assert!(require_bump("1.0.0", "1.0.0", &changes).is_err());
}

/// Case: AUTH-166
#[test]
fn a_bundle_that_cannot_be_read_is_not_the_same_as_no_change() {
    let good = Pkg::new().build().bundle.unwrap().bytes;
    assert!(diff_bundles(b"{}", &good).unwrap_err().to_string().contains("old bundle"));
    assert!(diff_bundles(&good, b"not json").unwrap_err().to_string().contains("new bundle"));
    assert!(diff_bundles(&good, &good).unwrap().is_empty());
}

/// Requirement: AUTH-2-01
/// Requirement: AUTH-4-01
/// Case: AUTH-163
/// Case: AUTH-164
/// Case: AUTH-165
#[test]
fn a_published_version_never_changes() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let of = |version: &str, unknown: &str| {
        Pkg::named("demo.uiap", version)
            .with("app", "App", crate::support::APP)
            .with("p", "PolicySet", &policy("p", unknown))
            .build()
            .bundle
            .unwrap()
            .bytes
    };
    let go = |bytes: &[u8], options: PublishOptions| publish(root, bytes, options);
    let plain = PublishOptions::default();
    assert!(matches!(go(&of("0.2.0", "deny"), plain), Ok(Published::Added { .. })));
    assert_eq!(go(&of("0.2.0", "deny"), plain).unwrap(), Published::Unchanged);
    assert!(matches!(go(&of("0.2.0", "allow"), plain), Err(PublishError::Republished { .. })));
    assert!(matches!(go(&of("0.1.0", "deny"), plain), Err(PublishError::Older { .. })));
    go(&of("0.1.0", "deny"), PublishOptions { allow_backport: true, ..plain }).unwrap();
    let careful = PublishOptions { require_bump: true, ..plain };
    assert!(matches!(go(&of("0.2.1", "allow"), careful), Err(PublishError::Bump(_))));
    go(&of("0.3.0", "allow"), careful).unwrap();
    let edited = String::from_utf8(of("0.4.0", "deny")).unwrap().replace("Demo", "Evil");
    assert!(matches!(go(edited.as_bytes(), plain), Err(PublishError::Bundle(_))));
    assert!(matches!(go(b"{\"apiVersion\":\"uiap.authoring/v0.1\"}", plain), Err(PublishError::Bundle(_))));
    let index: Value = serde_json::from_slice(&std::fs::read(root.join("index.json")).unwrap()).unwrap();
    assert_eq!(index["manifests"].as_array().unwrap().len(), 3);
    let digest = index["manifests"][0]["digest"].as_str().unwrap().trim_start_matches("sha256:").to_owned();
    let manifest = std::fs::read(root.join("blobs/sha256").join(&digest)).unwrap();
    assert_eq!(uiap_model::digest::sha256(&manifest).to_string(), format!("sha256:{digest}"));
}

/// A policy before and after, and the smallest request that is answered in another way.
#[test]
fn every_way_to_change_a_policy_has_its_witness() {
    let actions = ["x.read", "x.write", "y.drop"].map(action).join(", ").replace("{ id: y.drop, kind: domain, targetKinds: [none], executionModes: [appAction], risk: { level: safe }", "{ id: y.drop, kind: domain, targetKinds: [none], executionModes: [appAction], risk: { level: confirm }");
    let with = |rules: &str, defaults: &str| {
        let policy = format!(
            "policies: [ {{ id: p, document: {{ modelVersion: \"0.1\", defaults: {{ onUnknownAction: deny{defaults} }}, rules: [ {rules} ] }} }} ]"
        );
        let built = Pkg::new()
            .with("a", "Actions", &format!("actions: [ {actions} ]"))
            .with("p", "PolicySet", &policy)
            .build();
        ok(&built)
    };
    let rule = |guard: &str, effect: &str| format!("{{ id: r, match: {{ {guard} }}, effect: {effect} }}");
    let plain = || with("", "");
    let cases = [
        (plain(), with(&rule("actions: [x.write]", "confirm"), ""), "x.write: allow → confirm"),
        (plain(), with(&rule("actions: [x.*]", "deny"), ""), "x.read: allow → deny"),
        (plain(), with(&rule("riskLevels: [confirm]", "deny"), ""), "y.drop: confirm → deny"),
        (plain(), with(&rule("principal: { roles: [guest] }", "deny"), ""), "role=guest: allow → deny"),
        (
            plain(),
            with(&rule("dataClasses: [personal], executionModes: [semanticUi]", "handoff"), ""),
            "dataClass=personal, executionMode=semanticUi: allow → handoff",
        ),
        (with(&rule("actions: [y.drop]", "deny"), ""), plain(), "y.drop: deny → confirm"),
        (
            with(&rule("actions: [x.write], routes: [billing]", "deny"), ""),
            with(&rule("actions: [x.write]", "deny"), ""),
            "x.write: allow → deny",
        ),
        (plain(), with("", ", byRisk: { safe: confirm }"), "x.read: allow → confirm"),
        (with("", ", onNoMatch: deny"), with("", ", onNoMatch: confirm"), "x.read: deny → confirm"),
    ];
    for (old, new, witness) in &cases {
        let changes = diff_values(old, new).unwrap();
        let told: Vec<&str> =
            changes.iter().filter(|c| c.rule == "BC11").map(|c| c.message.as_str()).collect();
        assert_eq!(told.len(), 1, "{witness}: {changes:#?}");
        assert!(told[0].ends_with(witness), "{witness}: {told:?}");
        assert_eq!(level(&changes), Some(Level::Major));
    }
    // Words only: no request is answered in another way.
    let renamed = with(&rule("actions: [x.write]", "confirm").replace("id: r", "id: other"), "");
    let same = diff_values(&with(&rule("actions: [x.write]", "confirm"), ""), &renamed).unwrap();
    assert_eq!(same.iter().map(|c| c.rule).collect::<Vec<_>>(), ["PA02"]);
}
