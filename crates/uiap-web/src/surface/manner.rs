//! What a page does to itself by an element's own methods, and what an element holds.

use serde::Deserialize;
use serde_json::{Value, json};
use uiap_model::capability::Checked;
use uiap_model::names::ElementInstanceId;
use uiap_runtime::surface::Reading;

use crate::error::PageError;
use crate::page::Page;
use crate::world::Kept;

const MANNER: Kept = Kept { name: "manner", source: include_str!("../../page/functions/manner.js") };

/// Asks an element to do something; answers `done`, or why not.
pub(super) async fn ask(
    page: &Page,
    target: &ElementInstanceId,
    found: Option<&Value>,
    op: &str,
    value: Value,
) -> Result<String, PageError> {
    page.on(target, found, &MANNER, json!({ "op": op, "value": value })).await
}

pub(super) async fn holds(page: &Page, target: &ElementInstanceId, text: &str) -> Result<bool, PageError> {
    Ok(ask(page, target, None, "holds", json!(text)).await? == "yes")
}

#[derive(Deserialize)]
struct Read {
    text: Option<String>,
    number: Option<f64>,
    checked: Option<String>,
}

pub(super) async fn read(page: &Page, target: &ElementInstanceId) -> Result<Reading, PageError> {
    let read: Read = serde_json::from_str(&ask(page, target, None, "read", Value::Null).await?)?;
    let checked = match read.checked.as_deref() {
        Some("true") => Some(Checked::On),
        Some("mixed") => Some(Checked::Mixed),
        Some("false") => Some(Checked::Off),
        _ => None,
    };
    Ok(Reading { text: read.text, number: read.number, checked })
}
