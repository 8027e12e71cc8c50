//! Explores an app safely, writes down what was found, and how sure it is.
//!
//! # Map
//! - [`plan`], [`seed`]: what a run sets out to do; [`ground`]: what it asks of whatever shows the app; [`run`]: the engine, with
//!   [`candidate`] (what could be done in a state), [`frontier`] (what is done next) and [`store`] (what survives the process).
//! - [`structure`]: the graph that an app publishes, tied to what is seen in its DOM.
//! - [`bridged`]: frames of other origins that may be looked into.
//! - [`record`]: what a run saw and did, as it is stored; the explorer writes it, the derivation reads it.
//!
//! # What this crate never does
//! - It knows no browser: whoever shows the app hands it in.
//! - It never does what it could not judge: a decision stands before every action.
//! - It never stores what is private unless the ground was asked to keep it: [`privacy`] stands between the two.

pub mod audit;
pub mod bridged;
pub mod candidate;
pub mod compare;
pub mod coverage;
pub(crate) mod derive;
pub mod desk;
pub mod fingerprint;
pub mod frontier;
pub mod ground;
pub mod login;
mod menu;
pub mod package;
pub mod plan;
pub mod privacy;
pub mod record;
mod review;
pub mod run;
pub mod safety;
pub mod seed;
pub mod store;
pub mod structure;
pub mod template;
