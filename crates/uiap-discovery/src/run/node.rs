//! A state as the explorer remembers it: how to get there, and what was seen of it. What it shows stays in the store.

use std::collections::{BTreeMap, BTreeSet};

use compact_str::CompactString;
use serde::{Deserialize, Serialize};
use uiap_model::capability::ActionDescriptor;
use uiap_model::discovery::DiscoverySeed;

use crate::ground::Step;
use crate::record::AxFact;

/// Other addresses that are remembered.
const MOST_URLS: usize = 5;

/// A state and the ways to it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Node {
    pub(crate) state_id: CompactString,
    pub(crate) fingerprint: CompactString,
    pub(crate) url: String,
    pub(crate) other_urls: BTreeSet<String>,
    pub(crate) title: String,
    pub(crate) seed: Option<DiscoverySeed>,
    pub(crate) screenshot: Option<String>,
    pub(crate) visits: u32,
    /// How each profile gets there.
    pub(crate) via: BTreeMap<CompactString, Via>,
    /// Whether its address alone leads to it; not known before somebody tried.
    pub(crate) deep: Option<bool>,
    /// What budgets are counted by.
    pub(crate) route: CompactString,
    /// Why nothing is tried from here.
    pub(crate) closed: Option<String>,
}

/// How a profile gets to a state.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Via {
    pub(crate) start: Start,
    pub(crate) depth: u32,
}

/// Where a way begins, or goes on from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Start {
    /// An address.
    Url(String),
    /// Something done in another state.
    Step {
        from: usize,
        step: Box<Step>,
        transition_id: CompactString,
        /// Whether it must not be done twice, so that no way leads over it.
        #[serde(default)]
        once: bool,
    },
}

/// What is kept of a state beside its graph.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Details {
    pub(crate) accessibility: Option<Vec<AxFact>>,
    pub(crate) actions: Vec<ActionDescriptor>,
}

/// A way to a state: an address, then what is done there.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) url: String,
    /// Whether it is the state's own address that is tried.
    pub(crate) is_deep: bool,
    /// The fingerprint that is expected at the address.
    pub(crate) first: CompactString,
    pub(crate) legs: Vec<Leg>,
}

/// One step of a way.
#[derive(Clone, Debug)]
pub(crate) struct Leg {
    pub(crate) step: Step,
    pub(crate) transition_id: CompactString,
    /// The fingerprint that is expected afterwards.
    pub(crate) then: CompactString,
}

impl Node {
    /// How far it is from a seed.
    pub(crate) fn depth(&self) -> u32 {
        self.via.values().map(|via| via.depth).min().unwrap_or_default()
    }

    /// It was seen again.
    pub(crate) fn seen_at(&mut self, url: &str) {
        self.visits += 1;
        if url != self.url && self.other_urls.len() < MOST_URLS {
            self.other_urls.insert(url.to_owned());
        }
    }
}

/// The ways to a state, the quickest first: its own address where that may do, the nearest state with an address and from there
/// step by step, the whole way from a seed.
pub(crate) fn ways(nodes: &[Node], target: usize, profile: &str) -> Vec<Way> {
    let Some(node) = nodes.get(target) else { return Vec::new() };
    let is_seed = matches!(node.via.get(profile).map(|via| &via.start), Some(Start::Url(_)));
    let deep = (!is_seed && node.deep != Some(false) && leads_elsewhere(nodes, node, profile)).then(|| Way {
        url: node.url.clone(),
        is_deep: true,
        first: node.fingerprint.clone(),
        legs: Vec::new(),
    });
    let quick = walk(nodes, target, profile, true);
    let whole = walk(nodes, target, profile, false);
    let same = matches!((&quick, &whole), (Some(a), Some(b)) if a.legs.len() == b.legs.len());
    // From within its page a state is nearer than from its address.
    let near = quick.as_ref().is_some_and(|way| way.legs.len() == 1 && place(&way.url) == place(&node.url));
    let mut ways: Vec<Way> = quick.into_iter().chain(whole.filter(|_| !same)).collect();
    if let Some(deep) = deep {
        ways.insert(if near { ways.len() } else { 0 }, deep);
    }
    ways
}

/// An address without what only says how its page is shown.
fn place(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

/// Whether the state has another address than the one that it was reached from.
fn leads_elsewhere(nodes: &[Node], node: &Node, profile: &str) -> bool {
    match node.via.get(profile).map(|via| &via.start) {
        Some(Start::Step { from, .. }) => nodes.get(*from).is_none_or(|from| from.url != node.url),
        _ => true,
    }
}

fn walk(nodes: &[Node], target: usize, profile: &str, shortcuts: bool) -> Option<Way> {
    let mut legs = Vec::new();
    let mut at = target;
    // A way never passes a state twice; the bound is for a store that somebody else wrote.
    for _ in 0..=nodes.len() {
        let node = nodes.get(at)?;
        let via = node.via.get(profile).or_else(|| node.via.values().next())?;
        if shortcuts && at != target && node.deep == Some(true) {
            legs.reverse();
            return Some(Way {
                url: node.url.clone(),
                is_deep: false,
                first: node.fingerprint.clone(),
                legs,
            });
        }
        match &via.start {
            Start::Url(url) => {
                legs.reverse();
                return Some(Way { url: url.clone(), is_deep: false, first: node.fingerprint.clone(), legs });
            }
            Start::Step { once: true, .. } => return None,
            Start::Step { from, step, transition_id, .. } => {
                legs.push(Leg {
                    step: (**step).clone(),
                    transition_id: transition_id.clone(),
                    then: node.fingerprint.clone(),
                });
                at = *from;
            }
        }
    }
    None
}
