//! Addresses as patterns: which parts of a path name a place, and which name one thing among many.

mod learn;

pub use learn::{Learned, Sample, learn, without_ids};

use std::borrow::Cow;

use uiap_model::web::RouteState;

/// What stands for a value in a normalised path.
pub const VALUE: &str = ":id";

/// Parameters of a query whose words choose a view, in apps that have one address for all of them.
const VIEW_KEYS: &[&str] = &[
    "action",
    "cmd",
    "controller",
    "do",
    "mode",
    "module",
    "op",
    "panel",
    "r",
    "route",
    "screen",
    "section",
    "step",
    "tab",
    "task",
    "view",
];

/// The place that a page shows, told by this page alone: the declared route, else the path with its values taken out.
///
/// It never depends on what was seen before, so that a state has the same key whoever finds it first.
pub fn route_key(route: &RouteState) -> String {
    match &route.route_id {
        Some(id) => format!("route {id}"),
        None => format!("path {}", normalised(&route.url)),
    }
}

/// Whether the address names one thing among many.
pub fn has_value(url: &str) -> bool {
    segments(&path_of(url)).any(looks_like_value)
}

/// The path with its values taken out, without page extensions, query (but for words that choose a view) and fragment (but for
/// routes in it).
pub fn normalised(url: &str) -> String {
    let path = path_of(url);
    let mut out = String::from("/");
    for segment in segments(&path).map(without_ending).filter(|segment| !segment.is_empty()) {
        if out.len() > 1 {
            out.push('/');
        }
        out.push_str(if looks_like_value(segment) { VALUE } else { segment });
    }
    for (key, value) in view_choices(url) {
        out.push_str(&format!("?{key}={value}"));
    }
    out
}

/// The path of an address as an app is asked for it, with a route that is kept in the fragment, without a slash at the end.
pub fn path_of(url: &str) -> String {
    let (address, fragment) = url.split_once('#').unwrap_or((url, ""));
    let path = address.split('?').next().unwrap_or_default();
    let trimmed = raw_path(path).trim_end_matches('/');
    let mut out = if trimmed.is_empty() { String::from("/") } else { trimmed.to_owned() };
    let inner = fragment.trim_start_matches('!');
    if inner.starts_with('/') {
        let inner = inner.split('?').next().unwrap_or_default().trim_end_matches('/');
        out = format!("{}/#{inner}", out.trim_end_matches('/'));
    }
    out
}

/// An address that shows the same place again: what was asked for, and of its query the words that choose a view.
pub fn example_of(url: &str) -> String {
    let (address, fragment) = url.split_once('#').unwrap_or((url, ""));
    let mut out = raw_path(address.split('?').next().unwrap_or_default()).to_owned();
    for (at, (key, value)) in view_choices(url).iter().enumerate() {
        out.push_str(&format!("{}{key}={value}", if at == 0 { '?' } else { '&' }));
    }
    if fragment.trim_start_matches('!').starts_with('/') {
        out.push_str(&format!("#{}", fragment.split('?').next().unwrap_or_default()));
    }
    out
}

/// A path without what says how its page is made.
pub fn bare(path: &str) -> String {
    let parts: Vec<&str> = segments(path).map(without_ending).filter(|part| !part.is_empty()).collect();
    format!("/{}", parts.join("/"))
}

/// What follows scheme, host and port.
fn raw_path(address: &str) -> &str {
    match address.split_once("://") {
        Some((_, rest)) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/"),
        None => address,
    }
}

/// A part of a path without what says how the page is made.
fn without_ending(segment: &str) -> &str {
    if ["index.html", "index.htm", "index.php"].contains(&segment) {
        return "";
    }
    [".html", ".htm"].iter().find_map(|end| segment.strip_suffix(end)).unwrap_or(segment)
}

/// The parts of a path between its slashes.
pub fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !segment.is_empty())
}

/// Words of the query that choose a view, in a fixed order.
fn view_choices(url: &str) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
    let query =
        url.split('#').next().and_then(|address| address.split_once('?')).map_or("", |(_, query)| query);
    let mut found: Vec<(Cow<'_, str>, Cow<'_, str>)> = query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (decoded(key), decoded(value)))
        .filter(|(key, value)| VIEW_KEYS.contains(&key.to_ascii_lowercase().as_str()) && is_word(value))
        .collect();
    found.sort();
    found
}

