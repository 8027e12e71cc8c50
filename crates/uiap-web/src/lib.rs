//! Surface for Chromium: what a page shows, as a PageGraph.
//!
//! ```no_run
//! use uiap_cdp::{Browser, LaunchOptions};
//! use uiap_web::{OpenOptions, Page};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let browser = Browser::launch(LaunchOptions::default()).await?;
//! let page = Page::open(&browser, "http://127.0.0.1:8080/", OpenOptions::default()).await?;
//! let graph = page.snapshot(&serde_json::from_str("{}")?).await?;
//! println!("{} elements", graph.elements().count());
//! # Ok(())
//! # }
//! ```
//!
//! The script in `page/` runs in an isolated world of the page's main frame: the page can neither see nor change it. It reads
//! frames of the same origin and open shadow roots, and says of everything else that it cannot be looked into.
//!
//! What this crate never does: it changes nothing in a page that it observes, leaves no name in the page's own world, and lets
//! no text of a secret field leave the page. The functions by which a page asks for permissions are listened to, and do what they did.

mod acting;
pub mod bridge;
mod bundle;
mod capability;
mod capture;
mod destination;
pub mod dialog;
pub mod emulation;
mod error;
pub mod guard;
pub mod input;
mod loading;
mod mirror;
pub mod network;
mod observe;
mod page;
pub mod presenter;
pub mod quiet;
pub mod screenshot;
pub mod signal;
pub mod storage;
pub mod surface;
mod transfer;
mod vocabulary;
mod world;

pub use self::capture::{CaptureOptions, Captured};
pub use self::error::{PageError, PageErrorKind};
pub use self::observe::{
    Activation, Change, Fresh, FreshReason, Observation, ObserveOptions, PageEvent, PageEventKind, Revision,
    RouteChange, TouchedElement, TouchedScope,
};
pub use self::page::{Accessible, OpenOptions, Page};
