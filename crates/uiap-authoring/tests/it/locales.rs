//! Step 6: texts.

use serde_json::{Value, json};
use uiap_authoring::diagnostic::{Severity, codes};

use crate::support::{Look, Pkg, definition, ok, only_errors};

const PACK: &str = "namespaces:
  n:
    messages:
      hello: { default: Hello, byLocale: { de: Hallo, de-CH: Grüezi } }
      plain: { default: Plain }
      en.only: { default: Fallback, byLocale: { en: English } }
";

fn pkg(title: &str) -> Pkg {
    let workflow = definition("w", "0.1.0").replace("title: { default: Title }", &format!("title: {title}"));
    Pkg::empty()
        .with("app", "App", "appId: demo\ndisplayName: Demo\ndefaultLocale: en\nsupportedLocales: [en, de]\n")
        .with("l", "LocalePack", PACK)
        .with("w", "WorkflowCatalog", &format!("workflows:\n  - definition: {workflow}\n"))
}

fn title(pkg: Pkg, locale: &str) -> Value {
    let pkg =
        if locale.is_empty() { pkg } else { pkg.context(|context| context.locale = Some(locale.into())) };
    ok(&pkg.build())["workflows"][0]["title"].clone()
}

/// Requirement: AUTH-5.7-02
/// Requirement: AUTH-5.7-03
/// Requirement: AUTH-5.7-04
/// Case: AUTH-115
#[test]
fn a_text_is_looked_for_from_the_locale_up_to_the_default() {
    for (locale, text) in [("de-CH", "Grüezi"), ("DE-at", "Hallo"), ("de", "Hallo"), ("fr", "Hello")] {
        assert_eq!(title(pkg("{ ref: n.hello }"), locale), text, "{locale}");
    }
    assert_eq!(title(pkg("{ ref: n.en.only }"), "de"), "English");
    assert_eq!(title(pkg("{ ref: n.plain }"), "de"), "Plain");
    assert_eq!(title(pkg("{ default: A, byLocale: { de: B } }"), "de"), "B");
    assert_eq!(title(pkg("Just text"), "de"), "Just text");
    assert_eq!(
        title(pkg("{ ref: n.hello }"), ""),
        json!({ "default": "Hello", "byLocale": { "de": "Hallo", "de-CH": "Grüezi" } })
    );
}

/// Requirement: AUTH-5.7-05
/// Requirement: AUTH-7-07
/// Case: AUTH-116
/// Case: AUTH-121
#[test]
fn a_missing_text_is_told_and_never_left_as_a_reference() {
    let fallback = pkg("{ ref: n.helo, fallback: Hi }").build();
    assert_eq!(ok(&fallback)["workflows"][0]["title"], "Hi");
    assert!(fallback.story(codes::TEXT_FALLBACK).contains("did you mean `n.hello`?"));
    let missing = pkg("{ ref: n.nothing }").build();
    assert!(missing.has(codes::TEXT_MISSING));
    assert!(!String::from_utf8(missing.bundle.as_ref().unwrap().bytes.clone()).unwrap().contains("\"ref\""));
    let strict = pkg("{ ref: n.nothing }").options(|options| options.strict = true).build();
    only_errors(&strict, &[codes::TEXT_MISSING]);
    let overlay = "selector: {}\npatches: [ { manifestId: w, path: /spec/workflows/0/definition/title, op: replace, value: { ref: n.hello } } ]";
    assert_eq!(title(pkg("Old").with("o", "Overlay", overlay), "de"), "Hallo");
    assert!(pkg("{ other: x }").build().diagnostics.has_errors());
}

/// Case: AUTH-117
#[test]
fn the_longest_namespace_wins_unless_the_texts_differ() {
    let more = |text: &str| format!("namespaces: {{ n.en: {{ messages: {{ only: {text} }} }} }}");
    let same = pkg("{ ref: n.en.only }").with(
        "l2",
        "LocalePack",
        &more("{ default: Fallback, byLocale: { en: English } }"),
    );
    assert_eq!(title(same, "en"), "English");
    let differs = pkg("{ ref: n.en.only }").with("l2", "LocalePack", &more("{ default: Other }")).build();
    only_errors(&differs, &[codes::AMBIGUOUS_TEXT]);
    assert_eq!(differs.others(codes::AMBIGUOUS_TEXT).len(), 2);
}

/// Requirement: AUTH-7.1-08
/// Case: AUTH-067
#[test]
fn packs_are_merged_by_namespace_key_and_locale() {
    let more = |text: &str| format!("namespaces: {{ n: {{ messages: {{ hello: {text} }} }} }}");
    let added = pkg("{ ref: n.hello }").with(
        "l2",
        "LocalePack",
        &more("{ default: Hello, byLocale: { fr: Salut } }"),
    );
    assert_eq!(title(added, "fr"), "Salut");
    let conflict =
        pkg("x").with("l2", "LocalePack", &more("{ default: Hello, byLocale: { de: Servus } }")).build();
    only_errors(&conflict, &[codes::TEXT_CONFLICT]);
    assert_eq!(conflict.others(codes::TEXT_CONFLICT).len(), 2);
    assert!(
        pkg("x")
            .with("l2", "LocalePack", &more("{ byLocale: { de: A } }"))
            .build()
            .has(codes::MISSING_MEMBER)
    );
}

/// Requirement: AUTH-5.7-01
/// Case: AUTH-118
/// Case: AUTH-119
/// Case: AUTH-120
/// Case: AUTH-122
#[test]
fn locales_are_tags_and_their_coverage_is_told() {
    let app = |default: &str, supported: &str| {
        let spec = format!(
            "appId: demo\ndisplayName: Demo\ndefaultLocale: {default}\nsupportedLocales: {supported}\n"
        );
        pkg("x").with("app", "App", &spec).build()
    };
    let underscore = app("en", "[en, de_CH]");
    only_errors(&underscore, &[codes::BAD_LOCALE]);
    let fix = underscore.diagnostics.iter().find_map(|d| d.fix.clone()).unwrap();
    assert_eq!(fix.edits[0].replacement, "de-CH");
    only_errors(&app("fr", "[en, de]"), &[codes::DEFAULT_LOCALE]);
    let gaps = app("en", "[en, fr]");
    assert!(gaps.told(Severity::Warning).iter().any(|line| line.contains("`fr` has 0 of 3 texts")));
    let french = gaps.report.locales.iter().find(|entry| entry.locale == "fr").unwrap();
    assert_eq!((french.present, french.total), (0, 3));
    let slots = "namespaces: { m: { messages: { k: { default: \"Hi {name}\", byLocale: { de: Hallo } } } } }";
    assert!(pkg("x").with("m", "LocalePack", slots).build().has(codes::PLACEHOLDERS));
}

/// Case: AUTH-123
#[test]
fn the_locale_changes_texts_and_nothing_else() {
    let strip = |locale: &str| {
        let mut json =
            ok(&pkg("{ ref: n.hello }").context(|context| context.locale = Some(locale.into())).build());
        for key in ["digest", "locales", "buildContext"] {
            json.as_object_mut().unwrap().remove(key);
        }
        json["workflows"][0]["title"] = Value::Null;
        json
    };
    assert_eq!(strip("de"), strip("en"));
}
