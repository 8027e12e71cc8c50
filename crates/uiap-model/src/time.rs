//! Instants in UTC, checked without a calendar library.

/// `YYYY-MM-DDTHH:MM:SS[.fffffffff]Z`, a day that exists.
pub(crate) fn is_timestamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if bytes.len() < 20 || separators.iter().any(|(at, byte)| bytes.get(*at) != Some(byte)) {
        return false;
    }
    let field = |from: usize, to: usize| -> Option<u32> {
        let digits = bytes.get(from..to)?;
        digits
            .iter()
            .all(u8::is_ascii_digit)
            .then(|| digits.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0')))
    };
    let (Some(year), Some(month), Some(day)) = (field(0, 4), field(5, 7), field(8, 10)) else { return false };
    let (Some(hour), Some(minute), Some(second)) = (field(11, 13), field(14, 16), field(17, 19)) else {
        return false;
    };
    let clock = hour < 24 && minute < 60 && second <= 60;
    clock && (1..=days(year, month)).contains(&day) && bytes.get(19..).is_some_and(is_fraction)
}

fn is_fraction(rest: &[u8]) -> bool {
    match rest {
        [b'Z'] => true,
        [b'.', digits @ .., b'Z'] => (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

fn days(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_that_do_not_exist_are_refused() {
        assert!(is_timestamp("2024-02-29T00:00:00Z"));
        assert!(!is_timestamp("2023-02-29T00:00:00Z"));
        assert!(!is_timestamp("2026-13-01T00:00:00Z"));
        assert!(!is_timestamp("2026-04-31T00:00:00Z"));
    }
}
