//! What is ambiguous, without a lasting identity, or only guessed.

use std::collections::{BTreeMap, BTreeSet};

use compact_str::CompactString;
use uiap_model::capability::UIRole;
use uiap_model::discovery::EvidenceSource;
use uiap_model::discovery::review::{ReviewItemKind, ReviewSeverity};

use super::{Draft, Material, listed};
use crate::derive::element::{self, ElementKey, Named};
use crate::derive::evidence::{Book, Sightings};

pub(super) fn look(material: &Material<'_>, book: &mut Book, drafts: &mut Vec<Draft>) {
    twins(material, book, drafts);
    repeated_names(material, book, drafts);
    nameless(material, book, drafts);
    without_id(material, book, drafts);
    guessed(material, book, drafts);
    routes(material, book, drafts);
    workflows(material, drafts);
}

fn is_used(named: &Named<'_>) -> bool {
    element::is_used(&named.found)
}

/// Several equally plausible targets.
fn twins(material: &Material<'_>, book: &mut Book, drafts: &mut Vec<Draft>) {
    let context = material.context;
    for named in context.named.iter().filter(|named| is_used(named)) {
        let found = &named.found;
        let first = matches!(named.key, ElementKey::Named { ordinal: 0, .. });
        let name = found.names.iter().next().cloned().unwrap_or_default();
        let route = context.routes.ids(&found.places).into_iter().next();
        let scope = found.scopes.iter().next().cloned();
        if found.duplicate_id && first {
            let text = format!(
                "Several elements carry the stable id of {} `{name}`: none of them can be found by it.",
                named.role
            );
            let draft = Draft::new(
                ReviewItemKind::AmbiguousTarget,
                ReviewSeverity::High,
                format!("id {}", named.semantic),
                text,
            )
            .mend("Give each element a stable id of its own.");
            drafts.push(draft.at(route, scope).by(book.all(&found.seen)));
        } else if found.twins > 1 && first {
            let text = format!(
                "{} elements are a {} called `{name}` in the same area: which one is meant cannot be told.",
                found.twins, named.role
            );
            let draft = Draft::new(
                ReviewItemKind::AmbiguousTarget,
                ReviewSeverity::Medium,
                named.semantic.to_string(),
                text,
            )
            .asks(format!(
                "A {} is called as another one in the same area: which one is meant cannot be told.",
                named.role
            ))
            .of(name)
            .times(usize::try_from(found.twins).unwrap_or(usize::MAX))
            .mend("Give them different names or stable ids.");
            let places = context.routes.ids(&found.places);
            drafts.push(draft.at(route, scope).everywhere(places).by(book.all(&found.seen)));
        }
    }
}

/// Entries of a list whose commands are all called the same.
fn repeated_names(material: &Material<'_>, book: &mut Book, drafts: &mut Vec<Draft>) {
    let context = material.context;
    for named in context.named.iter().filter(|named| named.found.repeats && is_used(named)) {
        let found = &named.found;
        let command =
            matches!(named.role, UIRole::Button | UIRole::Menuitem | UIRole::Checkbox | UIRole::Switch);
        if command && found.names.len() == 1 && matches!(named.key, ElementKey::Named { .. }) {
            let name = found.names.iter().next().cloned().unwrap_or_default();
            let text = format!(
                "Each entry of a list has a {} called `{name}`: only its place tells which entry is meant.",
                named.role
            );
            let draft = Draft::new(
                ReviewItemKind::DuplicateName,
                ReviewSeverity::Low,
                named.semantic.to_string(),
                text,
            )
            .mend("Name the entry in it, such as `Remove Ana`, or give each a stable id.");
            let draft = draft.at(None, found.scopes.iter().next().cloned());
            drafts.push(draft.everywhere(context.routes.ids(&found.places)).by(book.all(&found.seen)));
        }
    }
}

fn nameless(material: &Material<'_>, book: &mut Book, drafts: &mut Vec<Draft>) {
    let context = material.context;
    for named in context.named.iter().filter(|named| is_used(named)) {
        let found = &named.found;
        let silent = found.names.is_empty() && found.meanings.is_empty();
        if silent && matches!(named.key, ElementKey::Named { .. }) {
            let what = if named.role.is_field() { "What it takes" } else { "What it does" };
            let text = format!("A {} has no name. {what} is not known.", named.role);
            let draft = Draft::new(
                ReviewItemKind::InferredOnly,
                ReviewSeverity::Medium,
                format!("name {}", named.semantic),
                text,
            )
            .mend("Give it an accessible name: a label, an `aria-label`, a title.");
            let draft = draft.at(None, found.scopes.iter().next().cloned());
            drafts.push(draft.everywhere(context.routes.ids(&found.places)).by(book.all(&found.seen)));
        }
    }
}

