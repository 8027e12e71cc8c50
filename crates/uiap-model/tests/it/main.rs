//! Behaviour of the wire model, one file for each part of the protocol.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests fail by panicking and say what they skip"
)]

mod actions;
mod bad_input;
mod capability_document;
mod capability_meaning;
mod capability_vocabulary;
mod corpus;
mod delta;
mod envelope;
mod negotiation;
mod round_trip;
mod schema_agreement;
mod sessions;
mod signals;
mod specification;
mod support;
mod workflows;
