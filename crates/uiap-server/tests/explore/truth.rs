//! What there is to be found in Videoland, and how much of it a run found.

use std::collections::BTreeSet;

use serde_json::Value;
use uiap_discovery::record::RunRecord;

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

/// Words that a name consists of where placeholders stand for anything.
fn fits(pattern: &str, name: &str) -> bool {
    if !pattern.contains('{') {
        return pattern == name;
    }
    let mut rest = name;
    let mut pattern = pattern;
    loop {
        let Some((fixed, after)) = pattern.split_once('{') else { return rest.ends_with(pattern) };
        let Some(at) = rest.find(fixed) else { return false };
        rest = &rest[at + fixed.len()..];
        pattern = after.split_once('}').map_or("", |(_, after)| after);
    }
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

fn is_seen(record: &RunRecord, scope: &Value) -> bool {
    let (id, kind, name) =
        (scope["id"].as_str(), scope["kind"].as_str().unwrap(), scope["name"].as_str().unwrap_or_default());
    record.states.iter().any(|state| {
        state.graph.scopes().any(|(_, seen)| match id {
            Some(id) => seen.id.as_str() == id,
            None => seen.kind.to_string() == kind && fits(name, seen.name.as_deref().unwrap_or_default()),
        })
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
            found.push((name, is_seen(record, scope)));
        }
    }
    Share::of(found)
}

/// Things that can be operated; all of them, or those that can be reached safely.
pub(crate) fn elements_found(record: &RunRecord, all: bool) -> Share {
    let seen: BTreeSet<(String, String)> = record
        .states
        .iter()
        .flat_map(|state| {
            let elements = state.graph.elements();
            elements
                .map(|(.., element)| {
                    (element.role.to_string(), element.name.as_deref().unwrap_or_default().to_owned())
                })
                .collect::<Vec<_>>()
        })
        .collect();
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
                let known = seen.iter().any(|(seen_role, seen)| seen_role == role && fits(name, seen));
                found.push((format!("{} {role} `{name}`", route["routeId"]), known));
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
