//! The compiler as its callers see it: packages in, bundles and findings out.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod archive;
mod bundle;
mod cache;
mod determinism;
mod discovery;
mod explain;
mod fmt;
mod gates;
mod hostile;
mod imports;
mod locales;
mod merging;
mod metadata;
mod mutations;
mod order;
mod overlays;
mod package;
mod references;
mod release;
mod review;
mod support;
mod videoland;
