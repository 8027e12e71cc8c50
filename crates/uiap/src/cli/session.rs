//! Options of the commands that use a running session.

use std::path::PathBuf;

use clap::Args;

/// Open a page in a session that stays, for the commands that follow
///
/// The session lives in a daemon of your own that starts with the first page and ends when nobody uses it any more. Every other
/// command of a session (`snapshot`, `find`, `act`, `wait`, `screenshot`, `tabs`, `close`) finds it by its name. Pages reach public
/// addresses and the origin that is opened here; other origins must be allowed when the session begins.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap open http://127.0.0.1:8080/videos --session shop
  uiap find --role button --session shop
  uiap act click --target e12 --expect route:/videos/new --session shop
  uiap close --session shop

Without --session the only session is meant, or a new one.
Exit code: 0 shown, 2 the request is wrong, 3 the page cannot be opened, 7 the daemon does not start.")]
pub(crate) struct Open {
    /// Address of the page
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    #[command(flatten)]
    pub(crate) session: Session,
    /// Origin that pages of a new session may reach, or `public`; with one of them, nothing else but the address itself is reached
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<String>,
    #[command(flatten)]
    pub(crate) house: House,
}

/// How the daemon is set up; the first `uiap open` decides.
#[derive(Args, Clone)]
pub(crate) struct House {
    /// Policies that decide what may be done; risk levels alone without one
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Vec<PathBuf>,
    /// The directory that files may be uploaded from
    #[arg(long, value_name = "DIR")]
    pub(crate) uploads: Option<PathBuf>,
    /// Use this browser instead of the one that `uiap doctor` finds
    #[arg(long, value_name = "PATH")]
    pub(crate) browser: Option<PathBuf>,
    /// Seconds after which a session that nobody uses is closed; 1800 by default
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) idle: Option<u64>,
}

/// Which session.
#[derive(Args)]
pub(crate) struct Session {
    /// Name of the session; the only one when it is left out
    #[arg(short = 's', long = "session", value_name = "S", id = "session")]
    pub(crate) name: Option<String>,
}

/// Find elements on the page of a session
#[derive(Args)]
#[command(after_help = "Examples:
  uiap find --role button --session shop
  uiap find --name save
  uiap find --text invoice --json

Exit code: 0 told, 3 there is no such session.")]
pub(crate) struct Find {
    #[command(flatten)]
    pub(crate) session: Session,
    /// What it is, such as button or textbox
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    /// Part of its name
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,
    /// Part of any of its texts
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
}

/// Wait until something is seen on the page of a session
#[derive(Args)]
#[command(after_help = "Examples:
  uiap wait --expect toast:saved --session shop
  uiap wait --expect 'gone:progressbar' --within 30000
  uiap wait            # until the page is quiet

Exit code: 0 seen, 1 not seen in time, 3 there is no such session.")]
pub(crate) struct Wait {
    #[command(flatten)]
    pub(crate) session: Session,
    /// What must be seen; all of them
    #[arg(long, value_name = "SIGNAL")]
    pub(crate) expect: Vec<String>,
    /// Milliseconds at most
    #[arg(long, value_name = "MS")]
    pub(crate) within: Option<u64>,
}

/// Write a picture of the page of a session
#[derive(Args)]
#[command(after_help = "Examples:
  uiap screenshot page.png --session shop
  uiap screenshot page.png --full --marks

Exit code: 0 written, 3 there is no such session, 6 the file cannot be written.")]
pub(crate) struct Screenshot {
    /// Where the PNG goes
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) session: Session,
    /// The whole page, not only the window
    #[arg(long)]
    pub(crate) full: bool,
    /// Number the controls by their refs
    #[arg(long)]
    pub(crate) marks: bool,
}

/// List the tabs of a session, switch to one, or close one
#[derive(Args)]
#[command(after_help = "Examples:
  uiap tabs --session shop
  uiap tabs --switch t2
  uiap tabs --close t2

Exit code: 0 told, 3 there is no such session or tab.")]
pub(crate) struct Tabs {
    #[command(flatten)]
    pub(crate) session: Session,
    /// Look at this one, and show it
    #[arg(long, value_name = "TAB", conflicts_with = "close")]
    pub(crate) switch: Option<String>,
    /// Close this one
    #[arg(long, value_name = "TAB")]
    pub(crate) close: Option<String>,
}

/// Close a session with everything in it
#[derive(Args)]
#[command(after_help = "Examples:
  uiap close --session shop
  uiap close --all     # and the daemon

Exit code: 0 closed, 3 there is no such session.")]
pub(crate) struct Close {
    #[command(flatten)]
    pub(crate) session: Session,
    /// All sessions, and the daemon with its browser
    #[arg(long, conflicts_with = "session")]
    pub(crate) all: bool,
}
