//! Prints what the parser makes of a file: the tree with its places, and the findings.
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::path::Path;

use uiap_authoring::diagnostic::render::human::Human;
use uiap_authoring::source::{Limits, Node, NodeKind, SourceFile, parse_source};

fn main() {
    for path in std::env::args().skip(1) {
        match SourceFile::load(Path::new(&path), &Limits::DEFAULT) {
            Ok(file) => {
                let parsed = parse_source(&file, &Limits::DEFAULT);
                if let Some(doc) = &parsed.doc {
                    show(doc.root(), 0);
                }
                println!("{}", Human::default().render(&parsed.diagnostics));
            }
            Err(diagnostic) => println!("{}", Human::default().render_one(&diagnostic)),
        }
    }
}

fn show(node: Node<'_>, depth: usize) {
    let place = node.doc().file().position(node.span().start);
    let key = node.key().map(|key| format!("{key}: ")).unwrap_or_default();
    let value = match node.kind() {
        NodeKind::Seq | NodeKind::Map => format!("{} of {}", node.kind(), node.len()),
        _ => format!("{} {}", node.kind(), node.to_value()),
    };
    println!("{:indent$}{key}{value}  @{}:{}", "", place.line, place.column, indent = depth * 2);
    node.children().for_each(|child| show(child, depth + 1));
}
