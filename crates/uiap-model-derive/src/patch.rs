//! `#[wire(patch = Name)]`: the record whose members may each be set or, where optional, removed by `null`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use crate::decode::{self, Member, Rest};
use crate::field::{WireField, type_argument};

pub(crate) fn expand(target: &Ident, patch: &Ident, fields: &[WireField]) -> TokenStream {
    let plain: Vec<_> =
        fields.iter().filter(|field| !field.extensions && !field.flatten && !field.identity).collect();
    let members = plain.iter().map(|field| {
        let WireField { ident, name, .. } = field;
        let change = change_type(field);
        let doc = format!("Change of `{name}`.");
        quote! {
            #[doc = #doc]
            #[serde(rename = #name, skip_serializing_if = "Option::is_none")]
            pub #ident: Option<#change>
        }
    });
    let shapes = plain.iter().map(|field| {
        let name = &field.name;
        let doc = &field.doc;
        let change = change_type(field);
        quote! {
            crate::shape::Field {
                name: #name, doc: #doc, required: false, min: 0,
                shape: <#change as crate::shape::Wire>::shape,
            }
        }
    });
    let apply = plain.iter().map(|field| {
        let ident = &field.ident;
        match (field.merge, field.optional.is_some()) {
            (true, _) => quote!(if let Some(change) = self.#ident { change.apply(&mut target.#ident); }),
            (false, true) => {
                quote!(if let Some(change) = self.#ident { target.#ident = change.into_option(); })
            }
            (false, false) => quote!(if let Some(value) = self.#ident { target.#ident = value; }),
        }
    });
    let between = plain.iter().map(|field| {
        let ident = &field.ident;
        match (field.merge, field.optional.is_some()) {
            (true, _) => {
                let patch = merge_type(field);
                quote!(#ident: #patch::between(&old.#ident, &new.#ident))
            }
            (false, true) => quote!(#ident: crate::json::Change::between(&old.#ident, &new.#ident)),
            (false, false) => {
                quote!(#ident: (old.#ident != new.#ident).then(|| new.#ident.clone()))
            }
        }
    });
    let extension = fields.iter().find(|field| field.extensions).map(|field| &field.ident);
    let (ext_member, ext_apply, ext_between, ext_flag) = match extension {
        Some(ident) => (
            quote! {
                /// Changes of members under `x.`.
                #[serde(flatten)]
                pub #ident: crate::json::ExtensionChanges,
            },
            quote!(self.#ident.apply(&mut target.#ident);),
            quote!(#ident: crate::json::ExtensionChanges::between(&old.#ident, &new.#ident),),
            true,
        ),
        None => (TokenStream::new(), TokenStream::new(), TokenStream::new(), false),
    };
    let changes: Vec<Member<'_>> = plain
        .iter()
        .map(|field| Member {
            ident: &field.ident,
            name: &field.name,
            ty: change_type(field),
            optional: true,
            filled: false,
        })
        .collect();
    let decoder = decode::streaming(patch, &changes, &extension.map_or(Rest::Skip, Rest::Extensions));
    let name = patch.to_string();
    let doc = format!("Changes to a `{target}`: members left out stay, `null` removes an optional one.");
    quote! {
        #[doc = #doc]
        #[derive(Clone, Debug, Default, PartialEq, ::serde::Serialize)]
        pub struct #patch { #(#members,)* #ext_member }

        #decoder

        impl #patch {
            /// Writes the changes into `target`.
            pub fn apply(self, target: &mut #target) { #(#apply)* #ext_apply }

            /// What turns `old` into `new`; `None` when they are equal.
            pub fn between(old: &#target, new: &#target) -> Option<Self> {
                let patch = Self { #(#between,)* #ext_between };
                (patch != Self::default()).then_some(patch)
            }
        }

        impl crate::shape::Wire for #patch {
            fn shape() -> crate::shape::Shape {
                crate::shape::Shape::Record(&crate::shape::Record {
                    name: #name,
                    doc: #doc,
                    own: &[#(#shapes),*],
                    flattened: &[],
                    extensions: #ext_flag,
                })
            }
        }
    }
}

/// What a patch carries for the field.
fn change_type(field: &WireField) -> TokenStream {
    if field.merge {
        return merge_type(field);
    }
    if let Some(inner) = &field.optional {
        return quote!(crate::json::Change<#inner>);
    }
    let ty = &field.ty;
    quote!(#ty)
}

/// A merged field of type `T` or `Shared<T>` is patched by `TPatch`.
fn merge_type(field: &WireField) -> TokenStream {
    let inner = type_argument(&field.ty, "Shared");
    let syn::Type::Path(path) = inner.as_ref().unwrap_or(&field.ty) else { return TokenStream::new() };
    let mut path = path.clone();
    if let Some(last) = path.path.segments.last_mut() {
        last.ident = Ident::new(&format!("{}Patch", last.ident), last.ident.span());
    }
    quote!(#path)
}
