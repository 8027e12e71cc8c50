//! The App: environments, profiles, routing.

use std::collections::HashMap;

use super::Checker;
use crate::build::finding::{AlsoAt, at_value};
use crate::diagnostic::{Severity, codes};
use crate::tree::At;

pub(super) fn check(checker: &mut Checker<'_, '_>) {
    let Some(app) = checker.content.app else { return };
    for (list, what) in [("environments", "environment"), ("principalProfiles", "principal profile")] {
        let mut seen: HashMap<&str, At<'_>> = HashMap::new();
        for entry in app.list(list) {
            let Some(id_at) = entry.get("id") else { continue };
            let Some(id) = id_at.as_str() else { continue };
            if let Some(first) = seen.insert(id, id_at) {
                let message = format!("{what} `{id}` is declared twice");
                checker.report(
                    at_value(codes::DUPLICATE_NAME, id_at, message).also(first, "first declared here"),
                );
            }
        }
    }
    for url in app.list("environments").flat_map(|environment| environment.list("baseUrls")) {
        let Some(text) = url.as_str() else { continue };
        if !is_base_url(text) {
            checker.report(
                at_value(codes::BAD_URL, url, format!("`{text}` is no base URL"))
                    .help("write scheme and host, such as `https://app.example.com`"),
            );
        }
    }
    for section in ["routing", "sdk"] {
        if let Some(at) = app.descend(&[section, "routeProviderRef"])
            && at.as_str().is_some_and(|text| text.trim().is_empty())
        {
            checker.report(at_value(codes::EMPTY_REFERENCE, at, "`routeProviderRef` is empty"));
        }
    }
    if let Some(at) = app.descend(&["sdk", "annotationPrefix"])
        && at.as_str().is_some_and(|prefix| prefix != "data-uiap-")
    {
        checker.report(
            at_value(codes::ANNOTATION_PREFIX, at, "annotations use another prefix than `data-uiap-`")
                .severity(Severity::Info),
        );
    }
}

fn is_base_url(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
    host.is_some_and(|host| !host.is_empty() && !host.contains(char::is_whitespace) && !host.contains('@'))
}
