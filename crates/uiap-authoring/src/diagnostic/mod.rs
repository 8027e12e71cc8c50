//! What went wrong, as data: a stable code, places in the source, help, and edits that repair it.
//!
//! Nothing here prints. [`render`] turns the data into text for people, editors and build servers, and
//! [`explain`] gives the long story behind a code.

mod collector;
mod finding;
mod input;
pub mod registry;
pub mod render;
mod suggest;

pub use collector::Diagnostics;
pub use finding::{Diagnostic, Edit, Fix, Label, Severity};
pub use input::shown;
pub use registry::{Code, Entry, codes, explain};
pub use suggest::did_you_mean;
