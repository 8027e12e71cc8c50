//! Sessions, doors and gates, tested from outside.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail loudly"
)]

mod discovering;
mod doors;
mod exchange;
mod fake;
mod gates;
mod handshake;
mod hosts;
mod live;
mod observing;
mod peer;
mod posts;
mod sessions;
mod sockets;
mod wire;
