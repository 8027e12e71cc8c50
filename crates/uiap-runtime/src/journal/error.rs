//! Why the journal cannot be read or written, in words that say what to do.

use std::path::PathBuf;

use rusqlite::ErrorCode;
use uiap_model::names::ActionHandle;

use super::stage::Stage;

/// The journal could not do what was asked.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct JournalError {
    place: Place,
    #[source]
    fault: Fault,
}

/// Where a journal lives.
#[derive(Clone, Debug)]
pub(super) enum Place {
    File(PathBuf),
    Memory,
}

impl std::fmt::Display for Place {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) => write!(to, "journal `{}`", path.display()),
            Self::Memory => to.write_str("journal in memory"),
        }
    }
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// Another process has it open.
    #[error("another process has it open; stop that one or use another file")]
    Locked,
    /// The file cannot be written.
    #[error("it cannot be written; check the permissions of the file and of its directory")]
    ReadOnly,
    /// No room.
    #[error("there is no room left, on the disk or within the limit of the journal")]
    Full,
    /// The file is damaged.
    #[error("the file is damaged; move it away, and treat every action that it knew as unknown")]
    Corrupt,
    /// The file belongs to something else.
    #[error("the file is no journal of actions; nothing in it was changed")]
    Foreign,
    /// The file cannot be opened.
    #[error("the file cannot be opened; check that its directory exists and may be entered")]
    CannotOpen,
    /// Written by a later version.
    #[error("the file has format {found}, and this version knows {known}; nothing in it was changed")]
    Newer {
        /// What the file has.
        found: i64,
        /// What is known here.
        known: i64,
    },
    /// A handle that nobody began.
    #[error("no action `{0}` is known")]
    UnknownHandle(ActionHandle),
    /// A handle that was used before.
    #[error("the handle `{0}` was used before; handles must differ, also after a restart")]
    UsedHandle(ActionHandle),
    /// A step that does not follow.
    #[error("action `{handle}` is {} and cannot become {}", .found.as_str(), .wanted.as_str())]
    WrongStage {
        /// The action.
        handle: ActionHandle,
        /// How far it is.
        found: Stage,
        /// What was asked for.
        wanted: Stage,
    },
    /// Actions of an earlier run wait for their end.
    #[error("actions of an earlier run have no end yet; recover them before a new one begins")]
    NotRecovered,
    /// A row that makes no sense.
    #[error("the entry of action `{handle}` cannot be read: {what}")]
    BadEntry {
        /// The action.
        handle: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// Anything else that the store says.
    #[error("the store failed")]
    Store(#[source] rusqlite::Error),
}

impl JournalError {
    pub(super) fn new(place: &Place, fault: Fault) -> Self {
        Self { place: place.clone(), fault }
    }

    /// What is wrong.
    pub fn fault(&self) -> &Fault {
        &self.fault
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly,
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::DatabaseCorrupt) => Self::Corrupt,
            Some(ErrorCode::NotADatabase) => Self::Foreign,
            Some(ErrorCode::CannotOpen) => Self::CannotOpen,
            _ => Self::Store(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_store_says_is_told_in_words_that_help() {
        let failure =
            |code| Fault::from(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None));
        assert!(matches!(failure(rusqlite::ffi::SQLITE_READONLY), Fault::ReadOnly));
        assert!(matches!(failure(rusqlite::ffi::SQLITE_READONLY_DIRECTORY), Fault::ReadOnly));
        assert!(matches!(failure(rusqlite::ffi::SQLITE_PERM), Fault::ReadOnly));
        assert!(matches!(failure(rusqlite::ffi::SQLITE_FULL), Fault::Full));
        assert!(matches!(failure(rusqlite::ffi::SQLITE_MISUSE), Fault::Store(_)));
        let error = JournalError::new(&Place::File("a.db".into()), Fault::Locked);
        assert_eq!(
            error.to_string(),
            "journal `a.db`: another process has it open; stop that one or use another file"
        );
    }
}
