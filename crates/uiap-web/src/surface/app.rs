//! The functions that an app offers by itself: `window.__uiapRegistry = { version, actions, routes, invoke }`.

use serde_json::{Value, json};
use uiap_cdp::protocol::runtime::{Evaluate, Evaluation};
use uiap_model::action::SideEffectState;
use uiap_model::capability::ActionDescriptor;
use uiap_model::json::JsonObject;
use uiap_model::names::ActionId;
use uiap_runtime::surface::{DispatchError, DispatchErrorKind, Done};

use crate::error::PageError;
use crate::page::Page;

/// Actions that one page may offer.
const MOST: usize = 1_000;
const LIST: &str = "JSON.stringify(globalThis.__uiapRegistry?.actions ?? [])";

async fn evaluate(page: &Page, expression: &str) -> Result<Evaluation, PageError> {
    let evaluate = Evaluate {
        expression,
        await_promise: true,
        return_by_value: true,
        silent: true,
        ..Evaluate::default()
    };
    Ok(page.session().call(evaluate).await?)
}

/// What the app says it can do. What it says wrongly is left out.
pub(super) async fn actions(page: &Page) -> Result<Vec<ActionDescriptor>, PageError> {
    let evaluation = evaluate(page, LIST).await?;
    let text: Option<String> = evaluation.result.value_as().unwrap_or_default();
    let listed: Vec<Value> = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let read = |value: Value| match serde_json::from_value(value) {
        Ok(descriptor) => Some(descriptor),
        Err(error) => {
            tracing::debug!(%error, "the app describes an action wrongly");
            None
        }
    };
    Ok(listed.into_iter().take(MOST).filter_map(read).collect())
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
    let evaluation = evaluate(page, &expression)
        .await
        .map_err(|error| DispatchError::uncertain(DispatchErrorKind::Lost, error.to_string()))?;
    if let Some(details) = evaluation.exception_details {
        let thrown = details.exception.and_then(|exception| exception.description).unwrap_or(details.text);
        // The first line says what was wrong; where in the app's code is nobody's business.
        let line: String = thrown.lines().next().unwrap_or_default().chars().take(200).collect();
        return Err(DispatchError::uncertain(
            DispatchErrorKind::AppFailed,
            format!("the app's function failed: {line}"),
        ));
    }
    let text: Option<String> = evaluation.result.value_as().unwrap_or_default();
    let told: Value = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    if told == "absent" {
        return Err(DispatchError::unsent(
            DispatchErrorKind::Unsuitable,
            format!("the app offers no function `{action_id}`"),
        ));
    }
    let side_effect = match told.get("sideEffectState").and_then(Value::as_str) {
        Some("none") => Some(SideEffectState::None),
        Some("applied") => Some(SideEffectState::Applied),
        Some("unknown") => Some(SideEffectState::Unknown),
        _ => None,
    };
    Ok(Done { value: told.get("returnValue").cloned(), side_effect, ..Done::default() })
}
