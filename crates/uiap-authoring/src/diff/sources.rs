//! What changed between two packages that no bundle shows: channels, overlays, reviews, layout of the files.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::pair::{down, same};
use super::{Change, Collector};
use crate::files::{PackageSource, ReadError, plain_path};
use crate::source::{Limits, Node, SourceDoc, SourceFile, parse_source};

/// Why two packages cannot be compared.
#[derive(Debug, thiserror::Error)]
#[error("cannot read `{path}`: {reason}")]
pub struct SourcesError {
    path: String,
    reason: String,
}

/// Compares two packages beyond their bundles. What the bundles show is not repeated here.
pub fn diff_sources(
    old: &dyn PackageSource,
    new: &dyn PackageSource,
    limits: &Limits,
) -> Result<Vec<Change>, SourcesError> {
    let (old, new) = (Sources::load(old, limits)?, Sources::load(new, limits)?);
    let mut out = Collector::default();
    channels(&old, &new, &mut out);
    manifests(&old, &new, &mut out);
    if out.changes.is_empty() {
        layout(&old, &new, &mut out);
    }
    out.changes.sort();
    Ok(out.changes)
}

struct Manifest {
    kind: String,
    path: String,
    doc: SourceDoc,
}

struct Sources {
    path: String,
    package: SourceDoc,
    manifests: BTreeMap<String, Manifest>,
}

impl Sources {
    fn load(source: &dyn PackageSource, limits: &Limits) -> Result<Self, SourcesError> {
        let names = ["package.uiap.yaml", "package.uiap.yml", "package.uiap.json"];
        let listed = source.list();
        let path = names.into_iter().find(|name| listed.iter().any(|path| path == name));
        let path = path.unwrap_or("package.uiap.yaml").to_owned();
        let package = read(source, &path, limits)?
            .ok_or_else(|| SourcesError { path: path.clone(), reason: "there is no such file".to_owned() })?;
        let mut manifests = BTreeMap::new();
        for line in down(package.root(), &["spec", "manifests"]).into_iter().flat_map(Node::items) {
            let text = |key: &str| line.get(key).and_then(Node::as_str);
            let (Some(id), Some(kind), Some(path)) = (text("id"), text("kind"), text("path")) else {
                continue;
            };
            let path = plain_path(path);
            if let Some(doc) = read(source, &path, limits)? {
                manifests.insert(id.to_owned(), Manifest { kind: kind.to_owned(), path, doc });
            }
        }
        Ok(Self { path, package, manifests })
    }

    fn files(&self) -> BTreeMap<&str, &Arc<SourceFile>> {
        let own = self.manifests.values().map(|manifest| (manifest.path.as_str(), manifest.doc.file()));
        own.chain([(self.path.as_str(), self.package.file())]).collect()
    }
}

/// Nothing for a file that is not there: an optional manifest may come and go.
fn read(source: &dyn PackageSource, path: &str, limits: &Limits) -> Result<Option<SourceDoc>, SourcesError> {
    let fault = |reason: String| SourcesError { path: path.to_owned(), reason };
    let file = match source.read(path, limits) {
        Ok(file) => file,
        Err(ReadError::Missing) => return Ok(None),
        Err(error) => return Err(fault(error.to_string())),
    };
    let parsed = parse_source(&file, limits);
    match parsed.doc {
        Some(doc) => Ok(Some(doc)),
        None => Err(fault(
            parsed.diagnostics.iter().next().map_or_else(String::new, |found| found.message.clone()),
        )),
    }
}

fn channels(old: &Sources, new: &Sources, out: &mut Collector) {
    let list = |sources: &'_ Sources| -> BTreeMap<String, (usize, serde_json::Value)> {
        let channels = down(sources.package.root(), &["spec", "publish", "channels"]);
        let channels = channels.into_iter().flat_map(Node::items).enumerate();
        channels
            .filter_map(|(at, each)| Some((each.get("name")?.as_str()?.to_owned(), (at, each.to_value()))))
            .collect()
    };
    let at = |path: &str, index: usize| format!("{path}#/spec/publish/channels/{index}");
    let (before, after) = (list(old), list(new));
    for (name, (index, value)) in &before {
        match after.get(name) {
            None => out.add("BC19", at(&old.path, *index), "", format!("channel `{name}` is gone")),
            Some((now, other)) if other != value => {
                let message = format!("gates of channel `{name}`");
                out.add("PA02", at(&old.path, *index), at(&new.path, *now), message);
            }
            Some(_) => {}
        }
    }
    for (name, (index, _)) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
        out.add("MI09", "", at(&new.path, *index), format!("channel `{name}` is new"));
    }
}

fn manifests(old: &Sources, new: &Sources, out: &mut Collector) {
    for (id, manifest) in new.manifests.iter().filter(|(id, _)| !old.manifests.contains_key(*id)) {
        if manifest.kind == "Overlay" {
            out.add("MI05", "", manifest.path.as_str(), format!("overlay `{id}` is new"));
        }
    }
    for (id, before) in &old.manifests {
        let Some(after) = new.manifests.get(id) else {
            if before.kind == "Overlay" {
                out.add("MI05", before.path.as_str(), "", format!("overlay `{id}` is gone"));
            }
            continue;
        };
        let mut part = |rule: &'static str, way: &[&str], what: &str| {
            if !same(down(before.doc.root(), way), down(after.doc.root(), way)) {
                let at = |manifest: &Manifest| format!("{}#/{}", manifest.path, way.join("/"));
                out.add(rule, at(before), at(after), format!("{what} of `{id}`"));
            }
        };
        part("PA02", &["metadata"], "metadata");
        part("PA04", &["status"], "provenance");
        match before.kind.as_str() {
            "ReviewSet" => part("PA02", &["spec"], "decisions"),
            "DiscoveryImport" => part("PA04", &["spec"], "accepted findings"),
            "Overlay" => part("MI05", &["spec"], "patches"),
            _ => {}
        }
    }
}

/// Same data, other text.
fn layout(old: &Sources, new: &Sources, out: &mut Collector) {
    let (before, after) = (old.files(), new.files());
    for (path, file) in &before {
        let Some(other) = after.get(path) else { continue };
        if file.text() != other.text() && data(old, path) == data(new, path) {
            out.add("PA05", *path, *path, format!("layout of `{path}`; nothing to release"));
        }
    }
}

fn data(sources: &Sources, path: &str) -> Option<serde_json::Value> {
    if path == sources.path {
        return Some(sources.package.root().to_value());
    }
    let mut manifests = sources.manifests.values();
    manifests.find(|manifest| manifest.path == path).map(|manifest| manifest.doc.root().to_value())
}
