//! Where controls lead: what must be known of a link, a button or a form before anybody presses it.

use serde::Deserialize;
use serde_json::json;
use uiap_model::names::ElementInstanceId;

use crate::error::PageError;
use crate::network::redact;
use crate::page::Page;

const LEADS: &str = include_str!("leads.js");

/// Where a control leads, as far as the page says.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Lead {
    /// The address of a link, resolved, without secrets.
    pub href: Option<String>,
    /// The address that its form is sent to.
    pub form_action: Option<String>,
    /// The method of its form.
    pub form_method: Option<String>,
    /// Whether it sends its form.
    pub submits: bool,
    /// The `type` of an input or button.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Whether it offers a file.
    pub download: bool,
    /// The name of another window.
    pub window: Option<String>,
    /// What opens by it.
    pub opens: Option<String>,
    /// Words of its icon.
    pub icon: Option<String>,
}

/// Where these controls lead; the same order. What is gone leads nowhere.
pub async fn leads(page: &Page, ids: &[ElementInstanceId]) -> Result<Vec<Lead>, PageError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let source = LEADS.split_once("\nfunction").map_or(LEADS, |(_, rest)| rest);
    let declaration = format!("function{source}");
    let text = page.world().await?.text(page.session(), &declaration, &[json!(ids)]).await?;
    let mut leads: Vec<Lead> = serde_json::from_str(&text)?;
    for lead in &mut leads {
        // A mail address or a script is told as it is; only addresses can carry secrets.
        lead.href = lead.href.take().map(|href| keep_fragment(&href));
        lead.form_action = lead.form_action.take().map(|action| redact(&action));
    }
    Ok(leads)
}

fn keep_fragment(href: &str) -> String {
    match href.split_once('#') {
        Some((address, fragment)) => format!("{}#{fragment}", redact(address)),
        None => redact(href),
    }
}
