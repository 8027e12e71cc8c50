//! What a program sees through a session, against a real Chromium that all tests of this file share.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking, as tests do"
)]

mod bulk;
mod connected;
mod drift;
mod failures;
mod frames;
mod interaction;
mod scripts;
mod shared;
mod site;
