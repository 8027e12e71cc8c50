//! What there is to be found in Videoland, and how much of it a run found.

use std::collections::BTreeSet;

use serde_json::Value;
use uiap_discovery::record::RunRecord;
use uiap_model::capability::UIRole;
use uiap_model::web::{ElementNode, PageGraph, ScopeKind, ScopeNode};

const TRUTH: &str = include_str!("../../../../fixtures/apps/videoland/ground-truth.json");

/// How much of one kind was found.
pub(crate) struct Share {
    pub(crate) found: usize,
    pub(crate) missing: Vec<String>,
}

impl Share {
    fn of(all: Vec<(String, bool)>) -> Self {
        let found = all.iter().filter(|(_, found)| *found).count();
        let missing = all.into_iter().filter(|(_, found)| !found).map(|(name, _)| name).collect();
        Self { found, missing }
    }

    /// In tenths of a percent.
    pub(crate) fn permille(&self) -> usize {
        1_000 * self.found / (self.found + self.missing.len())
    }
}

/// Words that a name consists of where placeholders stand for anything. Addresses of people are covered before they are stored.
fn fits(pattern: &str, name: &str) -> bool {
    let covered: Vec<&str> =
        pattern.split(' ').map(|word| if word.contains('@') { "[address]" } else { word }).collect();
    let covered = covered.join(" ");
    let mut parts = covered.split('{').map(|part| part.split_once('}').map_or(part, |(_, after)| after));
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut last = "";
    let mut is_exact = true;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
        (last, is_exact) = (part, false);
    }
    rest.is_empty() || (!is_exact && (last.is_empty() || name.ends_with(last)))
}

/// Whether a scope can be reached without pressing what the app itself, or its plain words, mark as dangerous.
fn is_safe_to_reach(scope: &Value) -> bool {
    scope["reach"].as_array().unwrap().iter().all(|step| {
        let name = step["name"].as_str().unwrap_or_default();
        let writes = step["do"] == "enterText" && step["role"] != "searchbox" && step["role"] != "combobox";
        let dangerous = ["Delete", "Remove", "Cancel plan", "Choose Business", "Create video"];
        !writes && step["do"] != "press" && !dangerous.iter().any(|word| name.contains(word))
    })
}

fn routes() -> Vec<Value> {
    let truth: Value = serde_json::from_str(TRUTH).unwrap();
    truth["routes"].as_array().unwrap().clone()
}

/// Routes that an explorer can come to: an unknown address is none, and the log-in stands where a session has ended.
pub(crate) fn routes_found(record: &RunRecord) -> Share {
    let seen: BTreeSet<String> = record
        .states
        .iter()
        .filter_map(|state| state.graph.route.route_id.as_ref().map(ToString::to_string))
        .collect();
    let wanted = routes().into_iter().map(|route| route["routeId"].as_str().unwrap().to_owned());
    let wanted = wanted.filter(|id| !["*", "not-found", "login"].contains(&id.as_str()));
    Share::of(wanted.map(|id| (id.clone(), seen.contains(&id))).collect())
}

/// What lies over a page, and is nowhere but there.
const LAYERS: [ScopeKind; 4] = [ScopeKind::Dialog, ScopeKind::Drawer, ScopeKind::Menu, ScopeKind::Popover];

/// A scope and those around it.
fn around<'a>(graph: &'a PageGraph, scope: &'a ScopeNode) -> Vec<&'a ScopeNode> {
    let outer = |inner: &&'a ScopeNode| graph.scope(inner.parent_scope_id.as_ref()?);
    // No scope is so deep, and none may be around itself.
    std::iter::successors(Some(scope), outer).take(32).collect()
}

/// Whether a scope of a graph is the one that the truth speaks of, by its id, or by its kind and name where it has none.
fn is_it(told: &Value, scope: &ScopeNode) -> bool {
    let is_layer = |kind: &str| LAYERS.iter().any(|layer| layer.to_string() == kind);
    let (kind, seen) = (told["kind"].as_str().unwrap(), scope.kind.to_string());
    match told["id"].as_str() {
        Some(id) => scope.id.as_str() == id,
        // What the app calls a dialog may be shown as a popover.
        None => {
            (kind == seen || (is_layer(kind) && is_layer(&seen)))
                && fits(name(told), scope.name.as_deref().unwrap_or_default())
        }
    }
}

fn name(told: &Value) -> &str {
    told["name"].as_str().unwrap_or_default()
}

/// Whether an element is, or is in, what the truth calls a scope and a page graph a thing with things in it: the list of a combobox,
/// a breadcrumb.
fn is_within(told: &Value, graph: &PageGraph, element: &ElementNode) -> bool {
    let outer = |inner: &&ElementNode| {
        let id = inner.parent_instance_id.as_ref()?;
        graph.elements().map(|(.., each)| each).find(|each| each.instance_id == *id)
    };
    std::iter::successors(Some(element), outer).take(32).any(|each| {
        matches!(each.role, UIRole::Listbox | UIRole::Breadcrumb)
            && fits(name(told), each.name.as_deref().unwrap_or_default())
    })
}

