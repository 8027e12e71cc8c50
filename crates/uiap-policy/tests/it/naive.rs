//! A second evaluator, written to be obviously right and slow: sets of words, every rule, every row, no index, no bits.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use uiap_model::policy::{PolicyDecision, PolicyRequest};

use crate::support::World;

type Words = BTreeSet<String>;
/// What is known, by the key of a match.
type Facts = BTreeMap<&'static str, Words>;

/// What both evaluators must agree on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    effect: String,
    reasons: Words,
    rules: Vec<String>,
    missing: Words,
    obligations: Words,
}

impl From<&PolicyDecision> for Answer {
    fn from(decision: &PolicyDecision) -> Self {
        Self {
            effect: decision.effect.to_string(),
            reasons: decision.reasons.iter().map(ToString::to_string).collect(),
            rules: decision.matched_rules.iter().map(ToString::to_string).collect(),
            missing: decision.missing_grants.iter().flatten().map(ToString::to_string).collect(),
            obligations: decision
                .obligations
                .iter()
                .map(|each| text(&serde_json::to_value(each).unwrap()))
                .collect(),
        }
    }
}

fn text(value: &Value) -> String {
    String::from_utf8(uiap_model::digest::canonical(value).unwrap()).unwrap()
}

fn rank(effect: &str) -> usize {
    ["allow", "confirm", "handoff", "deny"].iter().position(|each| *each == effect).unwrap()
}

fn level(name: &str) -> usize {
    ["safe", "confirm", "blocked"].iter().position(|each| *each == name).unwrap()
}

struct Known {
    sure: Facts,
    all: Facts,
    declared: bool,
    sure_level: String,
    top_level: String,
    reads: bool,
    writes: bool,
    looks: bool,
    grants: Words,
}

const PRIMITIVES: &[(&str, &str)] = &[
    ("ui.read", "none"),
    ("ui.highlight", "none"),
    ("nav.navigate", "navigation"),
    ("ui.enterText", "draft"),
    ("ui.activate", "unknown"),
];

fn words(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => items.iter().map(|item| item.as_str().unwrap().to_owned()).collect(),
        Some(Value::String(word)) => vec![word.clone()],
        _ => Vec::new(),
    }
}

