//! Which entity a signal speaks of.

use uiap_model::capability::SuccessSignal;
use uiap_model::json::JsonObject;
use uiap_model::web::signal::{WebSignal, WebSignalBody};

/// An entity that is to be known by an id counts where that id is told: in the signal's data, or in what the app's function
/// returned. Spec: web profile, 3 (observation of success signals).
pub(super) fn is_identified(
    wanted: &SuccessSignal,
    signals: &[WebSignal],
    returned: Option<&JsonObject>,
) -> bool {
    let (SuccessSignal::EntityCreated { entity_type, id_path: Some(path) }
    | SuccessSignal::EntityUpdated { entity_type, id_path: Some(path) }
    | SuccessSignal::EntityDeleted { entity_type, id_path: Some(path) }) = wanted
    else {
        return true;
    };
    let by_signal =
        signals.iter().filter(|told| told.body.tag() == wanted.tag()).any(|told| match &told.body {
            WebSignalBody::EntityCreated { entity_type: found, data, .. }
            | WebSignalBody::EntityUpdated { entity_type: found, data, .. }
            | WebSignalBody::EntityDeleted { entity_type: found, data, .. } => {
                found == entity_type && data.as_ref().is_some_and(|data| holds_id(data, path))
            }
            _ => false,
        });
    by_signal || returned.is_some_and(|returned| holds_id(returned, path))
}

/// A JSON Pointer, or names with dots between them; `data` may stand in front.
fn holds_id(object: &JsonObject, path: &str) -> bool {
    let pointer =
        if path.starts_with('/') { path.to_owned() } else { format!("/{}", path.replace('.', "/")) };
    let bare = pointer.strip_prefix("/data").filter(|rest| rest.starts_with('/'));
    let root = serde_json::Value::Object(object.0.clone());
    let found = root.pointer(&pointer).or_else(|| root.pointer(bare?));
    found.is_some_and(|id| !id.is_null())
}
