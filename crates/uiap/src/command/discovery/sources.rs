//! Where a run may begin: what the command line names, and what manifests, documents and earlier packages propose.

use std::path::Path;

use anyhow::Context as _;
use uiap_authoring::build::{BuildOptions, build};
use uiap_authoring::files::{DirectorySource, NoRegistry};
use uiap_discovery::plan::Known;
use uiap_discovery::seed::{self, COMMAND_LINE, MANIFEST, Offer};
use uiap_model::authoring::bundle::UIAPCompiledBundle;
use uiap_model::discovery::{DiscoveryPackage, DiscoverySeed};

use super::discover::usage;
use crate::cli::Discover;

/// Everything that is proposed; what helps to understand it is added to what is known.
pub(super) fn offers(args: &Discover, known: &mut Known) -> anyhow::Result<Vec<Offer>> {
    let mut offers = Vec::new();
    for text in &args.seeds {
        let seed = seed::parse(text).map_err(usage)?;
        let mut offer = Offer::new(seed.clone(), COMMAND_LINE);
        if let DiscoverySeed::Documentation { r#ref: name } = &seed {
            match std::fs::read_to_string(name.as_str()) {
                Ok(text) => drop(known.documents.insert(name.clone(), seed::document::links(&text))),
                Err(error) => offer.refused = Some(format!("the document cannot be read: {error}")),
            }
        }
        offers.push(offer);
    }
    if let Some(path) = &args.manifest {
        match manifest(path) {
            Ok(bundle) => offers.extend(seed::manifest::offers(&bundle, known)),
            // The run goes on with what else there is.
            Err(reason) => {
                let seed = DiscoverySeed::Documentation { r#ref: path.display().to_string().into() };
                offers.push(Offer::refused(seed, MANIFEST, reason));
            }
        }
    }
    if let Some(folder) = &args.previous {
        let path = if folder.is_dir() { folder.join("package.json") } else { folder.clone() };
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
        let package: DiscoveryPackage = serde_json::from_str(&text)
            .with_context(|| format!("`{}` is no discovery package", path.display()))?;
        offers.extend(seed::previous::offers(&package, known));
    }
    Ok(offers)
}

/// The compiled form of a package of manifests: built from its folder, or read where somebody built it.
fn manifest(path: &Path) -> Result<UIAPCompiledBundle, String> {
    let bytes = if path.is_dir() {
        let built = build(&DirectorySource::new(path), &NoRegistry, &BuildOptions::default());
        let first = || built.diagnostics.iter().next().map(|finding| finding.message.clone());
        let fault = || format!("it does not build: {}", first().unwrap_or_default());
        built.bundle.as_ref().ok_or_else(fault)?.bytes.clone()
    } else {
        std::fs::read(path).map_err(|error| format!("it cannot be read: {error}"))?
    };
    serde_json::from_slice(&bytes).map_err(|error| format!("it is no package of manifests: {error}"))
}
