//! Step 9: write the normalised bundle. Spec: authoring §12; RFC 8785.
//!
//! Members and lists stand in one order, nothing of the machine or the clock gets in, so the bytes depend on
//! the manifests and the context alone.

use uiap_model::authoring::AuthoringKind;
use uiap_model::digest;

use super::content::{Content, Item};
use super::manifest::ManifestSet;
use super::package::Package;
use super::texts::Catalog;
use super::{Bundle, Session};
use crate::source::Node;
use crate::tree::{At, write_canonical, write_canonical_without, write_key, write_text};

/// The profile when nothing names one.
pub(crate) const PROFILE: &str = "web@0.1";

/// Writes the bundle.
pub(crate) fn make(
    session: &mut Session<'_, '_>,
    package: &Package<'_>,
    set: &ManifestSet<'_>,
    content: &Content<'_>,
    catalog: &Catalog,
) -> Bundle {
    let mut before = Object::new();
    before.items("actions", &content.actions.sorted(), &["selectors"]);
    before.value("app", content.app);
    before.raw("bindings", |out| bindings(content, out));
    before.raw("buildContext", |out| out.extend(digest::canonical(&session.context).unwrap_or_default()));
    if let Some((value, _)) = &content.capabilities {
        before.raw("capabilities", |out| out.extend(digest::canonical(value).unwrap_or_default()));
    }
    before.value("compatibility", package.get("compatibility").map(At::Node));
    let mut after = Object::new();
    after.raw("locales", |out| locales(catalog, session.context.locale.as_deref(), out));
    after.raw("manifestIndex", |out| manifest_index(package, set, out));
    after.text("packageId", package.id);
    after.raw("policies", |out| policies(content, out));
    after.text("profile", &profile(package, content));
    after.text("version", package.version);
    after.items("workflows", &content.workflows.sorted(), &[]);
    seal(before.bytes, &after.bytes)
}

/// Puts the digest where it belongs; it covers everything else.
fn seal(before: Vec<u8>, after: &[u8]) -> Bundle {
    let mut plain = before;
    let split = plain.len();
    plain.push(b',');
    plain.extend_from_slice(after.get(1..).unwrap_or_default());
    plain.push(b'}');
    let digest = digest::sha256(&plain).to_string();
    let tail = plain.split_off(split);
    let mut bytes = plain;
    bytes.extend_from_slice(b",\"digest\":\"");
    bytes.extend_from_slice(digest.as_bytes());
    bytes.push(b'"');
    bytes.extend_from_slice(&tail);
    Bundle { bytes, digest }
}

/// An object under construction, members in canonical order.
struct Object {
    bytes: Vec<u8>,
}

impl Object {
    fn new() -> Self {
        Self { bytes: vec![b'{'] }
    }

    fn key(&mut self, key: &str) {
        if self.bytes.len() > 1 {
            self.bytes.push(b',');
        }
        write_key(key, &mut self.bytes);
    }

    fn raw(&mut self, key: &str, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        self.key(key);
        let filled = self.bytes.len();
        write(&mut self.bytes);
        if self.bytes.len() == filled {
            self.bytes.truncate(start);
        }
    }

    fn value(&mut self, key: &str, at: Option<At<'_>>) {
        if let Some(at) = at {
            self.raw(key, |out| write_canonical(at, out));
        }
    }

    fn text(&mut self, key: &str, text: &str) {
        self.raw(key, |out| write_text(text, out));
    }

    fn items(&mut self, key: &str, items: &[Item<'_>], without: &[&str]) {
        if !items.is_empty() {
            self.raw(key, |out| write_items(items, without, out));
        }
    }
}

fn write_items(items: &[Item<'_>], without: &[&str], out: &mut Vec<u8>) {
    out.push(b'[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_canonical_without(item.at, without, out);
    }
    out.push(b']');
}

fn bindings(content: &Content<'_>, out: &mut Vec<u8>) {
    let mut object = Object::new();
    object.items("elements", &content.elements.sorted(), &[]);
    object.items("routes", &content.routes.sorted(), &[]);
    object.items("scopes", &content.scopes.sorted(), &[]);
    if object.bytes.len() > 1 {
        out.extend_from_slice(&object.bytes);
        out.push(b'}');
    }
}

fn policies(content: &Content<'_>, out: &mut Vec<u8>) {
    let list = content.policies.sorted();
    if list.is_empty() {
        return;
    }
    out.push(b'[');
    for (index, item) in list.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let without: &[&str] = if content.undecided.contains(&item.id) { &[] } else { &["selector"] };
        write_canonical_without(item.at, without, out);
    }
    out.push(b']');
}

fn locales(catalog: &Catalog, locale: Option<&str>, out: &mut Vec<u8>) {
    let mut texts: Vec<(&str, &str)> =
        catalog.iter().map(|(key, message)| (key, catalog.text(message, locale))).collect();
    if texts.is_empty() {
        return;
    }
    texts.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16()));
    let mut object = Object::new();
    for (key, text) in texts {
        object.text(key, text);
    }
    out.extend_from_slice(&object.bytes);
    out.push(b'}');
}

/// Manifests that contributed, sorted; overlays count when they were applied.
fn manifest_index(package: &Package<'_>, set: &ManifestSet<'_>, out: &mut Vec<u8>) {
    let wanted =
        package.get("build").and_then(|build| build.get("emitManifestIndex")).and_then(Node::as_bool);
    if wanted == Some(false) {
        return;
    }
    let contributes = |index: usize, kind: AuthoringKind| match kind {
        AuthoringKind::Overlay => set.applied_overlays.contains(&index),
        AuthoringKind::ReviewSet | AuthoringKind::DiscoveryImport => false,
        _ => true,
    };
    let manifests = set.manifests.iter().enumerate();
    let mut ids: Vec<&str> = manifests
        .filter(|(index, manifest)| manifest.included && contributes(*index, manifest.kind))
        .map(|(_, manifest)| manifest.id.as_str())
        .collect();
    ids.sort_unstable();
    out.push(b'[');
    for (index, id) in ids.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_text(id, out);
    }
    out.push(b']');
}

/// From the build section, else from the capabilities, else the web.
fn profile(package: &Package<'_>, content: &Content<'_>) -> String {
    let stated = package.get("build").and_then(|build| build.get("profile")).and_then(Node::as_str);
    let declared = content.capabilities.as_ref().and_then(|(value, _)| value.get("profile")?.as_str());
    stated.or(declared).unwrap_or(PROFILE).to_owned()
}
