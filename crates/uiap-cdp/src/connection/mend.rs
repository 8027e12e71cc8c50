//! Repairs the two ways in which text of a page can be outside Unicode: lone surrogates and broken UTF-8.

use std::borrow::Cow;

const REPLACEMENT: &[u8] = br"\ufffd";

/// The same JSON with every lone surrogate escape and every broken byte replaced, or nothing when there was none.
pub(crate) fn mend(text: &[u8]) -> Option<Vec<u8>> {
    match String::from_utf8_lossy(text) {
        Cow::Borrowed(_) => replace_lone_surrogates(text),
        Cow::Owned(valid) => {
            Some(replace_lone_surrogates(valid.as_bytes()).unwrap_or_else(|| valid.into_bytes()))
        }
    }
}

fn replace_lone_surrogates(text: &[u8]) -> Option<Vec<u8>> {
    let mut mended = None::<Vec<u8>>;
    let mut copied = 0;
    let mut at = 0;
    while let Some(offset) = memchr::memchr(b'\\', text.get(at..)?) {
        let here = at + offset;
        at = match surrogate_at(text, here) {
            None => here + 2,
            Some(Surrogate::High) if matches!(surrogate_at(text, here + 6), Some(Surrogate::Low)) => {
                here + 12
            }
            Some(_) => {
                let out = mended.get_or_insert_with(|| Vec::with_capacity(text.len()));
                out.extend_from_slice(text.get(copied..here)?);
                out.extend_from_slice(REPLACEMENT);
                copied = here + 6;
                copied
            }
        };
    }
    let mut out = mended?;
    out.extend_from_slice(text.get(copied..)?);
    Some(out)
}

enum Surrogate {
    High,
    Low,
}

fn surrogate_at(text: &[u8], at: usize) -> Option<Surrogate> {
    let escape = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let unit = u16::from_str_radix(std::str::from_utf8(escape).ok()?, 16).ok()?;
    match unit {
        0xD800..=0xDBFF => Some(Surrogate::High),
        0xDC00..=0xDFFF => Some(Surrogate::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::mend;

    fn check(text: &str, expected: Option<&str>) {
        let mended = mend(text.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(mended.as_deref(), expected, "{text}");
    }

    #[test]
    fn a_lone_surrogate_becomes_the_replacement_character() {
        check(r#""a\ud800b""#, Some(r#""a\ufffdb""#));
        check(r#""\udc00""#, Some(r#""\ufffd""#));
        check(r#""\uD800\uD800\uDC00""#, Some(r#""\ufffd\uD800\uDC00""#));
    }

    #[test]
    fn pairs_and_escaped_backslashes_stay() {
        check(r#""\ud83d\ude00""#, None);
        check(r#""\\ud800""#, None);
        check(r#""\\\ud800""#, Some(r#""\\\ufffd""#));
        check("\"\\", None);
    }

    #[test]
    fn broken_utf8_becomes_the_replacement_character() {
        assert_eq!(mend(b"\"\xff\""), Some("\"\u{fffd}\"".as_bytes().to_vec()));
    }
}