fn is_word(value: &str) -> bool {
    (1..=40).contains(&value.len())
        && value.chars().all(|letter| letter.is_alphabetic() || "/_-.".contains(letter))
}

/// Whether a part of a path looks like a value: a number, an id, an address, a title. Short words that end in a digit or two,
/// such as `v2` and `step1`, are names.
pub fn looks_like_value(segment: &str) -> bool {
    let segment = decoded(without_ending(segment));
    let digits = segment.chars().filter(char::is_ascii_digit).count();
    if digits == segment.chars().count() && digits > 0 {
        return true;
    }
    if segment.contains(['@', ' ', ',', '=', '%']) || segment.chars().count() > 48 {
        return true;
    }
    if segment.matches('-').count() >= 3 || segment.matches('_').count() >= 4 {
        return true;
    }
    digits > 0 && !is_numbered_word(&segment, digits)
}

fn is_numbered_word(segment: &str, digits: usize) -> bool {
    let letters = segment.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let trailing = segment.len() - letters.len();
    let plain = |text: &str| text.chars().all(|letter| letter.is_alphabetic() || "-_.".contains(letter));
    let ends =
        trailing == digits && trailing <= 2 && !letters.is_empty() && !letters.ends_with(['-', '_', '.']);
    // `2fa`, `3d-view`: one digit in front of a word.
    let begins =
        digits == 1 && segment.starts_with(|first: char| first.is_ascii_digit()) && segment.len() <= 8;
    (ends && plain(letters)) || (begins && plain(segment.get(1..).unwrap_or_default()))
}

/// Percent escapes undone where they are UTF-8.
fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let hex = (byte == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        let value = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(value.unwrap_or(byte));
        at += if value.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_from_names() {
        for value in [
            "12",
            "2f1c9a0e",
            "INV-2024-001",
            "550e8400-e29b-41d4-a716-446655440000",
            "my-first-video-ever",
            "a@b.example",
            "12-some-title",
            "2026",
        ] {
            assert!(looks_like_value(value), "{value}");
        }
        for name in ["videos", "new", "v2", "step1", "oauth2", "2fa", "sign-in", "api_keys", "3d"] {
            assert!(!looks_like_value(name), "{name}");
        }
    }

    /// Requirement: DISC-11.3-02
    #[test]
    fn the_order_of_a_query_does_not_matter_and_another_path_does() {
        let one = normalised("https://app.example/videos?b=2&a=1");
        assert_eq!(one, normalised("https://app.example/videos?a=1&b=2"));
        assert_eq!(one, "/videos");
        assert_ne!(one, normalised("https://app.example/team"));
    }

    #[test]
    fn an_address_is_the_same_with_and_without_its_page_extension() {
        assert_eq!(normalised("http://h/owners/2.html"), "/owners/:id");
        assert_eq!(normalised("http://h/owners/2/"), "/owners/:id");
        assert_eq!(normalised("http://h/"), "/");
        assert_eq!(normalised("http://h/index.html"), "/");
    }

    #[test]
    fn a_path_is_what_an_app_is_asked_for() {
        assert_eq!(path_of("http://h/owners/2.html?x=1"), "/owners/2.html");
        assert_eq!(path_of("http://h/owners/"), "/owners");
        assert!(has_value("http://h/owners/2.html") && !has_value("http://h/owners/index.html"));
        assert_eq!(example_of("http://h/index.php?nonce=8&action=edit"), "/index.php?action=edit");
        assert_eq!(example_of("http://h/app?tab=all#/videos"), "/app?tab=all#/videos");
        assert_eq!(example_of("http://h/app/#!/videos/7?x=1"), "/app/#!/videos/7");
        assert_eq!(example_of("http://h"), "/");
        assert_eq!(bare("/shop/index.html"), "/shop");
    }

    #[test]
    fn routes_in_fragments_and_words_that_choose_a_view_count() {
        assert_eq!(normalised("http://h/app#/videos/12?x=1"), "/app/#/videos/:id");
        assert_eq!(normalised("http://h/app#section"), "/app");
        assert_eq!(normalised("http://h/index.php?page=3&action=edit"), "/?action=edit");
        assert_eq!(normalised("http://h/a?tab=12"), "/a");
    }
}
