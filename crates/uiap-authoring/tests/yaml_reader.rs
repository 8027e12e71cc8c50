//! What the YAML reader makes of a text: data, places, and findings with codes.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail loudly")]

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use uiap_authoring::diagnostic::{Diagnostic, Label, Severity};
use uiap_authoring::source::{Limits, Parsed, SourceDoc, SourceFile, find_hidden, parse_source};

fn parse(text: &str) -> Parsed {
    parse_source(&SourceFile::new("t.yaml", text), &Limits::DEFAULT)
}

fn clean(text: &str) -> SourceDoc {
    let parsed = parse(text);
    assert!(parsed.diagnostics.is_empty(), "{text:?}: {:?}", parsed.diagnostics);
    parsed.doc.expect("a tree")
}

fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    let list: Vec<String> = (0..n).map(line).collect();
    list.concat()
}

fn value(text: &str) -> Value {
    clean(text).root().to_value()
}

/// Code and `line:column` of every finding.
fn findings(text: &str) -> Vec<String> {
    parse(text).diagnostics.iter().map(summary).collect()
}

fn summary(diagnostic: &Diagnostic) -> String {
    let place = diagnostic.primary.place();
    format!("{} {}", diagnostic.code, place.strip_prefix("t.yaml:").unwrap_or(&place))
}

fn only(text: &str) -> Diagnostic {
    let parsed = parse(text);
    assert_eq!(parsed.diagnostics.total(), 1, "{:?}", parsed.diagnostics);
    parsed.diagnostics.into_iter().next().unwrap()
}

fn repaired(text: &str) -> String {
    let file = SourceFile::new("t.yaml", text);
    let parsed = parse_source(&file, &Limits::DEFAULT);
    let fix = parsed.diagnostics.iter().find_map(|d| d.fix.clone()).expect("a fix");
    fix.apply_to(&file).expect("a fix that fits")
}

/// Case: AUTH-001
/// Requirement: AUTH-SEC-02
#[test]
fn a_duplicate_key_shows_both_places() {
    let text = "a:\n  role: button\n  name: x\n  role: link\n";
    let diagnostic = only(text);
    assert_eq!(summary(&diagnostic), "UIAP-A040 4:3");
    assert_eq!(diagnostic.primary.text, "used again here");
    let first: Vec<String> = diagnostic.secondary.iter().map(Label::place).collect();
    assert_eq!(first, ["t.yaml:2:3"]);
    assert_eq!(diagnostic.severity, Severity::Error);
}

/// Case: AUTH-001
#[test]
fn duplicates_are_found_however_the_key_is_written_and_however_large_the_mapping() {
    assert_eq!(
        findings("a: 1\n\"a\": 2\n'a': 3\n\"\\x61\": 4\n"),
        ["UIAP-A040 2:1", "UIAP-A040 3:1", "UIAP-A040 4:1"]
    );
    assert_eq!(findings("1: a\n\"1\": b\n"), ["UIAP-A040 2:1"]);
    assert_eq!(findings("{a: 1, b: 2, a: 3}\n"), ["UIAP-A040 1:14"]);
    let mut text = lines(500, |n| format!("key{n}: {n}\n"));
    text.push_str("key250: again\n");
    assert_eq!(findings(&text), ["UIAP-A040 501:1"]);
    let doc = parse(&text).doc.unwrap();
    assert_eq!(doc.root().get("key250").unwrap().as_i64(), Some(250), "the first one counts");
}

/// Case: AUTH-002
#[test]
fn an_alias_gives_the_tree_that_would_be_there_if_it_were_written_out() {
    let text = "base: &b\n  role: button\n  \"na\\tme\": [1, {x: y}]\ncopy: *b\nlist: [*b, &s text, *s]\n? *s\n: key\n";
    let expected = json!({
        "base": { "role": "button", "na\tme": [1, { "x": "y" }] },
        "copy": { "role": "button", "na\tme": [1, { "x": "y" }] },
        "list": [{ "role": "button", "na\tme": [1, { "x": "y" }] }, "text", "text"],
        "text": "key",
    });
    assert_eq!(value(text), expected);
    let doc = clean(text);
    let copy = doc.pointer("/copy").unwrap();
    assert_eq!(doc.file().slice(copy.span()), "*b", "the copy stands where the alias stands");
    assert_eq!(copy.get("role").unwrap().to_pointer(), "/copy/role");
}

