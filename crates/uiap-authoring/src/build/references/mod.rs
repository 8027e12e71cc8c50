//! Step 8: everything that is named exists, once, and agrees with what the capabilities say. Spec: authoring §7.

mod actions;
mod app;
mod bindings;
mod pattern;
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
pub(crate) fn check<'t>(session: &mut Session<'_, '_>, set: &'t ManifestSet<'t>, content: &'t Content<'t>) {
    let declared = Declared::new(content);
    let mut checker = Checker { content, declared, diagnostics: &mut session.diagnostics, recording: None };
    app::check(&mut checker);
    for items in [&content.routes, &content.scopes, &content.actions, &content.policies, &content.workflows] {
        for item in &items.list {
            checker.identity(item.at);
        }
    }
    bindings::check(&mut checker, set, session.store.is_kept);
    actions::check(&mut checker);
    policies::check(&mut checker);
    workflows::check(&mut checker, set);
}

/// What a reference can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Asked {
    Route,
    Scope,
    Element,
    Action,
    Role,
    Affordance,
    StateKey,
    Signal,
}

/// What the elements of one file ask for. Where every answer is still yes, and the elements are fine in themselves,
/// they need no second look.
#[derive(Default)]
pub(crate) struct Facts {
    asked: HashSet<(Asked, String)>,
    has_findings: bool,
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
    /// Collects questions instead of answering them.
    recording: Option<Facts>,
}

impl<'t> Checker<'_, 't> {
    fn report(&mut self, diagnostic: Diagnostic) {
        match &mut self.recording {
            Some(facts) => facts.has_findings = true,
            None => self.diagnostics.push(diagnostic),
        }
    }

    fn identity(&mut self, item: At<'t>) {
        if let Some(finding) = item.get("id").and_then(identity::finding) {
            self.report(finding);
        }
    }

    /// Whether there is what is asked for; while questions are recorded, always.
    fn knows(&mut self, asked: Asked, id: &str) -> bool {
        if let Some(facts) = &mut self.recording {
            facts.asked.insert((asked, id.to_owned()));
            return true;
        }
        self.has(asked, id)
    }

    fn has(&self, asked: Asked, id: &str) -> bool {
        let (content, declared) = (self.content, &self.declared);
        let word = |words: &HashSet<&str>| declared.at.is_none() || words.contains(id);
        match asked {
            Asked::Route => content.routes.has(id),
            Asked::Scope => content.scopes.has(id),
            Asked::Element => content.elements.has(id),
            Asked::Action => {
                let primitive = uiap_model::capability::PrimitiveActionType::parse(id).is_some();
                content.actions.has(id)
                    || declared.actions.contains_key(id)
                    || (primitive && declared.at.is_none())
            }
            Asked::Role => word(&declared.roles),
            Asked::Affordance => word(&declared.affordances),
            Asked::StateKey => word(&declared.state_keys),
            Asked::Signal => word(&declared.signals),
        }
    }

    /// Whether elements with these facts have nothing to be told.
    fn still_holds(&self, facts: &Facts) -> bool {
        !facts.has_findings && facts.asked.iter().all(|(asked, id)| self.has(*asked, id))
    }

    /// A reference to an item of a list.
    fn reference(&mut self, at: Option<At<'t>>, asked: Asked) {
        let Some(at) = at else { return };
        let Some(id) = at.as_str() else { return };
        if self.knows(asked, id) {
            return;
        }
        let content = self.content;
        let (items, what) = match asked {
            Asked::Route => (&content.routes, "route"),
            Asked::Scope => (&content.scopes, "scope"),
            _ => (&content.elements, "element"),
        };
        self.dangling(codes::UNKNOWN_REFERENCE, at, format!("there is no {what} `{id}`"), id, items.ids());
    }

    fn dangling<'c>(
        &mut self,
        code: Code,
        at: At<'_>,
        message: String,
        id: &str,
        known: impl Iterator<Item = &'c str>,
    ) {
        let guess = self.diagnostics.takes_guesses().then(|| did_you_mean(id, known)).flatten();
        self.report(at_value(code, at, message).meant(guess));
    }

    /// A word that the capability document must declare, where there is one.
    fn declared_word(&mut self, at: At<'t>, asked: Asked) {
        let Some(word) = at.as_str() else { return };
        if self.knows(asked, word) {
            return;
        }
        let list = if asked == Asked::Role { "roles" } else { "affordances" };
        if let Some(document) = self.declared.at {
            self.report(undeclared(at, word, list, document));
        }
    }

    /// An action that something uses: one of the package, or a primitive that the capabilities declare.
    fn action(&mut self, at: Option<At<'t>>) {
        let Some(at) = at else { return };
        let Some(id) = at.as_str() else { return };
        if self.knows(Asked::Action, id) {
            return;
        }
        let names: Vec<&str> =
            self.content.actions.ids().chain(self.declared.actions.keys().copied()).collect();
        let message = format!("there is no action `{id}`");
        self.dangling(codes::UNKNOWN_REFERENCE, at, message, id, names.into_iter());
    }

    /// What a target names.
    fn target(&mut self, target: Option<At<'t>>) {
        let Some(target) = target else { return };
        match target.text("by") {
            Some("stableId") => self.reference(target.get("value"), Asked::Element),
            Some("scope") => self.reference(target.get("value"), Asked::Scope),
            Some("route") => self.reference(target.get("value"), Asked::Route),
            Some("semantic") => {
                if let Some(role) = target.get("role") {
                    self.declared_word(role, Asked::Role);
                }
                self.reference(target.get("scope"), Asked::Scope);
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
