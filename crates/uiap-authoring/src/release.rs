//! What leaves the build: bundles that are whole, on disk all at once or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde_json::Value;
use uiap_model::shape::Strictness;

use crate::build::Bundle;
use crate::diagnostic::Severity;
use crate::fit;
use crate::source::{Format, Limits, Node, SourceDoc, SourceFile, parse_source};
use crate::tree::{At, write_canonical_without};

/// Why a bundle is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// Not JSON.
    #[error("the bundle is no JSON: {0}")]
    NotJson(String),
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

/// A bundle as a tree, whole and with the right digest.
#[derive(Debug)]
pub struct BundleDoc {
    doc: SourceDoc,
}

impl BundleDoc {
    /// The top of the tree.
    pub fn root(&self) -> Node<'_> {
        self.doc.root()
    }

    /// A text of the bundle by pointer.
    pub fn text(&self, pointer: &str) -> Option<&str> {
        self.doc.pointer(pointer)?.as_str()
    }

    pub(crate) fn of_value(value: &Value) -> Result<Self, BundleError> {
        Self::parse(value.to_string())
    }

    pub(crate) fn parse(text: String) -> Result<Self, BundleError> {
        let file = SourceFile::with_format("bundle", text, Format::Json);
        let limits = Limits { max_bytes: u32::MAX, ..Limits::DEFAULT };
        let parsed = parse_source(&file, &limits);
        let fault = parsed.diagnostics.iter().find(|found| found.severity == Severity::Error);
        if let Some(fault) = fault {
            let at = file.position(fault.primary.span.start);
            return Err(BundleError::NotJson(format!(
                "{} in line {}, column {}",
                fault.message, at.line, at.column
            )));
        }
        parsed.doc.map(|doc| Self { doc }).ok_or_else(|| BundleError::NotJson("it is empty".to_owned()))
    }
}

/// Checks the form and the digest of a bundle.
pub fn open_bundle(bytes: &[u8]) -> Result<BundleDoc, BundleError> {
    let text = std::str::from_utf8(bytes).map_err(|error| BundleError::NotJson(error.to_string()))?;
    let manifest =
        || BundleError::NotABundle("it is an authoring manifest; build its package first".to_owned());
    let is_yaml = text.lines().take(40).any(|line| line.starts_with("apiVersion:"));
    let bundle =
        BundleDoc::parse(text.to_owned()).map_err(|error| if is_yaml { manifest() } else { error })?;
    if bundle.root().get("apiVersion").is_some() {
        return Err(manifest());
    }
    if let Some(kind) = uiap_model::document::kind("UIAPCompiledBundle")
        && let Some(problem) = fit::problems(bundle.root(), (kind.shape)(), Strictness::Wire).first()
    {
        let place = if problem.pointer.is_empty() { "its root" } else { &problem.pointer };
        return Err(BundleError::NotABundle(format!("{} at {place}", problem.message)));
    }
    let stated = bundle.text("/digest").ok_or(BundleError::NoDigest)?;
    let mut plain = Vec::with_capacity(bytes.len());
    write_canonical_without(At::Node(bundle.root()), &["digest"], &mut plain);
    let found = uiap_model::digest::sha256(&plain);
    if found.as_str() != stated {
        return Err(BundleError::WrongDigest { stated: stated.to_owned(), found: found.to_string() });
    }
    Ok(bundle)
}

/// Checks the form and the digest of a bundle and hands it back as JSON.
pub fn verify_bundle(bytes: &[u8]) -> Result<Value, BundleError> {
    Ok(open_bundle(bytes)?.root().to_value())
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
