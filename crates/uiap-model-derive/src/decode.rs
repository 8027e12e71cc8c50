//! Decoding: objects only, every member once, `null` never for "absent".
//!
//! serde's own derive takes an array for a struct (`[]` for one whose members are all optional) and for a tagged
//! union; the protocol does not, so the decoders are written here.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Ident, Type};

use crate::field::WireField;

/// One member to decode.
pub(crate) struct Member<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) name: &'a str,
    /// The type without `Option`.
    pub(crate) ty: TokenStream,
    pub(crate) optional: bool,
    pub(crate) filled: bool,
}

/// What becomes of members that are not listed.
pub(crate) enum Rest<'a> {
    /// They are skipped.
    Skip,
    /// Those under `x.` are kept, all others refused.
    Extensions(&'a Ident),
    /// They are kept.
    Unknown(&'a Ident),
}

impl<'a> Member<'a> {
    pub(crate) fn of(field: &'a WireField) -> Self {
        let inner: &Type = field.optional.as_ref().unwrap_or(&field.ty);
        Self {
            ident: &field.ident,
            name: &field.name,
            ty: quote!(#inner),
            optional: field.optional.is_some(),
            filled: field.min.is_some(),
        }
    }
}

/// `impl Deserialize` that reads members as they come.
pub(crate) fn streaming(target: &Ident, members: &[Member<'_>], rest: &Rest<'_>) -> TokenStream {
    let names: Vec<&str> = members.iter().map(|member| member.name).collect();
    let slots: Vec<Ident> = (0..members.len()).map(|at| format_ident!("slot{at}")).collect();
    let indices: Vec<usize> = (0..members.len()).collect();
    let types: Vec<&TokenStream> = members.iter().map(|member| &member.ty).collect();
    let fields = members.iter().zip(&slots).map(|(member, slot)| {
        let Member { ident, name, optional, filled, .. } = member;
        match (optional, filled) {
            (true, _) => quote!(#ident: #slot),
            (false, false) => quote!(#ident: crate::json::required(#slot, #name)?),
            (false, true) => quote!(#ident: crate::json::filled(crate::json::required(#slot, #name)?)?),
        }
    });
    let (keep, rest_start, rest_arm, rest_field) = match rest {
        Rest::Skip => (false, quote!(), quote!(access.next_value::<::serde::de::IgnoredAny>()?;), quote!()),
        Rest::Extensions(ident) => (
            true,
            quote!(let mut rest = ::std::collections::BTreeMap::new();),
            quote!(crate::json::keep_extension(&mut rest, key, &mut access)?;),
            quote!(#ident: crate::json::Rest::from_rest(rest),),
        ),
        Rest::Unknown(ident) => (
            true,
            quote!(let mut rest = ::serde_json::Map::new();),
            quote!(crate::json::keep_unknown(&mut rest, key, &mut access)?;),
            quote!(#ident: crate::json::JsonObject(rest),),
        ),
    };
    quote! {
        impl<'de> ::serde::Deserialize<'de> for #target {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                fn place(name: &str) -> Option<usize> {
                    match name { #(#names => Some(#indices),)* _ => None }
                }
                struct Members;
                impl<'de> ::serde::de::Visitor<'de> for Members {
                    type Value = #target;
                    fn expecting(&self, out: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                        out.write_str("an object")
                    }
                    fn visit_map<A: ::serde::de::MapAccess<'de>>(self, mut access: A) -> Result<#target, A::Error> {
                        #(let mut #slots: Option<#types> = None;)*
                        #rest_start
                        while let Some(key) = access.next_key_seed(crate::json::KeySeed { place, keep: #keep })? {
                            match key.place() {
                                #(Some(#indices) => {
                                    if #slots.is_some() {
                                        return Err(::serde::de::Error::duplicate_field(#names));
                                    }
                                    #slots = Some(access.next_value()?);
                                })*
                                _ => { #rest_arm }
                            }
                        }
                        Ok(#target { #(#fields,)* #rest_field })
                    }
                }
                deserializer.deserialize_map(Members)
            }
        }
    }
}

/// The fields of a struct or variant, taken out of members that were read before.
pub(crate) fn taken(fields: &[WireField]) -> TokenStream {
    let fields = fields.iter().map(|field| {
        let WireField { ident, name, ty, .. } = field;
        if field.flatten {
            return quote!(#ident: <#ty as crate::json::FromMembers>::from_members(members)?);
        }
        match (&field.optional, field.min) {
            (Some(inner), _) => quote!(#ident: members.optional::<#inner, E>(#name)?),
            (None, None) => quote!(#ident: members.required::<#ty, E>(#name)?),
            (None, Some(_)) => quote!(#ident: crate::json::filled(members.required::<#ty, E>(#name)?)?),
        }
    });
    quote!(#(#fields),*)
}

/// `impl FromMembers` by `body`, and `impl Deserialize` on top of it where the type stands alone.
pub(crate) fn buffered(target: &Ident, body: &TokenStream, alone: bool) -> TokenStream {
    let deserialize = alone.then(|| {
        quote! {
            impl<'de> ::serde::Deserialize<'de> for #target {
                fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    let mut members = crate::json::Members::read(deserializer)?;
                    <Self as crate::json::FromMembers>::from_members(&mut members)
                }
            }
        }
    });
    quote! {
        impl crate::json::FromMembers for #target {
            fn from_members<E: ::serde::de::Error>(members: &mut crate::json::Members) -> Result<Self, E> {
                #body
            }
        }
        #deserialize
    }
}
