//! Options of the commands that look at pages.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// A page and the browser that shows it.
#[derive(Args)]
pub(crate) struct Target {
    /// Address of the page
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    #[command(flatten)]
    pub(crate) window: Window,
}

/// A page: an address that is opened for this command alone, or the page of a running session.
#[derive(Args)]
pub(crate) struct Subject {
    /// Address of the page; opened for this command alone
    #[arg(value_name = "URL", required_unless_present = "session")]
    pub(crate) url: Option<String>,
    /// Use the page of this session, which `uiap open` began, in the place of an address
    #[arg(short, long, value_name = "S", conflicts_with = "url")]
    pub(crate) session: Option<String>,
    #[command(flatten)]
    pub(crate) window: Window,
}

/// The browser that shows a page.
#[derive(Args, Clone)]
pub(crate) struct Window {
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

pub(super) fn size(text: &str) -> Result<(u32, u32), String> {
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
  uiap snapshot --session shop             # the page of a session that `uiap open` began
  uiap snapshot --session shop --changes   # only what is new since the last time

Exit code: 0 shown, 3 the page cannot be opened, 7 there is no browser.")]
pub(crate) struct Snapshot {
    #[command(flatten)]
    pub(crate) subject: Subject,
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
    /// Only what changed since the last such command in this session
    #[arg(long, requires = "session")]
    pub(crate) changes: bool,
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

/// Do one thing on a page, and see whether it worked
///
/// Opens the page, finds the target, checks whether it can be used and whether the policy allows it, does it with real input, and looks
/// whether it worked. The verdict says what was seen and what was missing; nothing is called done that was not seen.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap act http://127.0.0.1:8080/videos click --target '#videos.new' --expect route:/videos/new
  uiap act http://127.0.0.1:8080/settings type --target 'textbox \"Name\"' --text Ada
  uiap act http://127.0.0.1:8080/videos/new choose --target 'combobox \"Use case\"' --text Training
  uiap act http://127.0.0.1:8080/videos video.create --arg title=Intro --expect toast:created
  uiap act http://127.0.0.1:8080/ click --target 'link \"Team\"' --trace team.jsonl && uiap trace team.jsonl
  uiap act click --target e12 --session shop    # on the page of a session that `uiap open` began

Targets: ROLE \"NAME\", #STABLE-ID, css=SELECTOR, xpath=EXPRESSION; in a session e12 or ROLE \"NAME\".
Actions: click double_click right_click long_press tap press type append clear set choose toggle check uncheck hover focus read expand
  collapse open close scroll scroll_to submit upload navigate back forward highlight, or the id of an action such as video.create.
Arguments: keys=Control+a (press) holdMs:=800 (long_press) value:=40 tolerance:=1 (set) index:=2 (choose) scale:=2 (pinch)
  dragTo:='{\"by\":\"semantic\",\"role\":\"listitem\",\"name\":\"Done\"}' (click), modifiers:='[\"Shift\"]' (click).
Expect: toast:TEXT status:TEXT route:/PATH dialog dialog-closed appears:ROLE \"NAME\" gone:ROLE \"NAME\" value:TEXT valid network:GLOB[=STATUS].

Exit code: 0 seen to work, 1 refused, failed or not seen to work, 2 the request is wrong, 3 the page cannot be opened, 7 there is no browser.")]
#[command(allow_missing_positional = true)]
pub(crate) struct Act {
    #[command(flatten)]
    pub(crate) page: Subject,
    /// What to do: a short word, or the id of an action
    #[arg(value_name = "ACTION")]
    pub(crate) action: String,
    /// To what
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: Option<String>,
    /// What to type, choose, set, press, upload or open
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Only in this scope
    #[arg(long, value_name = "ID", requires = "target")]
    pub(crate) scope: Option<String>,
    /// An argument: NAME=TEXT, or NAME:=JSON for numbers, flags and lists
    #[arg(long = "arg", value_name = "NAME=VALUE")]
    pub(crate) args: Vec<String>,
    /// What must be seen afterwards; all of them
    #[arg(long, value_name = "SIGNAL")]
    pub(crate) expect: Vec<String>,
    /// Milliseconds until what is expected must have been seen
    #[arg(long, value_name = "MS")]
    pub(crate) within: Option<u64>,
    /// Policies that decide whether it may be done; risk levels alone without one
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Vec<PathBuf>,
    /// A compiled bundle: its actions, routes and policies hold
    #[arg(long, value_name = "FILE")]
    pub(crate) bundle: Option<PathBuf>,
    /// The directory that files may be uploaded from
    #[arg(long, value_name = "DIR")]
    pub(crate) uploads: Option<PathBuf>,
    /// Write down what happened, as lines of JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Where it is written down what was sent, so that a crash makes nothing be done twice
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// Where decisions, answers of people and results are kept as a chain that `uiap audit verify` checks
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
    /// Asking twice with the same key is asking once, as long as the journal is the same
    #[arg(long, value_name = "KEY", requires = "journal")]
    pub(crate) key: Option<String>,
    /// Show the browser's window
    #[arg(long)]
    pub(crate) headed: bool,
    /// Draw the target and the pointer in the window, slowly enough to follow, and tell each step
    #[arg(long, requires = "headed")]
    pub(crate) show: bool,
}

/// Tell the story of an action from its trace
///
/// Reads the lines that `uiap act --trace` wrote, checks that they hold together, and draws the verdict again from what was seen.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap act URL click --target 'button \"Save\"' --trace save.jsonl
  uiap trace save.jsonl
  uiap trace save.jsonl --json | jq .
  uiap trace save.jsonl --format otlp | curl -d @- -H 'content-type: application/json' http://127.0.0.1:4318/v1/traces

Exit code: 0 it holds together, 1 it does not or is empty, 6 the file cannot be read.")]
pub(crate) struct Trace {
    /// A trace
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// A story for people, lines of JSON, or spans for a collector of OpenTelemetry
    #[arg(long, value_enum, default_value_t = TraceFormat::Story, conflicts_with = "json")]
    pub(crate) format: TraceFormat,
}

/// How a trace is told.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormat {
    Story,
    Jsonl,
    Otlp,
}

/// When answers over MCP carry structured content beside their text.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum StructuredChoice {
    /// Unless the client is known to drop the text then
    Auto,
    Always,
    Never,
}

/// Serve pages to agents over the Model Context Protocol: standard input and output, or HTTP with --listen
///
/// Tools to open, read, search, use and picture pages, each session in a browser context of its own. Pages reach public addresses; a
/// session that begins on this machine reaches what runs here too; nothing else is reached unless its origin is allowed. What is done is checked first and verified afterwards; what needs a person's agreement is not done
/// without one: the client asks its user, or a page on this machine does, whose address is printed here and never shown to the agent.
#[derive(Args)]
#[command(after_help = "Client configuration:
  { \"mcpServers\": { \"uiap\": { \"command\": \"uiap\", \"args\": [\"mcp\"] } } }

Examples:
  uiap mcp                                              # the public web, and apps on this machine
  uiap mcp --url http://192.168.0.7:3000                # an app next door too
  uiap mcp --allow-origin https://app.example.com       # one app, and nothing else
  uiap mcp --listen 127.0.0.1:7312 --token-file tokens  # http://127.0.0.1:7312/mcp

Exit code: 0 ended by the client or Ctrl-C, 6 a file or the port cannot be used.")]
pub(crate) struct Mcp {
    /// Address of the app: its origin may be reached beside everything else
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Origin that pages may reach, or `public`; with one of them, nothing else is reached
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<String>,
    /// Serve over HTTP here instead of standard input and output; port 0 takes any free one
    #[arg(long, value_name = "ADDR:PORT")]
    pub(crate) listen: Option<SocketAddr>,
    /// Tokens of agents, one a line
    #[arg(long, value_name = "FILE", env = "UIAP_TOKEN_FILE", requires = "listen")]
    pub(crate) token_file: Option<PathBuf>,
    /// Listen where other machines can connect; needs --token-file
    #[arg(long, requires = "listen")]
    pub(crate) beyond_loopback: bool,
    /// Name with port under which this server is reached, beside those of this machine
    #[arg(long, value_name = "HOST:PORT", requires = "listen")]
    pub(crate) host: Vec<String>,
    /// Open questions to you in your own browser; their address is printed in any case
    #[arg(long)]
    pub(crate) ask_in_browser: bool,
    /// Policies that decide what may be done; risk levels alone without one
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Vec<PathBuf>,
    /// The directory that files may be uploaded from
    #[arg(long, value_name = "DIR")]
    pub(crate) uploads: Option<PathBuf>,
    /// Where it is written down what was sent, so that a crash makes nothing be done twice
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// Seconds after which a session that nobody uses is closed
    #[arg(long, value_name = "SECONDS", default_value_t = 900, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) idle: u64,
    /// Sessions at most
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=200))]
    pub(crate) sessions: u16,
    /// Tabs of one session at most
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) tabs: u16,
    /// When answers carry structured content
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) structured: StructuredChoice,
    /// Use this browser instead of the one that `uiap doctor` finds
    #[arg(long, value_name = "PATH", env = "UIAP_CHROMIUM")]
    pub(crate) browser: Option<PathBuf>,
}
