//! Requests of one kind: what a page is known to write by itself is known by its address and by what it carries.

/// The parts of the path of an address, in small letters but for the last, whose words may be told apart by large ones.
pub(super) fn parts(url: &str) -> Vec<String> {
    let mut parts: Vec<String> =
        path(url).split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    let last = parts.pop();
    let before = parts.iter().map(|part| part.to_ascii_lowercase());
    before.chain(last).collect()
}

/// Names and values of a query, as they were before they were made fit for an address.
pub(super) fn query(url: &str) -> Vec<(String, String)> {
    let query = url.split('#').next().and_then(|url| url.split_once('?')).map_or("", |(_, query)| query);
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(a, b)| (decoded(a), decoded(b)))
        .collect()
}

/// The path of an address.
fn path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/");
    rest.split(['?', '#']).next().unwrap_or("/")
}

/// A text without the signs by which it was made fit for an address.
pub(super) fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        let mut ahead = rest.clone();
        match (byte, digit(ahead.next()), digit(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
                rest = ahead;
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Writes of one kind: the same method and path, and the same said, whatever the ids and times in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WriteKind {
    /// `POST`, …
    pub method: String,
    /// The [`pattern`] of the path.
    pub path: String,
    /// The [`gist`] of what it carries.
    pub gist: String,
}

/// Tells whether two requests say the same but for ids and times, in their query and in what they carry. A page that saves its
/// settings by itself sends another gist when somebody changes one of them.
pub fn gist(url: &str, body: Option<&str>) -> String {
    // FNV-1a: the same in every process, and nothing of what was said can be read from it.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |text: &str| {
        for byte in text.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | ':' | '+');
    let query = url.split('#').next().and_then(|url| url.split_once('?')).map_or("", |(_, query)| query);
    for text in [query, body.unwrap_or_default()] {
        for word in decoded(text).split_inclusive(|letter: char| !is_word(letter)) {
            let said = word.trim_end_matches(|letter: char| !is_word(letter));
            add(if is_moment_or_id(said) { word.get(said.len()..).unwrap_or_default() } else { word });
        }
        add("\n");
    }
    format!("{hash:016x}")
}

/// Whether a word is a moment, or names one thing among many: many digits, or a long mix of them with letters. A small number is
/// a value, and a value that changed is something else that is said.
fn is_moment_or_id(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let is_hex = word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    digits >= 6 || (word.len() >= 16 && digits > 2) || (word.len() >= 8 && is_hex && digits > 0)
}

/// The path of an address with numbers and long ids taken out: requests of one kind have the same.
pub fn pattern(url: &str) -> String {
    let part = |part: &str| {
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        let is_id = digits * 2 > part.len() || (part.len() >= 20 && digits > 2);
        if is_id { ":id".to_owned() } else { part.to_owned() }
    };
    path(url).split('/').map(part).collect::<Vec<_>>().join("/")
}

/// Scheme, host and port of an address of the web.
pub fn origin(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    if !matches!(scheme, "http" | "https" | "ws" | "wss") {
        return None;
    }
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    Some(format!("{scheme}://{host}").to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_times_do_not_change_the_gist_and_values_do() {
        let same = |one: &str, other: &str| {
            gist("http://a.test/x", Some(one)) == gist("http://a.test/x", Some(other))
        };
        assert!(same(
            r#"{"from":"2026-11-18T01:00:00Z","at":1700000001}"#,
            r#"{"from":"2027-01-02T11:30:07Z","at":1700000777}"#
        ));
        assert!(same(
            "id=0a1b77c2-1111-4222-8333-123456789abc&q=a",
            "id=99aa77c2-1111-4222-8333-123456789abd&q=a"
        ));
        for (one, other) in [
            (r#"{"tips":true}"#, r#"{"tips":false}"#),
            (r#"{"title":"One"}"#, r#"{"title":"Two"}"#),
            (r#"{"fontSize":14}"#, r#"{"fontSize":99}"#),
            (r#"{"enabled":1}"#, r#"{"enabled":0}"#),
            ("ctl00%24btnSave=x", "ctl00%24btnDelete=x"),
        ] {
            assert!(!same(one, other), "{one} and {other}");
        }
        let told = |url: &str| gist(url, None);
        assert_ne!(told("http://a.test/todos?/seen"), told("http://a.test/todos?/clear"));
        assert_ne!(told("http://a.test/ajax?action=beat"), told("http://a.test/ajax?action=trash"));
        assert_eq!(told("http://a.test/beat?t=1700000001"), told("http://a.test/beat?t=1700000002"));
        assert_eq!(gist("http://a.test/x", None), gist("http://a.test/x", Some("")));
    }

    #[test]
    fn requests_of_one_kind_have_one_pattern() {
        assert_eq!(pattern("http://a.test/api/videos/12/views?x=1"), "/api/videos/:id/views");
        assert_eq!(pattern("http://a.test"), "/");
        assert_eq!(origin("http://u:p@A.test:80/x"), Some("http://a.test:80".to_owned()));
        assert_eq!(origin("data:text/html,x"), None);
    }
}
