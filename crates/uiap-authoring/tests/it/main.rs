//! The compiler as its callers see it: packages in, bundles and findings out.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail loudly")]

mod bundle;
mod discovery;
mod gates;
mod imports;
mod locales;
mod merging;
mod order;
mod overlays;
mod package;
mod references;
mod release;
mod review;
mod support;
mod videoland;
