//! Everything but the decisions of policies: ids, actions, workflows, bindings, app, texts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Collector;
use crate::semver::Range;

pub(super) fn compare(old: &Value, new: &Value, out: &mut Collector) {
    lists(old, new, "/bindings/routes", "route", out, route);
    lists(old, new, "/bindings/scopes", "scope", out, scope);
    lists(old, new, "/bindings/elements", "element", out, element);
    lists(old, new, "/actions", "action", out, action);
    lists(old, new, "/policies", "policy", out, |_, _, _| {});
    lists(old, new, "/workflows", "workflow", out, workflow);
    lists(old, new, "/app/environments", "environment", out, environment);
    lists(old, new, "/app/principalProfiles", "profile", out, |_, _, _| {});
    texts(old, new, out);
    app(old, new, out);
    compatibility(old, new, out);
    capabilities(old, new, out);
    if old.get("profile") != new.get("profile") {
        out.add(
            "BC14",
            "/profile",
            "/profile",
            format!("profile {} → {}", show(old.get("profile")), show(new.get("profile"))),
        );
    }
}

fn show(value: Option<&Value>) -> String {
    value.map_or("nothing".to_owned(), Value::to_string)
}

/// Items of a list by id, with their positions.
fn by_id<'v>(bundle: &'v Value, pointer: &str) -> BTreeMap<&'v str, (usize, &'v Value)> {
    let items = bundle.pointer(pointer).and_then(Value::as_array).into_iter().flatten().enumerate();
    items.filter_map(|(index, item)| Some((item.get("id")?.as_str()?, (index, item)))).collect()
}

/// An item before and after.
struct Pair<'v> {
    old: &'v Value,
    new: &'v Value,
    before: String,
    after: String,
}

impl Pair<'_> {
    fn differs(&self, key: &str) -> bool {
        self.old.pointer(key) != self.new.pointer(key)
    }

    fn change(&self, rule: &'static str, key: &str, what: &str, out: &mut Collector) {
        let message = format!("{what}: {} → {}", show(self.old.pointer(key)), show(self.new.pointer(key)));
        out.add(rule, format!("{}{key}", self.before), format!("{}{key}", self.after), message);
    }

    fn words(&self, key: &str) -> (BTreeSet<&str>, BTreeSet<&str>) {
        (words(self.old, key), words(self.new, key))
    }
}

