//! What leaves the build: bundles that are whole, on disk all at once or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde_json::Value;

use crate::build::Bundle;

/// Why a bundle is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// Not JSON.
    #[error("the bundle is no JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    /// A manifest or something else.
    #[error("this is no compiled bundle: {0}")]
    NotABundle(String),
    /// No digest.
    #[error("the bundle has no digest")]
    NoDigest,
    /// Another digest than the content has.
    #[error("the bundle says `{stated}`, its content has `{found}`")]
    WrongDigest {
        /// What the bundle says.
        stated: String,
        /// What it is.
        found: String,
    },
}

/// Checks the form and the digest of a bundle and hands it back as JSON.
pub fn verify_bundle(bytes: &[u8]) -> Result<Value, BundleError> {
    let value: Value = serde_json::from_slice(bytes)?;
    let mut plain = value.clone();
    let stated = plain.as_object_mut().and_then(|members| members.remove("digest"));
    let Some(Value::String(stated)) = stated else {
        if value.get("apiVersion").is_some() {
            let hint = "it is an authoring manifest; build its package first".to_owned();
            return Err(BundleError::NotABundle(hint));
        }
        return Err(BundleError::NoDigest);
    };
    let found =
        uiap_model::digest::digest(&plain).map_err(|error| BundleError::NotABundle(error.to_string()))?;
    if found.as_str() != stated {
        return Err(BundleError::WrongDigest { stated, found: found.to_string() });
    }
    Ok(value)
}

/// Whether the bytes of a bundle in canonical form carry the digest of the rest; without parsing them.
pub(crate) fn is_sealed(bundle: &Bundle) -> bool {
    let member = format!(",\"digest\":\"{}\"", bundle.digest);
    let Some(at) = memchr::memmem::find(&bundle.bytes, member.as_bytes()) else { return false };
    let (before, rest) = bundle.bytes.split_at(at);
    let plain = [before, rest.get(member.len()..).unwrap_or_default()].concat();
    uiap_model::digest::sha256(&plain).as_str() == bundle.digest
}

/// Writes a file so that a reader sees the old or the new one, never a part: temporary file, then rename.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = folder.join(format!(".{name}.{}.tmp", std::process::id()));
    let result = File::create(&temporary)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, path));
    if result.is_err() {
        // The original error matters; a leftover temporary file does not.
        let _ = fs::remove_file(&temporary);
    }
    result
}

impl Bundle {
    /// Writes the bundle in one go.
    pub fn write_to(&self, path: &Path) -> io::Result<()> {
        write_atomically(path, &self.bytes)
    }
}
