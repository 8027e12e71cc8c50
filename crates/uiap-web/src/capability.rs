//! Which actions there are, as far as somebody told: an element that claims another one is believed in everything else.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};
use uiap_model::capability::PrimitiveActionType;
use uiap_model::json::Change;
use uiap_model::names::ActionId;
use uiap_model::web::delta::WebDeltaOp;
use uiap_model::web::{ElementNode, PageGraph};

/// The actions of an app; the protocol's own are always there.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownActions(Option<Arc<HashSet<ActionId>>>);

impl KnownActions {
    pub(crate) fn new(actions: impl IntoIterator<Item = ActionId>) -> Self {
        Self(Some(Arc::new(actions.into_iter().collect())))
    }

    fn has(&self, action: &ActionId) -> bool {
        let known = self.0.as_ref().is_none_or(|known| known.contains(action));
        known || PrimitiveActionType::parse(action.as_str()).is_some()
    }

    /// Leaves unknown actions out of a graph and tells which.
    pub(crate) fn check_graph(&self, graph: &mut PageGraph) {
        let mut warnings = Vec::new();
        let scopes = graph.documents.iter_mut().flat_map(|document| &mut document.scopes);
        for element in scopes.flat_map(|scope| &mut scope.elements) {
            warnings.extend(self.check(element));
        }
        if warnings.is_empty() {
            return;
        }
        let metadata = graph.metadata.get_or_insert_default();
        let told = metadata.0.entry("warnings").or_insert_with(|| json!([]));
        if let Value::Array(told) = told {
            told.extend(warnings.into_iter().map(Value::String));
        }
    }

    /// The same for what changed; a delta has no place for warnings.
    pub(crate) fn check_ops(&self, ops: &mut [WebDeltaOp]) {
        for op in ops {
            let warnings = match op {
                WebDeltaOp::ElementUpsert { element, .. } => self.check(element),
                WebDeltaOp::ElementPatch { instance_id, patch, .. } => {
                    let mut warnings = Vec::new();
                    if let Some(Change::Set(action)) = &patch.default_action
                        && !self.has(action)
                    {
                        warnings.push(warning(instance_id.as_str(), action));
                        patch.default_action = Some(Change::Clear);
                    }
                    if let Some(Change::Set(actions)) = &mut patch.supported_actions {
                        let told = actions.iter().filter(|action| !self.has(action));
                        warnings.extend(told.map(|action| warning(instance_id.as_str(), action)));
                        actions.retain(|action| self.has(action));
                    }
                    warnings
                }
                _ => Vec::new(),
            };
            for warning in warnings {
                tracing::warn!("{warning}");
            }
        }
    }

    fn check(&self, element: &mut Arc<ElementNode>) -> Vec<String> {
        let named = element.default_action.iter().chain(element.supported_actions.iter().flatten());
        let unknown: HashSet<ActionId> = named.filter(|action| !self.has(action)).cloned().collect();
        if unknown.is_empty() {
            return Vec::new();
        }
        let element = Arc::make_mut(element);
        element.default_action = element.default_action.take().filter(|action| self.has(action));
        if let Some(actions) = &mut element.supported_actions {
            actions.retain(|action| self.has(action));
        }
        element.supported_actions = element.supported_actions.take().filter(|actions| !actions.is_empty());
        let mut warnings: Vec<_> =
            unknown.iter().map(|action| warning(element.instance_id.as_str(), action)).collect();
        warnings.sort_unstable();
        warnings
    }
}

fn warning(id: &str, action: &ActionId) -> String {
    format!("`{id}` names the action `{action}`, which the app does not have")
}
