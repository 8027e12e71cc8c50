//! The effective content: what fits the context, merged by id. Spec: authoring §7.1.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde_json::Value;
use uiap_model::authoring::AuthoringKind;

use super::finding::{AlsoAt, at_value, focus};
use super::manifest::{Manifest, ManifestSet};
use super::selector::{self, Fit, Names};
use super::{Session, capabilities};
use crate::diagnostic::{Diagnostic, codes};
use crate::tree::At;

/// One item of a list.
#[derive(Clone, Copy)]
pub(crate) struct Item<'t> {
    pub(crate) id: &'t str,
    pub(crate) at: At<'t>,
    /// The manifest it comes from.
    pub(crate) manifest: usize,
}

/// A list of items, each id once.
#[derive(Default)]
pub(crate) struct Items<'t> {
    pub(crate) list: Vec<Item<'t>>,
    pub(crate) index: HashMap<&'t str, usize, RandomState>,
}

impl<'t> Items<'t> {
    pub(crate) fn has(&self, id: &str) -> bool {
        self.index.contains_key(id)
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Item<'t>> {
        self.index.get(id).and_then(|index| self.list.get(*index))
    }

    /// The items of one manifest. Items are gathered manifest by manifest.
    pub(crate) fn of(&self, manifest: usize) -> &[Item<'t>] {
        let start = self.list.partition_point(|item| item.manifest < manifest);
        let end = self.list.partition_point(|item| item.manifest <= manifest);
        self.list.get(start..end).unwrap_or_default()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &'t str> + '_ {
        self.list.iter().map(|item| item.id)
    }

    /// In the order of their ids, the normal form of a bundle.
    pub(crate) fn sorted(&self) -> Vec<Item<'t>> {
        let mut list = self.list.clone();
        list.sort_unstable_by(|a, b| a.id.cmp(b.id));
        list
    }
}

/// Everything that goes into the bundle, except texts.
#[derive(Default)]
pub(crate) struct Content<'t> {
    pub(crate) app: Option<At<'t>>,
    pub(crate) routes: Items<'t>,
    pub(crate) scopes: Items<'t>,
    pub(crate) elements: Items<'t>,
    pub(crate) actions: Items<'t>,
    pub(crate) policies: Items<'t>,
    pub(crate) workflows: Items<'t>,
    /// Policies whose selector the runtime has to decide.
    pub(crate) undecided: Vec<&'t str>,
    /// The merged capability document and the first place it came from.
    pub(crate) capabilities: Option<(Value, At<'t>)>,
    /// Bindings of one id that differ in how they match: a person has to look.
    pub(crate) match_conflicts: Vec<(usize, &'t str)>,
}

/// The lists of a manifest whose items have ids.
pub(crate) fn item_lists(kind: AuthoringKind) -> &'static [&'static str] {
    match kind {
        AuthoringKind::Bindings => &["routes", "scopes", "elements"],
        AuthoringKind::Actions => &["actions"],
        AuthoringKind::PolicySet => &["policies"],
        AuthoringKind::WorkflowCatalog => &["workflows"],
        _ => &[],
    }
}

/// Gathers what fits and reports what contradicts itself.
pub(crate) fn gather<'t>(session: &mut Session<'_, '_>, set: &'t ManifestSet<'_>) -> Content<'t> {
    let mut content = Content { app: set.app().and_then(Manifest::spec), ..Content::default() };
    let names = Names::of_app(content.app);
    for (index, manifest) in set.manifests.iter().enumerate().filter(|(_, manifest)| manifest.included) {
        for list in item_lists(manifest.kind) {
            let Some(items) = manifest.spec().and_then(|spec| spec.get(list)) else { continue };
            let mut gatherer = Gatherer { session, set, names: &names, content: &mut content, list };
            gatherer.take_all(index, items);
        }
    }
    content.capabilities = capabilities::merge(session, set);
    content
}

struct Gatherer<'a, 's, 'c, 't> {
    session: &'a mut Session<'s, 'c>,
    set: &'t ManifestSet<'t>,
    names: &'a Names<'t>,
    content: &'a mut Content<'t>,
    list: &'static str,
}

