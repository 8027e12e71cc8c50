//! What the JSON reader makes of a text, beside `serde_json` as the judge.

use proptest::prelude::*;
use serde_json::Value;
use uiap_authoring::diagnostic::Diagnostic;
use uiap_authoring::source::{Limits, Parsed, SourceFile, parse_source};

fn parse(text: &str) -> Parsed {
    parse_source(&SourceFile::new("t.json", text), &Limits::DEFAULT)
}

fn summary(diagnostic: &Diagnostic) -> String {
    let place = diagnostic.primary.place();
    format!("{} {}", diagnostic.code, place.strip_prefix("t.json:").unwrap_or(&place))
}

fn findings(text: &str) -> Vec<String> {
    parse(text).diagnostics.iter().map(summary).collect()
}

#[test]
fn what_is_json_is_read_as_json() {
    let texts = [
        "null",
        "true",
        " false ",
        "0",
        "-1",
        "1.5",
        "1e3",
        "1E-2",
        "-0.0",
        "\"\"",
        "\"a\\\"\\\\\\/\\b\\f\\n\\r\\tb\"",
        "\"\\u00e9\\ud83d\\ude00\\u0000\"",
        "\"é日👩\"",
        "[]",
        "{}",
        "[1,2,3]",
        "[[],{},[[]]]",
        "{\"a\":1,\"b\":[{\"c\":null}]}",
        "\t{\r\n\"a\"\n:\n1\n}\n",
        "{\"\":\"empty key\"}",
        "9007199254740992",
        "18446744073709549568",
        "1e308",
        "{\"__proto__\":{}}",
        "\"\\u2028\"",
    ];
    for text in texts {
        let expected: Value = serde_json::from_str(text).expect(text);
        let parsed = parse(text);
        assert!(parsed.diagnostics.is_empty(), "{text:?}: {:?}", parsed.diagnostics);
        assert_eq!(parsed.doc.unwrap().root().to_value(), expected, "{text:?}");
    }
    let bom = parse("\u{feff}[1]");
    assert!(bom.diagnostics.is_empty());
}

#[test]
fn what_is_not_json_is_refused_with_code_and_place() {
    let cases = [
        ("", "UIAP-A006 1:1"),
        ("  \n", "UIAP-A006 1:1"),
        ("[1,]", "UIAP-A011 1:3"),
        ("{\"a\":1,}", "UIAP-A011 1:7"),
        ("[1,,2]", "UIAP-A011 1:4"),
        ("[1 2]", "UIAP-A011 1:4"),
        ("{\"a\":1 \"b\":2}", "UIAP-A011 1:8"),
        ("[1] // c", "UIAP-A012 1:5"),
        ("/* c */ [1]", "UIAP-A012 1:1"),
        ("# c\n[1]", "UIAP-A012 1:1"),
        ("[1] [2]", "UIAP-A013 1:5"),
        ("[1]]", "UIAP-A017 1:4"),
        ("\"\\q\"", "UIAP-A014 1:2"),
        ("\"\\u12\"", "UIAP-A014 1:2"),
        ("\"\\ud800\"", "UIAP-A014 1:2"),
        ("\"\\ud800\\u0041\"", "UIAP-A014 1:2"),
        ("\"\\udc00\"", "UIAP-A014 1:2"),
        ("\"a\tb\"", "UIAP-A004 1:3"),
        ("\"a\0b\"", "UIAP-A004 1:3"),
        ("\"abc", "UIAP-A015 1:1"),
        ("01", "UIAP-A016 1:1"),
        ("+1", "UIAP-A016 1:1"),
        (".5", "UIAP-A016 1:1"),
        ("1.", "UIAP-A016 1:1"),
        ("1e", "UIAP-A016 1:1"),
        ("0x10", "UIAP-A016 1:1"),
        ("-", "UIAP-A016 1:1"),
        ("1-1", "UIAP-A016 1:1"),
        ("NaN", "UIAP-A016 1:1"),
        ("Infinity", "UIAP-A016 1:1"),
        ("[1", "UIAP-A017 1:1"),
        ("{\"a\": [1}", "UIAP-A017 1:7"),
        ("{\"a\"", "UIAP-A017 1:1"),
        ("{", "UIAP-A017 1:1"),
        ("True", "UIAP-A010 1:1"),
        ("undefined", "UIAP-A010 1:1"),
        ("tru", "UIAP-A010 1:1"),
        ("'a'", "UIAP-A010 1:1"),
        ("{a: 1}", "UIAP-A010 1:2"),
        ("{1: 2}", "UIAP-A010 1:2"),
        ("{\"a\" 1}", "UIAP-A010 1:6"),
        ("{\"a\"=1}", "UIAP-A010 1:5"),
        ("{,}", "UIAP-A010 1:2"),
        ("[:]", "UIAP-A010 1:2"),
        ("{\"a\":}", "UIAP-A010 1:6"),
    ];
    for (text, expected) in cases {
        let parsed = parse(text);
        assert!(parsed.doc.is_none(), "{text:?}");
        assert!(parsed.diagnostics.iter().all(|d| d.help.is_some()), "{text:?} has no help");
        assert_eq!(parsed.diagnostics.iter().map(summary).collect::<Vec<_>>(), [expected], "{text:?}");
    }
}

