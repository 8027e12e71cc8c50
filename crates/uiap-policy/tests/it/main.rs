//! What the policy promises, shown from outside.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "a test that meets something unexpected shall stop there"
)]

mod audit;
mod audit_lines;
mod canaries;
mod codes;
mod confirmation;
mod differential;
mod documents;
mod evaluation;
mod explanation;
mod grants;
mod handoff;
mod naive;
mod properties;
mod random;
mod redaction;
mod store;
mod support;
mod table;
mod vocabulary;
