//! A new package: the recommended layout, with content that checks and builds. Spec: authoring §14.

use std::fmt::Write;

use crate::files::MemorySource;

/// What a new package is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPackage {
    /// `videoland`; becomes `videoland.uiap`.
    pub app_id: String,
    /// Shown to people.
    pub display_name: String,
    /// Where the app runs.
    pub base_url: String,
}

/// A name that cannot become an id.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` cannot be an app id: use letters, digits, `.`, `_` and `-`")]
pub struct BadAppId(String);

const DECISION_TIME: &str = "2026-01-01T00:00:00Z";

/// The files of a new package, by path.
pub fn scaffold(new: &NewPackage) -> Result<MemorySource, BadAppId> {
    let id = &new.app_id;
    let plain = id.starts_with(|c: char| c.is_ascii_alphanumeric())
        && id.len() <= 100
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
    if !plain {
        return Err(BadAppId(id.clone()));
    }
    let name = quoted(&new.display_name);
    let url = quoted(&new.base_url);
    let mut files = MemorySource::new();
    let mut add = |path: &str, kind: &str, manifest: &str, spec: &str| {
        let version = if kind == "Package" { "  version: 0.1.0\n" } else { "" };
        let head = format!(
            "apiVersion: uiap.authoring/v0.1\nkind: {kind}\nmetadata:\n  id: {manifest}\n{version}  reviewState: draft\nspec:\n"
        );
        files.insert(path, head + spec);
    };
    add("package.uiap.yaml", "Package", &format!("package.{id}"), &package(id));
    add(
        "app.uiap.yaml",
        "App",
        "app.core",
        &format!(
            "  appId: {id}\n  displayName: {name}\n  defaultLocale: en\n  supportedLocales: [en]\n  environments:\n    - id: dev\n      \
             baseUrls: [{url}]\n  sdk:\n    annotationPrefix: data-uiap-\n"
        ),
    );
    add(
        "bindings/routes.uiap.yaml",
        "Bindings",
        "bindings.routes",
        "  routes:\n    - id: home\n      match:\n        - { kind: path, value: / }\n      title: { ref: route.home, fallback: Home }\n",
    );
    add("bindings/elements.uiap.yaml", "Bindings", "bindings.elements", "  elements: []\n");
    add("actions/core.uiap.yaml", "Actions", "actions.core", "  actions: []\n");
    add(
        "policies/default.uiap.yaml",
        "PolicySet",
        "policies.default",
        "  policies:\n    - id: default\n      document:\n        modelVersion: \"0.1\"\n        id: default\n        defaults:\n          \
         onUnknownAction: deny\n          byRisk: { safe: allow, confirm: confirm, blocked: deny }\n",
    );
    add("workflows/onboarding.uiap.yaml", "WorkflowCatalog", "workflows.onboarding", "  workflows: []\n");
    add(
        "locales/common.uiap.yaml",
        "LocalePack",
        "locales.common",
        "  namespaces:\n    route:\n      messages:\n        home: { default: Home }\n",
    );
    let mut approvals = String::new();
    for manifest in CONTENT {
        // Writing to a string cannot fail.
        let _ = write!(
            approvals,
            "    - target: {{ manifestId: {manifest} }}\n      state: approved\n      by: init\n      at: \"{DECISION_TIME}\"\n"
        );
    }
    add(
        "reviews/approvals.uiap.yaml",
        "ReviewSet",
        "reviews.approvals",
        &format!(
            "  # The empty start is approved; everything that you add needs a decision of its own.\n  decisions:\n{approvals}"
        ),
    );
    Ok(files)
}

const CONTENT: &[&str] = &[
    "app.core",
    "bindings.routes",
    "bindings.elements",
    "actions.core",
    "policies.default",
    "workflows.onboarding",
    "locales.common",
];

fn package(id: &str) -> String {
    format!(
        "  packageId: {id}.uiap\n  version: 0.1.0\n  compatibility:\n    uiapCore: \">=0.1 <0.2\"\n  manifests:\n    \
         - {{ id: app.core, kind: App, path: app.uiap.yaml }}\n    \
         - {{ id: bindings.routes, kind: Bindings, path: bindings/routes.uiap.yaml }}\n    \
         - {{ id: bindings.elements, kind: Bindings, path: bindings/elements.uiap.yaml }}\n    \
         - {{ id: actions.core, kind: Actions, path: actions/core.uiap.yaml }}\n    \
         - {{ id: policies.default, kind: PolicySet, path: policies/default.uiap.yaml }}\n    \
         - {{ id: workflows.onboarding, kind: WorkflowCatalog, path: workflows/onboarding.uiap.yaml }}\n    \
         - {{ id: locales.common, kind: LocalePack, path: locales/common.uiap.yaml }}\n    \
         - {{ id: reviews.approvals, kind: ReviewSet, path: reviews/approvals.uiap.yaml }}\n  publish:\n    defaultChannel: dev\n    \
         channels:\n      - name: dev\n        requiredReviewState: draft\n        allowWaivers: true\n      - name: staging\n        \
         requiredReviewState: in_review\n        allowWaivers: true\n      - name: prod\n        requiredReviewState: approved\n        \
         forbidGeneratedOnly: true\n        requireDigest: true\n"
    )
}

/// A double-quoted YAML scalar; JSON strings are one.
fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}
