//! Capability documents become one. Spec: authoring §7.1.

use serde_json::{Map, Value};
use uiap_model::authoring::AuthoringKind;
use uiap_model::capability::CapabilityDocument;

use super::Session;
use super::finding::{AlsoAt, at_value, problem_at};
use super::manifest::ManifestSet;
use crate::diagnostic::codes;
use crate::tree::At;

/// The merged document and the first place it came from.
pub(crate) fn merge<'t>(session: &mut Session<'_, '_>, set: &'t ManifestSet<'_>) -> Option<(Value, At<'t>)> {
    let mut merged: Option<(Value, At<'t>)> = None;
    for manifest in set.of_kind(AuthoringKind::Capabilities) {
        let Some(document) = manifest.at().descend(&["spec", "document"]) else { continue };
        match &mut merged {
            None => merged = Some((document.to_value(), document)),
            Some((value, first)) => {
                let mut conflicts = Vec::new();
                join(value, &document.to_value(), &mut String::new(), &mut conflicts);
                for pointer in conflicts {
                    session.diagnostics.push(
                        at_value(
                            codes::CAPABILITY_CONFLICT,
                            document.locate(&pointer).0,
                            format!("two capability documents disagree on `{pointer}`"),
                        )
                        .also(first.locate(&pointer).0, "the other value"),
                    );
                }
            }
        }
    }
    let (value, at) = merged?;
    if let Ok(document) = uiap_model::json::read::<CapabilityDocument>(&value) {
        for problem in uiap_model::capability::check::check(&document) {
            session.diagnostics.push(problem_at(&problem, at));
        }
    }
    Some((value, at))
}

/// Objects are merged deeply, lists by identity, and single values must be equal.
fn join(into: &mut Value, from: &Value, pointer: &mut String, conflicts: &mut Vec<String>) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                let length = pointer.len();
                crate::source::push_token(pointer, key);
                match into.get_mut(key) {
                    Some(slot) => join(slot, value, pointer, conflicts),
                    None => drop(into.insert(key.clone(), value.clone())),
                }
                pointer.truncate(length);
            }
        }
        (Value::Array(into), Value::Array(from)) => {
            for (index, item) in from.iter().enumerate() {
                let twin = into.iter_mut().find(|old| same_identity(old, item));
                match twin {
                    Some(Value::Object(old)) => {
                        join_item(old, item, &format!("{pointer}/{index}"), conflicts);
                    }
                    Some(_) => {}
                    None => into.push(item.clone()),
                }
            }
        }
        (into, from) if *into != *from => conflicts.push(pointer.clone()),
        _ => {}
    }
}

fn join_item(old: &mut Map<String, Value>, item: &Value, pointer: &str, conflicts: &mut Vec<String>) {
    if Value::Object(old.clone()) != *item {
        conflicts.push(pointer.to_owned());
    }
}

fn same_identity(a: &Value, b: &Value) -> bool {
    match (a.get("id"), b.get("id")) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}
