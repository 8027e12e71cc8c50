//! How the app behaved: actions without an effect that can be seen, roles that promise something else, gaps.

use std::collections::{BTreeMap, BTreeSet};

use compact_str::CompactString;
use uiap_model::capability::{RiskLevel, SuccessSignal, UIRole};
use uiap_model::discovery::EvidenceSource;
use uiap_model::discovery::catalog::DiscoveredActionKind;
use uiap_model::discovery::review::{
    DiscoveryActionEffect, DiscoveryActionReason, ReviewItemKind, ReviewSeverity,
};

use super::{Draft, Material, listed};
use crate::derive::evidence::Book;
use crate::derive::transition::Edge;
use crate::template;

pub(super) fn look(material: &Material<'_>, book: &mut Book, drafts: &mut Vec<Draft>) {
    silent_controls(material, book, drafts);
    silent_actions(material, drafts);
    broken_promises(material, book, drafts);
    unreliable(material, book, drafts);
    seeds(material, book, drafts);
    unvisited(material, book, drafts);
}

fn name_of(edge: &Edge) -> String {
    match &edge.aim {
        Some(aim) if aim.name.is_empty() => format!("a {} without a name", aim.role),
        Some(aim) => aim.name.clone(),
        None => edge.action_id.to_string(),
    }
}

fn route_of(material: &Material<'_>, edge: &Edge) -> Option<CompactString> {
    material.context.routes.of_state(&edge.from).map(|route| route.id.clone())
}

fn scope_of(edge: &Edge) -> Option<CompactString> {
    let scope = edge.aim.as_ref()?.scope_id.as_ref()?;
    Some(crate::derive::name::scope_id(scope.as_str()).into())
}

/// What was done and led nowhere that could be told: one item for each control, whatever the states it was tried in.
fn silent_controls(material: &Material<'_>, book: &mut Book, drafts: &mut Vec<Draft>) {
    let mut controls: BTreeMap<String, Vec<&Edge>> = BTreeMap::new();
    for edge in material.context.edges.iter().filter(|edge| edge.unresolved && !edge.sealed) {
        let control = match &edge.element {
            Some(key) => format!("{} {key:?}", edge.action_id),
            None => format!("{} {} {:?}", edge.from, edge.action_id, edge.aim),
        };
        controls.entry(control).or_default().push(edge);
    }
    for (about, edges) in controls {
        let Some(edge) = edges.first() else { continue };
        let text = format!(
            "`{}` on `{}` had no effect that could be seen: no place, dialog, message, value or list changed.",
            edge.action_id,
            name_of(edge)
        );
        let evidence = edges
            .iter()
            .take(3)
            .map(|edge| book.happened(EvidenceSource::Transition, &edge.id, &edge.from))
            .collect();
        let draft = Draft::new(ReviewItemKind::MissingSuccessSignal, ReviewSeverity::Medium, about, text)
            .mend("Let the app show or announce that it worked, or declare a success signal.");
        drafts.push(draft.at(route_of(material, edge), scope_of(edge)).by(evidence));
    }
}

fn silent_actions(material: &Material<'_>, drafts: &mut Vec<Draft>) {
    let own = |kind: DiscoveredActionKind| kind == DiscoveredActionKind::Domain;
    for action in material.actions.iter().filter(|action| own(action.kind) && !action.has_signal) {
        let text = format!("The action `{}` declares no sign of success, and none was observed.", action.id);
        let draft = Draft::new(
            ReviewItemKind::MissingSuccessSignal,
            ReviewSeverity::Medium,
            format!("action {}", action.id),
            text,
        )
        .mend("Add `success` to the action.");
        drafts.push(
            draft
                .at(action.routes.first().cloned(), action.scope.clone())
                .named(action.stable_id.clone())
                .by(action.evidence.clone()),
        );
    }
}

