//! What would do harm, and what is near to security and money.

use std::collections::{BTreeMap, BTreeSet};

use compact_str::CompactString;
use uiap_model::discovery::review::{ReviewItemKind, ReviewSeverity};
use uiap_model::policy::{DataClass, SideEffectClass};

use super::{Draft, Material, listed};
use crate::derive::element::data_classes;
use crate::derive::evidence::{Book, Sightings};
use crate::safety::is_grave;

pub(super) fn look(material: &Material<'_>, book: &mut Book, drafts: &mut Vec<Draft>) {
    unsafe_actions(material, drafts);
    delicate_areas(material, book, drafts);
    contradictions(material, book, drafts);
}

fn unsafe_actions(material: &Material<'_>, drafts: &mut Vec<Draft>) {
    for action in material.actions.iter().filter(|action| is_grave(&action.class)) {
        let severity = match action.class {
            SideEffectClass::ExternalEffect | SideEffectClass::IdentityChange => ReviewSeverity::Medium,
            _ => ReviewSeverity::High,
        };
        let why = if action.because.is_empty() { String::new() } else { format!(": {}", action.because) };
        let asks = if action.asks_first { " It opens a question first." } else { "" };
        let text = format!("`{}` ({}) was left alone{why}.{asks}", action.name, action.id);
        let draft = Draft::new(ReviewItemKind::UnsafeActionCandidate, severity, action.id.to_string(), text)
            .asks(format!("`{}` was left alone{why}.{asks}", action.name))
            .mend("Confirm its risk, and say in a manifest who may do it and how success is seen.");
        drafts.push(
            draft
                .at(None, action.scope.clone())
                .everywhere(action.routes.clone())
                .named(action.stable_id.clone())
                .by(action.evidence.clone()),
        );
    }
}

/// Route, scope, and whether it is about money.
type Place = (Option<CompactString>, CompactString, bool);

/// Areas with passwords, keys and cards.
fn delicate_areas(material: &Material<'_>, book: &mut Book, drafts: &mut Vec<Draft>) {
    let context = material.context;
    let mut areas: BTreeMap<Place, (BTreeSet<String>, Sightings)> = BTreeMap::new();
    for named in context.named {
        let classes = data_classes(&named.found);
        let money = classes.contains(&DataClass::Payment);
        let secret = classes.iter().any(|class| matches!(class, DataClass::Credential | DataClass::Secret));
        if !money && !secret {
            continue;
        }
        let route = context.routes.ids(&named.found.places).into_iter().next();
        let scope = named.found.scopes.iter().next().cloned().unwrap_or_default();
        let (names, seen) = areas.entry((route, scope, money)).or_default();
        names.extend(named.found.names.iter().next().cloned());
        seen.merge(&named.found.seen);
    }
    for ((route, scope, money), (names, seen)) in areas {
        let what = if money { "payment" } else { "security" };
        let text = format!("An area near to {what} was reached and left alone: {}.", listed(&names));
        let about = format!("delicate {} {scope} {what}", route.as_deref().unwrap_or_default());
        let draft = Draft::new(ReviewItemKind::Custom, ReviewSeverity::Medium, about, text)
            .mend("Decide whether agents may come here at all, and write it into the policy.");
        drafts.push(draft.at(route, Some(scope)).by(book.all(&seen)));
    }
}

/// Declared harmless, and called or seen otherwise.
fn contradictions(material: &Material<'_>, book: &mut Book, drafts: &mut Vec<Draft>) {
    let context = material.context;
    for named in context.named {
        let Some(sign) = named.found.sign.as_ref().filter(|sign| sign.declared) else { continue };
        if sign.class == SideEffectClass::Unknown && sign.because.contains(", but ") {
            let text = format!("What is declared and what is said contradict each other: {}.", sign.because);
            let draft = Draft::new(
                ReviewItemKind::Custom,
                ReviewSeverity::High,
                format!("contradiction {}", named.semantic),
                text,
            )
            .mend("Correct the declared risk, or the name.");
            let route = context.routes.ids(&named.found.places).into_iter().next();
            drafts.push(
                draft.at(route, named.found.scopes.iter().next().cloned()).by(book.all(&named.found.seen)),
            );
        }
    }
}
