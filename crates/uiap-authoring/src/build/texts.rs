//! Locale packs as one catalogue, locale tags, and the way from a wanted locale to a text. Decisions D6–D8.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::finding::{AlsoAt, at_value};
use crate::diagnostic::{Diagnostics, Fix, codes};
use crate::tree::{At, Place};

/// One text in all its languages.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) default: String,
    pub(crate) by_locale: BTreeMap<String, String>,
    /// Length of the namespace, to prefer the longest.
    namespace: usize,
    place: Place,
    places: HashMap<String, Place>,
}

/// Every message by `namespace.key`.
#[derive(Default)]
pub(crate) struct Catalog {
    messages: BTreeMap<String, Vec<Message>>,
    /// Messages of packs that an import filter left out, for the imported manifests themselves.
    private: HashMap<String, BTreeMap<String, Vec<Message>>>,
    pub(crate) default_locale: Option<String>,
}

/// What a reference leads to.
pub(crate) enum Lookup<'c> {
    Found(&'c Message),
    Ambiguous(&'c Message, &'c Message),
    Missing,
}

impl Catalog {
    /// Adds the messages of one pack.
    pub(crate) fn add(&mut self, spec: At<'_>, private: Option<&str>, diagnostics: &mut Diagnostics) {
        for (namespace, body) in spec.get("namespaces").into_iter().flat_map(At::entries) {
            for (key, message) in body.get("messages").into_iter().flat_map(At::entries) {
                let Some(new) = read(message, namespace.len(), diagnostics) else { continue };
                check_placeholders(message, &new, diagnostics);
                let messages = match private {
                    Some(prefix) => self.private.entry(prefix.to_owned()).or_default(),
                    None => &mut self.messages,
                };
                let slot = messages.entry(format!("{namespace}.{key}")).or_default();
                match slot.iter_mut().find(|old| old.namespace == new.namespace) {
                    Some(old) => merge(old, new, message, diagnostics),
                    None => slot.push(new),
                }
            }
        }
    }

    /// The message that a reference means.
    pub(crate) fn find(&self, reference: &str, prefix: &str) -> Lookup<'_> {
        let own = self.private.get(prefix).and_then(|messages| messages.get(reference));
        let Some(found) = own.or_else(|| self.messages.get(reference)) else { return Lookup::Missing };
        let Some(best) = found.iter().max_by_key(|message| message.namespace) else { return Lookup::Missing };
        let other = found.iter().find(|message| {
            message.namespace != best.namespace
                && (message.default != best.default || message.by_locale != best.by_locale)
        });
        match other {
            Some(other) => Lookup::Ambiguous(best, other),
            None => Lookup::Found(best),
        }
    }

    /// Keys with the message that counts, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Message)> {
        self.messages.iter().filter_map(|(key, found)| {
            found.iter().max_by_key(|message| message.namespace).map(|message| (key.as_str(), message))
        })
    }

    /// Names of all keys, for suggestions.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.messages.keys().map(String::as_str)
    }

    /// The text for a locale: itself, its parents, the default locale and its parents, the default text.
    pub(crate) fn text<'m>(&self, message: &'m Message, locale: Option<&str>) -> &'m str {
        self.origin(message, locale).1
    }

    /// The text for a locale, and where it stands.
    pub(crate) fn origin<'m>(&self, message: &'m Message, locale: Option<&str>) -> (&'m Place, &'m str) {
        let wanted = locale.into_iter().flat_map(parents);
        let default = self.default_locale.as_deref().into_iter().flat_map(parents);
        let found = wanted.chain(default).find_map(|tag| message.by_locale.get_key_value(tag));
        found.map_or((&message.place, message.default.as_str()), |(tag, text)| {
            (message.places.get(tag).unwrap_or(&message.place), text.as_str())
        })
    }
}

impl Message {
    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// A text that was written out instead of referred to.
    pub(crate) fn inline(at: At<'_>, diagnostics: &mut Diagnostics) -> Option<Self> {
        read(at, 0, diagnostics)
    }
}

/// `de-CH-1996`, `de-CH`, `de`.
pub(crate) fn parents(tag: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(tag), |tag| tag.rsplit_once('-').map(|(parent, _)| parent))
}

fn read(at: At<'_>, namespace: usize, diagnostics: &mut Diagnostics) -> Option<Message> {
    let default = at.text("default")?.to_owned();
    let mut message = Message {
        default,
        by_locale: BTreeMap::new(),
        namespace,
        place: at.get("default").unwrap_or(at).place(),
        places: HashMap::new(),
    };
    for (tag, text) in at.get("byLocale").into_iter().flat_map(At::entries) {
        let Some(locale) = check_locale(tag, text, true, diagnostics) else { continue };
        message.places.insert(locale.clone(), text.place());
        message.by_locale.insert(locale, text.as_str()?.to_owned());
    }
    Some(message)
}

