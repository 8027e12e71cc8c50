//! How findings look to people and to machines.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail loudly")]

use std::sync::Arc;

use insta::assert_snapshot;
use serde_json::Value;
use uiap_authoring::diagnostic::render::human::Human;
use uiap_authoring::diagnostic::render::{github, json, junit, sarif};
use uiap_authoring::diagnostic::{Diagnostic, Diagnostics, Fix, Severity, codes};
use uiap_authoring::source::{Limits, SourceFile, Span, parse_source};

fn findings(name: &str, text: &str) -> Diagnostics {
    parse_source(&SourceFile::new(name, text), &Limits::DEFAULT).diagnostics
}

fn human(name: &str, text: &str) -> String {
    Human::default().render(&findings(name, text))
}

fn at(file: &Arc<SourceFile>, needle: &str) -> Span {
    let start = u32::try_from(file.text().find(needle).expect(needle)).unwrap();
    Span::new(start, start + u32::try_from(needle.len()).unwrap())
}

#[test]
fn people_see_both_places_of_a_duplicate() {
    assert_snapshot!(human("app.uiap.yaml", "kind: App\nrole: button\nname: x\nrole: link\n"), @r#"
    error[UIAP-A040]: key `role` is used twice in one mapping
     --> app.uiap.yaml:4:1
      |
    2 | role: button
      | ---- first used here
    3 | name: x
    4 | role: link
      | ^^^^ used again here
      |
      = help: remove one of the two, or merge their values

    1 error
    "#);
}

#[test]
fn people_see_a_repair_as_a_change_of_the_line() {
    assert_snapshot!(human("a.yaml", "title: Note: read this # soon\n"), @r#"
    error[UIAP-A024]: a second `: ` on one line
     --> a.yaml:1:12
      |
    1 | title: Note: read this # soon
      |            ^ unquoted text cannot contain `: `
      |
    help: put the text into quotes
      |
    1 - title: Note: read this # soon
    1 + title: "Note: read this" # soon
      |

    1 error
    "#);
}

#[test]
fn places_far_apart_get_excerpts_of_their_own() {
    let text = format!("first: 1\n{}first: 2\n", "# filler\n".repeat(200));
    assert_snapshot!(human("a.yaml", &text), @r#"
    error[UIAP-A040]: key `first` is used twice in one mapping
       --> a.yaml:202:1
        |
    202 | first: 2
        | ^^^^^ used again here
        |
       ::: a.yaml:1:1
        |
      1 | first: 1
        | ----- first used here
        |
        = help: remove one of the two, or merge their values

    1 error
    "#);
}

#[test]
fn tabs_wide_and_combining_characters_do_not_shift_the_underline() {
    let out = human(
        "a.yaml",
        "日本語: \"x\ty\"\nde\u{301}: 日本\nx: {de\u{301}: 日本, y: 1, y: 2}\n日本語: e\u{301}\n",
    );
    assert_snapshot!(out.replace("e\u{301}", "é"), @r#"
    error[UIAP-A040]: key `y` is used twice in one mapping
     --> a.yaml:3:20
      |
    3 | x: {dé: 日本, y: 1, y: 2}
      |               -     ^ used again here
      |               |
      |               first used here
      |
      = help: remove one of the two, or merge their values

    error[UIAP-A040]: key `日本語` is used twice in one mapping
     --> a.yaml:4:1
      |
    1 | 日本語: "x    y"
      | ------ first used here
    ...
    4 | 日本語: é
      | ^^^^^^ used again here
      |
      = help: remove one of the two, or merge their values

    2 errors
    "#);
}

#[test]
fn long_lines_are_cut_around_the_place() {
    let text =
        format!("{{\"a\": \"{}\", \"b\": tru, \"c\": \"{}\"}}", "x".repeat(50_000), "y".repeat(50_000));
    let out = human("long.json", &text);
    assert!(out.len() < 2_000, "{}", out.len());
    assert_snapshot!(out, @r#"
    error[UIAP-A010]: `tru` must be quoted
     --> long.json:1:50016
      |
    1 | ...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "b": tru, "c": "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy...
      |                                                         ^^^
      |
    help: put text into double quotes
      |
    1 - …xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "b": tru, "c": "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy…
    1 + …xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "b": "tru", "c": "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy…
      |

    1 error
    "#);
}

#[test]
fn a_place_at_the_end_of_the_file_is_shown_at_its_last_line() {
    assert_snapshot!(human("a.yaml", "a: [1, 2\n"), @r#"
    error[UIAP-A017]: `[` is never closed
     --> a.yaml:1:4
      |
    1 | a: [1, 2
      |    ^    - the file ends here
      |    |
      |    opened here
      |
      = help: add the missing `]`

    1 error
    "#);
    assert_snapshot!(human("a.yaml", "\n\n"), @r#"
    error[UIAP-A006]: the file holds no document
     --> a.yaml:1:1
      |
    1 |
      | ^
      |
      = help: a manifest has `apiVersion`, `kind`, `metadata` and `spec`

    1 error
    "#);
}

#[test]
fn a_place_over_several_lines_is_drawn_as_one() {
    let file = SourceFile::new("a.yaml", "spec:\n  a: 1\n  b: 2\nend: 1\n");
    let diagnostic =
        Diagnostic::new(codes::YAML_SYNTAX, "this mapping is odd", &file, at(&file, "a: 1\n  b: 2"))
            .label("all of it")
            .note("a note");
    assert_snapshot!(Human::default().render_one(&diagnostic), @r#"
    error[UIAP-A020]: this mapping is odd
     --> a.yaml:2:3
      |
    2 | /   a: 1
    3 | |   b: 2
      | |______^ all of it
      |
      = note: a note
    "#);
}

#[test]
fn places_in_two_files_and_files_without_text_are_named() {
    let one = SourceFile::new("one.yaml", "id: same\n");
    let two = SourceFile::new("two.yaml", "# second\nid: same\n");
    let both = Diagnostic::new(codes::DUPLICATE_KEY, "id `same` is used twice", &two, at(&two, "same"))
        .label("again")
        .secondary(&one, at(&one, "same"), "first");
    let gone = Diagnostic::new(
        codes::UNREADABLE,
        "cannot read `gone.yaml`: there is no such file",
        &SourceFile::without_text("gone.yaml"),
        Span::default(),
    );
    let list: Diagnostics = [both, gone].into_iter().collect();
    assert_snapshot!(Human::default().render(&list), @r#"
    error[UIAP-A040]: id `same` is used twice
     --> two.yaml:2:5
      |
    2 | id: same
      |     ^^^^ again
      |
     ::: one.yaml:1:5
      |
    1 | id: same
      |     ---- first

    error[UIAP-A001]: cannot read `gone.yaml`: there is no such file
    --> gone.yaml

    2 errors
    "#);
}

#[test]
fn control_sequences_in_a_source_do_not_reach_the_terminal() {
    let file = SourceFile::new("a.yaml", "a: \u{1b}[31mred\u{202e}\u{9b}31m\n");
    let diagnostic = Diagnostic::new(codes::YAML_SYNTAX, "odd `\u{1b}[31m`", &file, at(&file, "red"))
        .label("\u{1b}[31m\u{9b}")
        .note("note \u{1b}[31m")
        .help("help \u{1b}[31m");
    let plain = Human::default().render_one(&diagnostic);
    assert!(!plain.contains(['\u{1b}', '\u{202e}', '\u{9b}']), "{plain:?}");
    let colored = Human { color: true, ..Human::default() }.render_one(&diagnostic);
    assert!(colored.contains("\u{1b}[") && !colored.contains("\u{1b}[31mred"), "{colored:?}");
}

#[test]
fn only_the_first_findings_are_shown_and_all_are_counted() {
    let text: String = (0..300).map(|_| "a: 1\n").collect();
    let list = findings("a.yaml", &text);
    assert_eq!(
        (list.total(), list.count_of(Severity::Error), list.shown(Diagnostics::SHOWN).len()),
        (299, 299, 200)
    );
    let out = Human::default().render(&list);
    assert!(out.ends_with("299 errors (200 shown)\n"), "{}", out.lines().last().unwrap());
    let few = Human { limit: 3, ..Human::default() }.render(&list);
    assert_eq!(few.matches("error[UIAP-A040]").count(), 3);
}

/// Case: AUTH-171
#[test]
fn findings_come_in_the_order_of_file_position_and_code() {
    let b = SourceFile::new("b.yaml", "x: 1\n");
    let a = SourceFile::new("a.yaml", "x: 1\n");
    let make = |file: &Arc<SourceFile>, start: u32, code| {
        Diagnostic::new(code, "m", file, Span::new(start, start + 1))
    };
    let mut list: Diagnostics = [
        make(&b, 0, codes::YAML_SYNTAX),
        make(&a, 3, codes::YAML_SYNTAX),
        make(&a, 0, codes::DUPLICATE_KEY),
        make(&a, 0, codes::YAML_SYNTAX),
    ]
    .into_iter()
    .collect();
    list.sort();
    let order: Vec<String> = list.iter().map(|d| format!("{} {}", d.primary.place(), d.code)).collect();
    assert_eq!(
        order,
        ["a.yaml:1:1 UIAP-A020", "a.yaml:1:1 UIAP-A040", "a.yaml:1:4 UIAP-A020", "b.yaml:1:1 UIAP-A020"]
    );
}

fn sample() -> Diagnostics {
    findings("dir/a b.yaml", "é: 1\nv: 9007199254740993\né: 2 # \u{202e}\n")
}

/// Case: AUTH-171
#[test]
fn the_json_form_follows_its_schema_and_holds_lines_columns_and_offsets() {
    let report: Value = serde_json::from_str(&json::render(&sample())).unwrap();
    let schema: Value = serde_json::from_str(json::SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let empty: Value = serde_json::from_str(&json::render(&Diagnostics::new())).unwrap();
    assert!(validator.is_valid(&empty));
    assert_snapshot!(format!("{:#}", report["diagnostics"][1]), @r#"
    {
      "code": "UIAP-A040",
      "severity": "error",
      "title": "key used twice",
      "message": "key `é` is used twice in one mapping",
      "primary": {
        "file": "dir/a b.yaml",
        "start": {
          "line": 3,
          "column": 1,
          "offset": 26
        },
        "end": {
          "line": 3,
          "column": 2,
          "offset": 28
        },
        "label": "used again here"
      },
      "secondary": [
        {
          "file": "dir/a b.yaml",
          "start": {
            "line": 1,
            "column": 1,
            "offset": 0
          },
          "end": {
            "line": 1,
            "column": 2,
            "offset": 2
          },
          "label": "first used here"
        }
      ],
      "notes": [],
      "help": "remove one of the two, or merge their values",
      "fix": null
    }
    "#);
    assert_snapshot!(report["summary"], @r#"{"errors":2,"warnings":1,"infos":0,"total":3,"listed":3}"#);
}

#[test]
fn sarif_names_rules_places_related_places_and_fixes() {
    let log: Value = serde_json::from_str(&sarif::render(&sample(), "0.1.0")).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules: Vec<&str> = run["tool"]["driver"]["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule["id"].as_str().unwrap())
        .collect();
    assert_eq!(rules, ["UIAP-A040", "UIAP-A041", "UIAP-A044"]);
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(result["ruleId"], rules[index]);
    }
    assert_snapshot!(format!("{:#}", run["results"][1]), @r#"
    {
      "ruleId": "UIAP-A040",
      "ruleIndex": 0,
      "level": "error",
      "message": {
        "text": "key `é` is used twice in one mapping\nremove one of the two, or merge their values"
      },
      "locations": [
        {
          "physicalLocation": {
            "artifactLocation": {
              "uri": "dir/a%20b.yaml"
            },
            "region": {
              "startLine": 3,
              "startColumn": 1,
              "endLine": 3,
              "endColumn": 2,
              "byteOffset": 26,
              "byteLength": 2
            }
          }
        }
      ],
      "relatedLocations": [
        {
          "physicalLocation": {
            "artifactLocation": {
              "uri": "dir/a%20b.yaml"
            },
            "region": {
              "startLine": 1,
              "startColumn": 1,
              "endLine": 1,
              "endColumn": 2,
              "byteOffset": 0,
              "byteLength": 2
            }
          },
          "id": 0,
          "message": {
            "text": "first used here"
          }
        }
      ]
    }
    "#);
}

#[test]
fn junit_has_one_case_per_finding_and_is_well_formed_for_odd_text() {
    assert_snapshot!(junit::render(&sample()), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="uiap" tests="3" failures="2">
      <testsuite name="uiap" tests="3" failures="2" errors="0">
        <testcase name="UIAP-A041 dir/a b.yaml:2:4" classname="dir/a b.yaml">
          <failure message="number `9007199254740993` cannot be kept exactly" type="UIAP-A041">number `9007199254740993` cannot be kept exactly&#10;dir/a b.yaml:2:4: no IEEE 754 double has this value&#10;note: whole numbers are exact up to 9007199254740992 (2^53)&#10;help: write it as a string if it is an id</failure>
        </testcase>
        <testcase name="UIAP-A040 dir/a b.yaml:3:1" classname="dir/a b.yaml">
          <failure message="key `é` is used twice in one mapping" type="UIAP-A040">key `é` is used twice in one mapping&#10;dir/a b.yaml:3:1: used again here&#10;dir/a b.yaml:1:1: first used here&#10;help: remove one of the two, or merge their values</failure>
        </testcase>
        <testcase name="UIAP-A044 dir/a b.yaml:3:8" classname="dir/a b.yaml">
          <system-out>warning: invisible character U+202E (bidirectional control) in a comment&#10;dir/a b.yaml:3:8: it stands here&#10;help: remove the character; in a text it may be written as an escape inside double quotes</system-out>
        </testcase>
      </testsuite>
    </testsuites>
    "#);
    assert_snapshot!(junit::render(&Diagnostics::new()), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="uiap" tests="1" failures="0">
      <testsuite name="uiap" tests="1" failures="0" errors="0">
        <testcase name="no findings" classname="uiap"/>
      </testsuite>
    </testsuites>
    "#);
    let file = SourceFile::new("a.yaml", "x");
    let odd: Diagnostics = Diagnostic::new(codes::YAML_SYNTAX, "<&\"\u{1}>", &file, Span::default()).into();
    let out = junit::render(&odd);
    assert!(out.contains("&lt;&amp;&quot;\u{fffd}&gt;") && !out.contains('\u{1}'), "{out}");
}

#[test]
fn github_commands_escape_what_they_carry() {
    assert_snapshot!(github::render(&sample(), 10), @r#"
    ::error file=dir/a b.yaml,line=2,endLine=2,col=4,endColumn=20,title=UIAP-A041 number cannot be kept exactly::number `9007199254740993` cannot be kept exactly%0Adir/a b.yaml:2:4: no IEEE 754 double has this value%0Anote: whole numbers are exact up to 9007199254740992 (2^53)%0Ahelp: write it as a string if it is an id
    ::error file=dir/a b.yaml,line=3,endLine=3,col=1,endColumn=2,title=UIAP-A040 key used twice::key `é` is used twice in one mapping%0Adir/a b.yaml:3:1: used again here%0Adir/a b.yaml:1:1: first used here%0Ahelp: remove one of the two, or merge their values
    ::warning file=dir/a b.yaml,line=3,endLine=3,col=8,endColumn=9,title=UIAP-A044 invisible character in text::invisible character U+202E (bidirectional control) in a comment%0Adir/a b.yaml:3:8: it stands here%0Ahelp: remove the character; in a text it may be written as an escape inside double quotes
    "#);
    let file = SourceFile::new("a,b:c%.yaml", "x\ny\n");
    let odd: Diagnostics = Diagnostic::new(codes::HIDDEN_IN_TEXT, "100%\nsure", &file, Span::new(0, 3))
        .severity(Severity::Info)
        .into();
    assert_snapshot!(github::render(&odd, 10), @r#"::notice file=a%2Cb%3Ac%25.yaml,line=1,endLine=2,col=1,title=UIAP-A044 invisible character in text::100%25%0Asure"#);
    assert_eq!(github::render(&sample(), 1).lines().count(), 1);
}

#[test]
fn a_fix_with_several_edits_applies_them_all() {
    let file = SourceFile::new("a.yaml", "a: x\nb: y\n");
    let mut fix = Fix::replace("swap", &file, at(&file, "y"), "x");
    fix.edits.extend(Fix::replace("", &file, at(&file, "x"), "y").edits);
    assert_eq!(fix.apply_to(&file).unwrap(), "a: y\nb: x\n");
    let overlapping = Fix { edits: [fix.edits.clone(), fix.edits.clone()].concat(), ..fix };
    assert_eq!(overlapping.apply_to(&file), None);
}
