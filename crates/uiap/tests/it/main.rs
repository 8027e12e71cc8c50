//! The binary as people and machines use it.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod demo;
mod doctor;
mod frame;
mod mcp;
mod package;
mod support;
mod validate;
mod watch;
mod web;
