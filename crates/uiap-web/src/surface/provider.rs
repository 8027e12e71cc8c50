//! The page graph that an app publishes by itself: `window.__uiapRegistry.getSnapshot(options)`. It is the app's word about its own
//! page, asked for within bounds of time and size; whoever uses it compares it with what is seen.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use uiap_cdp::protocol::runtime::Evaluate;
use uiap_model::document::{kind, validate};
use uiap_model::problem::Severity;
use uiap_model::web::PageGraph;
use uiap_model::web::message::SnapshotOptions;

use super::app::failure;
use crate::error::PageError;
use crate::page::Page;

/// How long the app may think about it.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long it may keep its page busy with it; the browser ends it then.
const BUSY: Duration = Duration::from_millis(1_500);
/// Letters of a graph that are read.
const MOST_LETTERS: usize = 8 << 20;

/// What came of asking an app for the graph of its page.
#[derive(Debug, Clone)]
pub enum Published {
    /// It publishes none.
    Nothing,
    /// A graph that is valid; whether it is true is another matter.
    Graph(Box<PageGraph>),
    /// It answered, and wrongly: in words.
    Fault(String),
    /// It did not answer in time.
    Silence,
}

/// Asks the app in the page's own world.
pub(super) async fn ask(page: &Page, options: &SnapshotOptions) -> Result<Published, PageError> {
    let expression = format!(
        "(async () => {{
            const registry = globalThis.__uiapRegistry;
            if (typeof registry?.getSnapshot !== 'function') return null;
            const text = JSON.stringify(await registry.getSnapshot({})) ?? 'null';
            return text.length > {MOST_LETTERS} ? 'false' : text;
        }})()",
        json!(options)
    );
    let evaluate = Evaluate {
        expression: &expression,
        await_promise: true,
        return_by_value: true,
        silent: true,
        timeout: Some(BUSY.as_secs_f64() * 1_000.0),
        ..Evaluate::default()
    };
    let began = Instant::now();
    let evaluation = match tokio::time::timeout(PATIENCE, page.session().call(evaluate)).await {
        Err(_) => return Ok(Published::Silence),
        Ok(Err(_)) if began.elapsed() >= BUSY => return Ok(Published::Silence),
        Ok(answer) => answer?,
    };
    if let Some(error) = failure(&evaluation) {
        return Ok(Published::Fault(format!("it cannot be had: {}", error.reason)));
    }
    Ok(match evaluation.result.value_as::<Option<String>>() {
        Ok(text) => text.flatten().map_or(Published::Nothing, |text| read(&text)),
        Err(error) => Published::Fault(format!("it is no text: {error}")),
    })
}

fn read(text: &str) -> Published {
    let value: Value = match serde_json::from_str(text) {
        Ok(Value::Bool(false)) => {
            return Published::Fault(format!("it has more than {MOST_LETTERS} letters"));
        }
        Ok(value) => value,
        Err(error) => return Published::Fault(format!("it is no JSON: {error}")),
    };
    let problems = kind("PageGraph").map(|kind| validate(&value, kind)).unwrap_or_default();
    if let Some(problem) = problems.iter().find(|problem| problem.severity == Severity::Error) {
        return Published::Fault(format!("it is wrong at `{}`: {}", problem.pointer, problem.message));
    }
    match uiap_model::json::read(&value) {
        Ok(graph) => Published::Graph(Box::new(graph)),
        Err(error) => Published::Fault(format!("it is no page graph: {error}")),
    }
}
