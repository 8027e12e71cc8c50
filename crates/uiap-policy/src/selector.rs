//! Which documents are active. A document only ever tightens, so one that cannot be ruled out stays active.

use uiap_model::authoring::{BuildContext, ManifestSelector, ReleaseChannel};

/// Whether a document counts in that context: members are joined by AND, the values of one by OR.
pub(crate) fn is_active(selector: Option<&ManifestSelector>, context: &BuildContext) -> bool {
    let Some(selector) = selector else { return true };
    let channels: Option<Vec<&str>> =
        selector.channels.as_ref().map(|list| list.iter().map(ReleaseChannel::as_str).collect());
    fits(selector.environments.as_deref(), context.environment.as_deref(), |entry, value| entry == value)
        && fits(channels.as_deref(), context.channel.as_ref().map(ReleaseChannel::as_str), |entry, value| {
            entry == value
        })
        && fits(selector.locales.as_deref(), context.locale.as_deref(), covers_locale)
        && fits(selector.tenant_ids.as_deref(), context.tenant_id.as_deref(), |entry, value| entry == value)
        && fits(
            selector.principal_profiles.as_deref(),
            context.principal_profile.as_deref(),
            |entry, value| entry == value,
        )
        && fits(selector.app_version_ranges.as_deref(), context.app_version.as_deref(), may_cover_version)
}

/// What the context does not say cannot rule a document out.
fn fits<T: AsRef<str>>(entries: Option<&[T]>, value: Option<&str>, covers: fn(&str, &str) -> bool) -> bool {
    match (entries, value) {
        (Some(entries), Some(value)) => entries.iter().any(|entry| covers(entry.as_ref(), value)),
        (Some(entries), None) => !entries.is_empty(),
        (None, _) => true,
    }
}

/// `de` covers `de-AT`.
fn covers_locale(entry: &str, value: &str) -> bool {
    let (entry, value) = (entry.to_ascii_lowercase(), value.to_ascii_lowercase());
    value.strip_prefix(entry.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Whether a range covers a version: `||` of comparators joined by spaces. What cannot be read is not ruled out.
fn may_cover_version(range: &str, version: &str) -> bool {
    if range == version {
        return true;
    }
    let Some(version) = numbers(version) else { return true };
    range.split("||").any(|part| part.split_whitespace().all(|comparator| may_hold(comparator, &version)))
}

fn may_hold(comparator: &str, version: &[u64; 3]) -> bool {
    let digits = comparator.find(|each: char| each.is_ascii_digit()).unwrap_or(comparator.len());
    let (operator, operand) = comparator.split_at(digits);
    let Some(wanted) = numbers(operand) else { return may_fit_wildcard(operand, version) };
    match operator {
        ">=" => *version >= wanted,
        ">" => *version > wanted,
        "<=" => *version <= wanted,
        "<" => *version < wanted,
        "" | "=" => *version == wanted,
        "^" => *version >= wanted && *version < caret_end(wanted),
        "~" => *version >= wanted && version.first() == wanted.first() && version.get(1) == wanted.get(1),
        _ => true,
    }
}

/// `1.x` and `1.2.*`; anything else that has no three numbers cannot be ruled out.
fn may_fit_wildcard(operand: &str, version: &[u64; 3]) -> bool {
    operand
        .split('.')
        .zip(version)
        .all(|(part, number)| part.parse().map_or(true, |wanted: u64| wanted == *number))
}

/// The first version that `^` leaves out: the leftmost number that is not 0 may not change.
fn caret_end([major, minor, patch]: [u64; 3]) -> [u64; 3] {
    match (major, minor) {
        (0, 0) => [0, 0, patch.saturating_add(1)],
        (0, _) => [0, minor.saturating_add(1), 0],
        _ => [major.saturating_add(1), 0, 0],
    }
}

/// `1`, `1.2` or `1.2.3`; missing numbers are 0.
fn numbers(text: &str) -> Option<[u64; 3]> {
    let mut parts = text.split('.');
    let mut next = |first: bool| match parts.next() {
        None if !first => Some(0),
        part => part?.parse().ok(),
    };
    let found = [next(true)?, next(false)?, next(false)?];
    parts.next().is_none().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_read_as_in_manifests() {
        for (range, version, fits) in [
            (">=0.1 <0.2", "0.1.5", true),
            (">=0.1 <0.2", "0.2.0", false),
            ("^1.2.0", "1.9.0", true),
            ("^1.2.0", "2.0.0", false),
            ("^0.1.0", "0.2.0", false),
            ("^0.0.3", "0.0.4", false),
            ("~1.2", "1.2.9", true),
            ("~1.2", "1.3.0", false),
            ("1.x", "1.7.0", true),
            ("1.x", "2.7.0", false),
            ("<1 || >=2", "1.5.0", false),
            ("<1 || >=2", "2.5.0", true),
            ("2026.03", "2026.03", true),
            ("nightly", "2.0.0", true),
            ("^1.0.0", "1.0.0-beta", true),
        ] {
            assert_eq!(may_cover_version(range, version), fits, "{range} {version}");
        }
    }

    #[test]
    fn a_locale_covers_its_regions() {
        assert!(covers_locale("de", "de-AT") && covers_locale("de-AT", "de-at"));
        assert!(!covers_locale("de", "den") && !covers_locale("de-AT", "de"));
    }
}
