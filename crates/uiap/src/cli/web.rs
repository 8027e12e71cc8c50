//! Options of the commands that look at pages.

use std::path::PathBuf;

use clap::Args;

/// A page and the browser that shows it.
#[derive(Args)]
pub(crate) struct Target {
    /// Address of the page
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// Use this browser instead of the one that `uiap doctor` finds
    #[arg(long, value_name = "PATH", env = "UIAP_CHROMIUM")]
    pub(crate) browser: Option<PathBuf>,
    /// Size of the window, such as 1280x800
    #[arg(long, value_name = "WxH", default_value = "1280x800", value_parser = size)]
    pub(crate) viewport: (u32, u32),
    /// Seconds that the page may take to load
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub(crate) timeout: u64,
    /// Look into frames of this origin; without it they are shown as opaque
    #[arg(long = "bridge", value_name = "ORIGIN")]
    pub(crate) bridges: Vec<String>,
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once(['x', 'X']);
    let number = |part: &str| part.parse().ok().filter(|size| (1..=16_384).contains(size));
    parts
        .and_then(|(width, height)| Some((number(width)?, number(height)?)))
        .ok_or_else(|| "expected width and height, such as 1280x800".to_owned())
}

/// Show what an agent sees of a page
///
/// Opens the page in a browser of its own, waits until it is quiet, and prints it as text within a budget of tokens: what is modal
/// first, then what can be seen, controls before texts. What was left out is said. `--json` prints the whole page graph.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap snapshot http://127.0.0.1:8080/videos
  uiap snapshot http://127.0.0.1:8080/videos --budget 1000
  uiap snapshot http://127.0.0.1:8080/videos --full --scope videos.table
  uiap snapshot http://127.0.0.1:8080/videos --json > page.json && uiap validate page.json
  uiap snapshot http://127.0.0.1:8080/team --screenshot team.png

Exit code: 0 shown, 3 the page cannot be opened, 7 there is no browser.")]
pub(crate) struct Snapshot {
    #[command(flatten)]
    pub(crate) target: Target,
    /// Print text for models and people; this is the default
    #[arg(long, conflicts_with = "json")]
    pub(crate) text: bool,
    /// Tokens that the text may cost
    #[arg(long, value_name = "TOKENS", default_value_t = 4_000, conflicts_with = "full")]
    pub(crate) budget: usize,
    /// Everything, whatever it costs
    #[arg(long)]
    pub(crate) full: bool,
    /// Only this scope and what lies inside
    #[arg(long, value_name = "ID")]
    pub(crate) scope: Option<String>,
    /// Also write a picture of the page; sensitive fields are masked
    #[arg(long, value_name = "FILE")]
    pub(crate) screenshot: Option<PathBuf>,
    /// Number the controls in the picture by their refs
    #[arg(long, requires = "screenshot")]
    pub(crate) marks: bool,
}

/// Tell what changes on a page, and what it signals, until Ctrl-C
///
/// Prints one JSON object a line: a snapshot first, then deltas and signals as they happen. A signal comes before the delta
/// that contains it.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap watch http://127.0.0.1:8080/videos
  uiap watch http://127.0.0.1:8080/videos --text
  uiap watch http://127.0.0.1:8080/videos | jq -c 'select(.type == \"web.signal\")'

Exit code: 0 ended by Ctrl-C, 3 the page cannot be opened or went away, 7 there is no browser.")]
pub(crate) struct Watch {
    #[command(flatten)]
    pub(crate) target: Target,
    /// Print text for people instead of JSON
    #[arg(long, conflicts_with = "json")]
    pub(crate) text: bool,
    /// Show the browser's window, to use the page by hand
    #[arg(long)]
    pub(crate) headed: bool,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) seconds: Option<u64>,
}

/// Serve pages to agents over the Model Context Protocol (standard input and output)
///
/// Tools to open, read, search and picture pages, each session in a browser context of its own. Nothing is clicked or typed.
#[derive(Args)]
#[command(after_help = "Client configuration:
  { \"mcpServers\": { \"uiap\": { \"command\": \"uiap\", \"args\": [\"mcp\"] } } }")]
pub(crate) struct Mcp {
    /// Use this browser instead of the one that `uiap doctor` finds
    #[arg(long, value_name = "PATH", env = "UIAP_CHROMIUM")]
    pub(crate) browser: Option<PathBuf>,
}
