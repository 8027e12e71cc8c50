//! Step 10: the gates of a channel.

use uiap_authoring::diagnostic::{Severity, codes};
use uiap_authoring::instant::Instant;
use uiap_authoring::release::BundleError;

use crate::support::{APP, ELEMENT, Look, PUBLISH, Pkg, action, definition, ok, only_errors, workflow};

fn pkg(state: &str) -> Pkg {
    let metadata = if state.is_empty() { String::new() } else { format!("reviewState: {state}") };
    Pkg::empty()
        .with_metadata("app", "App", "reviewState: approved", APP)
        .with_metadata("b", "Bindings", &metadata, ELEMENT)
        .spec(PUBLISH)
}

fn review(pkg: Pkg, decisions: &str, waivers: &str) -> Pkg {
    pkg.with("r", "ReviewSet", &format!("decisions: [ {decisions} ]\nwaivers: [ {waivers} ]"))
}

fn decision(target: &str, state: &str, at: &str) -> String {
    format!("{{ target: {{ {target} }}, state: {state}, by: ann, at: \"{at}\" }}")
}

/// Requirement: AUTH-9-04
/// Requirement: AUTH-13-06
/// Requirement: AUTH-3.1-07
/// Case: AUTH-124
/// Case: AUTH-126
/// Case: AUTH-137
#[test]
fn a_channel_takes_content_at_or_above_its_state() {
    let table = [
        ("draft", [true, false, false]),
        ("generated", [true, false, false]),
        ("", [true, false, false]),
        ("in_review", [true, true, false]),
        ("approved", [true, true, true]),
        ("rejected", [false, false, false]),
        ("deprecated", [false, false, false]),
    ];
    for (state, expected) in table {
        for (channel, passes) in ["dev", "staging", "prod"].into_iter().zip(expected) {
            let built = pkg(state).channel(channel).build();
            assert_eq!(
                built.bundle.is_some(),
                passes,
                "{state} in {channel}: {:#?}",
                built.told(Severity::Error)
            );
            assert_eq!(built.report.gates.as_ref().unwrap().passed, passes);
            if !passes {
                assert_eq!(built.report.gates.as_ref().unwrap().failures[0].manifest_id, "b");
            }
        }
    }
}

/// Requirement: AUTH-5.9-07
/// Requirement: AUTH-12-06
/// Requirement: AUTH-7-11
/// Requirement: AUTH-9-11
#[test]
fn decision_and_requirement_each_decide() {
    let undecided = pkg("in_review").channel("prod");
    only_errors(&undecided.build(), &[codes::GATE_FAILED]);
    let approved =
        review(undecided.clone(), &decision("manifestId: b", "approved", "2026-01-01T00:00:00Z"), "");
    ok(&approved.build());
    ok(&undecided.channel("staging").build());
}

/// Case: AUTH-125
/// Requirement: AUTH-7.1-09
/// Requirement: AUTH-5.9-04
#[test]
fn an_approved_item_passes_and_its_neighbours_do_not() {
    let two = format!(
        "workflows:\n  - definition: {}\n  - definition: {}\n",
        definition("w.one", "0.1.0"),
        definition("w.two", "0.1.0")
    );
    let base =
        pkg("approved").with_metadata("w", "WorkflowCatalog", "reviewState: in_review", &two).channel("prod");
    let item =
        |id: &str| decision(&format!("manifestId: w, itemId: {id}"), "approved", "2026-01-01T00:00:00Z");
    let one = review(base.clone(), &item("w.one"), "").build();
    only_errors(&one, &[codes::GATE_FAILED]);
    ok(&review(base.clone(), &format!("{}, {}", item("w.one"), item("w.two")), "").build());
    let path = decision("manifestId: w, path: /spec/workflows/0", "approved", "2026-01-01T00:00:00Z");
    ok(&review(base, &format!("{path}, {}", item("w.two")), "").build());
}

