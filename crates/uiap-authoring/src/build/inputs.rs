//! The files behind a build, with digests that do not depend on line endings.

use serde::Serialize;

use crate::source::SourceFile;

/// One file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Input {
    /// Package and version for an import, else empty.
    pub package: String,
    /// Path inside its package.
    pub path: String,
    /// `sha256:…` of the text with plain line feeds and no byte order mark.
    pub digest: String,
}

/// The digest of a text; Windows line endings and a byte order mark do not count.
pub(crate) fn text_digest(file: &SourceFile) -> String {
    let text = file.text().strip_prefix('\u{feff}').unwrap_or(file.text());
    if text.contains('\r') {
        return uiap_model::digest::sha256(text.replace("\r\n", "\n").as_bytes()).to_string();
    }
    uiap_model::digest::sha256(text.as_bytes()).to_string()
}
