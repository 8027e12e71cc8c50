//! Where a value of the bundle comes from: the files, overlays and texts that made it, the last first.

use serde::Serialize;

use super::content::{Content, Items};
use super::manifest::ManifestSet;
use super::package::Package;
use super::texts::{Catalog, Lookup};
use super::{Bundle, Session};
use crate::diagnostic::Label;
use crate::release::BundleDoc;
use crate::source::{Node, parse_pointer};
use crate::tree::{At, Place, array_index};

/// The origin chain of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The pointer that was asked for.
    pub pointer: String,
    /// The value, as JSON.
    pub value: String,
    /// From the last origin to the first.
    pub origins: Vec<Origin>,
}

/// One origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// What happened: `written`, `imported`, `discovered`, `accepted`, `patched`, `removed`, `text`, `fallback`, `context`,
    /// `default`, `computed`.
    pub what: &'static str,
    /// The manifest or overlay.
    pub manifest: String,
    /// `file:line:column`; empty where there is no file.
    pub place: String,
    /// The value there, in short, as JSON.
    pub value: String,
}

/// Everything that a build knows about where things come from.
pub(crate) struct Sources<'a, 'd> {
    pub(crate) session: &'a Session<'d, 'a>,
    pub(crate) package: &'a Package<'d>,
    pub(crate) set: &'a ManifestSet<'d>,
    pub(crate) content: &'a Content<'a>,
    pub(crate) catalog: &'a Catalog,
    pub(crate) bundle: Option<&'a Bundle>,
}

impl Sources<'_, '_> {
    /// Explains a pointer such as `/policies/default/document/defaults/onUnknownAction`; items go by id or index.
    pub(crate) fn explain(&self, pointer: &str) -> Option<Explanation> {
        let tokens = parse_pointer(pointer)?;
        let words: Vec<&str> = tokens.iter().map(String::as_str).collect();
        let (value, origins) = match words.as_slice() {
            ["app", rest @ ..] => {
                let index = self.set.manifests.iter().position(|m| Some(m.id.as_str()) == self.app_id())?;
                let value = descend(self.content.app?, rest)?;
                (show(value), self.chain(index, &path(&["spec"], rest), value))
            }
            ["compatibility" | "packageId" | "version", ..] => {
                let node = words.iter().try_fold(self.package.spec, |node, word| step(node, word))?;
                (show(At::Node(node)), vec![self.in_package("written", node)])
            }
            ["profile"] => self.profile(),
            ["buildContext", member] => self.context(member)?,
            ["capabilities", rest @ ..] => self.capabilities(rest)?,
            ["locales", key] => self.text(key)?,
            ["digest" | "manifestIndex", ..] => self.computed(pointer)?,
            ["bindings", list, item, rest @ ..]
            | [list @ ("actions" | "policies" | "workflows"), item, rest @ ..] => {
                self.item(list, item, rest)?
            }
            _ => return None,
        };
        Some(Explanation { pointer: pointer.to_owned(), value, origins })
    }

    fn app_id(&self) -> Option<&str> {
        self.set.app().map(|app| app.id.as_str())
    }

    fn in_package(&self, what: &'static str, node: Node<'_>) -> Origin {
        let id = self.package.root.get("metadata").and_then(|metadata| metadata.get("id"));
        origin(what, id.and_then(Node::as_str).unwrap_or("package"), At::Node(node))
    }

