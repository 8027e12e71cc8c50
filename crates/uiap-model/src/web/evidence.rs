//! Whether a success signal was observed: a pure function of two graphs and the signals between them.

use std::sync::Arc;

use crate::capability::signal::SuccessSignal;
use crate::capability::target::TargetRef;
use crate::names::ScopeId;
use crate::web::element::ElementNode;
use crate::web::graph::{PageGraph, ScopeNode};
use crate::web::predicate;
use crate::web::signal::{WebSignal, WebSignalBody};
use crate::{JsonObject, capability::UIRole};

/// What was seen: the page before the action, the page now, and every signal since the action was carried out.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// The page before.
    pub before: &'a PageGraph,
    /// The page now.
    pub after: &'a PageGraph,
    /// Signals since.
    pub signals: &'a [WebSignal],
    /// Names of custom signals that somebody sends at all.
    pub custom_sources: &'a [&'a str],
}

/// What a look at the observation gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Sighting {
    /// It holds; for entities with the id, where one was told.
    Observed {
        /// The entity's id.
        entity_id: Option<String>,
    },
    /// It does not hold.
    Missing {
        /// Why.
        reason: String,
    },
}

impl Sighting {
    /// Whether it holds.
    pub fn observed(&self) -> bool {
        matches!(self, Self::Observed { .. })
    }
}

