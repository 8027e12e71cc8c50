//! Version ranges: `>=0.1 <0.2`, `^0.1.0`, `~1.2`, `1.x`, `1.2.3 - 1.4.0`, joined by `||`.

use std::cmp::Ordering;
use std::fmt;

use super::version::{Version, strict_number};

/// A set of versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    text: String,
    /// OR of ANDs.
    sets: Vec<Vec<Comparator>>,
}

/// A range that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{token}` is no version comparison")]
pub struct RangeError {
    /// The part that makes no sense.
    pub token: String,
    /// Where it starts, in bytes.
    pub offset: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Comparator {
    op: Op,
    version: Version,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Less,
    LessEq,
    Greater,
    GreaterEq,
    Equal,
}

/// A version with parts left open.
struct Partial {
    version: Version,
    /// How many numbers were written before an `x` or the end.
    fixed: usize,
    /// Whether an `x` was written.
    open: bool,
}

impl Range {
    /// Reads a range.
    pub fn parse(text: &str) -> Result<Self, RangeError> {
        let mut sets = Vec::new();
        let mut offset = 0;
        for part in text.split("||") {
            sets.push(parse_set(part, offset)?);
            offset += part.len() + 2;
        }
        Ok(Self { text: text.to_owned(), sets })
    }

    /// Whether a version lies in the range. A pre-release does only when the range names one of the same numbers.
    pub fn contains(&self, version: &Version) -> bool {
        self.sets.iter().any(|set| {
            let named = |c: &Comparator| !c.version.pre.is_empty() && c.version.triple() == version.triple();
            set.iter().all(|c| c.holds(version)) && (version.pre.is_empty() || set.iter().any(named))
        })
    }

    /// Whether a pre-release leads up to a version in the range.
    pub fn would_contain(&self, version: &Version) -> bool {
        let (major, minor, patch) = version.triple();
        let release = Version::new(major, minor, patch);
        self.sets.iter().any(|set| set.iter().all(|c| c.holds(&release)))
    }