/// Case: AUTH-002
#[test]
fn an_alias_of_a_large_mapping_can_be_searched_like_the_original() {
    let mut text = String::from("base: &b\n");
    (0..100).for_each(|n| text.extend([format!("  \"k\\x20{n}\": [{n}]\n")]));
    text.push_str("copy: *b\n");
    let doc = clean(&text);
    for n in 0..100 {
        let node = doc.pointer(&format!("/copy/k {n}/0")).unwrap();
        assert_eq!(node.as_i64(), Some(n));
        assert_eq!(node.to_pointer(), format!("/copy/k {n}/0"));
    }
}

/// Case: AUTH-002
/// Requirement: AUTH-SEC-02
#[test]
fn an_alias_bomb_is_refused_at_once() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..9 {
        let alias = format!("*a{}", level - 1);
        text.extend([format!("a{level}: &a{level} [{}]\n", vec![alias; 9].join(", "))]);
    }
    let start = Instant::now();
    let parsed = parse(&text);
    let elapsed = start.elapsed();
    assert!(parsed.doc.is_none());
    let codes: Vec<String> = parsed.diagnostics.iter().map(|d| d.code.to_string()).collect();
    assert_eq!(codes, ["UIAP-A031"]);
    assert!(parsed.diagnostics.iter().all(|d| d.message.contains("alias budget")));
    assert!(elapsed < Duration::from_millis(if cfg!(debug_assertions) { 500 } else { 50 }), "{elapsed:?}");
}

#[test]
fn an_alias_inside_its_own_anchor_or_without_one_is_an_error() {
    assert_eq!(findings("a: &a\n  self: *a\n"), ["UIAP-A032 2:9"]);
    assert_eq!(findings("a: *Required\n"), ["UIAP-A030 1:4"]);
    assert_eq!(only("a: *Required\n").message, "alias `*Required` has no anchor above it");
}

/// Case: AUTH-003
/// Requirement: AUTH-SEC-02
#[test]
fn a_foreign_tag_is_an_error_at_the_tag() {
    assert_eq!(findings("a: 1\nb: !!python/object:os.system [x]\n"), ["UIAP-A028 2:4"]);
    assert_eq!(findings("a: !foo bar\nb: &x !y 1\n"), ["UIAP-A028 1:4", "UIAP-A028 2:7"]);
    assert_eq!(findings("- !local\n  a: 1\n"), ["UIAP-A028 1:3"]);
    assert_eq!(repaired("a: !foo bar\n"), "a: bar\n");
}

#[test]
fn tags_of_the_core_schema_name_plain_types() {
    let text = "a: !!str 1\nb: !!int \"7\"\nc: !!float 1\nd: !!null ''\ne: !!map {}\nf: !!seq []\ng: !!bool true\nh: ! 5\n";
    assert_eq!(
        value(text),
        json!({ "a": "1", "b": 7, "c": 1, "d": null, "e": {}, "f": [], "g": true, "h": "5" })
    );
    assert_eq!(findings("a: !!int x\n"), ["UIAP-A028 1:10"]);
    assert_eq!(findings("a: !!map []\n"), ["UIAP-A028 1:4"]);
}

/// Case: AUTH-004
#[test]
fn a_merge_key_is_an_error_with_a_repair() {
    let text = "base: &b\n  role: button\n  risk: safe\nsave:\n  <<: *b\n  name: x\n";
    assert_eq!(findings(text), ["UIAP-A029 5:3"]);
    assert_eq!(
        repaired(text),
        "base: &b\n  role: button\n  risk: safe\nsave:\n  role: button\n  risk: safe\n  name: x\n"
    );
    assert_eq!(value("\"<<\": 1\n"), json!({ "<<": 1 }), "in quotes it is a name");
    assert!(only("a: &b [1]\nc:\n  <<: *b\n").fix.is_none(), "only members can be written out");
}

/// Case: AUTH-005
#[test]
fn a_second_document_is_an_error_at_its_marker() {
    let parsed = parse("a: 1\n---\nb: 2\n");
    assert_eq!(parsed.diagnostics.iter().map(summary).collect::<Vec<_>>(), ["UIAP-A027 2:1"]);
    assert_eq!(parsed.doc.unwrap().root().to_value(), json!({ "a": 1 }));
    assert_eq!(value("---\na: 1\n...\n"), json!({ "a": 1 }));
}

