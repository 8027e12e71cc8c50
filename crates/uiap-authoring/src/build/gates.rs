//! Step 10: the gates of the channel. Nothing leaves the build when one fails. Spec: authoring §9.

use std::collections::{HashMap, HashSet};

use uiap_model::authoring::bundle::GateFailure;
use uiap_model::authoring::{AuthoringKind, GateResult};

use super::content::{Content, Item, Items};
use super::finding::at_value;
use super::manifest::{Manifest, ManifestSet};
use super::package::Package;
use super::review::{Effective, Reviews, State, only_machines};
use super::selector::{self, Fit};
use super::{Bundle, Session};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Node;
use crate::tree::At;

/// Checks every gate of the channel in the context, if the package has a publish section.
pub(crate) fn check(
    session: &mut Session<'_, '_>,
    package: &Package<'_>,
    set: &ManifestSet<'_>,
    content: &Content<'_>,
    reviews: &Reviews,
    bundle: Option<&Bundle>,
) {
    let Some(channel) = session.context.channel else { return };
    let channels = package.get("publish").and_then(|publish| publish.get("channels"));
    let spec = channels
        .into_iter()
        .flat_map(Node::items)
        .find(|spec| spec.get("name").and_then(Node::as_str) == Some(channel.as_str()));
    let Some(spec) = spec else { return };
    let flag = |key: &str| spec.get(key).and_then(Node::as_bool).unwrap_or(false);
    let mut gates = Gates {
        set,
        reviews,
        required: spec.get("requiredReviewState").and_then(Node::as_str).map_or(State::Draft, State::parse),
        allow_waivers: flag("allowWaivers"),
        failures: Vec::new(),
        diagnostics: Vec::new(),
        place: At::Node(spec.get("name").unwrap_or(spec)),
        prod: channel.as_str() == "prod",
    };
    gates.check_selectors(session, spec);
    gates.check_states(content);
    if flag("forbidGeneratedOnly") {
        gates.check_generated(content);
    }
    gates.check_doubtful();
    gates.check_prod(session, content);
    gates.check_matches(content);
    let unsealed = bundle.is_some_and(|bundle| !crate::release::is_sealed(bundle));
    if flag("requireDigest") && unsealed {
        gates.fail("requireDigest", "", None, "the bundle has no correct digest".to_owned(), None);
    }
    session.diagnostics.extend(gates.diagnostics);
    let passed = gates.failures.is_empty();
    session.report.gates = Some(GateResult { channel, passed, failures: gates.failures });
}

struct Gates<'a> {
    set: &'a ManifestSet<'a>,
    reviews: &'a Reviews,
    required: State,
    allow_waivers: bool,
    failures: Vec<GateFailure>,
    diagnostics: Vec<Diagnostic>,
    place: At<'a>,
    prod: bool,
}

impl<'a> Gates<'a> {
    fn fail(&mut self, gate: &str, manifest: &str, item: Option<&str>, message: String, at: Option<At<'_>>) {
        self.failures.push(GateFailure {
            gate: gate.into(),
            manifest_id: manifest.into(),
            item_id: item.map(Into::into),
            message: message.as_str().into(),
        });
        let diagnostic = match at {
            Some(at) => at_value(codes::GATE_FAILED, at, message).secondary(
                self.place.file(),
                self.place.span(),
                "required by this channel",
            ),
            None => at_value(codes::GATE_FAILED, self.place, message),
        };
        self.diagnostics.push(diagnostic.note(format!("gate `{gate}`")));
    }

    fn check_selectors(&mut self, session: &Session<'_, '_>, spec: Node<'_>) {
        let Some(selectors) = spec.get("selectors") else { return };
        let fits =
            selectors.items().any(|selector| selector::fit(At::Node(selector), &session.context) == Fit::Yes);
        if !fits {
            let message = "the context does not fit the channel's selectors".to_owned();
            self.fail("selectors", "", None, message, Some(At::Node(selectors)));
        }
    }

    /// The state of every manifest and item that takes part.
    fn check_states(&mut self, content: &Content<'a>) {
        for (index, manifest) in
            self.set.manifests.iter().enumerate().filter(|(_, manifest)| manifest.included)
        {
            let lists = lists_of(manifest.kind, content);
            let takes_part = match manifest.kind {
                AuthoringKind::Overlay => self.set.applied_overlays.contains(&index),
                AuthoringKind::ReviewSet | AuthoringKind::DiscoveryImport => false,
                _ => true,
            };
            if !takes_part {
                continue;
            }
            let whole = self.reviews.of_manifest(index, manifest);
            if lists.is_empty() {
                self.require(index, manifest, None, whole);
                continue;
            }
            self.check_items(index, manifest, whole, &lists);
        }
    }

