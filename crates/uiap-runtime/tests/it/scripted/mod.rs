//! An app in memory that reacts by script, and a session that acts on it. Time is tokio's paused clock: a run takes no time.

mod page;
mod session;
mod surface;

pub(crate) use page::{Answer, Page};
pub(crate) use session::{Came, Session, agent, descriptor, target, user};
pub(crate) use surface::{EVERY_MODE, Scripted};