/// Case: AUTH-006
#[test]
fn words_follow_the_core_schema_and_keep_what_was_written() {
    let text = "v: 0.10\nw: no\nx: 1_000\ny: 0o17\nz: 2026-03-27\no: 010\n";
    assert_eq!(
        value(text),
        json!({ "v": 0.1, "w": "no", "x": "1_000", "y": 15, "z": "2026-03-27", "o": 10 })
    );
    let doc = clean(text);
    let version = doc.root().get("v").unwrap();
    assert_eq!(version.raw(), "0.10");
    let fix = version.quoting_fix().unwrap();
    assert!(fix.apply_to(doc.file()).unwrap().starts_with("v: \"0.10\"\n"));
    assert!(doc.root().get("w").unwrap().quoting_fix().is_none(), "text needs no quotes");
}

/// Case: AUTH-007
#[test]
fn numbers_without_a_form_in_canonical_json_are_errors() {
    assert_eq!(
        findings("a: .nan\nb: -.inf\nc: 9007199254740993\nd: 1e999\ne: 0x20000000000001\n"),
        ["UIAP-A042 1:4", "UIAP-A042 2:4", "UIAP-A041 3:4", "UIAP-A041 4:4", "UIAP-A041 5:4"]
    );
    assert_eq!(repaired("c: 9007199254740993\n"), "c: \"9007199254740993\"\n");
    assert_eq!(
        value("a: 9007199254740992\nb: -9007199254740992\n"),
        json!({ "a": 9_007_199_254_740_992_i64, "b": -9_007_199_254_740_992_i64 })
    );
}

/// Case: AUTH-008
/// Requirement: AUTH-SEC-02
#[test]
fn bytes_that_are_no_text_are_errors_with_their_offset() {
    let diagnostic = SourceFile::from_bytes("t.yaml", b"a: caf\xE9\n".to_vec()).unwrap_err();
    assert_eq!(summary(&diagnostic), "UIAP-A003 1:7");
    assert!(diagnostic.message.contains("byte 0xE9 at offset 6"), "{}", diagnostic.message);
    let utf16 = SourceFile::from_bytes("t.yaml", b"\xFF\xFEa\0".to_vec()).unwrap_err();
    assert!(utf16.help.unwrap().contains("UTF-16"));

    let nul = only("a: x\0y\n");
    assert_eq!(summary(&nul), "UIAP-A004 1:5");
    assert!(nul.message.contains("(NUL) at byte offset 4"), "{}", nul.message);
    assert_eq!(findings("a: \"\\ud800\"\n"), ["UIAP-A014 1:5"]);
    assert_eq!(repaired("a: \"\\ud83d\\ude00\"\n"), "a: \"\\U0001F600\"\n");
}

/// Case: AUTH-008
#[test]
fn a_byte_order_mark_and_windows_line_ends_change_nothing() {
    let unix = "a: |\n  one\n  two\nb: \"x\n  y\"\nc: p\n  q\n";
    let windows = format!("\u{feff}{}", unix.replace('\n', "\r\n"));
    assert_eq!(value(unix), value(&windows));
    let doc = clean(&windows);
    let b = doc.root().get("b").unwrap();
    assert_eq!(
        (doc.file().position(b.span().start).line, doc.file().position(b.span().start).column),
        (4, 4)
    );
    assert_eq!(value("\u{feff}a: 1"), json!({ "a": 1 }));
}

/// Case: AUTH-009
#[test]
fn a_tab_in_the_indentation_is_an_error_that_names_it() {
    for text in ["a:\n\tb: 1\n", "a:\n  \tb: 1\n", "\ta: 1\n", "a: &x\n  \tb: 1\n", "a:\n  b: 1\n\tc: 2\n"] {
        let parsed = parse(text);
        let first = parsed.diagnostics.iter().next().unwrap_or_else(|| panic!("{text:?}"));
        assert_eq!(first.code.to_string(), "UIAP-A021", "{text:?}: {first:?}");
        assert!(first.primary.text.contains("`\\t`"));
        let column = text.lines().find_map(|line| line.find('\t')).unwrap() + 1;
        assert!(first.primary.place().ends_with(&format!(":{column}")), "{first:?}");
    }
    assert_eq!(repaired("a:\n\tb: 1\n"), "a:\n  b: 1\n");
    assert_eq!(
        value("a: |\n  x\n  \ty\n\t\nb: 1\t# c\n"),
        json!({ "a": "x\n\ty\n", "b": 1 }),
        "elsewhere tabs are fine"
    );
}

