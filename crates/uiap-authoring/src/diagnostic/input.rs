//! How user input appears inside a message.

/// Characters of user input that a message shows.
const SHOWN: usize = 60;

/// User input for a message, without the backticks: cut after 60 characters, control characters escaped.
pub fn shown(input: &str) -> String {
    let mut out = String::new();
    for (position, c) in input.chars().enumerate() {
        if position == SHOWN {
            out.push('…');
            break;
        }
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn long_and_unprintable_input_is_made_readable() {
        assert_eq!(shown("plain é"), "plain é");
        assert_eq!(shown("a\nb\u{1b}"), "a\\nb\\u{1b}");
        assert_eq!(shown(&"ä".repeat(1_000_000)), format!("{}…", "ä".repeat(60)));
    }
}
