//! Step 5: selectors, the five operations, conflicts.

use uiap_authoring::diagnostic::{Code, Severity, codes};

use crate::support::{ELEMENT, Look, Pkg, Stopwatch, definition, ok, only_errors, policy, workflow};

/// A package with something of everything, and overlays that always fit.
fn pkg(overlays: &[&str]) -> Pkg {
    let mut pkg = Pkg::new()
        .with("b", "Bindings", ELEMENT)
        .with("p", "PolicySet", &policy("default", "allow"))
        .with("w", "WorkflowCatalog", &workflow("w.one"))
        .with("l", "LocalePack", "namespaces: { n: { messages: { k: { default: Text } } } }");
    for (index, patches) in overlays.iter().enumerate() {
        let list: String = patches.lines().map(|patch| format!("  - {{ {patch} }}\n")).collect();
        pkg = pkg.with(&format!("o{index}"), "Overlay", &format!("selector: {{}}\npatches:\n{list}"));
    }
    pkg
}

const UNKNOWN: &str = "manifestId: p, path: /spec/policies/0/document/defaults/onUnknownAction, op: replace";

/// Requirement: AUTH-5.8-05
/// Requirement: AUTH-5.8-06
/// Requirement: AUTH-5.8-07
/// Requirement: AUTH-5.8-08
/// Requirement: AUTH-5.8-09
/// Requirement: AUTH-5.8-04
#[test]
fn the_five_operations_do_what_they_are_named_for() {
    let replaced = ok(&pkg(&[&format!("{UNKNOWN}, value: deny")]).build());
    assert_eq!(replaced["policies"][0]["document"]["defaults"]["onUnknownAction"], "deny");
    let merged = ok(&pkg(&[
        "manifestId: app, path: /spec, op: merge, value: { sdk: { overlayEnabled: true } }",
        "manifestId: app, path: /spec/sdk, op: merge, value: { annotationPrefix: data-uiap- }",
    ])
    .build());
    assert_eq!(
        merged["app"]["sdk"],
        serde_json::json!({ "overlayEnabled": true, "annotationPrefix": "data-uiap-" })
    );
    assert_eq!(merged["app"]["appId"], "demo");
    let appended = ok(&pkg(&[
        "manifestId: b, path: /spec/elements/0/match, op: append, value: { by: text, text: Save }",
    ])
    .build());
    assert_eq!(appended["bindings"]["elements"][0]["match"][1]["by"], "text");
    let removed =
        ok(&pkg(&["manifestId: w, path: /spec/workflows/0/definition/interactionModes/0, op: remove"])
            .build());
    assert_eq!(removed["workflows"][0]["interactionModes"], serde_json::json!(["assist", "auto"]));
    let upserted = ok(&pkg(&[
        "manifestId: b, path: /spec/elements, op: upsert, matchKey: id, value: { id: save, role: button, match: [ { by: text, text: S } ] }\n\
         manifestId: b, path: /spec/elements, op: upsert, matchKey: id, value: { id: zoom, match: [ { by: text, text: Z } ] }",
    ]).build());
    assert_eq!(upserted["bindings"]["elements"].as_array().unwrap().len(), 2);
    assert_eq!(upserted["bindings"]["elements"][0]["role"], "button");
}

