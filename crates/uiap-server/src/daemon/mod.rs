//! The tools over a socket of the user's own, so that a shell can use the same sessions as an agent does.
//!
//! | file | what it does |
//! |---|---|
//! | `place` | where the socket is, and that nobody else can get at it |
//! | `line` | what is said on it: lines of JSON |
//! | `server` | the daemon: one for each user, gone when nobody needs it |
//! | `client` | the other end: finds the daemon, starts it when it must, replaces one of another build |

pub mod client;
pub mod line;
mod place;
mod server;

pub use self::place::{Place, PlaceError};
pub use self::server::{Daemon, DaemonError, DaemonOptions};

/// Which build this is: a daemon of another one is replaced. The version alone does not tell builds of a working copy apart.
pub fn build() -> String {
    use std::os::unix::fs::MetadataExt;
    let version = env!("CARGO_PKG_VERSION");
    let file = std::env::current_exe().and_then(std::fs::metadata);
    match file {
        Ok(file) => format!("{version}-{:x}-{:x}-{:x}", file.ino(), file.size(), file.mtime_nsec()),
        Err(_) => version.to_owned(),
    }
}
