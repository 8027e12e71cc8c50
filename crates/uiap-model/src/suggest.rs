//! "Did you mean": the nearest of the values that would have been right.

/// The candidate that `input` most probably meant, if one is near enough to be worth saying.
pub fn nearest<'c>(input: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let wanted = fold(input);
    let mut best: Option<(&str, usize)> = None;
    for candidate in candidates {
        let folded = fold(candidate);
        if folded == wanted && candidate != input {
            return Some(candidate);
        }
        let distance = strsim::damerau_levenshtein(&wanted, &folded);
        let reach = (wanted.chars().count().max(folded.chars().count()) / 3).clamp(1, 4);
        if distance <= reach && best.is_none_or(|(_, found)| distance < found) {
            best = Some((candidate, distance));
        }
    }
    best.map(|(candidate, _)| candidate)
}

/// Without case and separators, so that `expected_role` finds `expectedRole`.
fn fold(text: &str) -> String {
    // Long input cannot be a slip of the pen, and the distance costs the product of the lengths.
    text.chars().take(64).filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_separators_and_small_slips_are_recognised() {
        let words = ["expectedRole", "expectedName", "allowAmbiguous"];
        assert_eq!(nearest("expected_role", words), Some("expectedRole"));
        assert_eq!(nearest("expctedName", words), Some("expectedName"));
        assert_eq!(nearest("payload", words), None);
    }

    #[test]
    fn a_very_long_input_is_answered_at_once() {
        assert_eq!(nearest(&"x".repeat(1 << 20), ["short"]), None);
    }
}
