//! Actions: arguments, modes, risk, signals.

use std::collections::BTreeMap;

use super::Collector;
use super::items::Seen;
use super::pair::{Pair, same, words};
use crate::source::Node;

pub(super) fn action(pair: &Pair<'_>, id: &str, out: &mut Collector) -> Seen {
    let name = format!("action `{id}`");
    let single: [(&[&str], &str); 4] = [
        (&["kind"], "BC02"),
        (&["idempotency"], "BC04"),
        (&["implementation", "kind"], "BC09"),
        (&["risk", "level"], "BC12"),
    ];
    for (way, rule) in single {
        if pair.differs(way) {
            pair.change(rule, way, &name, out);
        }
    }
    if pair.differs(&["risk"]) && !pair.differs(&["risk", "level"]) {
        pair.change("BC12", &["risk"], &name, out);
    }
    if pair.differs(&["implementation"]) && !pair.differs(&["implementation", "kind"]) {
        pair.change("PA03", &["implementation"], &name, out);
    }
    sets(pair, &name, out);
    arguments(pair, &name, out);
    if pair.differs(&["success"]) {
        let repeatable = pair.old.get("idempotency").and_then(Node::as_str) == Some("idempotent");
        let count = |node: Node<'_>| node.get("success").map_or(0, Node::len);
        let rule = if repeatable && count(pair.new) <= count(pair.old) { "PA03" } else { "BC08" };
        pair.change(rule, &["success"], &name, out);
    }
    &[
        "kind",
        "idempotency",
        "risk",
        "implementation",
        "success",
        "args",
        "executionModes",
        "requiredAffordances",
        "targetKinds",
    ]
}

fn sets(pair: &Pair<'_>, name: &str, out: &mut Collector) {
    for (key, removed, added) in [
        ("executionModes", "BC05", "MI04"),
        ("requiredAffordances", "MI07", "BC06"),
        ("targetKinds", "BC07", "MI04"),
    ] {
        let (gone, come) = pair.moved(key);
        if !gone.is_empty() {
            pair.change(removed, &[key], name, out);
        }
        if !come.is_empty() {
            pair.change(added, &[key], name, out);
        }
        if gone.is_empty() && come.is_empty() && pair.differs(&[key]) {
            pair.change("PA03", &[key], name, out);
        }
    }
}

fn by_name(node: Node<'_>) -> BTreeMap<&str, (usize, Node<'_>)> {
    let args = node.get("args").into_iter().flat_map(Node::items).enumerate();
    args.filter_map(|(index, arg)| Some((arg.get("name")?.as_str()?, (index, arg)))).collect()
}

fn is_required(arg: Node<'_>) -> bool {
    arg.get("required").and_then(Node::as_bool) == Some(true)
}

fn arguments(pair: &Pair<'_>, name: &str, out: &mut Collector) {
    let (old, new) = (by_name(pair.old), by_name(pair.new));
    for (arg, (index, before)) in &old {
        let place = format!("{}/args/{index}", pair.before);
        match new.get(arg) {
            None => out.add("BC03", place, "", format!("{name}: argument `{arg}` is gone")),
            Some((at, after)) if !same(Some(*before), Some(*after)) => {
                let after_at = format!("{}/args/{at}", pair.after);
                let pair = Pair { old: *before, new: *after, before: place, after: after_at };
                argument(&pair, &format!("{name}: argument `{arg}`"), out);
            }
            Some(_) => {}
        }
    }
    for (arg, (index, after)) in new.iter().filter(|(arg, _)| !old.contains_key(*arg)) {
        let rule = if is_required(*after) { "BC03" } else { "MI03" };
        out.add(rule, "", format!("{}/args/{index}", pair.after), format!("{name}: argument `{arg}` is new"));
    }
}

fn argument(pair: &Pair<'_>, name: &str, out: &mut Collector) {
    let (was, is) = (is_required(pair.old), is_required(pair.new));
    if was != is {
        pair.change(if is { "BC03" } else { "MI03" }, &["required"], name, out);
    }
    let listed = |node: Node<'_>| node.get("enum").is_some();
    let (old, new) = (words(pair.old.get("enum")), words(pair.new.get("enum")));
    let takes_less = match (listed(pair.old), listed(pair.new)) {
        (false, true) => true,
        (true, true) => old.difference(&new).next().is_some(),
        _ => false,
    };
    if pair.differs(&["enum"]) {
        pair.change(if takes_less { "BC03" } else { "MI03" }, &["enum"], name, out);
    }
    for member in pair.members() {
        if matches!(member, "required" | "enum") || !pair.differs(&[member]) {
            continue;
        }
        let rule = if matches!(member, "title" | "description") { "PA01" } else { "BC03" };
        pair.change(rule, &[member], name, out);
    }
}
