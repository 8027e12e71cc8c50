//! Comments and blank lines between the atoms of a file: keys, scalars and flow collections.

use std::collections::BTreeMap;

use crate::source::{Node, NodeKind, SourceDoc, Span};

/// What stands between one atom and the next.
#[derive(Debug, Default)]
pub(super) struct Gap {
    /// Behind the atom before, on its line.
    pub(super) trailing: Option<String>,
    /// On lines of their own.
    pub(super) lines: Vec<Line>,
    /// A blank line directly before the atom.
    pub(super) blank: bool,
}

/// A comment on a line of its own.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) column: usize,
    pub(super) text: String,
    /// A blank line directly before it.
    pub(super) blank: bool,
}

/// Gaps by the place where the atom behind them starts; the last one by the length of the text.
pub(super) fn gaps(doc: &SourceDoc) -> BTreeMap<u32, Gap> {
    let mut atoms = Vec::new();
    collect(doc.root(), &mut atoms);
    atoms.sort_unstable_by_key(|span| span.start);
    let text = doc.file().text();
    let mut found = BTreeMap::new();
    let mut from = 0;
    for atom in atoms {
        let gap = text.get(from..atom.start as usize).unwrap_or_default();
        found.insert(atom.start, read(gap, text, from));
        from = from.max(atom.end as usize);
    }
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    found.insert(end, read(text.get(from..).unwrap_or_default(), text, from));
    found
}

fn collect(node: Node<'_>, atoms: &mut Vec<Span>) {
    atoms.extend(node.key_span());
    if is_block(node) {
        for child in node.children() {
            collect(child, atoms);
        }
    } else if !node.raw().is_empty() {
        atoms.push(node.span());
    }
}

/// Whether the node is a collection in block style.
pub(super) fn is_block(node: Node<'_>) -> bool {
    matches!(node.kind(), NodeKind::Map | NodeKind::Seq) && !node.raw().starts_with(['{', '[', '*', '&', '!'])
}

/// Reads a gap: white space, indicators and comments.
fn read(gap: &str, text: &str, from: usize) -> Gap {
    let mut out = Gap::default();
    let mut blank = false;
    let begins_line = text.get(..from).is_none_or(|before| before.is_empty() || before.ends_with('\n'));
    for (at, line) in gap.split('\n').enumerate() {
        let comment = comment_of(line);
        let bare = line.trim();
        // The first piece ends the line of the atom before, unless that was a block of text with its line end.
        let own_line = at > 0 || begins_line;
        match comment {
            Some(start) if own_line && line[..start].trim().trim_start_matches(['-', ' ']).is_empty() => {
                let column = line[..start].chars().count();
                out.lines.push(Line { column, text: line[start..].trim_end().to_owned(), blank });
                blank = false;
            }
            Some(start) => out.trailing = Some(line[start..].trim_end().to_owned()),
            None if own_line && bare.is_empty() && ends_line(gap, at) => blank = true,
            None => {}
        }
    }
    let begins = text.get(..from).is_none_or(str::is_empty);
    out.blank = blank && !(begins && out.lines.is_empty());
    if let Some(first) = out.lines.first_mut() {
        first.blank &= !begins;
    }
    out
}

/// Whether the piece at this position is a whole line, not the indentation of what follows.
fn ends_line(gap: &str, at: usize) -> bool {
    at < gap.matches('\n').count()
}

/// Where a comment starts in a line of a gap.
fn comment_of(line: &str) -> Option<usize> {
    let at = line.find('#')?;
    let before = line[..at].chars().next_back();
    before.is_none_or(char::is_whitespace).then_some(at)
}
