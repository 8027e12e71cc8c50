//! One version: three numbers, a pre-release, and build metadata that does not count.

use std::cmp::Ordering;
use std::fmt;

/// A version such as `1.0.0-rc.1+b5`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Incompatible changes.
    pub major: u64,
    /// Additions.
    pub minor: u64,
    /// Corrections.
    pub patch: u64,
    /// Parts after `-`.
    pub pre: Vec<String>,
    /// Text after `+`; ignored in comparisons.
    pub build: String,
}

impl Version {
    /// A plain version.
    pub fn new(major: u64, minor: u64, patch: u64) -> Self {
        Self { major, minor, patch, pre: Vec::new(), build: String::new() }
    }

    /// Three numbers without leading zeros, then optionally a pre-release and build metadata.
    pub fn parse(text: &str) -> Option<Self> {
        let (numbers, pre, build) = split(text)?;
        let mut parts = numbers.split('.');
        let mut next = || parts.next().and_then(strict_number);
        let version = Self { major: next()?, minor: next()?, patch: next()?, pre, build };
        parts.next().is_none().then_some(version)
    }

    /// As [`Version::parse`], but one to three numbers, and leading zeros: versions of apps (`2026.03`).
    pub fn parse_lenient(text: &str) -> Option<Self> {
        let (numbers, pre, build) = split(text)?;
        let parts: Vec<u64> = numbers.split('.').map(number).collect::<Option<_>>()?;
        let at = |index: usize| parts.get(index).copied().unwrap_or(0);
        (parts.len() <= 3).then(|| Self { major: at(0), minor: at(1), patch: at(2), pre, build })
    }

    /// Major, minor, patch.
    pub fn triple(&self) -> (u64, u64, u64) {
        (self.major, self.minor, self.patch)
    }

    /// Whether the versions are equal apart from build metadata.
    pub fn same_precedence(&self, other: &Self) -> bool {
        self.cmp_precedence(other) == Ordering::Equal
    }

    /// The order of precedence; build metadata does not count.
    pub fn cmp_precedence(&self, other: &Self) -> Ordering {
        let by_pre = match (self.pre.is_empty(), other.pre.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => compare_pre(&self.pre, &other.pre),
        };
        self.triple().cmp(&other.triple()).then(by_pre)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if !self.pre.is_empty() {
            write!(f, "-{}", self.pre.join("."))?;
        }
        if !self.build.is_empty() {
            write!(f, "+{}", self.build)?;
        }
        Ok(())
    }
}

/// Numbers, pre-release and build metadata, the last two checked.
fn split(text: &str) -> Option<(&str, Vec<String>, String)> {
    let (rest, build) = match text.split_once('+') {
        Some((rest, build)) => (rest, identifiers(build)?.join(".")),
        None => (text, String::new()),
    };
    let (numbers, pre) = match rest.split_once('-') {
        Some((numbers, pre)) => (numbers, identifiers(pre)?),
        None => (rest, Vec::new()),
    };
    let has_zero = |part: &String| part.len() > 1 && part.starts_with('0') && number(part).is_some();
    (!pre.iter().any(has_zero)).then_some((numbers, pre, build))
}

fn identifiers(text: &str) -> Option<Vec<String>> {
    let is_word =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    text.split('.').map(|part| is_word(part).then(|| part.to_owned())).collect()
}

fn number(text: &str) -> Option<u64> {
    let all_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if all_digits { text.parse().ok() } else { None }
}

pub(super) fn strict_number(text: &str) -> Option<u64> {
    if text.len() > 1 && text.starts_with('0') { None } else { number(text) }
}

fn compare_pre(left: &[String], right: &[String]) -> Ordering {
    let pairs = left.iter().zip(right);
    let first = pairs.map(|(a, b)| match (number(a), number(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    });
    first.into_iter().find(|order| order.is_ne()).unwrap_or_else(|| left.len().cmp(&right.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_three_plain_numbers_make_a_version() {
        for good in ["0.1.0", "1.2.3-rc.1", "1.0.0-rc.1+b5", "10.20.30"] {
            assert_eq!(Version::parse(good).map(|v| v.to_string()).as_deref(), Some(good));
        }
        for bad in ["1.0", "v1.0.0", "01.0.0", "latest", "", "1.0.0.0", "1.0.0-", "1.0.0-01", "1.0.0+"] {
            assert!(Version::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn precedence_follows_the_rules_of_pre_releases() {
        let ordered =
            ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1"];
        let parsed: Vec<Version> = ordered.iter().filter_map(|text| Version::parse(text)).collect();
        assert!(parsed.is_sorted_by(|a, b| a.cmp_precedence(b).is_lt()));
        let (a, b) = (Version::parse("1.0.0+a"), Version::parse("1.0.0+b"));
        assert!(a.zip(b).is_some_and(|(a, b)| a.same_precedence(&b)));
    }
}
