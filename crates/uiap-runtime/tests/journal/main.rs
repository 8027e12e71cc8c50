//! The journal on real files: keys, faults of the file, processes that are killed, the audit chain.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that meets something unexpected shall fail"
)]

mod audit_file;
mod faults;
mod keys;
mod kills;
mod support;
