//! JSON: two spaces a level, scalars as they were written.

use crate::source::{Node, NodeKind};

/// The whole document.
pub(super) fn write(root: Node<'_>) -> String {
    let mut out = String::new();
    node(root, 0, &mut out);
    out.push('\n');
    out
}

fn node(value: Node<'_>, indent: usize, out: &mut String) {
    let brackets = match value.kind() {
        NodeKind::Map => ['{', '}'],
        NodeKind::Seq => ['[', ']'],
        _ => return out.push_str(value.raw()),
    };
    out.push(brackets[0]);
    for (at, child) in value.children().enumerate() {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        out.push_str(&" ".repeat(indent + 2));
        if let Some(key) = child.key_span() {
            out.push_str(value.doc().file().slice(key));
            out.push_str(": ");
        }
        node(child, indent + 2, out);
    }
    if !value.is_empty() {
        out.push('\n');
        out.push_str(&" ".repeat(indent));
    }
    out.push(brackets[1]);
}
