//! Whether a request only asks, told by its method, its path, what it carries and how frameworks speak. What is not known to ask
//! writes.

use serde_json::Value;

use super::graphql;
use super::traffic::{decoded, parts, query};

/// A request, as far as it says what it does.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sent<'a> {
    pub(super) method: &'a str,
    pub(super) url: &'a str,
    pub(super) body: Option<&'a str>,
    /// Whether the page itself is led there: a form that is sent.
    pub(super) is_document: bool,
    /// Whether a header names a function of the server.
    pub(super) calls_function: bool,
}

/// Words that ask, as the first or the last of a name: `search_read`, `getList`, `_mget`, `query_range`.
const ASKS: &[&str] = &[
    "search",
    "msearch",
    "filter",
    "filters",
    "count",
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
    "get",
    "mget",
    "read",
    "fetch",
    "load",
    "select",
    "history",
    "describe",
    "explain",
    "browse",
];
/// Of those, nouns too: what is posted there with a name may make one.
const NOUNS: &[&str] = &["list", "filter", "filters", "query", "queries", "history", "preview"];
/// Words that change something, wherever in a name they stand.
const WRITES: &[&str] = &[
    "delete",
    "remove",
    "destroy",
    "create",
    "insert",
    "update",
    "upsert",
    "save",
    "saved",
    "patch",
    "publish",
    "send",
    "submit",
    "pay",
    "invite",
    "upload",
    "archive",
    "rename",
    "logout",
    "add",
    "set",
    "put",
    "write",
    "approve",
    "reject",
    "move",
    "copy",
    "duplicate",
    "import",
    "install",
    "start",
    "stop",
    "restart",
    "run",
    "execute",
    "enable",
    "disable",
    "assign",
    "reset",
    "revoke",
    "clear",
    "mark",
    "register",
    "unlink",
];
/// Of those, the ones that count in the parts before the last too.
const STRONG: &[&str] = &[
    "delete", "remove", "destroy", "create", "insert", "update", "save", "saved", "publish", "send",
    "submit", "livewire",
];
/// Where a session is kept alive.
const SESSION: &[&str] =
    &["auth", "oauth", "oauth2", "session", "sessions", "token", "tokens", "jwt", "connect", "login"];

/// Whether a request that is not only fetched changes something on the server.
pub(super) fn is_write(sent: &Sent<'_>) -> bool {
    match sent.method {
        "GET" | "HEAD" | "OPTIONS" | "TRACE" | "SEARCH" | "QUERY" | "PROPFIND" | "REPORT" => false,
        "POST" => !only_asks(sent),
        _ => true,
    }
}

fn only_asks(sent: &Sent<'_>) -> bool {
    let path = parts(sent.url);
    let Some(last) = path.last() else { return false };
    if sent.calls_function || calls_action(sent.url) {
        return false;
    }
    if sent.is_document {
        return words(last).first().is_some_and(|word| word == "search") && !is_made_by_server(sent.body);
    }
    if let Some(writes) = sent.body.and_then(graphql::writes) {
        return !writes;
    }
    if let Some(asks) = sent.body.and_then(|body| of_protocol(last, body)) {
        return asks;
    }
    if is_handshake(&path, sent) || keeps_session(&path, sent.body) {
        return true;
    }
    let strong = |part: &String| words(part).iter().any(|word| STRONG.contains(&word.as_str()));
    if path.iter().rev().skip(1).any(strong) || is_made_by_server(sent.body) {
        return false;
    }
    if last == "data" {
        let charts = ["chart", "charts", "report", "reports", "series"];
        return path.iter().rev().nth(1).is_some_and(|part| charts.contains(&part.as_str()));
    }
    asks(last) && !(NOUNS.contains(&last.as_str()) && names_something(sent.body))
}

/// Whether the name of a function or of the last part of a path asks.
pub(super) fn asks(name: &str) -> bool {
    let words = words(name);
    let asking = |word: Option<&String>| word.is_some_and(|word| ASKS.contains(&word.as_str()));
    (asking(words.first()) || asking(words.last()))
        && !words.iter().any(|word| WRITES.contains(&word.as_str()))
}

/// The words of a name, in small letters.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && before_lower) {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before_lower = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Actions of a page, named in its query: `/todos?/clear`, `?action=trash`, a route of Remix.
fn calls_action(url: &str) -> bool {
    query(url).iter().any(|(name, value)| {
        name.starts_with('/')
            || matches!(name.as_str(), "_data" | "index")
            || (matches!(name.as_str(), "action" | "do" | "op" | "cmd" | "task" | "handler") && !asks(value))
    })
}

