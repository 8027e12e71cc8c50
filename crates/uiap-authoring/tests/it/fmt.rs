//! One look for manifests: comments stay, data stays, a second run changes nothing.

use std::path::Path;

use proptest::prelude::*;
use uiap_authoring::fmt::{Formatted, format};
use uiap_authoring::source::SourceFile;

fn formatted(text: &str) -> String {
    match format(&SourceFile::new("x.uiap.yaml", text)) {
        Formatted::Changed(new) => new,
        Formatted::Unchanged => text.to_owned(),
        other => panic!("{other:?}: {text}"),
    }
}

fn settled(text: &str) -> String {
    let once = formatted(text);
    assert_eq!(formatted(&once), once, "a second run changes it again");
    once
}

const UGLY: &str = "\
# above all


kind:   Bindings   # which
apiVersion:  uiap.authoring/v0.1
spec:
    # elements follow
    elements:
    -   id: a.b
        role: button # the role


        match:
        - {by: annotation, attr: data-uiap-id,
             value: \"x # y\"}
        -   by: text
            text: >-
                folded
                text

        # below the matchers
    # before the next
    -   id: c
        name: |
           literal
             more
           end
        meaning: \"multi
           line\"
    # - id: later
metadata:
    id: x
# the end
";

const NEAT: &str = "\
# above all

apiVersion: uiap.authoring/v0.1
kind: Bindings  # which
metadata:
  id: x
spec:
  # elements follow
  elements:
    - id: a.b
      role: button  # the role

      match:
        - {by: annotation, attr: data-uiap-id,
          value: \"x # y\"}
        - by: text
          text: >-
            folded
            text

        # below the matchers
    # before the next
    - id: c
      name: |
        literal
          more
        end
      meaning: \"multi
        line\"
    # - id: later
# the end
";

#[test]
fn an_ugly_manifest_becomes_a_neat_one_and_stays_it() {
    assert_eq!(settled(UGLY), NEAT);
}

#[test]
fn line_endings_and_missing_last_line_ends_are_mended() {
    assert_eq!(settled("a: 1\r\nb:\r\n    c: 2"), "a: 1\nb:\n  c: 2\n");
}

#[test]
fn values_stay_as_they_were_written() {
    for text in [
        "a: 'it''s'\n",
        "a: \"\\u00e9\"\n",
        "a: 0x1F\n",
        "a: ~\n",
        "a:\nb: null\n",
        "- - 1\n  - 2\n- 3\n",
        "---\na: 1\n",
        "a: {}\n",
    ] {
        assert_eq!(settled(text), text);
    }
}

#[test]
fn yaml_that_the_formatter_does_not_know_is_left_alone() {
    for text in ["a: &x 1\nb:   *x\n", "a:   !!str 1\n", "? a\n:   1\n", "a:   |2\n     x\n"] {
        let file = SourceFile::new("x.uiap.yaml", text);
        assert!(
            matches!(format(&file), Formatted::Unknown | Formatted::Broken(_)),
            "{text}: {:?}",
            format(&file)
        );
    }
}

#[test]
fn a_broken_file_is_reported_and_not_formatted() {
    let Formatted::Broken(faults) = format(&SourceFile::new("x.uiap.yaml", "a: [1\n")) else { panic!() };
    assert!(faults.has_errors());
}

#[test]
fn json_is_laid_out_and_keeps_its_numbers() {
    let text = "{\"b\":[1e3,{}],\"a\":\"\\u00e9\"}";
    let Formatted::Changed(new) = format(&SourceFile::new("x.uiap.json", text)) else { panic!() };
    assert_eq!(new, "{\n  \"b\": [\n    1e3,\n    {}\n  ],\n  \"a\": \"\\u00e9\"\n}\n");
}

#[test]
fn every_manifest_of_the_fixtures_is_formatted() {
    let mut pending = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/packages")];
    let mut seen = 0;
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.to_string_lossy().ends_with(".uiap.yaml") {
            let file = SourceFile::new("x.uiap.yaml", std::fs::read_to_string(&path).unwrap());
            assert!(matches!(format(&file), Formatted::Unchanged), "{}: {:?}", path.display(), format(&file));
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen}");
}

/// A block with random depth, comments and blank lines, indented by four.
fn lines(depth: usize, seeds: &[u8], out: &mut String) {
    let indent = " ".repeat(depth * 4);
    for (at, seed) in seeds.iter().enumerate() {
        if seed & 1 == 1 {
            out.push_str(&format!("{indent}# note {at}\n"));
        }
        if seed & 2 == 2 {
            out.push('\n');
        }
        let end = if seed & 4 == 4 { " # why" } else { "" };
        match seed % 5 {
            0 if depth < 4 => {
                out.push_str(&format!("{indent}key{at}:{end}\n"));
                let (_, rest) = seeds.split_at(at + 1);
                lines(depth + 1, if rest.is_empty() { &[9] } else { rest }, out);
                return;
            }
            1 => out.push_str(&format!(
                "{indent}list{at}:{end}\n{indent}-   a: 1\n{indent}    b: {seed}{end}\n{indent}- two\n"
            )),
            2 => out.push_str(&format!("{indent}text{at}: |\n{indent}    one\n{indent}      two\n")),
            3 => out.push_str(&format!("{indent}flow{at}:   [1, {{a: 2}},\n{indent}      3]{end}\n")),
            _ => out.push_str(&format!("{indent}plain{at}:  \"{seed}\"{end}\n")),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_layout_settles_in_one_run_with_all_its_comments(seeds in prop::collection::vec(any::<u8>(), 1..24)) {
        let mut text = String::new();
        lines(0, &seeds, &mut text);
        let neat = settled(&text);
        let comments = |text: &str| text.matches('#').count();
        prop_assert_eq!(comments(&text), comments(&neat));
        prop_assert!(!neat.contains("\n\n\n"));
    }
}
