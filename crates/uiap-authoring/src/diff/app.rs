//! The app, its texts, what it is compatible with, and what its capabilities declare.

use std::collections::{BTreeMap, BTreeSet};

use super::Collector;
use super::pair::{Pair, down, same, show, words};
use crate::semver::Range;
use crate::source::Node;

pub(super) fn compare(old: Node<'_>, new: Node<'_>, out: &mut Collector) {
    texts(old, new, out);
    app(old, new, out);
    compatibility(old, new, out);
    capabilities(old, new, out);
    if !same(old.get("profile"), new.get("profile")) {
        let message = format!("profile {} → {}", show(old.get("profile")), show(new.get("profile")));
        out.add("BC14", "/profile", "/profile", message);
    }
    if !same(old.get("packageId"), new.get("packageId")) {
        out.add("BC01", "/packageId", "/packageId", "the package has another id");
    }
}

fn texts(old: Node<'_>, new: Node<'_>, out: &mut Collector) {
    let map = |bundle: Node<'_>| -> BTreeMap<String, String> {
        let texts = bundle.get("locales").into_iter().flat_map(Node::entries);
        texts.map(|(key, text)| (key.to_owned(), text.as_str().unwrap_or_default().to_owned())).collect()
    };
    if same(old.get("locales"), new.get("locales")) {
        return;
    }
    let (before, after) = (map(old), map(new));
    let at = |key: &str| format!("/locales/{}", uiap_model::pointer::escape(key));
    for (key, text) in &before {
        match after.get(key) {
            None => out.add("BC01", at(key), "", format!("text `{key}` is gone")),
            Some(other) if other != text => out.add("PA01", at(key), at(key), format!("text `{key}`")),
            Some(_) => {}
        }
    }
    for key in after.keys().filter(|key| !before.contains_key(*key)) {
        out.add("MI02", "", at(key), format!("text `{key}` is new"));
    }
}

fn app(old: Node<'_>, new: Node<'_>, out: &mut Collector) {
    let (Some(old), Some(new)) = (old.get("app"), new.get("app")) else { return };
    let pair = Pair { old, new, before: "/app".to_owned(), after: "/app".to_owned() };
    for member in pair.members() {
        if !pair.differs(&[member]) {
            continue;
        }
        let (rule, what) = match member {
            "appId" => ("BC01", "the app has another id"),
            "displayName" => ("PA01", "name of the app"),
            "defaultLocale" => ("BC16", "default locale"),
            "metadata" => ("PA04", "metadata of the app"),
            "environments" | "principalProfiles" => continue,
            "supportedLocales" => {
                supported_locales(&pair, out);
                continue;
            }
            _ => ("BC02", "the app works in another way"),
        };
        pair.change(rule, &[member], what, out);
    }
}

fn supported_locales(pair: &Pair<'_>, out: &mut Collector) {
    let (gone, come) = pair.moved("supportedLocales");
    let way = &["supportedLocales"];
    if !gone.is_empty() {
        pair.change("BC16", way, "a supported locale is gone", out);
    }
    if !come.is_empty() {
        pair.change("MI02", way, "a supported locale is new", out);
    }
    if gone.is_empty() && come.is_empty() {
        pair.change("PA03", way, "order of the supported locales", out);
    }
}

fn compatibility(old: Node<'_>, new: Node<'_>, out: &mut Collector) {
    let root = "/compatibility";
    let (before, after) = (old.get("compatibility"), new.get("compatibility"));
    let at = |node: Option<Node<'_>>, way: &[&str]| -> Option<String> {
        Some(down(node?, way)?.as_str()?.to_owned())
    };
    for way in [&["uiapCore"][..], &["sdk", "web"]] {
        let pointer = format!("{root}/{}", way.join("/"));
        range(at(before, way), at(after, way), &pointer, &pointer, out);
    }
    extensions(before, after, out);
    app_versions(before, after, out);
}

/// Ranges are compared by the versions at their bounds.
fn range(old: Option<String>, new: Option<String>, before: &str, after: &str, out: &mut Collector) {
    let (old_text, new_text) = match (old, new) {
        (Some(old), Some(new)) if old != new => (old, new),
        (None, Some(new)) => return out.add("BC13", "", after, format!("`{new}` is demanded and was not")),
        (Some(old), None) => return out.add("MI07", before, "", format!("`{old}` is no longer demanded")),
        _ => return,
    };
    let message = format!("`{old_text}` → `{new_text}`");
    let (Ok(old), Ok(new)) = (Range::parse(&old_text), Range::parse(&new_text)) else {
        return out.add("BC13", before, after, format!("another range: {message}"));
    };
    let probes: Vec<_> = old.probes().into_iter().chain(new.probes()).collect();
    if probes.iter().any(|version| old.contains(version) && !new.contains(version)) {
        out.add("BC13", before, after, format!("range narrowed: {message}"));
    } else if probes.iter().any(|version| !old.contains(version) && new.contains(version)) {
        out.add("MI07", before, after, format!("range widened: {message}"));
    } else {
        out.add("PA03", before, after, format!("range written in another way: {message}"));
    }
}

