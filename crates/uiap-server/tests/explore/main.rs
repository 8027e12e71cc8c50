//! Discovery in a real browser: Videoland, judged by its own back end, and pages that go wrong.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test says what it expects"
)]

mod access;
mod bridges;
mod chaos;
mod declared;
mod evidence;
mod frames;
mod harness;
mod held;
mod privacy;
mod published;
mod sandbox;
mod served;
mod speech;
mod supplies;
mod truth;
mod undone;
mod untouched;
mod videoland;
mod wrong;
