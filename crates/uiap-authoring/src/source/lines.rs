//! Byte offset to line and column, built only when somebody prints a position.

use memchr::memchr_iter;

use super::span::offset;

/// Bytes between two stored character counts. A query walks at most this far.
const STRIDE: usize = 4096;

/// A place as people count: both from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// Line starts, and character counts at fixed strides for files that are not plain ASCII.
///
/// The counts bound the cost of a column on a line of any length: JSON on one line of 40 MB is ordinary.
#[derive(Debug)]
pub(crate) struct LineIndex {
    starts: Vec<u32>,
    /// Characters before byte `i * STRIDE`; empty when every character is one byte.
    marks: Vec<u32>,
}

impl LineIndex {
    pub(crate) fn new(text: &str) -> Self {
        let first = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut starts = vec![first];
        starts.extend(memchr_iter(b'\n', text.as_bytes()).map(|at| offset(at + 1)));
        let marks = if text.is_ascii() { Vec::new() } else { char_marks(text.as_bytes()) };
        Self { starts, marks }
    }

    pub(crate) fn position(&self, text: &str, at: u32) -> Position {
        let at = at.min(offset(text.len()));
        let line = self.starts.partition_point(|&start| start <= at).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0).min(at);
        let column = self.chars_before(text, at) - self.chars_before(text, start) + 1;
        Position { line: offset(line), column }
    }

    /// Byte range of a line (from 1) without its line break.
    pub(crate) fn line_range(&self, text: &str, line: u32) -> Option<std::ops::Range<usize>> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.starts.get(index)? as usize;
        let end = self.starts.get(index + 1).map_or(text.len(), |&next| next as usize);
        let content = text.get(start..end)?;
        Some(start..start + content.trim_end_matches(['\n', '\r']).len())
    }

    pub(crate) fn line_count(&self) -> u32 {
        offset(self.starts.len())
    }

    fn chars_before(&self, text: &str, at: u32) -> u32 {
        if self.marks.is_empty() {
            return at;
        }
        let at = at as usize;
        let block = (at / STRIDE).min(self.marks.len() - 1);
        let counted = self.marks.get(block).copied().unwrap_or(0);
        let rest = text.as_bytes().get(block * STRIDE..at).unwrap_or_default();
        counted + offset(count_chars(rest))
    }
}

fn char_marks(bytes: &[u8]) -> Vec<u32> {
    let mut total = 0;
    let mut marks = Vec::with_capacity(bytes.len() / STRIDE + 1);
    for block in bytes.chunks(STRIDE) {
        marks.push(total);
        total += offset(count_chars(block));
    }
    marks
}

/// Counts the bytes that begin a character.
fn count_chars(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, offset: u32) -> (u32, u32) {
        let position = LineIndex::new(text).position(text, offset);
        (position.line, position.column)
    }

    #[test]
    fn columns_count_characters_and_lines_count_from_one() {
        let text = "äb\r\ncé: 1\n";
        assert_eq!(at(text, 0), (1, 1));
        assert_eq!(at(text, 2), (1, 2));
        assert_eq!(at(text, 5), (2, 1));
        assert_eq!(at(text, 8), (2, 3));
        assert_eq!(at(text, 12), (3, 1));
        assert_eq!(at(text, 900), (3, 1));
    }

    #[test]
    fn a_byte_order_mark_does_not_take_a_column() {
        assert_eq!(at("\u{feff}a: 1", 3), (1, 1));
        assert_eq!(at("\u{feff}a: 1", 4), (1, 2));
        assert_eq!(at("\u{feff}a: 1", 0), (1, 1));
    }

    #[test]
    fn a_line_longer_than_the_stride_still_gives_the_right_column() {
        let text = format!("x\n{}", "ä".repeat(10_000));
        assert_eq!(at(&text, 2 + 2 * 9_999), (2, 10_000));
    }

    #[test]
    fn a_line_range_leaves_out_the_line_break() {
        let text = "ab\r\ncd";
        let index = LineIndex::new(text);
        assert_eq!(index.line_range(text, 1), Some(0..2));
        assert_eq!(index.line_range(text, 2), Some(4..6));
        assert_eq!(index.line_range(text, 3), None);
    }
}