/// Elements without a stable id, by area: one item for each would bury the rest.
fn without_id(material: &Material<'_>, book: &mut Book, drafts: &mut Vec<Draft>) {
    let context = material.context;
    let mut areas: BTreeMap<(Option<CompactString>, CompactString), (BTreeSet<String>, Sightings)> =
        BTreeMap::new();
    for named in context.named.iter().filter(|named| is_used(named)) {
        let ElementKey::Named { scope, .. } = named.key else { continue };
        let route = context.routes.ids(&named.found.places).into_iter().next();
        let (names, seen) = areas.entry((route, scope.clone())).or_default();
        names.insert(named.found.names.iter().next().cloned().unwrap_or_else(|| named.role.to_string()));
        seen.merge(&named.found.seen);
    }
    for ((route, scope), (names, seen)) in areas {
        let place = route.as_deref().unwrap_or("the app");
        let text = format!(
            "{} controls of `{place}` in `{scope}` have no stable id: {}.",
            names.len(),
            listed(&names)
        );
        let about = format!("{place} {scope}");
        let draft = Draft::new(ReviewItemKind::MissingStableId, ReviewSeverity::Low, about, text)
            .asks("Controls have no stable id.")
            .times(names.len())
            .mend("Annotate them with `data-uiap-id`, or bind them in a manifest.");
        drafts.push(draft.at(route, Some(scope)).by(book.all(&seen)));
    }
}

/// Important actions that only words or looks speak for.
fn guessed(material: &Material<'_>, book: &mut Book, drafts: &mut Vec<Draft>) {
    let context = material.context;
    for named in context.named.iter().filter(|named| named.found.heuristic && is_used(named)) {
        let found = &named.found;
        if found.seen.has(EvidenceSource::Annotation) {
            continue;
        }
        let name = found.names.iter().next().cloned().unwrap_or_default();
        let text = format!("`{name}` reacts to clicks and has no role: that it is a command is a guess.");
        let draft = Draft::new(
            ReviewItemKind::InferredOnly,
            ReviewSeverity::Medium,
            format!("role {}", named.semantic),
            text,
        )
        .asks("It reacts to clicks and has no role: that it is a command is a guess.")
        .of(name)
        .mend("Make it a button or a link, or give it a role and a name.");
        let draft = draft.at(None, found.scopes.iter().next().cloned());
        drafts.push(draft.everywhere(context.routes.ids(&found.places)).by(book.all(&found.seen)));
    }
    for action in
        material.actions.iter().filter(|action| action.guessed && !crate::safety::is_grave(&action.class))
    {
        let text = format!(
            "That `{}` changes something is known by its words only: {}.",
            action.name, action.because
        );
        let draft = Draft::new(
            ReviewItemKind::InferredOnly,
            ReviewSeverity::Low,
            format!("action {}", action.id),
            text,
        )
        .asks("That these change something is known by their words only.")
        .of(action.name.clone())
        .mend("Declare its risk with `data-uiap-risk`, or register the action.");
        drafts.push(
            draft
                .at(None, action.scope.clone())
                .everywhere(action.routes.clone())
                .named(action.stable_id.clone())
                .by(action.evidence.clone()),
        );
    }
}

/// Routes whose address names one thing, and nothing says of which kind.
fn routes(material: &Material<'_>, book: &mut Book, drafts: &mut Vec<Draft>) {
    for route in material.context.routes.all.iter().filter(|route| route.unstable) {
        let patterns: BTreeSet<String> = route.patterns.iter().cloned().collect();
        let text = format!(
            "The place {} has no lasting identity: its address names one thing, and no other was seen.",
            listed(&patterns)
        );
        let evidence =
            route.states.iter().take(3).map(|state| book.seen(EvidenceSource::Dom, state)).collect();
        let draft = Draft::new(
            ReviewItemKind::MissingStableId,
            ReviewSeverity::Medium,
            format!("route {}", route.id),
            text,
        )
        .mend("Declare the route with `data-uiap-route`, or add a pattern to a manifest.");
        drafts.push(draft.at(Some(route.id.clone()), None).by(evidence));
    }
}

fn workflows(material: &Material<'_>, drafts: &mut Vec<Draft>) {
    for workflow in material.workflows.iter().filter(|workflow| !workflow.lacks.is_empty()) {
        let text =
            format!("The task `{}` ({}) lacks {}.", workflow.title, workflow.id, workflow.lacks.join(", "));
        let draft = Draft::new(
            ReviewItemKind::WorkflowUncertain,
            ReviewSeverity::Medium,
            workflow.id.to_string(),
            text,
        )
        .mend("Declare success signals for its last step, and names and risks where they are missing.");
        drafts.push(
            draft.at(workflow.route.clone(), Some(workflow.scope.clone())).by(workflow.evidence.clone()),
        );
    }
}
