//! The envelope's metadata: what every kind of manifest may say about itself.

use uiap_authoring::diagnostic::codes;

use crate::package::BuildWith;
use crate::support::{ELEMENT, Look, Pkg, ok};

fn with(metadata: &str) -> Pkg {
    Pkg::new().with_metadata("b", "Bindings", metadata, ELEMENT)
}

/// Fails unless the value is refused with every allowed word, and the path is named.
#[track_caller]
fn refused(metadata: &str, path: &str, words: &[&str]) {
    let built = with(metadata).build();
    assert!(built.bundle.is_none());
    let story = built.diagnostics.iter().map(|d| format!("{} {:?} {:?}", d.message, d.notes, d.help));
    let story: String = story.collect();
    assert!(story.contains(&format!("at `{path}`")), "{metadata}: {story}");
    for word in words {
        assert!(story.contains(word), "{metadata}: no {word} in {story}");
    }
}

/// Requirement: AUTH-3.1-01
#[test]
fn an_id_is_enough_and_everything_else_keeps_its_form() {
    ok(&with("").build());
    ok(&with("title: T\ndescription: D\nversion: 1.2.3\npackageId: demo.uiap\nlabels: { team: blue }\ntags: [a]\nowners: [ { id: me } ]\nsource: manual\nreviewState: draft\n").build());
    refused("labels: { team: 7 }\n", "/metadata/labels/team", &["a string"]);
    refused("tags: x\n", "/metadata/tags", &["a list"]);
    refused("owner: me\n", "/metadata/owner", &["owners"]);
    let file = |text: &str| Pkg::new().with("b", "Bindings", ELEMENT).build_with("b.uiap.yaml", text);
    let good = crate::support::manifest("b", "Bindings", "", ELEMENT);
    let none = file(&good.replace("  id: b\n", "  title: T\n"));
    assert!(none.story(codes::MISSING_MEMBER).contains("`id` is missing"));
    assert!(none.story(codes::MISSING_MEMBER).contains("/metadata"));
    let empty = file(&good.replace("  id: b\n", "  id: \"\"\n"));
    assert!(empty.bundle.is_none() && empty.story(codes::BAD_FORMAT).contains("/metadata/id"));
}

/// Requirement: AUTH-3.1-05
#[test]
fn the_source_is_one_of_four_words() {
    for word in ["manual", "generated", "mixed", "imported"] {
        ok(&with(&format!("source: {word}\n")).build());
    }
    for word in ["auto", "discovery", "Manual", "\"\""] {
        let words = if word == "Manual" {
            &["`manual`"][..]
        } else {
            &["`manual`", "`generated`", "`mixed`", "`imported`"]
        };
        refused(&format!("source: {word}\n"), "/metadata/source", words);
    }
}

/// Requirement: AUTH-3.1-06
#[test]
fn the_review_state_is_one_of_six_words() {
    for word in ["draft", "generated", "in_review", "approved", "deprecated"] {
        ok(&with(&format!("reviewState: {word}\n")).build());
    }
    assert!(!with("reviewState: rejected\n").build().has(codes::UNKNOWN_VALUE));
    let all = ["`draft`", "`generated`", "`in_review`", "`approved`", "`rejected`", "`deprecated`"];
    refused("reviewState: needs_review\n", "/metadata/reviewState", &all);
    refused("reviewState: Approved\n", "/metadata/reviewState", &["did you mean `approved`?"]);
}

/// Requirement: AUTH-3.1-08
#[test]
fn an_owner_has_an_id_and_one_of_four_roles() {
    for role in ["owner", "maintainer", "reviewer", "approver"] {
        ok(&with(&format!("owners: [ {{ id: me, role: {role}, contact: me@example.com }} ]\n")).build());
    }
    ok(&with("owners: [ { id: me } ]\n").build());
    refused("owners: [ { role: owner } ]\n", "/metadata/owners/0", &["`id` is missing"]);
    let all = ["`owner`", "`maintainer`", "`reviewer`", "`approver`"];
    refused("owners: [ { id: me, role: admin } ]\n", "/metadata/owners/0/role", &all);
}

/// Requirement: AUTH-10-03
#[test]
fn content_without_an_origin_is_listed() {
    let stated = "---status\nprovenance: [ { source: manual } ]\n";
    let pkg = with(stated).with("a", "Actions", "actions: []");
    let built = pkg.build();
    assert_eq!(built.report.without_provenance, ["app", "a"]);
    assert!(!built.has(codes::NO_PROVENANCE));
    let strict = pkg.options(|options| options.strict = true).build();
    assert_eq!(strict.count(codes::NO_PROVENANCE), 2);
    let both = with(stated).with_metadata("app", "App", stated, crate::support::APP);
    let built = both.options(|options| options.strict = true).build();
    assert!(built.report.without_provenance.is_empty() && !built.has(codes::NO_PROVENANCE));
}