/// Case: AUTH-010
/// Requirement: AUTH-SEC-02
#[test]
fn nesting_beyond_the_limit_is_refused_without_overflow() {
    for text in [
        "[".repeat(10_000),
        "{a: ".repeat(10_000),
        "- ".repeat(10_000),
        lines(10_000, |n| format!("{}a:\n", " ".repeat(n % 3_000))),
        format!("x: &a\n{}", "- ".repeat(10_000)),
    ] {
        let parsed = parse(&text);
        assert!(parsed.doc.is_none());
        let head: String = text.chars().take(20).collect();
        assert!(
            parsed.diagnostics.iter().any(|d| d.code.to_string() == "UIAP-A005"),
            "{head:?}: {:?}",
            parsed.diagnostics.iter().next()
        );
    }
    let depth = |n: usize| format!("{}{}\n", "[".repeat(n), "]".repeat(n));
    assert!(parse(&depth(128)).doc.is_some());
    assert_eq!(findings(&depth(129)), ["UIAP-A005 1:129"]);
    let aliased = format!("a: &a {}b: {}*a{}\n", depth(100), "[".repeat(50), "]".repeat(50));
    assert_eq!(findings(&aliased), ["UIAP-A005 2:54"]);
}

/// Case: AUTH-011
#[test]
fn a_file_beyond_the_limit_is_refused_before_it_is_read_as_a_whole() {
    let limits = Limits { max_bytes: 10, ..Limits::DEFAULT };
    let parsed = parse_source(&SourceFile::new("t.yaml", "a: 12345678\n"), &limits);
    assert_eq!(parsed.diagnostics.iter().map(summary).collect::<Vec<_>>(), ["UIAP-A002 1:1"]);
    // An endless file: reading stops at the limit.
    let endless = std::path::Path::new("/dev/zero");
    if endless.exists() {
        let diagnostic = SourceFile::load(endless, &limits).unwrap_err();
        assert_eq!(diagnostic.code.to_string(), "UIAP-A002");
    }
    let missing = SourceFile::load(std::path::Path::new("no/such/file.yaml"), &limits).unwrap_err();
    assert_eq!(missing.code.to_string(), "UIAP-A001");
    assert_eq!(missing.message, "cannot read `no/such/file.yaml`: there is no such file");
}

/// Case: AUTH-012
#[test]
fn invisible_characters_are_errors_in_keys_and_warnings_in_texts() {
    assert_eq!(findings("ro\u{200b}le: x\n"), ["UIAP-A043 1:3"]);
    assert_eq!(findings("\"ro\\u200ble\": x\n"), ["UIAP-A043 1:1"]);
    assert_eq!(findings("a: x\u{202e}y\n"), ["UIAP-A044 1:5"]);
    assert_eq!(findings("# a \u{2066}comment\na: 1\n"), ["UIAP-A044 1:5"]);
    assert_eq!(findings("a: tag\u{e0041}\u{e0042}\n"), ["UIAP-A044 1:7", "UIAP-A044 1:8"]);
    assert_eq!(only("a: x\u{202e}y\n").severity, Severity::Warning);
    assert_eq!(repaired("ro\u{200b}le: x\n"), "role: x\n");
    assert_eq!(
        findings("a: 👩\u{200d}🚀 می\u{200c}خواهم\nb: \"\\u202e\"\n"),
        Vec::<String>::new(),
        "joiners between letters and visible escapes are fine"
    );
}

/// Case: AUTH-012
#[test]
fn a_caller_can_look_for_invisible_characters_in_a_name() {
    let found = find_hidden("data-\u{200b}id").unwrap();
    assert_eq!((found.offset, found.character, found.name), (5, '\u{200b}', "zero width space"));
    assert_eq!(find_hidden("data-id é"), None);
}

