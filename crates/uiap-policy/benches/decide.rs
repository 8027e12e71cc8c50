//! How long a decision takes with 1,000 rules, and how long compiling them takes.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that meets something unexpected shall stop"
)]

use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use uiap_model::authoring::BuildContext;
use uiap_model::policy::PolicyRequest;
use uiap_policy::{Policies, Situation};

const RULES: usize = 1_000;

/// Writes the rule of that number.
type RuleMaker = fn(usize) -> Value;

fn anywhere() -> BuildContext {
    serde_json::from_value(json!({})).unwrap()
}

/// Nine of ten rules name their action, one of twenty a prefix, the rest neither.
fn mixed(number: usize) -> Value {
    let matching = match number % 20 {
        0 => json!({ "sideEffects": ["billing_change"], "routes": ["billing.*"] }),
        1 => json!({ "actions": [format!("area{}.*", number % 50)], "riskLevels": ["confirm"] }),
        _ => {
            json!({ "actions": [format!("area{}.do{}", number % 50, number % 7)], "dataClasses": ["payment"] })
        }
    };
    json!({ "id": format!("rule-{number}"), "match": matching, "effect": "confirm" })
}

/// Rules that name a route and no action.
fn by_route(number: usize) -> Value {
    json!({
        "id": format!("rule-{number}"),
        "match": { "dataClasses": ["payment"], "routes": ["billing.*"] },
        "effect": "deny",
    })
}

/// Rules that name a scope only.
fn by_scope(number: usize) -> Value {
    json!({
        "id": format!("rule-{number}"),
        "match": { "dataClasses": ["payment"], "scopes": [format!("scope{}", number % 100)] },
        "effect": "deny",
    })
}

/// Rules that name an element, a role, a workflow, a person or a person's role.
fn by_name(number: usize) -> Value {
    let name = format!("name{}", number % 200);
    let matching = match number % 5 {
        0 => json!({ "stableIds": [name] }),
        1 => json!({ "roles": [format!("x.acme.{name}")] }),
        2 => json!({ "workflowIds": [name] }),
        3 => json!({ "principal": { "ids": [name] } }),
        _ => json!({ "principal": { "roles": [name] } }),
    };
    json!({ "id": format!("rule-{number}"), "match": matching, "effect": "confirm" })
}

/// Rules that name nothing: words of the vocabularies only.
fn by_words(number: usize) -> Value {
    let sides = ["billing_change", "destructive", "irreversible", "external_effect", "identity_change"];
    let tags = ["billing", "security", "legal", "privileged"];
    let modes = ["appAction", "semanticUi", "externalDriver"];
    let pick = |words: &[&str], by: usize| {
        words.get(number / by % words.len()).copied().unwrap_or_default().to_owned()
    };
    json!({
        "id": format!("rule-{number}"),
        "match": { "sideEffects": [pick(&sides, 1)], "riskTags": [pick(&tags, 5)], "executionModes": [pick(&modes, 20)] },
        "effect": "confirm",
    })
}

fn policies(rule: RuleMaker) -> Policies {
    let rules: Vec<Value> = (0..RULES).map(rule).collect();
    let document = json!({ "modelVersion": "0.1", "id": "app", "defaults": { "onUnknownAction": "confirm" }, "rules": rules });
    Policies::from_values(&[document], &anywhere()).unwrap()
}

fn request() -> PolicyRequest {
    serde_json::from_value(json!({
        "principal": { "type": "agent", "id": "agent", "grants": ["admin", "write.sensitive"] },
        "actionId": "area7.do3", "dataClasses": ["payment"], "routeId": "home", "scopeId": "scope7",
        "sideEffect": "data_write", "workflowId": "checkout", "target": { "by": "stableId", "value": "name5" },
    }))
    .unwrap()
}

/// Single calls, for the tail that a mean hides.
fn percentiles(name: &str, policies: &Policies) {
    let request = request();
    let mut times: Vec<u128> = (0..200_000)
        .map(|_| {
            let start = Instant::now();
            black_box(policies.decide("d-1".into(), black_box(&request), &Situation::default()));
            start.elapsed().as_nanos()
        })
        .collect();
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 1000).copied().unwrap_or_default();
    println!("{name}: p50 {} ns, p99 {} ns, p99.9 {} ns", at(500), at(990), at(999));
}

fn decide(criterion: &mut Criterion) {
    let request = request();
    let kinds: [(&str, RuleMaker); 5] = [
        ("1000 rules", mixed),
        ("1000 rules by route", by_route),
        ("1000 rules by scope", by_scope),
        ("1000 rules by other names", by_name),
        ("1000 rules by words only", by_words),
    ];
    for (name, rule) in kinds {
        let policies = policies(rule);
        percentiles(name, &policies);
        criterion.bench_function(&format!("decide, {name}"), |bencher| {
            bencher.iter(|| policies.decide("d-1".into(), black_box(&request), &Situation::default()));
        });
    }
}

fn compile(criterion: &mut Criterion) {
    let sources = policies(mixed).sources().to_vec();
    criterion.bench_function("compile, 1000 rules", |bencher| {
        bencher.iter(|| Policies::compile(black_box(sources.clone()), &anywhere()).unwrap());
    });
}

criterion_group!(benches, decide, compile);
criterion_main!(benches);
