//! YAML 1.2, core schema, one document per file.
//!
//! Two readers stand behind one door. `fast` reads what people write; the complete parser behind `events`
//! reads everything else and has the last word on what is YAML.

mod agreement;
mod core_schema;
mod events;
mod fast;
mod merge;
mod places;
mod recovery;
mod tags;

use std::sync::Arc;

pub use self::agreement::{Agreement, compare_readers};
use self::events::Refusal;
use self::fast::Stop;
use super::file::SourceFile;
use super::limits::Limits;
use super::parse::Parsed;

/// Parses a YAML source.
pub(super) fn parse(file: &Arc<SourceFile>, limits: &Limits) -> Parsed {
    let (stop, found) = match fast::parse(file, file.text(), limits) {
        Ok((doc, diagnostics)) => return Parsed { doc: Some(doc), diagnostics },
        Err((Stop::Reported, diagnostics)) => return Parsed::refused(diagnostics),
        Err(refused) => refused,
    };
    match events::parse(file, file.text(), limits) {
        Ok((doc, diagnostics)) => Parsed { doc: Some(doc), diagnostics },
        Err(Refusal::Stopped(diagnostics)) => Parsed::refused(diagnostics),
        Err(Refusal::Syntax(error)) => {
            let mut diagnostics = found;
            recovery::report(file, limits, stop, &error, &mut diagnostics);
            Parsed::refused(diagnostics)
        }
    }
}
