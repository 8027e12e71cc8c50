//! Options of the commands that work on packages.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use uiap_authoring::instant::Instant;
use uiap_model::authoring::ReleaseChannel;

use super::Format;

/// A package and where its imports are found.
#[derive(Args)]
pub(crate) struct Package {
    /// Folder of the package
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
    #[command(flatten)]
    pub(crate) sources: Sources,
}

/// What a build reads besides the package.
#[derive(Args)]
pub(crate) struct Sources {
    /// Folder with packages to import, as ID/VERSION/; may be given several times
    #[arg(long = "registry", value_name = "DIR", env = "UIAP_REGISTRY", value_delimiter = ':')]
    pub(crate) registries: Vec<PathBuf>,
    /// Fail when uiap.lock is missing or out of date, instead of writing it
    #[arg(long)]
    pub(crate) locked: bool,
    /// Compare decisions and waivers with this time instead of the present one
    #[arg(long, value_name = "TIME", value_parser = instant)]
    pub(crate) now: Option<Instant>,
}

fn instant(text: &str) -> Result<Instant, String> {
    Instant::parse(text).ok_or_else(|| "expected a time such as 2026-03-26T17:00:00Z".to_owned())
}

/// For what a bundle is built.
#[derive(Args)]
pub(crate) struct Context {
    /// Release channel: dev, staging or prod; its gates are checked
    #[arg(long, value_name = "CHANNEL", value_parser = channel)]
    pub(crate) channel: Option<ReleaseChannel>,
    /// Environment of the app, such as staging
    #[arg(long, value_name = "ID")]
    pub(crate) environment: Option<String>,
    /// Language of the texts, such as de-AT
    #[arg(long, value_name = "TAG")]
    pub(crate) locale: Option<String>,
    /// Tenant whose overlays apply
    #[arg(long, value_name = "ID")]
    pub(crate) tenant: Option<String>,
    /// Profile of the person, such as admin
    #[arg(long, value_name = "ID")]
    pub(crate) profile: Option<String>,
    /// Version of the app
    #[arg(long, value_name = "VERSION")]
    pub(crate) app_version: Option<String>,
    /// Two overlays that disagree: the later one wins, with a warning
    #[arg(long)]
    pub(crate) last_overlay_wins: bool,
}

pub(super) fn channel(text: &str) -> Result<ReleaseChannel, String> {
    ReleaseChannel::parse(text).ok_or_else(|| format!("expected one of {}", ReleaseChannel::NAMES.join(", ")))
}

/// Start a package: a folder that passes `check` and `build`
///
/// Writes a package manifest and one manifest of each kind that an app needs. Files that are there already stay as they are.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap init uiap
  uiap init uiap --app videoland --name Videoland --url https://app.example.com

Then:
  uiap check uiap
  uiap build uiap --channel dev --out -")]
pub(crate) struct Init {
    /// Folder to write into; made when it is not there
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Id of the app; the folder's name by default
    #[arg(long, value_name = "ID")]
    pub(crate) app: Option<String>,
    /// Name of the app for people; the id by default
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Where the app runs
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    pub(crate) url: String,
}

/// Check a package and show every mistake with its place
///
/// Goes through all ten steps of a build and writes nothing. With `--channel` the gates of that channel are checked too.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap check
  uiap check uiap --channel prod --registry packages
  uiap check --watch
  uiap check --format github          # annotations in a pull request
  uiap check --format sarif > uiap.sarif

Exit code: 0 no errors, 1 errors, 6 a file cannot be read.")]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) package: Package,
    #[command(flatten)]
    pub(crate) context: Context,
    #[command(flatten)]
    pub(crate) report: Report,
    /// Check again whenever a file changes, until Ctrl-C
    #[arg(long)]
    pub(crate) watch: bool,
}

/// How findings are shown.
#[derive(Args)]
pub(crate) struct Report {
    /// How to print what was found
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,
    /// Warnings about reviews are errors
    #[arg(long)]
    pub(crate) strict: bool,
}

/// Build a package into one bundle: normalised, reproducible, with a digest
///
/// The same files give the same bytes on every machine. Nothing is written when there is an error or when a gate of the channel
/// fails. The lock file `uiap.lock` is brought up to date unless `--locked` is given.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap build --channel staging --environment staging
  uiap build uiap --channel prod --locale de --out bundle.json --locked
  uiap build uiap --channel prod --out - | jq .digest
  uiap build --watch --channel dev

Exit code: 0 built, 1 errors or a gate failed, 6 a file cannot be read or written.")]
pub(crate) struct Build {
    #[command(flatten)]
    pub(crate) package: Package,
    #[command(flatten)]
    pub(crate) context: Context,
    #[command(flatten)]
    pub(crate) report: Report,
    /// File of the bundle; `-` is standard output [default: ID-VERSION.bundle.json]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Also write what happened: steps, patches, reviews, coverage, inputs with digests
    #[arg(long = "build-report", value_name = "FILE")]
    pub(crate) told: Option<PathBuf>,
    /// Build again whenever a file changes, until Ctrl-C
    #[arg(long)]
    pub(crate) watch: bool,
}

/// Compare two bundles, packages or discovery packages: every change and both places
///
/// Bundles and packages: a change that breaks what others rely on is major, an addition minor, the rest patch. A change of policy
/// is shown with a request whose answer changes. Discovery packages: routes, scopes, elements, actions, transitions and workflows
/// that came, went, changed or moved.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap diff old.bundle.json new.bundle.json
  uiap diff main/uiap uiap --channel prod
  uiap diff old.bundle.json uiap --require-bump
  uiap diff discovery-monday discovery-tuesday --html changes.html

