//! Manifests in, one reproducible bundle out.