/// Case: AUTH-001
/// Case: AUTH-007
#[test]
fn duplicate_keys_and_lossy_numbers_are_errors_in_a_tree_that_stays_usable() {
    let parsed = parse("{\"a\": 1, \"\\u0061\": 2, \"n\": 9007199254740993, \"m\": 1e999}");
    let codes: Vec<String> = parsed.diagnostics.iter().map(summary).collect();
    assert_eq!(codes, ["UIAP-A040 1:10", "UIAP-A041 1:28", "UIAP-A041 1:51"]);
    assert_eq!(parsed.doc.unwrap().root().get("a").unwrap().as_i64(), Some(1));
}

#[test]
fn several_mistakes_are_found_in_one_run() {
    let text = "{\"a\": 'x', b: 0x1F, // c\n \"c\": [1, 2,], \"d\": True \"e\": \"\\q\"}";
    assert_eq!(
        findings(text),
        [
            "UIAP-A010 1:7",
            "UIAP-A010 1:12",
            "UIAP-A016 1:15",
            "UIAP-A012 1:21",
            "UIAP-A011 2:12",
            "UIAP-A010 2:21",
            "UIAP-A011 2:26",
            "UIAP-A014 2:32"
        ]
    );
}

#[test]
fn a_string_that_is_never_closed_spoils_its_line_only() {
    assert_eq!(findings("{\"a\": \"x,\n\"b\": 1,\n\"c\": True}"), ["UIAP-A015 1:7", "UIAP-A010 3:6"]);
}

#[test]
fn repairs_make_the_text_valid() {
    for text in [
        "[1,]",
        "{\"a\":1,}",
        "[1 2]",
        "[True]",
        "['a']",
        "{a: 1}",
        "[0x1F, 007, +5, .5, 5.]",
        "[1] // c",
        "[undefined]",
        "[9007199254740993]",
    ] {
        let mut current = text.to_owned();
        for _ in 0..10 {
            let file = SourceFile::new("t.json", current.as_str());
            let parsed = parse_source(&file, &Limits::DEFAULT);
            let Some(fix) = parsed.diagnostics.iter().find_map(|d| d.fix.clone()) else { break };
            current = fix.apply_to(&file).unwrap();
        }
        assert!(parse(&current).diagnostics.is_empty(), "{text:?} became {current:?}");
    }
}

/// Case: AUTH-010
#[test]
fn nesting_beyond_the_limit_is_refused_without_overflow() {
    assert_eq!(findings(&"[".repeat(100_000)), ["UIAP-A005 1:129"]);
    let nested = format!("{}1{}", "{\"a\":".repeat(128), "}".repeat(128));
    assert!(parse(&nested).doc.is_some());
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-9_007_199_254_740_992_i64..=9_007_199_254_740_992).prop_map(Value::from),
        any::<f64>().prop_filter("JSON numbers are finite", |n| n.is_finite()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 80, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn any_value_comes_back_as_it_went_in(value in value(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let parsed = parse(&text);
        let exact = parsed.diagnostics.iter().all(|d| d.code.to_string() != "UIAP-A041");
        prop_assert!(exact, "{:?}", parsed.diagnostics);
        prop_assert_eq!(parsed.doc.map(|doc| doc.root().to_value()), Some(value));
    }

    #[test]
    fn any_text_gives_a_tree_or_an_error_and_never_a_panic(text in "[ -~\\[\\]{}:,\"\\\\\n0-9eE.+-]{0,40}") {
        let parsed = parse(&text);
        prop_assert!(parsed.doc.is_some() || parsed.diagnostics.has_errors());
        if parsed.doc.is_some() && !parsed.diagnostics.has_errors() {
            prop_assert!(serde_json::from_str::<Value>(&text).is_ok(), "{:?}", text);
        } else if serde_json::from_str::<Value>(&text).is_ok() {
            let known = parsed.diagnostics.iter().all(|d| ["UIAP-A040", "UIAP-A041"].contains(&d.code.to_string().as_str()));
            prop_assert!(known, "{:?}: {:?}", text, parsed.diagnostics);
        }
    }
}
