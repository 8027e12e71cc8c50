//! Where a value comes from: every file, overlay and text on its way, the last first, at its exact place.

use crate::support::{Pkg, action, policy};

/// `what manifest place value` of every origin of a pointer.
fn origins(pkg: Pkg, pointer: &str) -> Vec<String> {
    let built = pkg.options(|options| options.explain = Some(pointer.to_owned())).build();
    assert!(!built.diagnostics.has_errors(), "{:#?}", built.diagnostics);
    let Some(explanation) = built.report.explanation else { panic!("nothing at {pointer}") };
    assert_eq!(explanation.pointer, pointer);
    let line =
        |o: &uiap_authoring::build::Origin| format!("{} {} {} {}", o.what, o.manifest, o.place, o.value);
    explanation.origins.iter().map(line).collect()
}

fn base() -> Pkg {
    Pkg::named("demo.base", "0.1.0")
        .with("actions", "Actions", &format!("actions:\n  - {}\n", action("nav.go")))
        .with("tune", "Overlay", &overlay("actions", "/spec/actions/0/risk/level", "replace", "confirm"))
}

fn overlay(manifest: &str, path: &str, op: &str, value: &str) -> String {
    format!(
        "selector: {{}}\npatches:\n  - manifestId: {manifest}\n    path: {path}\n    op: {op}\n    value: {value}\n"
    )
}

#[test]
fn an_imported_value_shows_its_file_the_imports_own_overlay_and_the_local_one() {
    let pkg = Pkg::new().import("base", &base(), "*");
    assert_eq!(
        origins(pkg.clone(), "/actions/nav.go/risk/level"),
        [
            "patched base:tune demo.base@0.1.0/tune.uiap.yaml:11:14 \"confirm\"",
            "imported base:actions demo.base@0.1.0/actions.uiap.yaml:7:100 \"safe\"",
        ]
    );
    let pkg = pkg.with(
        "mine",
        "Overlay",
        &overlay("base:actions", "/spec/actions/0/risk/level", "replace", "blocked"),
    );
    assert_eq!(
        origins(pkg.clone(), "/actions/0/risk/level"),
        [
            "patched mine mine.uiap.yaml:11:14 \"blocked\"",
            "patched base:tune demo.base@0.1.0/tune.uiap.yaml:11:14 \"confirm\"",
            "imported base:actions demo.base@0.1.0/actions.uiap.yaml:7:100 \"safe\"",
        ]
    );
    assert_eq!(
        origins(pkg, "/actions/nav.go/kind"),
        ["imported base:actions demo.base@0.1.0/actions.uiap.yaml:7:27 \"domain\""]
    );
}

/// A decision that only says no is a value like any other.
#[test]
fn a_value_of_the_manifest_itself_has_one_origin_whatever_other_patches_do() {
    let pkg = Pkg::new().with("p", "PolicySet", &policy("one", "deny")).with(
        "o",
        "Overlay",
        &overlay("app", "/spec/displayName", "replace", "Other"),
    );
    assert_eq!(
        origins(pkg.clone(), "/policies/one/document/defaults/onUnknownAction"),
        ["written p p.uiap.yaml:7:80 \"deny\""]
    );
    assert_eq!(
        origins(pkg.clone(), "/app/displayName"),
        ["patched o o.uiap.yaml:11:14 \"Other\"", "written app app.uiap.yaml:7:16 \"Demo\""]
    );
    assert_eq!(origins(pkg, "/app/appId"), ["written app app.uiap.yaml:6:10 \"demo\""]);
}

#[test]
fn items_that_moved_are_followed_to_where_they_were() {
    let elements = "elements:\n  - { id: a, match: [ { by: text, text: A } ] }\n  - { id: b, risk: safe, match: [ { by: text, text: B } ] }\n";
    let patches = "selector: {}\npatches:\n  - { manifestId: e, path: /spec/elements/0, op: remove }\n  - { manifestId: e, path: /spec/elements/0/risk, op: replace, value: confirm }\n  - { manifestId: e, path: /spec/elements, op: append, value: { id: c, role: link, match: [ { by: text, text: C } ] } }\n  - { manifestId: e, path: /spec/elements/1/role, op: replace, value: button }\n";
    let pkg = Pkg::new().with("e", "Bindings", elements).with("o", "Overlay", patches);
    assert_eq!(
        origins(pkg.clone(), "/bindings/elements/b/risk"),
        ["patched o o.uiap.yaml:9:73 \"confirm\"", "written e e.uiap.yaml:8:22 \"safe\""]
    );
    assert_eq!(
        origins(pkg.clone(), "/bindings/elements/b/match/0/text"),
        ["written e e.uiap.yaml:8:55 \"B\""]
    );
    assert_eq!(
        origins(pkg, "/bindings/elements/c/role"),
        ["patched o o.uiap.yaml:11:73 \"button\"", "patched o o.uiap.yaml:10:80 \"link\""]
    );
}

