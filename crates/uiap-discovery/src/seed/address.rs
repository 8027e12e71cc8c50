//! Addresses of the app, and those that are not.

/// Why an address is no base for a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an http or https address")]
pub struct NoBase(String);

/// Why an address is not visited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Outside {
    /// It belongs to somebody else.
    #[error("`{0}` is not an address of the app")]
    Origin(String),
    /// Not of the web.
    #[error("`{0}` is no address of the web")]
    Scheme(String),
}

/// The app's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    url: String,
    origin: String,
}

impl Base {
    /// Reads the address at which a run begins.
    pub fn parse(url: &str) -> Result<Self, NoBase> {
        let origin = origin(url).ok_or_else(|| NoBase(url.to_owned()))?;
        Ok(Self { url: url.to_owned(), origin })
    }

    /// The address itself.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Whether an address belongs to the app.
    pub fn owns(&self, url: &str) -> bool {
        origin(url).is_some_and(|origin| origin == self.origin)
    }

    /// The whole address of a link, when it leads into the app.
    pub fn within(&self, link: &str) -> Result<String, Outside> {
        let link = link.trim();
        if link.starts_with("//") {
            return Err(Outside::Origin(link.to_owned()));
        }
        if link.starts_with('/') {
            return Ok(format!("{}{link}", self.origin));
        }
        match link.split_once(':') {
            Some(("http" | "https", _)) if self.owns(link) => Ok(link.to_owned()),
            Some(("http" | "https", _)) => Err(Outside::Origin(link.to_owned())),
            Some((scheme, _)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
                Err(Outside::Scheme(link.to_owned()))
            }
            _ if link.is_empty() || link.starts_with('#') => Err(Outside::Scheme(link.to_owned())),
            _ => {
                let place = self.url.split(['?', '#']).next().unwrap_or_default();
                let place =
                    if place.len() <= self.origin.len() { format!("{place}/") } else { place.to_owned() };
                let folder = place.rfind('/').and_then(|at| place.get(..=at)).unwrap_or(&place);
                Ok(format!("{folder}{}", link.trim_start_matches("./")))
            }
        }
    }
}

/// Scheme, host and port in one spelling: lower case, without the usual port.
pub fn origin(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let usual = match scheme.as_str() {
        "http" => ":80",
        "https" => ":443",
        _ => return None,
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    if authority.is_empty() || authority.contains(['@', '\\', ' ']) {
        return None;
    }
    let host = authority.strip_suffix(usual).unwrap_or(&authority);
    Some(format!("{scheme}://{host}"))
}

/// The host of an origin, without its port.
pub(crate) fn host(origin: &str) -> &str {
    let authority = origin.split_once("://").map_or(origin, |(_, rest)| rest);
    match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => authority.split(':').next().unwrap_or(authority),
    }
}

/// Whether a host is this machine or a private one, or calls itself a place for trying.
pub(crate) fn is_for_trying(host: &str) -> bool {
    const WORDS: [&str; 16] = [
        "staging",
        "stage",
        "stg",
        "test",
        "testing",
        "demo",
        "dev",
        "develop",
        "qa",
        "uat",
        "sandbox",
        "preview",
        "local",
        "localhost",
        "internal",
        "example",
    ];
    if let Ok(address) = host.parse::<std::net::IpAddr>() {
        return match address {
            std::net::IpAddr::V4(address) => address.is_loopback() || address.is_private(),
            std::net::IpAddr::V6(address) => address.is_loopback() || address.is_unique_local(),
        };
    }
    let mut parts = host.split(['.', '-', '_']);
    !host.contains('.')
        || parts.any(|part| WORDS.contains(&part.trim_end_matches(|letter: char| letter.is_ascii_digit())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_into_the_app_are_completed_and_others_refused() {
        let base = Base::parse("http://app.test:8080/shop/start?x=1").unwrap();
        assert_eq!(base.within("/videos").unwrap(), "http://app.test:8080/videos");
        assert_eq!(base.within("cart").unwrap(), "http://app.test:8080/shop/cart");
        assert_eq!(base.within("http://APP.test:8080/a").unwrap(), "http://APP.test:8080/a");
        for foreign in [
            "http://app.test/a",
            "https://app.test:8080/",
            "//evil.test/",
            "mailto:a@b",
            "javascript:x",
            "#top",
            "http://app.test:8080@evil.test/",
        ] {
            assert!(base.within(foreign).is_err(), "{foreign}");
        }
        assert!(Base::parse("ftp://app.test/").is_err());
    }
}
