//! Addresses: who logs in and what a parameter's name gives away as a credential is taken out.

use super::{REDACTED, Redactor};
use crate::redact::tree::names_credential;

impl Redactor {
    /// An address as it may be shown.
    pub fn url(&self, url: &str) -> String {
        let url = without_user(url);
        let (address, fragment) = match url.split_once('#') {
            Some((address, fragment)) => (address, Some(fragment)),
            None => (url.as_str(), None),
        };
        let mut out = match address.split_once('?') {
            Some((path, query)) => format!("{path}?{}", parameters(query)),
            None => address.to_owned(),
        };
        if let Some(fragment) = fragment {
            out.push('#');
            out.push_str(&parameters(fragment));
        }
        self.text(&out)
    }
}

fn without_user(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}{tail}")
}

fn parameters(query: &str) -> String {
    let shown: Vec<String> = query
        .split('&')
        .map(|parameter| match parameter.split_once('=') {
            Some((name, _)) if names_secret(name) || name == "code" || name == "state" => {
                format!("{name}={REDACTED}")
            }
            _ => parameter.to_owned(),
        })
        .collect();
    shown.join("&")
}

/// Whether a parameter of that name holds what opens a door.
fn names_secret(name: &str) -> bool {
    names_credential(name)
        || ["sid", "session", "jsessionid", "phpsessid", "auth", "pwd", "passwd"]
            .iter()
            .any(|each| name.eq_ignore_ascii_case(each))
}

/// Takes the values of such parameters out of any text, such as an address in an error message.
pub(super) fn within(text: &str) -> Option<String> {
    const ENDS: &[char] = &['&', '"', '\'', '\\', '<', '>', ')', ']', '}', ',', ';'];
    let is_name = |each: char| each.is_ascii_alphanumeric() || each == '_' || each == '-';
    let mut out = String::new();
    let mut rest = text;
    let mut changed = false;
    while let Some(at) = rest.find('=') {
        let (before, after) = (rest.get(..at)?, rest.get(at + 1..)?);
        let start = before.rfind(|each| !is_name(each)).map_or(0, |at| at + 1);
        let name = before.get(start..).unwrap_or_default();
        let in_query = before.get(..start).is_some_and(|head| head.ends_with(['?', '&']));
        let end =
            after.find(|each: char| each.is_whitespace() || ENDS.contains(&each)).unwrap_or(after.len());
        out.push_str(before);
        out.push('=');
        let secret = names_secret(name) || in_query && matches!(name, "code" | "state");
        if secret && end > 0 && !after.starts_with(REDACTED) {
            out.push_str(REDACTED);
            rest = after.get(end..)?;
            changed = true;
        } else {
            rest = after;
        }
    }
    changed.then(|| out + rest)
}
