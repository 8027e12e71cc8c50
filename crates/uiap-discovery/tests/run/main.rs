//! The engine on an app that is only a script: what it finds, in which order, within which bounds, whatever interrupts it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what it expects"
)]

mod bounds;
mod desk;
mod determinism;
mod life_cycle;
mod profiles;
mod readiness;
mod revisit;
mod safety;
mod script;
mod seeds;
mod sessions;
mod snapshot;
mod sources;
mod speed;
mod survival;