    /// Items with a state of their own are judged by it, the rest together by that of the manifest.
    fn check_items(
        &mut self,
        index: usize,
        manifest: &'a Manifest<'a>,
        whole: Effective,
        lists: &[&Items<'a>],
    ) {
        let uniform =
            manifest.kind != AuthoringKind::WorkflowCatalog && self.reviews.decided_items(index) == 0;
        if uniform {
            if lists.iter().any(|items| !items.of(index).is_empty()) {
                self.require(index, manifest, None, whole);
            }
            return;
        }
        let (mut rest, hints) = (false, Hints::of(manifest));
        for item in lists.iter().flat_map(|items| items.of(index)) {
            let hint = hints.level(item);
            let own = self.reviews.of_item(index, item.id, hint, manifest);
            if own.because == whole.because && own.state == whole.state && own.because != "decision" {
                rest = true;
            } else {
                self.require(index, manifest, Some(item), own);
            }
        }
        if rest {
            self.require(index, manifest, None, whole);
        }
    }

    fn require(&mut self, index: usize, manifest: &Manifest<'_>, item: Option<&Item<'_>>, found: Effective) {
        let moved_on = self.prod && self.reviews.stale.contains(&index) && found.state == State::Approved;
        let is_enough = found.state >= self.required && found.state > State::Deprecated && !moved_on;
        let id = item.map(|item| item.id);
        let name = id.map_or(format!("`{}`", manifest.id), |id| format!("`{id}` of `{}`", manifest.id));
        if is_enough {
            self.warn_deprecated(index, manifest, &name);
            return;
        }
        let at = match item {
            Some(item) => item.at.get("id").unwrap_or(item.at),
            None => manifest
                .at()
                .descend(&["metadata", "reviewState"])
                .unwrap_or_else(|| manifest.at().descend(&["metadata", "id"]).unwrap_or(manifest.at())),
        };
        let state = found.state.as_str();
        let mut message = format!("{name} is {state}, the channel requires {}", self.required.as_str());
        if moved_on {
            message = format!("{name} changed after its approval");
        }
        let exception = self.reviews.waiver(index, id);
        match exception {
            Some(_) if found.state == State::Rejected => {
                message.push_str("; a waiver does not lift a rejection");
            }
            Some(waiver) if waiver.expired => {
                let note = format!("; the waiver \"{}\" has expired", waiver.reason);
                message.push_str(&note);
            }
            Some(waiver) if !self.allow_waivers => {
                let note = format!("; the channel does not allow the waiver \"{}\"", waiver.reason);
                message.push_str(&note);
            }
            Some(waiver) => {
                let used = Diagnostic::new(
                    codes::WAIVER_USED,
                    format!("{name} is {state} and passes by waiver"),
                    &waiver.place.file,
                    waiver.place.span,
                );
                self.diagnostics.push(used);
                return;
            }
            None => {}
        }
        self.fail("requiredReviewState", &manifest.id, id, message, Some(at));
        if let (Some(last), Some(place)) = (self.diagnostics.last_mut(), self.reviews.place(index, id)) {
            last.secondary.push(crate::diagnostic::Label::new(
                &place.file,
                place.span,
                "the decision in force",
            ));
        }
    }

    fn warn_deprecated(&mut self, index: usize, manifest: &Manifest<'_>, name: &str) {
        let stated = manifest.at().descend(&["metadata", "reviewState"]);
        if let Some(at) = stated.filter(|at| at.as_str() == Some("deprecated"))
            && self.reviews.approved_by_decision(index, None)
        {
            let message = format!("{name} is deprecated and passes by a decision");
            self.diagnostics.push(at_value(codes::DEPRECATED_CONTENT, at, message));
        }
    }

    /// Content that only machines made and nobody approved. Decision D26.
    fn check_generated(&mut self, content: &Content<'a>) {
        let discovered: HashSet<(&str, &str)> =
            self.set.discovered.iter().map(|found| (found.manifest.as_str(), found.item.as_str())).collect();
        for (index, manifest) in
            self.set.manifests.iter().enumerate().filter(|(_, manifest)| manifest.included)
        {
            let source = manifest.at().descend(&["metadata", "source"]);
            let generated = source.and_then(At::as_str) == Some("generated") || only_machines(manifest);
            let lists = lists_of(manifest.kind, content);
            let waived = |item: Option<&str>| {
                self.allow_waivers && self.reviews.waiver(index, item).is_some_and(|waiver| !waiver.expired)
            };
            let hints = Hints::of(manifest);
            let mut bad: Vec<(Option<&str>, At<'_>, &str)> = Vec::new();
            let without_items = lists.is_empty() && content_kind(manifest.kind);
            if generated && without_items && !self.reviews.approved_by_decision(index, None) && !waived(None)
            {
                bad.push((None, source.unwrap_or(manifest.at()), "its manifest is generated"));
            }
            for item in lists.iter().flat_map(|items| items.of(index)) {
                let marked = hints.get(item, "generatedFromDiscovery").and_then(At::as_bool) == Some(true);
                let found = item.at.descend(&["metadata", "provenance", "source"]).and_then(At::as_str);
                let discovered = discovered.contains(&(manifest.id.as_str(), item.id));
                let why = match () {
                    () if marked => "it was generated from discovery",
                    () if discovered || found == Some("discovery") => "it was found by discovery",
                    () if generated => "its manifest is generated",
                    () => continue,
                };
                if !self.reviews.approved_by_decision(index, Some(item.id)) && !waived(Some(item.id)) {
                    bad.push((Some(item.id), item.at.get("id").unwrap_or(item.at), why));
                    if bad.len() >= 100 {
                        break;
                    }
                }
            }
            for (item, at, why) in bad {
                let name = item.unwrap_or(&manifest.id);
                let message = format!("`{name}` has no human origin and no approval: {why}");
                self.fail("forbidGeneratedOnly", &manifest.id, item, message, Some(at));
            }
        }
    }

    /// What the discovery itself doubted needs a person before it is released.
    fn check_doubtful(&mut self) {
        if !self.prod {
            return;
        }
        for found in self.set.discovered.iter().filter(|found| found.doubtful) {
            let Some(&index) = self.set.index.get(&found.manifest) else { continue };
            let approved = self.reviews.approved_by_decision(index, Some(&found.item));
            let exception = self.reviews.waiver(index, Some(&found.item));
            let passes = self.allow_waivers && exception.is_some_and(|waiver| !waiver.expired);
            if !approved && !passes {
                let message =
                    format!("the discovery was not sure about `{}`, and nobody approved it", found.item);
                self.fail("discovery", &found.manifest, Some(&found.item), message, None);
                if let Some(last) = self.diagnostics.last_mut() {
                    last.secondary.push(crate::diagnostic::Label::new(
                        &found.place.file,
                        found.place.span,
                        "accepted here",
                    ));
                }
            }
        }
    }

    /// What may stand in a draft but not in production: actions without a body, secrets.
    fn check_prod(&mut self, session: &Session<'_, '_>, content: &Content<'a>) {
        if !self.prod {
            return;
        }
        for action in &content.actions.list {
            let none =
                action.at.descend(&["implementation", "kind"]).filter(|kind| kind.as_str() == Some("none"));
            if let Some(at) = none.filter(|_| action.at.text("kind") == Some("domain")) {
                let manifest =
                    self.set.manifests.get(action.manifest).map(|m| m.id.clone()).unwrap_or_default();
                let message = format!("domain action `{}` has no implementation yet", action.id);
                self.fail("implementation", &manifest, Some(action.id), message, Some(at));
            }
        }
        let secrets =
            session.diagnostics.iter().filter(|diagnostic| diagnostic.code == codes::SECRET).count();
        if secrets > 0 {
            self.fail("secrets", "", None, format!("{secrets} values look like secrets"), None);
        }
    }

    /// Two ways to find one element: released only after a person decided.
    fn check_matches(&mut self, content: &Content<'_>) {
        if self.required != State::Approved {
            return;
        }
        for (manifest, id) in &content.match_conflicts {
            let manifest = self.set.manifests.get(*manifest).map(|m| m.id.clone()).unwrap_or_default();
            self.fail("match", &manifest, Some(id), format!("`{id}` is matched in two ways"), None);
        }
    }
}

fn content_kind(kind: AuthoringKind) -> bool {
    !matches!(
        kind,
        AuthoringKind::ReviewSet
            | AuthoringKind::DiscoveryImport
            | AuthoringKind::Overlay
            | AuthoringKind::Package
    )
}

fn lists_of<'c, 't>(kind: AuthoringKind, content: &'c Content<'t>) -> Vec<&'c Items<'t>> {
    match kind {
        AuthoringKind::Bindings => vec![&content.routes, &content.scopes, &content.elements],
        AuthoringKind::Actions => vec![&content.actions],
        AuthoringKind::PolicySet => vec![&content.policies],
        AuthoringKind::WorkflowCatalog => vec![&content.workflows],
        _ => Vec::new(),
    }
}

/// The review hints of workflows, which stand beside their definitions.
struct Hints<'t> {
    by_id: HashMap<&'t str, At<'t>>,
}

impl<'t> Hints<'t> {
    fn of(manifest: &'t Manifest<'t>) -> Self {
        let catalog = manifest.spec().filter(|_| manifest.kind == AuthoringKind::WorkflowCatalog);
        let workflows = catalog.into_iter().flat_map(|spec| spec.list("workflows"));
        let hints = workflows.filter_map(|workflow| {
            let id = workflow.descend(&["definition", "id"]).and_then(At::as_str)?;
            Some((id, workflow.get("review")?))
        });
        Self { by_id: hints.collect() }
    }

    fn get(&self, item: &Item<'_>, key: &str) -> Option<At<'t>> {
        self.by_id.get(item.id)?.get(key)
    }

    fn level(&self, item: &Item<'_>) -> Option<&'t str> {
        self.get(item, "level").and_then(At::as_str)
    }
}
