//! What is captured of real pages, in a real Chromium that all tests of this file share.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests fail by panicking and tell on stderr, as tests do"
)]

mod agreement;
mod boundaries;
mod bundle;
mod elements;
mod hostile;
mod scopes;
mod secrets;
mod shared;
mod speed;
mod visibility;
mod wpt;
