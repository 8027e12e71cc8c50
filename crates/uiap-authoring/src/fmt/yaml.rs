//! YAML in block style, written anew around the text of keys and scalars.

use std::collections::BTreeMap;

use super::comments::{Gap, Line, gaps, is_block};
use super::flow;
use crate::source::{Node, NodeKind, SourceDoc};

/// Members of a manifest in the order that readers expect.
const TOP: &[&str] = &["apiVersion", "kind", "metadata", "spec", "status"];

/// The whole document.
pub(super) fn write(doc: &SourceDoc) -> String {
    let mut writer = Writer { doc, gaps: gaps(doc), path: Vec::new(), out: String::new(), fresh: true };
    let text = doc.file().text();
    if text.starts_with("---\n") || text.starts_with("---\r\n") {
        writer.out.push_str("---\n");
    }
    let root = doc.root();
    if is_block(root) {
        // What stands above everything stays there, whichever member comes first then.
        writer.lead(first_atom(root), usize::MAX, 0);
        writer.block(root, 0, 0, false);
    } else {
        writer.lead(root.span().start, usize::MAX, 0);
        writer.scalar(root, 0);
        writer.end_line(root.span().end);
    }
    writer.finish();
    writer.out
}

struct Writer<'d> {
    doc: &'d SourceDoc,
    gaps: BTreeMap<u32, Gap>,
    /// Columns of the entry that was written last and of those around it, outermost first, with their new indentation.
    path: Vec<(usize, usize)>,
    out: String,
    /// At the start of the file or of a block: no blank line here.
    fresh: bool,
}

/// Where an entry stands.
struct Place {
    depth: usize,
    indent: usize,
    /// Nothing of its block stands before it in the source.
    first: bool,
    /// It stands behind a dash.
    inline: bool,
}

impl<'d> Writer<'d> {
    fn block(&mut self, node: Node<'d>, depth: usize, indent: usize, inline: bool) {
        let mut children: Vec<Node<'d>> = node.children().collect();
        if depth == 0 && node.kind() == NodeKind::Map {
            let rank =
                |child: &Node<'_>| TOP.iter().position(|key| child.key() == Some(key)).unwrap_or(TOP.len());
            children.sort_by_key(rank);
        }
        let first = first_atom(node);
        for (at, child) in children.into_iter().enumerate() {
            let place = Place { depth, indent, first: first_atom(child) == first, inline: inline && at == 0 };
            self.entry(child, &place);
        }
    }

    /// A member of a mapping or an item of a sequence.
    fn entry(&mut self, child: Node<'d>, place: &Place) {
        let &Place { depth, indent, first, inline } = place;
        let start = first_atom(child);
        let column = self.column(start, child);
        if !inline {
            self.lead(start, if first { usize::MAX } else { column }, indent);
            self.out.push_str(&" ".repeat(indent));
        }
        self.path.truncate(depth);
        self.path.push((column, indent));
        if let Some(key) = child.key_span() {
            self.out.push_str(self.doc.file().slice(key));
            self.out.push(':');
            self.value(child, depth, indent, key.end);
        } else {
            self.out.push('-');
            if is_block(child) {
                self.out.push(' ');
                self.block(child, depth + 1, indent + 2, true);
            } else {
                self.value(child, depth, indent, start);
            }
        }
        self.tail(child, column);
    }

    /// Comments behind an entry that stand further right than it: they belong to what it holds.
    fn tail(&mut self, child: Node<'_>, column: usize) {
        let Some((_, gap)) = self.gaps.range_mut(last_end(child)..).next() else { return };
        let deeper = gap.lines.iter().take_while(|line| line.column > column).count();
        for line in gap.lines.drain(..deeper).collect::<Vec<_>>() {
            let place = self.path.iter().rev().find(|(at, _)| *at <= line.column);
            self.comment(&line, place.map_or(0, |(_, indent)| *indent));
        }
    }

    fn value(&mut self, node: Node<'d>, depth: usize, indent: usize, behind: u32) {
        if is_block(node) {
            self.end_line(behind);
            self.fresh = true;
            self.block(node, depth + 1, indent + 2, false);
        } else if node.raw().is_empty() {
            self.end_line(behind);
        } else {
            // `key: # why` before a value on the next line.
            let early = self.gaps.get_mut(&node.span().start).and_then(|gap| gap.trailing.take());
            self.out.push(' ');
            self.scalar(node, indent);
            if is_block_text(node) {
                self.text_end(node);
            } else {
                if let Some(comment) = early {
                    self.out.push_str("  ");
                    self.out.push_str(&comment);
                }
                self.end_line(node.span().end);
            }
        }
    }

