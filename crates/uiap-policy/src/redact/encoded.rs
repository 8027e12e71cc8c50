//! The forms in which a value travels: a secret in a URL or in base64 is still the secret.

use std::fmt::Write;

/// The value and its encodings, each once.
pub(super) fn forms(value: &str) -> Vec<String> {
    let bytes = value.as_bytes();
    let percent = percent(bytes);
    let mut forms = vec![
        value.to_owned(),
        percent.to_ascii_lowercase(),
        percent.replace("%20", "+"),
        percent,
        json(value),
        html(value),
        base64(bytes, *b"+/"),
        base64(bytes, *b"-_"),
        hex(bytes),
        hex(bytes).to_ascii_uppercase(),
    ];
    forms.sort_unstable();
    forms.dedup();
    forms
}

fn percent(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(byte) {
            out.push(char::from(*byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn json(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(&quoted).to_owned()
}

fn html(value: &str) -> String {
    value
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

/// Without padding, and without the last character where it depends on what follows the value.
fn base64(bytes: &[u8], last: [u8; 2]) -> String {
    const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let digit = |six: u32| -> char {
        let found = ALPHABET.iter().chain(&last).nth((six & 63) as usize);
        char::from(found.copied().unwrap_or(b'='))
    };
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..chunk.len() {
            out.push(digit(word >> (18 - 6 * place)));
        }
        if chunk.len() == 3 {
            out.push(digit(word));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_encodings_are_known() {
        let forms = forms("p/ss <ö>");
        for form in
            ["p/ss <ö>", "p%2Fss%20%3C%C3%B6%3E", "p%2Fss+%3C%C3%B6%3E", "p/ss &lt;ö&gt;", "cC9zcyA8w7Y+"]
        {
            assert!(forms.iter().any(|each| each == form), "{form} is not in {forms:?}");
        }
    }
}
