//! Why two states are two: which parts differ, and by what.

use std::collections::BTreeSet;

use serde::Serialize;

use super::parts::{Part, Parts};

/// One aspect in which two states differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartDifference {
    /// Which.
    pub part: Part,
    /// What only the first has.
    pub only_first: Vec<String>,
    /// What only the second has.
    pub only_second: Vec<String>,
}

/// Compares what two fingerprints were made of; empty when the states are one.
pub fn explain(first: &Parts, second: &Parts) -> Vec<PartDifference> {
    Part::ALL
        .into_iter()
        .filter_map(|part| {
            let one: BTreeSet<&str> = first.of(part).collect();
            let two: BTreeSet<&str> = second.of(part).collect();
            let lacks = |a: &BTreeSet<&str>, b: &BTreeSet<&str>| {
                a.difference(b).map(|fact| (*fact).to_owned()).collect::<Vec<_>>()
            };
            let difference =
                PartDifference { part, only_first: lacks(&one, &two), only_second: lacks(&two, &one) };
            (one != two).then_some(difference)
        })
        .collect()
}