/// Requirement: AUTH-5.8-03
/// Requirement: AUTH-5.8-10
/// Case: AUTH-090
/// Case: AUTH-092
/// Case: AUTH-093
/// Case: AUTH-094
/// Case: AUTH-095
/// Case: AUTH-098
/// Case: AUTH-099
/// Case: AUTH-107
/// Case: AUTH-108
#[test]
fn a_patch_that_cannot_be_applied_says_why_at_its_place() {
    let cases: &[(&str, Code, &str)] = &[
        ("manifestId: polices, path: /spec, op: replace, value: 1", codes::UNKNOWN_MANIFEST, ""),
        ("manifestId: p, path: spec/policies, op: remove", codes::BAD_FORMAT, ""),
        ("manifestId: p, path: \"\", op: replace, value: {}", codes::PROTECTED, ""),
        ("manifestId: p, path: /spec/a~2b, op: remove", codes::BAD_FORMAT, ""),
        ("manifestId: b, path: /spec/elements/-, op: replace, value: 1", codes::PATCH_FAILED, "use `append`"),
        ("manifestId: b, path: /spec/elements/01, op: remove", codes::PATCH_FAILED, "no leading zero"),
        ("manifestId: b, path: /spec/elements/-1, op: remove", codes::PATCH_FAILED, "digits only"),
        ("manifestId: b, path: /spec/elements/1e0, op: remove", codes::PATCH_FAILED, "digits only"),
        ("manifestId: b, path: /spec/elements/1, op: remove", codes::PATCH_FAILED, "1 items, 0 to 0"),
        (
            "manifestId: b, path: /spec/elements/1, op: replace, value: {}",
            codes::PATCH_FAILED,
            "1 items, 0 to 0",
        ),
        (
            "manifestId: b, path: /spec/elemets, op: remove",
            codes::PATCH_FAILED,
            "did you mean `/spec/elements`?",
        ),
        ("manifestId: b, path: /spec//x, op: remove", codes::PATCH_FAILED, "there is: elements"),
        (
            "manifestId: b, path: /spec/elements, op: merge, value: { a: 1 }",
            codes::PATCH_FAILED,
            "needs an object",
        ),
        (
            "manifestId: b, path: /spec/elements/0/id, op: merge, value: { a: 1 }",
            codes::PATCH_FAILED,
            "needs an object",
        ),
        (
            "manifestId: b, path: /spec, op: merge, value: { elements: null }",
            codes::PATCH_FAILED,
            "use `remove`",
        ),
        ("manifestId: b, path: /spec, op: append, value: 1", codes::PATCH_FAILED, "needs a list"),
        (
            "manifestId: w, path: /spec/workflows/0/definition/interactionModes, op: upsert, matchKey: id, value: { id: a }",
            codes::PATCH_FAILED,
            "list of objects",
        ),
        (
            "manifestId: b, path: /spec/elements, op: upsert, value: { id: x }",
            codes::PATCH_OPERAND,
            "matchKey",
        ),
        (
            "manifestId: b, path: /spec/elements/0/risk, op: merge, matchKey: id, value: { a: 1 }",
            codes::PATCH_OPERAND,
            "belongs to `upsert`",
        ),
        (
            "manifestId: b, path: /spec/elements, op: upsert, matchKey: key, value: { id: x }",
            codes::PATCH_FAILED,
            "no `key`",
        ),
        (
            "manifestId: b, path: /spec/elements, op: append, value: { id: save, match: [] }",
            codes::PATCH_FAILED,
            "use `upsert`",
        ),
        ("manifestId: b, path: /spec/elements, op: append", codes::PATCH_OPERAND, "needs a `value`"),
        ("manifestId: b, path: /metadata/reviewState, op: replace, value: approved", codes::PROTECTED, ""),
        ("manifestId: b, path: /metadata, op: merge, value: { reviewState: approved }", codes::PROTECTED, ""),
        ("manifestId: b, path: /metadata/id, op: replace, value: c", codes::PROTECTED, ""),
        ("manifestId: b, path: /status/digest, op: merge, value: {}", codes::PROTECTED, ""),
        (
            "manifestId: o0, path: /spec/selector, op: replace, value: {}",
            codes::PROTECTED,
            "edit the manifest itself",
        ),
        ("manifestId: b, path: /spec/elements, op: add, value: {}", codes::UNKNOWN_VALUE, ""),
        ("manifestId: b, path: /spec/elements, op: Replace, value: {}", codes::UNKNOWN_VALUE, ""),
    ];
    for (patch, code, words) in cases {
        let built = pkg(&[patch]).build();
        assert!(built.has(*code), "{patch}: {:#?}", built.told(Severity::Error));
        assert!(built.story(*code).contains(words), "{patch}: {}", built.story(*code));
        assert!(built.place(*code).starts_with("o0.uiap.yaml:"), "{patch}");
        assert!(built.bundle.is_none(), "{patch}");
    }
    let review = pkg(&["manifestId: r, path: /spec/decisions, op: append, value: {}"]).with(
        "r",
        "ReviewSet",
        "decisions: []",
    );
    assert!(review.build().has(codes::PROTECTED));
}

