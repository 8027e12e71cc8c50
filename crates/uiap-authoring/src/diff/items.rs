//! Lists whose items have ids: what is gone, what is new, what stands for something else now.

use std::collections::HashMap;

use super::Collector;
use super::actions::action;
use super::pair::{Pair, down, same};
use super::workflows::workflow;
use crate::source::Node;

/// The members of an item that a rule has looked at; the rest falls under the general rule.
pub(super) type Seen = &'static [&'static str];

type Rules = fn(&Pair<'_>, &str, &mut Collector) -> Seen;

/// Where the lists stand, what their items are called, and the rules for one item.
const LISTS: &[(&[&str], &str, Rules)] = &[
    (&["bindings", "routes"], "route", route),
    (&["bindings", "scopes"], "scope", scope),
    (&["bindings", "elements"], "element", element),
    (&["actions"], "action", action),
    (&["workflows"], "workflow", workflow),
    (&["app", "environments"], "environment", environment),
    (&["app", "principalProfiles"], "profile", profile),
];

pub(super) fn compare(old: Node<'_>, new: Node<'_>, out: &mut Collector) {
    for (way, what, rules) in LISTS {
        list(down(old, way), down(new, way), &format!("/{}", way.join("/")), what, *rules, out);
    }
    let policies = (old.get("policies"), new.get("policies"));
    gone_and_new(policies.0, policies.1, "/policies", "policy", out);
}

/// Items by id, with their positions.
fn by_id(list: Option<Node<'_>>) -> HashMap<&str, (usize, Node<'_>)> {
    let items = list.into_iter().flat_map(Node::items).enumerate();
    items.filter_map(|(index, item)| Some((item.get("id")?.as_str()?, (index, item)))).collect()
}

fn list(
    old: Option<Node<'_>>,
    new: Option<Node<'_>>,
    pointer: &str,
    what: &str,
    rules: Rules,
    out: &mut Collector,
) {
    if same(old, new) {
        return;
    }
    for pair in gone_and_new(old, new, pointer, what, out) {
        let id = pair.old.get("id").and_then(Node::as_str).unwrap_or_default().to_owned();
        let seen = rules(&pair, &id, out);
        general(&pair, what, &id, seen, out);
    }
}

/// Reports ids that went and came; hands back the items that are in both and differ.
fn gone_and_new<'v>(
    old: Option<Node<'v>>,
    new: Option<Node<'v>>,
    pointer: &str,
    what: &str,
    out: &mut Collector,
) -> Vec<Pair<'v>> {
    let (before, after) = (by_id(old), by_id(new));
    let mut pairs = Vec::new();
    for (id, (index, item)) in &before {
        match after.get(id) {
            None => {
                let has_urls = what == "environment" && item.get("baseUrls").is_some();
                let rule = if has_urls { "BC20" } else { "BC01" };
                out.add(rule, format!("{pointer}/{index}"), "", format!("{what} `{id}` is gone"));
            }
            Some((_, other)) if same(Some(*item), Some(*other)) => {}
            Some((at, other)) => pairs.push(Pair {
                old: *item,
                new: *other,
                before: format!("{pointer}/{index}"),
                after: format!("{pointer}/{at}"),
            }),
        }
    }
    let rule = if matches!(what, "environment" | "profile") { "MI09" } else { "MI01" };
    for (id, (index, _)) in after.iter().filter(|(id, _)| !before.contains_key(*id)) {
        out.add(rule, "", format!("{pointer}/{index}"), format!("{what} `{id}` is new"));
    }
    pairs
}

/// What no rule of the kind looked at: words for people, metadata, and everything that a runtime may read.
fn general(pair: &Pair<'_>, what: &str, id: &str, seen: Seen, out: &mut Collector) {
    for member in pair.members() {
        if seen.contains(&member) || !pair.differs(&[member]) {
            continue;
        }
        let (rule, text) = match member {
            "title" | "description" | "name" | "meaning" | "displayName" => {
                ("PA01", format!("text of `{id}`"))
            }
            "metadata" => {
                let mark = |node: Node<'_>| down(node, &["metadata", "deprecated"]).is_some();
                let rule = if !mark(pair.old) && mark(pair.new) { "MI08" } else { "PA04" };
                (rule, format!("metadata of `{id}`"))
            }
            "labels" | "tags" | "owners" => ("PA02", format!("{member} of {what} `{id}`")),
            _ if what == "workflow" => ("BC10", format!("workflow `{id}`, `{member}`")),
            _ => ("BC02", format!("{what} `{id}` means something else, `{member}`")),
        };
        pair.change(rule, &[member], &text, out);
    }
}

/// More ways to find the same thing are an addition; other ways may find something else.
fn matchers(pair: &Pair<'_>, id: &str, out: &mut Collector) {
    if !pair.differs(&["match"]) {
        return;
    }
    let list = |node: Node<'_>| -> Vec<String> {
        node.get("match").into_iter().flat_map(Node::items).map(|each| each.to_value().to_string()).collect()
    };
    let (old, new) = (list(pair.old), list(pair.new));
    let kept = old.iter().all(|matcher| new.contains(matcher));
    let rule = if kept && new.len() > old.len() { "MI06" } else { "PA03" };
    pair.change(rule, &["match"], &format!("matchers of `{id}`"), out);
}

fn route(pair: &Pair<'_>, id: &str, out: &mut Collector) -> Seen {
    matchers(pair, id, out);
    if pair.differs(&["successSignals"]) {
        pair.change("BC08", &["successSignals"], &format!("route `{id}`"), out);
    }
    &["match", "successSignals"]
}

fn scope(pair: &Pair<'_>, id: &str, out: &mut Collector) -> Seen {
    if pair.differs(&["kind"]) {
        pair.change("BC02", &["kind"], &format!("kind of scope `{id}`"), out);
    }
    &["kind"]
}

fn element(pair: &Pair<'_>, id: &str, out: &mut Collector) -> Seen {
    for (key, rule) in [("role", "BC17"), ("risk", "BC12"), ("success", "BC08")] {
        if pair.differs(&[key]) {
            pair.change(rule, &[key], &format!("element `{id}`"), out);
        }
    }
    let (gone, come) = pair.moved("dataClasses");
    if !gone.is_empty() || !come.is_empty() {
        let read = gone.iter().chain(&come).any(|class| out.data_classes.contains(*class));
        let rule = if read { "BC18" } else { "PA02" };
        pair.change(rule, &["dataClasses"], &format!("element `{id}`"), out);
    }
    matchers(pair, id, out);
    &["match", "role", "risk", "success", "dataClasses"]
}

fn environment(pair: &Pair<'_>, id: &str, out: &mut Collector) -> Seen {
    let (gone, come) = pair.moved("baseUrls");
    if !gone.is_empty() {
        pair.change("BC20", &["baseUrls"], &format!("environment `{id}`"), out);
    } else if !come.is_empty() {
        pair.change("MI09", &["baseUrls"], &format!("environment `{id}`"), out);
    } else if pair.differs(&["baseUrls"]) {
        pair.change("PA03", &["baseUrls"], &format!("order of addresses of environment `{id}`"), out);
    }
    &["baseUrls"]
}

/// Another set of rights is another profile.
fn profile(pair: &Pair<'_>, id: &str, out: &mut Collector) -> Seen {
    for key in ["roles", "grants"] {
        if pair.differs(&[key]) {
            pair.change("BC02", &[key], &format!("profile `{id}` means somebody else"), out);
        }
    }
    &["roles", "grants"]
}
