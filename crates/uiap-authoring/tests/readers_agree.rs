//! The fast YAML reader and the complete one give the same tree.

use proptest::prelude::*;
use serde_json::Value;
use uiap_authoring::source::yaml::{Agreement, compare_readers};
use uiap_authoring::source::{Limits, SourceFile, parse_source};

mod corpus;

fn check(text: &str) -> Agreement {
    compare_readers(&SourceFile::new("t.yaml", text), &Limits::DEFAULT)
}

#[test]
fn ordinary_documents_are_read_by_the_fast_reader_and_the_same_way() {
    let mut failures = Vec::new();
    for text in corpus::ORDINARY {
        match check(text) {
            Agreement::Same => {}
            other => failures.push(format!("{text:?}\n    {other:?}")),
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn tricky_documents_are_read_the_same_way_or_left_to_the_complete_reader() {
    let mut failures = Vec::new();
    for text in corpus::TRICKY {
        if let Agreement::Different(words) = check(text) {
            failures.push(format!("{text:?}\n    {words}"));
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

/// Pieces that mean something to YAML, so that mutations hit the grammar and not only the text.
const PIECES: &[&str] = &[
    "\n", "\n\n", " ", "  ", "    ", "\t", "\r\n", ":", ": ", " :", "-", "- ", "?", "? ", ",", "[", "]", "{",
    "}", "#", " #", "&a ", "*a", "!", "!!str ", "|", "|\n", ">", ">-\n", "|+\n", "|2\n", "'", "''", "\"",
    "\\", "\\\n", "%", "@", "`", "---", "---\n", "...", "\n...\n", "<<", "~", "null", "0x1", "1.5", "é",
    "日", "\u{feff}", "a", "b: c", "- d\n", "\n  ", "\n    ", "\u{85}", "\u{2028}", "\\u0041", "\\x", "=",
    "+", ".",
];

#[derive(Clone, Debug)]
enum Mutation {
    Insert(prop::sample::Index, usize),
    Delete(prop::sample::Index, usize),
    Repeat(prop::sample::Index, usize),
    Join(usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    prop_oneof![
        4 => (any::<prop::sample::Index>(), 0..PIECES.len()).prop_map(|(at, piece)| Mutation::Insert(at, piece)),
        2 => (any::<prop::sample::Index>(), 1_usize..4).prop_map(|(at, n)| Mutation::Delete(at, n)),
        1 => (any::<prop::sample::Index>(), 1_usize..12).prop_map(|(at, n)| Mutation::Repeat(at, n)),
        1 => (0..corpus::TRICKY.len()).prop_map(Mutation::Join),
    ]
}

fn apply(text: &str, mutations: &[Mutation]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for mutation in mutations {
        match mutation {
            Mutation::Insert(at, piece) => {
                let at = at.index(chars.len() + 1);
                chars.splice(at..at, PIECES.get(*piece).copied().unwrap_or_default().chars());
            }
            Mutation::Delete(at, n) => {
                let at = at.index(chars.len() + 1);
                chars.drain(at..(at + n).min(chars.len()));
            }
            Mutation::Repeat(at, n) => {
                let at = at.index(chars.len() + 1);
                let piece: Vec<char> = chars.iter().skip(at).take(*n).copied().collect();
                chars.splice(at..at, piece);
            }
            Mutation::Join(other) => {
                chars.extend(corpus::TRICKY.get(*other).copied().unwrap_or_default().chars());
            }
        }
    }
    chars.into_iter().collect()
}

/// `PROPTEST_CASES` asks for a longer run.
fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Z][a-zA-Z0-9._-]{0,12}",
        2 => "[a-z]{1,6}( [a-z]{1,6}){1,3}",
        2 => "[ -~]{0,12}",
        1 => "[a-z äé日👩:#,\\[\\]{}\"'\\\\|>@-]{0,10}",
        1 => "([a-z ]{1,8}\n){1,3}",
        1 => prop::sample::select(vec!["yes", "no", "1_000", "010", "2026-03-27", "0o17", "~", "null", "1.0", "- a", "a: b"])
            .prop_map(str::to_owned),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-9_007_199_254_740_992_i64..=9_007_199_254_740_992).prop_map(Value::from),
        (-1.0e9..1.0e9_f64).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(2_000)) })]

    #[test]
    fn generated_documents_come_back_as_they_went_in(
        value in value(),
        choices in prop::collection::vec(any::<u8>(), 1..40),
    ) {
        let text = corpus::emit::document(&value, &choices);
        prop_assert_eq!(check(&text), Agreement::Same, "{}", text);
        let parsed = parse_source(&SourceFile::new("t.yaml", text.as_str()), &Limits::DEFAULT);
        let read = parsed.doc.map(|doc| doc.root().to_value());
        prop_assert_eq!(read, Some(value), "{}", text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(4_000)) })]

    #[test]
    fn mutated_documents_are_read_the_same_way(
        ordinary in any::<bool>(),
        at in any::<prop::sample::Index>(),
        mutations in prop::collection::vec(mutation(), 1..6),
    ) {
        let list = if ordinary { corpus::ORDINARY } else { corpus::TRICKY };
        let text = apply(list[at.index(list.len())], &mutations);
        let result = check(&text);
        prop_assert!(!matches!(result, Agreement::Different(_)), "{text:?}\n{result:?}");
    }
}