fn waiver(expires: &str) -> String {
    let expires = if expires.is_empty() { String::new() } else { format!(", expiresAt: \"{expires}\"") };
    format!(
        "{{ target: {{ manifestId: b }}, reason: pilot, by: ann, at: \"2026-05-01T00:00:00Z\"{expires} }}"
    )
}

/// Requirement: AUTH-9-05
/// Requirement: AUTH-5.9-03
/// Requirement: AUTH-5.9-06
/// Case: AUTH-130
/// Case: AUTH-131
/// Case: AUTH-132
/// Case: AUTH-133
/// Case: AUTH-134
#[test]
fn a_waiver_counts_where_it_is_allowed_and_until_it_ends() {
    let on =
        |state: &str, channel: &str, waiver: &str| review(pkg(state), "", waiver).channel(channel).build();
    let good = on("draft", "staging", &waiver("2026-07-01T00:00:00Z"));
    ok(&good);
    assert!(good.has(codes::WAIVER_USED));
    let prod = on("draft", "prod", &waiver("2026-07-01T00:00:00Z"));
    assert!(prod.story(codes::GATE_FAILED).contains("does not allow the waiver \"pilot\""));
    for end in ["2026-05-31T23:59:59Z", "2026-06-01T00:00:00Z"] {
        let expired = on("draft", "staging", &waiver(end));
        assert!(expired.story(codes::GATE_FAILED).contains("has expired"), "{end}");
    }
    ok(&on("draft", "staging", &waiver("2026-06-01T00:00:01Z")));
    let endless = on("draft", "staging", &waiver(""));
    ok(&endless);
    assert!(endless.has(codes::LONG_WAIVER));
    assert!(on("draft", "staging", &waiver("2027-05-01T00:00:00Z")).has(codes::LONG_WAIVER));
    assert!(on("draft", "staging", &waiver("2026-04-01T00:00:00Z")).has(codes::BAD_WAIVER));
    assert!(
        on("draft", "staging", &waiver("").replace("reason: pilot", "reason: \"\"")).has(codes::BAD_WAIVER)
    );
    assert!(on("draft", "staging", &waiver("").replace("reason: pilot, ", "")).has(codes::MISSING_MEMBER));
    let rejected = on("rejected", "staging", &waiver("2026-07-01T00:00:00Z"));
    assert!(rejected.story(codes::GATE_FAILED).contains("does not lift a rejection"));
}

/// Requirement: AUTH-5.9-06
#[test]
fn the_clock_is_handed_in_and_the_bytes_do_not_depend_on_it() {
    let at = |now: &str| {
        review(pkg("draft"), "", &waiver("2026-07-01T00:00:00Z"))
            .options(|options| options.now = Instant::parse(now))
    };
    let (early, later) = (at("2026-06-01T00:00:00Z").build(), at("2026-06-20T00:00:00Z").build());
    assert_eq!(early.bundle.unwrap(), later.bundle.unwrap());
    only_errors(&at("2026-08-01T00:00:00Z").build(), &[codes::GATE_FAILED]);
}

/// Requirement: AUTH-9-06
/// Requirement: AUTH-5.6-04
/// Case: AUTH-135
#[test]
fn what_only_machines_made_needs_an_approval() {
    let generated =
        pkg("approved").with_metadata("b", "Bindings", "reviewState: approved\nsource: generated", ELEMENT);
    let failed = generated.clone().channel("prod").build();
    only_errors(&failed, &[codes::GATE_FAILED]);
    assert!(failed.story(codes::GATE_FAILED).contains("no human origin"));
    let decided =
        review(generated.clone(), &decision("manifestId: b", "approved", "2026-01-01T00:00:00Z"), "");
    ok(&decided.channel("prod").build());
    ok(&generated.channel("staging").build());
    let status = "reviewState: approved\n---status\nprovenance: [ { source: discovery, ref: run_1 } ]";
    let found = pkg("approved").with_metadata("b", "Bindings", status, ELEMENT).channel("prod");
    only_errors(&found.build(), &[codes::GATE_FAILED]);
    let manual = status.replace("} ]", "}, { source: manual } ]");
    ok(&pkg("approved").with_metadata("b", "Bindings", &manual, ELEMENT).channel("prod").build());
    let marked = workflow("w.one").replace(
        "- definition",
        "- review: { level: approved, generatedFromDiscovery: true }\n    definition",
    );
    let flow = pkg("approved")
        .with_metadata("w", "WorkflowCatalog", "reviewState: approved", &marked)
        .channel("prod");
    only_errors(&flow.build(), &[codes::GATE_FAILED]);
    ok(&review(flow, &decision("manifestId: w, itemId: w.one", "approved", "2026-01-01T00:00:00Z"), "")
        .build());
}

