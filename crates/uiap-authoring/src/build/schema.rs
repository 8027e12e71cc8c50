//! What the form of a manifest says about a path: needed when a patch names something that is not there yet.

use uiap_model::authoring::AuthoringKind;
use uiap_model::shape::{Field, Shape};

/// The form at a path of a manifest of this kind, as far as it is known.
pub(crate) fn shape_at(kind: AuthoringKind, tokens: &[String]) -> Option<Shape> {
    let document = uiap_model::document::kind(kind.as_str())?;
    tokens.iter().try_fold((document.shape)(), |shape, token| member(shape, token))
}

/// Whether the form at a path is a list.
pub(crate) fn is_list(kind: AuthoringKind, tokens: &[String]) -> bool {
    matches!(shape_at(kind, tokens), Some(Shape::List(_)))
}

fn member(shape: Shape, token: &str) -> Option<Shape> {
    match shape {
        Shape::Record(record) => {
            let (fields, union) = record.members();
            let variants = union.into_iter().flat_map(|tagged| tagged.variants);
            let more = variants.flat_map(|variant| variant.fields);
            find(fields.into_iter().chain(more), token)
        }
        Shape::Tagged(tagged) => find(tagged.variants.iter().flat_map(|variant| variant.fields), token),
        Shape::List(item) => super::super::tree::array_index(token).map(|_| item()),
        Shape::Map { value, .. } => Some(value()),
        Shape::Nullable(inner) => member(inner(), token),
        Shape::OneOf(one_of) => one_of.of.iter().find_map(|shape| member(shape(), token)),
        Shape::Any | Shape::Object => Some(Shape::Any),
        _ => None,
    }
}

fn find(mut fields: impl Iterator<Item = &'static Field>, name: &str) -> Option<Shape> {
    fields.find(|field| field.name == name).map(|field| (field.shape)())
}

/// The member that tells the items of a list apart, by the list's own name.
pub(crate) fn identity_of(list: &str) -> &'static [&'static str] {
    match list {
        "workflows" => &["definition", "id"],
        "channels" | "parameters" | "args" => &["name"],
        _ => &["id"],
    }
}
