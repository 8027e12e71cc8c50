//! A quiet first look at the form of a document: yes or no, without paths and messages.
//!
//! Almost every document that is read has the right form. The inspector of the wire model, which can say what is
//! wrong and where, is asked only about the others; `the_two_judges_agree` holds the two together.

use uiap_model::names::Extension;
use uiap_model::problem::Problem;
use uiap_model::shape::{Field, Literal, OneOf, Record, Shape, Strictness, Tagged, Tree, View, inspect};

/// Every way in which a tree differs from a shape.
pub(crate) fn problems<'t, T: Tree<'t>>(tree: T, shape: Shape, strictness: Strictness) -> Vec<Problem> {
    if fits(tree, shape, strictness) { Vec::new() } else { inspect(tree, shape, strictness) }
}

/// Whether a tree has a shape.
pub(crate) fn fits<'t, T: Tree<'t>>(tree: T, shape: Shape, strictness: Strictness) -> bool {
    match (shape, tree.view()) {
        (Shape::Any, _)
        | (Shape::Null | Shape::Nullable(_), View::Null)
        | (Shape::Bool, View::Bool(_))
        | (Shape::Object, View::Map(_)) => true,
        (Shape::Text(rule), View::Text(text)) => (rule.accepts)(text),
        (Shape::Number(rule), View::Number(number)) => {
            (!rule.integer || number.fract() == 0.0)
                && rule.min.is_none_or(|min| number >= min)
                && rule.max.is_none_or(|max| number <= max)
        }
        (Shape::Words(words), View::Text(text)) => is_word(words.values, words.open, text),
        (Shape::Literals(literals), view) => literals.values.iter().any(|literal| match (literal, &view) {
            (Literal::Bool(wanted), View::Bool(found)) => wanted == found,
            (Literal::Text(wanted), View::Text(found)) => wanted == found,
            _ => false,
        }),
        (Shape::List(item), View::List(mut items)) => items.all(|each| fits(each, item(), strictness)),
        (Shape::Map { key, value }, View::Map(mut entries)) => {
            entries.all(|(name, each)| key_fits(name, key()) && fits(each, value(), strictness))
        }
        (Shape::Record(record), View::Map(entries)) => record_fits::<T>(record, entries, strictness),
        (Shape::Tagged(tagged), View::Map(_)) => tagged_fits(tree, tagged, &[], false, strictness),
        (Shape::OneOf(one_of), _) => one_of_fits(tree, one_of, strictness),
        (Shape::Nullable(inner), _) => fits(tree, inner(), strictness),
        _ => false,
    }
}

fn is_word(values: &[&str], open: bool, text: &str) -> bool {
    values.contains(&text) || (open && Extension::parse(text).is_some())
}

fn key_fits(name: &str, shape: Shape) -> bool {
    match shape {
        Shape::Text(rule) => (rule.accepts)(name),
        Shape::Words(words) => is_word(words.values, words.open, name),
        _ => true,
    }
}

fn one_of_fits<'t, T: Tree<'t>>(tree: T, one_of: &OneOf, strictness: Strictness) -> bool {
    one_of.forms(strictness).any(|shape| fits(tree, shape, strictness))
}

fn record_fits<'t, T: Tree<'t>>(record: &Record, entries: T::Entries, strictness: Strictness) -> bool {
    if record.flattened.is_empty() {
        let members = Members { own: record.own, more: &[], tag: None };
        return members.fit(entries, record.extensions, strictness);
    }
    let (fields, union) = record.members();
    match union {
        Some(tagged) => {
            let entries: Vec<(&str, T)> = entries.collect();
            variant_fits(&entries, tagged, &fields, record.extensions, strictness)
        }
        None => Members { own: &[], more: &fields, tag: None }.fit(entries, record.extensions, strictness),
    }
}

