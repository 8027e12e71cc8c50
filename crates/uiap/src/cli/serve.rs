//! Options of `uiap serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

/// Serve pages to agents over UIAP: WebSocket (ws@0.1) and HTTP with events (http@0.1)
///
/// Every session gets a browser context of its own. Pages reach public addresses only, unless origins are allowed; what an agent
/// asks for goes through the policy, and what needs a person's yes is asked of whoever holds an approver's token.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap serve --url http://127.0.0.1:8080/videos
  uiap serve --listen 127.0.0.1:7311 --bundle app.bundle.json --token-file tokens
  uiap serve --allow-origin https://app.example.com --allow-origin https://cdn.example.com

Paths:
  GET    /uiap                                what is served here
  GET    /uiap/ws                             WebSocket, subprotocol uiap.v0.1
  POST   /uiap/sessions                       session.initialize
  POST   /uiap/sessions/{sessionId}/messages  every other message
  GET    /uiap/sessions/{sessionId}/events    Server-Sent Events
  DELETE /uiap/sessions/{sessionId}           the same as session.terminate

The operator's view is printed on stderr once, with its key behind the `#`: whoever has it can agree to what agents ask for.
SIGHUP reads the policies again; while they cannot be read, everything is denied.
A token file holds one token a line, followed by `agent` or `approver`; only its owner may read it.
Exit code: 0 ended by Ctrl-C, 6 a file or the port cannot be used.")]
pub(crate) struct Serve {
    /// Address and port; port 0 takes any free one
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7311")]
    pub(crate) listen: SocketAddr,
    /// Listen where other machines can connect; needs --token-file
    #[arg(long)]
    pub(crate) beyond_loopback: bool,
    /// Tokens of agents and approvers
    #[arg(long, value_name = "FILE", env = "UIAP_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Contract of the app, as `uiap build` writes it
    #[arg(long, value_name = "FILE")]
    pub(crate) bundle: Option<PathBuf>,
    /// Policy in the place of the contract's own; several are combined
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Vec<PathBuf>,
    /// Where sessions begin when they name no address; its origin is allowed
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Origin that pages may reach, or `public`; with one of them, nothing else is reached
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<String>,
    /// Origin of a page that may connect to this server
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) client_origin: Vec<String>,
    /// Name with port under which this server is reached, beside those of this machine
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) host: Vec<String>,
    /// Let sessions ask for discovery runs (extension uiap.discovery) of what may be reached
    #[arg(long)]
    pub(crate) discovery: bool,
    /// Let those runs write too (sandbox_write and the allow flags); without it they are refused
    #[arg(long, requires = "discovery")]
    pub(crate) discovery_writes: bool,
    /// Browsers at most
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) browsers: u16,
    /// Sessions at most
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) sessions: u16,
    /// Port of the operator's view, a page on this machine where a person watches, agrees and ends; 0 takes any free one
    #[arg(long, value_name = "PORT", default_value_t = 0, conflicts_with = "no_operator")]
    pub(crate) operator_port: u16,
    /// Without the operator's view
    #[arg(long)]
    pub(crate) no_operator: bool,
    /// Where it is written down what was asked for and sent, so that nothing happens twice after a crash; `none` keeps it in memory.
    /// In the user's state directory when it is not given, unless the port is 0
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// Append every decision, answer and action to this hash chain, which `uiap audit verify` reads
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
    /// Keep downloads of sessions in this folder; without it they go with their session
    #[arg(long, value_name = "DIR")]
    pub(crate) downloads: Option<PathBuf>,
    /// Use this browser instead of the one that `uiap doctor` finds
    #[arg(long, value_name = "PATH", env = "UIAP_CHROMIUM")]
    pub(crate) browser: Option<PathBuf>,
}
