//! Workflows: steps, inputs, modes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Collector;
use super::items::Seen;
use super::pair::Pair;
use crate::source::Node;

/// Members of a step that only people read.
const STEP_TEXTS: [&str; 3] = ["title", "text", "metadata"];

pub(super) fn workflow(pair: &Pair<'_>, id: &str, out: &mut Collector) -> Seen {
    let name = format!("workflow `{id}`");
    let (gone, come) = pair.moved("interactionModes");
    if !gone.is_empty() {
        pair.change("BC10", &["interactionModes"], &name, out);
    } else if !come.is_empty() {
        pair.change("MI04", &["interactionModes"], &name, out);
    } else if pair.differs(&["interactionModes"]) {
        pair.change("PA03", &["interactionModes"], &name, out);
    }
    steps(pair, &name, out);
    parameters(pair, &name, out);
    // The version of a workflow follows its content; it means nothing by itself.
    if pair.differs(&["version"]) {
        pair.change("PA02", &["version"], &name, out);
    }
    &["interactionModes", "steps", "parameters", "version"]
}

/// Steps without their words.
fn bare_steps(node: Node<'_>) -> Vec<Value> {
    let list = node.get("steps").into_iter().flat_map(Node::items);
    list.map(|step| {
        let mut bare = step.to_value();
        if let Some(members) = bare.as_object_mut() {
            for text in STEP_TEXTS {
                members.remove(text);
            }
        }
        bare
    })
    .collect()
}

fn steps(pair: &Pair<'_>, name: &str, out: &mut Collector) {
    if !pair.differs(&["steps"]) {
        return;
    }
    let (old, new) = (bare_steps(pair.old), bare_steps(pair.new));
    if old == new {
        pair.change("PA01", &["steps"], &format!("texts of {name}"), out);
        return;
    }
    let id = |step: &Value| step.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let changed = old.iter().zip(&new).enumerate().find(|(_, (a, b))| a != b);
    let what = match changed {
        Some((_, (before, after))) if id(before) == id(after) => {
            format!("{name}: step `{}` does something else", id(before))
        }
        Some((_, (before, _))) => format!("{name}: the steps differ from `{}` on", id(before)),
        None => format!("{name}: {} steps → {}", old.len(), new.len()),
    };
    let at = changed.map_or(old.len().min(new.len()), |(index, _)| index);
    let place = |root: &str, count: usize| {
        if at < count { format!("{root}/steps/{at}") } else { format!("{root}/steps") }
    };
    out.add("BC10", place(&pair.before, old.len()), place(&pair.after, new.len()), what);
}

/// A new required input breaks callers; a new optional one does not.
fn parameters(pair: &Pair<'_>, name: &str, out: &mut Collector) {
    if !pair.differs(&["parameters"]) {
        return;
    }
    let list = |node: Node<'_>| -> BTreeMap<String, Value> {
        let list = node.get("parameters").into_iter().flat_map(Node::items);
        list.filter_map(|each| {
            let mut value = each.to_value();
            let members = value.as_object_mut()?;
            members.remove("title");
            members.remove("description");
            Some((each.get("name")?.as_str()?.to_owned(), value))
        })
        .collect()
    };
    let (old, new) = (list(pair.old), list(pair.new));
    let required = |value: &Value| value.get("required").and_then(Value::as_bool) == Some(true);
    let demands_more = new.iter().any(|(key, value)| required(value) && !old.get(key).is_some_and(required));
    let retyped =
        old.iter().any(|(key, value)| new.get(key).is_none_or(|n| n.get("type") != value.get("type")));
    let names = |map: &BTreeMap<String, Value>| map.keys().cloned().collect::<BTreeSet<_>>();
    let rule = match () {
        () if demands_more || retyped => "BC10",
        () if old == new => "PA01",
        () if names(&new).is_superset(&names(&old)) => "MI03",
        () => "BC10",
    };
    pair.change(rule, &["parameters"], name, out);
}
