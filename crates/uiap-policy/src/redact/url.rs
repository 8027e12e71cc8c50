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
            Some((name, _)) if names_credential(name) || name == "code" || name == "state" => {
                format!("{name}={REDACTED}")
            }
            _ => parameter.to_owned(),
        })
        .collect();
    shown.join("&")
}
