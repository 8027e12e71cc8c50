//! Patterns learned from what was seen: several addresses that differ in one place and show the same kind of page.

use std::collections::{BTreeMap, BTreeSet};

use super::{looks_like_value, segments};

/// An address at which a kind of page was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sample<'a> {
    /// Its path.
    pub path: &'a str,
    /// What the page is made of, whatever its address and headings.
    pub structure: &'a str,
}

/// A pattern and what speaks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learned {
    /// Such as `/videos/:id`.
    pub pattern: String,
    /// The paths that it stands for, in order.
    pub paths: BTreeSet<String>,
    /// The structure that they share.
    pub structure: String,
}

/// How many values make a pattern where they look like values, and where they look like names.
const LEAST_VALUES: usize = 2;
const LEAST_NAMES: usize = 3;

/// Learns patterns: each place in the path by itself, deepest first. Never from how a value looks alone: the pages must be of one
/// structure. Words below the root stay names, since `/about` and `/contact` often look alike.
pub fn learn(samples: &[Sample<'_>]) -> Vec<Learned> {
    let mut by_structure: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for sample in samples {
        by_structure.entry(sample.structure).or_default().insert(sample.path);
    }
    let mut learned = Vec::new();
    for (structure, paths) in by_structure {
        let mut groups = by_value(paths);
        let longest = groups.iter().map(|(parts, _)| parts.len()).max().unwrap_or(0);
        for place in (0..longest).rev() {
            groups = fold(groups, place);
        }
        for (parts, paths) in groups {
            if parts.iter().any(|part| part.starts_with(':')) {
                learned.push(Learned { pattern: named(&parts), paths, structure: structure.to_owned() });
            }
        }
    }
    learned.sort_by(|a, b| (&a.pattern, &a.structure).cmp(&(&b.pattern, &b.structure)));
    learned
}

type Group = (Vec<String>, BTreeSet<String>);

/// Joins the paths that differ only where they look like values. A value that never varies stays as it is.
fn by_value(paths: BTreeSet<&str>) -> Vec<Group> {
    let mut by_skeleton: BTreeMap<Vec<&str>, Vec<&str>> = BTreeMap::new();
    for path in paths {
        let skeleton = segments(path).map(|part| if looks_like_value(part) { ":" } else { part }).collect();
        by_skeleton.entry(skeleton).or_default().push(path);
    }
    let varies = |members: &[&str], place: usize| {
        let values: BTreeSet<Option<&str>> = members.iter().map(|path| segments(path).nth(place)).collect();
        values.len() >= LEAST_VALUES
    };
    by_skeleton
        .into_values()
        .map(|members| {
            let parts = members.first().map(|path| segments(path).enumerate()).into_iter().flatten();
            let parts = parts
                .map(|(place, part)| if varies(&members, place) { ":".to_owned() } else { part.to_owned() })
                .collect();
            (parts, members.into_iter().map(str::to_owned).collect())
        })
        .collect()
}

/// Joins the groups that differ in one place only, where there are enough values for it.
fn fold(groups: Vec<Group>, place: usize) -> Vec<Group> {
    let mut by_rest: BTreeMap<Vec<String>, Vec<Group>> = BTreeMap::new();
    let mut kept = Vec::new();
    for group in groups {
        if place < group.0.len() {
            let mut rest = group.0.clone();
            if let Some(part) = rest.get_mut(place) {
                ":".clone_into(part);
            }
            by_rest.entry(rest).or_default().push(group);
        } else {
            kept.push(group);
        }
    }
    for (rest, members) in by_rest {
        let values: BTreeSet<&str> =
            members.iter().filter_map(|(parts, _)| parts.get(place).map(String::as_str)).collect();
        if values.len() >= LEAST_NAMES && place > 0 {
            kept.push((rest, members.into_iter().flat_map(|(_, paths)| paths).collect()));
        } else {
            kept.extend(members);
        }
    }
    kept
}

/// A path with what a machine made taken out: ids of a fixed form and dates are values, also where only one of them was seen.
pub fn without_ids(path: &str) -> String {
    let parts: Vec<String> =
        segments(path).map(|part| if is_made(part) { ":".to_owned() } else { part.to_owned() }).collect();
    if parts.iter().any(|part| part == ":") { named(&parts) } else { path.to_owned() }
}

/// Whether a part of a path is a UUID, a long number in hexadecimal digits, or a date.
fn is_made(part: &str) -> bool {
    let groups: Vec<usize> = part.split('-').map(str::len).collect();
    let holds = |test: fn(&u8) -> bool| part.bytes().filter(|byte| *byte != b'-').all(|byte| test(&byte));
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    match groups.as_slice() {
        [8, 4, 4, 4, 12] => holds(u8::is_ascii_hexdigit),
        [4, 2, 2] => holds(u8::is_ascii_digit),
        [length] => *length >= 16 && holds(u8::is_ascii_hexdigit) && digits > 2,
        _ => false,
    }
}

/// Gives each value a name: `:id`, then by the word before it.
fn named(parts: &[String]) -> String {
    let count = parts.iter().filter(|part| part.starts_with(':')).count();
    let mut out = String::new();
    let mut before = "";
    for part in parts {
        out.push('/');
        if !part.starts_with(':') {
            out.push_str(part);
            before = part;
        } else if count == 1 || before.is_empty() {
            out.push_str(":id");
        } else {
            out.push_str(&format!(":{}Id", singular(before)));
            // Values beside each other must not share a name.
            before = "";
        }
    }
    out
}

fn singular(word: &str) -> String {
    let plain: String = word.chars().filter(|letter| letter.is_alphanumeric()).collect();
    match plain.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => plain.strip_suffix('s').map_or(plain.clone(), str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(samples: &[(&str, &str)]) -> Vec<String> {
        let samples: Vec<Sample<'_>> =
            samples.iter().map(|(path, structure)| Sample { path, structure }).collect();
        learn(&samples).into_iter().map(|learned| learned.pattern).collect()
    }

    /// Requirement: DISC-15.1-01
    #[test]
    fn several_values_of_one_structure_make_a_pattern_and_digits_alone_do_not() {
        assert_eq!(patterns(&[("/videos/12", "detail"), ("/videos/13", "detail")]), ["/videos/:id"]);
        assert_eq!(patterns(&[("/videos/12", "detail")]), Vec::<String>::new());
        assert_eq!(patterns(&[("/wizard/1", "name"), ("/wizard/2", "address")]), Vec::<String>::new());
    }

    #[test]
    fn words_need_more_of_them_and_a_parent() {
        assert_eq!(patterns(&[("/wiki/Foo", "p"), ("/wiki/Bar", "p"), ("/wiki/Baz", "p")]), ["/wiki/:id"]);
        assert_eq!(patterns(&[("/wiki/Foo", "p"), ("/wiki/Bar", "p")]), Vec::<String>::new());
        assert_eq!(patterns(&[("/about", "p"), ("/contact", "p"), ("/terms", "p")]), Vec::<String>::new());
    }

    #[test]
    fn two_values_in_one_path_get_names_of_their_own() {
        let found = patterns(&[("/owners/1/pets/1/edit", "form"), ("/owners/2/pets/3/edit", "form")]);
        assert_eq!(found, ["/owners/:ownerId/pets/:petId/edit"]);
    }

    #[test]
    fn what_a_machine_made_is_a_value_by_its_form() {
        let event = "/events/event/2026-11-18/01a1ec50-33fc-706a-8c1d-6b183d359743";
        assert_eq!(without_ids(event), "/events/event/:eventId/:id");
        assert_eq!(without_ids("/commit/2fd4e1c67a2d28fced849ee1bb76e7391b93eb12"), "/commit/:id");
        for name in ["/videos/12", "/2026", "/wiki/added-feeds", "/faq/acce55ed"] {
            assert_eq!(without_ids(name), name);
        }
    }

    #[test]
    fn the_order_of_the_samples_does_not_matter() {
        let mut samples =
            vec![("/a/1/b/1", "s"), ("/a/1/b/2", "s"), ("/a/2/b/9", "s"), ("/c/7", "t"), ("/c/8", "t")];
        let forward = patterns(&samples);
        samples.reverse();
        assert_eq!(forward, patterns(&samples));
    }
}
