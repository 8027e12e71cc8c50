//! Tools that a page registered for models (WebMCP) as actions of the app. What a page says of them is data of the page: hints lower
//! no guard but the one that every tool without hints has.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use uiap_model::capability::{
    ActionArgDescriptor, ActionDescriptor, ActionKind, ArgType, ExecutionMode, Idempotency,
    PrimitiveActionType, RiskDescriptor, RiskLevel, TargetKind,
};
use uiap_model::json::JsonObject;
use uiap_model::names::ActionId;
use uiap_runtime::surface::{DispatchError, DispatchErrorKind, Done};

use super::app::{answer_of, evaluate, run};
use crate::error::PageError;
use crate::page::Page;

const FUNCTION: &str = include_str!("../../page/functions/tools.js");
/// Tools that one page may offer.
const MOST: usize = 200;
/// Longest name of a tool.
const NAME: usize = 128;
/// Longest text that is passed on.
const TEXT: usize = 1_000;
/// How long a page may take to list them.
const PATIENCE: Duration = Duration::from_secs(1);

/// A tool as the page tells it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tool {
    name: String,
    title: Option<String>,
    description: Option<String>,
    input_schema: Option<Value>,
    annotations: Option<Hints>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hints {
    #[serde(default)]
    read_only_hint: bool,
    #[serde(default)]
    consequential_hint: bool,
}

/// The tools of a page. One that does not answer offers none.
pub(super) async fn tools(page: &Page) -> Result<Vec<ActionDescriptor>, PageError> {
    let expression = format!("({FUNCTION})({})", json!({ "most": MOST }));
    let Ok(evaluation) = tokio::time::timeout(PATIENCE, evaluate(page, &expression)).await else {
        tracing::debug!("the page does not tell its tools");
        return Ok(Vec::new());
    };
    let listed: Vec<Value> = match answer_of(&evaluation?) {
        Ok(listed) => serde_json::from_value(listed).unwrap_or_default(),
        Err(error) => {
            tracing::debug!(%error, "the page does not tell its tools");
            return Ok(Vec::new());
        }
    };
    let tools = listed.into_iter().filter_map(|value| serde_json::from_value::<Tool>(value).ok());
    Ok(tools.filter_map(describe).collect())
}

fn describe(tool: Tool) -> Option<ActionDescriptor> {
    let is_ours = PrimitiveActionType::parse(&tool.name).is_some()
        || ["ui.", "nav.", "app.invoke"].iter().any(|own| tool.name.starts_with(own));
    if is_ours || tool.name.len() > NAME {
        tracing::debug!(name = tool.name, "a tool has a name that no tool may have");
        return None;
    }
    let hints = tool.annotations.unwrap_or_default();
    let harmless = hints.read_only_hint && !hints.consequential_hint;
    let cut = |text: String| text.chars().take(TEXT).collect::<String>().into();
    let schema = tool.input_schema.unwrap_or_default();
    Some(ActionDescriptor {
        id: ActionId::parse(&tool.name)?,
        kind: ActionKind::Domain,
        title: tool.title.filter(|title| !title.is_empty()).map(cut),
        description: tool.description.map(cut),
        target_kinds: vec![TargetKind::None],
        required_affordances: None,
        execution_modes: vec![ExecutionMode::AppAction],
        args: Some(arguments(&schema)),
        idempotency: Some(if harmless { Idempotency::Idempotent } else { Idempotency::NonIdempotent }),
        risk: RiskDescriptor {
            level: if harmless { RiskLevel::Safe } else { RiskLevel::Confirm },
            tags: None,
            reason: (!harmless).then(|| "the page does not say that the tool only reads".into()),
        },
        success: None,
        metadata: json!({ "webmcp": { "inputSchema": schema } }).as_object().cloned().map(JsonObject),
    })
}

/// The members of an input; what a member may be in detail the tool itself checks.
fn arguments(schema: &Value) -> Vec<ActionArgDescriptor> {
    let none = Map::new();
    let members = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let described = members.iter().map(|(name, member)| {
        let values: Option<Vec<_>> = member
            .get("enum")
            .and_then(Value::as_array)
            .and_then(|values| values.iter().map(|value| value.as_str().map(Into::into)).collect());
        ActionArgDescriptor {
            name: name.as_str().into(),
            arg_type: if values.is_some() { ArgType::Enum } else { kind(member) },
            required: Some(required.contains(&name.as_str())),
            values,
            description: member
                .get("description")
                .and_then(Value::as_str)
                .map(|text| text.chars().take(TEXT).collect::<String>().into()),
        }
    });
    described.collect()
}

/// A member of several types is taken as the first that is no `null`; one without any as text.
fn kind(member: &Value) -> ArgType {
    let first = match member.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        kind => kind.and_then(Value::as_str),
    };
    match first {
        Some("number" | "integer") => ArgType::Number,
        Some("boolean") => ArgType::Boolean,
        Some("object") => ArgType::Object,
        Some("array") => ArgType::Array,
        _ => ArgType::String,
    }
}

/// Calls a tool. What it answers is what it says, and no proof of anything.
pub(super) async fn call(
    page: &Page,
    action_id: &ActionId,
    args: &JsonObject,
) -> Result<Done, DispatchError> {
    let expression = format!("({FUNCTION})({})", json!({ "call": action_id, "input": args.0 }));
    let told = run(page, &expression).await?;
    if told == "absent" {
        let reason = format!("the app offers no function `{action_id}`");
        return Err(DispatchError::unsent(DispatchErrorKind::Unsuitable, reason));
    }
    let answer = answered(&told);
    if answer.get("isError") == Some(&Value::Bool(true)) {
        let words =
            answer.pointer("/content/0/text").and_then(Value::as_str).unwrap_or("it does not say why");
        let words: String = words.chars().take(200).collect();
        let reason = format!("the app's tool failed: {words}");
        return Err(DispatchError::uncertain(DispatchErrorKind::AppFailed, reason));
    }
    let value = if answer.is_object() { answer } else { json!({ "result": answer }) };
    Ok(Done { value: Some(value), ..Done::default() })
}

/// A browser hands an answer on as JSON in text.
fn answered(told: &Value) -> Value {
    match told.get("text").and_then(Value::as_str) {
        Some(text) => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
        None => told.get("value").cloned().unwrap_or_default(),
    }
}
