//! A thin DevTools client: launch or connect, sessions, typed calls.
//!
//! ```no_run
//! use uiap_cdp::protocol::runtime::Evaluate;
//! use uiap_cdp::{Browser, LaunchOptions};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let browser = Browser::launch(LaunchOptions::default()).await?;
//! let page = browser.new_page("about:blank").await?;
//! let answer = page.call(Evaluate { expression: "6 * 7", return_by_value: true, ..Default::default() }).await?;
//! assert_eq!(answer.result.value_as::<u32>()?, Some(42));
//! browser.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! What holds, whatever happens:
//! - Every call ends: with an answer, at its limit, or at once when its session, renderer or browser is gone.
//! - A call that is dropped before it was written is never written; an error says whether it was.
//! - A slow subscriber loses events and is told how many; it delays nobody.
//! - A browser that was launched here leaves no process and no file behind, however it or its owner ends.
//!
//! What this crate never does: it knows no agent protocol, serves nothing, and decides nothing about pages.
//! Launching needs Unix; finding and connecting work everywhere.

mod attach;
mod browser;
mod connect;
mod connection;
mod context;
mod error;
mod event;
pub mod find;
#[cfg(unix)]
mod launch;
pub mod protocol;
mod session;
mod subscription;
mod transport;

use std::time::Duration;

pub use self::attach::{AutoAttach, Preparation, Scope};
pub use self::browser::Browser;
pub use self::connect::{ConnectError, ConnectOptions};
pub use self::context::{BrowserContext, ContextOptions, Downloads};
pub use self::error::{CallError, CallErrorKind, DisconnectReason, Exit};
pub use self::event::{BrowserEvent, BrowserEvents, DetachReason, Event, SessionEvent, SessionEvents};
#[cfg(unix)]
pub use self::launch::{LaunchError, LaunchOptions, ScratchError};
pub use self::session::Session;
pub use self::subscription::{Capacity, Subscription};

const DEFAULT_CALL_TIMEOUT: Duration = Duration::from_secs(30);
