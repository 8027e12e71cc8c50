//! Who may do what, what is hidden, what is written down. Spec: policy-extension (05).
//!
//! [`Policies`] are documents compiled: [`Policies::decide`] answers a question, [`Policies::explain`] tells why.
//! The order of rules and documents never matters; the strictest argument wins; what page or agent claim can only
//! tighten.
//!
//! Never here: I/O, clocks, randomness, threads, async. Time, nonces and salts come in as arguments.

pub mod audit;
pub mod codes;
pub mod confirmation;
mod decide;
mod explain;
mod facts;
mod grant;
pub mod handoff;
mod index;
mod matcher;
mod obligation;
mod pattern;
mod policies;
pub mod redact;
mod requirement;
mod selector;
pub mod side_effect;
mod situation;
mod store;
pub mod table;
mod weigh;
mod word;

pub use decide::{DecisionIds, ForeignPrincipal, authenticate, still_holds};
pub use explain::{Explanation, KnownFacts, Reasoning};
pub use grant::Grants;
pub use matcher::{BAD_PATTERN, EMPTY_LIST};
pub use obligation::{audit_level, permits_mode};
pub use policies::{Policies, Refusal, SAME_POLICY};
pub use redact::{Audience, REDACTED, Redactor, SharedSecrets};
pub use situation::{FactError, Limits, Situation};
pub use store::{NOTHING_READ, PolicyStore};
