//! Finds e-mail addresses, card numbers and tokens in a text by how they are built.

const ADDRESS: &str = "[address]";
const CARD: &str = "[card]";
const SECRET: &str = "[secret]";

/// How services begin what opens their doors.
const PREFIXES: [&str; 18] = [
    "sk_",
    "sk-",
    "pk_",
    "rk_",
    "tok_",
    "whsec_",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "AIza",
    "ya29.",
    "npm_",
    "hf_",
];
/// A word with such a beginning and fewer letters is a word.
const PREFIXED: usize = 16;
/// Without a beginning that tells, only something as long as this is taken for a token.
const LONG: usize = 24;
/// What is called a key and has fewer letters is not one.
const CALLED: usize = 8;

/// The text without what is private in it; none when nothing is.
pub fn covered(text: &str) -> Option<String> {
    let mut shown: Option<String> = None;
    for find in [address, card, secret] {
        let mut from = 0;
        loop {
            let now = shown.as_deref().unwrap_or(text);
            let Some((start, end, word)) = find(now, from) else { break };
            let (Some(before), Some(after)) = (now.get(..start), now.get(end..)) else { break };
            let next = format!("{before}{word}{after}");
            from = start + word.len();
            shown = Some(next);
        }
    }
    shown
}

type Found = Option<(usize, usize, &'static str)>;

/// `somebody@example.com`, also as addresses of the web write it.
fn address(text: &str, from: usize) -> Found {
    let local = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte);
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        let rest = text.get(at..)?;
        let (sign, width) = match (rest.find('@'), rest.find("%40")) {
            (Some(plain), Some(coded)) if coded < plain => (coded, 3),
            (Some(plain), _) => (plain, 1),
            (None, Some(coded)) => (coded, 3),
            (None, None) => return None,
        };
        let sign = at + sign;
        let before = bytes.get(from..sign)?.iter().rev().take_while(|byte| local(**byte)).count();
        let domain = bytes
            .get(sign + width..)?
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || b".-".contains(byte));
        let domain = text.get(sign + width..sign + width + domain.count())?.trim_end_matches(['.', '-']);
        let ending = domain.rsplit_once('.').map_or("", |(_, ending)| ending);
        // Pictures for sharp screens are called `logo@2x.png`.
        let is_file = ["png", "jpg", "jpeg", "gif", "svg", "webp"].contains(&ending);
        if before > 0 && !is_file && ending.len() > 1 && ending.bytes().all(|byte| byte.is_ascii_alphabetic())
        {
            return Some((sign - before, sign + width + domain.len(), ADDRESS));
        }
        at = sign + width;
    }
}

/// Thirteen to nineteen digits, in groups or not, that add up as those of cards do.
fn card(text: &str, from: usize) -> Found {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(first) = bytes.get(at..)?.iter().position(u8::is_ascii_digit) {
        let start = at + first;
        let mut digits: Vec<u32> = Vec::new();
        let mut end = start;
        while let Some(byte) = bytes.get(end) {
            match byte {
                b'0'..=b'9' => digits.push(u32::from(byte - b'0')),
                b' ' | b'-' if bytes.get(end + 1).is_some_and(u8::is_ascii_digit) => {}
                _ => break,
            }
            end += 1;
        }
        let joined = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
        let alone = !joined(start.checked_sub(1).and_then(|at| bytes.get(at))) && !joined(bytes.get(end));
        if alone && (13..=19).contains(&digits.len()) && is_card(&digits) {
            return Some((start, end, CARD));
        }
        at = end;
    }
    None
}

fn is_card(digits: &[u32]) -> bool {
    let issued = matches!(digits, [2..=6, ..]);
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match place % 2 {
            0 => *digit,
            _ if *digit > 4 => digit * 2 - 9,
            _ => digit * 2,
        })
        .sum();
    issued && sum.is_multiple_of(10)
}

/// A word that looks like a token, or that is called one.
fn secret(text: &str, from: usize) -> Found {
    let part = |each: char| each.is_ascii_alphanumeric() || matches!(each, '_' | '-' | '.');
    let mut at = from;
    let mut before = "";
    let mut gap = "";
    loop {
        let rest = text.get(at..)?;
        let skip = rest.find(part)?;
        if !before.is_empty() {
            gap = rest.get(..skip)?;
        }
        let start = at + skip;
        let word = text.get(start..)?;
        let word = word.get(..word.find(|each| !part(each)).unwrap_or(word.len()))?;
        let bare = word.trim_end_matches('.');
        let called =
            gap.trim().chars().all(|each| each == ':' || each == '=') && is_called_secret(before, gap);
        if is_token(bare)
            || (called && bare.len() >= CALLED && bare.bytes().any(|byte| byte.is_ascii_digit()))
        {
            return Some((start, start + bare.len(), SECRET));
        }
        (at, before) = (start + word.len(), word);
    }
}

fn is_called_secret(name: &str, gap: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let said = ["token", "secret", "password", "passwd", "bearer"].iter().any(|each| name.ends_with(each));
    let key =
        ["key", "sid", "session", "auth", "code", "sig", "signature"].iter().any(|each| name.ends_with(each));
    !gap.is_empty() && (said || key && gap.contains([':', '=']))
}

fn is_token(word: &str) -> bool {
    let signed = word.starts_with("eyJ") && word.matches('.').count() == 2;
    let begins = PREFIXES.iter().any(|prefix| word.starts_with(prefix));
    word.len() >= PREFIXED && (signed || begins) || word.len() >= LONG && is_mixed(word)
}

/// Whether small and large letters and digits follow each other as in no word.
fn is_mixed(word: &str) -> bool {
    let kind = |byte: u8| match byte {
        b'a'..=b'z' => 1_u8,
        b'A'..=b'Z' => 2,
        b'0'..=b'9' => 3,
        _ => 0,
    };
    let kinds: Vec<u8> = word.bytes().map(kind).collect();
    let turns = kinds.windows(2).filter(|pair| matches!(pair, [one, other] if one != other)).count();
    [1, 2, 3].iter().all(|kind| kinds.contains(kind)) && turns * 3 >= word.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_cards_and_tokens_are_taken_out_of_any_text() {
        for (text, shown) in [
            ("Write to anna.frei+x@mail.example.org.", "Write to [address]."),
            ("/users/anna%40example.org/edit", "/users/[address]/edit"),
            ("a@b.io, c@d.io", "[address], [address]"),
            ("Paid by 4111 1111 1111 1111", "Paid by [card]"),
            ("5500-0055-5555-5559!", "[card]!"),
            ("/feed?access_token=9f8e7d6c5b&page=2", "/feed?access_token=[secret]&page=2"),
            ("API key: 9f8e7d6c5b4a", "API key: [secret]"),
            ("sk_live_9aZ81kQ02mPq7", "[secret]"),
            ("x eyJhbGciOi.eyJzdWIiOiIx.SflKxwRJSM y", "x [secret] y"),
            ("d8Fk2Lq9Zx7Rt4Vb1Nm6Cw3Py5", "[secret]"),
        ] {
            assert_eq!(covered(text).as_deref(), Some(shown), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_it_stays() {
        for text in [
            "photo@2x.png and @anna",
            "pkg@1.2.3",
            "4111 1111 1111 1112",
            "Order 1234567890123456",
            "/videos/6f1e0c9e-2b7a-4f7d-9d3e-0a1b2c3d4e5f",
            "Settings.VideoPlayerControls.AdvancedOptions2",
            "The key to success: patience",
            "Sort code: name",
            "Größe ändern: 13",
        ] {
            assert_eq!(covered(text), None, "{text}");
        }
    }
}
