//! Whether a run is gone on with as it was begun. What waits in its store was judged under the settings of its beginning: under
//! stricter ones it might not be allowed.

use serde_json::Value;
use uiap_model::discovery::DiscoveryEnvironment;

use super::RunError;
use crate::store::StoreError;

/// What may change between two parts of one run: how far it goes, and how somebody becomes who he is.
const FREE: [&str; 2] = ["budgets", "authMode"];

/// Compares what a run was begun with and what is asked for now.
pub(super) fn compare(prepared: &Value, environment: &DiscoveryEnvironment) -> Result<(), RunError> {
    let now = serde_json::to_value(environment).map_err(StoreError::from)?;
    let (before, now) = (bound(prepared.get("environment").unwrap_or(&Value::Null)), bound(&now));
    match difference(&before, &now, "") {
        None => Ok(()),
        Some((setting, before, now)) => Err(RunError::OtherSettings { setting, before, now }),
    }
}

/// Without what may change.
fn bound(environment: &Value) -> Value {
    let mut environment = environment.clone();
    if let Some(members) = environment.as_object_mut() {
        for free in FREE {
            members.shift_remove(free);
        }
    }
    environment
}

/// The first setting that differs, what it was and what it is.
fn difference(before: &Value, now: &Value, at: &str) -> Option<(String, String, String)> {
    if before == now {
        return None;
    }
    let (Value::Object(old), Value::Object(new)) = (before, now) else {
        return Some((at.to_owned(), before.to_string(), now.to_string()));
    };
    old.keys().chain(new.keys()).find_map(|name| {
        let at = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
        let value = |members: &serde_json::Map<String, Value>| members.get(name).cloned().unwrap_or_default();
        difference(&value(old), &value(new), &at)
    })
}
