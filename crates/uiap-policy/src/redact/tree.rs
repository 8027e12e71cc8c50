//! Arguments, return values and other free JSON.

use serde_json::{Map, Value};
use uiap_model::json::JsonObject;
use uiap_model::policy::{DataClass, RedactionMode};

use super::plan::Plan;
use super::{REDACTED, Redactor};
use crate::situation::Situation;

/// Nothing in a message lies deeper.
const DEEPEST: usize = 128;

/// Members whose name says that their value is a credential.
const CREDENTIALS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "clientsecret",
    "token",
    "accesstoken",
    "refreshtoken",
    "idtoken",
    "apikey",
    "authorization",
    "cookie",
    "setcookie",
    "otp",
    "onetimecode",
    "pin",
    "cvc",
    "cvv",
    "privatekey",
    "sessionid",
    "signature",
    "sig",
];

/// Whether a member or parameter of that name holds a credential.
pub(super) fn names_credential(name: &str) -> bool {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|each| each.to_ascii_lowercase()).collect();
    CREDENTIALS.contains(&plain.as_str())
}

impl Redactor {
    /// Arguments or a return value as they may be shown: by the classes of the target, member by member.
    pub fn object(
        &self,
        object: &JsonObject,
        situation: &Situation<'_>,
        classes: &[DataClass],
    ) -> JsonObject {
        let plan = self.plan(situation, classes);
        JsonObject(self.members(&object.0, &plan, "", 0))
    }

    /// Remembers what arguments hold that must not appear elsewhere, such as a password that is going to be typed.
    pub fn learn_object(&mut self, object: &JsonObject, situation: &Situation<'_>, classes: &[DataClass]) {
        let mut hidden = Vec::new();
        let plan = self.plan(situation, classes);
        for (name, value) in &object.0 {
            collect(name, value, plan.hides(name) || names_credential(name), &mut hidden, 0);
        }
        for value in hidden {
            self.learn(&value);
        }
    }

    fn members(
        &self,
        members: &Map<String, Value>,
        plan: &Plan<'_>,
        path: &str,
        depth: usize,
    ) -> Map<String, Value> {
        let mut shown = Map::new();
        for (name, value) in members {
            let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            if names_credential(name) {
                continue;
            }
            if let Some(value) = self.value(value, plan, &path, depth + 1) {
                shown.insert(self.text(name), value);
            }
        }
        shown
    }

    fn value(&self, value: &Value, plan: &Plan<'_>, path: &str, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        let how = plan.member(path);
        match value {
            Value::Object(members) => Some(Value::Object(self.members(members, plan, path, depth))),
            Value::Array(items) => {
                Some(items.iter().filter_map(|item| self.value(item, plan, path, depth + 1)).collect())
            }
            Value::String(text) => plan.show(how, text).map(|text| Value::String(text.into())),
            Value::Null => Some(Value::Null),
            Value::Number(_) if how.0 == RedactionMode::None => {
                let known = self.secrets().occurs_in(&value.to_string());
                Some(if known { Value::from(REDACTED) } else { value.clone() })
            }
            Value::Bool(_) if how.0 == RedactionMode::None => Some(value.clone()),
            Value::Number(_) | Value::Bool(_) => {
                plan.show(how, &value.to_string()).map(|text| Value::String(text.into()))
            }
        }
    }

    /// JSON that nobody classified: known values and credentials by name are taken out.
    pub(super) fn free(&self, object: &JsonObject) -> JsonObject {
        self.object(object, &Situation::default(), &[])
    }
}

fn collect(name: &str, value: &Value, hidden: bool, found: &mut Vec<String>, depth: usize) {
    if depth > DEEPEST {
        return;
    }
    let hidden = hidden || names_credential(name);
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                collect(name, value, hidden, found, depth + 1);
            }
        }
        Value::Array(items) => {
            for item in items {
                collect(name, item, hidden, found, depth + 1);
            }
        }
        Value::String(text) if hidden => found.push(text.clone()),
        Value::Number(number) if hidden => found.push(number.to_string()),
        _ => {}
    }
}