#[expect(clippy::too_many_lines, reason = "read from top to bottom, it is obviously right")]
fn gather(request: &Value, world: &World) -> Option<Known> {
    let action = request["actionId"].as_str().unwrap();
    let descriptor =
        world.descriptor.as_ref().map(|each| serde_json::to_value(each).unwrap()).unwrap_or_default();
    let binding = world.binding.as_ref().map(|each| serde_json::to_value(each).unwrap()).unwrap_or_default();
    let element = world.element.as_ref().map(|each| serde_json::to_value(each).unwrap()).unwrap_or_default();
    if let (Some(bound), Some(live)) = (binding["id"].as_str(), element["stableId"].as_str())
        && bound != live
    {
        return None;
    }
    let registered = element["source"] == "registry";
    let primitive = PRIMITIVES.iter().find(|(name, _)| *name == action).map(|(_, effect)| *effect);
    let (mut sure, mut all) = (Facts::new(), Facts::new());
    let mut add = |is_sure: bool, key: &'static str, found: Vec<String>| {
        if is_sure {
            sure.entry(key).or_default().extend(found.clone());
        }
        all.entry(key).or_default().extend(found);
    };
    add(true, "actions", vec![action.to_owned()]);
    add(true, "actionKinds", vec![if primitive.is_some() { "primitive" } else { "domain" }.to_owned()]);
    add(true, "phase", vec![if action == "ui.read" { "observe" } else { "act" }.to_owned()]);
    add(true, "types", words(request["principal"].get("type")));
    add(true, "ids", words(request["principal"].get("id")));
    add(true, "principalRoles", words(request["principal"].get("roles")));
    add(true, "routes", world.route.clone().into_iter().collect());
    add(true, "scopes", world.scope.clone().into_iter().chain(words(binding.get("scopeId"))).collect());
    add(true, "workflowIds", world.workflow.clone().into_iter().collect());
    add(true, "executionModes", world.mode.iter().map(ToString::to_string).collect());
    add(
        true,
        "stableIds",
        words(element.get("stableId")).into_iter().chain(words(binding.get("id"))).collect(),
    );
    add(true, "roles", words(element.get("role")).into_iter().chain(words(binding.get("role"))).collect());
    add(true, "riskTags", words(descriptor["risk"].get("tags")));
    add(registered, "riskTags", words(element["risk"].get("tags")));
    add(true, "dataClasses", words(binding.get("dataClasses")));
    add(registered, "dataClasses", words(element.get("dataClasses")));
    if element["state"]["sensitive"] == true {
        add(false, "dataClasses", vec!["sensitive".to_owned()]);
    }
    if element["state"]["obscured"] == true && element["role"] == "textbox" {
        add(false, "dataClasses", vec!["credential".to_owned()]);
    }
    let mut someone_knows = false;
    for (source, is_sure) in [(&descriptor, true), (&binding, true), (&element, registered)] {
        let Some(effect) = source["metadata"].get("sideEffect") else { continue };
        add(is_sure, "sideEffects", vec![effect.as_str()?.to_owned()]);
        someone_knows |= is_sure;
    }
    match primitive {
        Some(effect) if effect != "unknown" => add(true, "sideEffects", vec![effect.to_owned()]),
        _ if !someone_knows => add(true, "sideEffects", vec!["unknown".to_owned()]),
        _ => {}
    }
    for (key, from) in [
        ("sideEffects", "sideEffect"),
        ("dataClasses", "dataClasses"),
        ("routes", "routeId"),
        ("scopes", "scopeId"),
        ("executionModes", "executionMode"),
        ("workflowIds", "workflowId"),
        ("interactionModes", "interactionMode"),
    ] {
        add(false, key, words(request.get(from)));
    }
    add(false, "riskTags", words(request["risk"].get("tags")));
    let target = &request["target"];
    match target["by"].as_str() {
        Some("stableId") => add(false, "stableIds", words(target.get("value"))),
        Some("scope") => add(false, "scopes", words(target.get("value"))),
        Some("semantic") => {
            add(false, "roles", words(target.get("role")));
            add(false, "scopes", words(target.get("scope")));
        }
        _ => {}
    }
    let lifted = |facts: &Facts| {
        let grave = ["destructive", "billing", "security", "irreversible"];
        facts["riskTags"].iter().any(|tag| grave.contains(&tag.as_str())).then(|| "confirm".to_owned())
    };
    let strictest = |levels: Vec<String>| levels.into_iter().max_by_key(|name| level(name)).unwrap();
    let mut levels = vec!["safe".to_owned()];
    levels.extend(words(descriptor["risk"].get("level")));
    levels.extend(words(binding.get("risk")));
    if registered {
        levels.extend(words(element["risk"].get("level")));
    }
    levels.extend(lifted(&sure));
    let sure_level = strictest(levels.clone());
    levels.extend(words(element["risk"].get("level")));
    levels.extend(words(request["risk"].get("level")));
    levels.extend(lifted(&all));
    let top_level = strictest(levels);
    sure.entry("riskLevels").or_default().insert(sure_level.clone());
    all.entry("riskLevels").or_default().extend([sure_level.clone(), top_level.clone()]);
    let changes = |facts: &Facts| {
        facts["sideEffects"]
            .iter()
            .any(|effect| !["none", "ui_only", "navigation"].contains(&effect.as_str()))
    };
    let mut grants: Words = words(request["principal"].get("grants")).into_iter().collect();
    for (strong, weak) in [("admin", "act"), ("act", "draft"), ("draft", "guide"), ("guide", "observe")] {
        if grants.contains(strong) {
            grants.insert(weak.to_owned());
        }
    }
    sure.insert("grants", grants.clone());
    all.insert("grants", grants.clone());
    Some(Known {
        declared: primitive.is_some() || world.descriptor.is_some(),
        reads: action == "ui.read" || (primitive.is_none() && !changes(&sure)),
        writes: changes(&all),
        looks: action == "ui.read",
        sure,
        all,
        sure_level,
        top_level,
        grants,
    })
}

