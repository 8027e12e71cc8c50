//! Birth and death of a browser of our own: whatever ends it, or us, nothing of it stays.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests fail by panicking, as tests do"
)]

mod bystander;
mod ending;
mod kill_loop;
mod parent;
mod paused;
mod starting;
