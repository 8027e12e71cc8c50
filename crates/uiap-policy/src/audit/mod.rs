//! What is written down: records in a chain, each sealed by the digest of the one before.

mod chain;
mod lines;
mod record;

pub use chain::{BrokenLink, Fault, Head, verify};
pub use lines::{Chain, read_lines};
pub use record::{AuditDraft, AuditTrail, SealedRecord};
