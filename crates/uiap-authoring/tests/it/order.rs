//! The ten steps: their order, where they stop, and what a checker sees beyond that.

use uiap_authoring::build::Step;
use uiap_authoring::diagnostic::codes;

use crate::support::{ELEMENT, Look, PUBLISH, Pkg, ok, policy, workflow};

const ALL: [Step; 10] = [
    Step::LoadPackage,
    Step::ResolveImports,
    Step::LoadManifests,
    Step::ImportDiscovery,
    Step::ApplyOverlays,
    Step::ResolveLocales,
    Step::ApplyReview,
    Step::CheckReferences,
    Step::MakeBundle,
    Step::CheckGates,
];

/// Package, with one fault from each step on.
fn faulty(from: usize) -> Pkg {
    let mut pkg =
        Pkg::new().with("p", "PolicySet", &policy("p", "deny")).with("w", "WorkflowCatalog", &workflow("w"));
    if from <= 9 {
        pkg = pkg.spec(PUBLISH).channel("prod");
    }
    if from <= 7 {
        pkg = pkg.with("b", "Bindings", &ELEMENT.replace("match:", "scopeId: nowhere, match:"));
    }
    if from <= 6 {
        pkg = pkg.with("r", "ReviewSet", "decisions: [ { target: { manifestId: nope }, state: approved, by: a, at: \"2026-01-01T00:00:00Z\" } ]");
    }
    if from <= 5 {
        pkg = pkg.with("app", "App", "appId: d\ndisplayName: D\ndefaultLocale: fr\nsupportedLocales: [de]");
    }
    if from <= 4 {
        pkg = pkg.with(
            "o",
            "Overlay",
            "selector: {}\npatches: [ { manifestId: nope, path: /spec, op: remove } ]",
        );
    }
    if from <= 3 {
        pkg = pkg.with("d", "DiscoveryImport", "source: { ref: nope.json }\naccept: []");
    }
    if from <= 2 {
        pkg = pkg.with("p", "PolicySet", "policies: 7");
    }
    if from <= 1 {
        pkg = pkg.spec("imports: [ { packageId: nope, versionRange: \"*\", alias: n } ]");
    }
    if from == 0 {
        pkg = pkg.spec("unknown: true");
    }
    pkg
}

/// Requirement: AUTH-7-01
#[test]
fn the_steps_run_in_order_and_the_first_fault_ends_the_build() {
    let good = Pkg::new().build();
    assert_eq!(good.report.steps, ALL);
    let stops = [
        (0, 1, codes::UNKNOWN_MEMBER),
        (1, 2, codes::IMPORT_NOT_FOUND),
        (2, 3, codes::WRONG_KIND),
        (3, 4, codes::NO_DISCOVERY_SOURCE),
        (4, 5, codes::UNKNOWN_MANIFEST),
        (5, 6, codes::DEFAULT_LOCALE),
        (6, 7, codes::UNKNOWN_REVIEW_TARGET),
        (7, 8, codes::UNKNOWN_REFERENCE),
        (9, 10, codes::GATE_FAILED),
    ];
    for (from, ran, code) in stops {
        let built = faulty(from).build();
        assert_eq!(built.report.steps, ALL[..ran], "fault of step {}", from + 1);
        assert!(built.has(code), "{code}");
        assert!(built.bundle.is_none());
    }
}

#[test]
fn a_checker_goes_on_and_shows_the_faults_of_later_steps_too() {
    let built = faulty(3).options(|options| options.keep_going = true).build();
    for code in [
        codes::NO_DISCOVERY_SOURCE,
        codes::UNKNOWN_MANIFEST,
        codes::DEFAULT_LOCALE,
        codes::UNKNOWN_REVIEW_TARGET,
        codes::UNKNOWN_REFERENCE,
        codes::GATE_FAILED,
    ] {
        assert!(built.has(code), "{code}");
    }
    assert!(built.bundle.is_none());
}

/// Requirement: AUTH-7-05
/// Requirement: AUTH-7-07
/// Requirement: AUTH-7-08
#[test]
fn each_step_sees_what_the_one_before_it_left() {
    // The overlay patches what the discovery import brings in, refers to a text, and is reviewed.
    let overlay = "selector: {}\npatches:\n\
        - { manifestId: b, path: /spec/elements, op: upsert, matchKey: id, value: { id: found, scopeId: area, name: { ref: n.k }, match: [ { by: text, text: F } ] } }\n\
        - { manifestId: b, path: /spec/scopes, op: append, value: { id: area, kind: form } }\n\
        - { manifestId: l, path: /spec/namespaces/n/messages/k/default, op: replace, value: Patched }";
    let pkg = Pkg::new()
        .with("b", "Bindings", "elements: []")
        .with("l", "LocalePack", "namespaces: { n: { messages: { k: { default: Old } } } }")
        .with("d", "DiscoveryImport", "source: { ref: found.json }\naccept: [ { kind: element, ids: [found], targetManifestId: b, mode: promote } ]")
        .with("o", "Overlay", overlay)
        .with("r", "ReviewSet", "decisions: [ { target: { manifestId: b, itemId: found }, state: approved, by: a, at: \"2026-01-01T00:00:00Z\" } ]")
        .file("found.json", &crate::discovery::package(&[crate::discovery::element("found")]))
        .context(|context| context.locale = Some("de".into()));
    let built = pkg.build();
    let json = ok(&built);
    assert_eq!(json["bindings"]["elements"][0]["name"], "Patched");
    assert_eq!(json["bindings"]["elements"].as_array().unwrap().len(), 1);
    assert!(
        built
            .report
            .reviews
            .iter()
            .any(|entry| entry.item_id.as_deref() == Some("found") && entry.state == "approved")
    );
}
