//! What an id may look like. Decision D32.

use super::finding::at_value;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::tree::At;

/// Longest id in bytes.
const MAX: usize = 128;

/// What is wrong with an id, if anything. Generated scope ids start with `~`.
pub(crate) fn fault(id: &str) -> Option<&'static str> {
    let body = id.strip_prefix('~').unwrap_or(id);
    if id.is_empty() {
        Some("an id must not be empty")
    } else if id.len() > MAX {
        Some("an id has at most 128 bytes")
    } else if id.contains(':') {
        Some("`:` separates the alias of an import from a manifest id, so an id cannot contain it")
    } else if !body.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        Some("an id starts with a letter or a digit")
    } else if !body.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b)) {
        Some("an id consists of letters, digits, `.`, `_` and `-`")
    } else {
        None
    }
}

/// What to say about an id that breaks the rule.
pub(crate) fn finding(id: At<'_>) -> Option<Diagnostic> {
    let text = id.as_str()?;
    let rule = fault(text)?;
    let shown: String = text.escape_debug().take(60).collect();
    Some(at_value(codes::BAD_ID, id, format!("`{shown}` cannot be an id")).help(rule))
}

/// Reports an id that breaks the rule.
pub(crate) fn check(id: At<'_>, diagnostics: &mut Diagnostics) {
    diagnostics.extend(finding(id));
}

#[cfg(test)]
mod tests {
    use super::fault;

    /// Case: AUTH-044
    #[test]
    fn ids_are_plain_words_without_hidden_characters() {
        for good in ["video.create", "x.acme.card", "~scope1", "A-1_b"] {
            assert_eq!(fault(good), None, "{good}");
        }
        for bad in ["", "a:b", ".a", "a b", "vid\u{200b}eo", "\u{202e}a", "é"] {
            assert!(fault(bad).is_some(), "{bad}");
        }
        assert!(fault(&"a".repeat(129)).is_some());
    }
}
