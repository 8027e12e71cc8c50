//! Signals that follow from what changed between two revisions of the graph. No I/O, no clock.

use std::collections::{BTreeSet, HashMap};

use uiap_model::capability::UIRole;
use uiap_model::json::{Count, Nullable};
use uiap_model::names::{DocumentId, ScopeId, StableId};
use uiap_model::web::graph::ValidationIssue;
use uiap_model::web::signal::WebSignalBody;
use uiap_model::web::{ElementNode, PageGraph, RouteState, ScopeKind, ScopeNode};

use super::memory::{Bearer, Memory, count, holder, is_busy, says_busy};
use crate::observe::{Change, Fresh, FreshReason, Revision};

/// A signal with the document that it speaks of.
#[derive(Debug, Clone, PartialEq)]
pub struct Derived {
    /// The document; none for the page as a whole.
    pub document_id: Option<DocumentId>,
    /// The signal.
    pub body: WebSignalBody,
}

impl Derived {
    fn new(document_id: &DocumentId, body: WebSignalBody) -> Self {
        Self { document_id: Some(document_id.clone()), body }
    }
}

/// Derives signals, one revision after another.
#[derive(Debug, Default)]
pub struct Deriver {
    memory: Memory,
}

/// One thing before and after; one of both is always there.
#[derive(Debug, Clone, Copy)]
struct Pair<'a, T> {
    document_id: &'a DocumentId,
    before: Option<&'a T>,
    after: Option<&'a T>,
}

/// What changed.
#[derive(Debug)]
struct Step<'a> {
    graph: &'a PageGraph,
    elements: Vec<Pair<'a, ElementNode>>,
    scopes: Vec<Pair<'a, ScopeNode>>,
    /// After a navigation what speaks in the new document speaks for the first time; numbers, faults and focus are no news.
    navigated: bool,
}

impl Deriver {
    /// Begins with a graph; what it shows is no news.
    pub fn beginning_with(graph: &PageGraph) -> Self {
        Self { memory: Memory::of(graph) }
    }

    /// The signals of a revision; `graph` is the page after it.
    pub fn take(&mut self, revision: &Revision, graph: &PageGraph) -> Vec<Derived> {
        match revision {
            Revision::Change(change) => self.changed(change, graph),
            Revision::Snapshot(Fresh { before: Some(before), reason, .. }) => {
                self.compare(before, graph, *reason == FreshReason::Navigated)
            }
            Revision::Snapshot(Fresh { before: None, .. }) => {
                self.memory = Memory::of(graph);
                Vec::new()
            }
        }
    }

    fn changed(&mut self, change: &Change, graph: &PageGraph) -> Vec<Derived> {
        let elements = change.elements.iter().map(|touched| Pair {
            document_id: &touched.document_id,
            before: touched.before.as_deref(),
            after: touched.after.as_deref(),
        });
        let scopes = change.scopes.iter().map(|touched| Pair {
            document_id: &touched.document_id,
            before: touched.before.as_ref(),
            after: touched.after.as_ref(),
        });
        self.memory.follow(&change.delta.ops);
        let step = Step { graph, elements: elements.collect(), scopes: scopes.collect(), navigated: false };
        self.signals(&step)
    }

    /// The signals between two whole graphs.
    pub fn compare(&mut self, before: &PageGraph, graph: &PageGraph, navigated: bool) -> Vec<Derived> {
        let route = before.route.clone();
        self.memory = if navigated { Memory::default() } else { Memory::of(before) };
        self.memory.route = Some(route);
        let old = (!navigated).then_some(before);
        let elements = pairs(
            old.into_iter()
                .flat_map(PageGraph::elements)
                .map(|(document, _, each)| (&document.document_id, each)),
            graph.elements().map(|(document, _, each)| (&document.document_id, each)),
            |each| each.instance_id.as_str(),
        );
        let scopes = pairs(
            old.into_iter()
                .flat_map(PageGraph::scopes)
                .map(|(document, scope)| (&document.document_id, scope)),
            graph.scopes().map(|(document, scope)| (&document.document_id, scope)),
            |scope| scope.id.as_str(),
        );
        let signals = self.signals(&Step { graph, elements, scopes, navigated });
        self.memory = Memory::of(graph);
        signals
    }

