//! Collections in flow style: lines are indented by the depth of their brackets.

/// The text with its later lines indented; `indent` is that of the line it starts on.
pub(super) fn write(raw: &str, indent: usize, out: &mut String) {
    let mut depth = 0_usize;
    let mut quote = None;
    for (at, line) in raw.lines().enumerate() {
        let text = line.trim();
        if at > 0 {
            out.push('\n');
            let closes = text.chars().take_while(|c| matches!(c, '}' | ']')).count();
            if !text.is_empty() {
                out.push_str(&" ".repeat(indent + 2 * depth.saturating_sub(closes)));
            }
        }
        out.push_str(text);
        scan(text, &mut depth, &mut quote);
    }
}

/// Counts brackets outside of quotes and comments.
fn scan(line: &str, depth: &mut usize, quote: &mut Option<char>) {
    let mut before = ' ';
    let mut escaped = false;
    for c in line.chars() {
        match *quote {
            Some('"') if escaped => escaped = false,
            Some('"') if c == '\\' => escaped = true,
            Some(mark) if c == mark => *quote = None,
            Some(_) => {}
            None => match c {
                '#' if before.is_whitespace() => return,
                '"' | '\'' if before.is_whitespace() || "[{,:".contains(before) => *quote = Some(c),
                '{' | '[' => *depth += 1,
                '}' | ']' => *depth = depth.saturating_sub(1),
                _ => {}
            },
        }
        before = c;
    }
}
