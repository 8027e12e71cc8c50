//! `#[wire]` on an enum of bare variants: a closed or open vocabulary, or a set of literals.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Ident, ItemEnum, Lit, Variant};

use crate::{Settings, doc_of, words};

/// The `#[wire(…)]` words of a variant.
#[derive(Default)]
pub(crate) struct VariantWords {
    pub(crate) name: Option<String>,
    value: Option<Lit>,
}

/// Reads and removes them.
pub(crate) fn take_words(variant: &mut Variant) -> syn::Result<VariantWords> {
    let mut out = VariantWords::default();
    for attribute in variant.attrs.iter().filter(|attribute| attribute.path().is_ident("wire")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("name") {
                out.name = Some(meta.value()?.parse::<syn::LitStr>()?.value());
            } else if meta.path.is_ident("value") {
                out.value = Some(meta.value()?.parse()?);
            } else {
                return Err(meta.error("unknown word in #[wire(…)] of a variant"));
            }
            Ok(())
        })?;
    }
    variant.attrs.retain(|attribute| !attribute.path().is_ident("wire"));
    Ok(out)
}

/// The wire name that follows from the Rust name.
pub(crate) fn name_of(ident: &Ident, case: Option<&str>) -> String {
    let words = words(&ident.to_string());
    match case {
        Some("snake") => words.join("_"),
        Some("pascal") => ident.to_string(),
        Some("dotted") => match words.split_first() {
            Some((first, rest)) if !rest.is_empty() => format!("{first}.{}", camel(rest)),
            _ => words.concat(),
        },
        _ => camel(&words),
    }
}

fn camel(words: &[String]) -> String {
    crate::camel(&words.join("_"))
}

pub(crate) fn expand(mut item: ItemEnum, settings: &Settings) -> syn::Result<TokenStream> {
    let mut entries = Vec::new();
    let mut literal = false;
    for variant in &mut item.variants {
        let words = take_words(variant)?;
        literal |= words.value.is_some();
        let text = words.name.unwrap_or_else(|| name_of(&variant.ident, settings.case.as_deref()));
        let value = words.value.unwrap_or_else(|| Lit::Str(syn::LitStr::new(&text, variant.ident.span())));
        entries.push((variant.ident.clone(), text, value));
    }
    if literal {
        Ok(expand_literals(&item, &entries))
    } else {
        Ok(expand_words(&mut item, &entries, settings))
    }
}

fn expand_words(item: &mut ItemEnum, entries: &[(Ident, String, Lit)], settings: &Settings) -> TokenStream {
    let idents: Vec<_> = entries.iter().map(|(ident, ..)| ident).collect();
    let texts: Vec<_> = entries.iter().map(|(_, text, _)| text).collect();
    let open = settings.open;
    let (copy, from_extension, extension_text, text_type) = if open {
        item.variants.push(syn::parse_quote!(
            /// A value of a vendor or an app, `x.<vendor>.<name>`.
            X(crate::names::Extension)
        ));
        (
            TokenStream::new(),
            quote!(crate::names::Extension::parse(text).map(Self::X)),
            quote!(Self::X(name) => name.as_str(),),
            quote!(&str),
        )
    } else {
        (quote!(Copy,), quote!(None), TokenStream::new(), quote!(&'static str))
    };
    let ident = &item.ident;
    let name = ident.to_string();
    let doc = doc_of(&item.attrs);
    quote! {
        #[derive(Clone, #copy Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #item

        impl #ident {
            /// Every value that the protocol itself defines, in its order.
            pub const ALL: &'static [Self] = &[#(Self::#idents),*];
            /// The same as they stand on the wire.
            pub const NAMES: &'static [&'static str] = &[#(#texts),*];

            /// The value as it stands on the wire.
            pub fn as_str(&self) -> #text_type {
                match self { #(Self::#idents => #texts,)* #extension_text }
            }

            /// Reads a value; `None` when it is not part of the vocabulary.
            pub fn parse(text: &str) -> Option<Self> {
                match text { #(#texts => Some(Self::#idents),)* _ => #from_extension }
            }
        }

        impl ::std::fmt::Display for #ident {
            fn fmt(&self, out: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                out.write_str(self.as_str())
            }
        }

        impl ::serde::Serialize for #ident {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for #ident {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::json::word(deserializer, Self::parse, Self::NAMES)
            }
        }

        impl crate::shape::Wire for #ident {
            fn shape() -> crate::shape::Shape {
                crate::shape::Shape::Words(&crate::shape::Words {
                    name: #name,
                    doc: #doc,
                    values: Self::NAMES,
                    open: #open,
                })
            }
        }
    }
}

fn expand_literals(item: &ItemEnum, entries: &[(Ident, String, Lit)]) -> TokenStream {
    let ident = &item.ident;
    let name = ident.to_string();
    let doc = doc_of(&item.attrs);
    let shapes: Vec<_> = entries
        .iter()
        .map(|(_, _, value)| match value {
            Lit::Bool(value) => quote!(crate::shape::Literal::Bool(#value)),
            other => quote!(crate::shape::Literal::Text(#other)),
        })
        .collect();
    let idents = entries.iter().map(|(ident, ..)| ident);
    quote! {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #item

        impl #ident {
            const LITERALS: &'static [(crate::shape::Literal, Self)] = &[#((#shapes, Self::#idents)),*];
        }

        impl ::serde::Serialize for #ident {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                crate::json::write_literal(serializer, self, Self::LITERALS)
            }
        }

        impl<'de> ::serde::Deserialize<'de> for #ident {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::json::read_literal(deserializer, Self::LITERALS)
            }
        }

        impl crate::shape::Wire for #ident {
            fn shape() -> crate::shape::Shape {
                crate::shape::Shape::Literals(&crate::shape::Literals {
                    name: #name,
                    doc: #doc,
                    values: &[#(#shapes),*],
                })
            }
        }
    }
}