Exit code: 0 compared (also when there are changes), 1 the version did not rise far enough, a package has errors, or discovery
packages differ.")]
pub(crate) struct Diff {
    /// Bundle file, package folder or discovery package
    #[arg(value_name = "OLD")]
    pub(crate) old: PathBuf,
    /// The same, newer
    #[arg(value_name = "NEW")]
    pub(crate) new: PathBuf,
    /// Fail when the version did not rise as far as the changes ask for
    #[arg(long)]
    pub(crate) require_bump: bool,
    /// Also write the changes of discovery packages as a page
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) sources: Sources,
    #[command(flatten)]
    pub(crate) context: Context,
}

/// Tell what a code means, or where a value of the bundle comes from
///
/// A code such as UIAP-M004 is explained with an example. A path such as /bindings/elements/video.delete/risk is followed back through
/// overlays and manifests to the files that wrote it.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap explain UIAP-M004
  uiap explain a040
  uiap explain --all --json
  uiap explain /policies/default/document/defaults/onUnknownAction --channel prod
  uiap explain /bindings/elements/video.delete/risk uiap --tenant acme")]
pub(crate) struct Explain {
    /// A code, with or without `UIAP-`, or a JSON Pointer into the bundle; list items go by id or index
    #[arg(value_name = "CODE|PATH", required_unless_present = "all")]
    pub(crate) subject: Option<String>,
    /// List every code
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) package: Package,
    #[command(flatten)]
    pub(crate) context: Context,
}

/// Format manifests; comments stay
///
/// Two spaces a level, one blank line at most, `apiVersion`, `kind`, `metadata`, `spec` in this order. Values stay as they were
/// written. A file that is formatted already is not touched.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap fmt
  uiap fmt uiap/bindings/elements.uiap.yaml
  uiap fmt --check          # for CI: lists what would change, exit code 1
  cat x.uiap.yaml | uiap fmt -

Exit code: 0 fine, 1 `--check` found something or a file has a mistake, 6 a file cannot be read or written.")]
pub(crate) struct Fmt {
    /// Files or folders; `-` formats standard input
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,
    /// Change nothing; fail when something would change
    #[arg(long)]
    pub(crate) check: bool,
}

/// Bring uiap.lock up to date: the exact version and digest of every import
///
/// What is locked and still fits stays as it is, unless `--update` asks for the newest version that fits.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap lock uiap --registry packages
  uiap lock uiap --registry packages --update
  uiap lock uiap --registry packages --locked      # only look")]
pub(crate) struct Lock {
    #[command(flatten)]
    pub(crate) package: Package,
    /// Forget what is locked and take the newest versions that fit
    #[arg(long, conflicts_with = "locked")]
    pub(crate) update: bool,
}

/// See what has been reviewed and what has not
#[derive(Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Review {
    #[command(subcommand)]
    pub(crate) verb: ReviewVerb,
}

/// What to do about reviews.
#[derive(Subcommand)]
pub(crate) enum ReviewVerb {
    Status(ReviewStatus),
}

/// The state of every manifest and item, and what keeps the channel from being published
#[derive(Args)]
#[command(after_help = "Examples:
  uiap review status --channel prod
  uiap review status uiap --channel prod --open
  uiap review status --json

Exit code: 0 nothing stands in the way, 1 a gate of the channel fails.")]
pub(crate) struct ReviewStatus {
    #[command(flatten)]
    pub(crate) package: Package,
    #[command(flatten)]
    pub(crate) context: Context,
    /// Only what is not approved
    #[arg(long)]
    pub(crate) open: bool,
}

/// Take the findings of a discovery run into a package
///
/// Keeps the findings as a file below `discovery/`, writes a DiscoveryImport that names each one that is taken, and empty
/// manifests that receive them. Nothing becomes approved by this: `uiap review status` lists what is left to decide.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap import discovery --into uiap
  uiap import run_42.discovery.json --into uiap
  uiap import run_42.discovery.json --into uiap --mode link
  uiap import run_42.discovery.json --into uiap --with-doubtful")]
pub(crate) struct Import {
    /// The discovery package: its folder or its file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Folder of the package
    #[arg(long, value_name = "DIR")]
    pub(crate) into: PathBuf,
    /// copy: becomes content that needs a review; link: stays evidence only
    #[arg(long, value_name = "MODE", default_value = "copy")]
    pub(crate) mode: ImportMode,
    /// Also take what the run itself was not sure of
    #[arg(long)]
    pub(crate) with_doubtful: bool,
}

/// How findings are taken over.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ImportMode {
    /// Content that needs a review
    Copy,
    /// Evidence only
    Link,
}

/// Put a bundle into a registry on disk
///
/// The registry is an OCI image layout: content by digest, tools such as `oras` and `skopeo` can push it anywhere. A version never
/// changes: the same version with another digest is refused.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap publish bundle.json --to registry
  uiap build uiap --channel prod --out - | uiap publish - --to registry --require-bump")]
pub(crate) struct Publish {
    /// The bundle; `-` reads standard input
    #[arg(value_name = "BUNDLE")]
    pub(crate) bundle: PathBuf,
    /// Folder of the registry; made when it is not there
    #[arg(long, value_name = "DIR")]
    pub(crate) to: PathBuf,
    /// Fail when the version did not rise as far as the changes ask for
    #[arg(long)]
    pub(crate) require_bump: bool,
    /// Accept a version below the latest one
    #[arg(long)]
    pub(crate) allow_backport: bool,
}
