//! Addresses as they may be told: without credentials, fragments and values that look like secrets.

/// Longest address that is kept.
const MAX_LENGTH: usize = 2_048;
/// A value at least this long, without a space, is taken for a token.
const TOKEN_LENGTH: usize = 32;
const REDACTED: &str = "redacted";

/// Parts of parameter names whose values nobody needs to see.
const SECRET_NAMES: [&str; 14] = [
    "token",
    "secret",
    "passw",
    "pwd",
    "auth",
    "session",
    "sid",
    "code",
    "otp",
    "sig",
    "apikey",
    "api_key",
    "access",
    "credential",
];

/// The address without what must not leave: user and password, fragment, values of parameters that name a secret or look like
/// a token. Content inside the address itself (`data:`) goes altogether.
pub(crate) fn redact(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once(':') else { return cut(url) };
    if matches!(scheme, "data" | "javascript") {
        return format!("{scheme}:");
    }
    let rest = rest.split('#').next().unwrap_or_default();
    let (place, query) = match rest.split_once('?') {
        Some((place, query)) => (place, Some(query)),
        None => (rest, None),
    };
    let mut told = format!("{scheme}:{}", without_user(place));
    if let Some(query) = query {
        let pairs: Vec<_> = query.split('&').map(redact_pair).collect();
        told.push('?');
        told.push_str(&pairs.join("&"));
    }
    cut(&told)
}

fn without_user(place: &str) -> String {
    let Some(after) = place.strip_prefix("//") else { return place.to_owned() };
    let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("//{host}{path}")
}

fn redact_pair(pair: &str) -> String {
    let Some((name, value)) = pair.split_once('=') else { return pair.to_owned() };
    let lower = name.to_ascii_lowercase();
    let secret = SECRET_NAMES.iter().any(|part| lower.contains(part)) || is_token(value);
    if secret && !value.is_empty() { format!("{name}={REDACTED}") } else { pair.to_owned() }
}

/// Long, unbroken, and with a digit in it: a word of a language is not.
fn is_token(value: &str) -> bool {
    value.len() >= TOKEN_LENGTH
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~'))
}

fn cut(text: &str) -> String {
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= MAX_LENGTH).last().unwrap_or(0);
    if text.len() <= MAX_LENGTH { text.to_owned() } else { text.get(..end).unwrap_or_default().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_told_without_credentials_and_secrets() {
        let cases = [
            ("http://h/api/videos?page=2&q=cat#top", "http://h/api/videos?page=2&q=cat"),
            ("https://me:pw@h:8080/a?x", "https://h:8080/a?x"),
            ("http://h/cb?code=1234&state=ok", "http://h/cb?code=redacted&state=ok"),
            (
                "http://h/?access_token=abc&API_KEY=k&a=",
                "http://h/?access_token=redacted&API_KEY=redacted&a=",
            ),
            ("http://h/?v=0123456789abcdef0123456789abcdef", "http://h/?v=redacted"),
            ("http://h/?password=", "http://h/?password="),
            ("http://h/p@th?u=a@b", "http://h/p@th?u=a@b"),
            ("data:text/html,<b>secret</b>", "data:"),
            ("blob:http://h/1-2", "blob:http://h/1-2"),
        ];
        for (given, told) in cases {
            assert_eq!(redact(given), told);
        }
    }

    #[test]
    fn a_long_address_is_cut_between_characters() {
        let told = redact(&format!("http://h/{}", "ä".repeat(5_000)));
        assert!(told.len() <= MAX_LENGTH && told.len() > MAX_LENGTH - 4);
    }
}
