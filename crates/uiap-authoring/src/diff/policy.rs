//! Whether two bundles decide the same: a small model of the policy rules over every request that a guard can tell
//! apart. A difference comes with the smallest request that shows it.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Value, json};

use super::{Collector, pair};
use crate::source::Node;

/// More requests than this are not tried one by one; then only pairs of guards are, and of too many guards each alone.
const MOST_REQUESTS: usize = 200_000;

/// The dimensions of a request that rules can look at, with the member of the guard.
const DIMENSIONS: &[(&str, &str)] = &[
    ("role", "/principal/roles"),
    ("principal", "/principal/types"),
    ("grant", "/principal/grants"),
    ("principalId", "/principal/ids"),
    ("dataClass", "/dataClasses"),
    ("sideEffect", "/sideEffects"),
    ("riskTag", "/riskTags"),
    ("route", "/routes"),
    ("scope", "/scopes"),
    ("stableId", "/stableIds"),
    ("elementRole", "/roles"),
    ("executionMode", "/executionModes"),
    ("workflow", "/workflowIds"),
    ("interactionMode", "/interactionModes"),
    ("phase", "/phase"),
];

/// A question: an action, its risk and kind, and one value or none per dimension.
#[derive(Clone)]
struct Request<'v> {
    action: &'v str,
    risk: Option<&'v str>,
    kind: Option<&'v str>,
    values: Vec<Option<&'v str>>,
}

/// The parts of a bundle that decisions depend on; they are small.
fn deciding(bundle: Node<'_>) -> Value {
    let part = |key: &str| bundle.get(key).map_or(Value::Null, Node::to_value);
    let capabilities = bundle.get("capabilities").and_then(|all| all.get("actions")).map(Node::to_value);
    json!({
        "policies": part("policies"),
        "actions": part("actions"),
        "capabilities": { "actions": capabilities },
    })
}

/// Every data class that a policy of the bundle names.
pub(super) fn data_classes(bundle: Node<'_>) -> impl Iterator<Item = String> {
    let mut found = Vec::new();
    if let Some(policies) = bundle.get("policies") {
        collect_classes(policies, false, &mut found);
    }
    found.into_iter()
}

fn collect_classes(node: Node<'_>, inside: bool, found: &mut Vec<String>) {
    found.extend(node.as_str().filter(|_| inside).map(str::to_owned));
    for child in node.children() {
        let named = child.key().is_some_and(|key| matches!(key, "dataClasses" | "dataClass" | "classes"));
        collect_classes(child, inside || named, found);
    }
}

pub(super) fn compare(old: Node<'_>, new: Node<'_>, out: &mut Collector) {
    if pair::same(old.get("policies"), new.get("policies")) {
        return;
    }
    let (old, new) = (&deciding(old), &deciding(new));
    let requests = requests(old, new);
    let mut smallest: Option<(usize, String)> = None;
    for request in &requests {
        let (before, after) = (decide(old, request), decide(new, request));
        if before == after {
            continue;
        }
        let size = request.values.iter().flatten().count();
        if smallest.as_ref().is_none_or(|(least, _)| size < *least) {
            smallest = Some((size, format!("{}: {before} → {after}", describe(request))));
        }
    }
    if let Some((_, witness)) = smallest {
        out.add("BC11", "/policies", "/policies", format!("another decision for {witness}"));
        return;
    }
    let rest = |value: &Value| -> Vec<Value> {
        const HANDLING: [&str; 6] =
            ["/defaults/onMissingGrant", "/defaults/onError", "/grants", "/redaction", "/audit", "/handoff"];
        let documents = documents(value).into_iter();
        documents
            .flat_map(|document| HANDLING.map(|pointer| document.pointer(pointer).cloned()))
            .flatten()
            .collect()
    };
    if rest(old) == rest(new) {
        out.add("PA02", "/policies", "/policies", "policies differ in words, not in decisions");
    } else {
        let message = "another handling of grants, errors, redaction, audit or handoff";
        out.add("BC11", "/policies", "/policies", message);
    }
}

fn documents(bundle: &Value) -> Vec<&Value> {
    let list = bundle.get("policies").and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|policy| policy.get("document")).collect()
}

fn rules(bundle: &Value) -> Vec<&Value> {
    let documents = documents(bundle).into_iter();
    documents
        .flat_map(|document| document.get("rules").and_then(Value::as_array).into_iter().flatten())
        .collect()
}