/// Requirement: AUTH-9-07
/// Case: AUTH-136
#[test]
fn a_bundle_for_production_carries_its_digest() {
    let built = pkg("approved").channel("prod").build();
    let bundle = built.bundle.unwrap();
    uiap_authoring::release::verify_bundle(&bundle.bytes).unwrap();
    let text = String::from_utf8(bundle.bytes).unwrap();
    let refused = |text: &str| uiap_authoring::release::verify_bundle(text.as_bytes()).unwrap_err();
    assert!(matches!(refused(&text.replace("Demo", "Evil")), BundleError::WrongDigest { .. }));
    let stripped = text.replace(&format!(",\"digest\":\"{}\"", bundle.digest), "");
    assert!(matches!(refused(&stripped), BundleError::NoDigest));
    let other = text.replace(&bundle.digest, &format!("sha256:{}", "0".repeat(64)));
    assert!(matches!(refused(&other), BundleError::WrongDigest { .. }));
}

/// Case: AUTH-139
#[test]
fn the_context_must_fit_the_channel() {
    let publish = "publish: { channels: [ { name: dev, requiredReviewState: draft, selectors: [ { tenantIds: [acme] } ] } ] }";
    let pkg = Pkg::new().spec(publish).channel("dev");
    only_errors(&pkg.build(), &[codes::GATE_FAILED]);
    ok(&pkg.context(|context| context.tenant_id = Some("acme".into())).build());
}

/// Requirement: AUTH-5.4-06
/// Case: AUTH-142
#[test]
fn an_action_without_a_body_does_not_reach_production() {
    let none = action("a.one").replace("{ kind: sdkHandler, ref: app.a.one }", "{ kind: none }");
    let base = pkg("approved").with_metadata(
        "a",
        "Actions",
        "reviewState: approved",
        &format!("actions: [ {none} ]"),
    );
    only_errors(&base.clone().channel("prod").build(), &[codes::GATE_FAILED]);
    ok(&base.channel("staging").build());
}

/// Case: AUTH-140
#[test]
fn an_approval_is_stale_when_the_content_moved_on() {
    let with = |digest: &str| {
        let metadata = format!("reviewState: approved\n---status\ndigest: \"{digest}\"");
        pkg("approved").with_metadata("b", "Bindings", &metadata, ELEMENT)
    };
    let stale = with("sha256:0000").channel("staging").build();
    ok(&stale);
    assert!(stale.has(codes::STALE_APPROVAL));
    only_errors(&with("sha256:0000").channel("prod").build(), &[codes::GATE_FAILED]);
    let note = stale.story(codes::STALE_APPROVAL);
    let now = note.split("now ").nth(1).unwrap().lines().next().unwrap();
    let fresh = with(now).channel("prod").build();
    ok(&fresh);
    assert!(!fresh.has(codes::STALE_APPROVAL));
}

/// Requirement: AUTH-7.1-04
/// Case: AUTH-061
#[test]
fn two_ways_to_match_wait_for_a_person_on_approved_channels() {
    let other = ELEMENT.replace("value: save", "value: store");
    let base = pkg("approved").with_metadata("c", "Bindings", "reviewState: approved", &other);
    let staging = base.clone().channel("staging").build();
    ok(&staging);
    assert!(staging.has(codes::MATCH_CONFLICT));
    only_errors(&base.channel("prod").build(), &[codes::GATE_FAILED]);
}
