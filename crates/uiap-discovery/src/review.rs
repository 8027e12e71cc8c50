//! What a person has to look at: every doubt, gap and danger of a run, with what would mend it. Spec: discovery-mapper §16.

mod boundary;
mod conduct;
mod doubt;
mod group;
mod incident;
mod risk;

use std::collections::{BTreeMap, BTreeSet};

use compact_str::CompactString;
use sha2::{Digest, Sha256};
use uiap_model::discovery::EvidenceRef;
use uiap_model::discovery::review::{ReviewItem, ReviewItemKind, ReviewQueue, ReviewSeverity};
use uiap_model::names::{ScopeId, StableId};

use crate::derive::action::{ActionFact, Context};
use crate::derive::evidence::Book;
use crate::derive::workflow::WorkflowFact;
use crate::record::{DecisionRecord, Incident, SeedRecord};

/// Everything that a review looks at.
pub(crate) struct Material<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) actions: &'a [ActionFact],
    pub(crate) workflows: &'a [WorkflowFact],
    pub(crate) seeds: &'a [SeedRecord],
    pub(crate) decisions: &'a [DecisionRecord],
    pub(crate) incidents: &'a [Incident],
}

/// An item before it has an id.
pub(crate) struct Draft {
    pub(crate) kind: ReviewItemKind,
    pub(crate) severity: ReviewSeverity,
    /// What it is about, as part of its id: the same in every run.
    pub(crate) about: String,
    pub(crate) description: String,
    pub(crate) remediation: &'static str,
    pub(crate) route: Option<CompactString>,
    pub(crate) scope: Option<CompactString>,
    pub(crate) stable_id: Option<CompactString>,
    pub(crate) evidence: Vec<EvidenceRef>,
    /// What a person decides, wherever it is so; the description, where it says no more than that.
    pub(crate) question: Option<String>,
    /// Of how many things.
    pub(crate) count: usize,
    /// What it is, where the question leaves that open.
    pub(crate) thing: Option<String>,
    /// Every place where it is so, if there are more than one.
    pub(crate) places: Vec<CompactString>,
}

impl Draft {
    fn nothing() -> Self {
        Self::new(ReviewItemKind::Custom, ReviewSeverity::Low, "", "")
    }

    pub(crate) fn asks(mut self, question: impl Into<String>) -> Self {
        self.question = Some(question.into());
        self
    }

    pub(crate) fn of(mut self, thing: impl Into<String>) -> Self {
        self.thing = Some(thing.into());
        self
    }

    /// At all of these; the first stands for them.
    pub(crate) fn everywhere(mut self, routes: Vec<CompactString>) -> Self {
        self.route = routes.first().cloned();
        self.places = routes;
        self
    }

    pub(crate) fn times(mut self, count: usize) -> Self {
        self.count = count.max(1);
        self
    }

    pub(crate) fn new(
        kind: ReviewItemKind,
        severity: ReviewSeverity,
        about: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            severity,
            about: about.into(),
            description: description.into(),
            remediation: "",
            route: None,
            scope: None,
            stable_id: None,
            evidence: Vec::new(),
            question: None,
            count: 1,
            thing: None,
            places: Vec::new(),
        }
    }

    pub(crate) fn mend(mut self, how: &'static str) -> Self {
        self.remediation = how;
        self
    }

    pub(crate) fn at(mut self, route: Option<CompactString>, scope: Option<CompactString>) -> Self {
        self.route = route;
        self.scope = scope;
        self
    }

    pub(crate) fn by(mut self, evidence: Vec<EvidenceRef>) -> Self {
        self.evidence = evidence;
        self
    }

    pub(crate) fn named(mut self, stable_id: Option<CompactString>) -> Self {
        self.stable_id = stable_id;
        self
    }
}

/// Writes the queue, the gravest first.
pub(crate) fn queue(material: &Material<'_>, kept: &BTreeSet<CompactString>, book: &mut Book) -> ReviewQueue {
    let mut drafts = Vec::new();
    boundary::look(material, book, &mut drafts);
    doubt::look(material, book, &mut drafts);
    risk::look(material, book, &mut drafts);
    conduct::look(material, book, &mut drafts);
    incident::look(material, book, &mut drafts);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut items: Vec<ReviewItem> = group::alike(drafts)
        .into_iter()
        .map(|draft| {
            let count = seen.entry(format!("{} {}", draft.kind, draft.about)).or_insert(0);
            *count += 1;
            item(draft, *count, kept)
        })
        .collect();
    items.sort_by(|a, b| {
        (b.severity, a.kind.as_str(), &a.description, &a.id).cmp(&(
            a.severity,
            b.kind.as_str(),
            &b.description,
            &b.id,
        ))
    });
    ReviewQueue { items }
}

fn item(draft: Draft, count: usize, kept: &BTreeSet<CompactString>) -> ReviewItem {
    let subject = format!("{} {} {count}", draft.kind, draft.about);
    let digest = Sha256::digest(subject.as_bytes());
    let short: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    ReviewItem {
        id: CompactString::from(format!("rev_{short}")),
        severity: draft.severity,
        kind: draft.kind,
        route_id: draft.route,
        scope_id: draft.scope.filter(|id| kept.contains(id)).and_then(|id| ScopeId::parse(&id)),
        stable_id: draft.stable_id.and_then(|id| StableId::parse(&id)),
        description: CompactString::from(draft.description),
        evidence: draft.evidence,
        remediation: Some(CompactString::from(draft.remediation)).filter(|text| !text.is_empty()),
    }
}

/// Some names in quotes, and how many more there are.
pub(crate) fn listed(names: &BTreeSet<String>) -> String {
    const SHOWN: usize = 4;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
