//! Places that cannot be looked into.

use uiap_model::discovery::review::{ReviewItemKind, ReviewSeverity};

use super::{Draft, Material};
use crate::derive::evidence::Book;

pub(super) fn look(material: &Material<'_>, book: &mut Book, drafts: &mut Vec<Draft>) {
    let context = material.context;
    for ((kind, tag), region) in &context.survey.opaque {
        let route = context.routes.ids(&region.places).into_iter().next();
        let named = if region.name.is_empty() { String::new() } else { format!(" `{}`", region.name) };
        let draft = match *kind {
            "frame" => {
                let origin = region.origin.as_deref().unwrap_or("another origin");
                let text = format!(
                    "The frame{named} shows {origin} and cannot be looked into: what is inside is not part of this map."
                );
                Draft::new(ReviewItemKind::OpaqueFrame, ReviewSeverity::Medium, tag.clone(), text).mend(
                    "Grant a bridge for that origin, or let the app publish bindings for what is inside.",
                )
            }
            "shadow" => {
                let text = format!(
                    "The component{named} keeps its inside closed: what is inside is not part of this map."
                );
                Draft::new(ReviewItemKind::ClosedShadow, ReviewSeverity::Medium, tag.clone(), text)
                    .mend("Open the shadow root, or publish bindings or an adapter for the component.")
            }
            _ => {
                let text = format!(
                    "The drawing{named} is made of pixels only: what it shows is known by sight at best."
                );
                Draft::new(ReviewItemKind::InferredOnly, ReviewSeverity::Low, tag.clone(), text)
                    .mend("Register what the drawing means, or give it a text alternative.")
            }
        };
        drafts.push(draft.at(route, region.scope.clone()).by(book.all(&region.seen)));
    }
}
