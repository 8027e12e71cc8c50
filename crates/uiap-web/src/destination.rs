//! Why an address could not be gone to, in plain words and with what to do about it.

/// What the browser says by a code, and what it means for whoever gave the address.
const REASONS: &[(&str, &str)] = &[
    ("ERR_CONNECTION_REFUSED", "nothing listens there; is the app running, and is the port right?"),
    ("ERR_NAME_NOT_RESOLVED", "no such host is known; check its spelling and the network"),
    ("ERR_INTERNET_DISCONNECTED", "there is no network"),
    ("ERR_ADDRESS_UNREACHABLE", "there is no way to that host; check the network"),
    ("ERR_CONNECTION_TIMED_OUT", "the host did not answer in time"),
    ("ERR_TIMED_OUT", "the host did not answer in time"),
    ("ERR_CONNECTION_RESET", "the connection was cut off; try again, or look at the server's log"),
    ("ERR_CONNECTION_CLOSED", "the connection was cut off; try again, or look at the server's log"),
    ("ERR_EMPTY_RESPONSE", "the server answered nothing; look at its log"),
    ("ERR_SSL_PROTOCOL_ERROR", "the server speaks no TLS; try `http://`"),
    ("ERR_CERT_", "its certificate is not trusted"),
    ("ERR_TOO_MANY_REDIRECTS", "it redirects without end"),
    ("ERR_FILE_NOT_FOUND", "there is no such file"),
    ("ERR_UNSAFE_PORT", "browsers refuse that port; choose another one"),
    ("ERR_UNKNOWN_URL_SCHEME", "the browser knows no such scheme; use `https://` or `http://`"),
    ("ERR_BLOCKED_BY_CLIENT", "the browser blocks it"),
    (
        "ERR_ABORTED",
        "it led to nothing that can be shown: a download, an empty answer, or an address that may not be visited",
    ),
];

/// What goes without `//`.
const SCHEMES: [&str; 5] = ["about:", "data:", "blob:", "javascript:", "view-source:"];

/// The browser's words such as `net::ERR_CONNECTION_REFUSED`, explained; they stand behind for whoever looks them up.
pub(crate) fn explain(address: &str, reason: &str) -> String {
    // `localhost:8080` reads as an address of the scheme `localhost`.
    if !address.contains("://") && !SCHEMES.iter().any(|scheme| address.starts_with(scheme)) {
        return format!("{} ({reason})", suggest(address));
    }
    let known = REASONS.iter().find(|(code, _)| reason.contains(code));
    known.map_or_else(|| reason.to_owned(), |(_, words)| format!("{words} ({reason})"))
}

/// How an address begins that was meant, where that can be told.
pub(crate) fn suggest(address: &str) -> String {
    let host = address.split(['/', '?', '#']).next().unwrap_or_default();
    let local = host.starts_with("localhost") || host.starts_with("127.") || host.starts_with("[::1]");
    match (local, host.contains('.') && !host.contains(char::is_whitespace)) {
        (true, _) => format!("did you mean `http://{address}`?"),
        (_, true) => format!("did you mean `https://{address}`?"),
        _ => "an address begins with a scheme, such as `https://example.com/` or `http://127.0.0.1:8080/`"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_explained_and_unknown_ones_stay() {
        let there = |reason: &str| explain("https://shop.example/", reason);
        assert!(there("net::ERR_CONNECTION_REFUSED").starts_with("nothing listens there"));
        assert!(there("net::ERR_CERT_DATE_INVALID").contains("certificate"));
        assert_eq!(there("net::ERR_SOMETHING_NEW"), "net::ERR_SOMETHING_NEW");
    }

    #[test]
    fn a_forgotten_scheme_is_proposed() {
        assert_eq!(suggest("localhost:8080/x"), "did you mean `http://localhost:8080/x`?");
        assert!(
            explain("localhost:80", "net::ERR_ABORTED").starts_with("did you mean `http://localhost:80`?")
        );
        assert_eq!(suggest("shop.example/cart"), "did you mean `https://shop.example/cart`?");
        assert!(suggest("not-a-url").starts_with("an address begins with a scheme"));
    }
}
