//! Every code of the readers can be provoked, and says where, why and what to do.
#![expect(clippy::expect_used, reason = "helpers of tests fail loudly")]

use std::collections::BTreeMap;
use std::path::Path;

use uiap_authoring::diagnostic::registry::entries;
use uiap_authoring::diagnostic::{Code, Diagnostics, codes};
use uiap_authoring::source::{Limits, SourceFile, parse_source};

fn parse(name: &str, bytes: &[u8]) -> Diagnostics {
    let limits = Limits { max_bytes: 10_000, ..Limits::DEFAULT };
    match SourceFile::from_bytes(name, bytes.to_vec()) {
        Ok(file) => parse_source(&file, &limits).diagnostics,
        Err(diagnostic) => (*diagnostic).into(),
    }
}

fn provocations() -> Vec<(Code, Diagnostics)> {
    let yaml = |text: &str| parse("t.yaml", text.as_bytes());
    let json = |text: &str| parse("t.json", text.as_bytes());
    let missing = SourceFile::load(Path::new("no/such/file"), &Limits::DEFAULT).expect_err("it is not there");
    let bomb: Vec<String> =
        (1..9).map(|n| format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(", "))).collect();
    vec![
        (codes::UNREADABLE, (*missing).into()),
        (codes::TOO_LARGE, yaml(&"a".repeat(10_001))),
        (codes::INVALID_UTF8, parse("t.yaml", b"a: \xff")),
        (codes::FORBIDDEN_CHARACTER, yaml("a: \u{7}")),
        (codes::TOO_DEEP, yaml(&"[".repeat(200))),
        (codes::EMPTY_SOURCE, yaml("# nothing here yet")),
        (codes::JSON_SYNTAX, json("{ kind: 'App' }")),
        (codes::JSON_COMMA, json("{ \"tags\": [\"a\", \"b\",] }")),
        (codes::JSON_COMMENT, json("{ /* why */ \"kind\": \"App\" }")),
        (codes::JSON_TRAILING, json("{ \"kind\": \"App\" } { \"kind\": \"Package\" }")),
        (codes::INVALID_ESCAPE, json("{ \"path\": \"C:\\new\\q\" }")),
        (codes::UNCLOSED_STRING, json("{ \"title\": \"Create video }")),
        (codes::INVALID_NUMBER, json("{ \"timeoutMs\": 0x10 }")),
        (codes::UNCLOSED_BRACKET, json("{ \"tags\": [\"a\", \"b\" }")),
        (codes::YAML_SYNTAX, yaml("a: 1\nb")),
        (codes::TAB_INDENTATION, yaml("metadata:\n\tid: app")),
        (codes::BAD_INDENTATION, yaml("metadata:\n    id: app\n  title: App")),
        (codes::MISSING_SPACE, yaml("metadata:\n  id:app\n  title: App")),
        (codes::UNEXPECTED_COLON, yaml("title: Note: read this first")),
        (codes::RESERVED_CHARACTER, yaml("owner: @team-video")),
        (codes::BLOCK_SCALAR, yaml("description: |0\n  text")),
        (codes::MULTIPLE_DOCUMENTS, yaml("kind: App\n---\nkind: Bindings")),
        (codes::UNSUPPORTED_TAG, yaml("value: !secret api-key")),
        (codes::MERGE_KEY, yaml("base: &base { role: button }\nsave:\n  <<: *base")),
        (codes::UNKNOWN_ANCHOR, yaml("name: *Required")),
        (codes::ALIAS_BUDGET, yaml(&format!("a0: &a0 [x]\n{}", bomb.concat()))),
        (codes::RECURSIVE_ALIAS, yaml("a: &a\n  self: *a")),
        (codes::KEY_NOT_TEXT, yaml("[a, b]: value")),
        (codes::DUPLICATE_KEY, yaml("role: button\nname: Save\nrole: link")),
        (codes::INEXACT_NUMBER, yaml("id: 9007199254740993")),
        (codes::NOT_A_NUMBER, yaml("timeout: .inf")),
        (codes::HIDDEN_IN_KEY, yaml("ro\u{200b}le: button")),
        (codes::HIDDEN_IN_TEXT, yaml("title: Save\u{202e}")),
    ]
}

#[test]
fn every_code_of_the_readers_has_an_input_that_provokes_it() {
    let provoked: BTreeMap<Code, Diagnostics> = provocations().into_iter().collect();
    for entry in
        entries().filter(|entry| entry.code.to_string().starts_with("UIAP-A0") && entry.code.number() < 50)
    {
        let findings = provoked.get(&entry.code).map(|list| list.iter().map(|d| d.code).collect::<Vec<_>>());
        assert!(
            findings.as_ref().is_some_and(|found| found.contains(&entry.code)),
            "{} ({}): {findings:?}",
            entry.code,
            entry.title
        );
    }
}

#[test]
fn messages_are_fragments_that_never_name_a_type_and_come_with_help() {
    for (code, list) in provocations() {
        let diagnostic = list.iter().find(|d| d.code == code).expect("provoked");
        let message = &diagnostic.message;
        assert!(
            !message.ends_with('.')
                && !message.starts_with(|c: char| c.is_uppercase() && c != 'J' && c != 'Y'),
            "{message}"
        );
        assert!(!message.contains("::") && !message.contains("Some("), "{message}");
        let helps = diagnostic.help.is_some() || diagnostic.fix.is_some() || code == codes::UNREADABLE;
        assert!(helps, "{code}: {message}");
        assert_eq!(diagnostic.severity, code.severity());
    }
}
