//! Explores an app safely, writes down what was found, and how sure it is.
//!
//! # Map
//! - [`record`]: what a run saw and did, as it is stored; the explorer writes it, the derivation reads it.
//!
//! # What this crate never does
//! - It knows no browser: whoever shows the app hands it in.
//! - It never does what it could not judge: a decision stands before every action.

pub mod record;
