//! `uiap act` and `uiap trace`: one thing done, and proof of it.

use serde_json::Value;

use crate::support::uiap;
use crate::web::Demo;

#[test]
fn what_was_seen_to_work_ends_well_and_its_trace_holds_together() {
    let demo = Demo::start();
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("team.jsonl");
    let trace = trace.to_str().unwrap();
    let run = uiap(&[
        "act",
        &demo.at("/videos"),
        "click",
        "--target",
        "link \"Team\"",
        "--expect",
        "route:/team",
        "--trace",
        trace,
    ]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("verdict: verified") && run.out.contains("→ SUCCEEDED"), "{}", run.out);
    let told = uiap(&["trace", trace]);
    assert_eq!(told.code, 0, "{}", told.err);
    assert!(told.out.contains("found link \"Team\" by semantic"), "{}", told.out);
    // A trace whose verdict does not follow from what was seen is found out.
    let text = std::fs::read_to_string(trace).unwrap();
    std::fs::write(trace, text.replace("\"passed\":true", "\"passed\":false")).unwrap();
    let forged = uiap(&["trace", trace]);
    assert_eq!(forged.code, 1, "{}", forged.out);
    assert!(forged.err.contains("does not hold together"), "{}", forged.err);
}

#[test]
fn what_was_not_seen_to_work_is_told_with_what_was_missing() {
    let demo = Demo::start();
    let run = uiap(&[
        "--json",
        "act",
        &demo.at("/videos"),
        "click",
        "--target",
        "link \"Team\"",
        "--expect",
        "route:/billing",
        "--within",
        "600",
    ]);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    let result: Value = run.json();
    assert_eq!(result["status"], "failed");
    assert_eq!(result["error"]["code"], "verification_failed");
    assert_eq!(result["error"]["detail"]["failureClass"], "unexpected_state_delta");
    assert_eq!(result["verification"]["missing"][0]["kind"], "route.changed");
    assert_eq!(result["sideEffectState"], "unknown");
}

#[test]
fn two_that_fit_are_listed_so_that_one_can_be_asked_for() {
    let demo = Demo::start();
    let run = uiap(&["act", &demo.at("/videos"), "click", "--target", "link \"New video\""]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.err.contains("target_ambiguous"), "{}", run.err);
    assert!(run.err.matches("--scope '").count() >= 2, "{}", run.err);
}

#[test]
fn what_a_person_must_agree_to_is_not_done_without_one() {
    let demo = Demo::start();
    let run = uiap(&[
        "--json",
        "act",
        &demo.at("/settings"),
        "click",
        "--target",
        "#settings.save",
        "--scope",
        "settings.profile.form",
    ]);
    let result: Value = run.json();
    assert_eq!(result["status"], "cancelled", "{result}");
    assert_eq!(result["error"]["code"], "confirmation_denied");
    assert_eq!(result["sideEffectState"], "none");
    let blocked = uiap(&["act", &demo.at("/billing"), "billing.cancelPlan"]);
    assert_eq!(blocked.code, 1, "{}", blocked.err);
    assert!(blocked.err.contains("policy_denied"), "{}", blocked.err);
}

#[test]
fn a_policy_that_cannot_be_read_lets_nothing_happen() {
    let demo = Demo::start();
    let folder = tempfile::tempdir().unwrap();
    let policy = folder.path().join("policy.yaml");
    std::fs::write(&policy, "rules: [").unwrap();
    let run = uiap(&[
        "act",
        &demo.at("/videos"),
        "click",
        "--target",
        "link \"Team\"",
        "--policy",
        policy.to_str().unwrap(),
    ]);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert!(run.out.contains("policy.yaml:1:"), "{}{}", run.out, run.err);
}

