//! What the script answers to an observer.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde::Deserialize;
use uiap_model::names::{DocumentId, ElementInstanceId};
use uiap_model::web::delta::WebDeltaOp;

use super::{Activation, PageEvent, PageEventKind, RouteChange};
use crate::capture;

/// The first line of an answer; a graph may follow.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Answer {
    pub(super) took: f64,
    pub(super) fresh: String,
    pub(super) events: Vec<SentEvent>,
    pub(super) lost: u64,
    pub(super) ops: Vec<WebDeltaOp>,
    pub(super) success: BTreeMap<String, Option<String>>,
    /// What whoever listened to an input did.
    pub(super) caused: HashSet<ElementInstanceId>,
    pub(super) next_id: u64,
}

/// An event as the script writes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SentEvent {
    at: f64,
    document_id: DocumentId,
    kind: String,
    by: Option<String>,
    detail: Option<String>,
    id: Option<ElementInstanceId>,
    url: Option<String>,
    how: Option<String>,
}

impl SentEvent {
    /// The event; none when the script knows more than this crate.
    pub(super) fn read(self) -> Option<PageEvent> {
        let kind = match self.kind.as_str() {
            "activation" if self.by.as_deref() == Some("key") => PageEventKind::Activation(Activation::Key),
            "activation" => PageEventKind::Activation(Activation::Pointer),
            "lapsed" => PageEventKind::ActivationLapsed,
            "signal" => PageEventKind::Signal(serde_json::from_str(&self.detail?).ok()?),
            "focus" => PageEventKind::Focus(self.id),
            "invalid" => PageEventKind::Invalid(self.id),
            "route" => {
                let how = match self.how.as_deref() {
                    Some("push") => RouteChange::Push,
                    Some("traverse") => RouteChange::Traverse,
                    Some("reload") => RouteChange::Reload,
                    _ => RouteChange::Replace,
                };
                PageEventKind::Route { url: self.url?, how }
            }
            _ => return None,
        };
        Some(PageEvent { at_ms: self.at, document_id: self.document_id, kind })
    }
}

/// Puts declared success signals into the operations on their elements; what is not a list of signals is left out.
pub(super) fn declare(ops: &mut [WebDeltaOp], declared: &BTreeMap<String, Option<String>>) {
    if declared.is_empty() {
        return;
    }
    for op in ops {
        match op {
            WebDeltaOp::ElementUpsert { element, .. } => {
                if let Some(text) = declared.get(element.instance_id.as_str()) {
                    let id = element.instance_id.to_string();
                    Arc::make_mut(element).success = text.as_deref().and_then(|text| signals(&id, text));
                }
            }
            WebDeltaOp::ElementPatch { instance_id, patch, .. } => {
                if let Some(text) = declared.get(instance_id.as_str()) {
                    let signals = text.as_deref().and_then(|text| signals(instance_id.as_str(), text));
                    patch.success =
                        Some(signals.map_or(uiap_model::json::Change::Clear, uiap_model::json::Change::Set));
                }
            }
            _ => {}
        }
    }
}

fn signals(id: &str, text: &str) -> Option<Vec<uiap_model::capability::SuccessSignal>> {
    let mut warnings = Vec::new();
    let signals = capture::success(id, text, &mut warnings);
    for warning in warnings {
        tracing::warn!("{warning}");
    }
    signals
}
