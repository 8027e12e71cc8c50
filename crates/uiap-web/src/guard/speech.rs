//! What a page says while something is done to it. A message may be gone before the page rests: only who listens from the beginning
//! hears it. The page's own guard is told of an action in the same breath.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::PageError;
use crate::page::Page;

const LISTEN: &str = include_str!("speech.js");
/// Tells the page's own guard that the action is over, and gives what was heard. What was said goes with its document.
const TAKE: &str = "function(event) {
    if (event) document.dispatchEvent(new CustomEvent(event, { cancelable: true }));
    return JSON.stringify(globalThis[Symbol.for('uiap.heard')]?.take() ?? []);
}";

/// How something was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Saying {
    /// By a message that came.
    Toast,
    /// By a region that was there.
    Status,
}

/// Begins to listen to the present document. Says whether the page's own guard heard what it was told.
pub(super) async fn listen(page: &Page, event: Option<&str>) -> Result<bool, PageError> {
    let source = LISTEN.split_once("\nfunction").map_or(LISTEN, |(_, rest)| rest);
    ask(page, &format!("function{source}"), json!(event)).await.map(|answer| answer == "heard")
}

/// Ends, and says what was heard.
pub(super) async fn take(page: &Page, event: Option<&str>) -> Result<Vec<(String, Saying)>, PageError> {
    let text = page.world().await?.text(page.session(), TAKE, &[json!(event)]).await?;
    Ok(serde_json::from_str(&text)?)
}

/// Asks the present document; one that came meanwhile is asked in the place of the one that went.
async fn ask(page: &Page, declaration: &str, value: Value) -> Result<String, PageError> {
    let values = [value];
    match page.world().await?.text(page.session(), declaration, &values).await {
        Err(error) if error.is_document_gone() => {
            page.forget_world().await;
            page.world().await?.text(page.session(), declaration, &values).await
        }
        answer => answer,
    }
}
