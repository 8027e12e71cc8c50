//! Finds the name that was probably meant.

use strsim::damerau_levenshtein;

/// The candidate closest to what was written, or nothing when none is close enough to be worth a guess.
///
/// Names that differ only in case and separators match first (`expectedrole`, `expected-role`), then names
/// whose words stand in another order, then small typing mistakes: one in three characters at most. Equally
/// close candidates are decided by their order in the alphabet, so the answer does not depend on the input's
/// order. The cost is one pass over the candidates.
pub fn did_you_mean<'a, I>(input: &str, candidates: I) -> Option<&'a str>
where
    I: IntoIterator<Item = &'a str>,
{
    let wanted = Shape::of(input);
    if wanted.letters.is_empty() {
        return None;
    }
    candidates
        .into_iter()
        .filter(|candidate| *candidate != input)
        .filter_map(|candidate| distance(&wanted, candidate).map(|rank| (rank, candidate)))
        .min()
        .map(|(_, candidate)| candidate)
}

/// A name without case and separators.
struct Shape {
    letters: String,
    length: usize,
    /// One bit per kind of character, to tell strangers apart without measuring.
    mask: u64,
    words: String,
}

impl Shape {
    fn of(name: &str) -> Self {
        let letters: String =
            name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        let mask = letters.chars().fold(0, |mask, c| mask | 1 << (c as u32 % 64));
        Self { length: letters.chars().count(), mask, words: sorted_words(name), letters }
    }

    /// How many typing mistakes still make a guess.
    fn tolerance(&self) -> usize {
        match self.length {
            0..=2 => 0,
            3..=5 => 1,
            length => length / 3,
        }
    }
}

/// How far a candidate is away; nothing when it is too far.
fn distance(wanted: &Shape, candidate: &str) -> Option<usize> {
    let found = Shape::of(candidate);
    if wanted.letters == found.letters {
        return Some(0);
    }
    if wanted.words == found.words {
        return Some(1);
    }
    let tolerance = wanted.tolerance().max(found.tolerance());
    // A changed character touches two bits of the masks at most.
    let is_strange = (wanted.mask ^ found.mask).count_ones() as usize > 2 * tolerance;
    if wanted.length.abs_diff(found.length) > tolerance || is_strange {
        return None;
    }
    let mistakes = damerau_levenshtein(&wanted.letters, &found.letters);
    (mistakes <= tolerance).then_some(1 + mistakes)
}

/// The words of a camel-case or separated name, in alphabetical order.
fn sorted_words(name: &str) -> String {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        let starts_word = !c.is_alphanumeric() || (c.is_uppercase() && was_lower);
        was_lower = c.is_lowercase() || c.is_numeric();
        if starts_word {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words.sort_unstable();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    const FIELDS: &[&str] = &[
        "expectedRole",
        "onUnknownAction",
        "scopeId",
        "routeIds",
        "role",
        "name",
        "match",
        "risk",
        "dataClasses",
        "defaultAction",
        "success",
        "metadata",
        "id",
    ];

    fn guess(input: &str) -> Option<&'static str> {
        did_you_mean(input, FIELDS.iter().copied())
    }

    #[test]
    fn case_and_separators_do_not_count() {
        assert_eq!(guess("expectedrole"), Some("expectedRole"));
        assert_eq!(guess("expected_role"), Some("expectedRole"));
        assert_eq!(guess("Expected-Role"), Some("expectedRole"));
        assert_eq!(guess("scope_id"), Some("scopeId"));
        assert_eq!(guess("ID"), Some("id"));
    }

    #[test]
    fn typing_mistakes_are_forgiven_in_proportion() {
        assert_eq!(guess("onUnknownActions"), Some("onUnknownAction"));
        assert_eq!(guess("onUnkownAction"), Some("onUnknownAction"));
        assert_eq!(guess("rle"), Some("role"));
        assert_eq!(guess("nmae"), Some("name"));
        assert_eq!(guess("metdata"), Some("metadata"));
        assert_eq!(guess("dataClass"), Some("dataClasses"));
    }

    #[test]
    fn words_in_another_order_are_found() {
        assert_eq!(guess("roleExpected"), Some("expectedRole"));
        assert_eq!(guess("action_default"), Some("defaultAction"));
    }

    #[test]
    fn strangers_get_no_suggestion() {
        assert_eq!(guess("banana"), None);
        assert_eq!(guess("xy"), None);
        assert_eq!(guess(""), None);
        assert_eq!(guess("---"), None);
        assert_eq!(guess("ab"), None);
    }

    #[test]
    fn the_name_itself_is_no_suggestion_and_ties_do_not_depend_on_order() {
        assert_eq!(did_you_mean("role", ["role"]), None);
        assert_eq!(did_you_mean("cat", ["cut", "bat"]), Some("bat"));
        assert_eq!(did_you_mean("cat", ["bat", "cut"]), Some("bat"));
    }

    /// Case: AUTH-014
    #[test]
    fn a_kind_without_its_plural_is_found() {
        let kinds = ["Package", "App", "Capabilities", "Bindings", "Actions", "PolicySet"];
        assert_eq!(did_you_mean("Binding", kinds), Some("Bindings"));
        assert_eq!(did_you_mean("policyset", kinds), Some("PolicySet"));
    }
}