impl<'t> Gatherer<'_, '_, '_, 't> {
    fn take_all(&mut self, manifest: usize, items: At<'t>) {
        let slot = self.slot();
        slot.list.reserve(items.len());
        slot.index.reserve(items.len());
        for item in items.items() {
            if !self.fits(item) {
                continue;
            }
            let (at, id) = match self.list {
                "workflows" => (item.get("definition").unwrap_or(item), item.descend(&["definition", "id"])),
                _ => (item, item.get("id")),
            };
            if let Some(id) = id.and_then(At::as_str) {
                self.take(Item { id, at, manifest });
            }
        }
    }

    fn slot(&mut self) -> &mut Items<'t> {
        match self.list {
            "routes" => &mut self.content.routes,
            "scopes" => &mut self.content.scopes,
            "elements" => &mut self.content.elements,
            "actions" => &mut self.content.actions,
            "policies" => &mut self.content.policies,
            _ => &mut self.content.workflows,
        }
    }

    /// Whether an item belongs to the context. Decision D9: an undecided policy stays, with its selector.
    fn fits(&mut self, item: At<'t>) -> bool {
        let mut one = |selector: At<'t>| {
            selector::check(selector, self.names, &mut self.session.diagnostics);
            selector::fit(selector, &self.session.context)
        };
        let (fit, at) = match self.list {
            "actions" => {
                let Some(selectors) = item.get("selectors") else { return true };
                let fits: Vec<Fit> = selectors.items().map(&mut one).collect();
                let best = fits
                    .iter()
                    .find(|fit| **fit == Fit::Yes)
                    .or_else(|| fits.iter().find(|fit| **fit != Fit::No));
                (best.copied().unwrap_or(Fit::No), selectors)
            }
            "policies" | "workflows" => {
                let Some(selector) = item.get("selector") else { return true };
                (one(selector), selector)
            }
            _ => return true,
        };
        match fit {
            Fit::Yes => true,
            Fit::No => false,
            Fit::Undecided(_) if self.list == "policies" => {
                self.content.undecided.extend(item.text("id"));
                true
            }
            Fit::Undecided(what) => {
                let message = format!("left out: the selector asks for {what} and the context names none");
                self.session.diagnostics.push(at_value(codes::ITEM_SKIPPED, at, message));
                false
            }
        }
    }

    fn take(&mut self, item: Item<'t>) {
        let slot = self.slot();
        let Some(&first) = slot.index.get(item.id) else {
            slot.index.insert(item.id, slot.list.len());
            slot.list.push(item);
            return;
        };
        let Some(first) = slot.list.get(first).copied() else { return };
        let same_set = first.manifest == item.manifest;
        if first.at.same(item.at) && !(same_set && self.list == "policies") {
            if self.imported(first) != self.imported(item) {
                let id = item.id;
                let message = format!("`{id}` is the same here and in an import; it is taken once");
                self.session.diagnostics.push(
                    at_value(codes::DEDUPLICATED, id_at(item), message).also(id_at(first), "the same item"),
                );
            }
            return;
        }
        let diagnostic = self.conflict(first, item);
        self.session.diagnostics.push(diagnostic);
    }

    fn imported(&self, item: Item<'t>) -> bool {
        self.set.manifests.get(item.manifest).is_some_and(Manifest::is_imported)
    }

    fn conflict(&mut self, first: Item<'t>, item: Item<'t>) -> Diagnostic {
        let id = item.id;
        let (what, list) = (self.list.trim_end_matches('s'), self.list);
        let what = if list == "policies" { "policy" } else { what };
        let differing = differing_members(first.at, item.at);
        if self.imported(first) != self.imported(item) {
            return at_value(
                codes::IMPLICIT_OVERRIDE,
                id_at(item),
                format!("{what} `{id}` is also defined by an import, differently"),
            )
            .also(id_at(first), "the other definition")
            .note(differs(&differing))
            .help("change the imported one with an overlay, or choose another id");
        }
        let only_match = differing.iter().all(|member| member == "match");
        if only_match && matches!(list, "routes" | "scopes" | "elements") {
            self.content.match_conflicts.push((item.manifest, id));
            let (a, b) = (first.at.get("match").unwrap_or(first.at), item.at.get("match").unwrap_or(item.at));
            return Diagnostic::new(
                codes::MATCH_CONFLICT,
                format!("{what} `{id}` is matched in two ways; a person has to decide"),
                b.file(),
                focus(b),
            )
            .also(a, "the other way, which is used")
            .help("keep one definition");
        }
        let code = match list {
            "actions" => codes::ACTION_CONFLICT,
            "workflows" => codes::WORKFLOW_CONFLICT,
            "policies" => codes::POLICY_CONFLICT,
            _ => codes::BINDING_CONFLICT,
        };
        at_value(code, id_at(item), format!("{what} `{id}` is defined twice"))
            .also(id_at(first), "first defined here")
            .note(differs(&differing))
            .help("keep one, or make them equal with an overlay")
    }
}

fn id_at(item: Item<'_>) -> At<'_> {
    item.at.get("id").unwrap_or(item.at)
}

fn differs(members: &[String]) -> String {
    if members.is_empty() {
        "the definitions are equal".to_owned()
    } else {
        format!("they differ in {}", members.join(", "))
    }
}

fn differing_members(a: At<'_>, b: At<'_>) -> Vec<String> {
    let mut out: Vec<String> = a
        .entries()
        .filter(|(key, value)| !b.get(key).is_some_and(|other| value.same(other)))
        .map(|(key, _)| key.to_owned())
        .collect();
    out.extend(b.entries().filter(|(key, _)| a.get(key).is_none()).map(|(key, _)| key.to_owned()));
    out
}
