//! Step 8: everything that is named exists, once, and agrees with what the capabilities say. Spec: authoring §7.

mod actions;
mod app;
mod bindings;
mod policies;
mod signals;
mod workflows;

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::content::{Content, Items};
use super::finding::{AlsoAt, at_value};
use super::manifest::ManifestSet;
use super::{Session, identity};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, codes, did_you_mean};
use crate::tree::At;

/// Checks every reference of the effective content.
pub(crate) fn check(session: &mut Session<'_, '_>, set: &ManifestSet<'_>, content: &Content<'_>) {
    let declared = Declared::new(content);
    let mut checker = Checker { content, declared, diagnostics: &mut session.diagnostics };
    app::check(&mut checker);
    for items in [
        &content.routes,
        &content.scopes,
        &content.elements,
        &content.actions,
        &content.policies,
        &content.workflows,
    ] {
        for item in &items.list {
            if let Some(id) = item.at.get("id") {
                identity::check(id, checker.diagnostics);
            }
        }
    }
    bindings::check(&mut checker);
    actions::check(&mut checker);
    policies::check(&mut checker);
    workflows::check(&mut checker, set);
}

/// What the capability document declares.
struct Declared<'t> {
    at: Option<At<'t>>,
    roles: HashSet<&'t str>,
    affordances: HashSet<&'t str>,
    state_keys: HashSet<&'t str>,
    signals: HashSet<&'t str>,
    actions: HashMap<&'t str, &'t Value>,
}

impl<'t> Declared<'t> {
    fn new(content: &'t Content<'_>) -> Self {
        let document = content.capabilities.as_ref();
        let words = |key: &str| -> HashSet<&'t str> {
            let list = document.and_then(|(value, _)| value.get(key)).and_then(Value::as_array);
            list.into_iter().flatten().filter_map(Value::as_str).collect()
        };
        let actions = document.and_then(|(value, _)| value.get("actions")).and_then(Value::as_array);
        Self {
            at: document.map(|(_, at)| *at),
            roles: words("roles"),
            affordances: words("affordances"),
            state_keys: words("stateKeys"),
            signals: words("successSignalKinds"),
            actions: actions
                .into_iter()
                .flatten()
                .filter_map(|a| Some((a.get("id")?.as_str()?, a)))
                .collect(),
        }
    }
}

/// The content and a place for findings.
struct Checker<'a, 't> {
    content: &'t Content<'t>,
    declared: Declared<'t>,
    diagnostics: &'a mut Diagnostics,
}

impl<'t> Checker<'_, 't> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// A reference to an item of a list.
    fn reference(&mut self, at: Option<At<'t>>, items: &'t Items<'t>, what: &str) {
        let Some(at) = at else { return };
        let Some(id) = at.as_str() else { return };
        if !items.has(id) {
            self.dangling(
                codes::UNKNOWN_REFERENCE,
                at,
                format!("there is no {what} `{id}`"),
                id,
                items.ids(),
            );
        }
    }

    fn dangling<'c>(
        &mut self,
        code: Code,
        at: At<'_>,
        message: String,
        id: &str,
        known: impl Iterator<Item = &'c str>,
    ) {
        // A guess costs a pass over all names; beyond a few hundred findings nobody reads guesses.
        let guess = (self.diagnostics.total() < 200).then(|| did_you_mean(id, known)).flatten();
        self.report(at_value(code, at, message).meant(guess));
    }

    /// A word that the capability document must declare, where there is one.
    fn declared_word(&mut self, at: At<'t>, list: &'static str) {
        let Some(document) = self.declared.at else { return };
        let Some(word) = at.as_str() else { return };
        let words = match list {
            "roles" => &self.declared.roles,
            "affordances" => &self.declared.affordances,
            "stateKeys" => &self.declared.state_keys,
            _ => &self.declared.signals,
        };
        if !words.contains(word) {
            let diagnostic = undeclared(at, word, list, document);
            self.report(diagnostic);
        }
    }

    /// An action that something uses: one of the package, or a primitive that the capabilities declare.
    fn action(&mut self, at: Option<At<'t>>) {
        let Some(at) = at else { return };
        let Some(id) = at.as_str() else { return };
        let primitive = uiap_model::capability::PrimitiveActionType::parse(id).is_some();
        let known = self.content.actions.has(id)
            || self.declared.actions.contains_key(id)
            || (primitive && self.declared.at.is_none());
        if !known {
            let names: Vec<&str> =
                self.content.actions.ids().chain(self.declared.actions.keys().copied()).collect();
            self.dangling(
                codes::UNKNOWN_REFERENCE,
                at,
                format!("there is no action `{id}`"),
                id,
                names.into_iter(),
            );
        }
    }

    /// What a target names.
    fn target(&mut self, target: Option<At<'t>>) {
        let Some(target) = target else { return };
        let content = self.content;
        match target.text("by") {
            Some("stableId") => self.reference(target.get("value"), &content.elements, "element"),
            Some("scope") => self.reference(target.get("value"), &content.scopes, "scope"),
            Some("route") => self.reference(target.get("value"), &content.routes, "route"),
            Some("semantic") => {
                if let Some(role) = target.get("role") {
                    self.declared_word(role, "roles");
                }
                self.reference(target.get("scope"), &content.scopes, "scope");
            }
            _ => {}
        }
    }

    /// A chain of parents that comes back to itself.
    fn cycles(&mut self, items: &'t Items<'t>, parent: &'static str, what: &str) {
        // 1: on the current way, 2: known to end.
        let mut state: HashMap<&str, u8> = HashMap::new();
        for item in &items.list {
            let mut way: Vec<&'t str> = Vec::new();
            let mut here = Some(item);
            while let Some(now) = here {
                match state.get(now.id) {
                    Some(1) => {
                        let from = way.iter().position(|id| *id == now.id).unwrap_or(0);
                        let mut chain: Vec<&str> = way.get(from..).unwrap_or_default().to_vec();
                        chain.push(now.id);
                        let at = now.at.get(parent).unwrap_or(now.at);
                        let message = format!("the {what}s contain each other: {}", chain.join(" → "));
                        self.report(at_value(codes::PARENT_CYCLE, at, message));
                        break;
                    }
                    Some(_) => break,
                    None => {
                        state.insert(now.id, 1);
                        way.push(now.id);
                        here = now.at.text(parent).and_then(|id| items.get(id));
                    }
                }
            }
            for id in way {
                state.insert(id, 2);
            }
        }
    }
}

fn undeclared(at: At<'_>, word: &str, list: &str, document: At<'_>) -> Diagnostic {
    at_value(codes::UNDECLARED_WORD, at, format!("`{word}` is used and the capabilities do not declare it"))
        .also(document.get(list).unwrap_or(document), "not in this list")
        .help(format!("add it to `{list}`"))
}
