//! Number text to a stored number, and the rule that nothing may change on the way.
//!
//! Bundles are RFC 8785 JSON, whose numbers are doubles. A whole number that a double cannot hold would come
//! out as another one, so it is refused here, once, for both grammars.

use std::sync::Arc;

use super::file::SourceFile;
use super::node::Number;
use super::span::Span;
use crate::diagnostic::{Diagnostic, Fix, codes, shown};

/// Why a number cannot be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberProblem {
    /// A whole number that changes when stored as a double.
    Inexact,
    /// Too large for a double.
    Infinite,
}

impl NumberProblem {
    /// The finding for a number that cannot be kept.
    pub(super) fn diagnostic(self, file: &Arc<SourceFile>, span: Span) -> Diagnostic {
        let raw = shown(file.slice(span));
        let message = match self {
            Self::Inexact => format!("number `{raw}` cannot be kept exactly"),
            Self::Infinite => format!("number `{raw}` is too large"),
        };
        Diagnostic::new(codes::INEXACT_NUMBER, message, file, span)
            .label("no IEEE 754 double has this value")
            .note("whole numbers are exact up to 9007199254740992 (2^53)")
            .help("write it as a string if it is an id")
            .fix(Fix::replace("quote it", file, span, format!("\"{}\"", file.slice(span))))
    }
}

/// Reads decimal digits with an optional sign. The caller has checked the characters.
#[inline]
pub(super) fn whole(text: &str) -> Result<Number, NumberProblem> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', ..] => (true, text.get(1..).unwrap_or_default()),
        [b'+', ..] => (false, text.get(1..).unwrap_or_default()),
        _ => (false, text),
    };
    // Up to 15 digits every whole number is exact.
    if digits.len() <= 15 {
        let n = digits.bytes().fold(0_i64, |n, digit| n * 10 + i64::from(digit.wrapping_sub(b'0')));
        return Ok(Number::Int(if negative { -n } else { n }));
    }
    long_whole(digits.trim_start_matches('0'), negative)
}

/// Reads hexadecimal or octal digits.
pub(super) fn radix(digits: &str, radix: u32) -> Result<Number, NumberProblem> {
    let Ok(n) = u64::from_str_radix(digits, radix) else { return Err(NumberProblem::Inexact) };
    exact(n, false)
}

/// Reads a number with a fraction or an exponent.
pub(super) fn fraction(text: &str) -> Result<Number, NumberProblem> {
    match text.parse::<f64>() {
        Ok(n) if n.is_finite() => Ok(Number::Float(n)),
        _ => Err(NumberProblem::Infinite),
    }
}

fn long_whole(digits: &str, negative: bool) -> Result<Number, NumberProblem> {
    if let Ok(n) = digits.parse::<u64>() {
        return exact(n, negative);
    }
    if digits.is_empty() {
        return Ok(Number::Int(0));
    }
    // The largest double has 309 digits.
    if digits.len() > 309 {
        return Err(NumberProblem::Infinite);
    }
    let Number::Float(n) = fraction(digits)? else { return Err(NumberProblem::Inexact) };
    if format!("{n:.0}") != digits {
        return Err(NumberProblem::Inexact);
    }
    Ok(Number::Float(if negative { -n } else { n }))
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the round trip is the check"
)]
fn exact(n: u64, negative: bool) -> Result<Number, NumberProblem> {
    let double = n as f64;
    // 2^64 itself does not fit, and the cast back would saturate to a number that looks equal.
    if double >= 18_446_744_073_709_551_616.0 || double as u64 != n {
        return Err(NumberProblem::Inexact);
    }
    Ok(match (i64::try_from(n), negative) {
        (Ok(n), false) => Number::Int(n),
        (Ok(n), true) => Number::Int(-n),
        (Err(_), false) => Number::UInt(n),
        (Err(_), true) if n == i64::MIN.unsigned_abs() => Number::Int(i64::MIN),
        (Err(_), true) => Number::Float(-double),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Case: AUTH-007
    #[test]
    fn whole_numbers_are_kept_or_refused_but_never_changed() {
        assert_eq!(whole("9007199254740992"), Ok(Number::Int(9_007_199_254_740_992)));
        assert_eq!(whole("9007199254740993"), Err(NumberProblem::Inexact));
        assert_eq!(whole("9007199254740994"), Ok(Number::Int(9_007_199_254_740_994)));
        assert_eq!(whole("-9007199254740993"), Err(NumberProblem::Inexact));
        assert_eq!(whole("9223372036854775808"), Ok(Number::UInt(1 << 63)));
        assert_eq!(whole("-9223372036854775808"), Ok(Number::Int(i64::MIN)));
        assert_eq!(whole("18446744073709551615"), Err(NumberProblem::Inexact));
        assert_eq!(whole("18446744073709551616"), Ok(Number::Float(18_446_744_073_709_551_616.0)));
        assert_eq!(whole("100000000000000000000"), Ok(Number::Float(1e20)));
        assert_eq!(whole("100000000000000000001"), Err(NumberProblem::Inexact));
        assert_eq!(whole("-0"), Ok(Number::Int(0)));
        assert_eq!(whole("+000000000000000000000000012"), Ok(Number::Int(12)));
        assert_eq!(whole(&"9".repeat(400)), Err(NumberProblem::Infinite));
    }

    #[test]
    fn fractions_round_as_doubles_do_and_overflow_is_refused() {
        assert_eq!(fraction("0.1"), Ok(Number::Float(0.1)));
        assert_eq!(fraction("1e999"), Err(NumberProblem::Infinite));
        assert_eq!(radix("ff", 16), Ok(Number::Int(255)));
        assert_eq!(radix("20000000000001", 16), Err(NumberProblem::Inexact));
        assert_eq!(radix("fffffffffffffffff", 16), Err(NumberProblem::Inexact));
    }
}
