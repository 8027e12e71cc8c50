//! What pages show of people and of doors: e-mail addresses, card numbers, tokens. All of it is taken out before the engine gets to
//! see it, and so before anything is stored. Spec: discovery-mapper, security considerations.

mod discreet;
mod text;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) use self::discreet::Discreet;
pub use self::text::covered;

/// Members that hold names made by machines, by which things are found again.
const IDS: [&str; 13] = [
    "instanceId",
    "parentInstanceId",
    "hostInstanceId",
    "submitTarget",
    "documentId",
    "rootDocumentId",
    "scopeId",
    "parentScopeId",
    "stableId",
    "id",
    "revision",
    "ts",
    "modalStack",
];

/// Something that is not what it was any more once what is private in it is covered. Nobody may keep it.
#[derive(Debug, thiserror::Error)]
#[error("something private could not be covered: {0}")]
pub(crate) struct Uncoverable(String);

/// The value without what is private in it; none when nothing is.
pub(crate) fn without_private<T: Serialize + DeserializeOwned>(
    value: &T,
    told: &mut dyn FnMut(&str, &str),
) -> Result<Option<T>, Uncoverable> {
    let mut tree = serde_json::to_value(value).map_err(|error| Uncoverable(error.to_string()))?;
    if !cover(&mut tree, told) {
        return Ok(None);
    }
    // What is wrong is told by where and how, never by what stands there.
    uiap_model::json::read(&tree).map(Some).map_err(|error| {
        let reason = error.to_string();
        Uncoverable(covered(&reason).unwrap_or(reason))
    })
}

fn cover(value: &mut Value, told: &mut dyn FnMut(&str, &str)) -> bool {
    match value {
        Value::String(text) => match covered(text) {
            Some(shown) => {
                told(&shown, text);
                *text = shown;
                true
            }
            None => false,
        },
        Value::Array(items) => items.iter_mut().fold(false, |any, item| cover(item, told) | any),
        Value::Object(members) => members
            .iter_mut()
            .filter(|(name, _)| !IDS.contains(&name.as_str()))
            .fold(false, |any, (_, member)| cover(member, told) | any),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