/// Frameworks that send the whole page back and say in a field what was pressed.
fn is_made_by_server(body: Option<&str>) -> bool {
    body.is_some_and(|body| {
        ["__VIEWSTATE", "javax.faces.ViewState", "wire:"].iter().any(|sign| body.contains(sign))
    })
}

/// What protocols say that are spoken in posts; none where nothing of the kind is said.
fn of_protocol(last: &str, body: &str) -> Option<bool> {
    if last == "$batch" {
        return Some(only_gets(body));
    }
    let value: Value = serde_json::from_str(body).ok()?;
    let calls: Vec<&Value> = value.as_array().map_or_else(|| vec![&value], |all| all.iter().collect());
    let each: Option<Vec<bool>> = calls.into_iter().map(of_call).collect();
    each.filter(|each| !each.is_empty()).map(|each| !each.contains(&false))
}

/// A call by its name: of JSON-RPC, where a general one names the real one, or a message of CometD.
fn of_call(call: &Value) -> Option<bool> {
    if let Some(channel) = call.get("channel").and_then(Value::as_str) {
        return Some(channel.starts_with("/meta/"));
    }
    call.get("jsonrpc")?;
    let named = call.get("params").and_then(|params| params.get("method")).or_else(|| call.get("method"));
    Some(
        named
            .and_then(Value::as_str)
            .is_some_and(|name| asks(name.rsplit(['.', '/']).next().unwrap_or(name))),
    )
}

/// Whether every request in a bundle only fetches.
fn only_gets(body: &str) -> bool {
    if let Ok(value) = serde_json::from_str::<Value>(body) {
        let requests = value.get("requests").and_then(Value::as_array);
        let gets =
            |each: &Value| each.get("method").and_then(Value::as_str).is_some_and(|method| method == "GET");
        return requests.is_some_and(|all| !all.is_empty() && all.iter().all(gets));
    }
    let methods = ["GET ", "POST ", "PUT ", "PATCH ", "DELETE ", "MERGE "];
    let lines = || body.lines().filter_map(|line| methods.iter().find(|method| line.starts_with(**method)));
    lines().next().is_some() && lines().all(|method| *method == "GET ")
}

/// What sockets and their stand-ins say before anything is said through them.
fn is_handshake(path: &[String], sent: &Sent<'_>) -> bool {
    let has = |name: &str| path.iter().any(|part| part == name);
    let polls =
        (has("socket.io") || has("engine.io")) && query(sent.url).iter().any(|(name, _)| name == "transport");
    // `4` is a message and `42` an event; what else there is opens, closes and keeps alive.
    let speaks = sent.body.is_some_and(|body| {
        body.split('\u{1e}').any(|each| each.starts_with("42") || each.starts_with("45"))
    });
    (polls && !speaks) || path.last().is_some_and(|last| last == "negotiate")
}

/// Whether it renews what proves who one is.
fn keeps_session(path: &[String], body: Option<&str>) -> bool {
    if body.is_some_and(|body| decoded(body).contains("grant_type=refresh_token")) {
        return true;
    }
    let Some((last, before)) = path.split_last() else { return false };
    let words = words(last);
    let renews = words.iter().any(|word| word == "refresh" || word == "renew" || word == "refreshtoken");
    let is_session = |word: &str| SESSION.contains(&word);
    renews
        && words.iter().all(|word| word.starts_with("re") || is_session(word))
        && (words.iter().any(|word| is_session(word)) || before.iter().any(|part| is_session(part)))
}

