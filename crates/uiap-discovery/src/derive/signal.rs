//! Signs of success out of what was observed. Spec: discovery-mapper §15.5.

use std::collections::BTreeMap;

use compact_str::CompactString;
use serde_json::{Value, json};
use uiap_model::capability::{SuccessSignal, UIRole};
use uiap_model::web::{ElementNode, PageGraph};

use super::name::{is_lasting, scope_id};
use super::route::Routes;
use crate::template;

/// Signals in a fixed order, each once, with addresses turned into the patterns that were learned.
pub(crate) fn tidy(signals: &[SuccessSignal], routes: &Routes) -> Vec<SuccessSignal> {
    let mut sorted: BTreeMap<String, SuccessSignal> = BTreeMap::new();
    for signal in signals {
        let signal = match signal {
            SuccessSignal::RouteChanged { pattern: None, exact: Some(exact) } => by_pattern(exact, routes),
            other => other.clone(),
        };
        sorted.insert(serde_json::to_string(&signal).unwrap_or_default(), signal);
    }
    sorted.into_values().collect()
}

fn by_pattern(exact: &str, routes: &Routes) -> SuccessSignal {
    let path = template::path_of(exact);
    match routes.fitting(&path) {
        Some(pattern) if pattern.contains("/:") => {
            SuccessSignal::RouteChanged { pattern: Some(CompactString::from(pattern)), exact: None }
        }
        _ => SuccessSignal::RouteChanged { pattern: None, exact: Some(exact.into()) },
    }
}

/// What all of them have in common.
pub(crate) fn common<'a>(lists: impl IntoIterator<Item = &'a [SuccessSignal]>) -> Vec<SuccessSignal> {
    let mut lists = lists.into_iter();
    let mut kept: Vec<SuccessSignal> = lists.next().map(<[SuccessSignal]>::to_vec).unwrap_or_default();
    for list in lists {
        kept.retain(|signal| list.contains(signal));
    }
    kept
}

/// Where a state would tell of success: its regions for toasts and statuses, and what the app declares of its controls. Nothing of
/// what they say at the moment.
pub(crate) fn candidates(graph: &PageGraph) -> Vec<Value> {
    let mut found: BTreeMap<String, Value> = BTreeMap::new();
    let mut add = |candidate: Value| drop(found.insert(candidate.to_string(), candidate));
    for (_, scope, element) in graph.elements() {
        if let Some(kind) = told_by(element) {
            let scope = scope_id(scope.id.as_str());
            let own = element.stable_id.as_ref().filter(|id| is_lasting(id.as_str()));
            add(match own {
                Some(id) => json!({ "kind": kind, "scopeId": scope, "stableId": id.as_str() }),
                None => json!({ "kind": kind, "scopeId": scope }),
            });
        }
        for signal in element.success.iter().flatten() {
            add(serde_json::to_value(signal).unwrap_or_default());
        }
    }
    found.into_values().collect()
}

fn told_by(element: &ElementNode) -> Option<&'static str> {
    let declared = element.metadata.as_ref().and_then(|metadata| metadata.0.get("signal")?.as_str());
    match (declared, &element.role) {
        (Some("toast"), _) | (_, UIRole::Toast) => Some("toast.contains"),
        (Some("status"), _) | (_, UIRole::Status | UIRole::Alert) => Some("status.contains"),
        (Some("validation"), _) => Some("validation.none"),
        _ => None,
    }
}
