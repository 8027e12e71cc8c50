//! Small comparisons that success signals are made of.

use serde_json::Value;

use crate::capability::signal::SignalValue;
use crate::capability::{Checked, UIState};

/// Whether a path fits a pattern: `:name` stands for one segment, a last `*` for all that follow.
///
/// ```
/// use uiap_model::web::predicate::route_matches;
/// assert!(route_matches("/videos/:id", "/videos/17"));
/// assert!(!route_matches("/videos/:id", "/videos"));
/// assert!(route_matches("/videos/*", "/videos/17/edit"));
/// ```
pub fn route_matches(pattern: &str, path: &str) -> bool {
    let mut wanted = segments(pattern);
    let mut found = segments(path);
    loop {
        match (wanted.next(), found.next()) {
            (Some("*"), Some(_)) if wanted.clone().next().is_none() => return true,
            (Some(name), Some(segment)) if name.starts_with(':') && name.len() > 1 => {
                if segment.is_empty() {
                    return false;
                }
            }
            (Some("*"), Some(_)) => {}
            (Some(wanted), Some(found)) if wanted == found => {}
            (None, None) => return true,
            _ => return false,
        }
    }
}

/// The segments of a path, without query, fragment and a slash at the end.
fn segments(path: &str) -> std::str::Split<'_, char> {
    let end = path.find(['?', '#']).unwrap_or(path.len());
    let bare = path.get(..end).unwrap_or(path);
    let bare = bare.strip_suffix('/').unwrap_or(bare);
    bare.strip_prefix('/').unwrap_or(bare).split('/')
}

/// Whether a text contains another, whatever its case.
pub fn text_contains(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

/// Whether a URL fits a glob: `*` stands for any run of characters. A glob that begins with `/` means the path.
pub fn url_matches(glob: &str, url: &str) -> bool {
    let subject = if glob.starts_with('/') { path_of(url) } else { url };
    let mut parts = glob.split('*');
    let Some(first) = parts.next() else { return subject.is_empty() };
    let Some(mut rest) = subject.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part).and_then(|at| rest.get(at + part.len()..)) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

fn path_of(url: &str) -> &str {
    let after_scheme = url.find("://").and_then(|at| url.get(at + 3..)).unwrap_or(url);
    let path = after_scheme.find('/').and_then(|at| after_scheme.get(at..));
    if url.starts_with('/') { url } else { path.unwrap_or("/") }
}

/// Whether an element's value is the given one: text without outer white space, numbers and switches by value.
pub fn value_equals(state: &UIState, wanted: &SignalValue) -> bool {
    match wanted {
        SignalValue::Text(text) => {
            state.text_value.as_deref().is_some_and(|value| value.trim() == text.trim())
        }
        SignalValue::Number(number) => state.numeric_value == Some(*number),
        SignalValue::Bool(flag) => {
            state.checked == Some(if *flag { Checked::On } else { Checked::Off })
                && state.checked != Some(Checked::Mixed)
        }
    }
}

/// Whether everything that `wanted` says is said by `found` too.
pub fn is_subset(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::Object(wanted), Value::Object(found)) => {
            wanted.iter().all(|(key, value)| found.get(key).is_some_and(|found| is_subset(value, found)))
        }
        (Value::Number(wanted), Value::Number(found)) => wanted.as_f64() == found.as_f64(),
        _ => wanted == found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_matches_path_or_whole_url() {
        assert!(url_matches("/api/videos*", "https://app.example.com/api/videos?page=2"));
        assert!(url_matches("https://*.example.com/*", "https://app.example.com/x"));
        assert!(!url_matches("/api/videos", "https://app.example.com/api/videos/1"));
        assert!(url_matches("*", ""));
        assert!(!url_matches("a*b*c", "a-c"));
    }

    #[test]
    fn a_parameter_stands_for_exactly_one_segment() {
        assert!(route_matches("/", "/"));
        assert!(route_matches("/videos/", "/videos?x=1"));
        assert!(!route_matches("/videos/:id", "/videos/1/2"));
        assert!(!route_matches("/videos/:id", "/videos/"));
        assert!(route_matches("/a/*/c", "/a/b/c"));
    }
}
