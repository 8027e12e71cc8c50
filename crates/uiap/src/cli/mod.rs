//! The command line: every command with help that teaches and examples that work.

mod discovery;
mod package;
mod policy;
mod serve;
mod session;
mod web;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use discovery::{Discover, DiscoverExplain, DiscoverVerb, Mode, Report};
pub(crate) use package::{
    Build, Check, Context, Diff, Explain, Fmt, Import, ImportMode, Init, Lock, Package, Publish, Review,
    ReviewStatus, ReviewVerb, Sources,
};
pub(crate) use policy::{
    Audit, AuditVerb, AuditVerify, Policy, PolicyContext, PolicyExplain, PolicyTest, PolicyVerb,
};
pub(crate) use serve::Serve;
pub(crate) use session::{Close, Find, House, Open, Screenshot, Tabs, Wait};
pub(crate) use web::{Act, Mcp, Snapshot, StructuredChoice, Trace, TraceFormat, Watch, Window};

/// The UI Agent Protocol toolchain: what an app shows, what can be done, what is risky, how success is recognised.
#[derive(Parser)]
#[command(
    name = "uiap",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    after_help = "Start with:  uiap demo\nMore:        uiap help COMMAND",
    after_long_help = crate::command::reference::after_help()
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Args)]
pub(crate) struct Global {
    /// Print JSON for machines
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colour; NO_COLOR is respected
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// Tell more of what happens; twice for details
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// When to use colour.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Discover(Discover),
    Report(Report),
    Snapshot(Snapshot),
    Watch(Watch),
    Act(Act),
    Trace(Trace),
    Open(Open),
    Find(Find),
    Wait(Wait),
    Screenshot(Screenshot),
    Tabs(Tabs),
    Close(Close),
    Mcp(Mcp),
    Serve(Serve),
    Init(Init),
    Check(Check),
    Build(Build),
    Diff(Diff),
    Explain(Explain),
    Fmt(Fmt),
    Lock(Lock),
    Review(Review),
    Import(Import),
    Publish(Publish),
    Policy(Policy),
    Audit(Audit),
    Validate(Validate),
    Schema(Schema),
    Doctor(Doctor),
    Demo(Demo),
    Completions(Completions),
    /// Print the manual page
    #[command(after_help = "Examples:\n  uiap man | man -l -\n  uiap man > /usr/local/share/man/man1/uiap.1")]
    Man,
    /// Print the reference of all commands as Markdown
    #[command(hide = true)]
    Reference,
    /// Keep the sessions of `uiap open`; started by it
    #[command(hide = true)]
    Daemon(House),
}

/// Check UIAP documents: messages, page graphs, policies, manifests, bundles, packages
///
/// Reads JSON and YAML. The kind is found from the content where it gives it away; say it with `--as` where it does not.
/// Every fault of every file is reported in one run, with its place.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap validate package.uiap.yaml bindings/*.uiap.yaml
  uiap validate --as SuccessSignal signal.json
  uiap validate --as action.request payload.json
  curl -s http://127.0.0.1:8080/.well-known/uiap/capabilities.json | uiap validate -
  uiap validate --format sarif uiap/*.yaml > uiap.sarif

Kinds: `uiap schema` lists them; the type of a message stands for its payload.
Exit code: 0 valid, 1 invalid, 6 a file cannot be read.")]
pub(crate) struct Validate {
    /// Kind of the documents, such as PageGraph, or a message type, such as action.request
    #[arg(long = "as", value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// How to print what was found
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,
    /// Warnings are errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// Files to check; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// How findings are printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Excerpts for people
    Human,
    /// One JSON object
    Json,
    /// SARIF 2.1.0 for code scanning
    Sarif,
    /// JUnit XML for build servers
    Junit,
    /// Workflow commands of GitHub
    Github,
}

/// List or print JSON Schemas (2020-12) of every document and message
#[derive(Args)]
#[command(after_help = "Examples:
  uiap schema
  uiap schema PageGraph > page-graph.schema.json
  uiap schema action.request
  uiap schema --all --out schemas

In an editor with YAML support, put this first into a manifest:
  # yaml-language-server: $schema=schemas/documents/Bindings.json")]
pub(crate) struct Schema {
    /// Kind of document, or type of message
    #[arg(value_name = "KIND", conflicts_with = "all")]
    pub(crate) kind: Option<String>,
    /// Write all of them
    #[arg(long, requires = "out")]
    pub(crate) all: bool,
    /// Folder for `--all`
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// Find Chromium and see whether it starts
///
/// Looks at UIAP_CHROMIUM, CHROME_PATH and CHROME, at PATH, at the usual places and at the caches of Playwright and
/// Puppeteer; starts the best one headless and measures it.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap doctor
  uiap doctor --fix
  uiap doctor --json | jq .browser.version

Exit code: 0 ready, 7 something is missing.")]
pub(crate) struct Doctor {
    /// Install Chromium with the system's package manager where that is possible
    #[arg(long)]
    pub(crate) fix: bool,
    /// Look at this browser only
    #[arg(long, value_name = "PATH")]
    pub(crate) browser: Option<PathBuf>,
}

/// See the whole story on Videoland, the demo app
///
/// Starts a small video workspace with a real back end on loopback and checks the capability document that it publishes. Then
/// explores it, writes a report, makes a contract of what was found, compiles it, and acts with proof; serves until you press
/// Ctrl-C. Nothing leaves this machine.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap demo
  uiap demo --port 8080
  uiap demo --out story     # keep the report, contract and bundle there
  uiap demo --app-only      # serve the app, tell no story
  uiap demo --json          # one line with the addresses, then serve
  uiap demo --check         # start, check, stop")]
pub(crate) struct Demo {
    /// Port of the app; any free one by default
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
    /// Stop after the check
    #[arg(long)]
    pub(crate) check: bool,
    /// Serve the app and nothing else
    #[arg(long)]
    pub(crate) app_only: bool,
    /// Where the report, the contract and the bundle go; a folder for temporary files by default
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// Print completions for a shell
#[derive(Args)]
#[command(after_help = "Examples:
  uiap completions bash > ~/.local/share/bash-completion/completions/uiap
  uiap completions zsh > ~/.zfunc/_uiap
  uiap completions fish > ~/.config/fish/completions/uiap.fish")]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}
