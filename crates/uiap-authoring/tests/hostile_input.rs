//! Input that is meant to hurt: it must cost a moment, not more, and never a panic.
//!
//! Run with `--release` for the full size of 1 MB per input.

use std::time::{Duration, Instant};

use uiap_authoring::diagnostic::render::{human::Human, json};
use uiap_authoring::source::{Limits, SourceFile, parse_source};

const SIZE: usize = if cfg!(debug_assertions) { 1 << 16 } else { 1 << 20 };
/// Without optimisation the figure only tells a hang from a moment.
const LIMIT: Duration = Duration::from_secs(if cfg!(debug_assertions) { 10 } else { 1 });

fn repeat(piece: &str) -> String {
    piece.repeat(SIZE / piece.len())
}

fn numbered(line: impl Fn(usize) -> String) -> String {
    let mut out = String::new();
    let mut n = 0;
    while out.len() < SIZE {
        out.push_str(&line(n));
        n += 1;
    }
    out
}

fn check(name: &str, text: &str) -> Option<String> {
    let file = SourceFile::new(name, text);
    let start = Instant::now();
    let parsed = parse_source(&file, &Limits::DEFAULT);
    let parsing = start.elapsed();
    assert!(parsed.doc.is_some() || parsed.diagnostics.has_errors(), "refused without a word");
    let start = Instant::now();
    let shown = Human::default().render(&parsed.diagnostics).len() + json::render(&parsed.diagnostics).len();
    let rendering = start.elapsed();
    let head: String = text.chars().take(30).collect();
    let slow = parsing > LIMIT || rendering > LIMIT;
    slow.then(|| format!("{name} {head:?}: parsed in {parsing:?}, rendered {shown} bytes in {rendering:?}"))
}

/// Requirement: AUTH-SEC-02
#[test]
fn repeated_pieces_of_yaml_cost_a_moment() {
    let pieces = [
        "[",
        "]",
        "{",
        "}",
        "[]",
        "[a,",
        "{a: ",
        "{a: b, ",
        "[a: ",
        "{? ",
        "- ",
        "-\n",
        "? ",
        "?\n",
        "a: ",
        ": ",
        ":",
        "a:\n",
        "&a ",
        "*a ",
        "!a ",
        "!<a> ",
        "\"",
        "'",
        "\"\n",
        "'\n",
        "\\",
        "\n",
        " ",
        "\t",
        "\r",
        "\r\n",
        "#",
        "#\n",
        " #",
        "|\n",
        ">\n",
        "a: |\n",
        "- |\n",
        "---\n",
        "...\n",
        "--- ",
        "%a\n",
        "%TAG ! x\n",
        "a",
        "a ",
        "a\n",
        "é",
        "日 ",
        "\u{feff}",
        "\u{200b}",
        "\u{202e}: ",
        "a: 1\n",
        "- a\n",
        "- a: b\n",
        "- - ",
        "[a, b]\n",
        "{a: b}\n",
        "a: @\n",
        "a: 'x\n",
        "a: \"x\n",
        "a: [\n",
        "a: b: c\n",
        "\ta: 1\n",
        " a: 1\n  b: 2\n",
        "a: &a *a\n",
        "<<: {}\n",
        "1e9",
        "9007199254740993\n",
        "- 9007199254740993\n",
        "- .nan\n",
        "- !x y\n",
        "\\u0041",
        "? a\n: b\n",
        "a: \"\\\n",
        "''",
        ", ",
        "[? a, ",
        "[\n",
        "{\n",
        "a:\n- ",
        "- &a\n",
        "- *a\n",
        "x: !!str\n",
    ];
    let mut slow = Vec::new();
    for piece in pieces {
        for (before, after) in
            [("", ""), ("a: ", ""), ("a: \"", "\""), ("x: &a 1\ny: [", "]"), ("- ", "\n"), ("a: |\n  ", "\n")]
        {
            slow.extend(check("t.yaml", &format!("{before}{}{after}", repeat(piece))));
        }
    }
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

/// Requirement: AUTH-SEC-02
#[test]
fn grown_structures_of_yaml_cost_a_moment() {
    let texts = [
        numbered(|n| format!("key{n}: {n}\n")),
        numbered(|n| format!("key{}: {n}\n", n % 1000)),
        numbered(|n| format!("{}a:\n", " ".repeat(n % 500))),
        numbered(|n| format!("{}- a\n", " ".repeat(n % 100))),
        numbered(|n| format!("a{n}: &a{n} [{n}]\nb{n}: *a{n}\n")),
        numbered(|n| format!("- &a{n} x\n- *a{}\n", n / 2)),
        numbered(|n| format!("- {{a: 1, b: [1, 2, {{c: d}}], \"e\": 'f', g{n}: h}}\n")),
        numbered(|n| format!("k{n}: |\n  text\n   more\n\n")),
        numbered(|n| format!("k{n}: \"é\\u00e9 {n}\n  folded\"\n")),
        format!("a: {}", numbered(|n| format!("word{n}\n  "))),
        format!("a: \"{}\"\n", numbered(|n| format!("word{n}\n  "))),
        format!("[{}]\n", numbered(|n| format!("{{a: {n}}}, "))),
        format!("[{}", numbered(|n| format!("{{a: {n}}}, "))),
        format!("x: &a 1\n? [{}]\n", numbered(|n| format!("{n}, "))),
        format!("{}: 1\n", repeat("k")),
        format!("\"{}\": 1\n", repeat("k")),
        format!("{{{}: 1}}\n", repeat("k")),
        numbered(|n| format!("k{n}: @bad\n")),
        numbered(|n| format!("k{n}: [1, 2\n")),
        numbered(|n| format!("k{n}: \"open\n")),
        numbered(|n| format!("k{n}: &x [*x]\n")),
        format!("&a {}", numbered(|n| format!("k{n}: *b\n"))),
        format!("# {}\na: 1\na: 2\n", repeat("x")),
        format!("a: {}\u{202e}\nb: 1\n", repeat("é")),
    ];
    let slow: Vec<String> = texts.iter().filter_map(|text| check("t.yaml", text)).collect();
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

/// Requirement: AUTH-SEC-02
#[test]
fn hostile_json_costs_a_moment() {
    let pieces = [
        "[",
        "]",
        "{",
        "}",
        "[]",
        "{\"a\":",
        "\"",
        "\\",
        "\"\\",
        "\\u",
        "\\ud800",
        "1",
        "-",
        "1e",
        "9",
        ",",
        ":",
        "[1,",
        "/*",
        "//\n",
        "#\n",
        "'",
        "a",
        "é",
        "\n",
        "\t",
        "{\"a\":1},",
        "[,",
        "true",
        "{a:1}",
        "\"a\"",
        "\u{200b}",
        "null ",
    ];
    let mut slow = Vec::new();
    for piece in pieces {
        for (before, after) in [("", ""), ("[", "]"), ("{\"a\": ", "}"), ("\"", "\""), ("[1, \"", "\"]")] {
            slow.extend(check("t.json", &format!("{before}{}{after}", repeat(piece))));
        }
    }
    let members = numbered(|n| format!("\"k{}\": [{n}, \"x\"], ", n % 5000));
    slow.extend(check("t.json", &format!("{{{members}\"z\": 1}}")));
    slow.extend(check("t.json", &format!("[{}1]", numbered(|n| format!("{n}, ")))));
    slow.extend(check(
        "t.json",
        &format!("[{}1]", numbered(|n| format!("{{\"é{n}\": 9007199254740993}}, "))),
    ));
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}
