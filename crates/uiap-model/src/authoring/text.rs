//! Text before the build: written out, or a reference into a locale pack.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::workflow::text::Translations;

/// A key of a locale pack, `namespace.key`.
#[wire]
pub struct TextReference {
    pub r#ref: CompactString,
    pub fallback: Option<CompactString>,
}

/// Text as it is authored.
#[wire(untagged)]
pub enum AuthoredText {
    Plain(CompactString),
    Translated(Translations),
    Reference(TextReference),
}
