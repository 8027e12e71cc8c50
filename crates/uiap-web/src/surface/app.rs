//! The functions that an app offers by itself: `window.__uiapRegistry = { version, actions, routes, invoke }`, and the tools that it
//! registered for models.

use serde_json::{Value, json};
use uiap_cdp::protocol::runtime::{Evaluate, Evaluation};
use uiap_model::action::SideEffectState;
use uiap_model::capability::ActionDescriptor;
use uiap_model::json::JsonObject;
use uiap_model::names::ActionId;
use uiap_runtime::surface::{DispatchError, DispatchErrorKind, Done};

use super::send::page_error;
use super::webmcp;
use crate::error::PageError;
use crate::page::Page;

/// Actions that one page may offer.
const MOST: usize = 1_000;
const LIST: &str = "JSON.stringify({ actions: globalThis.__uiapRegistry?.actions, routes: globalThis.__uiapRegistry?.routes })";

/// What an app registers.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    /// What it says it can do, the tools for models among it.
    pub actions: Vec<ActionDescriptor>,
    /// What it says wrongly of its actions, in words.
    pub faults: Vec<String>,
    /// The places that it says it has: id and pattern.
    pub routes: Vec<(String, String)>,
}

pub(super) async fn evaluate(page: &Page, expression: &str) -> Result<Evaluation, PageError> {
    let evaluate = Evaluate {
        expression,
        await_promise: true,
        return_by_value: true,
        silent: true,
        ..Evaluate::default()
    };
    Ok(page.session().call(evaluate).await?)
}

/// What the app registers. What it says wrongly is left out and told.
pub(super) async fn registry(page: &Page) -> Result<Registry, PageError> {
    let evaluation = evaluate(page, LIST).await?;
    let text: Option<String> = evaluation.result.value_as().unwrap_or_default();
    let told: Value = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let listed = |name: &str| told.get(name).and_then(Value::as_array).into_iter().flatten().take(MOST);
    let mut registry =
        Registry { routes: listed("routes").filter_map(route).collect(), ..Registry::default() };
    for (at, value) in listed("actions").enumerate() {
        match uiap_model::json::read(value) {
            Ok(descriptor) => registry.actions.push(descriptor),
            Err(error) => registry.faults.push(format!("the registered action {at} is none: {error}")),
        }
    }
    // What the app registered itself says more than a tool of the same name.
    let tools = webmcp::tools(page).await?;
    let new: Vec<_> =
        tools.into_iter().filter(|tool| registry.actions.iter().all(|each| each.id != tool.id)).collect();
    registry.actions.extend(new);
    Ok(registry)
}

/// Id and pattern of a place, in the words that routers use.
fn route(value: &Value) -> Option<(String, String)> {
    let word = |names: [&str; 3]| names.iter().find_map(|name| value.get(name)?.as_str()).map(str::to_owned);
    let (id, pattern) = (word(["routeId", "id", "name"])?, word(["pattern", "path", "url"])?);
    pattern.starts_with('/').then_some((id, pattern))
}

/// Runs a function of the app.
pub(super) async fn invoke(
    page: &Page,
    action_id: &ActionId,
    args: &JsonObject,
) -> Result<Done, DispatchError> {
    let expression = format!(
        "(async () => {{
            const registry = globalThis.__uiapRegistry, id = {};
            if (!registry?.actions?.some((each) => each.id === id)) return '\"absent\"';
            return JSON.stringify((await registry.invoke(id, {})) ?? {{}});
        }})()",
        json!(action_id),
        json!(args.0)
    );
    let told = run(page, &expression).await?;
    if told == "absent" {
        return webmcp::call(page, action_id, args).await;
    }
    let side_effect = match told.get("sideEffectState").and_then(Value::as_str) {
        Some("none") => Some(SideEffectState::None),
        Some("applied") => Some(SideEffectState::Applied),
        Some("unknown") => Some(SideEffectState::Unknown),
        _ => None,
    };
    Ok(Done { value: told.get("returnValue").cloned(), side_effect, ..Done::default() })
}

/// Runs a function of the app and reads its answer.
pub(super) async fn run(page: &Page, expression: &str) -> Result<Value, DispatchError> {
    let evaluation = evaluate(page, expression).await.map_err(|error| page_error(&error))?;
    answer_of(&evaluation)
}

/// The JSON in the text of an answer, or what the app threw.
pub(super) fn answer_of(evaluation: &Evaluation) -> Result<Value, DispatchError> {
    if let Some(error) = failure(evaluation) {
        return Err(error);
    }
    let text: Option<String> = evaluation.result.value_as().unwrap_or_default();
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

/// How a browser says that only a person's own gesture can do it.
const GESTURE: [&str; 3] = ["user gesture", "user activation", "didn't interact with the document"];

/// What the app threw, if it did.
pub(super) fn failure(evaluation: &Evaluation) -> Option<DispatchError> {
    let details = evaluation.exception_details.as_ref()?;
    let thrown = details.exception.as_ref().and_then(|exception| exception.description.as_ref());
    // The first line says what was wrong; where in the app's code is nobody's business.
    let line = thrown.unwrap_or(&details.text).lines().next().unwrap_or_default();
    let line: String = line.chars().take(200).collect();
    // Browsers let some things happen only when a person has just used the page.
    if GESTURE.iter().any(|words| line.contains(words)) {
        return Some(DispatchError::uncertain(DispatchErrorKind::NeedsUser, line));
    }
    let reason = format!("the app's function failed: {line}");
    Some(DispatchError::uncertain(DispatchErrorKind::AppFailed, reason))
}
