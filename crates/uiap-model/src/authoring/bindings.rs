//! Routes, scopes and elements by name.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::authoring::text::AuthoredText;
use crate::capability::{RiskLevel, SuccessSignal, UIRole};
use crate::json::JsonObject;
use crate::names::{ActionId, ScopeId, StableId};
use crate::policy::DataClass;
use crate::web::graph::ScopeKind;

/// How a route is recognised.
#[wire(tag = "kind")]
pub enum RouteMatcher {
    RouteId { value: CompactString },
    Path { value: CompactString },
    UrlPattern { value: CompactString },
    Title { value: CompactString },
    Signal { value: CompactString },
}

/// A route.
#[wire]
pub struct RouteBinding {
    pub id: CompactString,
    pub r#match: Vec<RouteMatcher>,
    pub title: Option<AuthoredText>,
    pub parent_route_id: Option<CompactString>,
    pub success_signals: Option<Vec<SuccessSignal>>,
    pub metadata: Option<JsonObject>,
}

/// A scope.
#[wire]
pub struct ScopeBinding {
    pub id: CompactString,
    pub kind: ScopeKind,
    pub route_ids: Option<Vec<CompactString>>,
    pub parent_scope_id: Option<ScopeId>,
    pub title: Option<AuthoredText>,
    pub stable_ids: Option<Vec<StableId>>,
    pub metadata: Option<JsonObject>,
}

/// How an element is recognised. Annotation and semantics come first; hints are a last resort.
#[wire(tag = "by")]
pub enum ElementMatcher {
    Annotation { attr: CompactString, value: CompactString },
    Semantic { role: Option<UIRole>, name: Option<CompactString>, scope_id: Option<ScopeId> },
    Label { text: CompactString },
    Text { text: CompactString },
    Adapter { id: CompactString },
    RuntimeHint { css: Option<CompactString>, xpath: Option<CompactString> },
}

/// An element.
#[wire]
pub struct ElementBinding {
    pub id: StableId,
    pub scope_id: Option<ScopeId>,
    pub route_ids: Option<Vec<CompactString>>,
    pub role: Option<UIRole>,
    pub name: Option<AuthoredText>,
    pub meaning: Option<CompactString>,
    pub r#match: Vec<ElementMatcher>,
    pub risk: Option<RiskLevel>,
    pub data_classes: Option<Vec<DataClass>>,
    pub default_action: Option<ActionId>,
    pub success: Option<Vec<SuccessSignal>>,
    pub metadata: Option<JsonObject>,
}

/// All of them.
#[wire]
pub struct BindingsManifest {
    pub routes: Option<Vec<RouteBinding>>,
    pub scopes: Option<Vec<ScopeBinding>>,
    pub elements: Option<Vec<ElementBinding>>,
}

impl BindingsManifest {
    /// Routes that have a path, by their ids: where to go for one.
    pub fn paths(&self) -> impl Iterator<Item = (&str, &str)> {
        self.routes.iter().flatten().filter_map(|route| {
            let path = route.r#match.iter().find_map(|matcher| match matcher {
                RouteMatcher::Path { value } => Some(value.as_str()),
                _ => None,
            })?;
            Some((route.id.as_str(), path))
        })
    }
}
