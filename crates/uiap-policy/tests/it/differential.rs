//! Both evaluators on the same random questions.

use serde_json::Value;

use crate::naive::{self, Answer};
use crate::random::Random;
use crate::support::{compile, decide};

/// Questions that each set of documents is asked.
const PER_SET: usize = 50;

/// `UIAP_POLICY_CASES` sets the number of questions; a million is a matter of minutes with `--release`.
#[test]
fn the_naive_evaluator_agrees_on_every_random_question() {
    let cases = std::env::var("UIAP_POLICY_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(8_000);
    let mut random = Random(0x5eed_cafe_f00d_1234);
    let mut effects = std::collections::BTreeMap::new();
    let mut asked = 0;
    while asked < cases {
        let mut documents: Vec<Value> = vec![random.policy("app")];
        if random.chance(40) {
            documents.push(random.policy("tenant"));
        }
        let policies = compile(&documents).unwrap();
        for _ in 0..PER_SET.min(cases - asked) {
            let request = random.request();
            let world = random.world(request.action_id.as_str());
            let decision = decide(&policies, &request, &world);
            let wanted = naive::answer(&documents, &request, &world);
            assert_eq!(
                Answer::from(&decision),
                wanted,
                "question {asked}\ndocuments {}\nrequest {}\ndescriptor {:?}\nbinding {:?}\nelement {:?}",
                serde_json::to_string(&documents).unwrap(),
                serde_json::to_string(&request).unwrap(),
                world.descriptor,
                world.binding,
                world.element,
            );
            *effects.entry(decision.effect).or_insert(0_usize) += 1;
            asked += 1;
        }
    }
    assert!(effects.len() == 4 && effects.values().all(|count| count * 100 > cases), "lopsided: {effects:?}");
    println!("{asked} questions, 0 mismatches, effects {effects:?}");
}
