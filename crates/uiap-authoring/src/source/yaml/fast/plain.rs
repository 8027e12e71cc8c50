//! Scalars without quotes.

use super::{Scanner, Stop};
use crate::source::build::Text;
use crate::source::doc::Form;
use crate::source::span::Span;
use crate::source::yaml::core_schema::add_word;

/// One line of plain text.
pub(super) struct PlainLine {
    /// Behind the last character that is not a space.
    pub(super) end: usize,
    /// What ended it: a line break, the end, the `#` of a comment, the `:` of a key, or a flow indicator.
    pub(super) stop: usize,
}

/// Bytes that may end plain text on a line.
const BLOCK_STOPS: [bool; 256] = stops(b"\n\r\0:#");
const FLOW_STOPS: [bool; 256] = stops(b"\n\r\0:#,[]{}");

const fn stops(bytes: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut at = 0;
    while at < bytes.len() {
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler, within bounds")]
        {
            table[bytes[at] as usize] = true;
        }
        at += 1;
    }
    table
}

impl Scanner<'_, '_> {
    /// Plain text in a block, up to what ends it on this line.
    #[inline]
    pub(super) fn plain_line(&self, start: usize) -> PlainLine {
        let mut at = start;
        loop {
            at = self.run(at, &BLOCK_STOPS);
            let is_end = match self.byte(at) {
                b':' => self.is_blank(at + 1),
                b'#' => at == start || matches!(self.byte(at - 1), b' ' | b'\t'),
                _ => true,
            };
            if is_end {
                return PlainLine { end: self.trimmed(start, at), stop: at };
            }
            at += 1;
        }
    }

    /// Plain text inside brackets, up to what ends it on this line.
    pub(super) fn flow_line(&self, start: usize) -> PlainLine {
        let mut at = start;
        loop {
            at = self.run(at, &FLOW_STOPS);
            let is_end = match self.byte(at) {
                b':' => {
                    self.is_blank(at + 1) || matches!(self.byte(at + 1), b',' | b'[' | b']' | b'{' | b'}')
                }
                b'#' => at == start || matches!(self.byte(at - 1), b' ' | b'\t'),
                _ => true,
            };
            if is_end {
                return PlainLine { end: self.trimmed(start, at), stop: at };
            }
            at += 1;
        }
    }

    #[inline]
    fn run(&self, start: usize, stops: &[bool; 256]) -> usize {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let run = rest.iter().position(|&byte| stops.get(byte as usize).copied().unwrap_or_default());
        start + run.unwrap_or(rest.len())
    }

    #[inline]
    fn trimmed(&self, start: usize, mut end: usize) -> usize {
        while end > start && matches!(self.byte(end - 1), b' ' | b'\t') {
            end -= 1;
        }
        end
    }

    /// Adds plain text whose first line has been read, and moves on to the next node.
    #[inline]
    pub(super) fn plain(&mut self, start: usize, line: &PlainLine, parent: i32) -> Result<(), Stop> {
        if self.byte(line.stop) == b'#' {
            self.add_plain(start, line.end);
            self.pos = self.next_line(line.stop);
            return self.seek_node();
        }
        let next = self.after_break(line.stop);
        let at = self.skip_spaces(next);
        match self.byte(at) {
            // The usual case: the next line belongs to somebody else.
            byte if super::column(next, at) <= parent
                && !matches!(byte, b'\n' | b'\r' | b'\t' | b'#' | 0) =>
            {
                self.add_plain(start, line.end);
                self.stand_at(next, at);
                Ok(())
            }
            _ => self.multi_line(start, line.end, next, parent),
        }
    }

    #[inline]
    fn add_plain(&mut self, start: usize, end: usize) {
        let word = self.text.get(start..end).unwrap_or_default();
        add_word(&mut self.builder, Span::at(start, end), word);
    }

    /// Plain text that may go on in the following lines, which begin at `next`.
    fn multi_line(&mut self, start: usize, first_end: usize, next: usize, parent: i32) -> Result<(), Stop> {
        let from = self.builder.decoded.len();
        let mut end = first_end;
        let mut line_start = next;
        let mut breaks = 0;
        loop {
            let at = self.skip_spaces(line_start);
            match self.byte(at) {
                0 | b'#' => break,
                b'\n' | b'\r' => {
                    breaks += 1;
                    line_start = self.after_break(at);
                    continue;
                }
                b'\t' => return Err(self.tab_below(line_start, at, parent)),
                _ if super::column(line_start, at) <= parent => break,
                _ if at == line_start && self.at_marker(at) => break,
                _ => {}
            }
            let line = self.plain_line(at);
            if self.byte(line.stop) == b':' {
                return Err(self.continued_colon(start, line_start, at, line.stop));
            }
            if end == first_end {
                self.builder.decoded.push_str(self.text.get(start..end).unwrap_or_default());
            }
            self.fold(breaks);
            self.builder.decoded.push_str(self.text.get(at..line.end).unwrap_or_default());
            (end, breaks) = (line.end, 0);
            if self.byte(line.stop) == b'#' {
                line_start = self.next_line(line.stop);
                break;
            }
            line_start = self.after_break(line.stop);
        }
        if end == first_end {
            self.add_plain(start, end);
        } else {
            let decoded = Span::at(from, self.builder.decoded.len());
            self.builder.string(Text { span: Span::at(start, end), form: Form::Decoded, decoded });
        }
        self.pos = line_start;
        self.seek_node()
    }

    /// A line below plain text that begins with a tab: a mistake unless it goes on with the text.
    fn tab_below(&self, line_start: usize, at: usize, parent: i32) -> Stop {
        let is_empty = self.is_line_end(self.skip_blanks(at));
        let continues = super::column(line_start, at) > parent;
        if is_empty || continues { Stop::Unsupported } else { self.tab(at) }
    }

    /// Joins two lines: a space, or one line break per empty line between them.
    pub(super) fn fold(&mut self, empty_lines: usize) {
        if empty_lines == 0 {
            self.builder.decoded.push(' ');
        } else {
            self.builder.decoded.extend(std::iter::repeat_n('\n', empty_lines));
        }
    }
}