    /// Causes before consequences: where we are, what opened, what is wrong, what is under way, what was said, who has the
    /// keyboard.
    fn signals(&mut self, step: &Step<'_>) -> Vec<Derived> {
        let mut signals = Vec::new();
        self.route(step, &mut signals);
        self.dialogs(step, &mut signals);
        self.validation(step, &mut signals);
        self.busy(step, &mut signals);
        self.collections(step, &mut signals);
        self.speech(step, &mut signals);
        self.focus(step, &mut signals);
        self.memory.note(step.graph);
        for pair in step.elements.iter().filter(|pair| pair.after.is_none()) {
            self.memory.forget(&pair.bearer());
        }
        signals
    }

    fn route(&self, step: &Step<'_>, signals: &mut Vec<Derived>) {
        let to = &step.graph.route;
        if let Some(from) = self.memory.route.as_ref().filter(|from| !same_place(from, to)) {
            let body = WebSignalBody::RouteChanged { from: Some(from.clone()), to: to.clone() };
            signals.push(Derived::new(&step.graph.root_document_id, body));
        }
    }

    fn dialogs(&self, step: &Step<'_>, signals: &mut Vec<Derived>) {
        let mut opened = Vec::new();
        let mut settled = BTreeSet::new();
        for pair in &step.scopes {
            let (before, after) =
                (pair.before.filter(|each| is_dialog(each)), pair.after.filter(|each| is_dialog(each)));
            let Some(scope) = before.or(after) else { continue };
            settled.insert(&scope.id);
            match (before, after) {
                (Some(_), None) => {
                    signals.push(Derived::new(pair.document_id, closed(&scope.id, scope.stable_id.as_ref())));
                }
                (None, Some(_)) => {
                    opened.push(Derived::new(pair.document_id, open(&scope.id, scope.stable_id.as_ref())));
                }
                // It only became a modal one, or ceased to be one.
                _ => {}
            }
        }
        // Modals of other kinds, such as an annotated region.
        let now: &[ScopeId] = step.graph.modal_stack.as_deref().unwrap_or_default();
        let old = &self.memory.modal_stack;
        for id in old.iter().filter(|id| !now.contains(id) && !settled.contains(id)) {
            if !step.graph.scope(id).is_some_and(is_dialog) {
                signals.push(Derived { document_id: None, body: closed(id, None) });
            }
        }
        for id in now.iter().filter(|id| !old.contains(id) && !settled.contains(id)) {
            let Some((document, scope)) = step.graph.scopes().find(|(_, scope)| scope.id == *id) else {
                continue;
            };
            if !is_dialog(scope) {
                opened.push(Derived::new(&document.document_id, open(id, scope.stable_id.as_ref())));
            }
        }
        signals.append(&mut opened);
    }

    fn validation(&mut self, step: &Step<'_>, signals: &mut Vec<Derived>) {
        let mut told = BTreeSet::new();
        for pair in step.scopes.iter().filter(|_| !step.navigated) {
            let issues =
                |scope: Option<&ScopeNode>| scope.and_then(|scope| scope.issues.clone()).unwrap_or_default();
            let (before, after) = (issues(pair.before), issues(pair.after));
            // A form that went away with its faults has not been repaired.
            let Some(scope) = pair.after else { continue };
            if before != after {
                told.insert((pair.document_id, &scope.id));
                let body =
                    WebSignalBody::ValidationChanged { scope_id: Some(scope.id.clone()), issues: after };
                signals.push(Derived::new(pair.document_id, body));
            }
        }
        for pair in step.elements.iter().filter(|pair| pair.announces("validation")) {
            if pair.before.map(speech).unwrap_or_default() == pair.after.map(speech).unwrap_or_default() {
                continue;
            }
            let scope_id = self.memory.home(step.graph, &pair.bearer());
            if scope_id.as_ref().is_some_and(|scope_id| told.contains(&(pair.document_id, scope_id))) {
                continue;
            }
            let body =
                WebSignalBody::ValidationChanged { scope_id, issues: pair.said().into_iter().collect() };
            signals.push(Derived::new(pair.document_id, body));
        }
    }

