//! What a surface in memory can show of the runtime: actions from request to result, and pages as text.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::items_after_statements,
    clippy::float_cmp,
    clippy::semicolon_if_nothing_returned,
    reason = "tests fail by panicking"
)]

mod action;
mod graph;
mod scene;
mod scripted;
mod text;
