//! Sessions of agents as tools and clients see them: one pool, tabs, crashes, limits, answers, HTTP, and what it all costs a model.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod cost;
mod daemon;
mod http;
mod sessions;
mod site;
mod telling;
