//! Versions and version ranges as manifests write them. Spec: siblings Part B, "Semver-like ranges".
//!
//! Our own reader, because both public ones differ from the rules here: a space is AND, `||` is OR, a two-part
//! version is filled with zero, and a mistake must be shown at its token.

mod range;
mod version;

pub use range::{Range, RangeError};
pub use version::Version;