impl Observation<'_> {
    /// Looks for one signal.
    pub fn look(&self, wanted: &SuccessSignal) -> Sighting {
        match wanted {
            SuccessSignal::ElementAppeared { target } => self.appeared(target),
            SuccessSignal::ElementDisappeared { target } => holds(
                exists(self.before, target) && !exists(self.after, target),
                "the target is still there or never was",
            ),
            SuccessSignal::ElementState { target, state } => match element(self.after, target) {
                Some(found) => holds(found.state.satisfies(state), "the state differs"),
                None => missing("the target is not there"),
            },
            SuccessSignal::ValueEquals { target, value } => match element(self.after, target) {
                Some(found) => holds(predicate::value_equals(&found.state, value), "the value differs"),
                None => missing("the target is not there"),
            },
            SuccessSignal::RouteChanged { pattern, exact } => {
                self.route_changed(pattern.as_deref(), exact.as_deref())
            }
            SuccessSignal::DialogOpened { target } => {
                holds(self.dialog(target.as_ref(), true), "no such dialog opened")
            }
            SuccessSignal::DialogClosed { target } => {
                holds(self.dialog(target.as_ref(), false), "no such dialog closed")
            }
            SuccessSignal::ToastContains { text } => holds(self.toast(text), "no new toast with that text"),
            SuccessSignal::StatusContains { text } => holds(self.status(text), "no status with that text"),
            SuccessSignal::ValidationNone { scope } => {
                holds(is_valid(self.after, scope.as_ref()), "a validation issue is shown")
            }
            SuccessSignal::CollectionCount { target, op, value } => match count(self.after, target) {
                Some(found) => holds(op.holds(found, value.0), "the count differs"),
                None => missing("there is no such collection"),
            },
            SuccessSignal::EntityCreated { entity_type, id_path }
            | SuccessSignal::EntityUpdated { entity_type, id_path }
            | SuccessSignal::EntityDeleted { entity_type, id_path } => {
                self.entity(wanted.tag(), entity_type, id_path.as_deref())
            }
            SuccessSignal::NetworkResponse { url_pattern, status } => holds(
                self.signals.iter().any(|signal| match &signal.body {
                    WebSignalBody::NetworkResponse { url, status: found } => {
                        url_pattern.as_deref().is_none_or(|glob| predicate::url_matches(glob, url))
                            && status.is_none_or(|wanted| wanted == *found)
                    }
                    _ => false,
                }),
                "no such response",
            ),
            SuccessSignal::Custom { name, payload } => self.custom(name, payload.as_ref()),
        }
    }

    fn appeared(&self, target: &TargetRef) -> Sighting {
        if exists(self.before, target) {
            return missing("the target was there before");
        }
        holds(exists(self.after, target), "the target did not appear")
    }

    fn route_changed(&self, pattern: Option<&str>, exact: Option<&str>) -> Sighting {
        let path = |graph: &PageGraph| {
            graph.route.path.as_deref().map_or_else(|| graph.route.url.to_string(), str::to_owned)
        };
        let announced = self.signals.iter().filter_map(|signal| match &signal.body {
            WebSignalBody::RouteChanged { to, .. } => {
                Some(to.path.as_deref().unwrap_or(to.url.as_str()).to_owned())
            }
            _ => None,
        });
        let moved = (self.before.route != self.after.route).then(|| path(self.after));
        let fits = |path: &str| {
            exact.is_none_or(|exact| exact == path)
                && pattern.is_none_or(|pattern| predicate::route_matches(pattern, path))
        };
        let mut changes = announced.chain(moved).peekable();
        if changes.peek().is_none() {
            return missing("the route did not change");
        }
        holds(changes.any(|path| fits(&path)), "the route changed to another place")
    }

    fn dialog(&self, target: Option<&TargetRef>, opened: bool) -> bool {
        let (from, to) = if opened { (self.before, self.after) } else { (self.after, self.before) };
        let stack = |graph: &PageGraph| graph.modal_stack.clone().unwrap_or_default();
        let earlier = stack(from);
        let wanted = |scope: &ScopeId, stable: Option<&str>| match target {
            None => true,
            Some(TargetRef::Scope { value }) => value == scope,
            Some(TargetRef::StableId { value }) => stable == Some(value.as_str()),
            Some(target) => scopes(to, target).any(|node| node.id == *scope),
        };
        let by_stack = stack(to).iter().any(|scope| {
            let stable = to.scope(scope).and_then(|node| node.stable_id.as_ref());
            !earlier.contains(scope) && wanted(scope, stable.map(crate::names::StableId::as_str))
        });
        by_stack
            || self.signals.iter().any(|signal| match &signal.body {
                WebSignalBody::DialogOpened { scope_id, stable_id } if opened => {
                    wanted(scope_id, stable_id.as_ref().map(crate::names::StableId::as_str))
                }
                WebSignalBody::DialogClosed { scope_id, stable_id } if !opened => {
                    wanted(scope_id, stable_id.as_ref().map(crate::names::StableId::as_str))
                }
                _ => false,
            })
    }

    /// A toast that was there before the action proves nothing.
    fn toast(&self, text: &str) -> bool {
        let shown = |graph: &PageGraph| -> Vec<(String, String)> {
            let toasts = graph.elements().filter(|(.., element)| element.role == UIRole::Toast);
            toasts.map(|(.., element)| (element.instance_id.to_string(), words(element))).collect()
        };
        let earlier = shown(self.before);
        let announced = self.signals.iter().any(|signal| {
            matches!(&signal.body, WebSignalBody::ToastShown { text: shown, .. } if predicate::text_contains(shown, text))
        });
        announced
            || shown(self.after)
                .iter()
                .any(|toast| !earlier.contains(toast) && predicate::text_contains(&toast.1, text))
    }

    fn status(&self, text: &str) -> bool {
        let announced = self.signals.iter().any(|signal| {
            matches!(&signal.body, WebSignalBody::StatusChanged { text: shown, .. } if predicate::text_contains(shown, text))
        });
        let shown = self.after.elements().any(|(.., element)| {
            element.role == UIRole::Status && predicate::text_contains(&words(element), text)
        });
        announced || shown
    }

    fn entity(&self, kind: &str, entity_type: &str, id_path: Option<&str>) -> Sighting {
        for signal in self.signals.iter().filter(|signal| signal.body.tag() == kind) {
            let (WebSignalBody::EntityCreated { entity_type: found, entity_id, data }
            | WebSignalBody::EntityUpdated { entity_type: found, entity_id, data }
            | WebSignalBody::EntityDeleted { entity_type: found, entity_id, data }) = &signal.body
            else {
                continue;
            };
            if found == entity_type {
                let told = id_path.and_then(|path| lookup(data.as_ref()?, path));
                let entity_id = told.or_else(|| entity_id.as_ref().map(ToString::to_string));
                return Sighting::Observed { entity_id };
            }
        }
        missing(&format!("no `{kind}` of `{entity_type}` was reported"))
    }

    fn custom(&self, name: &str, payload: Option<&JsonObject>) -> Sighting {
        let seen = self.signals.iter().any(|signal| match &signal.body {
            WebSignalBody::Custom { name: found, payload: data } if found == name => match (payload, data) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(wanted), Some(found)) => predicate::is_subset(
                    &serde_json::Value::Object(wanted.0.clone()),
                    &serde_json::Value::Object(found.0.clone()),
                ),
            },
            _ => false,
        });
        if seen {
            return Sighting::Observed { entity_id: None };
        }
        if self.custom_sources.contains(&name) {
            missing("the signal was not sent")
        } else {
            missing(&format!("nothing is registered that sends the custom signal `{name}`"))
        }
    }
}

fn holds(fact: bool, otherwise: &str) -> Sighting {
    if fact { Sighting::Observed { entity_id: None } } else { missing(otherwise) }
}

fn missing(reason: &str) -> Sighting {
    Sighting::Missing { reason: reason.to_owned() }
}

