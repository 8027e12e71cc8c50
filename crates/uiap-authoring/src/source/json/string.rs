//! JSON strings: borrowed when nothing is escaped, decoded otherwise.

use super::super::build::Text;
use super::super::doc::Form;
use super::super::span::Span;
use super::{Halt, Parser};
use crate::diagnostic::{Diagnostic, codes};

impl Parser<'_> {
    /// Reads a string; the current byte is its opening quote.
    pub(super) fn string(&mut self) -> Result<Text, Halt> {
        let start = self.pos;
        self.pos += 1;
        self.plain_run();
        if self.peek() == b'"' {
            self.pos += 1;
            return Ok(Text::quoted(Span::at(start, self.pos)));
        }
        self.decoded_string(start)
    }

    /// Skips to the next byte that means something inside a string.
    #[inline]
    fn plain_run(&mut self) {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        // Control characters other than these three were refused before.
        let run = rest.iter().position(|&byte| byte == b'"' || byte == b'\\' || byte < b' ');
        self.pos += run.unwrap_or(rest.len());
    }

    fn decoded_string(&mut self, start: usize) -> Result<Text, Halt> {
        let from = self.builder.decoded.len();
        let mut run = start + 1;
        loop {
            self.plain_run();
            self.builder.decoded.push_str(self.text.get(run..self.pos).unwrap_or_default());
            match self.peek() {
                b'"' => {
                    self.pos += 1;
                    break;
                }
                b'\\' => self.escape()?,
                b'\t' => self.raw_tab()?,
                _ => {
                    self.unclosed(start)?;
                    break;
                }
            }
            run = self.pos;
        }
        let decoded = Span::at(from, self.builder.decoded.len());
        Ok(Text { span: Span::at(start, self.pos), form: Form::Decoded, decoded })
    }

    fn escape(&mut self) -> Result<(), Halt> {
        let start = self.pos;
        let simple = match self.at(start + 1) {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode_escape(start),
            _ => return self.unknown_escape(start),
        };
        self.builder.decoded.push(simple);
        self.pos += 2;
        Ok(())
    }

    fn unicode_escape(&mut self, start: usize) -> Result<(), Halt> {
        let Some(first) = self.hex4(start + 2) else {
            self.pos = start + 2;
            return self.bad_escape(
                start,
                "`\\u` needs four hexadecimal digits",
                "write for example `\\u00e9`",
            );
        };
        self.pos = start + 6;
        let code = match first {
            0xD800..=0xDBFF => self.low_surrogate().map(|low| 0x10000 + ((first - 0xD800) << 10) + low),
            0xDC00..=0xDFFF => None,
            code => Some(code),
        };
        if let Some(c) = code.and_then(char::from_u32) {
            self.builder.decoded.push(c);
            return Ok(());
        }
        self.builder.decoded.push(char::REPLACEMENT_CHARACTER);
        self.bad_escape(
            start,
            &format!("escape `\\u{first:04X}` is one half of a surrogate pair"),
            "write both halves, or the character itself",
        )
    }

    /// The second half of a pair, without its base; taken only when it is there.
    fn low_surrogate(&mut self) -> Option<u32> {
        if self.peek() != b'\\' || self.at(self.pos + 1) != b'u' {
            return None;
        }
        let low = self.hex4(self.pos + 2)?.checked_sub(0xDC00).filter(|&low| low < 0x400)?;
        self.pos += 6;
        Some(low)
    }

    fn hex4(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 4)?;
        let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if hex { u32::from_str_radix(digits, 16).ok() } else { None }
    }

    fn unknown_escape(&mut self, start: usize) -> Result<(), Halt> {
        let c = self.text.get(start + 1..).and_then(|rest| rest.chars().next());
        let Some(c) = c.filter(|c| !matches!(c, '\n' | '\r')) else {
            self.pos = start + 1;
            return self.bad_escape(start, "a line break cannot be escaped", "write `\\n` for a line break");
        };
        self.pos = start + 1 + c.len_utf8();
        self.builder.decoded.push(c);
        self.bad_escape(
            start,
            &format!("unknown escape `\\{c}`"),
            "write `\\\\` for a backslash; the escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX",
        )
    }

    fn bad_escape(&mut self, start: usize, message: &str, help: &str) -> Result<(), Halt> {
        let end = self.pos.max(start + 1);
        let diagnostic =
            Diagnostic::new(codes::INVALID_ESCAPE, message, self.file(), Span::at(start, end)).help(help);
        self.mistake(diagnostic)
    }

    fn raw_tab(&mut self) -> Result<(), Halt> {
        let at = self.pos;
        self.pos += 1;
        self.builder.decoded.push('\t');
        let diagnostic = Diagnostic::new(
            codes::FORBIDDEN_CHARACTER,
            "tab inside a string",
            self.file(),
            Span::at(at, self.pos),
        )
        .help("write `\\t`");
        self.mistake(diagnostic)
    }

    /// The string ends with the line, so that the next line is read as what it probably is.
    fn unclosed(&mut self, start: usize) -> Result<(), Halt> {
        let diagnostic = Diagnostic::new(
            codes::UNCLOSED_STRING,
            "string is never closed",
            self.file(),
            Span::at(start, self.pos),
        )
        .label("the closing `\"` is missing")
        .help("close the string on the same line; write `\\n` for a line break inside it");
        self.forgive_comma = true;
        self.mistake(diagnostic)
    }
}
