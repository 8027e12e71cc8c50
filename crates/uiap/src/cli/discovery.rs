//! Options of the commands that map an app.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// How bold a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Press nothing; open addresses and look
    #[value(name = "observe_only", alias = "observe-only")]
    ObserveOnly,
    /// Press what can be undone and stays inside
    #[value(name = "safe_explore", alias = "safe-explore")]
    SafeExplore,
    /// Also write test data, in a tenant that is there for it
    #[value(name = "sandbox_write", alias = "sandbox-write")]
    SandboxWrite,
}

/// Explore an app safely and write down what was found, and how sure it is
///
/// Opens the app in a browser of its own, follows what is safe to follow, and writes a package: routes, areas, elements, actions,
/// transitions, workflow candidates, and what a person should look at. Nothing is deleted, paid, sent, published or logged out of;
/// behind every decision stands a guard that holds back requests that would write. Other origins are not reached.
///
/// Run it against staging, a demo or a test tenant, and only where you are allowed to.
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  uiap discover http://127.0.0.1:8080/
  uiap discover http://127.0.0.1:8080/ --out map --max-states 100 --max-runtime 120
  uiap discover http://127.0.0.1:8080/ --mode observe_only
  uiap discover http://127.0.0.1:8080/ --login login.yaml --seed /reports --seed route:settings
  uiap discover http://127.0.0.1:8080/ --profile admin=admin.json --profile guest
  uiap discover http://127.0.0.1:8080/ --out map --resume
  uiap discover explain st_0f2178336d60 st_1a07e79470e8 --package map

A log-in script:
  url: /login
  steps:
    - enter: { field: E-mail, text: mira@example.com }
    - enter: { field: Password, text: { env: APP_PASSWORD } }    # or { file: secret.txt }
    - press: Log in
  expect: /dashboard

Exit code: 0 done, 1 cancelled, 2 a seed or option is wrong, 3 the app cannot be reached or its session ended, 6 a file cannot be used, 7 there is no browser."
)]
pub(crate) struct Discover {
    #[command(subcommand)]
    pub(crate) verb: Option<DiscoverVerb>,
    /// Address at which the app begins
    #[arg(value_name = "URL", default_value = "", hide_default_value = true)]
    pub(crate) url: String,
    /// Directory of the package
    #[arg(long, value_name = "DIR", default_value = "discovery")]
    pub(crate) out: PathBuf,
    /// How bold the run is
    #[arg(long, value_name = "MODE", default_value = "safe_explore")]
    pub(crate) mode: Mode,
    /// Pages that explore side by side; the result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) browsers: u16,
    /// States at most
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub(crate) max_states: u64,
    /// Actions at most
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub(crate) max_transitions: u64,
    /// Steps away from a seed at most
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(crate) max_depth: u64,
    /// Seconds at most
    #[arg(long, value_name = "SECONDS", default_value_t = 1_800)]
    pub(crate) max_runtime: u64,
    /// Actions on one route at most
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) max_per_route: u64,
    /// Where to begin besides: /path, route:ID, menu:LABEL, action:ID, workflow:ID, doc:FILE
    #[arg(long = "seed", value_name = "SEED")]
    pub(crate) seeds: Vec<String>,
    /// Begin at the addresses of the app's /sitemap.xml too
    #[arg(long)]
    pub(crate) sitemap: bool,
    /// A package of manifests, as a folder or built: its routes are visited, and its workflows can be seeds
    #[arg(long, value_name = "PATH")]
    pub(crate) manifest: Option<PathBuf>,
    /// An earlier package whose routes are visited again
    #[arg(long, value_name = "DIR")]
    pub(crate) previous: Option<PathBuf>,
    /// Script that logs in; secrets come from the environment or a file
    #[arg(long, value_name = "FILE", conflicts_with = "storage_state")]
    pub(crate) login: Option<PathBuf>,
    /// Cookies and storage of a session that is logged in
    #[arg(long, value_name = "FILE")]
    pub(crate) storage_state: Option<PathBuf>,
    /// Show a window, wait until somebody has logged in there and pressed Enter here, then explore as they are
    #[arg(long, conflicts_with_all = ["login", "storage_state"])]
    pub(crate) manual_login: bool,
    /// Explore as this profile too: ID, ID=LOGIN.yaml or ID=STORAGE.json
    #[arg(long = "profile", value_name = "ID[=FILE]")]
    pub(crate) profiles: Vec<String>,
    /// Name of an environment variable with NAME:PASSWORD for a server that asks by itself
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) basic_auth: Option<String>,
    /// Go on with the run in the directory
    #[arg(long)]
    pub(crate) resume: bool,
    /// The tenant is there to be written to; needed for sandbox_write
    #[arg(long)]
    pub(crate) controlled_tenant: bool,
    /// Never press what looks dangerous, not even where nothing can leave the page to see whether it asks first
    #[arg(long)]
    pub(crate) no_probing: bool,
    /// This origin belongs to the app too, such as that of its API: pages may ask it, what would write is held back there too, and
    /// nobody goes there. May be given again for others
    #[arg(long = "origin", value_name = "ORIGIN")]
    pub(crate) origins: Vec<String>,
    /// Let frames of this origin load and map what is in them; nothing is done there. May be given again for others
    #[arg(long = "bridge", value_name = "ORIGIN")]
    pub(crate) bridges: Vec<String>,
    /// Language that pages are asked for, such as de-DE
    #[arg(long, value_name = "LOCALE")]
    pub(crate) locale: Option<String>,
    /// A feature flag that is on in the app, such as new-editor=true. It is written into the package; nothing is turned on by it
    #[arg(long = "flag", value_name = "NAME=VALUE", value_parser = flag)]
    pub(crate) flags: Vec<(String, serde_json::Value)>,
    /// Keep e-mail addresses, card numbers and tokens as the app shows them; they are covered otherwise, in pictures too
    #[arg(long)]
    pub(crate) keep_private: bool,
    /// Take no pictures
    #[arg(long)]
    pub(crate) no_pictures: bool,
    /// Show the browser's windows
    #[arg(long)]
    pub(crate) headed: bool,
    /// Size of the window, such as 1280x800
    #[arg(long, value_name = "WxH", default_value = "1280x800", value_parser = super::web::size)]
    pub(crate) viewport: (u32, u32),
    /// Use this browser instead of the one that `uiap doctor` finds
    #[arg(long, value_name = "PATH", env = "UIAP_CHROMIUM")]
    pub(crate) browser: Option<PathBuf>,
}

