//! The example package: built for both channels, compared with what it always was.

use std::path::PathBuf;

use serde_json::Value;
use uiap_authoring::build::{BuildOptions, Built, build};
use uiap_authoring::diagnostic::codes;
use uiap_authoring::files::{DirectoryRegistry, DirectorySource, MemorySource, PackageSource};
use uiap_authoring::instant::Instant;
use uiap_authoring::source::Limits;
use uiap_model::authoring::{BuildContext, ReleaseChannel};

use crate::support::{Look, ok};

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/packages")
}

fn options(channel: &str) -> BuildOptions {
    let context = BuildContext { channel: ReleaseChannel::parse(channel), ..BuildContext::default() };
    BuildOptions { context, now: Instant::parse("2026-04-01T00:00:00Z"), ..BuildOptions::default() }
}

fn registry() -> DirectoryRegistry {
    DirectoryRegistry::new([fixtures().join("registry")])
}

fn built(channel: &str) -> Built {
    build(&DirectorySource::new(fixtures().join("videoland")), &registry(), &options(channel))
}

/// The package in memory, for changes.
fn copy() -> MemorySource {
    let source = DirectorySource::new(fixtures().join("videoland"));
    source.list().into_iter().fold(MemorySource::new(), |copy, path| {
        let text = source.read(&path, &Limits::DEFAULT).unwrap().text().to_owned();
        copy.with(&path, text)
    })
}

/// Set `UIAP_BLESS=1` to accept a change on purpose.
fn golden(name: &str, bytes: &[u8]) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let pretty =
        serde_json::to_string_pretty(&serde_json::from_slice::<Value>(bytes).unwrap()).unwrap() + "\n";
    if std::env::var_os("UIAP_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &pretty).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), pretty, "{name} changed");
}

/// Requirement: AUTH-15-01
/// Requirement: AUTH-7-10
/// Requirement: AUTH-13-11
/// Requirement: AUTH-1-01
/// Case: AUTH-097
#[test]
fn both_channels_give_the_bundles_that_they_always_gave() {
    for channel in ["staging", "prod"] {
        let built = built(channel);
        ok(&built);
        golden(&format!("videoland.{channel}.json"), &built.bundle.unwrap().bytes);
    }
    assert_eq!(
        ok(&build(
            &copy(),
            &registry(),
            &BuildOptions { now: Instant::parse("2026-04-01T00:00:00Z"), ..BuildOptions::default() }
        ))["buildContext"]["channel"],
        "staging"
    );
    let mut lacking = copy();
    lacking.remove("app.uiap.yaml");
    let broken = build(&lacking, &registry(), &options("staging"));
    assert!(broken.story(codes::MANIFEST_MISSING).contains("app.uiap.yaml"));
}

/// Requirement: AUTH-15-02
/// Case: AUTH-097
#[test]
fn production_is_overlaid_and_staging_is_not() {
    let (staging, prod) = (ok(&built("staging")), ok(&built("prod")));
    let default = |bundle: &Value| bundle["policies"][1]["document"]["defaults"]["onUnknownAction"].clone();
    assert_eq!((default(&staging), default(&prod)), ("confirm".into(), "deny".into()));
    assert_eq!(staging["workflows"][0]["version"], "0.1.0");
    assert_eq!(staging["workflows"][0]["interactionModes"], serde_json::json!(["guide", "assist", "auto"]));
    assert_eq!(prod["workflows"][0]["version"], "0.1.1");
    assert_eq!(prod["workflows"][0]["interactionModes"], serde_json::json!(["guide", "assist"]));
    assert_eq!(
        (staging["workflows"].as_array().unwrap().len(), prod["workflows"].as_array().unwrap().len()),
        (1, 1)
    );
}

/// Requirement: AUTH-15-03
/// Case: AUTH-125
#[test]
fn the_approval_of_the_item_opens_production() {
    let text = std::fs::read_to_string(fixtures().join("videoland/reviews/approvals.uiap.yaml")).unwrap();
    let rejected =
        copy().with("reviews/approvals.uiap.yaml", text.replace("state: approved", "state: rejected"));
    let start = text.find("  decisions:").unwrap();
    let none = copy().with("reviews/approvals.uiap.yaml", format!("{}  decisions: []\n", &text[..start]));
    for source in [rejected, none] {
        let built = build(&source, &registry(), &options("prod"));
        assert!(built.bundle.is_none());
        let failure = &built.report.gates.as_ref().unwrap().failures[0];
        assert_eq!(failure.manifest_id, "workflows.onboarding");
        assert_eq!(failure.item_id.as_deref(), Some("video.create_first_video"));
    }
}

#[test]
fn where_a_value_comes_from_can_be_asked() {
    let mut options = options("prod");
    options.explain = Some("/policies/default/document/defaults/onUnknownAction".to_owned());
    let built = build(&DirectorySource::new(fixtures().join("videoland")), &registry(), &options);
    let explanation = built.report.explanation.unwrap();
    assert_eq!(explanation.value, "\"deny\"");
    assert!(explanation.origins[0].place.ends_with("overlays/prod.uiap.yaml:13:14"), "{explanation:#?}");
    assert_eq!(explanation.origins[0].manifest, "overlays.prod");
    assert_eq!(explanation.origins[1].manifest, "policies.default");
}
