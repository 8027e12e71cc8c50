//! What came of an action, in few words.

use std::collections::HashMap;
use std::sync::Arc;

use uiap_model::action::result::{ActionResultPayload, ActionStatus};
use uiap_model::capability::SuccessSignal;
use uiap_model::names::{DocumentId, ElementInstanceId};
use uiap_model::web::{ElementNode, PageGraph, RouteState};
use uiap_policy::{Redactor, Situation};
use uiap_runtime::scene::{Entry, Event};
use uiap_runtime::text::{self, Refs, harmless, quoted};

/// Changes that are told one by one.
const MOST: usize = 40;
/// Tokens that a page gets when it is told in the place of its changes.
const PAGE: usize = 1_000;

/// One line: how it ended, what was seen of it, and what became of the app.
pub(super) fn result(result: &ActionResultPayload) -> String {
    let target = result.resolved_target.as_ref().map_or_else(String::new, |target| {
        format!(" {} {}", target.role, quoted(target.name.as_deref().unwrap_or_default(), 60))
    });
    let action = result.action_id.as_str();
    let effect = result.side_effect();
    let mut text = match result.status {
        ActionStatus::Succeeded => {
            let seen: Vec<String> = result.verification.observed.iter().take(3).map(signal).collect();
            let seen = if seen.is_empty() { String::new() } else { format!(": {}", seen.join(", ")) };
            format!("verified {action}{target}{seen}\n")
        }
        status => {
            let error = result.error.as_ref();
            let code = error.map(|error| error.code.to_string()).unwrap_or_default();
            let message = error.map(|error| harmless(&error.message, 300)).unwrap_or_default();
            let missing: Vec<String> =
                result.verification.missing.iter().flatten().take(3).map(signal).collect();
            let missing =
                if missing.is_empty() { String::new() } else { format!("; missing {}", missing.join(", ")) };
            format!("{status} {action}{target}: {code}, {message}{missing} (side effect {effect})\n")
        }
    };
    if let Some(value) = &result.return_value {
        let told = serde_json::Value::Object(value.0.clone()).to_string();
        text.push_str(&format!("returned {}\n", harmless(&told, 2_000)));
    }
    text
}

fn signal(signal: &SuccessSignal) -> String {
    match signal {
        SuccessSignal::ToastContains { text } => format!("toast {}", quoted(text, 80)),
        SuccessSignal::StatusContains { text } => format!("status {}", quoted(text, 80)),
        SuccessSignal::RouteChanged { exact: Some(path), .. } => format!("route {}", harmless(path, 80)),
        SuccessSignal::ValueEquals { .. } => "value".to_owned(),
        SuccessSignal::Custom { name, .. } => harmless(name.strip_prefix("uiap.").unwrap_or(name), 60),
        other => other.tag().to_owned(),
    }
}

/// Changes of several revisions as one.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Another document is shown.
    fresh: bool,
    route: Option<RouteState>,
    order: Vec<ElementInstanceId>,
    elements: HashMap<ElementInstanceId, Both>,
}

#[derive(Debug)]
struct Both {
    document: DocumentId,
    before: Option<Arc<ElementNode>>,
    after: Option<Arc<ElementNode>>,
}

/// Puts together what was seen.
pub(super) fn changes(entries: &[Entry]) -> Changes {
    let mut changes = Changes::default();
    let mut route: Option<RouteState> = None;
    for entry in entries {
        let Event::Revision(seen) = &entry.event else { continue };
        if seen.is_fresh {
            changes = Changes { fresh: true, ..Changes::default() };
        }
        if route.as_ref().is_some_and(|before| before.url != seen.graph.route.url) {
            changes.route = Some(seen.graph.route.clone());
        }
        route = Some(seen.graph.route.clone());
        for touched in &seen.elements {
            let Some(node) = touched.after.as_ref().or(touched.before.as_ref()) else { continue };
            let id = node.instance_id.clone();
            if let Some(both) = changes.elements.get_mut(&id) {
                both.after.clone_from(&touched.after);
                continue;
            }
            changes.order.push(id.clone());
            let both = Both {
                document: touched.document_id.clone(),
                before: touched.before.clone(),
                after: touched.after.clone(),
            };
            changes.elements.insert(id, both);
        }
    }
    changes
}

impl Changes {
    /// Without what must not be shown.
    pub(super) fn covered(mut self, redactor: &Redactor) -> Self {
        let cover = |node: &mut Option<Arc<ElementNode>>| {
            let shown = node.as_ref().and_then(|node| redactor.element(node, &Situation::default()));
            if let Some(shown) = shown {
                *node = Some(Arc::new(shown));
            }
        };
        for both in self.elements.values_mut() {
            cover(&mut both.before);
            cover(&mut both.after);
        }
        if let Some(route) = &mut self.route {
            route.url = redactor.url(&route.url).into();
        }
        self
    }

    pub(super) fn text(&self, graph: &PageGraph, refs: &mut Refs, budget: usize) -> String {
        // Most of a page is told better as a page.
        if self.fresh || self.order.len() > MOST {
            let options = text::TextOptions { budget: Some(budget.max(PAGE)), scope: None };
            return text::page(graph, refs, &options).text;
        }
        let elements = self.order.iter().filter_map(|id| self.elements.get(id));
        let told = text::Change {
            base: None,
            route: self.route.as_ref(),
            elements: elements
                .map(|both| (&both.document, both.before.as_deref(), both.after.as_deref()))
                .collect(),
            notes: Vec::new(),
        };
        text::change(graph, refs, &told, budget)
    }
}
