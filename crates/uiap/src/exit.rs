//! Exit codes, in one table.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything is fine.
    Ok = 0,
    /// Something was found: a document is invalid, a check failed.
    Found = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The page cannot be opened or read.
    Page = 3,
    /// A file cannot be read or written.
    File = 6,
    /// The machine lacks something, such as a browser.
    Environment = 7,
}

/// The table as `--help` and the manual print it.
pub(crate) const TABLE: &[(Exit, &str)] = &[
    (Exit::Ok, "fine"),
    (Exit::Found, "something was found: a document is invalid, a check failed"),
    (Exit::Usage, "the command line is wrong"),
    (Exit::Page, "the page cannot be opened or read"),
    (Exit::File, "a file or port cannot be used"),
    (Exit::Environment, "the machine lacks something, such as a browser"),
];

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An error that asks for a code of its own.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The code.
    pub(crate) exit: Exit,
    /// What happened.
    pub(crate) message: String,
    /// What to do.
    pub(crate) hint: Option<String>,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// The code of an error: its own, or that of a file for an I/O error.
pub(crate) fn of_error(error: &anyhow::Error) -> Exit {
    match error.downcast_ref::<Failure>() {
        Some(failure) => failure.exit,
        None => Exit::File,
    }
}
