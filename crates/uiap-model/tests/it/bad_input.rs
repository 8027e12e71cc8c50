//! Hostile and broken input: a clear error with its place, no panic, no runaway memory.

use proptest::prelude::*;
use uiap_model::core::envelope::Envelope;
use uiap_model::core::limits::Limits;
use uiap_model::core::registry;
use uiap_model::document::{KINDS, detect, validate};
use uiap_model::parse::{INVALID_JSON, UNSAFE_JSON, parse_value};
use uiap_model::problem::Code;
use uiap_model::web::PageGraph;

fn check(text: &[u8], code: Code, line: usize, word: &str) {
    let problem = parse_value(text).unwrap_err();
    assert_eq!(problem.code, code, "{problem}");
    assert_eq!(problem.position.unwrap().line, line, "{problem}");
    assert!(problem.message.contains(word), "{problem}");
}

#[test]
fn broken_text_is_refused_with_its_place() {
    check(b"{\n  \"a\": }", INVALID_JSON, 2, "expected value");
    check(b"{\n \"a\": 1", INVALID_JSON, 2, "ends in the middle");
    check(b"{\"a\": \"\xff\xfe\"}", INVALID_JSON, 1, "UTF-8");
    check(b"{\"a\": \"\x00\"}", INVALID_JSON, 1, "control character");
    check(b"\"\\ud800 \"", INVALID_JSON, 1, "hex escape");
    check(b"\"\\ud800\\u0041\"", INVALID_JSON, 1, "surrogate");
    check(b"{} {}", INVALID_JSON, 1, "trailing");
    check(b"{\n\"a\": 1,\n\"a\": 2}", UNSAFE_JSON, 3, "duplicate member `a`");
    check(b"[\n9007199254740993]", UNSAFE_JSON, 2, "2^53");
    check(b"[\n123456789012345678901234567890]", UNSAFE_JSON, 2, "2^53");
    check(b"[1e400]", INVALID_JSON, 1, "out of range");
    assert!(parse_value(b"9007199254740991").is_ok());
}

#[test]
fn nesting_is_limited() {
    for depth in [128, 100_000] {
        let text = "[".repeat(depth) + &"]".repeat(depth);
        let problem = parse_value(text.as_bytes()).unwrap_err();
        assert!(problem.message.contains("128"), "{problem}");
    }
    let text = "[".repeat(127) + &"]".repeat(127);
    assert!(parse_value(text.as_bytes()).is_ok());
}

#[test]
fn every_fault_is_reported_in_one_run() {
    let text = br#"{ "uiap": "0.1.0", "kind": "reqest", "type": "A", "id": "", "ts": "now", "source": { "role": "agnt" } }"#;
    let problems = uiap_model::parse::<Envelope>(text).unwrap_err();
    let places: Vec<&str> = problems.iter().map(|problem| problem.pointer.as_str()).collect();
    assert_eq!(places, ["/uiap", "/kind", "/type", "/id", "/ts", "/source/role", "/source", ""]);
    assert!(problems[1].help.as_ref().unwrap().contains("`request`"));
    assert!(problems[5].help.as_ref().unwrap().contains("`agent`"));
}

#[test]
fn duplicate_members_are_refused_by_the_fast_path_too() {
    let text = br#"{ "modelVersion": "0.1", "modelVersion": "0.1" }"#;
    let problems = uiap_model::parse::<PageGraph>(text).unwrap_err();
    assert!(problems[0].message.contains("duplicate"), "{problems:?}");
    let inside = br#"{ "scheme": "x", "detail": { "a": 1, "a": 2 } }"#;
    assert!(uiap_model::parse::<uiap_model::core::Auth>(inside).is_err());
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::{Map, Value};
    let words = prop::sample::select(vec![
        "uiap",
        "kind",
        "type",
        "id",
        "payload",
        "roles",
        "actions",
        "request",
        "route.changed",
        "0.1",
        "x.a.b",
        "by",
        "stableId",
        "value",
        "documents",
        "steps",
        "spec",
        "metadata",
        "apiVersion",
        "Package",
        "op",
        "state",
        "",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1_000_000i64..1_000_000).prop_map(Value::from),
        any::<f32>()
            .prop_filter("finite", |number| number.is_finite() && number.abs() < 1e15)
            .prop_map(Value::from),
        words.clone().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        let key = prop_oneof![words.clone().prop_map(str::to_owned), ".{0,6}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((key, inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = registry::read(&bytes, Limits::default());
        let _ = uiap_model::parse::<PageGraph>(&bytes);
    }

    #[test]
    fn arbitrary_documents_never_panic_as_any_kind(value in any_json()) {
        let _ = detect(&value);
        for kind in KINDS {
            let _ = validate(&value, kind);
        }
        let _ = registry::read_value(&value);
    }
}
