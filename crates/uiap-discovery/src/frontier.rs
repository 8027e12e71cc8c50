//! What is still to be tried, the best first. Adding and taking cost O(log n); what an entry is about stays in the store.

use std::collections::BinaryHeap;
use std::collections::HashMap;

use compact_str::CompactString;

use crate::candidate::Rank;

/// From so many states a control is tried before it is taken to do the same everywhere.
pub const CONFIRMATIONS: u32 = 2;

/// One thing to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Whether the same control was tried elsewhere: what is new comes first.
    pub tried: bool,
    /// The specification's order.
    pub rank: Rank,
    /// How far the state is from a seed.
    pub depth: u32,
    /// The candidate; given in the order of discovery.
    pub number: u64,
    /// The state.
    pub state: usize,
}

/// What is known of a control, wherever it stands.
#[derive(Clone, Debug, Default)]
pub struct Control {
    /// How often it was tried.
    pub tries: u32,
    /// How often it is being tried right now.
    pub pending: u32,
    /// What it did; every time the same as long as `differs` is not set.
    pub consequence: Option<CompactString>,
    /// It did something else another time.
    pub differs: bool,
}

/// What to do with an entry that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Try it.
    Try,
    /// It is not new any more: put it back with what is known now.
    Later,
    /// Wait until what is under way says whether it is needed.
    Wait,
    /// It does the same as elsewhere.
    Known,
}

/// What is still to be tried.
#[derive(Debug, Default)]
pub struct Frontier {
    heap: BinaryHeap<std::cmp::Reverse<Entry>>,
    controls: HashMap<CompactString, Control>,
}

impl Frontier {
    /// Adds an entry.
    pub fn push(&mut self, entry: Entry) {
        self.heap.push(std::cmp::Reverse(entry));
    }

    /// Takes the best entry.
    pub fn pop(&mut self) -> Option<Entry> {
        self.heap.pop().map(|entry| entry.0)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether there is nothing left.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// What is known of a control.
    pub fn control(&self, name: &str) -> Option<&Control> {
        self.controls.get(name)
    }

    /// Whether an entry is to be tried now; after so many `confirmations` it is known.
    pub fn due(&self, entry: &Entry, control: &str, confirmations: u32) -> Due {
        let Some(known) = self.controls.get(control) else { return Due::Try };
        // First of all an entry stands where it belongs: whoever goes on with a run decides in the same order.
        if known.tries > 0 && !entry.tried {
            return Due::Later;
        }
        if known.differs {
            return Due::Try;
        }
        if known.tries >= confirmations {
            return Due::Known;
        }
        let waits = known.tries + known.pending >= confirmations || (known.pending > 0 && !entry.tried);
        if waits { Due::Wait } else { Due::Try }
    }

    /// A control is about to be tried.
    pub fn begin(&mut self, control: &str) {
        self.controls.entry(control.into()).or_default().pending += 1;
    }

    /// A control was tried; `consequence` is what it did, none when nobody can say.
    pub fn end(&mut self, control: &str, consequence: Option<&str>) {
        let known = self.controls.entry(control.into()).or_default();
        known.pending = known.pending.saturating_sub(1);
        let Some(consequence) = consequence else { return };
        known.tries += 1;
        match &known.consequence {
            None => known.consequence = Some(consequence.into()),
            Some(before) if before != consequence => known.differs = true,
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u64, rank: Rank, tried: bool) -> Entry {
        Entry { tried, rank, depth: 0, number, state: 0 }
    }

    /// Requirement: DISC-11.5-05
    #[test]
    fn candidates_are_tried_in_the_order_of_the_specification() {
        let mut frontier = Frontier::default();
        let ranks = [
            Rank::Fallback,
            Rank::Draft,
            Rank::Selection,
            Rank::Area,
            Rank::Opening,
            Rank::Navigation,
            Rank::AppAction,
        ];
        for (number, rank) in ranks.into_iter().enumerate() {
            frontier.push(entry(number as u64, rank, false));
        }
        let order: Vec<_> = std::iter::from_fn(|| frontier.pop()).map(|each| each.rank).collect();
        assert!(order.is_sorted(), "{order:?}");
        assert_eq!(order.len(), ranks.len());
    }

    #[test]
    fn what_is_new_comes_before_what_was_tried_elsewhere() {
        let mut frontier = Frontier::default();
        frontier.push(entry(1, Rank::Navigation, true));
        frontier.push(entry(2, Rank::Selection, false));
        assert_eq!(frontier.pop().map(|each| each.number), Some(2));
    }

    /// Requirement: DISC-11.5-03
    #[test]
    fn a_control_that_did_the_same_twice_is_known_and_one_that_did_not_is_tried_again() {
        let mut frontier = Frontier::default();
        let fresh = entry(1, Rank::Navigation, false);
        let again = entry(1, Rank::Navigation, true);
        assert_eq!(frontier.due(&fresh, "nav", CONFIRMATIONS), Due::Try);
        frontier.begin("nav");
        assert_eq!(frontier.due(&fresh, "nav", CONFIRMATIONS), Due::Wait, "one of them is under way");
        frontier.end("nav", Some("to:a"));
        assert_eq!(frontier.due(&fresh, "nav", CONFIRMATIONS), Due::Later, "it is not new any more");
        assert_eq!(frontier.due(&again, "nav", CONFIRMATIONS), Due::Try);
        frontier.begin("nav");
        frontier.end("nav", Some("to:a"));
        assert_eq!(frontier.due(&again, "nav", CONFIRMATIONS), Due::Known);
        frontier.begin("edit");
        frontier.end("edit", Some("to:a"));
        frontier.begin("edit");
        frontier.end("edit", Some("to:b"));
        assert_eq!(frontier.due(&again, "edit", CONFIRMATIONS), Due::Try, "it does something else elsewhere");
    }
}
