//! Where assertions come from, and how sure they are. Spec: discovery-mapper §7.

use std::collections::{BTreeMap, BTreeSet};

use compact_str::{CompactString, format_compact};
use uiap_model::discovery::evidence::{EvidenceEntry, EvidenceIndex};
use uiap_model::discovery::{Confidence, EvidenceRef, EvidenceSource};

/// How many states are named for one assertion; more say nothing new.
const MOST_STATES: usize = 3;
/// Between a state and the document behind a bridge that something was seen in.
pub(crate) const SPACE: char = '#';

/// Everything that assertions refer to.
#[derive(Debug, Default)]
pub(crate) struct Book(BTreeMap<CompactString, EvidenceEntry>);

impl Book {
    /// Something that was seen in a state, or in a document behind a bridge there.
    pub(crate) fn seen(&mut self, source: EvidenceSource, seen_at: &str) -> EvidenceRef {
        let state = seen_at.split(SPACE).next().unwrap_or_default();
        let uri = match source {
            EvidenceSource::Screenshot => None,
            _ => Some(format_compact!("states/{state}.json")),
        };
        self.enter(source, format_compact!("{source}:{seen_at}"), Some(state), uri)
    }

    /// Something that happened.
    pub(crate) fn happened(&mut self, source: EvidenceSource, transition: &str, state: &str) -> EvidenceRef {
        self.enter(source, format_compact!("{source}:{transition}"), Some(state), None)
    }

    /// Something that was told: a registered action, a document, a rule.
    pub(crate) fn told(&mut self, source: EvidenceSource, what: &str) -> EvidenceRef {
        self.enter(source, format_compact!("{source}:{what}"), None, None)
    }

    /// What speaks for an assertion: each source with the first states that it was found in.
    pub(crate) fn all(&mut self, sightings: &Sightings) -> Vec<EvidenceRef> {
        let mut refs = Vec::new();
        for (source, states) in &sightings.0 {
            for state in states {
                if let Some(source) = EvidenceSource::parse(source) {
                    refs.push(self.seen(source, state));
                }
            }
        }
        refs
    }

    fn enter(
        &mut self,
        source: EvidenceSource,
        ref_id: CompactString,
        state: Option<&str>,
        uri: Option<CompactString>,
    ) -> EvidenceRef {
        self.0.entry(ref_id.clone()).or_insert_with(|| EvidenceEntry {
            ref_id: ref_id.clone(),
            source,
            state_id: state.map(CompactString::from),
            at: None,
            digest: None,
            uri,
            data: None,
        });
        EvidenceRef { source, ref_id, note: None }
    }

    pub(crate) fn index(self) -> EvidenceIndex {
        EvidenceIndex { entries: self.0.into_values().collect() }
    }
}

/// By which source something was seen, and in which states. The first by id are kept, whatever the order of adding.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sightings(BTreeMap<&'static str, BTreeSet<CompactString>>);

impl Sightings {
    pub(crate) fn add(&mut self, source: EvidenceSource, state: &str) {
        let states = self.0.entry(source.as_str()).or_default();
        states.insert(CompactString::from(state));
        if states.len() > MOST_STATES {
            states.pop_last();
        }
    }

    pub(crate) fn has(&self, source: EvidenceSource) -> bool {
        self.0.contains_key(source.as_str())
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (source, states) in &other.0 {
            let mine = self.0.entry(source).or_default();
            mine.extend(states.iter().cloned());
            while mine.len() > MOST_STATES {
                mine.pop_last();
            }
        }
    }

    pub(crate) fn first_state(&self) -> Option<&str> {
        self.0.values().flatten().min().map(CompactString::as_str)
    }
}

/// What supports an assertion.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Support {
    /// The app says so.
    pub(crate) declared: bool,
    /// It was done more than once, with the same outcome and the same signals.
    pub(crate) repeated: bool,
    /// It was done once, and worked.
    pub(crate) worked: bool,
    /// How many semantic indicators point the same way: a role, a name, the accessibility tree.
    pub(crate) indicators: usize,
}

impl Support {
    /// Spec: discovery-mapper §7.3.
    pub(crate) fn confidence(self) -> Confidence {
        if self.declared || self.repeated {
            Confidence::High
        } else if self.worked || self.indicators >= 2 {
            Confidence::Medium
        } else {
            Confidence::Low
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requirement: DISC-7.3-02
    /// Requirement: DISC-7.3-03
    /// Requirement: DISC-7.3-04
    #[test]
    fn confidence_follows_what_supports_it() {
        let of = |support: Support| support.confidence();
        assert_eq!(of(Support { declared: true, ..Support::default() }), Confidence::High);
        assert_eq!(of(Support { repeated: true, ..Support::default() }), Confidence::High);
        assert_eq!(of(Support { worked: true, indicators: 3, ..Support::default() }), Confidence::Medium);
        assert_eq!(of(Support { indicators: 2, ..Support::default() }), Confidence::Medium);
        assert_eq!(of(Support { indicators: 1, ..Support::default() }), Confidence::Low);
    }
}
