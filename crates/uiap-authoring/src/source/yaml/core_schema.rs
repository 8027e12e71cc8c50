//! What an unquoted word means: the core schema of YAML 1.2 (section 10.3.2).
//!
//! Words that only YAML 1.1 gave a meaning to (`yes`, `on`, `1_000`, `2026-03-27`, `0777` as octal) are text or
//! plain decimal numbers.

use super::super::build::{Text, TreeBuilder};
use super::super::number::{NumberProblem, fraction, radix, whole};
use super::super::span::Span;
use crate::diagnostic::{Diagnostic, Fix, codes};

/// The type of an unquoted word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Null,
    True,
    False,
    Whole,
    Octal,
    Hex,
    Fraction,
    /// `.nan`, `.inf`: numbers to YAML, nothing to JSON.
    NotFinite,
    Text,
}

/// Classifies a word.
#[inline]
pub(super) fn classify(word: &str) -> Word {
    // Almost every word is decided by its first byte.
    match word.as_bytes() {
        [] | [b'~'] => Word::Null,
        [b'n' | b'N', ..] => match word {
            "null" | "Null" | "NULL" => Word::Null,
            _ => Word::Text,
        },
        [b't' | b'T', ..] => match word {
            "true" | "True" | "TRUE" => Word::True,
            _ => Word::Text,
        },
        [b'f' | b'F', ..] => match word {
            "false" | "False" | "FALSE" => Word::False,
            _ => Word::Text,
        },
        [b'0'..=b'9' | b'-' | b'+' | b'.', ..] => classify_number(word),
        _ => Word::Text,
    }
}

fn classify_number(word: &str) -> Word {
    if let Some(digits) = word.strip_prefix("0o") {
        return if is_all(digits, |byte| matches!(byte, b'0'..=b'7')) { Word::Octal } else { Word::Text };
    }
    if let Some(digits) = word.strip_prefix("0x") {
        return if is_all(digits, |byte| byte.is_ascii_hexdigit()) { Word::Hex } else { Word::Text };
    }
    let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
    if is_all(unsigned, |byte| byte.is_ascii_digit()) {
        return Word::Whole;
    }
    match unsigned {
        ".inf" | ".Inf" | ".INF" => return Word::NotFinite,
        ".nan" | ".NaN" | ".NAN" if unsigned.len() == word.len() => return Word::NotFinite,
        _ => {}
    }
    if is_fraction(unsigned) { Word::Fraction } else { Word::Text }
}

fn is_all(text: &str, fits: impl Fn(u8) -> bool) -> bool {
    !text.is_empty() && text.bytes().all(fits)
}

/// `( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
fn is_fraction(unsigned: &str) -> bool {
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mantissa_fits = match mantissa.split_once('.') {
        Some(("", fraction)) => !fraction.is_empty() && digits(fraction),
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => !mantissa.is_empty() && digits(mantissa),
    };
    let exponent_fits = exponent.is_none_or(|exponent| {
        let unsigned = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !unsigned.is_empty() && digits(unsigned)
    });
    mantissa_fits && exponent_fits
}

/// Adds an unquoted word to the tree with the type that it has.
#[inline]
pub(super) fn add_word(builder: &mut TreeBuilder<'_>, span: Span, word: &str) {
    let number = match classify(word) {
        Word::Text => return builder.string(Text::verbatim(span)),
        Word::Null => return builder.null(span),
        Word::True => return builder.bool(span, true),
        Word::False => return builder.bool(span, false),
        Word::NotFinite => return report_not_finite(builder, span, word),
        Word::Whole => whole(word),
        Word::Octal => radix(word.get(2..).unwrap_or_default(), 8),
        Word::Hex => radix(word.get(2..).unwrap_or_default(), 16),
        Word::Fraction => fraction(word),
    };
    match number {
        Ok(number) => builder.number(span, number),
        Err(problem) => report_lossy(builder, span, problem),
    }
}

fn report_lossy(builder: &mut TreeBuilder<'_>, span: Span, problem: NumberProblem) {
    let diagnostic = problem.diagnostic(builder.file(), span);
    builder.report(diagnostic);
    builder.null(span);
}

fn report_not_finite(builder: &mut TreeBuilder<'_>, span: Span, word: &str) {
    let file = builder.file();
    let diagnostic =
        Diagnostic::new(codes::NOT_A_NUMBER, format!("`{word}` has no form in JSON"), file, span)
            .help("leave the member out, write a real limit, or quote it if it is text")
            .fix(Fix::replace("quote it", file, span, format!("\"{word}\"")));
    builder.report(diagnostic);
    builder.null(span);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Case: AUTH-006
    #[test]
    fn words_mean_what_the_core_schema_says() {
        let cases: &[(Word, &[&str])] = &[
            (Word::Null, &["", "~", "null", "Null", "NULL"]),
            (Word::True, &["true", "True", "TRUE"]),
            (Word::False, &["false", "False", "FALSE"]),
            (Word::Whole, &["0", "010", "-7", "+12", "08"]),
            (Word::Octal, &["0o17"]),
            (Word::Hex, &["0x1F", "0xff"]),
            (Word::Fraction, &["0.1", "1.0", "1.", ".5", "-.5", "1e3", "1.5E-3", "+1.0", "0e0"]),
            (Word::NotFinite, &[".nan", ".NaN", ".NAN", ".inf", "-.inf", "+.Inf", ".INF"]),
            (
                Word::Text,
                &[
                    "yes",
                    "no",
                    "on",
                    "off",
                    "y",
                    "n",
                    "nULL",
                    "tRUE",
                    "1_000",
                    "2026-03-27",
                    "0o8",
                    "0o",
                    "0x",
                    "0xg",
                    "-0x1",
                    "1e",
                    "e3",
                    ".",
                    "-",
                    "+",
                    "-.",
                    "1.2.3",
                    "--1",
                    "1-1",
                    ".e3",
                    "-.nan",
                    "0b1",
                    "12:30:45",
                    "1.e+",
                    "٣",
                ],
            ),
        ];
        for (expected, words) in cases {
            for word in *words {
                assert_eq!(classify(word), *expected, "`{word}`");
            }
        }
    }
}