/// Case: AUTH-095
#[test]
fn an_ambiguous_upsert_shows_every_item_that_matches() {
    let twice = format!("{ELEMENT}{}", ELEMENT.trim_start_matches("elements:\n"));
    let upsert =
        "manifestId: b, path: /spec/elements, op: upsert, matchKey: id, value: { id: save, match: [] }";
    let built = pkg(&[upsert]).with("b", "Bindings", &twice).build();
    assert_eq!(built.others(codes::PATCH_FAILED).len(), 2);
    let nameless =
        pkg(&["manifestId: app, path: /spec/metadata/list, op: upsert, matchKey: id, value: { id: a }"]);
    let app = "appId: demo\ndisplayName: Demo\nmetadata: { list: [ { other: 1 }, { id: a, old: true } ] }\n";
    let built = nameless.with("app", "App", app).build();
    ok(&built);
    assert!(built.has(codes::UPSERT_SKIPS) && built.has(codes::UPSERT_DROPS));
}

/// Case: AUTH-096
#[test]
fn a_nested_match_key_keeps_the_position_or_appends() {
    let app =
        "appId: demo\ndisplayName: Demo\nmetadata: { list: [ { a: { b.c: 1 } }, { a: { b.c: 2 } } ] }\n";
    let upsert = |key: &str, value: &str| {
        format!(
            "manifestId: app, path: /spec/metadata/list, op: upsert, matchKey: \"{key}\", value: {{ a: {{ b.c: {value} }}, new: true }}"
        )
    };
    let list =
        |patch: &str| ok(&pkg(&[patch]).with("app", "App", app).build())["app"]["metadata"]["list"].clone();
    assert_eq!(list(&upsert("a.b\\\\.c", "1"))[0]["new"], true);
    assert_eq!(list(&upsert("/a/b.c", "2"))[1]["new"], true);
    assert_eq!(list(&upsert("a.b\\\\.c", "3"))[2]["new"], true);
}

