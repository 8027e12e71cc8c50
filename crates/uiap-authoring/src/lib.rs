//! Manifests in, one reproducible bundle out.
//!
//! # Map
//! - [`source`]: text (JSON or YAML 1.2) to a tree that remembers where every key and value stands.
//! - [`contract`]: source trees as the wire model's inspector sees them, its problems as diagnostics.
//! - [`diagnostic`]: what went wrong, as data with stable codes; the renderers live below it.
//! - [`files`]: where the files of a package come from (folder, archive, memory), and registries of published versions.
//! - [`build`](mod@build): the ten steps, one file each, in the specification's order; `tree` below it is the
//!   edit layer over source trees, with the canonical writer.
//! - [`lock`], [`semver`], [`instant`]: what the steps need to decide the same thing everywhere.
//! - [`release`], [`diff`], [`publish`](mod@publish), [`init`]: what comes after a build, and before the first one.
//!
//! Entry points: [`build::build()`], [`build::Cache`], [`diff::diff_bundles`], [`publish::publish`], [`init::scaffold`],
//! [`source::parse_source`], [`diagnostic::render`].
//!
//! # What this crate never does
//! - It has no asynchronous runtime and starts no browser.
//! - It opens no socket: everything it reads is a local file that the caller named.
//! - It never runs what it reads: no tags that build objects, no includes, no expressions.
//! - It never panics on input and never stops at the first mistake when it can tell a second one apart.

pub mod build;
pub mod contract;
pub mod diagnostic;
pub mod diff;
pub mod files;
mod fit;
pub mod fmt;
pub mod import;
pub mod init;
pub mod instant;
pub mod lock;
pub mod publish;
pub mod release;
pub mod semver;
pub mod source;

mod tree;
