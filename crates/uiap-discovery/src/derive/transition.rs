//! States and the ways between them, with states of one kind taken together.

use std::collections::{BTreeMap, BTreeSet};

use compact_str::CompactString;
use serde_json::Value;
use uiap_model::capability::{SuccessSignal, TargetRef, UIRole};
use uiap_model::discovery::EvidenceSource;
use uiap_model::discovery::transition::{DiscoveryStateNode, DiscoveryTransition, TransitionGraph};
use uiap_model::json::JsonObject;
use uiap_model::names::{ActionId, ScopeId, StableId};
use uiap_model::policy::SideEffectClass;

use super::element::ElementKey;
use super::evidence::{Book, Support};
use super::name::{is_lasting, scope_id};
use super::route::Routes;
use super::signal;
use super::survey::Survey;
use super::{filled, metadata};
use crate::record::{Aim, RequestRecord, TransitionRecord, fact};
use crate::safety::gravity;
use crate::structure;

/// A way, with what was tried of it.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) id: CompactString,
    pub(crate) from: CompactString,
    pub(crate) to: CompactString,
    pub(crate) action_id: ActionId,
    pub(crate) aim: Option<Aim>,
    pub(crate) args: JsonObject,
    pub(crate) side_effect: SideEffectClass,
    pub(crate) signals: Vec<SuccessSignal>,
    pub(crate) requests: Vec<RequestRecord>,
    pub(crate) profiles: BTreeSet<CompactString>,
    pub(crate) tries: u32,
    pub(crate) agreed: u32,
    /// It was only tried where nothing could come of it.
    pub(crate) sealed: bool,
    /// No state could be told from where it began.
    pub(crate) unresolved: bool,
    /// What it was done to.
    pub(crate) element: Option<ElementKey>,
}

impl Edge {
    /// What it was seen to write, or would have written, where it was not only tried.
    pub(crate) fn write(&self) -> Option<&RequestRecord> {
        self.requests.iter().find(|request| request.writes && !self.sealed)
    }

    /// Gone again from the same state, and it led elsewhere.
    pub(crate) fn is_unreliable(&self) -> bool {
        self.agreed < self.tries && !self.unresolved
    }

    /// Done more than once, always with the same outcome, and with something to see.
    pub(crate) fn is_repeated(&self) -> bool {
        self.tries >= 2 && self.agreed == self.tries && !self.signals.is_empty() && !self.unresolved
    }
}

/// The ways of a run, those that became the same taken together.
pub(crate) fn edges(records: &[TransitionRecord], survey: &Survey, routes: &Routes) -> Vec<Edge> {
    let mut joined: BTreeMap<(CompactString, CompactString, String, String), Edge> = BTreeMap::new();
    for record in records {
        let from = routes.standing_for(&record.from).clone();
        let known = |id: &&CompactString| survey.states.contains_key(*id);
        if !known(&&from) {
            continue;
        }
        let to = record.to.as_ref().filter(known).map(|to| routes.standing_for(to).clone());
        let stays = to.as_ref() == Some(&from) && record.signals.is_empty();
        let unresolved = to.is_none() || (stays && !leads_here(record, survey));
        let place = survey.states.get(&record.from).map_or("", |state| state.place.as_str());
        let element = record.aim.as_ref().and_then(|aim| survey.find(place, aim)).cloned();
        let edge = Edge {
            id: record.transition_id.clone(),
            to: to.unwrap_or_else(|| from.clone()),
            from,
            action_id: record.action_id.clone(),
            aim: record.aim.clone(),
            args: record.args.clone(),
            side_effect: record.side_effect.clone(),
            signals: signal::tidy(&record.signals, routes),
            requests: record.requests.clone(),
            profiles: BTreeSet::from([record.profile.clone()]),
            tries: record.tries,
            agreed: record.agreed,
            sealed: record.sealed,
            unresolved,
            element,
        };
        let aim = match (&edge.element, &edge.aim) {
            (Some(key), _) => format!("{key:?}"),
            (None, aim) => format!("{aim:?}"),
        };
        let args = Value::Object(edge.args.0.clone()).to_string();
        let key = (edge.from.clone(), edge.to.clone(), format!("{} {args}", edge.action_id), aim);
        match joined.entry(key) {
            std::collections::btree_map::Entry::Vacant(slot) => {
                slot.insert(edge);
            }
            std::collections::btree_map::Entry::Occupied(mut slot) => join(slot.get_mut(), edge),
        }
    }
    let mut edges: Vec<Edge> = joined.into_values().collect();
    edges.sort_by(|a, b| a.id.cmp(&b.id));
    edges
}

