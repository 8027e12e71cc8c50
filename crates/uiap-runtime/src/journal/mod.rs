//! What a crash must not make forgotten: which actions were asked for, which were sent, how they ended.
//!
//! - [`Journal`]: one file of SQLite per app. It answers a repeated request out of what it knows, and after a crash it says of
//!   every action that was under way whether it changed anything.
//! - [`Stage`] and [`outcome`]: how far an action came, and what follows from that.
//! - [`AuditFile`]: the audit chain as lines of a file.
//!
//! # What may be relied on
//! - A record of `dispatching` is on the disk before [`Journal::dispatching`] returns, unless the action is idempotent. Whoever sends
//!   input only after that can tell from the journal what cannot have happened.
//! - A key means one request for good: the same request gets the first answer, another one is refused. Both outlive a restart.
//! - One process at a time: a second one that opens the file is told that it is locked.

mod audit_file;
mod entry;
mod error;
mod interrupted;
mod private;
mod stage;
mod store;

pub use audit_file::{AuditFile, AuditFileError};
pub use entry::{Begin, NewAction};
pub use error::{Fault as JournalFault, JournalError};
pub use interrupted::Interrupted;
pub use stage::{CrashOutcome, Stage, outcome};
pub use store::{Journal, JournalLimits};
