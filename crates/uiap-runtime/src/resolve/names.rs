//! How well two names agree.

/// 1 for the same words, a little less for another case, less for a part, 0 for something else.
pub(super) fn agreement(wanted: &str, found: &str) -> f64 {
    let (wanted, found) = (plain(wanted), plain(found));
    if wanted == found {
        return 1.0;
    }
    let (wanted, found) = (wanted.to_lowercase(), found.to_lowercase());
    if wanted == found {
        0.95
    } else if !wanted.is_empty() && is_part(&found, &wanted) {
        0.6
    } else {
        0.0
    }
}

/// Words without the white space around and between them.
pub(super) fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether some words occur in others as whole words.
fn is_part(text: &str, part: &str) -> bool {
    let edge = |each: Option<char>| each.is_none_or(|each| !each.is_alphanumeric());
    text.match_indices(part).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + part.len()..).and_then(|after| after.chars().next());
        edge(before) && edge(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_agree_by_their_words() {
        assert!((agreement("Save  draft", " Save draft") - 1.0).abs() < 1e-9);
        assert!((agreement("save draft", "Save draft") - 0.95).abs() < 1e-9);
        assert!((agreement("Save", "Save draft") - 0.6).abs() < 1e-9);
        assert!(agreement("Save", "Saved").abs() < 1e-9);
        assert!(agreement("", "Save").abs() < 1e-9);
    }
}
