//! What a page signalled, in the words in which success is recognised.

use uiap_model::capability::{SuccessSignal, TargetRef};
use uiap_model::names::ScopeId;
use uiap_model::web::PageGraph;
use uiap_model::web::signal::WebSignalBody;
use uiap_web::guard::Saying;

/// The signal that a contract could wait for; none where there is no such word.
pub(super) fn success(body: &WebSignalBody, graph: &PageGraph) -> Option<SuccessSignal> {
    let scope = |id: &ScopeId| Some(TargetRef::Scope { value: id.clone() });
    Some(match body {
        WebSignalBody::RouteChanged { to, .. } => {
            let path = to.path.clone().or_else(|| graph.route.path.clone())?;
            SuccessSignal::RouteChanged { pattern: None, exact: Some(path) }
        }
        WebSignalBody::ToastShown { text, .. } => SuccessSignal::ToastContains { text: text.clone() },
        WebSignalBody::DialogOpened { scope_id, .. } => {
            SuccessSignal::DialogOpened { target: scope(scope_id) }
        }
        WebSignalBody::DialogClosed { scope_id, .. } => {
            SuccessSignal::DialogClosed { target: scope(scope_id) }
        }
        WebSignalBody::EntityCreated { entity_type, .. } => {
            SuccessSignal::EntityCreated { entity_type: entity_type.clone(), id_path: None }
        }
        WebSignalBody::EntityUpdated { entity_type, .. } => {
            SuccessSignal::EntityUpdated { entity_type: entity_type.clone(), id_path: None }
        }
        WebSignalBody::EntityDeleted { entity_type, .. } => {
            SuccessSignal::EntityDeleted { entity_type: entity_type.clone(), id_path: None }
        }
        WebSignalBody::ValidationChanged { scope_id, issues } if issues.is_empty() => {
            SuccessSignal::ValidationNone { scope: scope_id.clone() }
        }
        _ => return None,
    })
}

/// What a page said in passing, as a contract could wait for it.
pub(super) fn said((text, saying): (String, Saying)) -> SuccessSignal {
    match saying {
        Saying::Toast => SuccessSignal::ToastContains { text: text.into() },
        Saying::Status => SuccessSignal::StatusContains { text: text.into() },
    }
}

/// Whether something was said that will be said again: a clock goes on whatever is done.
pub(super) fn is_lasting(text: &str) -> bool {
    uiap_discovery::fingerprint::without_moment(text).as_deref() != Some("")
}

/// Each once, in an order that does not depend on when they came.
pub(super) fn distinct(mut signals: Vec<SuccessSignal>) -> Vec<SuccessSignal> {
    let key = |signal: &SuccessSignal| serde_json::to_string(signal).unwrap_or_default();
    signals.sort_by_key(key);
    signals.dedup();
    signals
}