/// Whether an element is where the truth says: in the scope that it names, or else on the page and in nothing over it.
fn is_there(told: &Value, graph: &PageGraph, scope: &ScopeNode, element: &ElementNode) -> bool {
    let around = around(graph, scope);
    if told["id"].is_null() && told["name"].is_null() {
        return !around.iter().any(|scope| LAYERS.contains(&scope.kind));
    }
    around.iter().any(|scope| is_it(told, scope)) || (told["id"].is_null() && is_within(told, graph, element))
}

/// The graphs of a route; what is on every page is looked for on all.
fn graphs_of<'a>(record: &'a RunRecord, route: &'a Value) -> impl Iterator<Item = &'a PageGraph> {
    let all = record.states.iter().map(|state| &*state.graph);
    all.filter(move |graph| {
        route["routeId"] == "*"
            || graph.route.route_id.as_ref().is_some_and(|id| route["routeId"] == id.as_str())
    })
}

/// Dialogs, drawers, menus and tabs; all of them, or those that can be reached safely.
pub(crate) fn layers_found(record: &RunRecord, all: bool) -> Share {
    let mut found = Vec::new();
    for route in routes() {
        for scope in route["scopes"].as_array().unwrap() {
            let kind = scope["kind"].as_str().unwrap();
            if !["dialog", "drawer", "menu", "tabpanel"].contains(&kind) || !(all || is_safe_to_reach(scope))
            {
                continue;
            }
            let name = format!("{} {kind} {}{}", route["routeId"], scope["id"], scope["name"]);
            let is_seen =
                graphs_of(record, &route).any(|graph| graph.scopes().any(|(_, seen)| is_it(scope, seen)));
            found.push((name, is_seen));
        }
    }
    Share::of(found)
}

/// Things that can be operated, each on its own route and in its own layer; all of them, or those that can be reached safely.
pub(crate) fn elements_found(record: &RunRecord, all: bool) -> Share {
    let mut found = Vec::new();
    for route in routes()
        .into_iter()
        .filter(|route| !["not-found", "login"].contains(&route["routeId"].as_str().unwrap()))
    {
        for scope in route["scopes"].as_array().unwrap() {
            if !(all || is_safe_to_reach(scope)) {
                continue;
            }
            for element in scope["elements"].as_array().unwrap() {
                let (role, name) = (element["role"].as_str().unwrap(), element["name"].as_str().unwrap());
                let known = graphs_of(record, &route).any(|graph| {
                    graph.elements().any(|(_, around, seen)| {
                        role == seen.role.to_string()
                            && fits(name, seen.name.as_deref().unwrap_or_default())
                            && is_there(scope, graph, around, seen)
                    })
                });
                let place = format!("{} {} {}", route["routeId"], scope["id"], scope["name"]);
                found.push((format!("{place} {role} `{name}`"), known));
            }
        }
    }
    Share::of(found)
}

/// States that show the same as another one: the same place, the same layers over it, the same things to do.
pub(crate) fn near_duplicates(record: &RunRecord) -> Vec<(String, String)> {
    let mut seen: Vec<(String, String)> = Vec::new();
    let mut twins = Vec::new();
    for state in &record.states {
        let layers: BTreeSet<String> = state
            .graph
            .scopes()
            .filter(|(_, scope)| {
                ["dialog", "drawer", "menu", "popover", "tabpanel", "toolbar"]
                    .contains(&scope.kind.to_string().as_str())
            })
            .map(|(_, scope)| format!("{}{}", scope.kind, scope.id))
            // The panel of the help button is none of these, and is in the ground truth all the same.
            .chain(
                state
                    .graph
                    .elements()
                    .filter(|(.., element)| element.name.as_deref() == Some("Keyboard shortcuts"))
                    .map(|(.., element)| element.role.to_string()),
            )
            .collect();
        let offers: BTreeSet<String> = state
            .graph
            .elements()
            .filter(|(.., element)| {
                element.role.to_string() == "button" && element.state.enabled != Some(false)
            })
            .filter_map(|(.., element)| element.stable_id.as_ref().map(ToString::to_string))
            .collect();
        let expanded: Vec<String> = state
            .graph
            .elements()
            .filter(|(.., element)| element.state.expanded == Some(true))
            .map(|(.., element)| element.name.as_deref().unwrap_or_default().to_owned())
            .collect();
        let issues = state.graph.scopes().filter_map(|(_, scope)| scope.issues.as_ref()).flatten().count();
        let locale = state.graph.locale.as_deref().unwrap_or_default();
        let path = state.graph.route.route_id.as_deref().unwrap_or(&state.url);
        let key = format!("{path}|{locale}|{layers:?}|{expanded:?}|{issues}|{offers:?}");
        match seen.iter().find(|(known, _)| *known == key) {
            Some((_, first)) => twins.push((first.clone(), state.state_id.to_string())),
            None => seen.push((key, state.state_id.to_string())),
        }
    }
    twins
}