/// The text that an element shows.
fn words(element: &ElementNode) -> String {
    let parts =
        [element.name.as_deref(), element.description.as_deref(), element.state.text_value.as_deref()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// An id inside of an entity's data, by JSON Pointer or by dotted name.
fn lookup(data: &JsonObject, path: &str) -> Option<String> {
    let pointer =
        if path.starts_with('/') { path.to_owned() } else { format!("/{}", path.replace('.', "/")) };
    let root = serde_json::Value::Object(data.0.clone());
    let bare = pointer.strip_prefix("/data").filter(|rest| rest.starts_with('/'));
    let found = root.pointer(&pointer).or_else(|| root.pointer(bare?))?;
    match found {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Null => None,
        other => Some(other.to_string()),
    }
}

fn exists(graph: &PageGraph, target: &TargetRef) -> bool {
    match target {
        TargetRef::Scope { value } => graph.scope(value).is_some(),
        TargetRef::Route { value } => graph.route.route_id.as_deref() == Some(value.as_str()),
        _ => element(graph, target).is_some(),
    }
}

/// The one element that the target means; `None` when there is none or more than one.
fn element<'a>(graph: &'a PageGraph, target: &'a TargetRef) -> Option<&'a ElementNode> {
    match target {
        TargetRef::StableId { value } => graph.by_stable_id(value),
        TargetRef::Semantic { role, name, scope } => {
            let mut hits = graph.elements().filter(|(_, node, element)| {
                element.role == *role
                    && name.as_ref().is_none_or(|name| element.name.as_ref() == Some(name))
                    && scope.as_ref().is_none_or(|scope| node.id == *scope)
            });
            let first = hits.next()?.2;
            hits.next().is_none().then_some(first)
        }
        TargetRef::Custom { value } => {
            let mut hits = graph.elements().filter(|(.., element)| element.meaning.as_ref() == Some(value));
            let first = hits.next()?.2;
            hits.next().is_none().then_some(first)
        }
        TargetRef::Scope { .. } | TargetRef::Route { .. } => None,
    }
}

/// The scopes that a target means.
fn scopes<'a>(graph: &'a PageGraph, target: &'a TargetRef) -> impl Iterator<Item = &'a ScopeNode> {
    graph.scopes().map(|(_, scope)| scope).filter(move |scope| match target {
        TargetRef::Scope { value } => scope.id == *value,
        TargetRef::StableId { value } => scope.stable_id.as_ref() == Some(value),
        TargetRef::Semantic { role, name, .. } => {
            scope.role.as_ref() == Some(role) && (name.is_none() || scope.name == *name)
        }
        TargetRef::Route { .. } | TargetRef::Custom { .. } => false,
    })
}

fn is_valid(graph: &PageGraph, scope: Option<&ScopeId>) -> bool {
    use crate::capability::Invalid;
    graph.scopes().filter(|(_, node)| scope.is_none_or(|scope| lies_in(graph, node, scope))).all(
        |(_, node)| {
            let refused = |element: &Arc<ElementNode>| {
                element.state.invalid.is_some_and(|invalid| invalid != Invalid::No)
            };
            node.issues.as_ref().is_none_or(Vec::is_empty) && !node.elements.iter().any(refused)
        },
    )
}

/// Whether a scope is another or lies in it, at any depth.
fn lies_in(graph: &PageGraph, node: &ScopeNode, scope: &ScopeId) -> bool {
    let mut at = Some(node);
    // A cycle of parents ends the walk: no graph nests deeper than it has scopes.
    for _ in 0..=graph.scopes().count() {
        match at {
            Some(node) if node.id == *scope => return true,
            Some(node) => at = node.parent_scope_id.as_ref().and_then(|parent| graph.scope(parent)),
            None => return false,
        }
    }
    false
}

fn count(graph: &PageGraph, target: &TargetRef) -> Option<u64> {
    let scope = scopes(graph, target).next()?;
    let said = scope.collection.as_ref().and_then(|collection| collection.total.or(collection.loaded));
    Some(said.map_or_else(|| items(scope), |said| said.0))
}

/// The items of a list or table that says no number.
fn items(scope: &ScopeNode) -> u64 {
    let wanted = scope.collection.as_ref().and_then(|collection| collection.item_role.clone());
    let is_item = |element: &&Arc<ElementNode>| match &wanted {
        Some(role) => element.role == *role,
        None => matches!(
            element.role,
            UIRole::Listitem | UIRole::Row | UIRole::Option | UIRole::Treeitem | UIRole::Menuitem
        ),
    };
    scope.elements.iter().filter(is_item).count() as u64
}
