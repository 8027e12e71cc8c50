//! The binary as people and machines use it.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "tests fail by panicking"
)]

mod act;
mod audit;
mod canaries;
mod demo;
mod den;
mod discover;
mod discovery;
mod doctor;
mod frame;
mod killed;
mod killed_run;
mod mcp;
mod near_duplicates;
mod package;
mod policy;
mod sdk;
mod serve;
mod shell;
mod support;
mod topics;
mod validate;
mod watch;
mod web;
