//! From what the script saw to a page graph.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use uiap_model::capability::SuccessSignal;
use uiap_model::capability::document::ModelVersion;
use uiap_model::json::{Count, JsonObject};
use uiap_model::names::{DocumentId, RevisionId, ScopeId, Timestamp};
use uiap_model::web::PageGraph;
use uiap_model::web::graph::WebProfile;
use uiap_model::web::message::SnapshotOptions;

use crate::transfer::Sent;

/// Elements that are published where nobody says how many.
pub(crate) const DEFAULT_MAX_ELEMENTS: u64 = 500;
/// Longest text of a field or of a region that speaks.
const MAX_TEXT: u64 = 2_000;
/// Nodes of one document that are looked at; a page beyond that is cut and says so.
const MAX_NODES: u64 = 300_000;

/// What a capture shall hold, beyond what the protocol's own options can say.
#[derive(Debug, Clone, Default)]
pub struct CaptureOptions {
    /// The protocol's options.
    pub snapshot: Option<SnapshotOptions>,
    /// Long collections are not walked beyond what the window shows of them: the cost follows the window and the budget, not
    /// the page. What was left out is counted in the graph's `metadata.omitted`, and collections tell what they hold.
    pub viewport_only: bool,
}

/// A graph, and what it cost.
#[derive(Debug, Clone)]
pub struct Captured {
    /// The page.
    pub graph: PageGraph,
    /// Time spent in the page.
    pub in_page: Duration,
    /// Length of the text that crossed the border.
    pub bytes: usize,
}

/// What the script is asked for.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Request<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    documents: Option<&'a [DocumentId]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scopes: Option<&'a [ScopeId]>,
    include_hidden: bool,
    #[serde(rename = "includeBBox")]
    include_bbox: bool,
    include_options: bool,
    max_elements: u64,
    max_text: u64,
    max_nodes: u64,
    viewport_only: bool,
}

impl<'a> Request<'a> {
    pub(crate) fn new(options: Option<&'a SnapshotOptions>, viewport_only: bool) -> Self {
        let flag = |choose: fn(&SnapshotOptions) -> Option<bool>| options.and_then(choose);
        Self {
            documents: options.and_then(|options| options.documents.as_deref()),
            scopes: options.and_then(|options| options.scopes.as_deref()),
            include_hidden: flag(|options| options.include_hidden).unwrap_or(false),
            include_bbox: flag(|options| options.include_bbox).unwrap_or(false),
            include_options: flag(|options| options.include_options).unwrap_or(true),
            max_elements: options
                .and_then(|options| options.max_elements.as_ref())
                .map_or(DEFAULT_MAX_ELEMENTS, |most| most.0),
            max_text: MAX_TEXT,
            max_nodes: MAX_NODES,
            viewport_only,
        }
    }

    /// Everything that an observer sees.
    pub(crate) fn observing(max_elements: u64) -> Self {
        Self { max_elements, ..Self::new(None, false) }
    }
}

/// When and as what a graph is published.
pub(crate) struct Stamp {
    pub(crate) revision: RevisionId,
    pub(crate) seq: u64,
    pub(crate) ts: Timestamp,
}

/// The graph at a revision; `None` when the script saw no document.
pub(crate) fn graph(mut sent: Sent<'_>, stamp: Stamp) -> Result<Option<PageGraph>, serde_json::Error> {
    let documents = sent.documents()?;
    let Some(root) = documents.first() else { return Ok(None) };
    let mut graph = PageGraph {
        model_version: ModelVersion::V01,
        profile: WebProfile::V01,
        revision: stamp.revision,
        seq: Count(stamp.seq),
        ts: stamp.ts,
        route: sent.route,
        viewport: Some(sent.viewport),
        locale: sent.locale.map(Into::into),
        root_document_id: root.document_id.clone(),
        documents,
        modal_stack: Some(sent.modal_stack),
        focus: sent.focus,
        truncated: sent.truncated.then_some(true),
        metadata: None,
    };
    let mut warnings = sent.warnings;
    declare_success(&mut graph, &sent.success, &mut warnings);
    let mut metadata = Vec::new();
    if !warnings.is_empty() {
        let warnings = warnings.into_iter().map(Value::String).collect();
        metadata.push(("warnings".to_owned(), Value::Array(warnings)));
    }
    if let Some(omitted) = sent.omitted.filter(|omitted| omitted.elements + omitted.children > 0) {
        let counts = json!({"elements": omitted.elements, "children": omitted.children});
        metadata.push(("omitted".to_owned(), counts));
    }
    if !metadata.is_empty() {
        graph.metadata = Some(JsonObject(metadata.into_iter().collect()));
    }
    Ok(Some(graph))
}

/// Reads a declared list of success signals; what is not one is left out and told.
pub(crate) fn success(id: &str, text: &str, warnings: &mut Vec<String>) -> Option<Vec<SuccessSignal>> {
    match serde_json::from_str(text) {
        Ok(signals) => Some(signals),
        Err(error) => {
            warnings.push(format!("data-uiap-success of `{id}`: {error}"));
            None
        }
    }
}

fn declare_success(graph: &mut PageGraph, declared: &BTreeMap<String, String>, warnings: &mut Vec<String>) {
    if declared.is_empty() {
        return;
    }
    let scopes = graph.documents.iter_mut().flat_map(|document| &mut document.scopes);
    for element in scopes.flat_map(|scope| &mut scope.elements) {
        let Some(text) = declared.get(element.instance_id.as_str()) else { continue };
        if let Some(signals) = success(element.instance_id.as_str(), text, warnings) {
            Arc::make_mut(element).success = Some(signals);
        }
    }
}
