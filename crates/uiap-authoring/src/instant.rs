//! Points in time, so that reviews and waivers can be compared without a calendar library.

use std::fmt;

/// A point in time; the clock is always handed in, never read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant {
    seconds: i64,
    nanos: u32,
}

impl Instant {
    /// Seconds since 1970-01-01T00:00:00Z, the form of `SOURCE_DATE_EPOCH`.
    pub fn from_unix(seconds: i64) -> Self {
        Self { seconds, nanos: 0 }
    }

    /// RFC 3339 with an offset: `2026-03-26T17:00:00Z`, `2026-03-26T18:00:00.5+01:00`.
    pub fn parse(text: &str) -> Option<Self> {
        let (date, time) = text.split_once(['T', 't'])?;
        let mut parts = date.splitn(3, '-');
        let year: i64 = digits(parts.next()?, 4)?;
        let month: i64 = digits(parts.next()?, 2)?;
        let day: i64 = digits(parts.next()?, 2)?;
        let offset_at = time.find(['Z', 'z', '+', '-'])?;
        let (clock, offset) = time.split_at_checked(offset_at)?;
        let (whole, fraction) = clock.split_once('.').unwrap_or((clock, ""));
        let mut parts = whole.splitn(3, ':');
        let hour: i64 = digits(parts.next()?, 2)?;
        let minute: i64 = digits(parts.next()?, 2)?;
        let second: i64 = digits(parts.next()?, 2)?;
        let real = (1..=12).contains(&month)
            && (1..=days_in(year, month)).contains(&day)
            && hour < 24
            && minute < 60
            && second <= 60;
        if !real || (clock.contains('.') && fraction.is_empty()) {
            return None;
        }
        let seconds = days_from_epoch(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
        Some(Self { seconds: seconds - offset_seconds(offset)?, nanos: nanos(fraction)? })
    }

    /// Whole days from here to a later instant.
    pub fn days_until(self, later: Self) -> i64 {
        (later.seconds - self.seconds).div_euclid(86_400)
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, rest) = (self.seconds.div_euclid(86_400), self.seconds.rem_euclid(86_400));
        let (year, month, day) = civil(days);
        let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

fn digits(text: &str, count: usize) -> Option<i64> {
    let fits = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

fn nanos(fraction: &str) -> Option<u32> {
    if fraction.len() > 9 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    format!("{fraction:0<9}").parse().ok()
}

fn offset_seconds(offset: &str) -> Option<i64> {
    if matches!(offset, "Z" | "z") {
        return Some(0);
    }
    let (sign, rest) = match offset.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hour, minute) = rest.split_once(':')?;
    Some(sign * (digits(hour, 2)? * 3_600 + digits(minute, 2)? * 60))
}

fn days_in(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since the epoch in the proleptic Gregorian calendar, counted in eras of 400 years.
fn days_from_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The reverse of [`days_from_epoch`].
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_with_different_offsets_compare_as_moments() {
        let utc = Instant::parse("2026-03-26T17:00:00Z").unwrap();
        assert_eq!(Instant::parse("2026-03-26T18:00:00+01:00"), Some(utc));
        assert!(Instant::parse("2026-03-26T17:00:00.001Z").unwrap() > utc);
        assert_eq!(utc.to_string(), "2026-03-26T17:00:00Z");
        assert_eq!(Instant::from_unix(0).to_string(), "1970-01-01T00:00:00Z");
        assert_eq!(Instant::parse("2024-02-29T00:00:00Z").unwrap().to_string(), "2024-02-29T00:00:00Z");
    }

    #[test]
    fn an_instant_needs_an_offset_and_a_day_that_exists() {
        for bad in
            ["2026-03-26T17:00:00", "2026-03-26", "2026-02-30T00:00:00Z", "soon", "2026-03-26T25:00:00Z"]
        {
            assert!(Instant::parse(bad).is_none(), "{bad}");
        }
    }
}
