//! The same doubt at many places is one decision for a person: it is told once, with where it is so.

use std::collections::{BTreeMap, BTreeSet};

use compact_str::CompactString;

use super::{Draft, listed};

/// Places that are named.
const SHOWN: usize = 4;
/// Evidence that one item carries.
const MOST_EVIDENCE: usize = 24;

/// Puts together what asks the same.
pub(super) fn alike(drafts: Vec<Draft>) -> Vec<Draft> {
    let mut groups: BTreeMap<(&'static str, u8, String, &'static str), Vec<Draft>> = BTreeMap::new();
    for draft in drafts {
        let question = draft.question.clone().unwrap_or_else(|| draft.description.clone());
        let key = (draft.kind.as_str(), draft.severity as u8, question, draft.remediation);
        groups.entry(key).or_default().push(draft);
    }
    groups.into_iter().map(|((.., question, _), drafts)| together(&question, drafts)).collect()
}

fn together(question: &str, mut drafts: Vec<Draft>) -> Draft {
    drafts.sort_by(|a, b| (&a.route, &a.scope, &a.about).cmp(&(&b.route, &b.scope, &b.about)));
    let mut places: BTreeMap<CompactString, usize> = BTreeMap::new();
    for draft in &drafts {
        let own = if draft.places.is_empty() { draft.route.as_slice() } else { &draft.places };
        for place in own {
            *places.entry(place.clone()).or_default() += draft.count;
        }
    }
    let things: BTreeSet<String> = drafts.iter().filter_map(|draft| draft.thing.clone()).collect();
    let (several, all) = (drafts.len() > 1, drafts.iter().map(|draft| draft.count).sum());
    let mut drafts = drafts.into_iter();
    let Some(mut first) = drafts.next() else { return Draft::nothing() };
    if several {
        question.clone_into(&mut first.about);
        first.description = match things.len() {
            0 => format!("{question} {all} of them{}.", at(&places)),
            _ => format!("{question} {all} of them{}: {}.", at(&places), listed(&things)),
        };
        first.count = all;
    } else if places.len() > 1 {
        first.description = format!("{} It is so{}.", first.description, at(&places).trim_start_matches(','));
    }
    for other in drafts {
        if first.scope != other.scope {
            first.scope = None;
        }
        if first.stable_id != other.stable_id {
            first.stable_id = None;
        }
        let room = MOST_EVIDENCE.saturating_sub(first.evidence.len());
        let new: Vec<_> =
            other.evidence.into_iter().filter(|each| !first.evidence.contains(each)).take(room).collect();
        first.evidence.extend(new);
    }
    first
}

/// Where: the place with most of them first.
fn at(places: &BTreeMap<CompactString, usize>) -> String {
    let mut named: Vec<(&CompactString, &usize)> = places.iter().collect();
    named.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let told = |(route, count): &(&CompactString, &usize)| match count {
        1 => format!("`{route}`"),
        count => format!("`{route}` ({count})"),
    };
    let shown: Vec<String> = named.iter().take(SHOWN).map(told).collect();
    match (named.len(), named.len().saturating_sub(SHOWN)) {
        (0, _) => String::new(),
        (_, 0) => format!(", at {}", shown.join(", ")),
        (_, 1) => format!(", at {} and one more place", shown.join(", ")),
        (_, more) => format!(", at {} and {more} more places", shown.join(", ")),
    }
}