/// Requirement: AUTH-5.8-13
/// Case: AUTH-100
/// Case: AUTH-101
/// Case: AUTH-102
/// Case: AUTH-103
/// Case: AUTH-104
/// Case: AUTH-105
#[test]
fn overlays_that_contradict_each_other_are_shown_together() {
    let replace =
        |path: &str, value: &str| format!("manifestId: app, path: {path}, op: replace, value: {value}");
    let remove = |path: &str| format!("manifestId: app, path: {path}, op: remove");
    let upsert = |role: &str| {
        format!(
            "manifestId: b, path: /spec/elements, op: upsert, matchKey: id, value: {{ id: k, role: {role}, match: [ {{ by: text, text: K }} ] }}"
        )
    };
    let merge = |value: &str| format!("manifestId: app, path: /spec, op: merge, value: {value}");
    let pairs: Vec<(String, String, Option<Code>)> = vec![
        (replace("/spec/displayName", "A"), replace("/spec/displayName", "A"), Some(codes::OVERLAY_AGREES)),
        (replace("/spec/displayName", "A"), replace("/spec/displayName", "B"), Some(codes::OVERLAY_CONFLICT)),
        (
            replace("/spec/metadata", "{ x: 1 }"),
            replace("/spec/metadata/x", "2"),
            Some(codes::OVERLAY_CONFLICT),
        ),
        (
            replace("/spec/metadata/x", "2"),
            replace("/spec/metadata", "{ x: 1 }"),
            Some(codes::OVERLAY_CONFLICT),
        ),
        (remove("/spec/metadata"), replace("/spec/metadata/x", "2"), Some(codes::OVERLAY_CONFLICT)),
        (replace("/spec/metadata/x", "2"), remove("/spec/metadata"), Some(codes::OVERLAY_CONFLICT)),
        (remove("/spec/metadata"), remove("/spec/metadata"), Some(codes::OVERLAY_AGREES)),
        (
            remove("/spec/metadata/list/0"),
            replace("/spec/metadata/list/1", "9"),
            Some(codes::OVERLAY_CONFLICT),
        ),
        (
            replace("/spec/metadata/list/1", "9"),
            remove("/spec/metadata/list/0"),
            Some(codes::OVERLAY_CONFLICT),
        ),
        (upsert("button"), upsert("link"), Some(codes::OVERLAY_CONFLICT)),
        (upsert("button"), upsert("button"), Some(codes::OVERLAY_AGREES)),
        (merge("{ metadata: { x: 7 } }"), merge("{ metadata: { x: 8 } }"), Some(codes::OVERLAY_CONFLICT)),
        (merge("{ metadata: { x: 7 } }"), merge("{ metadata: { y: 8 } }"), None),
        (merge("{ metadata: { x: 7 } }"), replace("/spec/metadata/x", "8"), Some(codes::OVERLAY_CONFLICT)),
    ];
    let app = "appId: demo\ndisplayName: Demo\nmetadata: { x: 1, list: [ 1, 2, 3 ] }\n";
    for (first, second, expected) in pairs {
        let built = pkg(&[&first, &second]).with("app", "App", app).build();
        match expected {
            Some(code) => {
                assert!(built.has(code), "{first} / {second}: {:#?}", built.told(Severity::Error));
                assert!(built.place(code).starts_with("o1.uiap.yaml:"), "{first} / {second}");
                assert!(built.others(code)[0].starts_with("o0.uiap.yaml:"), "{first} / {second}");
                assert_eq!(built.bundle.is_none(), code == codes::OVERLAY_CONFLICT, "{first} / {second}");
            }
            None => assert!(ok(&built).is_object()),
        }
    }
    let values = pkg(&[&replace("/spec/displayName", "A"), &replace("/spec/displayName", "B")]).build();
    let story = values.story(codes::OVERLAY_CONFLICT);
    assert!(story.contains("\"A\"") && story.contains("\"B\""), "{story}");
}

/// Case: AUTH-100
#[test]
fn on_request_the_later_overlay_wins_with_a_warning() {
    let replace =
        |value: &str| format!("manifestId: app, path: /spec/displayName, op: replace, value: {value}");
    let built =
        pkg(&[&replace("A"), &replace("B")]).options(|options| options.last_overlay_wins = true).build();
    assert_eq!(ok(&built)["app"]["displayName"], "B");
    assert!(built.told(Severity::Warning).iter().any(|line| line.contains("UIAP-A110")));
}

/// Requirement: AUTH-5.8-12
/// Case: AUTH-103
/// Case: AUTH-112
#[test]
fn order_matters_for_appends_and_for_nothing_else() {
    let append = |by: &str| {
        format!("manifestId: b, path: /spec/elements/0/match, op: append, value: {{ by: text, text: {by} }}")
    };
    let texts = |first: &str, second: &str| {
        let built = pkg(&[&append(first), &append(second)]).build();
        assert!(built.has(codes::OVERLAY_AGREES));
        ok(&built)["bindings"]["elements"][0]["match"].clone()
    };
    assert_eq!(texts("A", "B")[1]["text"], "A");
    assert_eq!(texts("B", "A")[1]["text"], "B");
    let (one, two) = (
        format!("{UNKNOWN}, value: deny"),
        "manifestId: app, path: /spec/displayName, op: replace, value: X".to_owned(),
    );
    let digest = |a: &str, b: &str| pkg(&[a, b]).build().bundle.unwrap().digest;
    assert_eq!(digest(&one, &two), digest(&two, &one));
}

/// Case: AUTH-106
#[test]
fn two_patches_of_one_overlay_on_one_path() {
    let twice = "manifestId: app, path: /spec/displayName, op: replace, value: A\nmanifestId: app, path: /spec/displayName, op: replace, value: B";
    only_errors(&pkg(&[twice]).build(), &[codes::OVERLAY_CONFLICT]);
    let built_on = "manifestId: app, path: /spec, op: merge, value: { metadata: { x: 1 } }\nmanifestId: app, path: /spec/metadata/x, op: replace, value: 2";
    let built = pkg(&[built_on]).build();
    assert_eq!(ok(&built)["app"]["metadata"]["x"], 2);
    assert!(built.has(codes::OVERLAY_BUILDS_ON));
}