fn pattern_fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => name.len() > prefix.len() && name.starts_with(prefix),
        None => pattern == name,
    }
}

fn list_fits(key: &str, list: &Value, facts: &Facts) -> bool {
    let known = facts.get(key).cloned().unwrap_or_default();
    words(Some(list)).iter().any(|wanted| known.iter().any(|name| pattern_fits(wanted, name)))
}

fn rule_fits(matching: &Value, facts: &Facts) -> bool {
    matching.as_object().unwrap().iter().all(|(key, list)| {
        if key == "principal" {
            list.as_object().unwrap().iter().all(|(key, list)| {
                list_fits(if key == "roles" { "principalRoles" } else { key }, list, facts)
            })
        } else {
            list_fits(key, list, facts)
        }
    })
}

/// The built-in table as it is written: word, occasion, grants.
fn built_in() -> Vec<(&'static str, &'static str, &'static str, Vec<&'static str>)> {
    let mut rows = vec![];
    for effect in ["none", "ui_only"] {
        rows.push(("sideEffect", effect, "look", vec!["observe"]));
        rows.push(("sideEffect", effect, "do", vec!["guide"]));
    }
    for (effect, grants) in [
        ("navigation", vec!["guide"]),
        ("draft", vec!["draft"]),
        ("data_write", vec!["act"]),
        ("external_effect", vec!["act"]),
        ("identity_change", vec!["act", "identity"]),
        ("security_change", vec!["admin", "security"]),
        ("billing_change", vec!["act", "billing"]),
        ("destructive", vec!["admin"]),
        ("irreversible", vec!["admin"]),
        ("unknown", vec!["admin"]),
    ] {
        rows.push(("sideEffect", effect, "any", grants));
    }
    for (tag, grants) in [
        ("destructive", vec!["admin"]),
        ("irreversible", vec!["admin"]),
        ("privileged", vec!["admin"]),
        ("external_effect", vec!["act"]),
        ("billing", vec!["act", "billing"]),
        ("security", vec!["admin", "security"]),
        ("identity", vec!["act", "identity"]),
    ] {
        rows.push(("riskTag", tag, "any", grants));
    }
    for class in ["sensitive", "payment", "health", "legal", "credential", "secret"] {
        let read = if ["credential", "secret"].contains(&class) { "read.secret" } else { "read.sensitive" };
        rows.push(("dataClass", class, "read", vec![read]));
        rows.push(("dataClass", class, "write", vec!["write.sensitive"]));
    }
    for tag in ["sensitive_data", "legal"] {
        rows.push(("riskTag", tag, "read", vec!["read.sensitive"]));
        rows.push(("riskTag", tag, "write", vec!["write.sensitive"]));
    }
    rows
}

fn key_of(kind: &str) -> &'static str {
    match kind {
        "sideEffect" => "sideEffects",
        "dataClass" => "dataClasses",
        _ => "riskTags",
    }
}

