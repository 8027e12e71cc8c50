//! Places that nobody can look into: nothing in them is ever a target, and that is said.

use uiap_model::action::result::RuntimeErrorCode;
use uiap_model::web::graph::{BoundaryAccess, OpaqueReason};
use uiap_model::web::{ElementNode, PageGraph};

use super::search::{ResolveError, Wanted};

/// A place that nobody can look into.
pub(super) fn check_boundaries(graph: &PageGraph, wanted: &Wanted<'_>) -> Result<(), ResolveError> {
    let refuse = |reason: Option<OpaqueReason>, what: String| {
        let code = match reason {
            Some(OpaqueReason::ClosedShadow) => RuntimeErrorCode::ClosedShadowUnavailable,
            _ => RuntimeErrorCode::CrossOriginUnavailable,
        };
        Err(ResolveError::new(code, what))
    };
    if let Some(id) = wanted.document {
        let Some(document) = graph.documents.iter().find(|each| each.document_id == *id) else {
            return Err(ResolveError::new(
                RuntimeErrorCode::TargetNotFound,
                format!("there is no document `{id}`"),
            ));
        };
        if document.access == BoundaryAccess::Opaque {
            return refuse(document.opaque_reason, format!("document `{id}` cannot be looked into"));
        }
    }
    if let Some(id) = wanted.scope
        && let Some((document, scope)) = graph.scopes().find(|(_, each)| each.id == *id)
        && (scope.access == Some(BoundaryAccess::Opaque) || document.access == BoundaryAccess::Opaque)
    {
        return refuse(
            scope.opaque_reason.or(document.opaque_reason),
            format!("scope `{id}` cannot be looked into"),
        );
    }
    Ok(())
}

/// Whether an element is nothing but a window into a place that nobody can look into.
pub(super) fn opaque_host(graph: &PageGraph, element: &ElementNode) -> Option<RuntimeErrorCode> {
    use uiap_model::web::element::ShadowMode;
    if let Some(shadow) = &element.shadow
        && shadow.mode == ShadowMode::Closed
        && shadow.access == BoundaryAccess::Opaque
    {
        return Some(RuntimeErrorCode::ClosedShadowUnavailable);
    }
    let hosted =
        graph.documents.iter().find(|each| each.host_instance_id.as_ref() == Some(&element.instance_id))?;
    (hosted.access == BoundaryAccess::Opaque).then_some(RuntimeErrorCode::CrossOriginUnavailable)
}
