//! UIAP sessions, whatever carries them. Spec: core (01), web-profile (03), policy-extension (05).
//!
//! - [`house`] holds all sessions: it takes the first message of a peer, negotiates, resumes.
//! - [`session`] takes every other message and answers each request exactly once; `request`, `acting` and `discovery` do the work.
//! - [`outbox`] is what a session tells by itself; a binding reads it.
//! - [`stage`] and [`actions`] are the seams to pages and to whoever acts on them.
//!
//! No socket is known here: a binding hands in bytes and takes out text.

mod acting;
pub mod actions;
pub mod contract;
pub mod credential;
pub(crate) mod diary;
mod discovery;
pub(crate) mod eye;
pub mod house;
mod keeper;
mod ledger;
pub mod letter;
mod offering;
pub mod outbox;
pub mod pace;
pub(crate) mod question;
mod request;
pub mod session;
pub mod stage;
pub mod standing;
mod subscription;
mod view;

pub use self::contract::Contract;
pub use self::credential::{Credential, Keyring, KeyringError, Part};
pub use self::house::{Arrival, House, HouseError, HouseOptions, Visitor};
pub use self::session::{Outcome, Reply, Session};
pub use self::standing::{Farewell, Holder, Patience, Sender};
