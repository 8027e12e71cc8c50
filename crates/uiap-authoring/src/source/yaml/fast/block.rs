//! Block collections: mappings and sequences by indentation.

use super::{END, Scanner, Stop};
use crate::source::build::Text;
use crate::source::doc::Tag;

/// Longest key without `?`, in characters; bytes are at least as many.
const LONGEST_KEY: usize = 1024;

impl Scanner<'_, '_> {
    /// A node at the current place, which may begin a collection. `parent` is the column of the collection
    /// around it.
    pub(super) fn block_node(&mut self, parent: i32) -> Result<(), Stop> {
        let start = self.pos;
        match self.byte(start) {
            b'-' if self.is_blank(start + 1) => self.block_sequence(self.col),
            b'"' | b'\'' => self.quoted_node(parent),
            b'[' | b'{' => {
                self.flow(parent)?;
                let after = self.skip_blanks(self.pos);
                // A flow collection as a key.
                if self.byte(after) == b':' { Err(Stop::Unsupported) } else { self.finish_line() }
            }
            b'|' | b'>' if parent != END => self.block_text(parent),
            b'?' | b':' if self.is_blank(start + 1) => Err(Stop::Unsupported),
            b'&' | b'*' | b'!' | b'|' | b'>' => Err(Stop::Unsupported),
            b'%' | b'@' | b'`' | b',' | b']' | b'}' => Err(self.reserved(start)),
            _ => self.plain_node(parent),
        }
    }

    /// Text without quotes: the first key of a mapping, or a scalar.
    fn plain_node(&mut self, parent: i32) -> Result<(), Stop> {
        let start = self.pos;
        let line = self.plain_line(start);
        if self.byte(line.stop) != b':' {
            return self.plain(start, &line, parent);
        }
        let key = self.plain_key(start, line.end, line.stop)?;
        self.block_mapping(self.col, key)
    }

    /// Text in quotes: the first key of a mapping, or a scalar.
    fn quoted_node(&mut self, parent: i32) -> Result<(), Stop> {
        let (start, line_start) = (self.pos, self.line_start);
        let text = self.quoted(parent)?;
        let after = self.skip_blanks(self.pos);
        if self.byte(after) != b':' {
            self.builder.string(text);
            return self.finish_line();
        }
        if self.line_start != line_start {
            return Err(self.trailing(after));
        }
        self.check_quoted_key(start, after)?;
        self.pos = after + 1;
        self.block_mapping(self.col, text)
    }

    /// A mapping whose first key has been read; the current place is behind its colon.
    fn block_mapping(&mut self, indent: i32, first: Text) -> Result<(), Stop> {
        self.builder.open(Tag::Map, first.span.start)?;
        let mut key = first;
        loop {
            self.builder.key(key);
            self.block_value(indent)?;
            if self.col != indent {
                break;
            }
            key = self.block_key()?;
        }
        if self.col > indent {
            return Err(self.too_far(indent));
        }
        self.builder.close(None);
        Ok(())
    }

    fn block_key(&mut self) -> Result<Text, Stop> {
        let start = self.pos;
        match self.byte(start) {
            b'"' | b'\'' => {
                let line_start = self.line_start;
                let text = self.quoted(i32::MAX)?;
                let after = self.skip_blanks(self.pos);
                if self.byte(after) != b':' || self.line_start != line_start {
                    return Err(self.no_colon(start));
                }
                self.check_quoted_key(start, after)?;
                self.pos = after + 1;
                Ok(text)
            }
            b'-' if self.is_blank(start + 1) => Err(self.stray_dash(start)),
            b'?' | b':' if self.is_blank(start + 1) => Err(Stop::Unsupported),
            b'&' | b'*' | b'!' | b'[' | b'{' => Err(Stop::Unsupported),
            b'|' | b'>' | b'%' | b'@' | b'`' | b',' | b']' | b'}' => Err(self.reserved(start)),
            _ => {
                let line = self.plain_line(start);
                if self.byte(line.stop) == b':' {
                    self.plain_key(start, line.end, line.stop)
                } else {
                    Err(self.no_colon(start))
                }
            }
        }
    }

