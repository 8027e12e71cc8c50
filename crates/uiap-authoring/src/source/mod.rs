//! Text to a tree that remembers where every key and every value stands.
//!
//! ```
//! use uiap_authoring::source::{Limits, SourceFile, parse_source};
//!
//! let file = SourceFile::new("app.uiap.yaml", "kind: App\nmetadata: { id: app.main }\n");
//! let parsed = parse_source(&file, &Limits::DEFAULT);
//! let doc = parsed.doc.expect("the text is fine");
//! let id = doc.root().get("metadata").and_then(|m| m.get("id")).expect("it is there");
//! assert_eq!(id.as_str(), Some("app.main"));
//! assert_eq!(file.position(id.span().start).column, 17);
//! ```
//!
//! Two grammars give the same tree: strict JSON (RFC 8259) and the core schema of YAML 1.2 ([`yaml`]).

mod build;
mod decode;
mod decode_key;
mod doc;
mod file;
mod hidden;
mod json;
mod limits;
mod lines;
mod node;
mod number;
mod parse;
mod pointer;
mod repair;
mod screen;
mod span;
pub mod yaml;

pub use decode::DecodeError;
pub use doc::SourceDoc;
pub use file::{Format, Position, SourceFile};
pub use hidden::{Hidden, find_hidden};
pub use limits::Limits;
pub use node::{Entries, Items, Node, NodeKind, Number};
pub use parse::{Parsed, parse_source};
pub use pointer::{Location, parse_pointer, push_token};
pub use span::Span;
