//! Repairs the places that the complete parser reports.

use saphyr_parser::{Marker, ScalarStyle, Span as CharSpan};

use crate::source::doc::Tag;
use crate::source::span::{Span, offset};

/// Characters between two stored byte offsets.
const STRIDE: usize = 64;

/// Character offsets to byte offsets. Text in plain ASCII needs no table.
struct CharTable {
    /// Byte offset of character `i * STRIDE`.
    marks: Vec<u32>,
}

impl CharTable {
    fn new(text: &str) -> Self {
        let marks = if text.is_ascii() {
            Vec::new()
        } else {
            text.char_indices().step_by(STRIDE).map(|(at, _)| offset(at)).collect()
        };
        Self { marks }
    }

    fn byte_of(&self, text: &str, index: usize) -> usize {
        if self.marks.is_empty() {
            return index.min(text.len());
        }
        let Some(&mark) = self.marks.get(index / STRIDE) else { return text.len() };
        let rest = text.get(mark as usize..).unwrap_or_default();
        rest.char_indices().nth(index % STRIDE).map_or(text.len(), |(at, _)| mark as usize + at)
    }
}

/// Turns the parser's places into byte ranges of the file that begin and end where the thing does.
pub(super) struct Places<'t> {
    text: &'t str,
    body: &'t str,
    table: CharTable,
    /// Length of the byte order mark.
    base: usize,
    /// End of the last thing that was placed; what comes next begins behind it.
    passed: usize,
    /// For each open container, whether it has brackets.
    flow: Vec<bool>,
}

impl<'t> Places<'t> {
    /// `body` is the text without byte order mark and with a final line break, as the parser sees it.
    pub(super) fn new(text: &'t str, body: &'t str) -> Self {
        let base = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { text, body, table: CharTable::new(body), base, passed: base, flow: Vec::new() }
    }

    /// The byte range of a character range.
    pub(super) fn bytes(&self, span: CharSpan) -> Span {
        Span::at(self.byte(&span.start), self.byte(&span.end))
    }

    /// The byte offset of a marker.
    pub(super) fn byte(&self, marker: &Marker) -> usize {
        (self.base + self.table.byte_of(self.body, marker.index())).min(self.text.len())
    }

    pub(super) fn passed(&mut self, end: u32) {
        self.passed = end as usize;
    }

