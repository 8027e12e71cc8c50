//! Text in one or several languages.

use std::collections::BTreeMap;

use compact_str::CompactString;
use uiap_model_derive::wire;

/// Text with translations.
#[wire]
pub struct Translations {
    pub default: CompactString,
    pub by_locale: Option<BTreeMap<CompactString, CompactString>>,
}

/// Text for people. In files before the build it may be a reference into a locale pack.
#[wire(untagged, authored = crate::authoring::text::TextReference)]
pub enum LocalizedText {
    Plain(CompactString),
    Translated(Translations),
}