fn words<'v>(value: &'v Value, key: &str) -> BTreeSet<&'v str> {
    value.pointer(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn lists(
    old: &Value,
    new: &Value,
    list: &str,
    what: &str,
    out: &mut Collector,
    compare: impl Fn(&Pair<'_>, &str, &mut Collector),
) {
    let (before, after) = (by_id(old, list), by_id(new, list));
    for (id, (index, item)) in &before {
        match after.get(id) {
            None => {
                let place = format!("{list}/{index}");
                let rule =
                    if what == "environment" && item.get("baseUrls").is_some() { "BC20" } else { "BC01" };
                out.add(rule, place, "", format!("{what} `{id}` is gone"));
            }
            Some((at, other)) if item != other => {
                let pair = Pair {
                    old: item,
                    new: other,
                    before: format!("{list}/{index}"),
                    after: format!("{list}/{at}"),
                };
                compare(&pair, id, out);
                plain(&pair, id, out);
            }
            Some(_) => {}
        }
    }
    let new_rule = if matches!(what, "environment" | "profile") { "MI09" } else { "MI01" };
    for (id, (index, _)) in after.iter().filter(|(id, _)| !before.contains_key(*id)) {
        out.add(new_rule, "", format!("{list}/{index}"), format!("{what} `{id}` is new"));
    }
}

/// What never breaks anything: words for people, and metadata.
fn plain(pair: &Pair<'_>, id: &str, out: &mut Collector) {
    for key in ["/title", "/description", "/name", "/meaning"] {
        if pair.differs(key) {
            pair.change("PA01", key, &format!("text of `{id}`"), out);
        }
    }
    if pair.differs("/metadata") {
        let mark = |value: &Value| value.pointer("/metadata/deprecated").is_some();
        let rule = if !mark(pair.old) && mark(pair.new) { "MI08" } else { "PA04" };
        pair.change(rule, "/metadata", &format!("metadata of `{id}`"), out);
    }
}

fn matchers(pair: &Pair<'_>, id: &str, out: &mut Collector) {
    if !pair.differs("/match") {
        return;
    }
    let list = |value: &Value| -> Vec<String> {
        value.get("match").and_then(Value::as_array).into_iter().flatten().map(Value::to_string).collect()
    };
    let (old, new) = (list(pair.old), list(pair.new));
    let kept = old.iter().all(|matcher| new.contains(matcher));
    let rule = if kept && new.len() > old.len() { "MI06" } else { "PA03" };
    pair.change(rule, "/match", &format!("matchers of `{id}`"), out);
}

fn route(pair: &Pair<'_>, id: &str, out: &mut Collector) {
    matchers(pair, id, out);
}

fn scope(pair: &Pair<'_>, id: &str, out: &mut Collector) {
    if pair.differs("/kind") {
        pair.change("BC02", "/kind", &format!("kind of scope `{id}`"), out);
    }
}

fn element(pair: &Pair<'_>, id: &str, out: &mut Collector) {
    for (key, rule) in [("/role", "BC17"), ("/risk", "BC12"), ("/dataClasses", "BC18")] {
        if pair.differs(key) {
            pair.change(rule, key, &format!("`{id}`"), out);
        }
    }
    matchers(pair, id, out);
}

fn action(pair: &Pair<'_>, id: &str, out: &mut Collector) {
    let name = format!("action `{id}`");
    for (key, rule) in [
        ("/kind", "BC02"),
        ("/idempotency", "BC04"),
        ("/risk/level", "BC12"),
        ("/implementation/kind", "BC09"),
    ] {
        if pair.differs(key) {
            pair.change(rule, key, &name, out);
        }
    }
    let sets = [
        ("/executionModes", Some("BC05"), Some("MI04")),
        ("/requiredAffordances", None, Some("BC06")),
        ("/targetKinds", Some("BC07"), Some("MI04")),
    ];
    for (key, removed, added) in sets {
        let (old, new) = pair.words(key);
        if let Some(rule) = removed.filter(|_| old.difference(&new).next().is_some()) {
            pair.change(rule, key, &name, out);
        }
        if let Some(rule) = added.filter(|_| new.difference(&old).next().is_some()) {
            pair.change(rule, key, &name, out);
        }
    }
    arguments(pair, &name, out);
    if pair.differs("/success") {
        let repeatable = pair.old.get("idempotency").and_then(Value::as_str) == Some("idempotent");
        let count = |value: &Value| value.get("success").and_then(Value::as_array).map_or(0, Vec::len);
        let rule = if repeatable && count(pair.new) <= count(pair.old) { "PA03" } else { "BC08" };
        pair.change(rule, "/success", &name, out);
    }
}

fn arguments(pair: &Pair<'_>, name: &str, out: &mut Collector) {
    let list = |value: &Value| -> BTreeMap<String, (usize, Value)> {
        let args = value.get("args").and_then(Value::as_array).into_iter().flatten().enumerate();
        args.filter_map(|(index, arg)| Some((arg.get("name")?.as_str()?.to_owned(), (index, arg.clone()))))
            .collect()
    };
    let (old, new) = (list(pair.old), list(pair.new));
    let required = |arg: &Value| arg.get("required").and_then(Value::as_bool) == Some(true);
    for (arg, (index, before)) in &old {
        let place = format!("{}/args/{index}", pair.before);
        let Some((at, after)) = new.get(arg) else {
            out.add("BC03", place, "", format!("{name}: argument `{arg}` is gone"));
            continue;
        };
        let now = format!("{}/args/{at}", pair.after);
        let (gone, fresh) = {
            let (a, b) = (words(before, "/enum"), words(after, "/enum"));
            (a.difference(&b).next().is_some(), b.difference(&a).next().is_some())
        };
        if before.get("type") != after.get("type") || gone || (!required(before) && required(after)) {
            out.add(
                "BC03",
                place.clone(),
                now.clone(),
                format!("{name}: argument `{arg}` takes less than before"),
            );
        }
        if fresh || (required(before) && !required(after)) {
            out.add("MI03", place, now, format!("{name}: argument `{arg}` takes more than before"));
        }
    }
    for (arg, (index, after)) in new.iter().filter(|(arg, _)| !old.contains_key(*arg)) {
        let rule = if required(after) { "BC03" } else { "MI03" };
        out.add(rule, "", format!("{}/args/{index}", pair.after), format!("{name}: argument `{arg}` is new"));
    }
}

fn workflow(pair: &Pair<'_>, id: &str, out: &mut Collector) {
    let name = format!("workflow `{id}`");
    for key in ["/startMode", "/initialStepId"] {
        if pair.differs(key) {
            pair.change("BC10", key, &name, out);
        }
    }
    let (old, new) = pair.words("/interactionModes");
    if old.difference(&new).next().is_some() {
        pair.change("BC10", "/interactionModes", &name, out);
    } else if new.difference(&old).next().is_some() {
        pair.change("MI04", "/interactionModes", &name, out);
    }
    let steps = |value: &Value| -> Vec<Value> {
        let list = value.get("steps").and_then(Value::as_array).into_iter().flatten();
        list.map(|step| {
            let mut bare = step.clone();
            if let Some(members) = bare.as_object_mut() {
                for text in ["title", "text", "metadata"] {
                    members.remove(text);
                }
            }
            bare
        })
        .collect()
    };
    if steps(pair.old) != steps(pair.new) {
        pair.change("BC10", "/steps", &name, out);
    } else if pair.differs("/steps") {
        pair.change("PA01", "/steps", &format!("texts of {name}"), out);
    }
    let needed = |value: &Value| -> BTreeSet<String> {
        let list = value.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let needed = list.filter(|p| p.get("required").and_then(Value::as_bool) == Some(true));
        needed.filter_map(|p| Some(p.get("name")?.as_str()?.to_owned())).collect()
    };
    if needed(pair.new).difference(&needed(pair.old)).next().is_some() {
        pair.change("BC10", "/parameters", &name, out);
    } else if pair.differs("/parameters") {
        pair.change("MI03", "/parameters", &name, out);
    }
}

fn environment(pair: &Pair<'_>, id: &str, out: &mut Collector) {
    let (old, new) = pair.words("/baseUrls");
    if old.difference(&new).next().is_some() {
        pair.change("BC20", "/baseUrls", &format!("environment `{id}`"), out);
    } else if new.difference(&old).next().is_some() {
        pair.change("MI09", "/baseUrls", &format!("environment `{id}`"), out);
    }
}

fn texts(old: &Value, new: &Value, out: &mut Collector) {
    let map = |value: &Value| value.get("locales").and_then(Value::as_object).cloned().unwrap_or_default();
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

fn app(old: &Value, new: &Value, out: &mut Collector) {
    let get = |value: &'_ Value, key: &str| value.pointer(key).cloned();
    if get(old, "/app/appId") != get(new, "/app/appId") {
        out.add("BC01", "/app/appId", "/app/appId", "the app has another id");
    }
    if get(old, "/app/displayName") != get(new, "/app/displayName") {
        out.add("PA01", "/app/displayName", "/app/displayName", "name of the app");
    }
    if get(old, "/app/defaultLocale") != get(new, "/app/defaultLocale") {
        out.add("BC16", "/app/defaultLocale", "/app/defaultLocale", "default locale");
    }
    let (before, after) = (words(old, "/app/supportedLocales"), words(new, "/app/supportedLocales"));
    if before.difference(&after).next().is_some() {
        out.add("BC16", "/app/supportedLocales", "/app/supportedLocales", "a supported locale is gone");
    }
    if after.difference(&before).next().is_some() {
        out.add("MI02", "/app/supportedLocales", "/app/supportedLocales", "a supported locale is new");
    }
}

/// Ranges are compared by the versions at their bounds.
fn compatibility(old: &Value, new: &Value, out: &mut Collector) {
    let mut range = |pointer: &str| {
        let read = |value: &Value| value.pointer(pointer).and_then(Value::as_str).map(Range::parse);
        let (Some(Ok(before)), Some(Ok(after))) = (read(old), read(new)) else {
            match (old.pointer(pointer), new.pointer(pointer)) {
                (None, Some(_)) => out.add("BC13", "", pointer, "a range is demanded that was not"),
                (Some(_), None) => out.add("MI07", pointer, "", "a range is no longer demanded"),
                _ => {}
            }
            return;
        };
        let probes: Vec<_> = before.probes().into_iter().chain(after.probes()).collect();
        if probes.iter().any(|version| before.contains(version) && !after.contains(version)) {
            out.add("BC13", pointer, pointer, format!("range narrowed: {before} → {after}"));
        } else if probes.iter().any(|version| !before.contains(version) && after.contains(version)) {
            out.add("MI07", pointer, pointer, format!("range widened: {before} → {after}"));
        }
    };
    range("/compatibility/uiapCore");
    range("/compatibility/sdk/web");
    let extensions = |value: &Value| {
        by_id(value, "/compatibility/extensions")
            .into_iter()
            .map(|(id, (_, item))| (id.to_owned(), item.clone()))
            .collect::<BTreeMap<_, _>>()
    };
    let (before, after) = (extensions(old), extensions(new));
    let required = |item: Option<&Value>| {
        item.and_then(|item| item.get("required")).and_then(Value::as_bool) == Some(true)
    };
    for (id, item) in &after {
        if required(Some(item)) && !required(before.get(id)) {
            out.add("BC13", "", "/compatibility/extensions", format!("extension `{id}` is now required"));
        }
    }
    let (had, has) = (words(old, "/compatibility/appVersions"), words(new, "/compatibility/appVersions"));
    if had.difference(&has).next().is_some() {
        out.add(
            "BC13",
            "/compatibility/appVersions",
            "/compatibility/appVersions",
            "an app version is no longer supported",
        );
    } else if has.difference(&had).next().is_some() {
        out.add("MI07", "/compatibility/appVersions", "/compatibility/appVersions", "an app version is new");
    }
}

fn capabilities(old: &Value, new: &Value, out: &mut Collector) {
    for list in ["roles", "stateKeys", "affordances", "riskLevels", "riskTags", "successSignalKinds"] {
        let pointer = format!("/capabilities/{list}");
        let (before, after) = (words(old, &pointer), words(new, &pointer));
        if let Some(word) = before.difference(&after).next() {
            out.add("BC15", pointer.clone(), pointer.clone(), format!("`{word}` is no longer in {list}"));
        }
        if let Some(word) = after.difference(&before).next() {
            out.add("MI01", pointer.clone(), pointer, format!("`{word}` is new in {list}"));
        }
    }
}
