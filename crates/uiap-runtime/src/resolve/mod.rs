//! From what was asked for to the one element that is meant, or to the reason why there is none. Spec: action-runtime, 8.

mod boundary;
mod identity;
mod names;
mod owner;
mod score;
mod search;

pub use identity::{Departed, Identity};
pub use score::{Candidate, Factor, Factors};
pub use search::{Resolution, ResolveError, THRESHOLD, Wanted, resolve};
