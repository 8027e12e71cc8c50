//! Doors for agents.
//!
//! # Map
//! - [`protocol`]: UIAP sessions, whatever carries them; [`door`]: `ws@0.1` and `http@0.1`.
//! - [`pages`]: pages of real browsers as sessions see them; [`browsers`]: where they come from.
//! - [`downloads`]: where files of a page go.
//! - [`address`]: the one judge of addresses; [`gate`]: where every request of a page is judged.
//! - [`client`]: what a client does when it chooses a door and when it loses one.
//! - [`explore`]: pages of a real browser as the ground of a discovery run.
//! - [`operator`]: the page of the person who watches, agrees and ends; [`audit`]: what is written down of it all.
//! - [`serve`]: all of it put together.
//! - [`session`]: pages that agents look at and act on; [`tool`]: calls of tools, turned into answers, whoever carries them.
//! - [`mcp`]: the tools over the Model Context Protocol; [`daemon`]: the same tools over a socket of the user's own.
//!
//! # What this crate never does
//! - It believes nothing that a message says about its sender: rights follow the credential.
//! - It lets no agent confirm what an agent asked for.
//! - It queues without bound for nobody, and waits for nobody without a limit.
//! - It mixes no sessions: handles, pages and storage of one are unknown to the others.

pub mod address;
pub mod asking;
pub mod audit;
pub mod browsers;
pub mod client;
pub mod daemon;
pub mod door;
pub mod downloads;
pub mod explore;
pub mod gate;
pub mod mcp;
pub mod operator;
pub mod pages;
pub mod protocol;
pub mod secret;
pub mod serve;
pub mod session;
pub mod tool;
