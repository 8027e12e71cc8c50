//! Which rules can concern a question: found by what it names, not by asking every rule.

use std::collections::HashMap;

use compact_str::CompactString;

use crate::facts::Facts;
use crate::matcher::{Matcher, Selective};
use crate::pattern::{Pattern, prefixes};
use crate::word::may_admit;

/// Rules that ask the same of the vocabularies: one look decides about all of them.
#[derive(Clone, Debug)]
struct Alike {
    wanted: u64,
    rules: Vec<usize>,
}

/// Rules under one key.
#[derive(Clone, Debug, Default)]
struct Bucket(Vec<Alike>);

impl Bucket {
    fn add(&mut self, wanted: u64, rule: usize) {
        match self.0.iter_mut().find(|alike| alike.wanted == wanted) {
            Some(alike) => alike.rules.push(rule),
            None => self.0.push(Alike { wanted, rules: vec![rule] }),
        }
    }

    fn collect(&self, known: u64, found: &mut Vec<usize>) {
        for alike in self.0.iter().filter(|alike| may_admit(alike.wanted, known)) {
            found.extend_from_slice(&alike.rules);
        }
    }
}

/// Rules by a name or by a prefix of it.
#[derive(Clone, Debug, Default)]
struct Buckets {
    exact: HashMap<CompactString, Bucket>,
    below: HashMap<CompactString, Bucket>,
}

impl Buckets {
    fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.below.is_empty()
    }

    fn add_name(&mut self, name: &str, wanted: u64, rule: usize) {
        self.exact.entry(name.into()).or_default().add(wanted, rule);
    }

    fn add_pattern(&mut self, pattern: &Pattern, wanted: u64, rule: usize) {
        match pattern {
            Pattern::Exact(id) => self.add_name(id, wanted, rule),
            Pattern::Below(prefix) => self.below.entry(prefix.clone()).or_default().add(wanted, rule),
        }
    }

    fn collect<'a>(&self, names: impl Iterator<Item = &'a str>, known: u64, found: &mut Vec<usize>) {
        if self.is_empty() {
            return;
        }
        for name in names {
            if let Some(bucket) = self.exact.get(name) {
                bucket.collect(known, found);
            }
            if !self.below.is_empty() {
                for bucket in prefixes(name).filter_map(|prefix| self.below.get(prefix)) {
                    bucket.collect(known, found);
                }
            }
        }
    }
}

/// Every rule once: under the key that tells it apart best, or among those that name nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    actions: Buckets,
    stable_ids: Buckets,
    routes: Buckets,
    scopes: Buckets,
    workflows: Buckets,
    principals: Buckets,
    roles: Buckets,
    principal_roles: Buckets,
    rest: Bucket,
}

impl Index {
    /// Adds a rule.
    pub(crate) fn add(&mut self, rule: usize, matcher: &Matcher) {
        let wanted = matcher.wanted.bits;
        let (buckets, names) = match matcher.selective() {
            Selective::Actions(patterns) => return patterns_into(&mut self.actions, patterns, wanted, rule),
            Selective::Routes(patterns) => return patterns_into(&mut self.routes, patterns, wanted, rule),
            Selective::Roles(roles) => {
                for role in roles {
                    self.roles.add_name(role.as_str(), wanted, rule);
                }
                return;
            }
            Selective::Nothing => return self.rest.add(wanted, rule),
            Selective::StableIds(names) => (&mut self.stable_ids, names),
            Selective::Scopes(names) => (&mut self.scopes, names),
            Selective::Workflows(names) => (&mut self.workflows, names),
            Selective::Principals(names) => (&mut self.principals, names),
            Selective::PrincipalRoles(names) => (&mut self.principal_roles, names),
        };
        for name in names {
            buckets.add_name(name, wanted, rule);
        }
    }

    /// The rules that may match, each once, in their order.
    pub(crate) fn candidates(&self, facts: &Facts<'_>) -> Vec<usize> {
        let known = facts.all.bits;
        let principal = &facts.request.principal;
        let roles = principal.roles.iter().flatten();
        let mut found = Vec::new();
        self.actions.collect(std::iter::once(facts.request.action_id.as_str()), known, &mut found);
        self.stable_ids.collect(facts.stable_ids.iter(), known, &mut found);
        self.routes.collect(facts.routes.iter(), known, &mut found);
        self.scopes.collect(facts.scopes.iter(), known, &mut found);
        self.workflows.collect(facts.workflows.iter(), known, &mut found);
        self.principals.collect(std::iter::once(principal.id.as_str()), known, &mut found);
        self.roles.collect(facts.roles.iter().flatten().map(|role| role.as_str()), known, &mut found);
        self.principal_roles.collect(roles.map(CompactString::as_str), known, &mut found);
        self.rest.collect(known, &mut found);
        found.sort_unstable();
        // Two names of a rule may both be known.
        found.dedup();
        found
    }
}

fn patterns_into(buckets: &mut Buckets, patterns: &[Pattern], wanted: u64, rule: usize) {
    for pattern in patterns {
        buckets.add_pattern(pattern, wanted, rule);
    }
}
