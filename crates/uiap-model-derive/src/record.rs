//! `#[wire]` on a struct: an object with named members.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemStruct;

use crate::field::WireField;
use crate::{Settings, doc_of, patch};

pub(crate) fn expand(mut item: ItemStruct, settings: &Settings) -> syn::Result<TokenStream> {
    let fields = item.fields.iter_mut().map(WireField::take).collect::<syn::Result<Vec<_>>>()?;
    let ident = &item.ident;
    let name = ident.to_string();
    let doc = doc_of(&item.attrs);
    let own = fields.iter().filter(|field| !field.flatten && !field.extensions).map(WireField::shape);
    let flattened = fields.iter().filter(|field| field.flatten).map(|field| &field.ty);
    let extensions = fields.iter().any(|field| field.extensions);
    let patch = match &settings.patch {
        Some(patch) => patch::expand(ident, patch, &fields),
        None => TokenStream::new(),
    };
    Ok(quote! {
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #item

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