#[test]
fn a_merged_member_and_what_stands_beside_it_have_different_origins() {
    let patch = overlay("app", "/spec", "merge", "{ defaultLocale: en, metadata: { team: blue } }");
    let pkg = Pkg::new().with("o", "Overlay", &patch);
    assert_eq!(origins(pkg.clone(), "/app/defaultLocale"), ["patched o o.uiap.yaml:11:31 \"en\""]);
    assert_eq!(origins(pkg.clone(), "/app/metadata/team"), ["patched o o.uiap.yaml:11:53 \"blue\""]);
    assert_eq!(origins(pkg, "/app/displayName"), ["written app app.uiap.yaml:7:16 \"Demo\""]);
}

#[test]
fn a_text_leads_to_the_pack_and_to_the_reference() {
    let pack = "namespaces:\n  n:\n    messages:\n      k: { default: Save, byLocale: { de: Sichern } }\n";
    let elements = "elements:\n  - { id: one, name: { ref: n.k }, match: [ { by: text, text: A } ] }\n  - { id: two, name: { ref: n.k }, match: [ { by: text, text: A } ] }\n  - { id: none, name: { ref: n.x, fallback: F }, match: [ { by: text, text: A } ] }\n";
    let pkg = Pkg::new().with("t", "LocalePack", pack).with("e", "Bindings", elements);
    // Two elements share a text; each is shown with its own reference.
    assert_eq!(
        origins(pkg.clone(), "/bindings/elements/two/name/byLocale/de"),
        ["text t t.uiap.yaml:9:45 \"Sichern\"", "written e e.uiap.yaml:8:18 {\"ref\":\"n.k\"}"]
    );
    assert_eq!(
        origins(pkg.clone(), "/bindings/elements/two/name/default"),
        ["text t t.uiap.yaml:9:23 \"Save\"", "written e e.uiap.yaml:8:18 {\"ref\":\"n.k\"}"]
    );
    let german = pkg.clone().context(|context| context.locale = Some("de-CH".into()));
    assert_eq!(
        origins(german.clone(), "/bindings/elements/one/name"),
        ["text t t.uiap.yaml:9:45 \"Sichern\"", "written e e.uiap.yaml:7:18 {\"ref\":\"n.k\"}"]
    );
    assert_eq!(origins(german, "/locales/n.k"), ["text t t.uiap.yaml:9:45 \"Sichern\""]);
    let lost = origins(pkg, "/bindings/elements/none/name");
    assert_eq!(lost[0], "fallback e e.uiap.yaml:9:47 \"F\"");
}

#[test]
fn the_context_says_who_set_it() {
    let pkg =
        Pkg::new().spec("publish:\n  defaultChannel: dev\n  channels: [ { name: dev }, { name: staging } ]");
    let stated = origins(pkg.clone(), "/buildContext/channel");
    assert_eq!(stated, ["written package.main package.uiap.yaml:13:21 \"dev\""]);
    let asked = origins(pkg.clone().channel("staging"), "/buildContext/channel");
    assert_eq!(asked, ["context   \"staging\"", "written package.main package.uiap.yaml:13:21 \"dev\""]);
    assert_eq!(origins(pkg.clone(), "/version"), ["written package.main package.uiap.yaml:8:12 \"0.1.0\""]);
    assert_eq!(origins(pkg.clone(), "/profile"), ["default   \"web@0.1\""]);
    assert!(origins(pkg, "/digest")[0].starts_with("computed   \"sha256:"));
}

#[test]
fn a_discovered_value_leads_to_the_run_and_to_the_rule_that_accepted_it() {
    let found = crate::discovery::package(&[crate::discovery::element("one")]);
    let rule = "source: { ref: d/run.json }\naccept: [ { kind: element, ids: [one], targetManifestId: b, mode: promote } ]";
    let pkg = Pkg::new()
        .with("b", "Bindings", "elements: []")
        .with("d", "DiscoveryImport", rule)
        .file("d/run.json", &found);
    let told = origins(pkg, "/bindings/elements/one/role");
    assert!(told[0].starts_with("discovered b d/run.json:6:"), "{told:?}");
    assert_eq!(told[1], "accepted b d.uiap.yaml:7:36 \"run_1\"");
}

#[test]
fn what_is_not_there_has_no_origin() {
    for pointer in ["/bindings/elements/none", "/app/none", "/nowhere", "no pointer", "/actions/7"] {
        let built = Pkg::new().options(|options| options.explain = Some(pointer.to_owned())).build();
        assert!(built.report.explanation.is_none(), "{pointer}");
    }
}
