//! What holds for every document and every question.

use serde_json::{Value, json};

use crate::random::Random;
use crate::support::{compile, decide};

fn questions(seed: u64, mut each: impl FnMut(&mut Random, Vec<Value>)) {
    let mut random = Random(seed);
    for _ in 0..300 {
        let mut documents = vec![random.policy("app")];
        if random.chance(50) {
            documents.push(random.policy("tenant"));
        }
        each(&mut random, documents);
    }
}

/// Requirement: POL-E8-01
#[test]
fn the_order_of_rules_and_documents_never_shows() {
    questions(11, |random, mut documents| {
        let before = compile(&documents).unwrap();
        random.shuffle(&mut documents);
        for document in &mut documents {
            random.shuffle(document["document"]["rules"].as_array_mut().unwrap());
            if let Some(rows) = document["document"].get_mut("grants").and_then(Value::as_array_mut) {
                random.shuffle(rows);
            }
        }
        let after = compile(&documents).unwrap();
        for _ in 0..10 {
            let request = random.request();
            let world = random.world(request.action_id.as_str());
            let mut left = decide(&before, &request, &world);
            let mut right = decide(&after, &request, &world);
            let mut sorted = left.matched_rules.clone();
            sorted.sort_by(|one, other| one.split('/').cmp(other.split('/')));
            assert_eq!(left.matched_rules, sorted);
            // The revision names the text of the documents, which did change.
            (left.policy_revision, right.policy_revision) = (None, None);
            assert_eq!(serde_json::to_string(&left).unwrap(), serde_json::to_string(&right).unwrap());
        }
    });
}

/// Requirement: POL-E8-02
#[test]
fn the_same_question_has_the_same_answer() {
    let mut random = Random(12);
    let policies = compile(&[random.policy("app")]).unwrap();
    let request = random.request();
    let world = random.world(request.action_id.as_str());
    let first = decide(&policies, &request, &world);
    for _ in 0..1_000 {
        assert_eq!(decide(&policies, &request, &world), first);
    }
}

/// Requirement: POL-E5-03
#[test]
fn another_rule_without_override_never_loosens() {
    questions(13, |random, documents| {
        let before = compile(&documents).unwrap();
        let mut more = documents.clone();
        let mut rule = random.rule("added");
        rule["override"] = json!(false);
        more[0]["document"]["rules"].as_array_mut().unwrap().push(rule);
        let after = compile(&more).unwrap();
        for _ in 0..20 {
            let request = random.request();
            let world = random.world(request.action_id.as_str());
            assert!(decide(&after, &request, &world).effect >= decide(&before, &request, &world).effect);
        }
    });
}

/// Requirement: POL-P-08
#[test]
fn an_interaction_mode_never_loosens() {
    questions(14, |random, documents| {
        let policies = compile(&documents).unwrap();
        for _ in 0..10 {
            let mut request = random.request();
            let world = random.world(request.action_id.as_str());
            request.interaction_mode = None;
            let without = decide(&policies, &request, &world).effect;
            for mode in uiap_model::workflow::InteractionMode::ALL {
                request.interaction_mode = Some(*mode);
                assert!(decide(&policies, &request, &world).effect >= without, "{mode}");
            }
        }
    });
}

/// Requirement: POL-E1-03
#[test]
fn nothing_that_an_agent_claims_loosens() {
    questions(15, |random, documents| {
        let policies = compile(&documents).unwrap();
        for _ in 0..20 {
            let claiming = random.request();
            let world = random.world(claiming.action_id.as_str());
            let mut plain = claiming.clone();
            (plain.risk, plain.side_effect, plain.data_classes, plain.target) = (None, None, None, None);
            (plain.route_id, plain.scope_id, plain.workflow_id) = (None, None, None);
            (plain.execution_mode, plain.interaction_mode) = (None, None);
            assert!(decide(&policies, &claiming, &world).effect >= decide(&policies, &plain, &world).effect);
        }
    });
}
