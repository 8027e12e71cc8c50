//! The published examples, where the specification lies beside the project.

use std::path::{Path, PathBuf};

use serde_json::Value;
use uiap_model::document::{detect, validate};
use uiap_model::shape::{Strictness, Wire, inspect};

fn specs() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/specs");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: the specification is not beside the project");
    None
}

/// Fenced blocks and, in the one text that lost its fences, the outermost object.
fn examples(text: &str) -> Vec<Value> {
    let fenced = text.split("```json").skip(1).filter_map(|rest| rest.split("```").next());
    let bare = text.find("\n{\n\"modelVersion\"").and_then(|at| {
        let rest = &text[at..];
        // Inner objects lost their indentation too: the example ends where a blank line follows.
        rest.find("\n}\n\n").map(|end| &rest[..end + 3])
    });
    let repaired = |block: &str| block.replace("[email protected]", "web@0.1");
    fenced
        .chain(bare)
        .map(|block| {
            serde_json::from_str(&repaired(block)).unwrap_or_else(|error| panic!("{error}: {block}"))
        })
        .collect()
}

/// Requirement: CAP-11-01
#[test]
fn every_published_example_is_accepted_and_survives_a_round_trip() {
    let Some(folder) = specs() else { return };
    let mut seen = 0;
    for file in ["02-capability-model.de.md", "04-action-runtime.md", "08-discovery-mapper.md", "siblings.md"]
    {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        for example in examples(&text) {
            seen += 1;
            check(file, &example);
        }
    }
    assert!(seen >= 10, "{seen} examples");
}

fn check(file: &str, example: &Value) {
    if example.get("versions").is_some() {
        let shape = <uiap_model::core::ExtensionOffer as Wire>::shape();
        assert_eq!(inspect(example, shape, Strictness::Wire), [], "{file}");
        return;
    }
    let kind = detect(example).unwrap_or_else(|| panic!("{file}: unknown kind of {example}"));
    let problems = validate(example, kind);
    // A fragment of a package lacks catalogues; everything that is there must be right.
    let fragment = kind.name == "DiscoveryPackage";
    let errors: Vec<_> = problems
        .iter()
        .filter(|each| each.is_error() && !(fragment && each.message.ends_with("is missing")))
        .collect();
    assert!(errors.is_empty(), "{file} {}: {errors:#?}", kind.name);
    if !fragment {
        let back = crate::round_trip::of_kind(kind.name)(example).unwrap();
        let canonical = |value: &Value| uiap_model::digest::canonical(value).unwrap();
        assert_eq!(canonical(&back), canonical(example), "{file} {}", kind.name);
    }
}
