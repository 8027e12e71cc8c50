//! Doors for agents.
//!
//! # Map
//! - [`session`]: pages that agents look at, each in a browser context of its own, in one browser.
//! - [`mcp`]: the same as tools of the Model Context Protocol, over standard input and output.
//!
//! # What this crate never does
//! - It acts on nothing yet: every tool reads. A page is opened, read, pictured and closed.
//! - It opens no address but `http` and `https`, and listens on no socket.
//! - It mixes no sessions: handles, pages and storage of one are unknown to the others.

pub mod mcp;
pub mod session;