/// The grants that are missing, with the reason why each is asked for.
fn missing_grants(document: &Value, known: &Known) -> Vec<(String, &'static str)> {
    let empty = vec![];
    let written = document["grants"].as_array().unwrap_or(&empty);
    let mut needed: Vec<(String, &'static str)> = Vec::new();
    for (kind, word, occasion, grants) in built_in() {
        let replaced = |access: &str| {
            written.iter().any(|row| {
                let kinds = ["sideEffect", "dataClass", "riskTag"]
                    .iter()
                    .filter(|each| row.get(**each).is_some())
                    .count();
                kinds == 1
                    && row.get(kind).is_some_and(|each| each == word)
                    && row.get("access").is_none_or(|each| each == access)
            })
        };
        let holds = match occasion {
            "look" => known.looks && !replaced("read"),
            "do" => !known.looks && !replaced("write"),
            "read" => known.reads && !replaced("read"),
            "write" => known.writes && !replaced("write"),
            _ => {
                ((known.looks || known.reads) && !replaced("read"))
                    || ((known.writes || !known.looks) && !replaced("write"))
            }
        };
        if holds && known.all[key_of(kind)].contains(word) {
            let reason = if kind == "dataClass" { "data_class" } else { "side_effect" };
            needed.extend(grants.iter().map(|grant| ((*grant).to_owned(), reason)));
        }
    }
    for row in written {
        let fits = ["sideEffect", "dataClass", "riskTag"].iter().all(|kind| {
            row.get(*kind).is_none_or(|word| known.all[key_of(kind)].contains(word.as_str().unwrap()))
        });
        let access = match row.get("access").and_then(Value::as_str) {
            Some("read") => known.reads,
            Some(_) => known.writes,
            None => true,
        };
        if fits && access {
            let reason = if row.get("dataClass").is_some() { "data_class" } else { "side_effect" };
            needed.extend(words(row.get("requires")).into_iter().map(|grant| (grant, reason)));
        }
    }
    let strange = |kind: &str| {
        let named: Words = written.iter().flat_map(|row| words(row.get(kind))).collect();
        known.all[key_of(kind)].iter().any(|word| word.starts_with("x.") && !named.contains(word))
    };
    if strange("sideEffect") {
        needed.push(("admin".to_owned(), "side_effect"));
    }
    if strange("dataClass") {
        needed.extend(known.reads.then(|| ("read.sensitive".to_owned(), "data_class")));
        needed.extend(known.writes.then(|| ("write.sensitive".to_owned(), "data_class")));
    }
    needed.retain(|(grant, _)| !known.grants.contains(grant));
    needed
}

/// Answers a question about these policies, each `{ id, document }`.
pub(crate) fn answer(policies: &[Value], request: &PolicyRequest, world: &World) -> Answer {
    let request = serde_json::to_value(request).unwrap();
    let mut arguments: Vec<(String, &str)> = Vec::new();
    if world.limits.opaque_target {
        arguments.push(("deny".into(), "opaque_target"));
    }
    if world.limits.closed_shadow {
        arguments.push(("deny".into(), "platform_boundary"));
    }
    if world.limits.user_activation {
        arguments.push(("handoff".into(), "platform_boundary"));
    }
    let Some(known) = gather(&request, world) else {
        let effects = policies
            .iter()
            .map(|policy| policy["document"]["defaults"]["onError"].as_str().unwrap_or("deny"));
        arguments.push((effects.max_by_key(|effect| rank(effect)).unwrap().to_owned(), "evaluation_error"));
        return conclude(arguments, Vec::new(), Words::new(), &[], None);
    };
    if known.top_level == "blocked" {
        arguments.push(("deny".into(), "risk_level"));
    }
    let (mut names, mut missing, mut obligations) = (Vec::new(), Words::new(), Vec::new());
    let mut audit: Option<&str> = None;
    for policy in policies {
        let document = &policy["document"];
        let defaults = &document["defaults"];
        if !known.declared {
            arguments.push((defaults["onUnknownAction"].as_str().unwrap().into(), "unknown_action"));
        }
        for (grant, reason) in missing_grants(document, &known) {
            let effect = defaults["onMissingGrant"].as_str().unwrap_or("deny");
            arguments.extend([(effect.into(), "missing_grant"), (effect.into(), reason)]);
            missing.insert(grant);
        }
        let matched: Vec<&Value> = document["rules"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|rule| rule["enabled"] != false && rule_fits(&rule["match"], &known.all))
            .collect();
        let loosened =
            matched.iter().any(|rule| rule["override"] == true && rule_fits(&rule["match"], &known.sure));
        for rule in &matched {
            names.push((policy["id"].as_str().unwrap().to_owned(), rule["id"].as_str().unwrap().to_owned()));
            let own = rule["obligations"].as_array().cloned().unwrap_or_default();
            let mut effect = rule["effect"].as_str().unwrap();
            for obligation in &own {
                match obligation["type"].as_str().unwrap() {
                    "confirm" if rank(effect) < 1 => effect = "confirm",
                    "handoff" if rank(effect) < 2 => effect = "handoff",
                    _ => {}
                }
            }
            obligations.extend(own);
            if !loosened || rule["override"] == true {
                arguments.push((effect.to_owned(), "rule"));
            }
        }
        if !loosened {
            for name in [&known.sure_level, &known.top_level] {
                let usual = ["allow", "confirm", "deny"][level(name)];
                let effect = defaults["byRisk"].get(name).map_or(usual, |effect| effect.as_str().unwrap());
                arguments.push((effect.into(), if effect == "allow" { "default" } else { "risk_level" }));
            }
            if known.declared {
                arguments.push((defaults["onNoMatch"].as_str().unwrap_or("allow").into(), "default"));
            }
        }
        if let Some(policy) = document.get("audit") {
            let within = policy
                .get("minRisk")
                .is_none_or(|least| level(&known.top_level) >= level(least.as_str().unwrap()));
            let asked = if within { policy["level"].as_str().unwrap() } else { "none" };
            audit = audit.into_iter().chain([asked]).max_by_key(|each| audit_rank(each));
        }
    }
    names.sort();
    let names = names.into_iter().map(|(policy, rule)| format!("{policy}/{rule}")).collect();
    conclude(arguments, names, missing, &obligations, audit)
}

fn audit_rank(level: &str) -> usize {
    ["none", "metadata", "full"].iter().position(|each| *each == level).unwrap()
}

fn conclude(
    mut arguments: Vec<(String, &str)>,
    rules: Vec<String>,
    missing: Words,
    obligations: &[Value],
    audit: Option<&str>,
) -> Answer {
    let mut modes: Option<Words> = None;
    for obligation in obligations.iter().filter(|each| each["type"] == "restrictModes") {
        let own: Words = words(obligation.get("modes")).into_iter().collect();
        modes = Some(modes.map_or(own.clone(), |agreed| agreed.intersection(&own).cloned().collect()));
    }
    if modes.as_ref().is_some_and(BTreeSet::is_empty) {
        arguments.push(("deny".into(), "rule"));
    }
    let effect =
        arguments.iter().map(|(effect, _)| effect.clone()).max_by_key(|effect| rank(effect)).unwrap();
    let reasons: Words = arguments
        .iter()
        .filter(|(each, _)| *each == effect)
        .map(|(_, reason)| (*reason).to_owned())
        .collect();
    let mut settled: Words = obligations
        .iter()
        .filter(|each| match each["type"].as_str().unwrap() {
            "audit" | "restrictModes" => false,
            kind @ ("confirm" | "handoff") => kind == effect,
            _ => true,
        })
        .map(text)
        .collect();
    if effect == "confirm" && !settled.iter().any(|each| each.contains(r#""type":"confirm""#)) {
        settled.insert(text(&json!({ "type": "confirm" })));
    }
    if effect == "handoff" && !settled.iter().any(|each| each.contains(r#""type":"handoff""#)) {
        let order = [
            "default",
            "rule",
            "risk_level",
            "missing_grant",
            "data_class",
            "side_effect",
            "unknown_action",
            "platform_boundary",
            "opaque_target",
            "evaluation_error",
        ];
        let reason = order.iter().find(|reason| reasons.contains(**reason)).unwrap();
        settled.insert(text(&json!({ "type": "handoff", "reason": reason })));
    }
    if let Some(modes) = modes {
        let order = ["appAction", "semanticUi", "inputSynthesis", "externalDriver", "visionAssist"];
        let listed: Vec<&str> = order.into_iter().filter(|mode| modes.contains(*mode)).collect();
        settled.insert(text(&json!({ "type": "restrictModes", "modes": listed })));
    }
    let asked =
        obligations.iter().filter(|each| each["type"] == "audit").map(|each| each["level"].as_str().unwrap());
    let level = asked.chain([audit.unwrap_or("metadata")]).max_by_key(|each| audit_rank(each)).unwrap();
    if level != "none" {
        settled.insert(text(&json!({ "type": "audit", "level": level })));
    }
    Answer { effect, reasons, rules, missing, obligations: settled }
}
