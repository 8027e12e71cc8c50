//! Ids as rules write them: one id, or `prefix.*` for everything below a prefix.

use compact_str::CompactString;

/// An id or everything below a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// That id.
    Exact(CompactString),
    /// `billing` for `billing.*`; the prefix itself is not meant.
    Below(CompactString),
}

impl Pattern {
    /// Reads a pattern; `None` for a star anywhere but at the end, behind a dot.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (body, below) = match text.strip_suffix(".*") {
            Some(prefix) => (prefix, true),
            None => (text, false),
        };
        if body.is_empty() || body.contains('*') || (below && body.ends_with('.')) {
            return None;
        }
        let body = CompactString::new(body);
        Some(if below { Self::Below(body) } else { Self::Exact(body) })
    }

    /// Whether `id` is meant.
    pub(crate) fn matches(&self, id: &str) -> bool {
        match self {
            Self::Exact(exact) => exact == id,
            Self::Below(prefix) => {
                id.strip_prefix(prefix.as_str()).is_some_and(|rest| rest.len() > 1 && rest.starts_with('.'))
            }
        }
    }
}

/// The prefixes of `a.b.c` that a rule may name: `a` and `a.b`.
pub(crate) fn prefixes(id: &str) -> impl Iterator<Item = &str> {
    id.bytes()
        .enumerate()
        .filter(|(at, byte)| *byte == b'.' && at + 1 < id.len())
        .filter_map(|(at, _)| id.get(..at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_at_the_end_behind_a_dot_or_not_at_all() {
        for bad in ["*", ".*", "a*", "*.a", "a.*.b", "a.*b", "a..*", "", "a.**"] {
            assert_eq!(Pattern::parse(bad), None, "{bad}");
        }
        assert!(Pattern::parse("a.b").is_some() && Pattern::parse("a.b.*").is_some());
    }

    #[test]
    fn the_index_finds_what_the_pattern_matches() {
        for id in ["billing.plan", "billing.plan.x", "billing", "billingx.plan", "billing.", "a.billing.b"] {
            for prefix in ["billing", "billing.plan", "a", "a.billing"] {
                let pattern = Pattern::parse(&format!("{prefix}.*")).unwrap();
                assert_eq!(pattern.matches(id), prefixes(id).any(|each| each == prefix), "{prefix}.* {id}");
            }
        }
    }
}
