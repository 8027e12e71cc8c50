//! The scanner for the YAML that people write.
//!
//! It covers block and flow collections, all scalar styles and comments, in one pass without tokens. Anything
//! beyond (anchors, aliases, tags, `? ` keys, directives, further documents, tabs in odd places, one-pair
//! mappings inside `[]`) makes it give up, and the complete parser reads the file instead. What it accepts, the
//! complete parser reads the same way: values, keys and places. A differential test holds both to that.
//!
//! It may refuse text that is fine, never the other way round: a mistake that it reports counts only when the
//! complete parser refuses the text too.

mod block;
mod block_text;
mod flow;
mod mistake;
mod plain;
mod quoted;

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::build::{TooDeep, TreeBuilder};
use crate::source::doc::SourceDoc;
use crate::source::file::SourceFile;
use crate::source::limits::Limits;
use crate::source::span::Span;

/// Why the scanner has no tree.
pub(super) enum Stop {
    /// Outside of the subset.
    Unsupported,
    /// Looks like a mistake.
    Mistake(Box<Diagnostic>),
    /// A limit was hit and reported.
    Reported,
}

impl From<TooDeep> for Stop {
    fn from(_: TooDeep) -> Self {
        Self::Reported
    }
}

/// What came of it: a tree, or the reason against it with what was found until then.
pub(super) type Outcome = Result<(SourceDoc, Diagnostics), (Stop, Diagnostics)>;

/// Scans a text, which may differ from the file's in blanked-out parts only.
pub(super) fn parse(file: &Arc<SourceFile>, text: &str, limits: &Limits) -> Outcome {
    if is_outside(text) {
        return Err((Stop::Unsupported, Diagnostics::new()));
    }
    let mut scanner = Scanner {
        bytes: text.as_bytes(),
        text,
        pos: if text.starts_with('\u{feff}') { 3 } else { 0 },
        line_start: 0,
        col: END,
        builder: TreeBuilder::new(file, limits),
    };
    match scanner.document() {
        Ok(()) => Ok(scanner.builder.finish()),
        Err(stop) => Err((stop, scanner.builder.finish().1)),
    }
}

/// A lone carriage return is a line break and a second byte order mark a special case; both are rare enough to
/// leave them to the complete parser.
fn is_outside(text: &str) -> bool {
    let bytes = text.as_bytes();
    let lone_return = memchr::memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n'));
    let body = bytes.get(1..).unwrap_or_default();
    lone_return || (!bytes.is_ascii() && memchr::memmem::find(body, "\u{feff}".as_bytes()).is_some())
}

/// Column at the end of the document: left of every block.
const END: i32 = -1;

struct Scanner<'a, 't> {
    text: &'t str,
    bytes: &'t [u8],
    /// Next byte. Between nodes it stands at the first character of the next one.
    pos: usize,
    line_start: usize,
    /// Column of the next node, [`END`] when there is none.
    col: i32,
    builder: TreeBuilder<'a>,
}

impl Scanner<'_, '_> {
    fn document(&mut self) -> Result<(), Stop> {
        self.seek_node()?;
        if self.col == END {
            if !self.at_marker(self.pos) || self.byte(self.pos) == b'.' {
                // An empty text, or one that starts with `...`.
                return Err(Stop::Unsupported);
            }
            self.pos += 3;
            self.finish_line()?;
        }
        if self.col == END || self.byte(self.pos) == b'%' {
            return Err(Stop::Unsupported);
        }
        self.block_node(END)?;
        if self.col != END {
            return Err(self.left_over());
        }
        if self.pos < self.bytes.len() { Err(Stop::Unsupported) } else { Ok(()) }
    }

    /// The byte at an offset; 0 behind the end, which no text contains.
    #[inline]
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// Whether the byte ends a word: space, tab, line break or end.
    #[inline]
    fn is_blank(&self, at: usize) -> bool {
        matches!(self.byte(at), b' ' | b'\t' | b'\n' | b'\r' | 0)
    }

    #[inline]
    fn is_line_end(&self, at: usize) -> bool {
        matches!(self.byte(at), b'\n' | b'\r' | 0)
    }

    #[inline]
    fn span(start: usize, end: usize) -> Span {
        Span::at(start, end)
    }

    /// `---` or `...` with nothing attached. The caller has checked that it starts a line.
    fn at_marker(&self, at: usize) -> bool {
        let dashes = self.bytes.get(at..at + 3);
        (dashes == Some(b"---") || dashes == Some(b"...")) && self.is_blank(at + 3)
    }

    /// Offset of the line after the one that holds `at`.
    #[inline]
    fn next_line(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        memchr::memchr(b'\n', rest).map_or(self.bytes.len(), |line_break| at + line_break + 1)
    }

    /// Behind the line break at `at`, which may be the end of the text.
    #[inline]
    fn after_break(&self, at: usize) -> usize {
        match self.byte(at) {
            b'\n' => at + 1,
            b'\r' => at + 2,
            _ => at,
        }
    }

    #[inline]
    fn skip_spaces(&self, mut at: usize) -> usize {
        while self.byte(at) == b' ' {
            at += 1;
        }
        at
    }

    fn skip_blanks(&self, mut at: usize) -> usize {
        while matches!(self.byte(at), b' ' | b'\t') {
            at += 1;
        }
        at
    }

    /// From the start of a line over empty lines and comments to the next node.
    #[inline]
    fn seek_node(&mut self) -> Result<(), Stop> {
        loop {
            let start = self.pos;
            let at = self.skip_spaces(start);
            match self.byte(at) {
                0 => {
                    self.pos = self.bytes.len();
                    self.col = END;
                    return Ok(());
                }
                b'\n' => self.pos = at + 1,
                b'\r' => self.pos = at + 2,
                b'#' => self.pos = self.next_line(at),
                b'\t' => self.pos = self.tab_line(at)?,
                _ => {
                    self.stand_at(start, at);
                    return Ok(());
                }
            }
        }
    }

    /// Settles on the node at `at` of the line that begins at `line_start`.
    #[inline]
    fn stand_at(&mut self, line_start: usize, at: usize) {
        self.line_start = line_start;
        self.pos = at;
        self.col = column(line_start, at);
        if self.col == 0 && self.at_marker(at) {
            self.col = END;
        }
    }

    /// A line that begins with a tab may only be empty or a comment.
    fn tab_line(&self, at: usize) -> Result<usize, Stop> {
        let content = self.skip_blanks(at);
        if self.is_line_end(content) || self.byte(content) == b'#' {
            return Ok(self.next_line(content));
        }
        Err(self.tab(at))
    }

    /// Ends a node: nothing but a comment may follow on its line. Moves on to the next node.
    #[inline]
    fn finish_line(&mut self) -> Result<(), Stop> {
        let at = self.skip_blanks(self.pos);
        match self.byte(at) {
            b'\n' | b'\r' | 0 => self.pos = self.after_break(at),
            b'#' if at > self.pos => self.pos = self.next_line(at),
            _ => return Err(self.trailing(at)),
        }
        self.seek_node()
    }
}

/// Columns beyond 2^31 do not occur: a text has at most 2^32 bytes and such a line is refused on its way.
#[inline]
fn column(line_start: usize, at: usize) -> i32 {
    i32::try_from(at - line_start).unwrap_or(i32::MAX)
}