fn tagged_fits<'t, T: Tree<'t>>(
    tree: T,
    tagged: &Tagged,
    shared: &[&'static Field],
    extensions: bool,
    strictness: Strictness,
) -> bool {
    let (View::Map(mut first), View::Map(entries)) = (tree.view(), tree.view()) else { return false };
    let Some((_, tag)) = first.find(|(key, _)| *key == tagged.tag) else { return false };
    fits_as(tag, entries, tagged, shared, extensions, strictness)
}

fn variant_fits<'t, T: Tree<'t>>(
    entries: &[(&'t str, T)],
    tagged: &Tagged,
    shared: &[&'static Field],
    extensions: bool,
    strictness: Strictness,
) -> bool {
    let Some((_, tag)) = entries.iter().find(|(key, _)| *key == tagged.tag) else { return false };
    fits_as(*tag, entries.iter().copied(), tagged, shared, extensions, strictness)
}

fn fits_as<'t, T: Tree<'t>>(
    tag: T,
    entries: impl Iterator<Item = (&'t str, T)>,
    tagged: &Tagged,
    shared: &[&'static Field],
    extensions: bool,
    strictness: Strictness,
) -> bool {
    let View::Text(text) = tag.view() else { return false };
    let Some(variant) = tagged.variants.iter().find(|variant| variant.value == text) else { return false };
    let members = Members { own: variant.fields, more: shared, tag: Some(tagged.tag) };
    members.fit(entries, extensions, strictness)
}

/// The members that an object may have.
struct Members<'a> {
    own: &'static [Field],
    more: &'a [&'static Field],
    tag: Option<&'static str>,
}

impl Members<'_> {
    fn all(&self) -> impl Iterator<Item = &'static Field> {
        self.own.iter().chain(self.more.iter().copied())
    }

    fn fit<'t, T: Tree<'t>>(
        &self,
        entries: impl Iterator<Item = (&'t str, T)>,
        extensions: bool,
        strictness: Strictness,
    ) -> bool {
        let mut seen: u128 = 0;
        for (key, node) in entries {
            match (0u32..).zip(self.all()).find(|(_, field)| field.name == key) {
                Some((index, field)) => {
                    seen |= 1u128.checked_shl(index).unwrap_or(0);
                    if !fits(node, (field.shape)(), strictness) || (field.min > 0 && is_empty_list(node)) {
                        return false;
                    }
                }
                None if self.tag == Some(key) => {}
                None if extensions && Extension::parse(key).is_some() => {}
                None if extensions || strictness == Strictness::Authored => return false,
                None => {}
            }
        }
        (0u32..)
            .zip(self.all())
            .all(|(index, field)| !field.required || seen & 1u128.checked_shl(index).unwrap_or(0) != 0)
    }
}

fn is_empty_list<'t, T: Tree<'t>>(tree: T) -> bool {
    if let View::List(mut items) = tree.view() { items.next().is_none() } else { false }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use serde_json::{Value, json};

    use super::*;
    use crate::source::{Limits, SourceFile, parse_source};

    /// Every manifest of the example package with its kind.
    fn documents() -> Vec<(String, Value)> {
        let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/packages")];
        let mut found = Vec::new();
        while let Some(path) = open.pop() {
            if path.is_dir() {
                open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            } else if path.to_string_lossy().ends_with(".uiap.yaml") {
                let file = SourceFile::new("a.yaml", fs::read_to_string(path).unwrap());
                let value = parse_source(&file, &Limits::DEFAULT).doc.unwrap().root().to_value();
                found.push((value["kind"].as_str().unwrap().to_owned(), value));
            }
        }
        found
    }

    fn pointers(value: &Value, at: &str, out: &mut Vec<String>) {
        out.push(at.to_owned());
        match value {
            Value::Array(items) => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(index, each)| pointers(each, &format!("{at}/{index}"), out));
            }
            Value::Object(members) => members.iter().for_each(|(key, each)| {
                pointers(each, &format!("{at}/{}", uiap_model::pointer::escape(key)), out);
            }),
            _ => {}
        }
    }

    #[test]
    fn the_two_judges_agree() {
        let (mut right, mut wrong) = (0, 0);
        for (kind, value) in documents() {
            let shape = uiap_model::document::kind(&kind).unwrap().shape;
            let mut places = Vec::new();
            pointers(&value, "", &mut places);
            for place in places {
                let swaps =
                    [json!(null), json!(""), json!(7), json!([]), json!({}), json!("x.acme.a"), json!(true)];
                let mut variants: Vec<Value> = swaps
                    .into_iter()
                    .map(|swap| {
                        let mut edited = value.clone();
                        *edited.pointer_mut(&place).unwrap() = swap;
                        edited
                    })
                    .collect();
                let keys: Vec<String> = match value.pointer(&place).unwrap() {
                    Value::Object(members) => members.keys().cloned().collect(),
                    _ => Vec::new(),
                };
                for key in keys {
                    let mut without = value.clone();
                    without.pointer_mut(&place).unwrap().as_object_mut().unwrap().remove(&key);
                    let mut renamed = without.clone();
                    renamed.pointer_mut(&place).unwrap()[format!("{key}x")] =
                        value.pointer(&place).unwrap()[&key].clone();
                    variants.extend([without, renamed]);
                }
                for variant in variants {
                    for strictness in [Strictness::Authored, Strictness::Wire] {
                        let expected = inspect(&variant, shape(), strictness).is_empty();
                        assert_eq!(
                            fits(&variant, shape(), strictness),
                            expected,
                            "{kind} {place}: {variant}"
                        );
                        *(if expected { &mut right } else { &mut wrong }) += 1;
                    }
                }
            }
        }
        assert!(right > 500 && wrong > 2_000, "{right} right, {wrong} wrong");
    }
}
