//! What an address does when somebody only asks for it. One judge for both who need one: whoever decides about a link, a form or a
//! seed before it is followed, and the guard that sees the request leave.

use super::lexicon::{Consequence, NOUNS, PHRASES, of_word, split};

/// Verbs that make a guard look at requests which it otherwise lets pass unseen: for pictures, scripts, styles, prefetches.
pub const VERBS: &[&str] = &[
    "logout",
    "log-out",
    "log_out",
    "logoff",
    "signout",
    "sign-out",
    "sign_out",
    "delete",
    "remove",
    "destroy",
    "erase",
    "purge",
    "trash",
    "discard",
    "unsubscribe",
    "revoke",
    "deactivate",
    "publish",
    "approve",
    "reject",
    "vote",
    "like",
    "archive",
    "restart",
    "reboot",
    "shutdown",
    "add-to-cart",
    "cart/add",
    "action=",
    "_method=",
];

/// Ends of scripts on servers: what stands before them is the verb.
const SCRIPTS: &[&str] =
    &["php", "html", "htm", "do", "action", "asp", "aspx", "jsp", "jsf", "cgi", "pl", "py", "cfm"];
/// Ends of files, which only lie there, whatever they are called.
const FILES: &[&str] = &[
    "js", "mjs", "cjs", "ts", "tsx", "jsx", "vue", "svelte", "css", "scss", "map", "json", "wasm", "png",
    "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "woff", "woff2", "ttf", "otf", "eot", "mp3", "mp4",
    "webm", "txt", "xml", "md",
];
/// Parameters whose value says what is asked for or shown, or where one goes next.
const ASKING: &[&str] = &[
    "q",
    "query",
    "s",
    "search",
    "term",
    "keyword",
    "keywords",
    "filter",
    "sort",
    "sortby",
    "order",
    "orderby",
    "by",
    "status",
    "state",
    "tab",
    "view",
    "type",
    "kind",
    "category",
    "tag",
    "tags",
    "label",
    "lang",
    "locale",
    "next",
    "return",
    "returnto",
    "returnurl",
    "redirect",
    "redirecturi",
    "url",
    "from",
    "to",
    "ref",
    "title",
    "name",
    "page",
    "fields",
    "include",
    "expand",
    "columns",
    "scope",
    "section",
    "topic",
];
/// Parameters whose value is a verb.
const DOING: &[&str] = &[
    "action",
    "act",
    "do",
    "op",
    "operation",
    "cmd",
    "command",
    "task",
    "method",
    "event",
    "func",
    "function",
];
/// Verbs that change something also as the name of a parameter: `?vote=3`.
const NAMED: &[&str] = &[
    "like",
    "unlike",
    "vote",
    "upvote",
    "downvote",
    "approve",
    "reject",
    "follow",
    "unfollow",
    "restart",
    "enable",
    "disable",
    "activate",
    "favorite",
    "favourite",
    "bookmark",
    "restore",
    "duplicate",
    "clone",
];
/// Verbs that stand for a form or a part of an entry where a path ends in them.
const PARTS: &[&str] =
    &["update", "set", "schedule", "book", "rate", "switch", "choose", "continue", "register", "make"];
/// What things are put into.
const BASKETS: &[&str] = &["cart", "basket", "bag", "wishlist", "favorites", "favourites", "compare"];
/// Parameters that only links carry which write: they prove that the app itself made the link.
const PROOFS: &[&str] =
    &["nonce", "wpnonce", "csrf", "csrftoken", "xsrf", "authenticitytoken", "sesskey", "formkey"];

/// What the address of a link or form does, told by its parts: `/videos/12/delete`, `/vote?id=3`, `?action=trash`.
///
/// Titles in paths are not verbs: parts of more than three words do not count.
pub fn consequence(url: &str) -> Option<Consequence> {
    let (path, query) = parted(url);
    of_path(&path, !query.is_empty()).max(of_query(&query))
}

/// Whether asking for an address changes something. What only gives a file away, or shows where one would be brought in, does not.
pub fn acts(url: &str) -> bool {
    consequence(url).is_some_and(|found| !matches!(found, Consequence::Export | Consequence::Upload))
}

/// Whether an address carries what only links do that write.
pub fn is_proven(url: &str) -> bool {
    let (_, query) = parted(url);
    query.iter().any(|(name, _)| PROOFS.contains(&name.replace(['_', '-', '[', ']'], "").as_str()))
}

/// The parts of the path, and names and values of the query, in small letters.
fn parted(url: &str) -> (Vec<String>, Vec<(String, String)>) {
    let url = url.split('#').next().unwrap_or_default();
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let path = path
        .split_once("://")
        .map_or(path, |(_, rest)| rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/"));
    let path = path.split('/').filter(|part| !part.is_empty()).map(decoded).collect();
    let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(name).to_lowercase(), decoded(value))
    });
    (path, pairs.collect())
}

