//! The `#[wire]` attribute: one Rust definition gives decoding, encoding, shape and schema.
//!
//! It adds serde's encoding, a decoder with the rules of the protocol (camelCase names, an optional field is absent
//! but never `null`) and an `impl Wire` that describes the type as data. It knows syntax only; what a shape means is told in
//! `uiap_model::shape`.

mod decode;
mod field;
mod patch;
mod record;
mod union;
mod vocabulary;

use proc_macro::TokenStream;
use syn::{Attribute, Item, parse_macro_input};

/// Describes a type of the protocol. See the crate's documentation and `docs/adr/0002-one-definition-per-type.md`.
///
/// On a struct: `#[wire]`, `#[wire(patch = Name)]`, `#[wire(base)]` for one that is flattened into others.
/// On an enum of bare variants: `#[wire]`, `#[wire(open)]`, `#[wire(case = "snake")]`.
/// On an enum of structs: `#[wire(tag = "kind")]`. On an enum of alternatives: `#[wire(untagged)]`,
/// `#[wire(untagged, authored = Type)]`.
/// On a field: `#[wire(name = "…")]`, `#[wire(flatten)]`, `#[wire(extensions)]`, `#[wire(merge)]`,
/// `#[wire(identity)]`, `#[wire(unknown)]`, `#[wire(min = 1)]`.
/// On a variant: `#[wire(name = "…")]` or, in an enum of literals, `#[wire(value = false)]`.
#[proc_macro_attribute]
pub fn wire(options: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as Item);
    let mut settings = Settings::default();
    let parser = syn::meta::parser(|meta| settings.read(&meta));
    parse_macro_input!(options with parser);
    let expanded = match item {
        Item::Struct(item) => record::expand(item, &settings),
        Item::Enum(item) if settings.tag.is_some() => union::expand_tagged(item, &settings),
        Item::Enum(item) if settings.untagged => union::expand_untagged(&item, &settings),
        Item::Enum(item) => vocabulary::expand(item, &settings),
        other => Err(syn::Error::new_spanned(other, "#[wire] goes on a struct or an enum")),
    };
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}

/// The words inside `#[wire(…)]` of a type.
#[derive(Default)]
struct Settings {
    open: bool,
    untagged: bool,
    base: bool,
    case: Option<String>,
    tag: Option<String>,
    patch: Option<syn::Ident>,
    authored: Option<syn::Path>,
}

impl Settings {
    fn read(&mut self, meta: &syn::meta::ParseNestedMeta<'_>) -> syn::Result<()> {
        if meta.path.is_ident("open") {
            self.open = true;
        } else if meta.path.is_ident("base") {
            self.base = true;
        } else if meta.path.is_ident("untagged") {
            self.untagged = true;
        } else if meta.path.is_ident("case") {
            self.case = Some(meta.value()?.parse::<syn::LitStr>()?.value());
        } else if meta.path.is_ident("tag") {
            self.tag = Some(meta.value()?.parse::<syn::LitStr>()?.value());
        } else if meta.path.is_ident("patch") {
            self.patch = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("authored") {
            self.authored = Some(meta.value()?.parse()?);
        } else {
            return Err(meta.error("unknown word in #[wire(…)]"));
        }
        Ok(())
    }
}

/// The doc comment as one line of text.
fn doc_of(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| {
        let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
        if !pair.path.is_ident("doc") {
            return None;
        }
        let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value else { return None };
        Some(text.value().trim().to_owned())
    });
    lines.collect::<Vec<_>>().join(" ")
}

/// `instance_id` → `instanceId`.
fn camel(name: &str) -> String {
    let mut out = String::new();
    for (index, word) in name.split('_').filter(|word| !word.is_empty()).enumerate() {
        if index == 0 {
            out.push_str(word);
        } else {
            let mut letters = word.chars();
            out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
            out.push_str(letters.as_str());
        }
    }
    out
}

/// `NonIdempotent` → `["non", "idempotent"]`.
fn words(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for letter in name.chars() {
        match out.last_mut() {
            Some(word) if !letter.is_ascii_uppercase() => word.push(letter),
            _ => out.push(letter.to_ascii_lowercase().to_string()),
        }
    }
    out
}