/// Whether what is carried has a name or a title of its own.
fn names_something(body: Option<&str>) -> bool {
    let value = body.and_then(|body| serde_json::from_str::<Value>(body).ok());
    value
        .is_some_and(|value| ["name", "title"].iter().any(|key| value.get(key).is_some_and(Value::is_string)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writes(method: &str, path: &str, body: &str) -> bool {
        let url = format!("http://app.test{path}");
        let body = Some(body).filter(|body| !body.is_empty());
        is_write(&Sent { method, url: &url, body, ..Sent::default() })
    }

    /// One line for each kind of traffic that somebody met.
    #[test]
    fn what_asks_is_told_apart_from_what_writes() {
        for (method, path, body) in [
            ("SEARCH", "/api/items", ""),
            ("QUERY", "/api/items", "{}"),
            ("PROPFIND", "/dav/", ""),
            ("REPORT", "/dav/", ""),
            ("POST", "/api/search", "{}"),
            ("POST", "/api/runs/filter", ""),
            ("POST", "/api/runs/count", "{}"),
            ("POST", "/api/users/search", r#"{"name":"An"}"#),
            ("POST", "/web/dataset/search_read", "{}"),
            ("POST", "/api/v1/query_range", "query=up"),
            ("POST", "/api/getList", "{}"),
            ("POST", "/index/_mget", "{}"),
            ("POST", "/db/_find", "{}"),
            ("POST", "/solr/core/select", "q=a"),
            ("POST", "/items/3/history", "{}"),
            ("POST", "/api/v1/chart/data", "{}"),
            ("POST", "/shop.v1.Shop/GetItem", "{}"),
            ("POST", "/twirp/shop.Shop/ListItems", "{}"),
            ("POST", "/rpc", r#"{"jsonrpc":"2.0","method":"items.list"}"#),
            (
                "POST",
                "/web/dataset/call_kw",
                r#"{"jsonrpc":"2.0","method":"call","params":{"method":"search_read"}}"#,
            ),
            ("POST", "/odata/$batch", "--b\r\nContent-Type: application/http\r\n\r\nGET Items HTTP/1.1\r\n"),
            ("POST", "/odata/$batch", r#"{"requests":[{"method":"GET","url":"Items"}]}"#),
            ("POST", "/hub/negotiate", ""),
            ("POST", "/socket.io/?EIO=4&transport=polling", "40"),
            ("POST", "/cometd", r#"[{"channel":"/meta/connect"}]"#),
            ("POST", "/auth/refresh", "{}"),
            ("POST", "/api/token/refresh", "{}"),
            ("POST", "/oauth/token", "grant_type=refresh_token&refresh_token=x"),
            ("POST", "/graphql", r#"{"query":"query A { videos { id } }"}"#),
        ] {
            assert!(!writes(method, path, body), "{method} {path} {body} only asks");
        }
        for (method, path, body) in [
            ("PUT", "/api/videos/3", ""),
            ("DELETE", "/api/search", ""),
            ("POST", "/api/videos", r#"{"title":"x"}"#),
            ("POST", "/list/remove", "{}"),
            ("POST", "/filters/create", "{}"),
            ("POST", "/api/list/items", "{}"),
            ("POST", "/api/search/saved", "{}"),
            ("POST", "/api/saved_objects/search", "{}"),
            ("POST", "/api/filters", r#"{"name":"Mine"}"#),
            ("POST", "/api/getOrCreateRoom", "{}"),
            ("POST", "/todos/list?/delete", ""),
            ("POST", "/search?/clear", ""),
            ("POST", "/admin-ajax.php?action=trash", ""),
            ("POST", "/search?_data=routes%2Fsearch", ""),
            ("POST", "/livewire/message/search", "{}"),
            ("POST", "/Customers/List", "__VIEWSTATE=x"),
            ("POST", "/shop.v1.Shop/DeleteItem", "{}"),
            ("POST", "/rpc", r#"{"jsonrpc":"2.0","method":"items.remove"}"#),
            ("POST", "/rpc", r#"[{"jsonrpc":"2.0","method":"list"},{"jsonrpc":"2.0","method":"drop"}]"#),
            (
                "POST",
                "/web/dataset/call_kw",
                r#"{"jsonrpc":"2.0","method":"call","params":{"method":"unlink"}}"#,
            ),
            ("POST", "/odata/$batch", "GET Items HTTP/1.1\r\n\r\nDELETE Items(3) HTTP/1.1\r\n"),
            ("POST", "/socket.io/?EIO=4&transport=polling", r#"42["delete",3]"#),
            ("POST", "/cometd", r#"[{"channel":"/service/delete"}]"#),
            ("POST", "/users/3/token", "{}"),
            ("POST", "/graphql", r#"{"query":"mutation B { drop }"}"#),
            ("POST", "/trpc/items.remove", "{}"),
        ] {
            assert!(writes(method, path, body), "{method} {path} {body} writes");
        }
    }

    #[test]
    fn forms_and_functions_of_the_server_write_wherever_they_are_sent() {
        let sent = Sent { method: "POST", url: "http://app.test/Customers/List", ..Sent::default() };
        assert!(!is_write(&sent));
        assert!(is_write(&Sent { is_document: true, ..sent }));
        assert!(is_write(&Sent { calls_function: true, ..sent }));
        let search = Sent { url: "http://app.test/search", is_document: true, ..sent };
        assert!(!is_write(&search));
        assert!(is_write(&Sent { calls_function: true, ..search }));
    }
}