    fn item(&self, list: &str, item: &str, rest: &[&str]) -> Option<(String, Vec<Origin>)> {
        let items: &Items<'_> = match list {
            "routes" => &self.content.routes,
            "scopes" => &self.content.scopes,
            "elements" => &self.content.elements,
            "actions" => &self.content.actions,
            "policies" => &self.content.policies,
            "workflows" => &self.content.workflows,
            _ => return None,
        };
        let by_index = || array_index(item).and_then(|index| items.sorted().get(index).copied());
        let item = items.get(item).copied().or_else(by_index)?;
        let value = descend(item.at, rest)?;
        let manifest = self.set.manifests.get(item.manifest)?;
        let identity = super::schema::identity_of(list);
        let position = manifest
            .spec()?
            .list(list)
            .position(|each| each.descend(identity).and_then(At::as_str) == Some(item.id))?
            .to_string();
        let mut way = path(&["spec", list, &position], &[]);
        if list == "workflows" {
            way.push("definition".to_owned());
        }
        way.extend(rest.iter().map(|word| (*word).to_owned()));
        let mut origins = self.chain(item.manifest, &way, value);
        let found = |d: &&super::manifest::Discovered| d.manifest == manifest.id && d.item == item.id;
        if let Some(found) = self.set.discovered.iter().find(found) {
            let run = format!("\"{}\"", found.run);
            origins.push(at_place("accepted", &manifest.id, &found.place, run));
        }
        Some((show(value), origins))
    }

    /// The origins of the value at a path of a manifest, walked back from its state now.
    fn chain(&self, index: usize, way: &[String], value: At<'_>) -> Vec<Origin> {
        let Some(manifest) = self.set.manifests.get(index) else { return Vec::new() };
        let mut way = way.to_vec();
        let mut origins = Vec::new();
        for change in self.set.history.iter().rev().filter(|change| change.manifest == index) {
            change.undo_shift(&mut way);
            let Some((written, node)) = change.met(&way) else { continue };
            let what = if node.is_some() { "patched" } else { "removed" };
            let inner = node.and_then(|node| follow(node, way.get(written.len()..).unwrap_or_default()));
            self.refer(inner, &manifest.prefix, &mut origins);
            origins.push(match inner.map(|(node, _)| node).or(node) {
                Some(node) => origin(what, &change.overlay, At::Node(node)),
                None => at_place(what, &change.overlay, &change.place, String::new()),
            });
        }
        match follow(manifest.doc.root(), &way) {
            Some(found) => {
                self.refer(Some(found), &manifest.prefix, &mut origins);
                let what = if manifest.is_imported() { "imported" } else { "written" };
                origins.push(origin(what, &manifest.id, At::Node(found.0)));
            }
            None if value.file().name() != manifest.doc.file().name() && origins.is_empty() => {
                origins.push(origin("discovered", &manifest.id, value));
            }
            None => {}
        }
        origins
    }

    /// The text behind a reference, when the value is one and nothing later replaced it.
    fn refer(&self, found: Option<(Node<'_>, &[String])>, prefix: &str, origins: &mut Vec<Origin>) {
        let Some((node, below)) = found.filter(|_| origins.is_empty()) else { return };
        let Some(reference) = node.get("ref").and_then(Node::as_str) else { return };
        let locale = match below {
            [word, tag] if word == "byLocale" => Some(tag.as_str()),
            [word] if word == "default" => None,
            _ => self.session.context.locale.as_deref(),
        };
        match self.catalog.find(reference, prefix) {
            Lookup::Found(message) | Lookup::Ambiguous(message, _) => {
                let (place, text) = match locale {
                    Some(locale) => self.catalog.origin(message, Some(locale)),
                    None => (message.place(), message.default.as_str()),
                };
                origins.push(at_place("text", self.manifest_at(place), place, format!("{text:?}")));
            }
            Lookup::Missing => {
                if let Some(fallback) = node.get("fallback") {
                    let place = At::Node(fallback).place();
                    origins.push(origin("fallback", self.manifest_at(&place), At::Node(fallback)));
                }
            }
        }
    }

    /// The manifest whose file holds a place.
    fn manifest_at(&self, place: &Place) -> &str {
        let mut manifests = self.set.manifests.iter();
        let own = manifests.find(|manifest| manifest.doc.file().name() == place.file.name());
        own.map(|manifest| manifest.id.as_str()).unwrap_or_default()
    }

    fn profile(&self) -> (String, Vec<Origin>) {
        if let Some(node) = self.package.get("build").and_then(|build| build.get("profile")) {
            return (show(At::Node(node)), vec![self.in_package("written", node)]);
        }
        if let Some(found) = self.capabilities(&["profile"]) {
            return found;
        }
        let value = format!("\"{}\"", super::bundle::PROFILE);
        let default =
            Origin { what: "default", manifest: String::new(), place: String::new(), value: value.clone() };
        (value, vec![default])
    }

    /// What the caller asked for goes before what the package states.
    fn context(&self, member: &str) -> Option<(String, Vec<Origin>)> {
        let used = serde_json::to_value(&self.session.context).ok()?;
        let given = serde_json::to_value(&self.session.options.context).ok()?;
        let value = used.get(member)?.to_string();
        let mut origins = Vec::new();
        if given.get(member).is_some() {
            let (manifest, place) = (String::new(), String::new());
            origins.push(Origin { what: "context", manifest, place, value: value.clone() });
        }
        let build = self.package.get("build").and_then(|build| build.get("defaultContext"));
        let channel = self.package.get("publish").filter(|_| member == "channel");
        let stated = build.and_then(|context| context.get(member));
        let stated = stated.or_else(|| channel.and_then(|publish| publish.get("defaultChannel")));
        origins.extend(stated.map(|node| self.in_package("written", node)));
        Some((value, origins))
    }

    fn capabilities(&self, rest: &[&str]) -> Option<(String, Vec<Origin>)> {
        let (merged, _) = self.content.capabilities.as_ref()?;
        let value = rest.iter().try_fold(merged, |value, word| match value {
            serde_json::Value::Array(items) => items.get(array_index(word)?),
            other => other.get(word),
        })?;
        let mut origins = Vec::new();
        for (index, manifest) in self.set.manifests.iter().enumerate() {
            let document = manifest.spec().and_then(|spec| spec.get("document"));
            if manifest.kind == uiap_model::authoring::AuthoringKind::Capabilities && manifest.included {
                let at = document.and_then(|document| descend(document, rest));
                origins.extend(
                    at.into_iter().flat_map(|at| self.chain(index, &path(&["spec", "document"], rest), at)),
                );
            }
        }
        Some((value.to_string(), origins))
    }

    fn text(&self, key: &str) -> Option<(String, Vec<Origin>)> {
        let (_, message) = self.catalog.iter().find(|(known, _)| *known == key)?;
        let (place, text) = self.catalog.origin(message, self.session.context.locale.as_deref());
        let value = serde_json::Value::from(text).to_string();
        let origins = vec![at_place("text", self.manifest_at(place), place, value.clone())];
        Some((value, origins))
    }

    fn computed(&self, pointer: &str) -> Option<(String, Vec<Origin>)> {
        let text = String::from_utf8(self.bundle?.bytes.clone()).ok()?;
        let value = BundleDoc::parse(text).ok()?.root().pointer(pointer)?.to_value().to_string();
        let (manifest, place) = (String::new(), String::new());
        let origins = vec![Origin { what: "computed", manifest, place, value: value.clone() }];
        Some((value, origins))
    }
}

