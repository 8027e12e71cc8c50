//! Sessions, doors and gates, tested from outside.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail loudly"
)]

mod changing;
mod corpus;
mod discovering;
mod doors;
mod downloads;
mod durable;
mod exchange;
mod fake;
mod gates;
mod guide;
mod handshake;
mod hosts;
mod live;
mod observing;
mod operator;
mod peer;
mod people;
mod posts;
mod screen;
mod sessions;
mod sockets;
mod wire;
