//! The tree: reading, pointers, places of missing members, and typed decoding.
#![expect(clippy::expect_used, reason = "helpers of tests fail loudly")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use uiap_authoring::source::{
    Limits, Node, NodeKind, Number, SourceDoc, SourceFile, parse_pointer, parse_source, push_token,
};

fn doc(text: &str) -> SourceDoc {
    parse_source(&SourceFile::new("t.yaml", text), &Limits::DEFAULT).doc.expect("a tree")
}

#[test]
fn a_node_tells_what_it_is_and_gives_its_value() {
    let doc = doc("n:\nb: true\ni: -7\nu: 18446744073709549568\nf: 1.50\ns: text\nl: [1, 2]\nm: {a: 1}\n");
    let root = doc.root();
    let get = |key: &str| root.get(key).unwrap();
    assert!(get("n").is_null());
    assert_eq!(get("b").as_bool(), Some(true));
    assert_eq!(get("i").as_i64(), Some(-7));
    assert_eq!(get("i").as_u64(), None);
    assert_eq!(get("u").as_number(), Some(Number::UInt(18_446_744_073_709_549_568)));
    assert_eq!(get("u").kind(), NodeKind::Int);
    assert_eq!((get("f").as_f64(), get("f").raw()), (Some(1.5), "1.50"));
    assert_eq!(get("s").as_str(), Some("text"));
    assert_eq!((get("l").len(), get("m").len(), get("s").len()), (2, 1, 0));
    assert_eq!(get("l").item(1).unwrap().as_i64(), Some(2));
    assert!(get("l").item(2).is_none() && get("m").item(0).is_none() && get("l").get("a").is_none());
    let keys: Vec<&str> = root.entries().map(|(key, _)| key).collect();
    assert_eq!(keys, ["n", "b", "i", "u", "f", "s", "l", "m"]);
    assert_eq!(get("s").entries().count() + get("s").items().count() + get("s").children().count(), 0);
}

#[test]
fn a_handle_is_small_and_a_node_is_half_a_cache_line() {
    let doc = doc(&"- a\n".repeat(1000));
    assert!(size_of_val(&doc.root()) <= 16);
    assert_eq!(doc.node_count(), 1001);
    assert!(doc.heap_size() < 1001 * 32 * 2 + 8192, "{}", doc.heap_size());
}

#[test]
fn pointers_lead_to_nodes_and_back() {
    let doc = doc("a/b:\n  - x\n  - c~d: {'': deep}\n'': top\n");
    for (pointer, value) in [
        ("", None),
        ("/a~1b", None),
        ("/a~1b/0", Some("x")),
        ("/a~1b/1/c~0d/", Some("deep")),
        ("/", Some("top")),
    ] {
        let node = doc.pointer(pointer).unwrap();
        assert_eq!(node.as_str(), value, "{pointer}");
        assert_eq!(node.to_pointer(), pointer);
    }
    for pointer in ["/x", "/a~1b/2", "/a~1b/01", "/a~1b/-", "/a~1b/+1", "a", "/a~2b", "/a~", "/a~1b/0/x"] {
        assert!(doc.pointer(pointer).is_none(), "{pointer}");
    }
    assert_eq!(parse_pointer("/a~1b/~01"), Some(vec!["a/b".to_owned(), "~1".to_owned()]));
    let mut built = String::new();
    push_token(&mut built, "~/");
    assert_eq!(built, "/~0~1");
}

#[test]
fn a_member_that_is_missing_is_located_at_its_nearest_ancestor() {
    let doc = doc("spec:\n  elements:\n    - id: a\n      role: button\n");
    let exact = doc.locate("/spec/elements/0/role").unwrap();
    assert!(exact.exact);
    assert_eq!(doc.file().slice(exact.value_span), "button");
    assert_eq!(doc.file().slice(exact.key_span.unwrap()), "role");
    let missing = doc.locate("/spec/elements/0/match/0/by").unwrap();
    assert!(!missing.exact);
    assert_eq!(doc.file().slice(missing.value_span), "id: a\n      role: button");
    assert_eq!(missing.key_span, None);
    let elements = doc.locate("/spec/elements/7").unwrap();
    assert_eq!(doc.file().slice(elements.focus()), "elements");
    assert!(!doc.locate("/nothing").unwrap().exact);
    assert!(doc.locate("no slash").is_none());
}

