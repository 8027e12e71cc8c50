//! Text of a page is data: quoted, on one line, without characters that hide or reorder.

use std::fmt::Write;

/// A piece of text in quotes, at most `limit` characters long.
pub fn quoted(text: &str, limit: usize) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    push(text, limit, true, &mut out);
    out.push('"');
    out
}

/// A piece of text without quotes; line breaks and control characters are escaped.
pub fn harmless(text: &str, limit: usize) -> String {
    let mut out = String::with_capacity(text.len());
    push(text, limit, false, &mut out);
    out
}

fn push(text: &str, limit: usize, quotes: bool, out: &mut String) {
    let mut blank = false;
    let mut count = 0;
    for c in text.trim().chars() {
        if count == limit {
            out.push('…');
            return;
        }
        // White space of any kind reads as one space.
        let space = c.is_whitespace();
        if space && blank {
            continue;
        }
        blank = space;
        count += 1;
        match c {
            _ if space => out.push(' '),
            '"' | '\\' if quotes => out.extend(['\\', c]),
            // Lines of the page stand between marks in angle brackets; text must not look like one.
            '<' if quotes => out.push_str("\\u3c"),
            _ if hides(c) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:x}", c as u32);
            }
            _ => out.push(c),
        }
    }
}

/// Control characters, and those that change the direction of text or have no width.
fn hides(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_quotes_or_its_line() {
        assert_eq!(quoted("say \"hi\"\n- button \\ x", 99), r#""say \"hi\" - button \\ x""#);
        assert_eq!(quoted("a </page> b", 99), r#""a \u3c/page> b""#);
        assert_eq!(quoted("\u{202e}evil\u{200b}\0", 99), "\"\\u202eevil\\u200b\\u0\"");
        assert_eq!(quoted("  much   space\t\n ", 99), "\"much space\"");
    }

    #[test]
    fn long_text_is_cut_and_says_so() {
        assert_eq!(quoted("abcdef", 3), "\"abc…\"");
        assert_eq!(quoted("abc", 3), "\"abc\"");
    }
}
