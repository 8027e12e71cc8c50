//! Now, in the form of the protocol.

use std::time::{SystemTime, UNIX_EPOCH};

use uiap_model::names::Timestamp;

/// Now, to the millisecond; `None` for a clock that stands before 1970.
pub fn now() -> Option<Timestamp> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Timestamp::parse(&format(since.as_secs(), since.subsec_millis()))
}

/// Days are counted from 1 March of the year 0, so that the leap day is the last one of its year.
fn format(seconds: u64, millis: u32) -> String {
    let (days, clock) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (clock / 3_600, clock / 60 % 60, clock % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_written_in_the_gregorian_calendar() {
        assert_eq!(format(0, 0), "1970-01-01T00:00:00.000Z");
        assert_eq!(format(951_782_400, 5), "2000-02-29T00:00:00.005Z");
        assert_eq!(format(1_774_530_729, 123), "2026-03-26T13:12:09.123Z");
        assert_eq!(format(4_107_542_399, 999), "2100-02-28T23:59:59.999Z");
    }

    #[test]
    fn now_is_a_valid_instant() {
        assert!(now().is_some());
    }
}
