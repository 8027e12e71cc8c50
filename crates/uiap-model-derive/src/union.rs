//! `#[wire(tag = …)]` and `#[wire(untagged)]` on an enum: one of several objects or values.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Fields, ItemEnum, Variant};

use crate::decode;
use crate::field::WireField;
use crate::vocabulary::{name_of, take_words};
use crate::{Settings, doc_of};

pub(crate) fn expand_tagged(mut item: ItemEnum, settings: &Settings) -> syn::Result<TokenStream> {
    let tag = settings.tag.clone().unwrap_or_default();
    let mut variants = Vec::new();
    let mut tags = Vec::new();
    let mut arms = Vec::new();
    for variant in &mut item.variants {
        let words = take_words(variant)?;
        let name = words.name.unwrap_or_else(|| name_of(&variant.ident, settings.case.as_deref()));
        let doc = doc_of(&variant.attrs);
        variant.attrs.push(syn::parse_quote!(#[serde(rename = #name)]));
        let ident = variant.ident.clone();
        let fields = variant.fields.iter_mut().map(WireField::take).collect::<syn::Result<Vec<_>>>()?;
        let shapes = fields.iter().map(WireField::shape);
        variants.push(quote! {
            crate::shape::Variant { value: #name, doc: #doc, fields: &[#(#shapes),*] }
        });
        tags.push(quote!(Self::#ident { .. } => #name));
        let taken = decode::taken(&fields);
        arms.push(quote!(#name => Ok(Self::#ident { #taken })));
    }
    let ident = &item.ident;
    let name = ident.to_string();
    let doc = doc_of(&item.attrs);
    let body = quote! {
        let tag: ::compact_str::CompactString = members.required(#tag)?;
        match tag.as_str() {
            #(#arms,)*
            other => Err(::serde::de::Error::custom(format_args!("unknown `{}` `{other}`", #tag))),
        }
    };
    let decoder = decode::buffered(ident, &body, true);
    Ok(quote! {
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize)]
        #[serde(tag = #tag)]
        #item

        #decoder

        impl #ident {
            /// The discriminator as it stands on the wire.
            pub fn tag(&self) -> &'static str {
                match self { #(#tags),* }
            }
        }

        impl crate::shape::Wire for #ident {
            fn shape() -> crate::shape::Shape {
                crate::shape::Shape::Tagged(&crate::shape::Tagged {
                    name: #name,
                    doc: #doc,
                    tag: #tag,
                    variants: &[#(#variants),*],
                })
            }
        }
    })
}

pub(crate) fn expand_untagged(item: &ItemEnum, settings: &Settings) -> syn::Result<TokenStream> {
    let shapes = item.variants.iter().map(alternative).collect::<syn::Result<Vec<_>>>()?;
    let authored = settings.authored.iter();
    let ident = &item.ident;
    let name = ident.to_string();
    let doc = doc_of(&item.attrs);
    Ok(quote! {
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(untagged)]
        #item

        impl crate::shape::Wire for #ident {
            fn shape() -> crate::shape::Shape {
                crate::shape::Shape::OneOf(&crate::shape::OneOf {
                    name: #name,
                    doc: #doc,
                    of: &[#(#shapes),*],
                    authored: &[#(<#authored as crate::shape::Wire>::shape),*],
                })
            }
        }
    })
}

fn alternative(variant: &Variant) -> syn::Result<TokenStream> {
    match &variant.fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            let ty = fields.unnamed.first().map(|field| &field.ty);
            Ok(quote!(<#ty as crate::shape::Wire>::shape))
        }
        other => Err(syn::Error::new_spanned(other, "an alternative holds exactly one value")),
    }
}
