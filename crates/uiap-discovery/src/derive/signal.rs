//! Signs of success out of what was observed. Spec: discovery-mapper §15.5.

use std::collections::BTreeMap;

use compact_str::CompactString;
use uiap_model::capability::SuccessSignal;

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
