//! Pages as text, refs, differences and search.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "tests fail by panicking"
)]

mod graph;
mod text;
