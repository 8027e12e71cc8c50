//! One field of a record: its wire name, its rules, its serde attributes.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Field, GenericArgument, PathArguments, Type};

use crate::{camel, doc_of};

/// What is known about a field after its `#[wire(…)]` words were read.
pub(crate) struct WireField {
    pub(crate) ident: syn::Ident,
    pub(crate) ty: Type,
    pub(crate) name: String,
    pub(crate) doc: String,
    /// `Option<T>`: may be absent.
    pub(crate) optional: Option<Type>,
    pub(crate) flatten: bool,
    pub(crate) extensions: bool,
    pub(crate) merge: bool,
    /// Never patched.
    pub(crate) identity: bool,
    /// Holds the members that nobody knows.
    pub(crate) unknown: bool,
    pub(crate) min: Option<usize>,
}

impl WireField {
    /// Reads the field and removes its `#[wire(…)]` words.
    pub(crate) fn take(field: &mut Field) -> syn::Result<Self> {
        let ident =
            field.ident.clone().ok_or_else(|| syn::Error::new_spanned(&field.ty, "fields need names"))?;
        let plain = ident.to_string();
        let mut out = Self {
            name: camel(plain.trim_start_matches("r#")),
            doc: doc_of(&field.attrs),
            optional: type_argument(&field.ty, "Option"),
            ty: field.ty.clone(),
            ident,
            flatten: false,
            extensions: false,
            merge: false,
            identity: false,
            unknown: false,
            min: None,
        };
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("wire")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("name") {
                    out.name = meta.value()?.parse::<syn::LitStr>()?.value();
                } else if meta.path.is_ident("flatten") {
                    out.flatten = true;
                } else if meta.path.is_ident("extensions") {
                    out.extensions = true;
                } else if meta.path.is_ident("merge") {
                    out.merge = true;
                } else if meta.path.is_ident("unknown") {
                    out.unknown = true;
                } else if meta.path.is_ident("identity") {
                    out.identity = true;
                } else if meta.path.is_ident("min") {
                    out.min = Some(meta.value()?.parse::<syn::LitInt>()?.base10_parse()?);
                } else {
                    return Err(meta.error("unknown word in #[wire(…)] of a field"));
                }
                Ok(())
            })?;
        }
        if out.min.is_some_and(|min| min != 1) || (out.min.is_some() && out.optional.is_some()) {
            return Err(syn::Error::new_spanned(&out.ty, "`min` is 1 and goes on a required list"));
        }
        field.attrs.retain(|attribute| !attribute.path().is_ident("wire"));
        field.attrs.push(out.serde());
        Ok(out)
    }

    fn serde(&self) -> syn::Attribute {
        let name = &self.name;
        if self.flatten || self.extensions || self.unknown {
            return syn::parse_quote!(#[serde(flatten)]);
        }
        match self.optional {
            Some(_) => syn::parse_quote!(#[serde(rename = #name, skip_serializing_if = "Option::is_none")]),
            None => syn::parse_quote!(#[serde(rename = #name)]),
        }
    }

    /// The field as data, for `Record::fields`.
    pub(crate) fn shape(&self) -> TokenStream {
        let Self { name, doc, ty, .. } = self;
        let required = self.optional.is_none();
        let inner = self.optional.as_ref().unwrap_or(ty);
        let min = self.min.unwrap_or(0);
        quote! {
            crate::shape::Field {
                name: #name,
                doc: #doc,
                required: #required,
                min: #min,
                shape: <#inner as crate::shape::Wire>::shape,
            }
        }
    }
}

/// `T` of `Option<T>` or another `holder` of one type.
pub(crate) fn type_argument(ty: &Type, holder: &str) -> Option<Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if last.ident != holder {
        return None;
    }
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(inner) => Some(inner.clone()),
        _ => None,
    }
}
