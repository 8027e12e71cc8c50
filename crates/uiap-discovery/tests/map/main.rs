//! What is made of a run: fingerprints, judgements, catalogues, comparisons.
#![expect(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests fail loudly"
)]

mod audit;
mod bridged;
mod compare;
mod derive;
mod fingerprint;
mod graph;
mod locate;
mod menu;
mod record;
mod reference;
mod review;
mod safety;
mod shape;
mod signal;
mod structure;
mod written;