fn words<'v>(value: &'v Value, pointer: &str) -> impl Iterator<Item = &'v str> + use<'v> {
    value.pointer(pointer).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Every request that the guards of either bundle can tell apart.
fn requests<'v>(old: &'v Value, new: &'v Value) -> Vec<Request<'v>> {
    let guards: Vec<&Value> =
        rules(old).into_iter().chain(rules(new)).filter_map(|rule| rule.get("match")).collect();
    let mut values: Vec<Vec<Option<&str>>> = Vec::new();
    for (_, pointer) in DIMENSIONS {
        let mentioned: BTreeSet<&str> = guards.iter().flat_map(|guard| words(guard, pointer)).collect();
        values.push(std::iter::once(None).chain(mentioned.into_iter().map(Some)).collect());
    }
    let actions = actions(old, new, &guards);
    let total = values.iter().map(Vec::len).fold(actions.len(), usize::saturating_mul);
    let pairs = actions.len().saturating_mul(guards.len()).saturating_mul(guards.len());
    let mut out = Vec::new();
    for (action, risk, kind) in actions {
        let empty = Request { action, risk, kind, values: vec![None; DIMENSIONS.len()] };
        if total <= MOST_REQUESTS {
            product(&empty, &values, 0, &mut out);
        } else {
            out.push(empty.clone());
            for first in &guards {
                let others =
                    if pairs <= MOST_REQUESTS { guards.as_slice() } else { std::slice::from_ref(first) };
                out.extend(others.iter().map(|second| satisfying(&empty, [first, second])));
            }
        }
    }
    out
}

fn product<'v>(
    request: &Request<'v>,
    values: &[Vec<Option<&'v str>>],
    at: usize,
    out: &mut Vec<Request<'v>>,
) {
    let Some(choices) = values.get(at) else {
        out.push(request.clone());
        return;
    };
    for choice in choices {
        let mut next = request.clone();
        if let Some(slot) = next.values.get_mut(at) {
            *slot = *choice;
        }
        product(&next, values, at + 1, out);
    }
}

/// The request that meets two guards, as far as they can be met together.
fn satisfying<'v>(empty: &Request<'v>, guards: [&&'v Value; 2]) -> Request<'v> {
    let mut request = empty.clone();
    for guard in guards {
        for (slot, (_, pointer)) in request.values.iter_mut().zip(DIMENSIONS) {
            *slot = slot.or_else(|| words(guard, pointer).next());
        }
    }
    request
}

/// An action with its risk and kind.
type Action<'v> = (&'v str, Option<&'v str>, Option<&'v str>);

/// Declared actions with their risk, and one that nobody declared. Of several that no guard tells apart, the first.
fn actions<'v>(old: &'v Value, new: &'v Value, guards: &[&'v Value]) -> Vec<Action<'v>> {
    let named: BTreeSet<&str> = guards.iter().flat_map(|guard| words(guard, "/actions")).collect();
    let mut out: Vec<Action<'v>> = vec![("an undeclared action", None, None)];
    let (mut known, mut classes) = (HashSet::new(), HashSet::new());
    for bundle in [old, new] {
        for list in ["/actions", "/capabilities/actions"] {
            for action in bundle.pointer(list).and_then(Value::as_array).into_iter().flatten() {
                let text = |pointer: &str| action.pointer(pointer).and_then(Value::as_str);
                let Some(id) = text("/id").filter(|id| known.insert(*id)) else { continue };
                let (risk, kind) = (text("/risk/level").unwrap_or("safe"), text("/kind"));
                let met: Vec<&str> = named.iter().copied().filter(|word| fits(word, id)).collect();
                if classes.insert((risk, kind, met)) {
                    out.push((id, Some(risk), kind));
                }
            }
        }
    }
    out
}

/// The strictest answer of all documents.
fn decide(bundle: &Value, request: &Request<'_>) -> &'static str {
    const EFFECTS: [&str; 4] = ["allow", "confirm", "handoff", "deny"];
    let strictest =
        documents(bundle).into_iter().map(|document| effect(document, request)).max().unwrap_or(3);
    EFFECTS.get(strictest).copied().unwrap_or("deny")
}

fn rank(effect: &str) -> usize {
    match effect {
        "allow" => 0,
        "confirm" => 1,
        "handoff" => 2,
        _ => 3,
    }
}

fn effect(document: &Value, request: &Request<'_>) -> usize {
    let default = |pointer: &str| document.pointer(pointer).and_then(Value::as_str).map(rank);
    let Some(risk) = request.risk else { return default("/defaults/onUnknownAction").unwrap_or(3) };
    let by_risk = default(&format!("/defaults/byRisk/{risk}")).unwrap_or(match risk {
        "safe" => 0,
        "confirm" => 1,
        _ => 3,
    });
    let floor = if risk == "blocked" { 3 } else { 0 };
    let list = document.get("rules").and_then(Value::as_array).into_iter().flatten();
    let matching: Vec<&Value> = list.filter(|rule| applies(rule, request)).collect();
    let of = |rule: &&Value| rule.get("effect").and_then(Value::as_str).map_or(3, rank);
    let overrides =
        matching.iter().filter(|rule| rule.get("override").and_then(Value::as_bool) == Some(true));
    let base = match overrides.map(of).max() {
        Some(effect) => effect,
        None if matching.is_empty() => default("/defaults/onNoMatch").unwrap_or(by_risk),
        None => matching.iter().map(of).max().unwrap_or(0).max(by_risk),
    };
    base.max(floor)
}

fn applies(rule: &Value, request: &Request<'_>) -> bool {
    if rule.get("enabled").and_then(Value::as_bool) == Some(false) {
        return false;
    }
    let Some(guard) = rule.get("match") else { return true };
    let meets = |pointer: &str, value: Option<&str>| {
        guard.pointer(pointer).is_none()
            || value.is_some_and(|value| words(guard, pointer).any(|word| fits(word, value)))
    };
    meets("/actions", Some(request.action))
        && meets("/riskLevels", request.risk)
        && meets("/actionKinds", request.kind)
        && DIMENSIONS.iter().zip(&request.values).all(|((_, pointer), value)| meets(pointer, *value))
}

fn fits(word: &str, value: &str) -> bool {
    match word.strip_suffix(".*") {
        Some(prefix) => value == word || value.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.')),
        None => word == value,
    }
}

fn describe(request: &Request<'_>) -> String {
    let mut parts = vec![request.action.to_owned()];
    for ((name, _), value) in DIMENSIONS.iter().zip(&request.values) {
        parts.extend(value.map(|value| format!("{name}={value}")));
    }
    parts.join(", ")
}
