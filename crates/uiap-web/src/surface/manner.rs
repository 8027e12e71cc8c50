//! What a page does to itself by an element's own methods, and what an element holds.

use serde::Deserialize;
use serde_json::{Value, json};
use uiap_cdp::protocol::runtime::{CallArgument, CallFunctionOn, ReleaseObject};
use uiap_model::capability::Checked;
use uiap_model::names::ElementInstanceId;
use uiap_runtime::surface::Reading;

use crate::error::{PageError, PageErrorKind};
use crate::page::Page;

const MANNER: &str = include_str!("manner.js");

/// Asks an element to do something; answers `done`, or why not.
pub(super) async fn ask(
    page: &Page,
    target: &ElementInstanceId,
    op: &str,
    value: Value,
) -> Result<String, PageError> {
    let object = page.element(target).await?;
    let argument = |value: Value| CallArgument { value: Some(value), ..CallArgument::default() };
    let source = MANNER.split_once("\nfunction").map_or(MANNER, |(_, rest)| rest);
    let declaration = format!("function{source}");
    let call = CallFunctionOn {
        function_declaration: &declaration,
        object_id: Some(object.clone()),
        arguments: Some(vec![argument(json!(op)), argument(value)]),
        silent: true,
        return_by_value: true,
        user_gesture: false,
        ..CallFunctionOn::default()
    };
    let evaluation = page.session().call(call).await?;
    // The document may be gone with everything in it; then nothing is left to let go of.
    if let Err(error) = page.session().call(ReleaseObject { object_id: object }).await {
        tracing::trace!(%error, "the element was not there to be let go of");
    }
    if let Some(details) = evaluation.exception_details {
        let thrown = details.exception.and_then(|exception| exception.description);
        return Err(PageError::new(PageErrorKind::Script(thrown.unwrap_or(details.text))));
    }
    let text: Option<String> = evaluation.result.value_as()?;
    text.ok_or_else(|| PageError::new(PageErrorKind::Script("it answered nothing".to_owned())))
}

pub(super) async fn holds(page: &Page, target: &ElementInstanceId, text: &str) -> Result<bool, PageError> {
    Ok(ask(page, target, "holds", json!(text)).await? == "yes")
}

#[derive(Deserialize)]
struct Read {
    text: Option<String>,
    number: Option<f64>,
    checked: Option<String>,
}

pub(super) async fn read(page: &Page, target: &ElementInstanceId) -> Result<Reading, PageError> {
    let read: Read = serde_json::from_str(&ask(page, target, "read", Value::Null).await?)?;
    let checked = match read.checked.as_deref() {
        Some("true") => Some(Checked::On),
        Some("mixed") => Some(Checked::Mixed),
        Some("false") => Some(Checked::Off),
        _ => None,
    };
    Ok(Reading { text: read.text, number: read.number, checked })
}
