//! No change of a bundle goes unnoticed: every leaf is changed, every member and item taken away.

use serde_json::{Value, json};
use uiap_authoring::diff::{Level, diff_sources, diff_values, level};
use uiap_authoring::files::MemorySource;
use uiap_authoring::source::Limits;

use crate::support::Pkg;

fn golden() -> Value {
    let path = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/videoland.prod.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn pointers(value: &Value, at: &str, out: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().enumerate().for_each(|(index, each)| {
            out.push(format!("{at}/{index}"));
            pointers(each, &format!("{at}/{index}"), out);
        }),
        Value::Object(members) => members.iter().for_each(|(key, each)| {
            let at = format!("{at}/{}", uiap_model::pointer::escape(key));
            out.push(at.clone());
            pointers(each, &at, out);
        }),
        _ => {}
    }
}

/// What says something about the build and nothing about the content.
fn is_content(pointer: &str) -> bool {
    !["/digest", "/version", "/buildContext", "/manifestIndex"].iter().any(|part| pointer.starts_with(part))
}

fn remove(value: &mut Value, pointer: &str) {
    let (parent, last) = pointer.rsplit_once('/').unwrap();
    match value.pointer_mut(parent).unwrap() {
        Value::Array(items) => drop(items.remove(last.parse().unwrap())),
        Value::Object(members) => drop(members.remove(&last.replace("~1", "/").replace("~0", "~"))),
        _ => {}
    }
}

/// Requirement: AUTH-11.2-01
#[test]
fn every_leaf_and_every_member_counts() {
    let base = golden();
    let mut places = Vec::new();
    pointers(&base, "", &mut places);
    let mut tried = 0;
    for place in places.iter().filter(|place| is_content(place)) {
        let mut gone = base.clone();
        remove(&mut gone, place);
        assert!(!diff_values(&base, &gone).unwrap().is_empty(), "nobody misses {place}");
        let mut changed = base.clone();
        let leaf = changed.pointer_mut(place).unwrap();
        match leaf {
            Value::String(text) => text.push('x'),
            Value::Bool(value) => *value = !*value,
            Value::Number(_) => *leaf = json!(987_654),
            _ => continue,
        }
        assert!(!diff_values(&base, &changed).unwrap().is_empty(), "nobody sees a change of {place}");
        tried += 1;
    }
    assert!(tried >= 150, "{tried} leaves are too few");
}

/// What is for people, or about people, never asks for more than a patch.
#[test]
fn words_for_people_are_never_more_than_a_patch() {
    let base = golden();
    let mut places = Vec::new();
    pointers(&base, "", &mut places);
    let texts = places.iter().filter(|place| {
        let last = place.rsplit('/').next().unwrap();
        let in_step = place.contains("/steps/");
        matches!(last, "title" | "description" | "displayName" | "meaning")
            || (last == "text" && in_step && place.starts_with("/workflows"))
            || (place.starts_with("/locales/"))
            || (last == "default" && (place.contains("/title/") || place.contains("/name/")))
    });
    let mut tried = 0;
    for place in texts {
        let mut changed = base.clone();
        let Some(Value::String(text)) = changed.pointer_mut(place) else { continue };
        text.push('!');
        let changes = diff_values(&base, &changed).unwrap();
        assert_eq!(level(&changes), Some(Level::Patch), "{place}: {changes:#?}");
        tried += 1;
    }
    assert!(tried >= 10, "{tried} texts are too few");
}

/// Two steps of change are never graver than the whole; the order of the two bundles turns additions into removals.
#[test]
fn additions_and_removals_mirror_each_other() {
    let base = golden();
    let mut fewer = base.clone();
    fewer["bindings"]["elements"].as_array_mut().unwrap().remove(0);
    let (there, back) = (diff_values(&base, &fewer).unwrap(), diff_values(&fewer, &base).unwrap());
    assert_eq!((level(&there), level(&back)), (Some(Level::Major), Some(Level::Minor)));
    assert_eq!(there.iter().map(|c| c.rule).collect::<Vec<_>>(), ["BC01"]);
    assert_eq!(back.iter().map(|c| c.rule).collect::<Vec<_>>(), ["MI01"]);
    assert_eq!((there[0].after.as_str(), back[0].before.as_str()), ("", ""));
    let mut least = fewer.clone();
    least["app"]["displayName"] = json!("Other");
    assert_eq!(level(&diff_values(&fewer, &least).unwrap()), Some(Level::Patch));
    assert_eq!(level(&diff_values(&base, &least).unwrap()), Some(Level::Major));
    assert!(diff_values(&base, &base).unwrap().is_empty());
}

/// What two packages say beyond their bundles: rule, part of the new text, what stands there instead.
#[test]
fn channels_overlays_reviews_and_layout_have_rules_too() {
    let stated = "---status\nprovenance: [ { source: manual } ]\n";
    let decisions = "decisions: [ { target: { manifestId: app }, state: approved, by: a, at: \"2026-01-01T00:00:00Z\" } ]";
    let overlay =
        "selector: {}\npatches: [ { manifestId: app, path: /spec/displayName, op: replace, value: N } ]";
    let base = Pkg::new()
        .with_metadata("b", "Bindings", stated, crate::support::ELEMENT)
        .with("r", "ReviewSet", decisions)
        .spec("publish:\n  channels:\n    - { name: dev }\n    - { name: staging, requiredReviewState: draft }\n");
    let edit = |path: &str, from: &str, to: &str| {
        let mut source = base.source();
        let text = source.iter().find(|(name, _)| *name == path).unwrap().1.to_vec();
        let edited = String::from_utf8(text).unwrap().replacen(from, to, 1);
        source.insert(path, edited);
        source
    };
    let cases = [
        ("BC19", edit("package.uiap.yaml", "      - { name: dev }\n", "")),
        ("MI09", edit("package.uiap.yaml", "{ name: dev }", "{ name: dev }\n      - { name: canary }")),
        ("PA02", edit("package.uiap.yaml", "requiredReviewState: draft", "requiredReviewState: in_review")),
        ("MI05", base.clone().with("o", "Overlay", overlay).source()),
        ("PA02", edit("b.uiap.yaml", "  id: b\n", "  id: b\n  tags: [new]\n")),
        ("PA02", edit("r.uiap.yaml", "by: a", "by: somebody")),
        ("PA04", edit("b.uiap.yaml", "source: manual", "source: generated")),
        ("PA05", edit("b.uiap.yaml", "kind: Bindings", "# words\nkind:   Bindings")),
    ];
    for (rule, new) in &cases {
        let changes = diff_sources(&base.source(), new, &Limits::DEFAULT).unwrap();
        assert_eq!(changes.iter().map(|change| change.rule).collect::<Vec<_>>(), [*rule], "{changes:#?}");
    }
    assert!(diff_sources(&base.source(), &base.source(), &Limits::DEFAULT).unwrap().is_empty());
    let broken = base.source().with("b.uiap.yaml", "a: [");
    let told = diff_sources(&base.source(), &broken, &Limits::DEFAULT).unwrap_err().to_string();
    assert!(told.contains("b.uiap.yaml"), "{told}");
    assert!(diff_sources(&base.source(), &MemorySource::new(), &Limits::DEFAULT).is_err());
}
