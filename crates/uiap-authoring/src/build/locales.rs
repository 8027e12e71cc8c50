//! Step 6: put texts in place of references. Spec: authoring §5.7; decisions D6–D8.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use uiap_model::authoring::AuthoringKind;

use super::Session;
use super::finding::{AlsoAt, at_value};
use super::manifest::{Manifest, ManifestSet};
use super::report::LocaleCoverage;
use super::texts::{Catalog, Lookup, Message, check_locale, parents};
use crate::diagnostic::{Diagnostics, Severity, codes, did_you_mean};
use crate::source::{Node, NodeKind};
use crate::tree::{At, Tree};

/// Replaces every reference and hands the catalogue on for the bundle.
pub(crate) fn resolve<'d>(session: &mut Session<'d, '_>, set: &mut ManifestSet<'d>) -> Catalog {
    let mut catalog = Catalog::default();
    for manifest in set.manifests.iter().filter(|manifest| manifest.kind == AuthoringKind::LocalePack) {
        let private = (!manifest.included).then_some(manifest.prefix.as_str());
        if let Some(spec) = manifest.spec() {
            catalog.add(spec, private, &mut session.diagnostics);
        }
    }
    let supported = check_app(session, set, &mut catalog);
    let locale = session.context.locale.as_deref().and_then(super::texts::normal_locale);
    let mut made = HashMap::new();
    let only_looks = session.options.check_only && session.options.explain.is_none();
    for manifest in set.manifests.iter_mut().filter(|manifest| manifest.included) {
        if only_looks && has_all_texts(manifest, &catalog) {
            continue;
        }
        let mut writer = Writer {
            made: &mut made,
            catalog: &catalog,
            prefix: &manifest.prefix,
            locale: locale.as_deref(),
            strict: session.strict,
            diagnostics: &mut session.diagnostics,
        };
        if let Some(paths) = text_lists(manifest.kind)
            && let Some(spec) =
                needs_work(&manifest.tree, paths).then(|| manifest.tree.get_mut("spec")).flatten()
        {
            for path in paths {
                writer.walk(spec, path);
            }
        }
    }
    cover(session, set, &catalog, &supported);
    catalog
}

/// Whether every text of some bindings is a reference to a known one: then there is nothing to say about them. The
/// texts of workflows and policies are always put in, since later steps read these as a whole.
fn has_all_texts(manifest: &Manifest<'_>, catalog: &Catalog) -> bool {
    let plain = manifest.kind == AuthoringKind::Bindings && !manifest.patched;
    let Some(paths) = text_lists(manifest.kind).filter(|_| plain) else { return false };
    let refs = manifest.entry.text_refs.get_or_init(|| {
        let mut found = HashSet::new();
        let spec = manifest.spec()?;
        let only_refs = paths.iter().all(|path| gather_refs(spec, path, &mut found));
        only_refs.then(|| found.into_iter().map(str::to_owned).collect())
    });
    let found = |reference: &String| matches!(catalog.find(reference, &manifest.prefix), Lookup::Found(_));
    refs.as_ref().is_some_and(|refs| refs.iter().all(found))
}

/// Notes every reference on a way; false when a text stands there in full.
fn gather_refs<'t>(at: At<'t>, path: &[&str], found: &mut HashSet<&'t str>) -> bool {
    match path.split_first() {
        None if at.kind() != NodeKind::Map => true,
        None => at.text("ref").map(|reference| found.insert(reference)).is_some(),
        Some((&"*", rest)) => at.items().all(|item| gather_refs(item, rest, found)),
        Some((key, rest)) => at.get(key).is_none_or(|next| gather_refs(next, rest, found)),
    }
}

/// A way to a text: member names, `*` for every item of a list.
type TextPath = &'static [&'static str];