#[test]
fn an_order_that_makes_no_sense_is_refused_before_a_browser_starts() {
    for wrong in [
        vec!["click", "--target", "knob \"X\""],
        vec!["click", "--text", "x"],
        vec!["click", "--expect", "luck"],
        vec!["click", "--arg", "novalue"],
        vec!["click", "--arg", "n:={"],
    ] {
        let mut args = vec!["act", "http://127.0.0.1:9/"];
        args.extend(wrong.iter());
        let run = uiap(&args);
        assert_eq!(run.code, 2, "{wrong:?}: {}", run.err);
        assert!(run.err.contains("uiap help act"), "{wrong:?}: {}", run.err);
    }
}

/// What is forbidden is an outcome, what is malformed is a fault of whoever asks; programs are told both as JSON.
#[test]
fn a_refusal_is_told_to_programs_too() {
    let demo = Demo::start();
    let url = demo.at("/billing");
    let run = uiap(&["--json", "act", &url, "billing.cancelPlan"]);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    let told: Value = run.json();
    assert_eq!(told["error"]["code"], "policy_denied", "{told}");
    assert_eq!(told["status"], "refused", "{told}");
    let run = uiap(&["--json", "act", &url, "no.such.action"]);
    assert_eq!(run.code, 2, "{}{}", run.out, run.err);
    assert_eq!(run.json()["error"]["code"], "action_unsupported");
    assert_eq!(run.json()["status"], "refused");
}

/// The page may lead anywhere; what is not public stays out of reach of a page that is, and a chain tells what was decided.
#[test]
fn one_action_is_gated_and_audited_too() {
    let demo = Demo::start();
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit.jsonl");
    let audit = audit.to_str().unwrap();
    for (to, code) in [("http://169.254.169.254/latest/meta-data", 1), ("file:///etc/hostname", 1)] {
        let run = uiap(&["--json", "act", &demo.at("/"), "navigate", "--text", to, "--audit", audit]);
        assert_eq!(run.code, code, "{}{}", run.out, run.err);
        assert_eq!(run.json()["error"]["code"], "policy_denied", "{to}: {}", run.out);
    }
    let run = uiap(&["act", &demo.at("/"), "click", "--target", "link \"Team\"", "--audit", audit]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let verified = uiap(&["audit", "verify", audit]);
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
    assert!(std::fs::read_to_string(audit).unwrap().lines().count() >= 2);
}

#[test]
fn a_trace_goes_to_a_collector_too() {
    let demo = Demo::start();
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("team.jsonl");
    let trace = trace.to_str().unwrap();
    let run = uiap(&["act", &demo.at("/videos"), "click", "--target", "link \"Team\"", "--trace", trace]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let spans: Value = uiap(&["trace", trace, "--format", "otlp"]).json();
    let first = &spans["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
    assert_eq!(first["traceId"].as_str().map(str::len), Some(32), "{spans}");
    let lines = uiap(&["trace", trace, "--format", "jsonl"]);
    assert_eq!(lines.out, std::fs::read_to_string(trace).unwrap());
    std::fs::write(trace, "").unwrap();
    let empty = uiap(&["trace", trace]);
    assert_eq!(empty.code, 1);
    assert!(empty.err.contains("is empty"), "{}", empty.err);
}

#[test]
fn a_route_of_the_contract_is_gone_to_by_its_id() {
    let demo = Demo::start();
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("videoland.json");
    let bundle = bundle.to_str().unwrap();
    // A copy: a build writes down what it was made of.
    let package = crate::package::videoland(&folder);
    let registry = crate::package::registry();
    let built = uiap(&["build", package.to_str().unwrap(), "--registry", &registry, "--out", bundle]);
    assert_eq!(built.code, 0, "{}{}", built.out, built.err);
    let go = |route: &str| {
        let path = format!("path={route}");
        uiap(&[
            "--json",
            "act",
            &demo.at("/videos"),
            "navigate",
            "--arg",
            &path,
            "--bundle",
            bundle,
            "--expect",
            "route:/team",
        ])
    };
    let run = go("team");
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert_eq!(go("nowhere").json()["error"]["code"], "target_not_found");
}
