//! Where a run begins, and who says so: the command line, manifests, the app's annotations and registry, its navigation, a sitemap,
//! documents, earlier packages.

pub mod address;
pub(crate) mod crowd;
pub mod document;
pub mod manifest;
pub mod page;
pub mod previous;
pub mod sitemap;

use uiap_model::discovery::DiscoverySeed;

/// Whoever annotates the pages of the app.
pub(crate) const ANNOTATION: &str = "annotation";

/// Whoever asks for the run.
pub const COMMAND_LINE: &str = "commandLine";
/// A manifest of the app.
pub const MANIFEST: &str = "manifest";
/// The app's sitemap.
pub const SITEMAP: &str = "sitemap";
/// A document about the app.
pub const DOCUMENTATION: &str = "documentation";

/// A seed that somebody proposes.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// The seed.
    pub seed: DiscoverySeed,
    /// Who proposes it.
    pub origin: &'static str,
    /// Why it is not wanted, where that is known already.
    pub refused: Option<String>,
}

impl Offer {
    /// A proposal.
    pub fn new(seed: DiscoverySeed, origin: &'static str) -> Self {
        Self { seed, origin, refused: None }
    }

    /// A proposal that cannot be used, with the reason.
    pub fn refused(seed: DiscoverySeed, origin: &'static str, reason: impl Into<String>) -> Self {
        Self { seed, origin, refused: Some(reason.into()) }
    }

    /// An address.
    pub fn url(url: &str, origin: &'static str) -> Self {
        Self::new(DiscoverySeed::Url { url: url.into() }, origin)
    }
}

/// Why a text is no seed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a seed: give an address, or `route:`, `menu:`, `action:`, `workflow:` or `doc:` with a name"
)]
pub struct NoSeed(String);

/// Reads a seed as people write it: `/videos`, `route:videos`, `menu:Team`, `action:app.open`, `workflow:…`, `doc:guide.md`.
pub fn parse(text: &str) -> Result<DiscoverySeed, NoSeed> {
    let fault = || NoSeed(text.to_owned());
    let (kind, name) = text.split_once(':').unwrap_or(("", text));
    let seed = match kind {
        "route" => DiscoverySeed::Route { route_id: name.into() },
        "menu" => DiscoverySeed::Menu { label: name.into() },
        "action" => {
            DiscoverySeed::Action { action_id: uiap_model::names::ActionId::parse(name).ok_or_else(fault)? }
        }
        "workflow" => DiscoverySeed::Workflow { workflow_id: name.into() },
        "doc" => DiscoverySeed::Documentation { r#ref: name.into() },
        "url" => DiscoverySeed::Url { url: name.into() },
        "http" | "https" => DiscoverySeed::Url { url: text.into() },
        _ if text.starts_with('/') => DiscoverySeed::Url { url: text.into() },
        _ => return Err(fault()),
    };
    if name.is_empty() { Err(fault()) } else { Ok(seed) }
}
