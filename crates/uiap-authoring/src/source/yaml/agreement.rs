//! Compares the two readers: whatever the fast one accepts, the complete one must read the same way.

use std::sync::Arc;

use super::{events, fast};
use crate::diagnostic::Diagnostics;
use crate::source::file::SourceFile;
use crate::source::limits::Limits;
use crate::source::node::{Node, NodeKind};
use crate::source::screen;

/// How the two readers took a text.
#[derive(Debug, PartialEq, Eq)]
pub enum Agreement {
    /// The fast reader left the text to the complete one.
    LeftAlone,
    /// Both gave the same tree with the same places.
    Same,
    /// They differ; the words say where.
    Different(String),
}

/// Reads a text both ways.
pub fn compare_readers(file: &Arc<SourceFile>, limits: &Limits) -> Agreement {
    if screen::screen(file, limits).is_err() {
        return Agreement::LeftAlone;
    }
    let Ok((fast_doc, fast_findings)) = fast::parse(file, file.text(), limits) else {
        return Agreement::LeftAlone;
    };
    match events::parse(file, file.text(), limits) {
        Ok((doc, findings)) => {
            match difference(fast_doc.root(), doc.root()).or_else(|| findings_differ(fast_findings, findings))
            {
                None => Agreement::Same,
                Some(words) => Agreement::Different(words),
            }
        }
        Err(events::Refusal::Syntax(error)) => {
            Agreement::Different(format!("the complete reader refuses it: {error}"))
        }
        Err(events::Refusal::Stopped(findings)) => {
            Agreement::Different(format!("the complete reader stops: {findings:?}"))
        }
    }
}

fn difference(fast: Node<'_>, complete: Node<'_>) -> Option<String> {
    let describe = |node: Node<'_>| {
        let scalar = match node.kind() {
            NodeKind::Seq | NodeKind::Map => String::new(),
            _ => node.to_value().to_string(),
        };
        format!("{:?} {:?} {:?} {} {scalar}", node.key(), node.key_span(), node.span().range(), node.kind())
    };
    if describe(fast) != describe(complete) || fast.len() != complete.len() {
        return Some(format!(
            "at {}: fast `{}`, complete `{}`",
            fast.to_pointer(),
            describe(fast),
            describe(complete)
        ));
    }
    fast.children().zip(complete.children()).find_map(|(a, b)| difference(a, b))
}

fn findings_differ(mut fast: Diagnostics, mut complete: Diagnostics) -> Option<String> {
    fast.sort();
    complete.sort();
    let same = fast.total() == complete.total() && fast.iter().eq(complete.iter());
    (!same).then(|| format!("findings differ: fast {fast:?}, complete {complete:?}"))
}
