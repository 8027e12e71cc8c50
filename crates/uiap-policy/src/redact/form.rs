//! What is shown in place of a value.

use compact_str::CompactString;
use uiap_model::policy::RedactionMode;

/// Shown for what is masked; its length tells nothing.
const MASK: &str = "•••";

/// Values shorter than this would be given away by their first character.
const SHORTEST_PARTIAL: usize = 4;

/// The value in that mode; `None` when it is removed.
pub(super) fn cover(mode: RedactionMode, value: &str, salt: &[u8; 32]) -> Option<CompactString> {
    match mode {
        RedactionMode::None => Some(value.into()),
        RedactionMode::Partial => Some(partial(value)),
        RedactionMode::Mask => Some(MASK.into()),
        RedactionMode::Hash => Some(hash(value, salt)),
        RedactionMode::Remove => None,
    }
}

/// The first character and a class of length.
fn partial(value: &str) -> CompactString {
    let length = value.chars().count();
    let class = match length {
        0..=8 => "short",
        9..=32 => "medium",
        _ => "long",
    };
    let first = value.chars().next().filter(|_| length >= SHORTEST_PARTIAL);
    let first = first.map(String::from).unwrap_or_default();
    compact_str::format_compact!("{first}… ({class})")
}

/// Equal values of a session have equal hashes; the salt keeps others from trying out values.
fn hash(value: &str, salt: &[u8; 32]) -> CompactString {
    let mut bytes = salt.to_vec();
    bytes.extend_from_slice(value.as_bytes());
    let digest = uiap_model::digest::sha256(&bytes);
    let hex = digest.as_str().trim_start_matches("sha256:");
    compact_str::format_compact!("hash:{}", hex.get(..16).unwrap_or(hex))
}
