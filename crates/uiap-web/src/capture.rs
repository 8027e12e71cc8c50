//! From what the script saw to a page graph.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uiap_model::capability::SuccessSignal;
use uiap_model::capability::document::ModelVersion;
use uiap_model::json::{Count, JsonObject};
use uiap_model::names::{DocumentId, RevisionId, ScopeId, Timestamp};
use uiap_model::web::graph::{Viewport, WebProfile};
use uiap_model::web::message::SnapshotOptions;
use uiap_model::web::{DocumentNode, FocusState, PageGraph, RouteState};

const DEFAULT_MAX_ELEMENTS: u64 = 500;
/// Longest text of a field or of a region that speaks.
const MAX_TEXT: u64 = 2_000;
/// Nodes of one document that are looked at; a page beyond that is cut and says so.
const MAX_NODES: u64 = 1_000_000;

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
}

impl<'a> From<&'a SnapshotOptions> for Request<'a> {
    fn from(options: &'a SnapshotOptions) -> Self {
        Self {
            documents: options.documents.as_deref(),
            scopes: options.scopes.as_deref(),
            include_hidden: options.include_hidden.unwrap_or(false),
            include_bbox: options.include_bbox.unwrap_or(false),
            include_options: options.include_options.unwrap_or(true),
            max_elements: options.max_elements.as_ref().map_or(DEFAULT_MAX_ELEMENTS, |most| most.0),
            max_text: MAX_TEXT,
            max_nodes: MAX_NODES,
        }
    }
}

/// What the script answers.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Capture {
    route: RouteState,
    viewport: Viewport,
    locale: Option<String>,
    documents: Vec<DocumentNode>,
    modal_stack: Vec<ScopeId>,
    focus: Option<FocusState>,
    truncated: bool,
    success: BTreeMap<String, String>,
    warnings: Vec<String>,
    pub(crate) next_id: u64,
}

impl Capture {
    /// The graph at a revision; `None` when the script saw no document.
    pub(crate) fn into_graph(self, revision: RevisionId, seq: u64, ts: Timestamp) -> Option<PageGraph> {
        let mut warnings = self.warnings;
        let mut graph = PageGraph {
            model_version: ModelVersion::V01,
            profile: WebProfile::V01,
            revision,
            seq: Count(seq),
            ts,
            route: self.route,
            viewport: Some(self.viewport),
            locale: self.locale.map(Into::into),
            root_document_id: self.documents.first()?.document_id.clone(),
            documents: self.documents,
            modal_stack: Some(self.modal_stack),
            focus: self.focus,
            truncated: self.truncated.then_some(true),
            metadata: None,
        };
        declare_success(&mut graph, &self.success, &mut warnings);
        if !warnings.is_empty() {
            let warnings = warnings.into_iter().map(Value::String).collect();
            let metadata = [("warnings".to_owned(), Value::Array(warnings))];
            graph.metadata = Some(JsonObject(metadata.into_iter().collect()));
        }
        Some(graph)
    }
}

/// Puts declared success signals where they belong; what is not a list of signals is left out and told.
fn declare_success(graph: &mut PageGraph, declared: &BTreeMap<String, String>, warnings: &mut Vec<String>) {
    if declared.is_empty() {
        return;
    }
    let scopes = graph.documents.iter_mut().flat_map(|document| &mut document.scopes);
    for element in scopes.flat_map(|scope| &mut scope.elements) {
        let Some(text) = declared.get(element.instance_id.as_str()) else { continue };
        match serde_json::from_str::<Vec<SuccessSignal>>(text) {
            Ok(signals) => Arc::make_mut(element).success = Some(signals),
            Err(error) => warnings.push(format!("data-uiap-success of `{}`: {error}", element.instance_id)),
        }
    }
}
