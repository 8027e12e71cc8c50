//! How many tokens a text costs, from above: a budget that is kept by this count is kept by the tokenizers in use.

/// An upper estimate. Letters of a word count by fours, digits by threes, everything else one by one; a space belongs to the
/// word behind it.
pub fn estimate(text: &str) -> usize {
    let mut tokens = 0;
    let mut run = 0_usize;
    let mut kind = Kind::Other;
    for c in text.chars() {
        let this = Kind::of(c);
        if this != kind {
            tokens += kind.cost(run);
            run = 0;
            kind = this;
        }
        run += 1;
    }
    tokens + kind.cost(run)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Digit,
    Space,
    Line,
    Other,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            'a'..='z' | 'A'..='Z' => Self::Letter,
            '0'..='9' => Self::Digit,
            ' ' => Self::Space,
            '\n' => Self::Line,
            _ => Self::Other,
        }
    }

    fn cost(self, run: usize) -> usize {
        match self {
            // Common words of up to seven letters are one token.
            Self::Letter => run.div_ceil(7).max(usize::from(run > 0)),
            Self::Digit => run.div_ceil(3),
            Self::Space => usize::from(run > 1),
            Self::Line | Self::Other => run,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_words_numbers_and_signs() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate("button"), 1);
        assert_eq!(estimate("12345"), 2);
        assert_eq!(estimate("- link"), 2);
        assert!(estimate("日本語") >= 3);
    }
}