/// Where texts stand, by kind of manifest.
fn text_lists(kind: AuthoringKind) -> Option<&'static [TextPath]> {
    Some(match kind {
        AuthoringKind::Bindings => {
            &[&["routes", "*", "title"], &["scopes", "*", "title"], &["elements", "*", "name"]]
        }
        AuthoringKind::WorkflowCatalog => &[
            &["workflows", "*", "definition", "title"],
            &["workflows", "*", "definition", "description"],
            &["workflows", "*", "definition", "parameters", "*", "title"],
            &["workflows", "*", "definition", "parameters", "*", "description"],
            &["workflows", "*", "definition", "steps", "*", "title"],
            &["workflows", "*", "definition", "steps", "*", "text"],
        ],
        AuthoringKind::PolicySet => &[
            &["policies", "*", "document", "rules", "*", "reason"],
            &["policies", "*", "document", "rules", "*", "obligations", "*", "text"],
            &["policies", "*", "document", "rules", "*", "obligations", "*", "instructions"],
        ],
        _ => return None,
    })
}

/// Texts without which a person cannot follow: titles and instructions.
fn is_required(path: &[&str]) -> bool {
    matches!(
        path,
        ["workflows", "*", "definition", "title"] | ["workflows", "*", "definition", "steps", "*", "text"]
    )
}

fn needs_work(tree: &Tree<'_>, paths: &[TextPath]) -> bool {
    tree.at().get("spec").is_some_and(|spec| paths.iter().any(|path| holds_object(spec, path)))
}

/// Whether some text on the way is an object; plain strings stay as they are.
fn holds_object(at: At<'_>, path: &[&str]) -> bool {
    match path.split_first() {
        None => at.kind() == NodeKind::Map,
        Some((&"*", rest)) => at.items().any(|item| holds_object(item, rest)),
        Some((key, rest)) => at.get(key).is_some_and(|next| holds_object(next, rest)),
    }
}

/// Replaces texts.
struct Writer<'a, 'd> {
    /// Texts that were made already, by the message they come from.
    made: &'a mut HashMap<*const Message, Rc<Tree<'d>>>,
    catalog: &'a Catalog,
    prefix: &'a str,
    locale: Option<&'a str>,
    strict: bool,
    diagnostics: &'a mut Diagnostics,
}

