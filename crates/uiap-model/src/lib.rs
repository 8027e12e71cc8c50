//! Wire types of every module of the UI Agent Protocol (UIAP) v0.1, their validation and their JSON Schema.
//!
//! One type, one definition: [`wire`](uiap_model_derive::wire) makes decoding, encoding, validation messages and
//! schema from it. Names are the specification's, ids are newtypes, vocabularies are closed unless the specification
//! opens them to `x.…`.
//!
//! Never here: I/O, clocks, threads, async. Everything is a pure function of its arguments.
#![expect(missing_docs, reason = "fields carry the specification's names; types carry the prose")]

pub mod action;
pub mod authoring;
pub mod capability;
pub mod conformance;
pub mod core;
pub mod digest;
pub mod discovery;
pub mod document;
pub mod json;
pub mod names;
pub mod parse;
pub mod pointer;
pub mod policy;
pub mod problem;
pub mod shape;
pub mod suggest;
mod time;
pub mod version;
pub mod web;
pub mod workflow;

pub use json::{Count, JsonObject, JsonValue, Nullable, Number, Positive};
pub use parse::parse;
pub use problem::{Problem, Severity};
pub use shape::Wire;
pub use version::Version;