fn extensions(old: Option<Node<'_>>, new: Option<Node<'_>>, out: &mut Collector) {
    let map = |node: Option<Node<'_>>| -> BTreeMap<String, (usize, Option<String>, bool)> {
        let list = node.and_then(|node| node.get("extensions")).into_iter().flat_map(Node::items).enumerate();
        list.filter_map(|(index, each)| {
            let range = each.get("range").and_then(Node::as_str).map(str::to_owned);
            let required = each.get("required").and_then(Node::as_bool) == Some(true);
            Some((each.get("id")?.as_str()?.to_owned(), (index, range, required)))
        })
        .collect()
    };
    let (before, after) = (map(old), map(new));
    let at = |index: usize| format!("/compatibility/extensions/{index}");
    for (id, (index, range_now, required)) in &after {
        match before.get(id) {
            None if *required => out.add("BC13", "", at(*index), format!("extension `{id}` is now required")),
            None => out.add("MI07", "", at(*index), format!("extension `{id}` can be used")),
            Some((was_at, range_then, was_required)) => {
                if *required != *was_required {
                    let rule = if *required { "BC13" } else { "MI07" };
                    let now = if *required { "required" } else { "optional" };
                    out.add(rule, at(*was_at), at(*index), format!("extension `{id}` is now {now}"));
                }
                range(range_then.clone(), range_now.clone(), &at(*was_at), &at(*index), out);
            }
        }
    }
    for (id, (index, ..)) in before.iter().filter(|(id, _)| !after.contains_key(*id)) {
        out.add("MI07", at(*index), "", format!("extension `{id}` is no longer used"));
    }
}

/// No list means every version.
fn app_versions(old: Option<Node<'_>>, new: Option<Node<'_>>, out: &mut Collector) {
    let list = |node: Option<Node<'_>>| -> Option<BTreeSet<String>> {
        let list = node?.get("appVersions")?;
        Some(words(Some(list)).into_iter().map(str::to_owned).collect())
    };
    let at = "/compatibility/appVersions";
    match (list(old), list(new)) {
        (None, Some(_)) => out.add("BC13", "", at, "only some app versions are supported now"),
        (Some(_), None) => out.add("MI07", at, "", "every app version is supported now"),
        (Some(had), Some(has)) => {
            if let Some(gone) = had.difference(&has).next() {
                out.add("BC13", at, at, format!("app version `{gone}` is no longer supported"));
            }
            if let Some(come) = has.difference(&had).next() {
                out.add("MI07", at, at, format!("app version `{come}` is new"));
            }
        }
        (None, None) => {}
    }
}

fn capabilities(old: Node<'_>, new: Node<'_>, out: &mut Collector) {
    let (old, new) = match (old.get("capabilities"), new.get("capabilities")) {
        (Some(old), Some(new)) => (old, new),
        (Some(_), None) => return out.add("BC15", "/capabilities", "", "nothing is declared any more"),
        (None, Some(_)) => return out.add("MI01", "", "/capabilities", "capabilities are declared"),
        (None, None) => return,
    };
    let root = "/capabilities".to_owned();
    let pair = Pair { old, new, before: root.clone(), after: root };
    for member in pair.members() {
        if !pair.differs(&[member]) {
            continue;
        }
        let names = |node: Node<'_>| -> Option<BTreeSet<String>> {
            let list = node.get(member);
            let items = list.into_iter().flat_map(Node::items);
            items.map(|each| Some(each.get("id").unwrap_or(each).as_str()?.to_owned())).collect()
        };
        let (Some(before), Some(after)) = (names(old), names(new)) else {
            pair.change("BC15", &[member], member, out);
            continue;
        };
        let (gone, come) = (before.difference(&after).next(), after.difference(&before).next());
        if let Some(word) = gone {
            pair.change("BC15", &[member], &format!("`{word}` is no longer in {member}"), out);
        }
        if let Some(word) = come {
            pair.change("MI01", &[member], &format!("`{word}` is new in {member}"), out);
        }
        if gone.is_none() && come.is_none() {
            let is_word_list = member != "actions" && old.get(member).is_some_and(|list| !list.is_empty());
            let rule = if is_word_list { "PA03" } else { "BC15" };
            pair.change(rule, &[member], member, out);
        }
    }
}
