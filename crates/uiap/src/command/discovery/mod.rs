//! Commands that map an app, and what they share.

pub(crate) mod compare;
pub(crate) mod discover;
mod explain;
pub(crate) mod folder;
mod progress;
pub(crate) mod report;
mod sources;