/// A link to the page that it stands on has done its work when it stays.
fn leads_here(record: &TransitionRecord, survey: &Survey) -> bool {
    let href = record.aim.as_ref().and_then(|aim| aim.href.as_deref());
    let here = survey.states.get(&record.from).map(|state| &state.paths);
    href.zip(here).is_some_and(|(href, paths)| paths.contains(&crate::template::path_of(href)))
}

fn join(mine: &mut Edge, other: Edge) {
    mine.tries += other.tries;
    mine.agreed += other.agreed;
    mine.profiles.extend(other.profiles);
    mine.signals.retain(|signal| other.signals.contains(signal));
    mine.unresolved |= other.unresolved;
    mine.sealed &= other.sealed;
    let wrote = |request: &&RequestRecord| request.writes;
    let writes: Vec<RequestRecord> =
        mine.requests.iter().chain(&other.requests).filter(wrote).cloned().collect();
    if other.id < mine.id {
        mine.id = other.id;
        mine.aim = other.aim;
        mine.requests = other.requests;
    }
    // Whatever the others sent besides, that it writes is known.
    for write in writes {
        if !mine.requests.contains(&write) {
            mine.requests.push(write);
        }
    }
}

/// The words by which an agent finds the target again.
pub(crate) fn target(aim: &Aim) -> Option<TargetRef> {
    if let Some(id) = aim.stable_id.as_ref().filter(|id| is_lasting(id.as_str())) {
        return Some(TargetRef::StableId { value: StableId::parse(id.as_str())? });
    }
    let scope = aim.scope_id.as_ref().map(|id| scope_id(id.as_str())).filter(|id| is_tellable(id));
    Some(TargetRef::Semantic {
        role: UIRole::parse(&aim.role)?,
        name: Some(CompactString::from(&aim.name)).filter(|name| !name.is_empty()),
        scope: scope.and_then(ScopeId::parse),
    })
}

/// A generated id tells something only where it holds a name.
fn is_tellable(id: &str) -> bool {
    !id.starts_with('~') || id.contains(':')
}

pub(crate) fn graph(
    survey: &Survey,
    routes: &Routes,
    edges: &[Edge],
    kept: &BTreeSet<CompactString>,
    book: &mut Book,
) -> TransitionGraph {
    let mut into: BTreeMap<&CompactString, Vec<&Edge>> = BTreeMap::new();
    for edge in edges.iter().filter(|edge| edge.from != edge.to) {
        into.entry(&edge.to).or_default().push(edge);
    }
    let mut twins: BTreeMap<&CompactString, Vec<&CompactString>> = BTreeMap::new();
    for (other, first) in routes.merged() {
        twins.entry(first).or_default().push(other);
    }
    let mut states = Vec::new();
    for id in survey.states.keys().filter(|id| !routes.merged().contains_key(*id)) {
        let entering = into.get(id).map(Vec::as_slice).unwrap_or_default();
        let alike = twins.get(id).map(Vec::as_slice).unwrap_or_default();
        states.push(state(survey, routes, (id, entering, alike), kept, book));
    }
    let edges = edges.iter().map(|edge| transition(edge, book)).collect();
    TransitionGraph { states, edges }
}