    #[inline]
    fn plain_key(&mut self, start: usize, end: usize, colon: usize) -> Result<Text, Stop> {
        // The merge key needs an alias to be of use, so the complete parser reports it.
        if colon - start > LONGEST_KEY || self.bytes.get(start..end) == Some(b"<<") {
            return Err(Stop::Unsupported);
        }
        self.pos = colon + 1;
        Ok(Text::verbatim(Self::span(start, end)))
    }

    fn check_quoted_key(&self, start: usize, colon: usize) -> Result<(), Stop> {
        if colon - start > LONGEST_KEY {
            return Err(Stop::Unsupported);
        }
        if self.is_blank(colon + 1) { Ok(()) } else { Err(self.no_space(colon)) }
    }

    /// The value of a key; the current place is behind the colon.
    fn block_value(&mut self, indent: i32) -> Result<(), Stop> {
        let colon_end = self.pos;
        let at = self.skip_spaces(colon_end);
        match self.byte(at) {
            b'\n' | b'\r' | 0 => self.pos = self.after_break(at),
            b'#' => self.pos = self.next_line(at),
            b'\t' => return Err(self.tab_after(at)),
            _ => {
                self.pos = at;
                return self.inline_value(indent);
            }
        }
        self.seek_node()?;
        if self.col > indent {
            self.block_node(indent)
        } else if self.col == indent && self.byte(self.pos) == b'-' && self.is_blank(self.pos + 1) {
            self.block_sequence(indent)
        } else {
            self.builder.null(Self::span(colon_end, colon_end));
            Ok(())
        }
    }

    /// A value on the line of its key: a scalar or a flow collection.
    #[inline]
    fn inline_value(&mut self, indent: i32) -> Result<(), Stop> {
        let start = self.pos;
        match self.byte(start) {
            b'"' | b'\'' => {
                let text = self.quoted(indent)?;
                self.builder.string(text);
                self.finish_line()
            }
            b'[' | b'{' => {
                self.flow(indent)?;
                self.finish_line()
            }
            b'|' | b'>' => self.block_text(indent),
            b'&' | b'*' | b'!' => Err(Stop::Unsupported),
            b'?' | b':' if self.is_blank(start + 1) => Err(self.reserved(start)),
            b'-' if self.is_blank(start + 1) => Err(self.inline_dash(start)),
            b'%' | b'@' | b'`' | b',' | b']' | b'}' => Err(self.reserved(start)),
            _ => {
                let line = self.plain_line(start);
                if self.byte(line.stop) == b':' {
                    return Err(self.inline_colon(start, line.stop));
                }
                self.plain(start, &line, indent)
            }
        }
    }

    /// A sequence at a column; the current place is its first dash.
    fn block_sequence(&mut self, indent: i32) -> Result<(), Stop> {
        self.builder.open(Tag::Seq, Self::span(self.pos, self.pos).start)?;
        while self.col == indent && self.byte(self.pos) == b'-' && self.is_blank(self.pos + 1) {
            self.block_item(indent)?;
        }
        if self.col > indent {
            return Err(self.too_far(indent));
        }
        self.builder.close(None);
        Ok(())
    }

    fn block_item(&mut self, indent: i32) -> Result<(), Stop> {
        let dash_end = self.pos + 1;
        let at = self.skip_spaces(dash_end);
        match self.byte(at) {
            b'\n' | b'\r' | 0 => self.pos = self.after_break(at),
            b'#' => self.pos = self.next_line(at),
            b'\t' => return Err(self.tab_after(at)),
            _ => {
                self.pos = at;
                self.col = super::column(self.line_start, at);
                return self.block_node(indent);
            }
        }
        self.seek_node()?;
        if self.col > indent {
            return self.block_node(indent);
        }
        self.builder.null(Self::span(dash_end, dash_end));
        Ok(())
    }
}