    fn busy(&mut self, step: &Step<'_>, signals: &mut Vec<Derived>) {
        let mut changes = Vec::new();
        for pair in &step.elements {
            let (before, after) = (pair.before.is_some_and(is_busy), pair.after.is_some_and(is_busy));
            if before == after {
                continue;
            }
            let bearer = pair.bearer();
            let place = match self.memory.busy_elements.get(&bearer) {
                Some(place) => place.clone(),
                None => match self.memory.home(step.graph, &bearer) {
                    Some(scope_id) => (bearer.0.clone(), scope_id),
                    None => continue,
                },
            };
            changes.push((place, Some(bearer), after));
        }
        for pair in &step.scopes {
            let busy = |scope: Option<&ScopeNode>| {
                scope.and_then(|scope| scope.state.as_ref()).is_some_and(says_busy)
            };
            let (before, after) = (busy(pair.before), busy(pair.after));
            if before != after
                && let Some(scope) = pair.after.or(pair.before)
            {
                changes.push(((pair.document_id.clone(), scope.id.clone()), None, after));
            }
        }
        let mut before = Vec::new();
        for (place, ..) in &changes {
            if !before.iter().any(|(each, _)| each == place) {
                before.push((place.clone(), self.memory.is_busy(place)));
            }
        }
        for (place, bearer, busy) in changes {
            match (bearer, busy) {
                (Some(bearer), true) => drop(self.memory.busy_elements.insert(bearer, place)),
                (Some(bearer), false) => drop(self.memory.busy_elements.remove(&bearer)),
                (None, true) => drop(self.memory.busy_scopes.insert(place)),
                (None, false) => drop(self.memory.busy_scopes.remove(&place)),
            }
        }
        for (place, was_busy) in before {
            let busy = self.memory.is_busy(&place);
            if busy != was_busy {
                let body = WebSignalBody::BusyChanged { scope_id: Some(place.1), busy };
                signals.push(Derived::new(&place.0, body));
            }
        }
    }

    fn collections(&mut self, step: &Step<'_>, signals: &mut Vec<Derived>) {
        let items = [UIRole::Row, UIRole::Listitem, UIRole::Option, UIRole::Treeitem];
        let moved = |pair: &Pair<'_, ElementNode>| {
            pair.before.is_none() != pair.after.is_none() && pair.any(|each| items.contains(&each.role))
        };
        let mut candidates: BTreeSet<_> = step
            .scopes
            .iter()
            .filter_map(|pair| {
                pair.after.or(pair.before).map(|scope| (pair.document_id.clone(), scope.id.clone()))
            })
            .collect();
        if step.elements.iter().any(moved) {
            candidates.extend(self.memory.counts.keys().cloned());
        }
        for place in candidates {
            let scope = step
                .graph
                .scopes()
                .find(|(document, scope)| document.document_id == place.0 && scope.id == place.1);
            let Some(now) = scope.and_then(|(_, scope)| count(scope)) else {
                self.memory.counts.remove(&place);
                continue;
            };
            // One that appears did not change.
            if self.memory.counts.insert(place.clone(), now).is_some_and(|before| before != now) {
                let body = WebSignalBody::CollectionChanged { scope_id: place.1, count: Count(now) };
                signals.push(Derived::new(&place.0, body));
            }
        }
    }

    fn speech(&mut self, step: &Step<'_>, signals: &mut Vec<Derived>) {
        let mut toasts = Vec::new();
        for pair in &step.elements {
            let Some(after) = pair.after else { continue };
            let toast = after.role == UIRole::Toast || pair.announces("toast");
            let status = matches!(after.role, UIRole::Status | UIRole::Alert) || pair.announces("status");
            if !(toast || status) {
                continue;
            }
            let Some(text) = news(&pair.before.map(speech).unwrap_or_default(), &speech(after)) else {
                continue;
            };
            if toast {
                let body = WebSignalBody::ToastShown { text: text.into(), severity: None };
                toasts.push(Derived::new(pair.document_id, body));
            } else {
                let scope_id = self.memory.home(step.graph, &pair.bearer());
                let body = WebSignalBody::StatusChanged { text: speech(after).into(), scope_id };
                signals.push(Derived::new(pair.document_id, body));
            }
        }
        signals.append(&mut toasts);
    }

    fn focus(&self, step: &Step<'_>, signals: &mut Vec<Derived>) {
        let now = holder(step.graph.focus.as_ref());
        if self.memory.focus != now && !step.navigated {
            let focus = step.graph.focus.clone().filter(|focus| focus.instance_id.is_some());
            let document_id = focus.as_ref().map(|focus| focus.document_id.clone());
            signals
                .push(Derived { document_id, body: WebSignalBody::FocusChanged { focus: Nullable(focus) } });
        }
    }
}

