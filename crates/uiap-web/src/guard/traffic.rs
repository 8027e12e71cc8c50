//! Whether a request writes, told by its method, its path and what it carries.

use serde_json::Value;

/// Parts of a path that ask although they are posted.
const ASKS: [&str; 22] = [
    "search",
    "_search",
    "msearch",
    "_msearch",
    "filter",
    "filters",
    "count",
    "_count",
    "query",
    "queries",
    "find",
    "lookup",
    "list",
    "autocomplete",
    "suggest",
    "suggestions",
    "preview",
    "validate",
    "aggregate",
    "facets",
    "paginate",
    "batchget",
];
/// Whether a request that carries something changes something on the server. Queries of GraphQL and posts that only ask do not.
/// What is only fetched is judged by its address, see [`Acts`](super::Acts).
pub fn is_write(method: &str, url: &str, body: Option<&str>) -> bool {
    let parts = parts(url);
    match method {
        "GET" | "HEAD" | "OPTIONS" | "TRACE" => false,
        "POST" => match body.and_then(graphql) {
            Some(writes) => writes,
            None => !parts.iter().rev().take(2).any(|part| ASKS.contains(&part.as_str())),
        },
        _ => true,
    }
}

/// Whether a body is GraphQL and changes something; none when it is something else.
fn graphql(body: &str) -> Option<bool> {
    let value: Value = serde_json::from_str(body).ok()?;
    match &value {
        Value::Array(all) => {
            let each: Option<Vec<bool>> = all.iter().map(operation).collect();
            each.filter(|each| !each.is_empty()).map(|each| each.contains(&true))
        }
        other => operation(other),
    }
}

fn operation(value: &Value) -> Option<bool> {
    if let Some(query) = value.get("query").and_then(Value::as_str) {
        let name = value.get("operationName").and_then(Value::as_str);
        return Some(changes(query, name));
    }
    // Of a query that the server knows by its digest there is only the name.
    value.get("extensions")?.get("persistedQuery")?;
    let name = value.get("operationName")?.as_str()?.to_ascii_lowercase();
    Some(
        !["get", "list", "fetch", "search", "load", "query", "find", "count"]
            .iter()
            .any(|word| name.starts_with(word)),
    )
}

/// Whether a document of GraphQL holds a mutation that may run.
fn changes(query: &str, name: Option<&str>) -> bool {
    let mut words = query
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default())
        .flat_map(|line| {
            line.split(|letter: char| !(letter.is_alphanumeric() || letter == '_' || "{}".contains(letter)))
        })
        .filter(|word| !word.is_empty())
        .peekable();
    let mut depth = 0_i32;
    while let Some(word) = words.next() {
        let opens = i32::try_from(word.matches('{').count()).unwrap_or(i32::MAX);
        let closes = i32::try_from(word.matches('}').count()).unwrap_or(i32::MAX);
        // A brace inside of a text may mislead the count; a mutation that is missed would not be held back.
        if depth <= 0 && word.starts_with("mutation") {
            let called = words.peek().and_then(|next| next.split('{').next());
            if name.is_none() || called == name {
                return true;
            }
        }
        depth += opens - closes;
    }
    false
}

fn parts(url: &str) -> Vec<String> {
    path(url).split('/').filter(|part| !part.is_empty()).map(str::to_ascii_lowercase).collect()
}

/// The path of an address.
fn path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/");
    rest.split(['?', '#']).next().unwrap_or("/")
}

/// Writes of one kind: the same method and path, and the same said, whatever the numbers in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WriteKind {
    /// `POST`, …
    pub method: String,
    /// The [`pattern`] of the path.
    pub path: String,
    /// The [`gist`] of what it carries.
    pub gist: String,
}

/// Tells whether two requests carry the same but for numbers, ids and times. A page that saves its settings by itself sends another
/// gist when somebody changes one of them.
pub fn gist(body: Option<&str>) -> String {
    // FNV-1a: the same in every process, and nothing of what was said can be read from it.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | ':' | '+');
    for word in body.unwrap_or_default().split_inclusive(|letter: char| !is_word(letter)) {
        let numbered = word.bytes().any(|byte| byte.is_ascii_digit());
        let kept = if numbered { word.trim_start_matches(is_word) } else { word };
        for byte in kept.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
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
    fn numbers_ids_and_times_do_not_change_the_gist_and_words_do() {
        let same = |one: &str, other: &str| gist(Some(one)) == gist(Some(other));
        assert!(same(
            r#"{"from":"2026-11-18T01:00:00Z","n":1}"#,
            r#"{"from":"2027-01-02T11:30:07Z","n":25}"#
        ));
        assert!(same("id=0a1b-77&q=a", "id=99&q=a"));
        assert!(!same(r#"{"tips":true}"#, r#"{"tips":false}"#));
        assert!(!same(r#"{"title":"One"}"#, r#"{"title":"Two"}"#));
        assert_eq!(gist(None), gist(Some("")));
    }

    #[test]
    fn posts_that_only_ask_are_told_apart_from_those_that_write() {
        let at = |path: &str| format!("http://app.test{path}");
        for (method, path, body, writes) in [
            ("GET", "/videos", None, false),
            ("POST", "/api/search", Some("{}"), false),
            ("POST", "/api/runs/filter", None, false),
            ("POST", "/api/videos", Some("{\"title\":\"x\"}"), true),
            ("POST", "/api/search/saved", Some("{}"), false),
            ("DELETE", "/api/search", None, true),
            ("PUT", "/api/videos/3", None, true),
            ("POST", "/graphql", Some(r#"{"query":"query A { videos { id } }"}"#), false),
            ("POST", "/graphql", Some(r#"{"query":"{ videos { mutation } }"}"#), false),
            ("POST", "/graphql", Some(r#"{"query":"mutation B { drop }"}"#), true),
            ("POST", "/graphql", Some(r#"{"query":"query A{a} mutation B{b}","operationName":"A"}"#), false),
            ("POST", "/graphql", Some(r#"{"query":"query A{a} mutation B{b}","operationName":"B"}"#), true),
            ("POST", "/graphql", Some(r#"[{"query":"{a}"},{"query":"mutation{b}"}]"#), true),
            (
                "POST",
                "/graphql",
                Some(r#"{"operationName":"GetX","extensions":{"persistedQuery":{}}}"#),
                false,
            ),
            ("POST", "/graphql", Some("not json"), true),
        ] {
            assert_eq!(is_write(method, &at(path), body), writes, "{method} {path} {body:?}");
        }
    }

    #[test]
    fn requests_of_one_kind_have_one_pattern() {
        assert_eq!(pattern("http://a.test/api/videos/12/views?x=1"), "/api/videos/:id/views");
        assert_eq!(pattern("http://a.test"), "/");
        assert_eq!(origin("http://u:p@A.test:80/x"), Some("http://a.test:80".to_owned()));
        assert_eq!(origin("data:text/html,x"), None);
    }
}