/// Requirement: AUTH-7-06
/// Requirement: AUTH-5.8-01
/// Requirement: AUTH-5.8-02
/// Case: AUTH-086
/// Case: AUTH-087
/// Case: AUTH-088
/// Case: AUTH-089
/// Case: AUTH-154
#[test]
fn a_selector_fits_when_every_list_covers_the_context() {
    let app = "appId: demo\ndisplayName: Demo\nenvironments: [ { id: prod } ]\nprincipalProfiles: [ { id: admin } ]\n";
    let with = |selector: &str| {
        let overlay = format!(
            "selector: {selector}\npatches: [ {{ manifestId: app, path: /spec/displayName, op: replace, value: Changed }} ]"
        );
        Pkg::new()
            .with("app", "App", app)
            .with("o", "Overlay", &overlay)
            .context(|context| {
                context.environment = Some("prod".into());
                context.locale = Some("de-CH".into());
                context.principal_profile = Some("admin".into());
                context.app_version = Some("1.4.0".into());
            })
            .channel("canary")
    };
    let name = |selector: &str| ok(&with(selector).build())["app"]["displayName"].clone();
    for fits in [
        "{}",
        "{ environments: [prod] }",
        "{ channels: [dev, canary] }",
        "{ locales: [de] }",
        "{ locales: [de-CH] }",
        "{ principalProfiles: [admin] }",
        "{ appVersionRanges: [\"^1.2.0\"] }",
        "{ environments: [prod], channels: [canary] }",
    ] {
        assert_eq!(name(fits), "Changed", "{fits}");
    }
    for other in [
        "{ environments: [dev] }",
        "{ channels: [prod] }",
        "{ locales: [en] }",
        "{ tenantIds: [acme] }",
        "{ appVersionRanges: [\"^2.0.0\"] }",
        "{ environments: [prod], channels: [prod] }",
        "{ channels: [] }",
    ] {
        assert_eq!(name(other), "Demo", "{other}");
        assert!(with(other).build().has(codes::OVERLAY_SKIPPED));
    }
    assert!(with("{ channels: [] }").build().has(codes::SELECTOR_NEVER_FITS));
    assert!(with("{ environments: [stagin] }").build().has(codes::SELECTOR_UNKNOWN_NAME));
    assert!(with("{ principalProfiles: [root] }").build().has(codes::SELECTOR_UNKNOWN_NAME));
    assert!(with("{ channels: [production] }").build().has(codes::UNKNOWN_VALUE));
    assert!(with("{ appVersionRanges: [new] }").build().has(codes::BAD_RANGE));
    assert!(with("{ moon: [full] }").build().has(codes::UNKNOWN_MEMBER));
}

/// Case: AUTH-109
/// Case: AUTH-110
#[test]
fn what_an_overlay_breaks_is_shown_in_the_overlay() {
    let broken =
        pkg(&["manifestId: b, path: /spec/elements/0, op: merge, value: { risk: harmless }"]).build();
    assert!(broken.place(codes::UNKNOWN_VALUE).starts_with("o0.uiap.yaml:8:"));
    assert_eq!(broken.quoted(codes::UNKNOWN_VALUE), "harmless");
    let dangling =
        pkg(&["manifestId: b, path: /spec/elements/0, op: merge, value: { scopeId: nowhere }"]).build();
    assert!(dangling.place(codes::UNKNOWN_REFERENCE).starts_with("o0.uiap.yaml:"));
    let lost = ELEMENT.replace("match:", "scopeId: nowhere, match:");
    assert!(pkg(&[]).with("b", "Bindings", &lost).build().has(codes::UNKNOWN_REFERENCE));
    let repaired =
        pkg(&["manifestId: b, path: /spec/elements/0/scopeId, op: remove"]).with("b", "Bindings", &lost);
    ok(&repaired.build());
}

