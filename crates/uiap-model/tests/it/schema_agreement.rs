//! Three judges, one verdict: the inspector, an independent JSON Schema validator, and typed decoding.

use serde_json::Value;
use uiap_model::core::registry::MESSAGES;
use uiap_model::document::KINDS;
use uiap_model::shape::{Shape, Strictness, inspect, schema};

use crate::corpus::{mutations, samples};
use crate::round_trip::{self, RoundTrip};

struct Judges {
    name: &'static str,
    shape: Shape,
    round_trip: RoundTrip,
    wire: jsonschema::Validator,
    authored: jsonschema::Validator,
}

impl Judges {
    fn new(name: &'static str, shape: Shape, round_trip: RoundTrip) -> Self {
        let compile =
            |strictness| jsonschema::validator_for(&schema::document(name, name, shape, strictness)).unwrap();
        Self {
            name,
            shape,
            round_trip,
            wire: compile(Strictness::Wire),
            authored: compile(Strictness::Authored),
        }
    }

    fn agree(&self, value: &Value) -> bool {
        let inspected = inspect(value, self.shape, Strictness::Wire);
        let by_schema = self.wire.is_valid(value);
        let decoded = (self.round_trip)(value);
        assert_eq!(inspected.is_empty(), by_schema, "{}: {value}\n{inspected:#?}", self.name);
        assert_eq!(
            inspected.is_empty(),
            decoded.is_ok(),
            "{}: {value}\n{inspected:#?}\n{decoded:?}",
            self.name
        );
        let strict = inspect(value, self.shape, Strictness::Authored);
        assert_eq!(
            strict.is_empty(),
            self.authored.is_valid(value),
            "{} as authored: {value}\n{strict:#?}",
            self.name
        );
        inspected.is_empty()
    }

    fn try_everything(&self) -> (usize, usize) {
        let (mut good, mut bad) = (0, 0);
        for sample in samples(self.shape) {
            assert!(
                self.agree(&sample),
                "{} {sample}: {:#?}",
                self.name,
                inspect(&sample, self.shape, Strictness::Wire)
            );
            assert_eq!((self.round_trip)(&sample).unwrap(), sample, "{}", self.name);
            for mutation in mutations(&sample) {
                if self.agree(&mutation) { good += 1 } else { bad += 1 }
            }
        }
        (good, bad)
    }
}

#[test]
fn inspector_schema_and_decoder_agree_on_every_kind_of_document() {
    let mut total = (0, 0);
    for kind in KINDS {
        let (good, bad) =
            Judges::new(kind.name, (kind.shape)(), round_trip::of_kind(kind.name)).try_everything();
        total = (total.0 + good, total.1 + bad);
    }
    println!("{} good and {} bad documents judged alike", total.0, total.1);
    assert!(total.0 > 1_000 && total.1 > 10_000, "{total:?}");
}

#[test]
fn inspector_schema_and_decoder_agree_on_every_payload() {
    for spec in MESSAGES {
        Judges::new(spec.name, (spec.payload)(), round_trip::of_message(spec.name)).try_everything();
    }
}

#[test]
fn a_reference_is_text_in_authored_files_only() {
    let reference = serde_json::json!({ "ref": "workflow.title", "fallback": "Title" });
    let shape = <uiap_model::workflow::LocalizedText as uiap_model::Wire>::shape();
    assert!(inspect(&reference, shape, Strictness::Authored).is_empty());
    assert!(!inspect(&reference, shape, Strictness::Wire).is_empty());
}
