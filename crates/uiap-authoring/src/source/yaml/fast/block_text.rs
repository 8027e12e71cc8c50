//! Block text: literal (`|`) and folded (`>`).

use std::ops::Range;

use super::{Scanner, Stop};
use crate::source::build::Text;
use crate::source::doc::Form;
use crate::source::span::Span;

/// What becomes of the line breaks at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomp {
    Strip,
    Clip,
    Keep,
}

struct Header {
    is_literal: bool,
    chomp: Chomp,
    /// Indentation relative to the parent, when written down.
    indent: Option<usize>,
    end: usize,
}

/// Joins lines the way the style asks for.
struct Folding {
    is_literal: bool,
    /// A line break waits to be written.
    pending: bool,
    empty_lines: usize,
    last_was_indented: bool,
}

impl Scanner<'_, '_> {
    /// Reads block text under a parent column; the current place is its header.
    pub(super) fn block_text(&mut self, parent: i32) -> Result<(), Stop> {
        let start = self.pos;
        let header = self.block_header(start)?;
        let parent = usize::try_from(parent).map_err(|_| Stop::Unsupported)?;
        let first_line = self.pos;
        let indent = match header.indent {
            Some(relative) => Some(parent + relative),
            None => self.detect_indent(first_line, parent)?,
        };
        let from = self.builder.decoded.len();
        let (end, next) = self.block_lines(&header, parent..indent.unwrap_or(usize::MAX), first_line)?;
        let decoded = Span::at(from, self.builder.decoded.len());
        let value = self.builder.decoded.get(from..).unwrap_or_default();
        let is_empty = value.trim_matches([' ', '\t', '\n']).is_empty();
        let span = Span::at(start, if is_empty { header.end } else { end });
        self.builder.string(Text { span, form: Form::Decoded, decoded });
        self.pos = next;
        self.seek_node()
    }

    /// Reads the header and moves to the line after it.
    fn block_header(&mut self, start: usize) -> Result<Header, Stop> {
        let is_literal = self.byte(start) == b'|';
        let (mut chomp, mut indent) = (None, None);
        let mut at = start + 1;
        loop {
            match self.byte(at) {
                b'+' if chomp.is_none() => chomp = Some(Chomp::Keep),
                b'-' if chomp.is_none() => chomp = Some(Chomp::Strip),
                digit @ b'1'..=b'9' if indent.is_none() => indent = Some(usize::from(digit - b'0')),
                _ => break,
            }
            at += 1;
        }
        let header = Header { is_literal, chomp: chomp.unwrap_or(Chomp::Clip), indent, end: at };
        let after = self.skip_blanks(at);
        match self.byte(after) {
            b'\n' | b'\r' | 0 => self.pos = self.after_break(after),
            b'#' if after > at => self.pos = self.next_line(after),
            _ => return Err(self.bad_block_header(start, after)),
        }
        Ok(header)
    }

    /// The indentation of the first line that has text; none when no text follows.
    fn detect_indent(&self, first_line: usize, parent: usize) -> Result<Option<usize>, Stop> {
        let mut line_start = first_line;
        let mut widest_empty = 0;
        loop {
            let at = self.skip_spaces(line_start);
            let width = at - line_start;
            match self.byte(at) {
                0 => return if widest_empty > parent { Err(Stop::Unsupported) } else { Ok(None) },
                b'\n' | b'\r' => {
                    widest_empty = widest_empty.max(width);
                    line_start = self.after_break(at);
                }
                b'\t' => return Err(Stop::Unsupported),
                // An empty line with more spaces than the text would have decided the indentation.
                _ if widest_empty > width.max(parent) => return Err(Stop::Unsupported),
                _ => return Ok((width > parent).then_some(width)),
            }
        }
    }

    /// Decodes the lines. Returns the end of the last text and the start of the line that ended it.
    ///
    /// `columns` reaches from the parent's column to that of the text.
    fn block_lines(
        &mut self,
        header: &Header,
        columns: Range<usize>,
        first_line: usize,
    ) -> Result<(usize, usize), Stop> {
        let indent = columns.end;
        let mut folding = Folding {
            is_literal: header.is_literal,
            pending: false,
            empty_lines: 0,
            last_was_indented: false,
        };
        let mut line_start = first_line;
        let mut end = first_line;
        while line_start < self.bytes.len() {
            let at = self.skip_indent(line_start, indent);
            if self.is_line_end(at) {
                folding.empty_lines += 1;
                line_start = self.after_break(at);
                continue;
            }
            if at - line_start < indent {
                // Between the columns nothing may stand before the first line of text, not even a comment.
                let is_between = !folding.pending && at - line_start > columns.start && indent < usize::MAX;
                if self.byte(at) == b'\t' || is_between {
                    return Err(Stop::Unsupported);
                }
                break;
            }
            let line_end = self.line_end(at);
            self.push_line(&mut folding, at, line_end);
            end = self.content_end(at, line_end).unwrap_or(end);
            line_start = self.after_break(line_end);
        }
        if header.chomp != Chomp::Strip && folding.pending {
            self.builder.decoded.push('\n');
        }
        if header.chomp == Chomp::Keep {
            self.builder.decoded.extend(std::iter::repeat_n('\n', folding.empty_lines));
        }
        Ok((end, line_start))
    }

    fn push_line(&mut self, folding: &mut Folding, at: usize, end: usize) {
        let is_indented = matches!(self.byte(at), b' ' | b'\t');
        let out = &mut self.builder.decoded;
        let joins = !folding.is_literal && folding.pending && !folding.last_was_indented && !is_indented;
        if joins && folding.empty_lines == 0 {
            out.push(' ');
        } else {
            let breaks = folding.empty_lines + usize::from(folding.pending && !joins);
            out.extend(std::iter::repeat_n('\n', breaks));
        }
        out.push_str(self.text.get(at..end).unwrap_or_default());
        folding.pending = true;
        folding.empty_lines = 0;
        folding.last_was_indented = is_indented;
    }

    fn skip_indent(&self, line_start: usize, indent: usize) -> usize {
        let mut at = line_start;
        while at - line_start < indent && self.byte(at) == b' ' {
            at += 1;
        }
        at
    }

    fn line_end(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let end = at + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        if end > at && self.byte(end - 1) == b'\r' { end - 1 } else { end }
    }

    /// Behind the last character of a line that is not a space; none for a line of spaces.
    fn content_end(&self, at: usize, line_end: usize) -> Option<usize> {
        let line = self.bytes.get(at..line_end)?;
        let last = line.iter().rposition(|byte| !matches!(byte, b' ' | b'\t'))?;
        Some(at + last + 1)
    }
}