/// Requirement: AUTH-5.6-05
/// Requirement: AUTH-5.6-06
/// Case: AUTH-111
#[test]
fn an_overlay_does_not_change_a_workflow_unseen() {
    let upsert = |version: &str| {
        let changed = definition("w.one", version)
            .replace("type: instruction, text: Hello", "type: handoff, reason: r");
        format!(
            "manifestId: w, path: /spec/workflows, op: upsert, matchKey: definition.id, value: {{ definition: {changed} }}"
        )
    };
    let silent = pkg(&[&upsert("0.1.0")]).build();
    only_errors(&silent, &[codes::SILENT_REINTERPRETATION]);
    assert!(silent.others(codes::SILENT_REINTERPRETATION)[0].starts_with("w.uiap.yaml:"));
    let open = pkg(&[&upsert("0.2.0")]).build();
    assert_eq!(ok(&open)["workflows"][0]["version"], "0.2.0");
    assert!(open.report.patches.iter().any(|patch| patch.overlay == "o0"));
    let modes =
        "manifestId: w, path: /spec/workflows/0/definition/interactionModes, op: replace, value: [guide]";
    assert_eq!(ok(&pkg(&[modes]).build())["workflows"][0]["interactionModes"], serde_json::json!(["guide"]));
}

#[test]
fn many_patches_do_not_take_longer_than_they_are_many() {
    let elements: String = (0..2_000)
        .map(|index| format!("  - {{ id: e{index}, match: [ {{ by: text, text: T }} ] }}\n"))
        .collect();
    let mut pkg = Pkg::new().with("b", "Bindings", &format!("elements:\n{elements}"));
    for overlay in 0..20 {
        let patches: String = (0..100)
            .map(|index| {
                let at = overlay * 100 + index;
                format!("  - {{ manifestId: b, path: /spec/elements, op: upsert, matchKey: id, value: {{ id: e{at}, role: button, match: [ {{ by: text, text: U }} ] }} }}\n")
            })
            .collect();
        pkg = pkg.with(&format!("o{overlay}"), "Overlay", &format!("selector: {{}}\npatches:\n{patches}"));
    }
    let built = pkg.build();
    let json = ok(&built);
    let elements = json["bindings"]["elements"].as_array().unwrap();
    assert_eq!(elements.len(), 2_000);
    assert!(elements.iter().all(|element| element["role"] == "button"));
}

/// Case: AUTH-113
#[test]
fn many_overlays_with_many_patches_cost_what_they_change() {
    let elements: String = (0..10_000)
        .map(|index| format!("  - {{ id: e{index}, risk: safe, match: [ {{ by: text, text: T }} ] }}\n"))
        .collect();
    let mut pkg = Pkg::new().with("b", "Bindings", &format!("elements:\n{elements}"));
    for overlay in 0..100 {
        let patches: String = (0..100)
            .map(|patch| {
                let index = overlay * 100 + patch;
                let (path, op, value) = match patch % 2 {
                    0 => (format!("/spec/elements/{index}/risk"), "replace", "confirm".to_owned()),
                    _ => (
                        "/spec/elements".to_owned(),
                        "append",
                        format!("{{ id: n{index}, match: [ {{ by: text, text: T }} ] }}"),
                    ),
                };
                format!("  - {{ manifestId: b, path: {path}, op: {op}, value: {value} }}\n")
            })
            .collect();
        pkg = pkg.with(&format!("o{overlay}"), "Overlay", &format!("selector: {{}}\npatches:\n{patches}"));
    }
    let start = Stopwatch::start();
    let built = pkg.build();
    // A list of 10,000 that is searched for each of 10,000 patches takes minutes without optimisation.
    assert!(start.elapsed().as_secs() < 15, "{:?}", start.elapsed());
    let json = ok(&built);
    let list = json["bindings"]["elements"].as_array().unwrap();
    assert_eq!(list.len(), 15_000);
    assert_eq!(list.iter().filter(|element| element["risk"] == "confirm").count(), 5_000);
}