impl<'d> Writer<'_, 'd> {
    fn walk(&mut self, tree: &mut Tree<'d>, path: TextPath) {
        self.walk_from(tree, path, path);
    }

    fn walk_from(&mut self, tree: &mut Tree<'d>, rest: &[&str], path: TextPath) {
        if !holds_object(tree.at(), rest) {
            return;
        }
        match rest.split_first() {
            None => self.replace(tree, is_required(path)),
            Some((&"*", rest)) => {
                for item in tree.seq_mut().into_iter().flat_map(|seq| &mut seq.items) {
                    self.walk_from(item, rest, path);
                }
            }
            Some((key, rest)) => {
                if let Some(next) = tree.get_mut(key) {
                    self.walk_from(next, rest, path);
                }
            }
        }
    }

    fn replace(&mut self, tree: &mut Tree<'d>, required: bool) {
        let origin = tree.origin();
        let at = tree.at();
        if at.get("ref").is_none() {
            if self.locale.is_some()
                && let Some(message) = Message::inline(at, self.diagnostics)
            {
                *tree = Tree::text(origin, self.catalog.text(&message, self.locale));
            }
            return;
        }
        let reference = at.text("ref").unwrap_or_default();
        *tree = match self.catalog.find(reference, self.prefix) {
            Lookup::Found(message) => self.output(origin, message),
            Lookup::Ambiguous(best, other) => {
                let (first, second) = (best.place(), other.place());
                self.diagnostics.push(
                    at_value(codes::AMBIGUOUS_TEXT, at, format!("`{reference}` means two different texts"))
                        .secondary(&first.file, first.span, "this one")
                        .secondary(&second.file, second.span, "or this one")
                        .help("rename a key or a namespace"),
                );
                self.output(origin, best)
            }
            Lookup::Missing => {
                let fallback = at.text("fallback");
                self.report_missing(at, reference, fallback, required);
                Tree::text(origin, fallback.unwrap_or(reference))
            }
        };
    }

    fn output(&mut self, origin: Node<'d>, message: &Message) -> Tree<'d> {
        let key = std::ptr::from_ref(message);
        if let Some(tree) = self.made.get(&key) {
            return Tree::Shared(Rc::clone(tree));
        }
        let tree = Rc::new(self.make(origin, message));
        self.made.insert(key, Rc::clone(&tree));
        Tree::Shared(tree)
    }

    fn make(&self, origin: Node<'d>, message: &Message) -> Tree<'d> {
        if self.locale.is_some() {
            return Tree::text(origin, self.catalog.text(message, self.locale));
        }
        let mut entries = vec![(Cow::Borrowed("default"), Tree::text(origin, message.default.as_str()))];
        if !message.by_locale.is_empty() {
            let texts = message.by_locale.iter();
            let texts =
                texts.map(|(locale, text)| (Cow::Owned(locale.clone()), Tree::text(origin, text.as_str())));
            entries.push((Cow::Borrowed("byLocale"), Tree::map(origin, texts.collect())));
        }
        Tree::map(origin, entries)
    }

    fn report_missing(&mut self, at: At<'_>, reference: &str, fallback: Option<&str>, required: bool) {
        let place = at.get("ref").unwrap_or(at);
        let near =
            self.diagnostics.takes_guesses().then(|| did_you_mean(reference, self.catalog.keys())).flatten();
        let diagnostic = if fallback.is_some() {
            let message = format!("there is no text `{reference}`; the fallback is used");
            at_value(codes::TEXT_FALLBACK, place, message)
        } else {
            let message = format!("there is no text `{reference}` and no fallback");
            let grave = self.strict && required;
            let severity = if grave { Severity::Error } else { Severity::Warning };
            at_value(codes::TEXT_MISSING, place, message).severity(severity)
        };
        self.diagnostics.push(diagnostic.meant(near));
    }
}

/// The locales of the App; the catalogue learns the default one.
fn check_app(session: &mut Session<'_, '_>, set: &ManifestSet<'_>, catalog: &mut Catalog) -> Vec<String> {
    let Some(app) = set.app().and_then(Manifest::spec) else { return Vec::new() };
    let diagnostics = &mut session.diagnostics;
    let mut supported = Vec::new();
    for at in app.list("supportedLocales") {
        supported.extend(at.as_str().and_then(|tag| check_locale(tag, at, false, diagnostics)));
    }
    if let Some(at) = app.get("defaultLocale")
        && let Some(tag) = at.as_str()
        && let Some(locale) = check_locale(tag, at, false, diagnostics)
    {
        if !supported.is_empty() && !supported.contains(&locale) {
            let list = app.get("supportedLocales").unwrap_or(app);
            diagnostics.push(
                at_value(codes::DEFAULT_LOCALE, at, format!("default locale `{locale}` is not supported"))
                    .also(list, "not in this list"),
            );
        }
        catalog.default_locale = Some(locale);
    }
    if let Some(wanted) = session.context.locale.as_deref().and_then(super::texts::normal_locale) {
        let known = supported.is_empty() || supported.iter().any(|s| parents(&wanted).any(|tag| tag == s));
        if !known {
            let list = app.get("supportedLocales").unwrap_or(app);
            let message = format!("the App does not support `{wanted}`; texts fall back to the default");
            session.diagnostics.push(at_value(codes::LOCALE_COVERAGE, list, message));
        }
        session.context.locale = Some(wanted.into());
    }
    supported
}

/// How much of the catalogue each supported locale has.
fn cover(session: &mut Session<'_, '_>, set: &ManifestSet<'_>, catalog: &Catalog, supported: &[String]) {
    let total = catalog.iter().count();
    let place = set.app().and_then(|app| app.at().descend(&["spec", "supportedLocales"]));
    for locale in supported {
        let has = |message: &Message| {
            parents(locale).any(|tag| message.by_locale.contains_key(tag))
                || catalog.default_locale.as_ref() == Some(locale)
        };
        let present = catalog.iter().filter(|(_, message)| has(message)).count();
        session.report.locales.push(LocaleCoverage { locale: locale.clone(), present, total });
        if let Some(place) = place.filter(|_| present < total) {
            let missing: Vec<&str> =
                catalog.iter().filter(|(_, message)| !has(message)).map(|(key, _)| key).take(5).collect();
            session.diagnostics.push(
                at_value(codes::LOCALE_COVERAGE, place, format!("`{locale}` has {present} of {total} texts"))
                    .note(format!("missing: {}", missing.join(", "))),
            );
        }
    }
}
