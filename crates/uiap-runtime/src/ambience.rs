//! What changes in a page by itself: clocks, counters, advertisements. Such a change proves nothing about an action.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use tokio::time::Instant;
use uiap_model::names::{ElementInstanceId, ScopeId};

use crate::surface::Seen;

/// How far back restlessness is remembered.
const MEMORY: Duration = Duration::from_secs(10);
/// Nothing moved for so long.
const CALM: Duration = Duration::from_secs(2);
/// A page must be watched for so long before it can be called calm.
const WATCHED: Duration = Duration::from_millis(250);
/// So many changes by itself make something restless.
const RESTLESS: usize = 2;
/// Things whose past is remembered.
const MOST: usize = 2_000;

/// The restlessness of a page.
#[derive(Clone, Debug)]
pub struct Ambience {
    since: Instant,
    elements: HashMap<ElementInstanceId, Times>,
    /// Scopes in which elements come and go.
    scopes: HashMap<ScopeId, Times>,
    acting: bool,
}

type Times = VecDeque<Instant>;

impl Ambience {
    pub(crate) fn new(now: Instant) -> Self {
        Self { since: now, elements: HashMap::new(), scopes: HashMap::new(), acting: false }
    }

    pub(crate) fn acting(&mut self, acting: bool) {
        self.acting = acting;
    }

    pub(crate) fn note(&mut self, seen: &Seen, at: Instant) {
        if seen.is_fresh {
            *self = Self { acting: self.acting, ..Self::new(at) };
            return;
        }
        if self.acting {
            return;
        }
        for touched in &seen.elements {
            match (&touched.before, &touched.after) {
                (Some(_), Some(after)) => remember(&mut self.elements, after.instance_id.clone(), at),
                (Some(only), None) | (None, Some(only)) => {
                    if let Some(scope) = home(seen, &only.instance_id) {
                        remember(&mut self.scopes, scope, at);
                    }
                }
                (None, None) => {}
            }
        }
        for touched in &seen.scopes {
            if let Some(scope) = touched.after.as_ref().or(touched.before.as_ref()) {
                remember(&mut self.scopes, scope.id.clone(), at);
            }
        }
    }

    /// Whether an element changes by itself.
    pub fn is_restless(&self, element: &ElementInstanceId, now: Instant) -> bool {
        self.elements.get(element).is_some_and(|times| recent(times, now) >= RESTLESS)
    }

    /// Whether elements come and go in a scope by themselves.
    pub fn is_restless_scope(&self, scope: &ScopeId, now: Instant) -> bool {
        self.scopes.get(scope).is_some_and(|times| recent(times, now) >= RESTLESS)
    }

    /// Whether the page has been watched for a while, and nothing moved by itself.
    pub fn is_calm(&self, now: Instant) -> bool {
        let still = |times: &Times| times.back().is_none_or(|last| now.duration_since(*last) >= CALM);
        now.duration_since(self.since) >= WATCHED
            && self.elements.values().all(still)
            && self.scopes.values().all(still)
    }
}

fn recent(times: &Times, now: Instant) -> usize {
    times.iter().filter(|at| now.duration_since(**at) < MEMORY).count()
}

fn remember<K: std::hash::Hash + Eq>(past: &mut HashMap<K, Times>, key: K, at: Instant) {
    if past.len() >= MOST && !past.contains_key(&key) {
        past.retain(|_, times| times.back().is_some_and(|last| at.duration_since(*last) < MEMORY));
        if past.len() >= MOST {
            return;
        }
    }
    let times = past.entry(key).or_default();
    times.push_back(at);
    if times.len() > RESTLESS {
        times.pop_front();
    }
}

/// The scope in which an element is.
fn home(seen: &Seen, id: &ElementInstanceId) -> Option<ScopeId> {
    let mut places = seen.graph.elements();
    places.find(|(_, _, element)| element.instance_id == *id).map(|(_, scope, _)| scope.id.clone())
}