/// Links that open dialogs, controls called safe that write.
fn broken_promises(material: &Material<'_>, book: &mut Book, drafts: &mut Vec<Draft>) {
    for edge in material.context.edges {
        let opened = edge.signals.iter().any(|signal| matches!(signal, SuccessSignal::DialogOpened { .. }));
        let moved = edge.signals.iter().any(|signal| matches!(signal, SuccessSignal::RouteChanged { .. }));
        let link = edge.aim.as_ref().is_some_and(|aim| aim.role == UIRole::Link.as_str());
        if link && opened && !moved {
            let text =
                format!("`{}` is a link and opens a dialog instead of leading somewhere.", name_of(edge));
            let evidence = vec![
                book.happened(EvidenceSource::Transition, &edge.id, &edge.from),
                book.seen(EvidenceSource::Dom, &edge.from),
            ];
            let draft = Draft::new(
                ReviewItemKind::Custom,
                ReviewSeverity::Low,
                format!("promise {:?} {:?}", edge.element, edge.aim),
                text,
            )
            .mend("Make it a button.");
            drafts.push(draft.at(route_of(material, edge), scope_of(edge)).by(evidence));
        }
        let called_safe = edge
            .element
            .as_ref()
            .and_then(|key| material.context.survey.elements.get(key))
            .is_some_and(|found| found.risk.as_ref().is_some_and(|risk| risk.level == RiskLevel::Safe));
        if called_safe && edge.requests.iter().any(|request| request.writes) {
            let text = format!("`{}` is declared safe and writes.", name_of(edge));
            let evidence = vec![
                book.happened(EvidenceSource::Network, &edge.id, &edge.from),
                book.seen(EvidenceSource::Annotation, &edge.from),
            ];
            let draft = Draft::new(
                ReviewItemKind::Custom,
                ReviewSeverity::High,
                format!("writes {:?}", edge.element),
                text,
            )
            .mend("Raise the declared risk, or mend the control.");
            drafts.push(draft.at(route_of(material, edge), scope_of(edge)).by(evidence));
        }
    }
}

/// Ways that led elsewhere when they were gone again.
fn unreliable(material: &Material<'_>, book: &mut Book, drafts: &mut Vec<Draft>) {
    for edge in material.context.edges.iter().filter(|edge| edge.is_unreliable()) {
        let (name, other, tries) = (name_of(edge), edge.tries - edge.agreed, edge.tries);
        let text = format!("`{name}` led elsewhere in {other} of {tries} tries.");
        let evidence = vec![book.happened(EvidenceSource::Transition, &edge.id, &edge.from)];
        let draft = Draft::new(
            ReviewItemKind::WorkflowUncertain,
            ReviewSeverity::Medium,
            format!("way {}", edge.id),
            text,
        )
        .asks("Some controls led elsewhere when they were pressed again.".to_owned())
        .of(name)
        .mend("See what decides where it leads; until then let nothing rest on it.");
        drafts.push(draft.at(route_of(material, edge), scope_of(edge)).by(evidence));
    }
}

/// Seeds that were refused or led nowhere.
fn seeds(material: &Material<'_>, book: &mut Book, drafts: &mut Vec<Draft>) {
    for seed in material.seeds.iter().filter(|seed| seed.state_id.is_none()) {
        let told = serde_json::to_string(&seed.seed).unwrap_or_default();
        let reason = seed.rejected.as_deref().unwrap_or("it led to no state");
        let text = format!("The starting point {told} ({}) was not visited: {reason}.", seed.origin);
        let evidence = vec![book.told(EvidenceSource::Documentation, &format!("seed:{}", seed.origin))];
        let draft =
            Draft::new(ReviewItemKind::CoverageGap, ReviewSeverity::Low, format!("seed {told}"), text)
                .mend("Correct the starting point, or raise the limits of the run.");
        drafts.push(draft.by(evidence));
    }
}

/// Places that are linked and were never seen, because the way there was not taken.
fn unvisited(material: &Material<'_>, book: &mut Book, drafts: &mut Vec<Draft>) {
    let mut places: BTreeMap<String, (BTreeSet<String>, CompactString, DiscoveryActionReason)> =
        BTreeMap::new();
    for decision in
        material.decisions.iter().filter(|decision| decision.effect != DiscoveryActionEffect::Allow)
    {
        let Some(aim) = &decision.aim else { continue };
        let Some(href) = aim.href.as_deref().filter(|href| is_inside(material, href)) else { continue };
        let path = template::normalised(href);
        let known = material.context.routes.fitting(&template::path_of(href)).is_some()
            || material.context.routes.fitting(&path).is_some();
        if !known {
            let (names, state, _) = places
                .entry(path)
                .or_insert_with(|| (BTreeSet::new(), decision.state_id.clone(), decision.reason));
            names.insert(aim.name.clone());
            *state = state.clone().min(decision.state_id.clone());
        }
    }
    for (path, (names, state, reason)) in places {
        let text =
            format!("`{path}` was not visited: the way there, {}, was not taken ({reason}).", listed(&names));
        let draft =
            Draft::new(ReviewItemKind::CoverageGap, ReviewSeverity::Low, format!("place {path}"), text)
                .mend("Visit it by hand, or allow the way in a controlled tenant.");
        let route = material.context.routes.of_state(&state).map(|route| route.id.clone());
        drafts.push(draft.at(route, None).by(vec![book.seen(EvidenceSource::Dom, &state)]));
    }
}

fn is_inside(material: &Material<'_>, href: &str) -> bool {
    match href.split_once("://") {
        Some(_) => material.context.survey.stance.origin().is_some_and(|origin| href.starts_with(origin)),
        None => href.starts_with('/'),
    }
}
