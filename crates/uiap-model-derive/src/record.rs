//! `#[wire]` on a struct: an object with named members.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemStruct;

use crate::decode::{self, Member, Rest};
use crate::field::WireField;
use crate::{Settings, doc_of, patch};

pub(crate) fn expand(mut item: ItemStruct, settings: &Settings) -> syn::Result<TokenStream> {
    let fields = item.fields.iter_mut().map(WireField::take).collect::<syn::Result<Vec<_>>>()?;
    let ident = &item.ident;
    let name = ident.to_string();
    let doc = doc_of(&item.attrs);
    let own = fields.iter().filter(|field| !field.flatten && !field.extensions && !field.unknown);
    let own = own.map(WireField::shape);
    let flattened = fields.iter().filter(|field| field.flatten).map(|field| &field.ty);
    let extensions = fields.iter().any(|field| field.extensions);
    let patch = match &settings.patch {
        Some(patch) => patch::expand(ident, patch, &fields),
        None => TokenStream::new(),
    };
    let decoder = decoder(ident, &fields, settings.base);
    Ok(quote! {
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize)]
        #item

        #decoder

        impl crate::shape::Wire for #ident {
            fn shape() -> crate::shape::Shape {
                const OWN: &[crate::shape::Field] = &[#(#own),*];
                const FLATTENED: &[fn() -> crate::shape::Shape] =
                    &[#(<#flattened as crate::shape::Wire>::shape),*];
                crate::shape::Shape::Record(&crate::shape::Record {
                    name: #name,
                    doc: #doc,
                    own: OWN,
                    flattened: FLATTENED,
                    extensions: #extensions,
                })
            }
        }
        #patch
    })
}

/// Streaming where the type stands alone; from buffered members where others are flattened into it or it into them.
fn decoder(ident: &syn::Ident, fields: &[WireField], base: bool) -> TokenStream {
    let by_members = |alone: bool| {
        let taken = decode::taken(fields);
        decode::buffered(ident, &quote!(Ok(Self { #taken })), alone)
    };
    if fields.iter().any(|field| field.flatten) {
        return by_members(true);
    }
    let listed = fields.iter().filter(|field| !field.extensions && !field.unknown);
    let members: Vec<Member<'_>> = listed.map(Member::of).collect();
    let rest = fields.iter().find(|field| field.extensions || field.unknown);
    let rest = match rest {
        Some(field) if field.extensions => Rest::Extensions(&field.ident),
        Some(field) => Rest::Unknown(&field.ident),
        None => Rest::Skip,
    };
    let streaming = decode::streaming(ident, &members, &rest);
    let members = base.then(|| by_members(false));
    quote!(#streaming #members)
}
