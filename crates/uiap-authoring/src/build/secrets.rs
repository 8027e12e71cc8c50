//! Values that look like secrets; manifests may refer to them and must not hold them. Spec: authoring, security.

use memchr::memmem;

use super::finding::at_value;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::source::{Node, SourceDoc, Span};
use crate::tree::At;

/// Beginnings that only credentials have, with the number of characters that must follow.
const PREFIXES: &[(&str, usize, &str)] = &[
    ("AKIA", 16, "an access key"),
    ("ghp_", 30, "an access token"),
    ("sk_live_", 16, "a payment key"),
    ("xoxb-", 20, "a chat token"),
    ("-----BEGIN PRIVATE KEY", 0, "a private key"),
    ("-----BEGIN RSA PRIVATE KEY", 0, "a private key"),
];

/// Members that hold secrets when they hold a literal.
const NAMES: &[&str] =
    &["password", "secret", "apikey", "api_key", "accesstoken", "clientsecret", "privatekey"];

/// Cheap signs that such a member may be there; only then is the tree walked.
const HINTS: &[&str] = &["assword", "ecret", "ey\":", "Key:", "key:", "KEY:", "oken"];

/// Warns about everything that looks like a secret.
pub(crate) fn look(doc: &SourceDoc, diagnostics: &mut Diagnostics) {
    let text = doc.file().text();
    for (prefix, length, what) in PREFIXES {
        for at in memmem::find_iter(text.as_bytes(), prefix.as_bytes()) {
            let rest = text.get(at + prefix.len()..).unwrap_or_default();
            let run = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || b"_-".contains(b)).count();
            if run >= *length {
                let end = at + prefix.len() + run.min(4);
                let span = Span::new(u32::try_from(at).unwrap_or(0), u32::try_from(end).unwrap_or(0));
                diagnostics.push(found(Diagnostic::new(
                    codes::SECRET,
                    format!("this looks like {what}"),
                    doc.file(),
                    span,
                )));
            }
        }
    }
    let mentions = HINTS.iter().any(|hint| memmem::find(text.as_bytes(), hint.as_bytes()).is_some());
    if mentions {
        walk(doc.root(), diagnostics);
    }
}

fn found(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.help("keep the value in a secret store and refer to it, such as `vault://videoland/api-key`")
}

fn walk(node: Node<'_>, diagnostics: &mut Diagnostics) {
    for (key, value) in node.entries() {
        let name = key.to_ascii_lowercase();
        let is_literal = value.as_str().is_some_and(|text| {
            text.len() >= 8 && !text.contains("://") && !text.contains("${") && !text.contains(' ')
        });
        if is_literal && NAMES.contains(&name.as_str()) {
            let message = format!("`{key}` holds what looks like a secret");
            diagnostics.push(found(at_value(codes::SECRET, At::Node(value), message)));
        }
    }
    node.children().for_each(|child| walk(child, diagnostics));
}