    /// Versions at and beside every bound: enough to tell two ranges apart.
    pub fn probes(&self) -> Vec<Version> {
        let mut probes = vec![Version::new(0, 0, 0), Version::new(u64::from(u32::MAX), 0, 0)];
        for Comparator { version, .. } in self.sets.iter().flatten() {
            let (major, minor, patch) = version.triple();
            probes.push(Version::new(major, minor, patch));
            probes.push(Version::new(major, minor, patch + 1));
            probes.push(match (minor, patch) {
                (_, 1..) => Version::new(major, minor, patch - 1),
                (1.., 0) => Version::new(major, minor - 1, u64::from(u32::MAX)),
                (0, 0) => Version::new(major.saturating_sub(1), u64::from(u32::MAX), 0),
            });
        }
        probes
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Comparator {
    fn new(op: Op, version: Version) -> Self {
        Self { op, version }
    }

    fn holds(&self, version: &Version) -> bool {
        let order = version.cmp_precedence(&self.version);
        match self.op {
            Op::Less => order == Ordering::Less,
            Op::LessEq => order != Ordering::Greater,
            Op::Greater => order == Ordering::Greater,
            Op::GreaterEq => order != Ordering::Less,
            Op::Equal => order == Ordering::Equal,
        }
    }
}

/// Tokens with their offsets; `>= 0.1` counts as one token.
fn tokens(part: &str, base: usize) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut at = 0;
    for word in part.split_inclusive(char::is_whitespace) {
        let trimmed = word.trim();
        if !trimmed.is_empty() {
            let start = base + at + (word.len() - word.trim_start().len());
            match out.last_mut() {
                Some((_, last)) if last.chars().all(|c| "<>=^~".contains(c)) => last.push_str(trimmed),
                _ => out.push((start, trimmed.to_owned())),
            }
        }
        at += word.len();
    }
    out
}

fn parse_set(part: &str, base: usize) -> Result<Vec<Comparator>, RangeError> {
    let tokens = tokens(part, base);
    if let [(from_at, from), (_, dash), (to_at, to)] = tokens.as_slice()
        && dash == "-"
    {
        return hyphen((*from_at, from), (*to_at, to));
    }
    if tokens.is_empty() {
        return Err(RangeError { token: part.to_owned(), offset: base });
    }
    let mut set = Vec::new();
    for (offset, token) in tokens {
        match comparators(&token) {
            Some(more) => set.extend(more),
            None => return Err(RangeError { token, offset }),
        }
    }
    Ok(set)
}

fn hyphen(from: (usize, &str), to: (usize, &str)) -> Result<Vec<Comparator>, RangeError> {
    let read = |(offset, text): (usize, &str)| {
        let error = RangeError { token: text.to_owned(), offset };
        partial(text).map(|partial| partial.version).ok_or(error)
    };
    Ok(vec![Comparator::new(Op::GreaterEq, read(from)?), Comparator::new(Op::LessEq, read(to)?)])
}

fn comparators(token: &str) -> Option<Vec<Comparator>> {
    if matches!(token, "*" | "x" | "X") {
        return Some(vec![Comparator::new(Op::GreaterEq, Version::new(0, 0, 0))]);
    }
    let ops =
        [("<=", Op::LessEq), (">=", Op::GreaterEq), ("<", Op::Less), (">", Op::Greater), ("=", Op::Equal)];
    for (sign, op) in ops {
        if let Some(rest) = token.strip_prefix(sign) {
            let partial = partial(rest)?;
            return Some(if partial.open {
                between(&partial)
            } else {
                vec![Comparator::new(op, partial.version)]
            });
        }
    }
    if let Some(rest) = token.strip_prefix('^') {
        let partial = partial(rest)?;
        let (major, minor, patch) = partial.version.triple();
        let upper = match (major, minor) {
            (1.., _) => Version::new(major + 1, 0, 0),
            (0, _) if partial.fixed < 2 => Version::new(1, 0, 0),
            (0, 1..) => Version::new(0, minor + 1, 0),
            (0, 0) if partial.fixed < 3 => Version::new(0, 1, 0),
            (0, 0) => Version::new(0, 0, patch + 1),
        };
        return Some(from_to(partial.version, upper));
    }
    if let Some(rest) = token.strip_prefix('~') {
        let partial = partial(rest)?;
        let (major, minor, _) = partial.version.triple();
        let upper =
            if partial.fixed < 2 { Version::new(major + 1, 0, 0) } else { Version::new(major, minor + 1, 0) };
        return Some(from_to(partial.version, upper));
    }
    let partial = partial(token)?;
    Some(if partial.open { between(&partial) } else { vec![Comparator::new(Op::Equal, partial.version)] })
}

/// `1.x` and `1.2.x`.
fn between(partial: &Partial) -> Vec<Comparator> {
    let (major, minor, _) = partial.version.triple();
    let upper =
        if partial.fixed < 2 { Version::new(major + 1, 0, 0) } else { Version::new(major, minor + 1, 0) };
    from_to(partial.version.clone(), upper)
}

fn from_to(lower: Version, upper: Version) -> Vec<Comparator> {
    vec![Comparator::new(Op::GreaterEq, lower), Comparator::new(Op::Less, upper)]
}

fn partial(text: &str) -> Option<Partial> {
    if let Some(version) = Version::parse(text) {
        return Some(Partial { version, fixed: 3, open: false });
    }
    let parts: Vec<&str> = text.split('.').collect();
    let is_open = |part: &&str| matches!(*part, "x" | "X" | "*");
    let fixed = parts.iter().take_while(|part| !is_open(part)).count();
    let numbers: Vec<u64> =
        parts.iter().take(fixed).map(|part| strict_number(part)).collect::<Option<_>>()?;
    if fixed == 0 || parts.len() > 3 || !parts.iter().skip(fixed).all(is_open) {
        return None;
    }
    let at = |index: usize| numbers.get(index).copied().unwrap_or(0);
    Some(Partial { version: Version::new(at(0), at(1), at(2)), fixed, open: fixed < parts.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(range: &str, version: &str) -> bool {
        Range::parse(range).unwrap().contains(&Version::parse(version).unwrap())
    }

    #[test]
    fn every_form_of_range_means_what_the_specification_says() {
        let cases = [
            (">=0.1 <0.2", "0.1.7 0.1.0", "0.2.0 0.0.9"),
            ("^0.1.0", "0.1.0 0.1.9", "0.2.0 0.0.1"),
            ("^1.2", "1.2.0 1.9.0", "2.0.0 1.1.9"),
            ("~1.2.3", "1.2.3 1.2.9", "1.3.0 1.2.2"),
            ("1.x", "1.0.0 1.9.9", "2.0.0 0.9.0"),
            ("0.1.x", "0.1.0 0.1.4", "0.2.0"),
            ("0.1", "0.1.0", "0.1.1"),
            ("0.1.0 || 0.2.0", "0.1.0 0.2.0", "0.1.1"),
            ("1.2.3 - 1.4.0", "1.2.3 1.4.0", "1.4.1 1.2.2"),
            (">= 0.1 < 0.2", "0.1.5", "0.2.0"),
            ("*", "0.0.1 9.9.9", "1.0.0-rc.1"),
            (">=1.0.0-rc.1", "1.0.0-rc.2 1.0.0 1.2.0", "1.1.0-rc.1 1.0.0-alpha"),
        ];
        for (range, inside, outside) in cases {
            for version in inside.split(' ') {
                assert!(fits(range, version), "{range} should hold {version}");
            }
            for version in outside.split(' ') {
                assert!(!fits(range, version), "{range} should not hold {version}");
            }
        }
    }

    #[test]
    fn a_mistake_is_reported_at_its_token() {
        let error = Range::parse(">=0.1 <abc").unwrap_err();
        assert_eq!((error.token.as_str(), error.offset), ("<abc", 6));
        assert!(Range::parse("").is_err());
        assert!(Range::parse("1.0.0 ||").is_err());
        assert!(Range::parse("01.0.0").is_err());
    }
}
