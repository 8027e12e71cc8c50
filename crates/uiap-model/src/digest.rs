//! Canonical JSON (RFC 8785) and digests over it.

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::names::Digest;

/// A value that has no canonical form, such as a number that is not finite.
#[derive(Debug, thiserror::Error)]
#[error("no canonical form: {0}")]
pub struct CanonicalError(#[from] serde_json::Error);

/// The canonical form: members sorted, no white space, numbers in their shortest form.
pub fn canonical<T: Serialize>(value: &T) -> Result<Vec<u8>, CanonicalError> {
    Ok(serde_json_canonicalizer::to_vec(value)?)
}

/// `sha256:` and the hexadecimal digest of `bytes`.
pub fn sha256(bytes: &[u8]) -> Digest {
    use std::fmt::Write;
    let mut text = String::with_capacity(71);
    text.push_str("sha256:");
    for byte in Sha256::digest(bytes) {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    Digest::computed(text)
}

/// The digest of the canonical form.
pub fn digest<T: Serialize>(value: &T) -> Result<Digest, CanonicalError> {
    Ok(sha256(&canonical(value)?))
}
