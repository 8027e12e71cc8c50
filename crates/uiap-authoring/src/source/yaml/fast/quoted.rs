//! Scalars in quotes.

use super::{Scanner, Stop};
use crate::source::build::Text;
use crate::source::doc::Form;
use crate::source::span::Span;

impl Scanner<'_, '_> {
    /// Reads quoted text; the current place is its opening quote, afterwards behind the closing one.
    ///
    /// Further lines must be indented beyond `parent`.
    pub(super) fn quoted(&mut self, parent: i32) -> Result<Text, Stop> {
        let start = self.pos;
        let quote = self.byte(start);
        let rest = self.bytes.get(start + 1..).unwrap_or_default();
        let run = rest.iter().position(|&byte| byte == quote || matches!(byte, b'\\' | b'\n' | b'\r'));
        let at = start + 1 + run.unwrap_or(rest.len());
        let is_closing = self.byte(at) == quote && (quote == b'"' || self.byte(at + 1) != b'\'');
        if is_closing {
            self.pos = at + 1;
            return Ok(Text::quoted(Span::at(start, self.pos)));
        }
        self.decoded_quoted(start, quote, parent)
    }

    /// The long way: escapes, doubled quotes, several lines.
    fn decoded_quoted(&mut self, start: usize, quote: u8, parent: i32) -> Result<Text, Stop> {
        let from = self.builder.decoded.len();
        self.pos = start + 1;
        let mut run = self.pos;
        loop {
            let byte = self.byte(self.pos);
            match byte {
                0 => return Err(self.unclosed_quote(start)),
                b'\n' | b'\r' => {
                    let line = self.text.get(run..self.pos).unwrap_or_default();
                    self.builder.decoded.push_str(line.trim_end_matches([' ', '\t']));
                    self.fold_lines(start, parent)?;
                    run = self.pos;
                }
                b'\\' if quote == b'"' => {
                    self.push_run(run);
                    self.escape(start, parent)?;
                    run = self.pos;
                }
                b'\'' if quote == b'\'' && self.byte(self.pos + 1) == b'\'' => {
                    self.pos += 1;
                    self.push_run(run);
                    self.pos += 1;
                    run = self.pos;
                }
                _ if byte == quote => break,
                _ => self.pos += 1,
            }
        }
        self.push_run(run);
        self.pos += 1;
        let decoded = Span::at(from, self.builder.decoded.len());
        let span = Span::at(start, self.pos);
        if self.is_unchanged(span, decoded) {
            self.builder.decoded.truncate(from);
            return Ok(Text::quoted(span));
        }
        Ok(Text { span, form: Form::Decoded, decoded })
    }

    /// A backslash in single quotes changes nothing, so the text can be borrowed after all.
    fn is_unchanged(&self, span: Span, decoded: Span) -> bool {
        decoded.len() + 2 == span.len()
            && self.builder.decoded.get(decoded.range())
                == self.text.get(span.start as usize + 1..span.end as usize - 1)
    }

    fn push_run(&mut self, run: usize) {
        let text = self.text.get(run..self.pos).unwrap_or_default();
        self.builder.decoded.push_str(text);
    }

    /// Joins the lines at a line break inside quotes.
    fn fold_lines(&mut self, start: usize, parent: i32) -> Result<(), Stop> {
        let empty_lines = self.next_text_line(start, parent)?;
        self.fold(empty_lines);
        Ok(())
    }

    /// Moves to the text of the next line that has any; tells how many empty lines lie between.
    fn next_text_line(&mut self, start: usize, parent: i32) -> Result<usize, Stop> {
        let mut empty_lines = 0;
        let mut line_start = self.after_break(self.pos);
        loop {
            let at = self.skip_spaces(line_start);
            match self.byte(at) {
                0 => return Err(self.unclosed_quote(start)),
                b'\n' | b'\r' => {
                    empty_lines += 1;
                    line_start = self.after_break(at);
                }
                b'\t' => return Err(Stop::Unsupported),
                _ if super::column(line_start, at) <= parent => return Err(self.quote_runs_on(start, at)),
                _ if at == line_start && self.at_marker(at) => return Err(Stop::Unsupported),
                _ => {
                    self.line_start = line_start;
                    self.pos = at;
                    return Ok(empty_lines);
                }
            }
        }
    }

    fn escape(&mut self, start: usize, parent: i32) -> Result<(), Stop> {
        let at = self.pos;
        let c = match self.byte(at + 1) {
            b'0' => '\0',
            b'a' => '\u{7}',
            b'b' => '\u{8}',
            b't' | b'\t' => '\t',
            b'n' => '\n',
            b'v' => '\u{b}',
            b'f' => '\u{c}',
            b'r' => '\r',
            b'e' => '\u{1b}',
            b' ' => ' ',
            b'"' => '"',
            b'/' => '/',
            b'\\' => '\\',
            b'N' => '\u{85}',
            b'_' => '\u{a0}',
            b'L' => '\u{2028}',
            b'P' => '\u{2029}',
            b'x' => return self.code_escape(at, 2),
            b'u' => return self.code_escape(at, 4),
            b'U' => return self.code_escape(at, 8),
            b'\n' | b'\r' => {
                self.pos = at + 1;
                let empty_lines = self.next_text_line(start, parent)?;
                self.builder.decoded.extend(std::iter::repeat_n('\n', empty_lines));
                return Ok(());
            }
            _ => return Err(self.bad_escape(at)),
        };
        self.builder.decoded.push(c);
        self.pos = at + 2;
        Ok(())
    }

    fn code_escape(&mut self, at: usize, digits: usize) -> Result<(), Stop> {
        let end = at + 2 + digits;
        let code = self.text.get(at + 2..end).filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let c = code.and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32);
        let Some(c) = c else { return Err(self.bad_escape(at)) };
        self.builder.decoded.push(c);
        self.pos = end;
        Ok(())
    }
}
