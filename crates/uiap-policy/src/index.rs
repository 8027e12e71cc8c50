//! Which rules can concern a question: found by its id or its route, not by asking every rule.

use std::collections::HashMap;

use compact_str::CompactString;

use crate::matcher::Matcher;
use crate::pattern::{Pattern, prefixes};
use crate::word::may_admit;

/// A rule and the bits that most rules are told apart by, kept together for the cache's sake.
#[derive(Clone, Copy, Debug)]
struct Entry {
    wanted: u64,
    rule: usize,
}

/// Rules by an id or by a prefix of it.
#[derive(Clone, Debug, Default)]
struct Buckets {
    exact: HashMap<CompactString, Vec<Entry>>,
    below: HashMap<CompactString, Vec<Entry>>,
}

impl Buckets {
    fn add(&mut self, entry: Entry, patterns: &[Pattern]) {
        for pattern in patterns {
            let bucket = match pattern {
                Pattern::Exact(id) => self.exact.entry(id.clone()),
                Pattern::Below(prefix) => self.below.entry(prefix.clone()),
            };
            bucket.or_default().push(entry);
        }
    }

    fn find(&self, id: &str, mut keep: impl FnMut(&[Entry])) {
        if let Some(entries) = self.exact.get(id) {
            keep(entries);
        }
        if !self.below.is_empty() {
            for entries in prefixes(id).filter_map(|prefix| self.below.get(prefix)) {
                keep(entries);
            }
        }
    }
}

/// Rules by action; those that name none by route; the rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    actions: Buckets,
    routes: Buckets,
    any: Vec<Entry>,
}

impl Index {
    /// Adds a rule under the key that tells it apart best.
    pub(crate) fn add(&mut self, rule: usize, matcher: &Matcher) {
        let entry = Entry { wanted: matcher.wanted.bits, rule };
        match (&matcher.actions, matcher.routes()) {
            (Some(actions), _) => self.actions.add(entry, actions),
            (None, Some(routes)) => self.routes.add(entry, routes),
            (None, None) => self.any.push(entry),
        }
    }

    /// The rules that may match, each once, in their order.
    pub(crate) fn candidates<'a>(
        &self,
        action: &str,
        routes: impl Iterator<Item = &'a str>,
        known: u64,
    ) -> Vec<usize> {
        let mut found = Vec::new();
        let mut keep = |entries: &[Entry]| {
            found.extend(
                entries.iter().filter(|entry| may_admit(entry.wanted, known)).map(|entry| entry.rule),
            );
        };
        self.actions.find(action, &mut keep);
        for route in routes {
            self.routes.find(route, &mut keep);
        }
        keep(&self.any);
        found.sort_unstable();
        found.dedup();
        found
    }
}
