//! Flow collections: `[a, b]` and `{a: b}`.

use super::plain::PlainLine;
use super::{Scanner, Stop};
use crate::source::build::Text;
use crate::source::doc::Tag;
use crate::source::span::Span;
use crate::source::yaml::core_schema::add_word;

impl Scanner<'_, '_> {
    /// Reads a collection; the current place is its opening bracket, afterwards behind the closing one.
    ///
    /// Further lines must be indented beyond `parent`.
    pub(super) fn flow(&mut self, parent: i32) -> Result<(), Stop> {
        let start = self.pos;
        let is_map = self.byte(start) == b'{';
        self.builder.open(if is_map { Tag::Map } else { Tag::Seq }, Span::at(start, start).start)?;
        self.pos += 1;
        if is_map { self.flow_map(start, parent) } else { self.flow_seq(start, parent) }
    }

    fn flow_seq(&mut self, start: usize, parent: i32) -> Result<(), Stop> {
        loop {
            self.flow_space(start, parent)?;
            if self.byte(self.pos) == b']' {
                return self.close_flow();
            }
            self.flow_node(start, parent)?;
            self.flow_space(start, parent)?;
            match self.byte(self.pos) {
                b',' => self.pos += 1,
                b']' => return self.close_flow(),
                // `[a: b]`
                b':' => return Err(Stop::Unsupported),
                _ => return Err(self.no_separator(start, ']')),
            }
        }
    }

    fn flow_map(&mut self, start: usize, parent: i32) -> Result<(), Stop> {
        loop {
            self.flow_space(start, parent)?;
            if self.byte(self.pos) == b'}' {
                return self.close_flow();
            }
            self.flow_pair(start, parent)?;
            self.flow_space(start, parent)?;
            match self.byte(self.pos) {
                b',' => self.pos += 1,
                b'}' => return self.close_flow(),
                _ => return Err(self.no_separator(start, '}')),
            }
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "ends a chain of steps that can fail")]
    fn close_flow(&mut self) -> Result<(), Stop> {
        self.pos += 1;
        self.builder.close(Some(Span::at(self.pos, self.pos).start));
        Ok(())
    }

    fn flow_pair(&mut self, start: usize, parent: i32) -> Result<(), Stop> {
        let at = self.pos;
        let is_quoted = matches!(self.byte(at), b'"' | b'\'');
        let line_start = self.line_start;
        let key = if is_quoted { self.quoted(parent)? } else { self.flow_key(at)? };
        let key_end = self.pos;
        let colon = self.skip_spaces(key_end);
        if self.line_start != line_start || self.is_line_end(colon) || self.byte(colon) == b'#' {
            // The colon may still follow; a missing bracket is told apart here.
            self.flow_space(start, parent)?;
            return Err(Stop::Unsupported);
        }
        self.builder.key(key);
        if self.byte(colon) != b':' {
            self.pos = colon;
            self.builder.null(Span::at(key.span.end as usize, key.span.end as usize));
            return Ok(());
        }
        if !is_quoted && matches!(self.byte(colon + 1), b'[' | b'{') {
            return Err(self.no_space(colon));
        }
        self.pos = colon + 1;
        self.flow_space(start, parent)?;
        if matches!(self.byte(self.pos), b',' | b'}') {
            self.builder.null(Span::at(colon + 1, colon + 1));
            return Ok(());
        }
        self.flow_node(start, parent)
    }

    fn flow_key(&mut self, at: usize) -> Result<Text, Stop> {
        if !self.starts_plain(at) {
            return Err(Stop::Unsupported);
        }
        let line = self.flow_line(at);
        if self.bytes.get(at..line.end) == Some(b"<<") || self.ends_in_dash(&line) {
            return Err(Stop::Unsupported);
        }
        self.pos = line.end;
        Ok(Text::verbatim(Span::at(at, line.end)))
    }

    fn flow_node(&mut self, start: usize, parent: i32) -> Result<(), Stop> {
        let at = self.pos;
        match self.byte(at) {
            b'"' | b'\'' => {
                let text = self.quoted(parent)?;
                self.builder.string(text);
                Ok(())
            }
            b'[' | b'{' => self.flow(parent),
            0 => Err(self.unclosed_flow(start)),
            _ if self.starts_plain(at) => self.flow_plain(start, parent),
            b'?' | b':' | b'&' | b'*' | b'!' => Err(Stop::Unsupported),
            b',' => Err(self.empty_entry(at)),
            b'-' => Err(self.flow_dash(at)),
            _ => Err(self.reserved(at)),
        }
    }

    /// Plain text of one line. When it goes on in the next line, the complete parser takes over.
    fn flow_plain(&mut self, start: usize, parent: i32) -> Result<(), Stop> {
        let at = self.pos;
        let line = self.flow_line(at);
        if self.ends_in_dash(&line) {
            return Err(Stop::Unsupported);
        }
        let word = self.text.get(at..line.end).unwrap_or_default();
        add_word(&mut self.builder, Span::at(at, line.end), word);
        self.pos = line.end;
        self.flow_space(start, parent)?;
        match self.byte(self.pos) {
            b',' | b']' | b'}' => Ok(()),
            0 => Err(self.unclosed_flow(start)),
            b':' if self.byte(start) == b'{' => Err(self.inline_colon(at, self.pos)),
            _ => Err(Stop::Unsupported),
        }
    }

    /// `[a -]`: the complete parser does not take a lone dash before a bracket or comma.
    fn ends_in_dash(&self, line: &PlainLine) -> bool {
        line.end == line.stop && self.byte(line.end - 1) == b'-' && self.is_blank(line.end - 2)
    }

    /// Whether plain text can begin here inside brackets.
    fn starts_plain(&self, at: usize) -> bool {
        match self.byte(at) {
            b'-' | b'?' | b':' => {
                !self.is_blank(at + 1)
                    && !matches!(self.byte(at + 1), b',' | b'[' | b']' | b'{' | b'}')
                    && self.byte(at) == b'-'
            }
            b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\'' | b'"'
            | b'%' | b'@' | b'`' | 0 => false,
            _ => true,
        }
    }

    /// Skips space, line breaks and comments inside brackets.
    fn flow_space(&mut self, start: usize, parent: i32) -> Result<(), Stop> {
        loop {
            let at = self.skip_spaces(self.pos);
            match self.byte(at) {
                b'\n' | b'\r' => {
                    self.pos = self.after_break(at);
                    self.flow_indent(start, parent)?;
                }
                b'#' if at > self.pos || at == self.line_start => {
                    self.pos = self.next_line(at);
                    self.flow_indent(start, parent)?;
                }
                b'\t' => return Err(Stop::Unsupported),
                _ => {
                    self.pos = at;
                    return Ok(());
                }
            }
        }
    }

    /// At the start of a line inside brackets: its text must be indented.
    fn flow_indent(&mut self, start: usize, parent: i32) -> Result<(), Stop> {
        self.line_start = self.pos;
        let at = self.skip_spaces(self.pos);
        match self.byte(at) {
            b'\n' | b'\r' | b'#' => Ok(()),
            0 => Err(self.unclosed_flow(start)),
            _ if super::column(self.line_start, at) <= parent => Err(self.flow_too_far_left(start, at)),
            _ if at == self.line_start && self.at_marker(at) => Err(Stop::Unsupported),
            _ => Ok(()),
        }
    }
}
