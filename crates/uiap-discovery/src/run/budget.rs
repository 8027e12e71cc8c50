//! How far a run may go. Counts are never exceeded.

use std::collections::HashMap;
use std::time::Duration;

use compact_str::CompactString;
use uiap_model::discovery::DiscoveryBudget;
use uiap_model::json::Count;

/// What is left of the budgets.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    max_states: usize,
    max_transitions: usize,
    max_depth: u32,
    max_per_route: usize,
    pub(crate) runtime: Duration,
    /// Actions carried out.
    pub(crate) transitions: usize,
    routes: HashMap<CompactString, usize>,
}

/// Limits that hold where nobody says others: a run ends by itself.
pub fn default_budget() -> DiscoveryBudget {
    DiscoveryBudget {
        max_states: Some(Count(500)),
        max_transitions: Some(Count(2_000)),
        max_depth: Some(Count(8)),
        max_runtime_ms: Some(Count(1_800_000)),
        max_per_route: Some(Count(200)),
    }
}

impl Budget {
    pub(crate) fn new(asked: Option<&DiscoveryBudget>) -> Self {
        let usual = default_budget();
        let pick = |choose: fn(&DiscoveryBudget) -> Option<Count>| {
            let asked = asked.and_then(choose).or_else(|| choose(&usual));
            asked.map_or(u64::MAX, |count| count.0)
        };
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        Self {
            max_states: size(pick(|each| each.max_states)),
            max_transitions: size(pick(|each| each.max_transitions)),
            max_depth: u32::try_from(pick(|each| each.max_depth)).unwrap_or(u32::MAX),
            max_per_route: size(pick(|each| each.max_per_route)),
            runtime: Duration::from_millis(pick(|each| each.max_runtime_ms)),
            transitions: 0,
            routes: HashMap::new(),
        }
    }

    /// Whether one more state may be recorded.
    pub(crate) fn has_state(&self, states: usize) -> bool {
        states < self.max_states
    }

    /// How many more actions may be carried out.
    pub(crate) fn transitions_left(&self) -> usize {
        self.max_transitions.saturating_sub(self.transitions)
    }

    /// Whether something may be done in a state that is so far away.
    pub(crate) fn reaches(&self, depth: u32) -> bool {
        depth < self.max_depth
    }

    /// Whether more may be done on a route.
    pub(crate) fn has_route(&self, route: &str) -> bool {
        self.routes.get(route).is_none_or(|spent| *spent < self.max_per_route)
    }

    /// An action on that route is about to be carried out.
    pub(crate) fn spend(&mut self, route: &CompactString) {
        self.transitions += 1;
        *self.routes.entry(route.clone()).or_default() += 1;
    }
}