fn path(start: &[&str], rest: &[&str]) -> Vec<String> {
    start.iter().chain(rest).map(|word| (*word).to_owned()).collect()
}

fn descend<'t>(at: At<'t>, rest: &[&str]) -> Option<At<'t>> {
    rest.iter().try_fold(at, |at, token| at.step(token))
}

fn step<'d>(node: Node<'d>, token: &str) -> Option<Node<'d>> {
    match array_index(token) {
        Some(index) if node.get(token).is_none() => node.item(index),
        _ => node.get(token),
    }
}

/// Down a way; a reference to a text stands for everything below it.
fn follow<'d, 'w>(node: Node<'d>, way: &'w [String]) -> Option<(Node<'d>, &'w [String])> {
    let mut here = node;
    for (depth, token) in way.iter().enumerate() {
        match step(here, token) {
            Some(next) => here = next,
            None if here.get("ref").is_some() => return Some((here, way.get(depth..).unwrap_or_default())),
            None => return None,
        }
    }
    Some((here, &[]))
}

fn show(at: At<'_>) -> String {
    at.to_value().to_string()
}

fn origin(what: &'static str, manifest: &str, at: At<'_>) -> Origin {
    let place = Label::new(at.file(), super::finding::focus(at), "").place();
    Origin { what, manifest: manifest.to_owned(), place, value: super::finding::shown(at) }
}

fn at_place(what: &'static str, manifest: &str, place: &Place, value: String) -> Origin {
    let place = Label::new(&place.file, place.span, "").place();
    Origin { what, manifest: manifest.to_owned(), place, value }
}