/// A text as it was before it was made fit for an address.
fn decoded(text: &str) -> String {
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
            (b'+', ..) => bytes.push(b' '),
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn of_path(parts: &[String], asked: bool) -> Option<Consequence> {
    let (last, before) = parts.split_last()?;
    let (stem, end) = last.rsplit_once('.').unwrap_or((last, ""));
    if FILES.contains(&end.to_ascii_lowercase().as_str()) {
        return None;
    }
    let is_script = SCRIPTS.contains(&end.to_ascii_lowercase().as_str());
    let last = if is_script { stem } else { last };
    let parts: Vec<&str> = before.iter().map(String::as_str).chain([last]).collect();
    let mut gravest = None;
    for (at, part) in parts.iter().enumerate() {
        let words = split(part);
        if words.is_empty() || words.len() > 3 {
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| parts.get(at)).copied();
        let after = parts.get(at + 1).copied();
        let is_end = after.is_none();
        // `/items/3/like`, `/like/3`, `/vote?id=3`, `/vote.php`: a verb is done to something.
        let on_something = (is_end && before.is_some_and(is_id))
            || (at + 2 == parts.len() && after.is_some_and(is_id))
            || (is_end && (asked || is_script));
        let is_list =
            words.len() == 1 && words.iter().any(|word| word == "trash") && !before.is_some_and(is_id);
        let grave = if is_list { None } else { grave(&words) };
        let writes = on_something.then(|| writes(&words)).flatten();
        let in_basket = before.is_some_and(|before| BASKETS.contains(&before.to_lowercase().as_str()))
            && words.first().is_some_and(|word| word == "add");
        gravest = gravest.max(grave).max(writes).max(in_basket.then_some(Consequence::Writes));
    }
    gravest
}

fn of_query(pairs: &[(String, String)]) -> Option<Consequence> {
    let of_pair = |(name, value): &(String, String)| {
        let bare = name.replace(['_', '-', '[', ']', '.', ' '], "");
        let words = split(name);
        let by_name = if ASKING.contains(&bare.as_str()) || words.len() > 3 {
            None
        } else {
            let named =
                NAMED.contains(&bare.as_str()) || name.starts_with("add-to-") || name.starts_with("add_to_");
            grave(&words).max(named.then_some(Consequence::Writes))
        };
        let said = split(value);
        let by_value = if ASKING.contains(&bare.as_str()) || said.is_empty() || said.len() > 3 {
            None
        } else if DOING.contains(&bare.as_str()) {
            grave(&said).max(
                said.first().and_then(|word| of_word(word)).filter(|found| *found == Consequence::Writes),
            )
        } else {
            grave(&said)
        };
        by_name.max(by_value)
    };
    pairs.iter().filter_map(of_pair).max()
}

/// Whether a part of a path names one thing among many: a number, or a long mix of letters and digits.
pub(super) fn is_id(part: &str) -> bool {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    part == ":id" || digits * 2 > part.len() || (part.len() >= 16 && digits > 2)
}

/// What takes away, costs, reaches others or touches secrets. Nouns in paths name places: only words that are verbs as they stand
/// count there.
fn grave(words: &[String]) -> Option<Consequence> {
    use Consequence::{Destroy, Export, Invite, Pay, Publish, Security, Send, SignOut, Upload};
    let is_grave = |found: &Consequence| {
        matches!(found, Destroy | SignOut | Pay | Send | Invite | Publish | Upload | Security | Export)
    };
    let joined = words.join(" ");
    let phrase = PHRASES.iter().find(|(_, phrase)| *phrase == joined).map(|(found, _)| *found);
    let is_verb = |word: &&String| !NOUNS.contains(&word.as_str()) && !is_past(word);
    let by_word = words.iter().filter(is_verb).filter_map(|word| of_verb(word)).max();
    phrase.max(by_word).filter(is_grave)
}

/// What is deleted or archived already is only shown.
fn is_past(word: &str) -> bool {
    word.len() > 4 && word.ends_with("ed") && word != "embed"
}

/// Verbs are short in addresses.
fn of_verb(word: &str) -> Option<Consequence> {
    match word {
        "del" | "rm" => Some(Consequence::Destroy),
        word => of_word(word),
    }
}

/// What changes data, where it is done to something.
fn writes(words: &[String]) -> Option<Consequence> {
    let first = words.first()?.as_str();
    let is_whole = words.len() == 1 || matches!(first, "mark" | "add");
    let found = of_word(first).filter(|found| *found == Consequence::Writes)?;
    (is_whole && !PARTS.contains(&first)).then_some(found)
}
