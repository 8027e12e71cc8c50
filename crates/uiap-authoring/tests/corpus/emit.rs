//! Writes a value as YAML in many styles, for the comparison of the readers.

use serde_json::Value;

/// Writes values; each decision takes one number from the list of choices.
pub(crate) struct Emitter<'a> {
    choices: std::iter::Cycle<std::slice::Iter<'a, u8>>,
    out: String,
}

/// A document in block or flow style.
pub(crate) fn document(value: &Value, choices: &[u8]) -> String {
    let mut emitter = Emitter { choices: choices.iter().cycle(), out: String::new() };
    if emitter.choose(4) == 0 {
        emitter.out.push_str("---\n");
    }
    emitter.comment_line(0);
    match value {
        Value::Object(map) if !map.is_empty() => emitter.block_map(map, 0),
        Value::Array(list) if !list.is_empty() => emitter.block_list(list, 0),
        other => {
            emitter.flow(other);
            emitter.out.push('\n');
        }
    }
    emitter.out
}

impl Emitter<'_> {
    fn choose(&mut self, n: u8) -> u8 {
        self.choices.next().map_or(0, |choice| choice % n)
    }

    fn pad(&mut self, indent: usize) {
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    fn comment_line(&mut self, indent: usize) {
        match self.choose(12) {
            0 => {
                self.pad(indent);
                self.out.push_str("# comment: with - signs [and] {brackets}\n");
            }
            1 => self.out.push('\n'),
            _ => {}
        }
    }

    fn line_end(&mut self) {
        if self.choose(8) == 0 {
            self.out.push_str("  # why");
        }
        self.out.push('\n');
    }

    fn block_map(&mut self, map: &serde_json::Map<String, Value>, indent: usize) {
        for (position, (key, value)) in map.iter().enumerate() {
            if position > 0 {
                self.comment_line(indent);
                self.pad(indent);
            }
            self.key(key);
            self.out.push(':');
            self.member(value, indent, true);
        }
    }

    fn block_list(&mut self, list: &[Value], indent: usize) {
        for (position, value) in list.iter().enumerate() {
            if position > 0 {
                self.comment_line(indent);
                self.pad(indent);
            }
            self.out.push('-');
            self.member(value, indent, false);
        }
    }

    /// What follows a colon or a dash.
    fn member(&mut self, value: &Value, indent: usize, in_map: bool) {
        let deeper = indent + 1 + usize::from(self.choose(4));
        match value {
            Value::Object(map) if !map.is_empty() && self.choose(4) > 0 => {
                let column = self.open_block(deeper, !in_map, indent);
                self.block_map(map, column);
            }
            Value::Array(list) if !list.is_empty() && self.choose(4) > 0 => {
                let deeper = if in_map && self.choose(3) == 0 { indent } else { deeper };
                let column = self.open_block(deeper, !in_map, indent);
                self.block_list(list, column);
            }
            Value::Null if self.choose(3) == 0 => self.line_end(),
            Value::String(text) if is_block_text(text) && self.choose(2) == 0 => self.literal(text, deeper),
            other => {
                self.out.push(' ');
                self.flow(other);
                self.line_end();
            }
        }
    }

    /// Starts a nested block on the next line, or on the line of a dash.
    fn open_block(&mut self, deeper: usize, compact: bool, indent: usize) -> usize {
        if compact && self.choose(3) > 0 {
            let gap = deeper.saturating_sub(indent + 1).max(1);
            self.pad(gap);
            return indent + 1 + gap;
        }
        self.line_end();
        self.comment_line(deeper);
        self.pad(deeper);
        deeper
    }

    fn literal(&mut self, text: &str, indent: usize) {
        self.out.push_str(" |\n");
        for line in text.lines() {
            if !line.is_empty() {
                self.pad(indent);
                self.out.push_str(line);
            }
            self.out.push('\n');
        }
    }

    fn key(&mut self, key: &str) {
        if is_plain(key) && self.choose(4) > 0 {
            self.out.push_str(key);
        } else {
            self.quoted(key);
        }
    }

    fn flow(&mut self, value: &Value) {
        match value {
            Value::Array(list) => {
                self.out.push('[');
                for (position, item) in list.iter().enumerate() {
                    self.separator(position);
                    self.flow(item);
                }
                self.out.push(']');
            }
            Value::Object(map) => {
                self.out.push('{');
                for (position, (key, item)) in map.iter().enumerate() {
                    self.separator(position);
                    self.key(key);
                    self.out.push_str(": ");
                    self.flow(item);
                }
                self.out.push('}');
            }
            Value::String(text) if is_plain(text) && self.choose(3) > 0 => self.out.push_str(text),
            Value::String(text) => self.quoted(text),
            scalar => self.out.push_str(&scalar.to_string()),
        }
    }

    fn separator(&mut self, position: usize) {
        if position > 0 {
            let comma = if self.choose(2) == 0 { ", " } else { " , " };
            self.out.push_str(comma);
        }
    }

    fn quoted(&mut self, text: &str) {
        if text.chars().all(|c| !c.is_control()) && self.choose(2) == 0 {
            self.out.extend(["'", &text.replace('\'', "''"), "'"]);
            return;
        }
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\t' => self.out.push_str("\\t"),
                c if c.is_control() || c == '\u{feff}' => self.out.extend([format!("\\u{:04x}", c as u32)]),
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }
}

/// Words that mean themselves everywhere.
fn is_plain(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_alphabetic());
    let simple = text.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '.' | '/' | '_' | '-'));
    let reserved = ["null", "true", "false"].contains(&text.to_lowercase().as_str());
    starts && simple && !reserved && text.trim() == text && text != "<<" && text.len() < 200
}

/// Text that a literal block keeps as it is.
fn is_block_text(text: &str) -> bool {
    let lines_fit = text
        .lines()
        .all(|line| line.chars().all(|c| !c.is_control()) && !line.starts_with([' ', '\u{feff}']));
    let one_break = text.ends_with('\n') && !text.ends_with("\n\n") && !text.starts_with('\n');
    lines_fit && one_break && text.trim_end().len() + 1 == text.len() && !text.contains('\u{feff}')
}
