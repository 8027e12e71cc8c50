//! The page: first every value that must be covered is learned, then everything is shown without them.

use std::sync::Arc;

use compact_str::CompactString;
use uiap_model::names::DocumentId;
use uiap_model::web::graph::DOMRectLike;
use uiap_model::web::{PageGraph, RouteState, ScopeNode, ValidationIssue};

use super::Redactor;
use super::tree::names_credential;
use crate::situation::Situation;

impl Redactor {
    /// The page as it may be shown. Elements that need no covering are shared, not copied.
    pub fn graph(&self, graph: &PageGraph) -> PageGraph {
        self.learn_graph(graph);
        let mut shown = graph.clone();
        self.cover_route(&mut shown.route);
        shown.metadata = shown.metadata.as_ref().map(|metadata| self.free(metadata));
        let route = graph.route.route_id.as_deref();
        for document in &mut shown.documents {
            document.url = document.url.as_ref().map(|url| self.url(url).into());
            self.scrub(&mut document.title);
            for scope in &mut document.scopes {
                self.cover_scope(scope, route);
            }
        }
        shown
    }

    /// Remembers the covered values of a page, for texts that leave by another way.
    pub fn learn_graph(&self, graph: &PageGraph) {
        let route = graph.route.route_id.as_deref();
        let mut values = Vec::new();
        for (_, scope, element) in graph.elements() {
            let situation =
                Situation { route_id: route, scope_id: Some(scope.id.as_str()), ..Situation::default() };
            values.extend(self.hidden_values(element, &situation));
        }
        for value in values {
            self.learn(&value);
        }
    }

    /// The boxes that a screenshot must blacken, by document.
    pub fn screenshot_masks(&self, graph: &PageGraph) -> Vec<(DocumentId, DOMRectLike)> {
        let route = graph.route.route_id.as_deref();
        let mut masks = Vec::new();
        for (document, scope, element) in graph.elements() {
            let situation = Situation {
                route_id: route,
                scope_id: Some(scope.id.as_str()),
                element: Some(element),
                ..Situation::default()
            };
            let plan = self.plan(&situation, &[]);
            if let Some(bbox) = element.bbox.as_deref()
                && (plan.hides("textValue") || plan.hides("name"))
            {
                masks.push((document.document_id.clone(), bbox.clone()));
            }
        }
        masks
    }

    fn cover_scope(&self, scope: &mut ScopeNode, route: Option<&str>) {
        self.scrub(&mut scope.name);
        scope.metadata = scope.metadata.as_ref().map(|metadata| self.free(metadata));
        if let Some(state) = &mut scope.state {
            self.scrub(&mut state.text_value);
            self.scrub(&mut state.description);
            self.scrub(&mut state.placeholder);
        }
        self.cover_issues(scope.issues.as_deref_mut().unwrap_or_default());
        let id = scope.id.clone();
        let situation = Situation { route_id: route, scope_id: Some(id.as_str()), ..Situation::default() };
        for element in &mut scope.elements {
            if let Some(shown) = self.element(element, &situation) {
                *element = Arc::new(shown);
            }
        }
    }

    pub(super) fn cover_issues(&self, issues: &mut [ValidationIssue]) {
        for issue in issues {
            issue.message = self.text(&issue.message).into();
            self.scrub(&mut issue.code);
        }
    }

    pub(super) fn cover_route(&self, route: &mut RouteState) {
        route.url = self.url(&route.url).into();
        route.path = route.path.as_ref().map(|path| self.url(path).into());
        self.scrub(&mut route.title);
        for (name, value) in route.params.iter_mut().flatten() {
            *value = if names_credential(name) { super::REDACTED.into() } else { self.text(value).into() };
        }
    }

    pub(super) fn scrub(&self, text: &mut Option<CompactString>) {
        if let Some(text) = text
            && let Some(scrubbed) = self.secrets().scrub(text)
        {
            *text = scrubbed.into();
        }
    }
}