fn state(
    survey: &Survey,
    routes: &Routes,
    (id, into, twins): (&CompactString, &[&Edge], &[&CompactString]),
    kept: &BTreeSet<CompactString>,
    book: &mut Book,
) -> DiscoveryStateNode {
    let all = || std::iter::once(id).chain(twins.iter().copied()).filter_map(|id| survey.states.get(id));
    let brief = survey.states.get(id);
    let mut discovered_by = vec![book.seen(EvidenceSource::Dom, id)];
    let published = brief.is_some_and(|brief| brief.published);
    if published {
        discovered_by.push(book.seen(EvidenceSource::AppRegistry, id));
    }
    if brief.is_some_and(|brief| brief.has_accessibility) {
        discovered_by.push(book.seen(EvidenceSource::Accessibility, id));
    }
    if brief.is_some_and(|brief| brief.screenshot.is_some()) {
        discovered_by.push(book.seen(EvidenceSource::Screenshot, id));
    }
    if brief.is_some_and(|brief| brief.declared.is_some()) {
        discovered_by.push(book.seen(EvidenceSource::Annotation, id));
    }
    let support = Support {
        declared: brief.is_some_and(|brief| brief.declared.is_some()),
        repeated: into.iter().any(|edge| edge.is_repeated()),
        worked: !into.is_empty(),
        indicators: 1 + usize::from(brief.is_some_and(|brief| brief.has_accessibility)),
    };
    let scopes: BTreeSet<&CompactString> =
        brief.iter().flat_map(|brief| &brief.scopes).filter(|scope| kept.contains(*scope)).collect();
    let paths: BTreeSet<&str> = all().flat_map(|state| &state.paths).map(String::as_str).collect();
    let profiles: BTreeSet<&str> =
        all().flat_map(|state| &state.profiles).map(CompactString::as_str).collect();
    DiscoveryStateNode {
        state_id: id.clone(),
        fingerprint: brief.map(|brief| brief.fingerprint.clone()).unwrap_or_default(),
        route_id: routes.of_state(id).map(|route| route.id.clone()),
        scope_ids: filled(scopes.into_iter().filter_map(|id| ScopeId::parse(id)).collect()),
        modal_stack: filled(brief.map(|brief| brief.modals.clone()).unwrap_or_default()),
        page_graph_ref: Some(CompactString::from(format!("states/{id}.json"))),
        screenshot_ref: brief.and_then(|brief| brief.screenshot.as_deref()).map(CompactString::from),
        discovered_by,
        confidence: support.confidence(),
        metadata: metadata([
            ("title", brief.map(|brief| brief.title.clone()).unwrap_or_default().into()),
            ("paths", paths.into_iter().take(5).collect::<Vec<_>>().into()),
            ("depth", all().map(|state| state.depth).min().into()),
            ("seeded", all().any(|state| state.seeded).into()),
            ("profiles", profiles.into_iter().collect::<Vec<_>>().into()),
            ("standsFor", twins.iter().map(|id| id.as_str()).collect::<Vec<_>>().into()),
            (structure::STRUCTURE, if published { structure::PROVIDER } else { structure::DOM }.into()),
            ("truncated", brief.is_some_and(|brief| brief.truncated).into()),
            (fact::HELD, brief.is_some_and(|brief| brief.held).into()),
            ("signalCandidates", brief.map(|brief| brief.signals.clone()).unwrap_or_default().into()),
        ]),
    }
}

fn transition(edge: &Edge, book: &mut Book) -> DiscoveryTransition {
    let mut discovered_by = vec![book.happened(EvidenceSource::Transition, &edge.id, &edge.from)];
    if !edge.signals.is_empty() {
        discovered_by.push(book.happened(EvidenceSource::Signal, &edge.id, &edge.from));
    }
    if !edge.requests.is_empty() {
        discovered_by.push(book.happened(EvidenceSource::Network, &edge.id, &edge.from));
    }
    let support = Support {
        repeated: edge.is_repeated(),
        worked: edge.agreed > 0 && !edge.unresolved,
        ..Support::default()
    };
    let is_more = gravity(&edge.side_effect) > gravity(&SideEffectClass::DataWrite);
    let side_effect = match edge.write() {
        Some(_) if !is_more => SideEffectClass::DataWrite,
        _ => edge.side_effect.clone(),
    };
    let held = edge.requests.iter().filter(|request| request.held).count();
    let profiles: Vec<&str> = edge.profiles.iter().map(CompactString::as_str).collect();
    DiscoveryTransition {
        transition_id: edge.id.clone(),
        from_state_id: edge.from.clone(),
        to_state_id: edge.to.clone(),
        via_action_id: edge.action_id.clone(),
        target: edge.aim.as_ref().and_then(target),
        args: Some(edge.args.clone()).filter(|args| !args.0.is_empty()),
        side_effect_class: Some(side_effect),
        observed_signals: filled(edge.signals.clone()),
        confidence: support.confidence(),
        discovered_by,
        metadata: metadata([
            ("tries", edge.tries.into()),
            ("agreed", edge.agreed.into()),
            ("unresolved", edge.unresolved.into()),
            ("unreliable", edge.is_unreliable().into()),
            ("requests", edge.requests.len().into()),
            ("sealed", if edge.sealed { true.into() } else { Value::Null }),
            ("held", if held == 0 { Value::Null } else { held.into() }),
            ("profiles", profiles.into()),
        ]),
    }
}
