//! What lies between a surface and an agent.
//!
//! # Map
//! - [`text`]: a page graph as text for models, within a budget; refs, differences, search.
//!
//! # What this crate never does
//! - It knows no browser, no socket and no file: it works on the model's types.
//! - It lets no text of a page break out of its place: names are quoted, line breaks and control characters escaped.

pub mod text;