#[test]
fn members_of_large_containers_are_found_by_key_and_position() {
    let mut text = String::from("list:\n");
    (0..1000).for_each(|n| text.extend([format!("  - {{id: e{n}, n: {n}}}\n")]));
    text.push_str("map:\n");
    (0..1000).rev().for_each(|n| text.extend([format!("  k{n}: {n}\n")]));
    let doc = doc(&text);
    for n in [0, 1, 31, 32, 500, 999] {
        let item = doc.pointer(&format!("/list/{n}/n")).unwrap();
        assert_eq!(item.as_i64(), Some(n));
        assert_eq!(item.to_pointer(), format!("/list/{n}/n"));
        let member = doc.pointer(&format!("/map/k{n}")).unwrap();
        assert_eq!(member.as_i64(), Some(n));
        assert_eq!(member.to_pointer(), format!("/map/k{n}"));
    }
    assert!(doc.pointer("/map/k1000").is_none() && doc.pointer("/list/1000").is_none());
    let first = doc.root().get("map").unwrap().entries().next().unwrap();
    assert_eq!(first.0, "k999", "entries keep the order of the text");
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
struct Element<'a> {
    id: &'a str,
    scope_id: Option<String>,
    #[serde(default)]
    route_ids: Vec<String>,
    #[serde(rename = "match")]
    matchers: Vec<Matcher>,
    risk: Risk,
    weight: f32,
    size: (u8, i64),
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(tag = "by", rename_all = "camelCase")]
enum Matcher {
    Annotation { attr: String, value: String },
    Label { text: String },
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
enum Risk {
    Safe,
    Confirm(String),
    Blocked { reason: String },
    Range(u8, u8),
}

#[derive(Debug, Deserialize, PartialEq)]
struct Wrapper(Option<u64>);

#[test]
fn typed_structs_decode_from_the_tree() {
    let doc = doc(
        "id: el\nscopeId: ~\nmatch:\n  - {by: annotation, attr: data-id, value: el}\n  - {by: label, text: Save}\nrisk: safe\nweight: 2\nsize: [1, -2]\nextra: {a: [null, 1.5]}\n",
    );
    let element: Element<'_> = doc.decode().unwrap();
    assert_eq!(
        element,
        Element {
            id: "el",
            scope_id: None,
            route_ids: vec![],
            matchers: vec![
                Matcher::Annotation { attr: "data-id".to_owned(), value: "el".to_owned() },
                Matcher::Label { text: "Save".to_owned() }
            ],
            risk: Risk::Safe,
            weight: 2.0,
            size: (1, -2),
            rest: BTreeMap::from([("extra".to_owned(), json!({ "a": [null, 1.5] }))]),
        }
    );
}

#[test]
fn enums_options_and_newtypes_decode_as_from_a_json_value() {
    for text in ["safe", "{confirm: why}", "{blocked: {reason: no}}", "{range: [1, 2]}", "{safe: null}"] {
        let doc = doc(text);
        let ours: Risk = doc.decode().unwrap();
        let theirs: Risk = serde_json::from_value(doc.root().to_value()).unwrap();
        assert_eq!(ours, theirs, "{text}");
    }
    assert_eq!(doc("5").decode::<Wrapper>().unwrap(), Wrapper(Some(5)));
    assert_eq!(doc("~").decode::<Wrapper>().unwrap(), Wrapper(None));
    assert_eq!(doc("{1: a, 2: b}").decode::<BTreeMap<u8, String>>().unwrap().len(), 2);
    let () = doc("null").decode().unwrap();
    assert_eq!(doc("x").decode::<char>().unwrap(), 'x');
}

#[test]
fn a_value_that_does_not_fit_is_named_with_its_pointer_and_place() {
    let cases = [
        ("id: el\nmatch: []\nrisk: safe\nweight: heavy\nsize: [1, 2]\n", "/weight", "heavy"),
        ("id: 5\nmatch: []\nrisk: safe\nweight: 1\nsize: [1, 2]\n", "/id", "5"),
        ("id: a\nmatch: [{by: label}]\nrisk: safe\nweight: 1\nsize: [1, 2]\n", "/match/0", "{by: label}"),
        ("id: a\nmatch: []\nrisk: dangerous\nweight: 1\nsize: [1, 2]\n", "/risk", "dangerous"),
        ("id: a\nmatch: []\nrisk: safe\nweight: 1\nsize: [1, 2, 3]\n", "/size", "[1, 2, 3]"),
        ("id: a\nmatch: []\nrisk: safe\nweight: 1\nsize: [300, 2]\n", "/size/0", "300"),
    ];
    for (text, pointer, raw) in cases {
        // Without the flattened rest, which buffers members and loses their places.
        #[derive(Debug, Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Strict {
            #[expect(dead_code, reason = "only decoded")]
            id: String,
            #[expect(dead_code, reason = "only decoded")]
            #[serde(rename = "match")]
            matchers: Vec<Matcher>,
            #[expect(dead_code, reason = "only decoded")]
            risk: Risk,
            #[expect(dead_code, reason = "only decoded")]
            weight: f32,
            #[expect(dead_code, reason = "only decoded")]
            size: (u8, i64),
        }
        let doc = doc(text);
        let error = doc.decode::<Strict>().unwrap_err();
        assert_eq!(error.pointer(), pointer, "{text:?}: {error}");
        assert_eq!(doc.file().slice(error.span()), raw, "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    /// Decoding into a `Value` goes through the deserializer, `to_value` does not.
    #[test]
    fn decoding_and_converting_agree(members in prop::collection::vec(("[a-z]{1,6}", -1000_i64..1000, ".{0,6}"), 0..60)) {
        let list: Vec<Value> = members.iter().map(|(key, n, text)| json!({ key: [n, text, f64::from(i32::try_from(*n).unwrap()) / 8.0] })).collect();
        let text = serde_json::to_string(&list).unwrap();
        let file = SourceFile::new("t.json", text);
        let doc = parse_source(&file, &Limits::DEFAULT).doc.unwrap();
        let decoded: Value = doc.decode().unwrap();
        prop_assert_eq!(&decoded, &doc.root().to_value());
        prop_assert_eq!(decoded, Value::from(list));
        for node in doc.root().items().flat_map(Node::children) {
            prop_assert_eq!(doc.pointer(&node.to_pointer()).map(Node::span), Some(node.span()));
        }
    }
}