    /// Blank lines below a block of text belong to it only with `+`; otherwise they part it from what follows.
    fn text_end(&mut self, node: Node<'_>) {
        self.fresh = false;
        let Some((_, gap)) = self.gaps.range_mut(node.span().end..).next() else { return };
        let blank =
            if keeps_end(node.raw()) { false } else { node.raw().trim_end_matches(' ').ends_with("\n\n") };
        let next = gap.lines.first_mut().map_or(&mut gap.blank, |line| &mut line.blank);
        *next = (*next && !keeps_end(node.raw())) || blank;
    }

    fn scalar(&mut self, node: Node<'_>, indent: usize) {
        let raw = node.raw();
        if is_block_text(node) {
            block_text(raw, indent + 2, &mut self.out);
        } else if raw.starts_with(['{', '[']) {
            flow::write(raw, indent, &mut self.out);
        } else {
            for (at, line) in raw.lines().enumerate() {
                if at > 0 {
                    self.out.push('\n');
                    self.out.push_str(if line.trim().is_empty() { "" } else { "  " });
                    self.out.push_str(&" ".repeat(if line.trim().is_empty() { 0 } else { indent }));
                }
                self.out.push_str(line.trim());
            }
        }
    }

    /// Ends a line, with the comment that stood behind the atom that ended there.
    fn end_line(&mut self, end: u32) {
        let next = self.gaps.range_mut(end..).next().map(|(_, gap)| gap);
        if let Some(comment) = next.and_then(|gap| gap.trailing.take()) {
            self.out.push_str("  ");
            self.out.push_str(&comment);
        }
        self.out.push('\n');
        self.fresh = false;
    }

    /// Comments and blank lines before an entry; those further right than `column` are left to the entry before.
    fn lead(&mut self, start: u32, column: usize, indent: usize) {
        let Some(gap) = self.gaps.get_mut(&start) else { return };
        let deeper = gap.lines.iter().take_while(|line| line.column > column).count();
        let (lines, blank) = (gap.lines.split_off(deeper), std::mem::take(&mut gap.blank));
        for line in &lines {
            self.comment(line, indent);
        }
        if blank && !self.fresh {
            self.out.push('\n');
        }
        self.fresh &= lines.is_empty() && !blank;
    }

    fn comment(&mut self, line: &Line, indent: usize) {
        if line.blank && !self.fresh {
            self.out.push('\n');
        }
        self.out.push_str(&" ".repeat(indent));
        self.out.push_str(&line.text);
        self.out.push('\n');
        self.fresh = false;
    }

    fn finish(&mut self) {
        let end = u32::try_from(self.doc.file().text().len()).unwrap_or(u32::MAX);
        if let Some(gap) = self.gaps.get_mut(&end) {
            gap.blank = false;
        }
        self.lead(end, usize::MAX, 0);
    }

    /// The column of an entry: that of its key, or of the dash before it.
    fn column(&self, start: u32, child: Node<'_>) -> usize {
        let before = self.doc.file().text().get(..start as usize).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        if child.key_span().is_some() {
            return line.chars().count();
        }
        line.rfind('-').map_or(line.chars().count(), |dash| line[..dash].chars().count())
    }
}

/// Where the last atom of an entry ends.
fn last_end(node: Node<'_>) -> u32 {
    let last = if is_block(node) { node.children().last() } else { None };
    match last {
        Some(last) => last_end(last),
        None if node.raw().is_empty() => node.key_span().map_or(node.span().end, |key| key.end),
        None => node.span().end,
    }
}

/// Where the first atom of an entry starts.
fn first_atom(node: Node<'_>) -> u32 {
    if let Some(key) = node.key_span() {
        return key.start;
    }
    if is_block(node) {
        node.children().next().map_or(node.span().start, first_atom)
    } else {
        node.span().start
    }
}

fn is_block_text(node: Node<'_>) -> bool {
    node.raw().starts_with(['|', '>'])
}

fn keeps_end(raw: &str) -> bool {
    raw.lines().next().is_some_and(|header| header.starts_with("|+") || header.starts_with(">+"))
}

/// A literal or folded text: its header, then its lines with one common indentation.
fn block_text(raw: &str, indent: usize, out: &mut String) {
    let mut lines = raw.lines();
    out.push_str(lines.next().unwrap_or_default().trim_end());
    out.push('\n');
    let mut lines: Vec<&str> = lines.collect();
    while !keeps_end(raw) && lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    let filled = lines.iter().filter(|line| !line.trim().is_empty());
    let base = filled.map(|line| line.len() - line.trim_start_matches(' ').len()).min().unwrap_or(0);
    for line in lines {
        let text = line.get(base..).unwrap_or_default();
        if !text.trim_end().is_empty() {
            out.push_str(&" ".repeat(indent));
        }
        out.push_str(if text.trim().is_empty() { "" } else { text });
        out.push('\n');
    }
}