fn merge(old: &mut Message, new: Message, at: At<'_>, diagnostics: &mut Diagnostics) {
    let mut conflict = |locale: &str, first: &Place, second: &Place| {
        diagnostics.push(
            at_value(codes::TEXT_CONFLICT, at, format!("two packs give different texts for `{locale}`"))
                .secondary(&first.file, first.span, "the first text")
                .secondary(&second.file, second.span, "the other text"),
        );
    };
    if old.default != new.default {
        conflict("default", &old.place, &new.place);
    }
    for (locale, text) in new.by_locale {
        match old.by_locale.get(&locale) {
            Some(first) if *first != text => {
                if let (Some(a), Some(b)) = (old.places.get(&locale), new.places.get(&locale)) {
                    conflict(&locale, a, b);
                }
            }
            Some(_) => {}
            None => {
                if let Some(place) = new.places.get(&locale) {
                    old.places.insert(locale.clone(), place.clone());
                }
                old.by_locale.insert(locale, text);
            }
        }
    }
}

/// `{name}` in one language and not in another is most often a slip.
fn check_placeholders(at: At<'_>, message: &Message, diagnostics: &mut Diagnostics) {
    let wanted = placeholders(&message.default);
    for (locale, text) in &message.by_locale {
        if placeholders(text) != wanted {
            let place = at.get("byLocale").and_then(|map| map.get(locale)).unwrap_or(at);
            diagnostics.push(
                at_value(
                    codes::PLACEHOLDERS,
                    place,
                    format!("the placeholders of `{locale}` differ from the default text"),
                )
                .help(format!("the default text has {}", list(&wanted))),
            );
        }
    }
}

fn list(names: &BTreeSet<&str>) -> String {
    if names.is_empty() { "none".to_owned() } else { names.iter().copied().collect::<Vec<_>>().join(", ") }
}

fn placeholders(text: &str) -> BTreeSet<&str> {
    let mut out = BTreeSet::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('{') {
        let Some((name, tail)) = after.split_once('}') else { break };
        if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.') {
            out.insert(name);
        }
        rest = tail;
    }
    out
}

/// A locale tag in its normal form, or nothing.
pub(crate) fn normal_locale(tag: &str) -> Option<String> {
    let mut parts = tag.split('-');
    let language = parts.next()?;
    let is_language =
        (2..=3).contains(&language.len()) && language.bytes().all(|byte| byte.is_ascii_alphabetic());
    let mut out = is_language.then(|| language.to_ascii_lowercase())?;
    for part in parts {
        let letters = part.bytes().all(|byte| byte.is_ascii_alphabetic());
        let plain =
            !part.is_empty() && part.len() <= 8 && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !plain {
            return None;
        }
        out.push('-');
        match part.len() {
            2 if letters => out.push_str(&part.to_ascii_uppercase()),
            4 if letters => {
                let lower = part.to_ascii_lowercase();
                let mut chars = lower.chars();
                out.extend(chars.next().map(|c| c.to_ascii_uppercase()));
                out.push_str(chars.as_str());
            }
            _ => out.push_str(&part.to_ascii_lowercase()),
        }
    }
    Some(out)
}

/// Reports a tag that is none; `at` is the value, or the value behind the key that holds the tag.
pub(crate) fn check_locale(
    tag: &str,
    at: At<'_>,
    is_key: bool,
    diagnostics: &mut Diagnostics,
) -> Option<String> {
    if let Some(locale) = normal_locale(tag) {
        return Some(locale);
    }
    let span = if is_key { at.key_span() } else { at.span() };
    let mut diagnostic = crate::diagnostic::Diagnostic::new(
        codes::BAD_LOCALE,
        format!("`{tag}` is no locale"),
        at.file(),
        span,
    );
    if let Some(meant) = normal_locale(&tag.replace('_', "-")) {
        diagnostic = diagnostic
            .fix(Fix::replace(format!("write `{meant}`"), at.file(), span, meant.clone()))
            .meant(Some(&meant));
    }
    diagnostics.push(diagnostic);
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_get_their_usual_case_and_underscores_are_refused() {
        assert_eq!(normal_locale("DE-ch").as_deref(), Some("de-CH"));
        assert_eq!(normal_locale("zh-hans-cn").as_deref(), Some("zh-Hans-CN"));
        assert_eq!(normal_locale("de_CH"), None);
        assert_eq!(normal_locale(""), None);
        assert_eq!(parents("zh-Hans-CN").collect::<Vec<_>>(), ["zh-Hans-CN", "zh-Hans", "zh"]);
    }

    #[test]
    fn placeholders_are_names_in_braces() {
        assert_eq!(
            placeholders("Hi {name}, {count} left {").into_iter().collect::<Vec<_>>(),
            ["count", "name"]
        );
        assert!(placeholders("no { braces } here {}").is_empty());
    }
}