    /// A scalar with content.
    pub(super) fn scalar(
        &mut self,
        place: Span,
        style: ScalarStyle,
        value: &str,
        has_properties: bool,
    ) -> Span {
        let start = if has_properties { self.skip(place.start as usize) } else { place.start as usize };
        let span = match style {
            ScalarStyle::Plain => Span::at(start, place.end as usize),
            ScalarStyle::SingleQuoted => Span::at(start, self.single_quote_end(start)),
            ScalarStyle::DoubleQuoted => Span::at(start, self.double_quote_end(start)),
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let from = if has_properties { place.start as usize } else { self.passed };
                self.block_text(self.skip_dashes(from), place.end as usize, value)
            }
        };
        self.passed = span.end as usize;
        span
    }

    /// A value that is not there: behind the colon or the dash that announces it.
    pub(super) fn missing(&mut self, place: Span, key: Option<Span>, has_properties: bool) -> Span {
        let at = place.start as usize;
        let end = match key {
            _ if has_properties => place.end as usize,
            Some(key) if self.at(at) == b':' && at >= key.end as usize => at + 1,
            Some(key) => key.end as usize,
            None => self.behind_dash(at).unwrap_or(at),
        };
        self.passed = end;
        Span::at(end, end)
    }

    /// The first byte of a container.
    pub(super) fn open(&mut self, place: Span, tag: Tag, key: Option<Span>, has_properties: bool) -> u32 {
        let at = if has_properties { self.skip(place.start as usize) } else { place.start as usize };
        let has_brackets = matches!(self.at(at), b'[' | b'{') && place.end as usize > at;
        let start = match key {
            Some(key) if tag == Tag::Seq && !has_brackets => self.skip(key.end as usize),
            _ => at,
        };
        self.flow.push(has_brackets);
        self.passed = if has_brackets || tag == Tag::Seq { start + 1 } else { start };
        offset(start)
    }

    /// The end of a container with brackets; other containers end where their last member does.
    pub(super) fn close(&mut self, place: Span) -> Option<u32> {
        if !self.flow.pop().unwrap_or_default() {
            return None;
        }
        // A trailing comma is taken for the end.
        self.passed = self.skip(place.start as usize) + 1;
        Some(offset(self.passed.min(self.text.len())))
    }

    /// The tab in the indentation of a node that is the first on its line, outside of brackets.
    pub(super) fn indenting_tab(&self, start: u32) -> Option<Span> {
        if self.flow.contains(&true) {
            return None;
        }
        let before = self.text.as_bytes().get(..start as usize)?;
        let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let from = before.len() - blanks;
        let starts_line = from <= self.base || matches!(before.get(from - 1), Some(b'\n' | b'\r'));
        let tab = memchr::memchr(b'\t', before.get(from..)?)?;
        starts_line.then(|| Span::at(from + tab, before.len()))
    }

    /// The tag among the properties that begin at `place`.
    pub(super) fn tag(&self, place: Span) -> Span {
        let mut start = place.start as usize;
        if self.at(start) == b'&' {
            while !self.is_blank(start) {
                start += 1;
            }
            while self.at(start) != b'!' && self.at(start) != 0 {
                start = if self.at(start) == b'#' { self.line_end(start) } else { start + 1 };
            }
        }
        let mut end = start;
        while !self.is_blank(end) {
            end += 1;
        }
        Span::at(start, end)
    }

    /// A range together with the blanks behind it.
    pub(super) fn with_blanks(&self, span: Span) -> Span {
        let mut end = span.end as usize;
        while matches!(self.at(end), b' ' | b'\t') {
            end += 1;
        }
        Span::at(span.start as usize, end)
    }

    fn at(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn is_blank(&self, at: usize) -> bool {
        matches!(self.at(at), b' ' | b'\t' | b'\n' | b'\r' | 0)
    }

    /// Skips space, comments, anchors, tags and the indicators that announce a value, except for dashes.
    fn skip(&self, mut at: usize) -> usize {
        loop {
            match self.at(at) {
                b' ' | b'\t' | b'\n' | b'\r' | b',' => at += 1,
                b':' | b'?' if self.is_blank(at + 1) => at += 1,
                b'#' => at = self.line_end(at),
                b'&' | b'!' => {
                    while !self.is_blank(at) {
                        at += 1;
                    }
                }
                _ => return at,
            }
        }
    }

    /// Like [`Places::skip`], dashes included: to what a list entry holds.
    fn skip_dashes(&self, mut at: usize) -> usize {
        loop {
            at = self.skip(at);
            if self.at(at) != b'-' || !self.is_blank(at + 1) {
                return at;
            }
            at += 1;
        }
    }

    fn line_end(&self, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        at + memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())
    }

    fn single_quote_end(&self, start: usize) -> usize {
        let mut at = start + 1;
        loop {
            match self.at(at) {
                b'\'' if self.at(at + 1) == b'\'' => at += 2,
                b'\'' => return at + 1,
                0 => return at,
                _ => at += 1,
            }
        }
    }

    fn double_quote_end(&self, start: usize) -> usize {
        let mut at = start + 1;
        loop {
            match self.at(at) {
                b'\\' => at += 2,
                b'"' => return at + 1,
                0 => return at.min(self.text.len()),
                _ => at += 1,
            }
        }
    }

    fn block_text(&self, header: usize, end: usize, value: &str) -> Span {
        let mut header_end = header + 1;
        while matches!(self.at(header_end), b'+' | b'-' | b'0'..=b'9') {
            header_end += 1;
        }
        if value.trim_matches([' ', '\t', '\n']).is_empty() {
            return Span::at(header, header_end);
        }
        let content = self.text.get(..end).unwrap_or_default();
        Span::at(header, content.trim_end_matches([' ', '\t', '\n', '\r']).len().max(header_end))
    }

    /// Behind the last dash of the line, when the line begins with dashes.
    fn behind_dash(&self, at: usize) -> Option<usize> {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        let mut here = memchr::memrchr2(b'\n', b'\r', before).map_or(self.base, |line_break| line_break + 1);
        let mut found = None;
        loop {
            match self.at(here) {
                b' ' | b'\t' => here += 1,
                b'-' if self.is_blank(here + 1) => {
                    here += 1;
                    found = Some(here);
                }
                _ => return found,
            }
        }
    }
}