/// Pairs by document and id, in the order of what is there now, then of what is gone. Equal ones are left out.
fn pairs<'a, T: PartialEq>(
    before: impl Iterator<Item = (&'a DocumentId, &'a T)>,
    after: impl Iterator<Item = (&'a DocumentId, &'a T)>,
    id: fn(&T) -> &str,
) -> Vec<Pair<'a, T>> {
    let order: Vec<_> = before.collect();
    let mut old: HashMap<_, _> =
        order.iter().map(|(document, each)| ((*document, id(each)), *each)).collect();
    let mut pairs = Vec::new();
    for (document_id, each) in after {
        let before = old.remove(&(document_id, id(each)));
        if before != Some(each) {
            pairs.push(Pair { document_id, before, after: Some(each) });
        }
    }
    let gone = order.into_iter().filter(|(document, each)| old.contains_key(&(*document, id(each))));
    pairs.extend(gone.map(|(document_id, each)| Pair { document_id, before: Some(each), after: None }));
    pairs
}

impl Pair<'_, ElementNode> {
    fn any(&self, test: impl Fn(&ElementNode) -> bool) -> bool {
        self.after.or(self.before).is_some_and(test)
    }

    fn bearer(&self) -> Bearer {
        let id = self.after.or(self.before).map(|each| each.instance_id.clone());
        (self.document_id.clone(), id.unwrap_or_else(|| unreachable!("one of both is always there")))
    }

    /// Whether the app declared that changes of the element mean such a signal.
    fn announces(&self, sort: &str) -> bool {
        self.any(|each| {
            let declared = each.metadata.as_ref().and_then(|metadata| metadata.0.get("signal"));
            declared.and_then(|value| value.as_str()) == Some(sort)
        })
    }

    fn said(&self) -> Option<ValidationIssue> {
        let element = self.after?;
        let text = speech(element);
        (!text.is_empty()).then(|| ValidationIssue {
            instance_id: Some(element.instance_id.clone()),
            stable_id: element.stable_id.clone(),
            message: text.into(),
            code: None,
        })
    }
}

fn open(scope_id: &ScopeId, stable_id: Option<&StableId>) -> WebSignalBody {
    WebSignalBody::DialogOpened { scope_id: scope_id.clone(), stable_id: stable_id.cloned() }
}

fn closed(scope_id: &ScopeId, stable_id: Option<&StableId>) -> WebSignalBody {
    WebSignalBody::DialogClosed { scope_id: scope_id.clone(), stable_id: stable_id.cloned() }
}

/// A title or a parameter that is told later does not make it another place.
fn same_place(from: &RouteState, to: &RouteState) -> bool {
    from.url == to.url && (from.route_id == to.route_id || from.route_id.is_none() || to.route_id.is_none())
}

fn is_dialog(scope: &ScopeNode) -> bool {
    matches!(scope.kind, ScopeKind::Dialog | ScopeKind::Drawer)
}

/// What an element says, as a person reads it.
fn speech(element: &ElementNode) -> String {
    let text = element.state.text_value.as_deref().filter(|text| !text.trim().is_empty());
    collapse(text.or(element.name.as_deref()).unwrap_or_default())
}

pub(crate) fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What is new in what is said: in a region that gathers messages only the added one; none when something merely left.
fn news(before: &str, after: &str) -> Option<String> {
    if after.is_empty() || before.contains(after) {
        return None;
    }
    let added = after.strip_prefix(before).or_else(|| after.strip_suffix(before)).unwrap_or(after);
    Some(added.trim().to_owned())
}