/// What else can be asked of a run.
#[derive(Subcommand)]
pub(crate) enum DiscoverVerb {
    Explain(DiscoverExplain),
}

/// Tell why two states are two: which parts differ, and by what
///
/// A state is told apart by its place, its areas and controls, what lies on top, the structure of its lists, and whether a form shows
/// mistakes. Numbers, dates, rows, toasts and the like do not count.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap discover explain st_0f2178336d60 st_1a07e79470e8
  uiap discover explain st_0f21 st_1a07 --package map --json

Exit code: 0 told, 1 there is no such state, 6 a file cannot be read.")]
pub(crate) struct DiscoverExplain {
    /// A state, or the beginning of its id
    #[arg(value_name = "STATE")]
    pub(crate) first: String,
    /// Another
    #[arg(value_name = "STATE")]
    pub(crate) second: String,
    /// Folder of the package
    #[arg(long, value_name = "DIR", default_value = "discovery")]
    pub(crate) package: PathBuf,
}

/// Show a discovery package as one HTML file that people read
///
/// Overview, map, pictures of every state with its controls, catalogues with search, findings with what would mend them, and the
/// log of what was weighed. The file holds everything and loads nothing.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap report discovery
  uiap report discovery --out map.html --open")]
pub(crate) struct Report {
    /// Folder of the package, or its package.json
    #[arg(value_name = "DIR")]
    pub(crate) package: PathBuf,
    /// Where to write it; report.html in the folder by default
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Open it in your browser
    #[arg(long)]
    pub(crate) open: bool,
}

/// A flag as people write it: `name=true`, `name=3`, `name=text`.
fn flag(text: &str) -> Result<(String, serde_json::Value), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            let plain = serde_json::from_str(value)
                .ok()
                .filter(|each: &serde_json::Value| each.is_boolean() || each.is_number());
            Ok((name.to_owned(), plain.unwrap_or_else(|| value.into())))
        }
        _ => Err(format!("`{text}` is not NAME=VALUE")),
    }
}
