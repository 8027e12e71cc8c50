//! What one scout does without starting anew: states that are reached from the same address, and what is to be done in each. A tour
//! is planned before anybody sets out, so that what is found does not depend on who goes and when.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use compact_str::CompactString;

use super::node::Way;
use crate::ground::{Step, Traffic};

/// Into so many tours a batch is cut, as far as they do not get too short or too long: what is found does not depend on how many
/// scouts there are.
const TOURS: usize = 8;
/// The least and the most to do in one tour.
const LENGTH: std::ops::RangeInclusive<usize> = 3..=8;

/// Stops with one beginning.
#[derive(Clone, Debug)]
pub(crate) struct Tour {
    pub(crate) profile: CompactString,
    pub(crate) stops: Vec<Stop>,
    pub(crate) idle: Arc<BTreeSet<Traffic>>,
}

/// A state, and things to do there one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    /// Ways to the state, the first that works is taken; for an address to open, ways to where its profile came in.
    pub(crate) ways: Vec<Way>,
    pub(crate) errands: Vec<Errand>,
}

/// One thing to do.
#[derive(Clone, Debug)]
pub(crate) struct Errand {
    pub(crate) number: u64,
    pub(crate) task: Task,
}

/// What is to be done.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// Open an address.
    Open(String),
    /// Do something in the state.
    Do { step: Box<Step>, once: bool },
}

impl Tour {
    /// A tour that opens one address; `home` leads to where the profile came in.
    pub(crate) fn opening(
        profile: &CompactString,
        number: u64,
        url: String,
        home: &[Way],
        idle: &Arc<BTreeSet<Traffic>>,
    ) -> Self {
        let stop = Stop { ways: home.to_vec(), errands: vec![Errand { number, task: Task::Open(url) }] };
        Self { profile: profile.clone(), stops: vec![stop], idle: Arc::clone(idle) }
    }

    /// The address at which it begins.
    pub(crate) fn start(&self) -> Option<&str> {
        let stop = self.stops.first()?;
        match stop.errands.first().map(|errand| &errand.task) {
            Some(Task::Open(url)) => Some(url),
            _ => stop.ways.first().map(|way| way.url.as_str()),
        }
    }

    /// How much there is to do.
    pub(crate) fn len(&self) -> usize {
        self.stops.iter().map(|stop| stop.errands.len()).sum()
    }
}

/// Puts stops together that begin at the same address. What lies over a state follows it, so that nobody has to come back.
pub(crate) fn plan(profile: &CompactString, stops: Vec<Stop>, idle: &Arc<BTreeSet<Traffic>>) -> Vec<Tour> {
    let all: usize = stops.iter().map(|stop| stop.errands.len()).sum();
    let most = (all / TOURS).clamp(*LENGTH.start(), *LENGTH.end());
    let mut order = Vec::new();
    let mut by_start: HashMap<(String, CompactString, bool), Vec<Stop>> = HashMap::new();
    for stop in stops {
        let start = match stop.ways.first() {
            Some(way) => (way.url.clone(), way.first.clone(), stop.is_sealed()),
            None => (String::new(), CompactString::default(), stop.is_sealed()),
        };
        let known = by_start.entry(start.clone()).or_insert_with(|| {
            order.push(start);
            Vec::new()
        });
        known.push(stop);
    }
    let mut tours = Vec::new();
    for start in order {
        let mut stops = by_start.remove(&start).unwrap_or_default();
        stops.sort_by_cached_key(Stop::path);
        for stops in portions(stops, most) {
            tours.push(Tour { profile: profile.clone(), stops, idle: Arc::clone(idle) });
        }
    }
    tours
}

/// Cuts stops where they are too much for one tour.
fn portions(stops: Vec<Stop>, most: usize) -> Vec<Vec<Stop>> {
    let mut portions: Vec<Vec<Stop>> = Vec::new();
    let mut room = 0;
    for Stop { ways, mut errands } in stops {
        while !errands.is_empty() {
            if room == 0 {
                portions.push(Vec::new());
                room = most;
            }
            let rest = errands.split_off(errands.len().min(room));
            room -= errands.len();
            if let Some(portion) = portions.last_mut() {
                portion.push(Stop { ways: ways.clone(), errands });
            }
            errands = rest;
        }
    }
    portions
}

impl Stop {
    /// What is tried where nothing can come of it needs a place of its own.
    fn is_sealed(&self) -> bool {
        self.errands.iter().any(|errand| matches!(&errand.task, Task::Do { step, .. } if step.sealed))
    }

    fn path(&self) -> Vec<CompactString> {
        let legs = self.ways.first().into_iter().flat_map(|way| &way.legs);
        legs.map(|leg| leg.transition_id.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::Leg;
    use super::*;
    use crate::ground::Deed;

    fn stop(url: &str, legs: &[&str], numbers: std::ops::Range<u64>) -> Stop {
        let step = Step { deed: Deed::Activate, aim: None, sealed: false, drafts: Vec::new() };
        let leg = |id: &&str| Leg {
            step: step.clone(),
            transition_id: (*id).into(),
            then: CompactString::default(),
        };
        let way = Way {
            url: url.to_owned(),
            is_deep: false,
            first: CompactString::default(),
            legs: legs.iter().map(leg).collect(),
        };
        let errand = |number| Errand { number, task: Task::Do { step: Box::new(step.clone()), once: false } };
        Stop { ways: vec![way], errands: numbers.map(errand).collect() }
    }

    fn planned(stops: Vec<Stop>) -> Vec<Vec<u64>> {
        let tours = plan(&"default".into(), stops, &Arc::default());
        let numbers =
            |tour: &Tour| tour.stops.iter().flat_map(|stop| &stop.errands).map(|each| each.number).collect();
        tours.iter().map(numbers).collect()
    }

    #[test]
    fn what_lies_over_a_page_is_visited_with_the_page() {
        let stops = vec![
            stop("/a", &["menu"], 0..2),
            stop("/b", &[], 2..3),
            stop("/a", &[], 3..5),
            stop("/a", &["menu", "more"], 5..6),
            stop("/a", &["dialog"], 6..7),
        ];
        assert_eq!(planned(stops), [vec![3, 4, 6], vec![0, 1, 5], vec![2]]);
    }

    #[test]
    fn no_tour_is_longer_than_others() {
        let tours = planned(vec![stop("/a", &[], 0..50), stop("/a", &["menu"], 50..66)]);
        assert_eq!(tours.iter().map(Vec::len).collect::<Vec<_>>(), [8, 8, 8, 8, 8, 8, 8, 8, 2]);
        assert_eq!(tours.concat(), (0..66).collect::<Vec<_>>());
        assert_eq!(planned(vec![stop("/a", &[], 0..7)]).len(), 3, "little is shared too");
    }
}
