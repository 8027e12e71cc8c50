//! The binary as people and machines use it.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod demo;
mod doctor;
mod frame;
mod support;
mod validate;
