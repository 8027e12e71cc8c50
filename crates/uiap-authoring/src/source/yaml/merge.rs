//! Reports merge keys, with a repair that writes the members out where that is simple.

use crate::diagnostic::{Diagnostic, Diagnostics, Fix, codes};
use crate::source::doc::SourceDoc;
use crate::source::node::{Node, NodeKind};
use crate::source::span::Span;

/// Reports the keys at the given places.
pub(super) fn report(doc: &SourceDoc, keys: &[u32], diagnostics: &mut Diagnostics) {
    for &index in keys {
        let node = Node::new(doc, index);
        let Some(key) = node.key_span() else { continue };
        let mut diagnostic =
            Diagnostic::new(codes::MERGE_KEY, "merge key `<<` is not part of YAML 1.2", doc.file(), key)
                .label("this would be an ordinary key named `<<`")
                .help("write the members out, or share them by an overlay");
        if let Some(text) = written_out(node, key) {
            let span = key.to(node.span());
            diagnostic = diagnostic.fix(Fix::replace("write the members out", doc.file(), span, text));
        }
        diagnostics.push(diagnostic);
    }
}

/// The members as text in the column of the merge key. Only scalars on one line: anything else would have to be
/// indented anew.
fn written_out(node: Node<'_>, key: Span) -> Option<String> {
    if node.kind() != NodeKind::Map || node.is_empty() {
        return None;
    }
    let text = node.doc().file().text();
    let before = text.get(..key.start as usize)?;
    let line = before.rsplit('\n').next()?;
    if !line.bytes().all(|byte| byte == b' ') {
        return None;
    }
    let members: Option<Vec<String>> = node.entries().map(|(_, member)| member_text(member)).collect();
    Some(members?.join(&format!("\n{line}")))
}

fn member_text(member: Node<'_>) -> Option<String> {
    let raw = member.raw();
    let is_scalar = !matches!(member.kind(), NodeKind::Seq | NodeKind::Map);
    let is_plain = is_scalar && !raw.contains(['\n', '\r']) && !raw.starts_with(['*', '|', '>']);
    let key = member.doc().file().slice(member.key_span()?);
    (is_plain && !key.contains('\n')).then(|| format!("{key}: {raw}").trim_end().to_owned())
}
