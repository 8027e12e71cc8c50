//! How a place came to where it stands: an address and the steps from it, each with the page as it was seen then. Whoever stands on a
//! trail need not begin at the address again.

use std::sync::Arc;

use compact_str::CompactString;
use uiap_model::web::PageGraph;

use super::compare::likeness;
use super::node::{Leg, Way};
use crate::ground::Step;

/// A page on the trail.
#[derive(Clone)]
pub(super) struct Home {
    pub(super) graph: Arc<PageGraph>,
    pub(super) likeness: u64,
}

impl Home {
    fn new(graph: Arc<PageGraph>) -> Self {
        let likeness = likeness(&graph);
        Self { graph, likeness }
    }
}

/// Where a place stands.
enum Stands {
    /// On a page of the trail: the one at the address is the first.
    On(usize),
    /// Where a step led that was done on a page of the trail.
    Beside { level: usize, step: Box<Step>, after: Arc<PageGraph> },
    /// Nobody knows.
    Lost,
}

/// What was done beside the trail, and where.
pub(super) struct Aside {
    pub(super) home: Home,
    pub(super) step: Box<Step>,
    pub(super) after: Arc<PageGraph>,
}

/// An address and the steps from it.
pub(super) struct Trail {
    url: String,
    /// The fingerprint of the page at the address.
    first: CompactString,
    /// The page at the address, then the page after each leg.
    homes: Vec<Home>,
    legs: Vec<Leg>,
    stands: Stands,
}

impl Trail {
    /// Begins at the address of a way.
    pub(super) fn begin(way: &Way, graph: Arc<PageGraph>) -> Self {
        Self {
            url: way.url.clone(),
            first: way.first.clone(),
            homes: vec![Home::new(graph)],
            legs: Vec::new(),
            stands: Stands::On(0),
        }
    }

    /// How many legs a way has in common with it; none when the way begins elsewhere.
    pub(super) fn shared(&self, way: &Way) -> Option<usize> {
        if self.url != way.url || self.first != way.first {
            return None;
        }
        let same = |(one, other): &(&Leg, &Leg)| one.transition_id == other.transition_id;
        Some(self.legs.iter().zip(&way.legs).take_while(same).count())
    }

    /// The page on which the place stands.
    pub(super) fn here(&self) -> Option<(usize, &Home)> {
        match self.stands {
            Stands::On(level) => self.homes.get(level).map(|home| (level, home)),
            Stands::Beside { .. } | Stands::Lost => None,
        }
    }

    /// What was done where it stands beside the trail.
    pub(super) fn aside(&self) -> Option<Aside> {
        let Stands::Beside { level, step, after } = &self.stands else { return None };
        let home = self.homes.get(*level)?.clone();
        Some(Aside { home, step: step.clone(), after: Arc::clone(after) })
    }

    /// The step that led to a page, the page before it and the page itself.
    pub(super) fn last_step(&self, level: usize) -> Option<Aside> {
        let before = level.checked_sub(1)?;
        let (leg, home, now) = (self.legs.get(before)?, self.homes.get(before)?, self.homes.get(level)?);
        let step = Box::new(leg.step.clone());
        Some(Aside { home: home.clone(), step, after: Arc::clone(&now.graph) })
    }

    /// A leg was gone from the page on which it stood.
    pub(super) fn advance(&mut self, leg: &Leg, graph: Arc<PageGraph>) {
        let Stands::On(level) = self.stands else { return };
        self.legs.truncate(level);
        self.homes.truncate(level + 1);
        self.legs.push(leg.clone());
        self.homes.push(Home::new(graph));
        self.stands = Stands::On(level + 1);
    }

    /// Something was done on the page on which it stood.
    pub(super) fn stray(&mut self, step: &Step, after: &Arc<PageGraph>) {
        self.stands = match self.stands {
            Stands::On(level) => {
                Stands::Beside { level, step: Box::new(step.clone()), after: Arc::clone(after) }
            }
            _ => Stands::Lost,
        };
    }

    /// Nobody knows where it stands.
    pub(super) fn lose(&mut self) {
        self.stands = Stands::Lost;
    }

    /// Stands on the page of the trail that is the same to the letter, if there is one; the nearest.
    pub(super) fn recognise(&mut self, graph: &Arc<PageGraph>) -> Option<usize> {
        let seen = likeness(graph);
        let level = self.homes.iter().rposition(|home| home.likeness == seen)?;
        // What is on the page may have been made anew: only the last look knows its ids.
        self.homes.get_mut(level)?.graph = Arc::clone(graph);
        self.stands = Stands::On(level);
        Some(level)
    }
}