/// Case: AUTH-016
#[test]
fn json_text_means_the_same_in_both_formats() {
    let text = r#"{"a": [1, 2.5, -3e2, true, null, "x\u00e9\n\"q\"/"], "b": {"c": {}, "d": []}, "e": ""}"#;
    let as_json = parse_source(&SourceFile::new("t.json", text), &Limits::DEFAULT).doc.unwrap();
    let as_yaml = clean(text);
    assert!(as_json.root() == as_yaml.root());
    assert_eq!(as_json.root().to_value(), as_yaml.root().to_value());
}

#[test]
fn several_syntax_errors_are_found_in_one_run() {
    let text = "a:\n  title: Note: read\n  ok: 1\n  owner: @team\nb: \"never closed\nc: [1, 2\nd:\n  e: 1\n   f: 2\nlast: `x`\n";
    assert_eq!(
        findings(text),
        [
            "UIAP-A024 2:14",
            "UIAP-A025 4:10",
            "UIAP-A015 5:4",
            "UIAP-A017 6:4",
            "UIAP-A022 9:4",
            "UIAP-A025 10:7"
        ]
    );
}

#[test]
fn common_mistakes_get_their_own_code_place_and_repair() {
    let cases = [
        ("a:\n  id:app\n  b: 1\n", "UIAP-A023 2:5", Some("a:\n  id: app\n  b: 1\n")),
        ("title: Note: x\n", "UIAP-A024 1:12", Some("title: \"Note: x\"\n")),
        ("a: @x # c\n", "UIAP-A025 1:4", Some("a: \"@x\" # c\n")),
        ("a: |x\n  y\n", "UIAP-A026 1:5", None),
        ("a: 'x\n", "UIAP-A015 1:4", None),
        ("a: [1, 2\n", "UIAP-A017 1:4", None),
        ("a: [1, 2]]\n", "UIAP-A017 1:10", None),
        ("a: - b\n", "UIAP-A020 1:4", None),
        ("a:\n    b: 1\n  c: 2\n", "UIAP-A022 3:3", None),
        ("a: 1\nb\n", "UIAP-A020 2:1", None),
        ("a: \"x\\qy\"\n", "UIAP-A014 1:6", None),
        ("a: \"x\"#c\n", "UIAP-A020 1:7", Some("a: \"x\" #c\n")),
        ("a: [1, , 2]\n", "UIAP-A020 1:8", Some("a: [1,  2]\n")),
        ("a:\tb\n", "UIAP-A021 1:3", Some("a: b\n")),
        ("[a, b]: c\n", "UIAP-A033 1:1", None),
        (": c\n", "UIAP-A033 1:1", None),
        ("", "UIAP-A006 1:1", None),
        ("# only a comment\n", "UIAP-A006 1:1", None),
    ];
    for (text, expected, fixed) in cases {
        let diagnostic = only(text);
        assert_eq!(summary(&diagnostic), expected, "{text:?}: {}", diagnostic.message);
        assert!(diagnostic.help.is_some() || diagnostic.fix.is_some(), "{text:?} has no help");
        assert_eq!(diagnostic.fix.is_some(), fixed.is_some(), "{text:?}: {:?}", diagnostic.fix);
        if let Some(fixed) = fixed {
            assert_eq!(repaired(text), fixed);
            assert!(parse(fixed).diagnostics.is_empty(), "{fixed:?}");
        }
    }
}

#[test]
fn places_cover_keys_and_values_exactly() {
    let text = "äü: 'x' # c\nb:\n  - |\n    t\n    u\n\n  - {k: v}\n  -\nn:\n";
    let doc = clean(text);
    let slice = |pointer: &str| {
        let node = doc.pointer(pointer).unwrap_or_else(|| panic!("{pointer}"));
        let key = node.key_span().map(|span| doc.file().slice(span)).unwrap_or_default();
        (key, doc.file().slice(node.span()))
    };
    assert_eq!(slice("/äü"), ("äü", "'x'"));
    assert_eq!(slice("/b"), ("b", "- |\n    t\n    u\n\n  - {k: v}\n  -"));
    assert_eq!(slice("/b/0"), ("", "|\n    t\n    u"));
    assert_eq!(slice("/b/1"), ("", "{k: v}"));
    assert_eq!(slice("/b/1/k"), ("k", "v"));
    let missing = doc.pointer("/n").unwrap().span();
    assert!(missing.is_empty());
    assert_eq!(doc.file().position(missing.start).column, 3, "behind the colon");
}
