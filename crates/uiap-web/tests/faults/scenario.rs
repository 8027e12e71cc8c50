//! The scenarios and what came of them.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use uiap_model::web::PageGraph;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Scenario {
    pub(crate) id: String,
    pub(crate) page: String,
    pub(crate) steps: Vec<Step>,
    pub(crate) outcome: String,
    pub(crate) code: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) effects: Map<String, Value>,
    #[serde(default)]
    pub(crate) side_effect: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Step {
    pub(crate) action: String,
    pub(crate) target: Option<Value>,
    pub(crate) args: Option<Map<String, Value>>,
    pub(crate) expect: Option<Value>,
    pub(crate) between: Option<String>,
    pub(crate) require_revision_advance: Option<bool>,
}

pub(crate) fn read() -> Vec<Scenario> {
    let text = std::fs::read_to_string(crate::site::folder().join("scenarios.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A target of a scenario as a request has it.
pub(crate) fn target(target: &Value, first: &PageGraph) -> Value {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    if let Some(id) = text(target, "stableId") {
        return json!({ "ref": { "by": "stableId", "value": id } });
    }
    if let Some(seen) = target.get("ref") {
        let nth = seen.get("nth").and_then(Value::as_u64).unwrap_or(0);
        return crate::seen(
            first,
            &text(seen, "role").unwrap(),
            &text(seen, "name").unwrap(),
            usize::try_from(nth).unwrap(),
        );
    }
    let mut wanted = json!({ "by": "semantic", "role": target["role"], "name": target["name"] });
    if let Some(scope) = text(target, "scope") {
        let found = first.scopes().find(|(_, each)| {
            each.id == *scope.as_str()
                || each.name.as_deref() == Some(&scope)
                || each.stable_id.as_ref().is_some_and(|id| *id == *scope.as_str())
        });
        wanted["scope"] = json!(found.map_or(scope.clone(), |(_, each)| each.id.to_string()));
    }
    json!({ "ref": wanted })
}

/// What came of a scenario.
#[derive(Debug)]
pub(crate) struct Came {
    pub(crate) status: String,
    pub(crate) code: Option<String>,
    pub(crate) message: String,
    pub(crate) side_effect: String,
    pub(crate) effects: Value,
    pub(crate) took: Duration,
}

const WRONG: [&str; 9] =
    ["wrongItem", "wrongField", "backdrop", "layer", "bar", "header", "other", "deleted", "wrong"];

impl Came {
    pub(crate) fn hung() -> Self {
        Self {
            status: "hung".to_owned(),
            code: None,
            message: String::new(),
            side_effect: String::new(),
            effects: Value::Null,
            took: Duration::from_mins(1),
        }
    }

    /// What is wrong with it.
    pub(crate) fn fault(&self, scenario: &Scenario) -> Option<String> {
        let moved = scenario.effects.iter().find(|(name, wanted)| {
            let found = self.effects.get(name.as_str()).cloned();
            let found = found.unwrap_or_else(|| if wanted.is_number() { json!(0) } else { Value::Null });
            found != **wanted
        });
        if let Some((name, wanted)) = moved {
            let found = self.effects.get(name.as_str());
            let what = format!("{name} is {found:?}, expected {wanted} ({})", self.message);
            if WRONG.contains(&name.as_str()) {
                return Some(format!("WRONG TARGET: {what}"));
            }
            if self.status == "succeeded" {
                return Some(format!("FALSE SUCCESS: {what}"));
            }
            if scenario.outcome == "succeeded" {
                return Some(format!("FALSE FAILURE: {} {what}", self.message));
            }
            return Some(what);
        }
        if self.status != scenario.outcome {
            return Some(if self.status == "succeeded" {
                "FALSE SUCCESS".to_owned()
            } else {
                format!("FALSE FAILURE: {}", self.message)
            });
        }
        if let Some(codes) = &scenario.code
            && !self.code.as_ref().is_some_and(|code| codes.contains(code))
        {
            return Some(format!("code {:?}, expected one of {codes:?}: {}", self.code, self.message));
        }
        if !scenario.side_effect.is_empty() && !scenario.side_effect.contains(&self.side_effect) {
            return Some(format!(
                "side effect {}, expected one of {:?}",
                self.side_effect, scenario.side_effect
            ));
        }
        None
    }
}
