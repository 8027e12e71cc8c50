//! Byte ranges: the currency between the parsers, the tree and the diagnostics.

use std::ops::Range;

/// A half-open byte range in one source file.
///
/// Offsets count from the first byte of the file, a byte order mark included, so that an editor can apply a
/// fix to the file as it lies on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range from `start` to `end`; a reversed pair becomes empty at `start`.
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end: end.max(start) }
    }

    /// The empty range at `at`.
    pub fn empty(at: u32) -> Self {
        Self { start: at, end: at }
    }

    /// Like [`Span::new`] for offsets that come from slices.
    pub(crate) fn at(start: usize, end: usize) -> Self {
        Self::new(offset(start), offset(end))
    }

    /// Number of bytes.
    pub fn len(self) -> u32 {
        self.end - self.start
    }

    /// Whether no byte lies inside.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The smallest range that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The range for slicing.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Narrows a slice offset. Sources are limited to 4 GiB before they are parsed, so nothing is lost.
pub(crate) fn offset(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
