//! Signals: what a page tells by itself, from three sources that are kept apart until they are merged.
//!
//! - [`mod@derive`] compares two revisions of the graph: routes, toasts, dialogs, validation, focus, busy, collections.
//! - [`told`] reads what the application sent. It can say what happened to its own things and nothing else.
//! - [`browser`] translates what the browser reports: answers, errors, dialogs, downloads, popups, crashes, permissions
//!   that were asked for.
//!
//! [`merge`] puts them into one order: a signal comes before the revision that contains its change. [`stream`] is that order for
//! a live page.

pub mod browser;
pub mod derive;
mod memory;
pub mod merge;
mod permission;
pub mod stream;
pub mod told;
pub mod watch;

pub use self::merge::{Merger, Observed};
pub use self::stream::SignalStream;
pub use self::watch::{Report, Watch, WatchOptions};
