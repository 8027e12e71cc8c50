//! What lies between a surface and an agent: pages as text, and actions with one life cycle, one verdict and evidence.
//!
//! # Map
//! - [`surface`]: what the runtime asks of whatever shows the app.
//! - [`scene`]: the page as it is known, and everything that was seen since a mark; [`ambience`]: what changes by itself.
//! - [`resolve`]: from what was asked for to the one element that is meant.
//! - [`action`]: one action from request to result; [`action::Runtime`] is the way in.
//! - [`verify`]: whether it worked.
//! - [`journal`]: what must not be forgotten by a crash. [`trace`]: what happened, step by step.
//! - [`order`]: actions and expectations in short words.
//! - [`text`]: a page graph as text for models, within a budget; refs, differences, search.
//!
//! # What this crate never does
//! - It knows no browser and no socket: whoever shows the app hands in a [`surface::Surface`].
//! - It never calls an action successful that nobody saw work, and never repeats one that may have had an effect.
//! - It lets no text of a page break out of its place: names are quoted, line breaks and control characters escaped.

pub mod action;
pub mod ambience;
pub mod clock;
pub mod journal;
pub mod order;
pub mod resolve;
pub mod scene;
pub mod surface;
pub mod text;
pub mod trace;
pub mod verify;
