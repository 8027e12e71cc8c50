//! Frames that greet their page: they get a port, and are asked over it for what they publish of themselves.
//!
//! All that comes over a port is somebody else's word: it is bounded in size and time and decoded by the model before it is used.

use std::time::Duration;

use serde_json::{Value, json};
use uiap_model::document::{kind, validate};
use uiap_model::json::Positive;
use uiap_model::problem::{Problem, Severity};
use uiap_model::web::check::{check, without_secrets};
use uiap_model::web::graph::BoundaryAccess;
use uiap_model::web::message::SnapshotOptions;
use uiap_model::web::{DocumentNode, PageGraph};

use super::entry::Place;
use super::grant::BridgeGrants;
use crate::capture::DEFAULT_MAX_ELEMENTS;
use crate::error::{PageError, PageErrorKind};
use crate::page::Page;
use crate::world::Kept;

const GREET: &str = include_str!("../../page/functions/greet.js");
const ASK: Kept = Kept { name: "ask", source: include_str!("../../page/functions/ask.js") };

/// Longest text of a graph, in UTF-16 units.
const MOST_TEXT: u32 = 4 << 20;
/// Longest place of a fault that is told: a frame chooses its members.
const MOST_PLACE: usize = 120;

/// Welcomes frames of these origins from now on, in the present documents and in those to come, and no others.
pub(super) async fn listen(page: &Page, grants: &BridgeGrants) -> Result<(), PageError> {
    let origins = serde_json::to_string(grants.origins())?;
    page.greet(&format!("{GREET}({origins})")).await
}

/// What is asked of a frame.
pub(super) struct Question {
    /// Sent as it is, with an id.
    pub(super) message: Value,
    /// Type of the answer, and its member that is wanted.
    pub(super) answer: (&'static str, &'static str),
    /// Longest text of that member, in UTF-16 units.
    pub(super) most: u32,
    pub(super) wait: Wait,
    pub(super) patience: Duration,
    /// The greeting that is meant; any when none is given.
    pub(super) serial: Option<u64>,
}

/// Which greeting counts.
#[derive(Default)]
pub(super) struct Wait {
    /// How long a first one is waited for.
    pub(super) hello: Duration,
    /// The one of a document that the frame left.
    pub(super) left: Option<u64>,
}

/// What a frame answered.
#[derive(Debug)]
pub(super) struct Answer {
    /// The number of its greeting: a frame that went elsewhere greets under another one.
    pub(super) serial: u64,
    pub(super) text: String,
}

/// Asks a frame; none when it did not greet from its present origin.
pub(super) async fn ask(page: &Page, place: &Place, question: Question) -> Result<Option<Answer>, PageError> {
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let value = json!({
        "origin": place.origin,
        "message": question.message,
        "type": question.answer.0,
        "member": question.answer.1,
        "most": question.most,
        "hello": millis(question.wait.hello),
        "left": question.wait.left,
        "patience": millis(question.patience),
        "serial": question.serial,
    });
    let told = page.on(&place.host, None, &ASK, value).await?;
    let Some((serial, text)) = told.split_once('\n') else {
        return match told.as_str() {
            "uiap:none" => Ok(None),
            "uiap:silent" => Err(fault(format!("it did not answer within {:?}", question.patience))),
            "uiap:left" => Err(fault("it greeted anew, or lost its grant, before it answered")),
            "uiap:large" => Err(fault(format!("its answer is longer than {} characters", question.most))),
            _ => Err(fault(format!(
                "it did not answer with `{}` of a `{}`",
                question.answer.1, question.answer.0
            ))),
        };
    };
    let serial = serial.parse().map_err(|_| fault("its greeting has no number"))?;
    Ok(Some(Answer { serial, text: text.to_owned() }))
}

pub(super) fn fault(text: impl Into<String>) -> PageError {
    PageError::new(PageErrorKind::Frame(text.into()))
}

/// What a frame publishes of itself, with the number of its greeting; none when it did not greet.
pub(super) async fn published(
    page: &Page,
    place: &Place,
    options: &SnapshotOptions,
    wait: Wait,
    patience: Duration,
) -> Result<Option<(u64, PageGraph)>, PageError> {
    let most = options.max_elements.as_ref().map_or(DEFAULT_MAX_ELEMENTS, |most| most.0);
    let options = SnapshotOptions { max_elements: Some(Positive(most)), ..options.clone() };
    let question = Question {
        message: json!({ "type": "snapshot", "options": options }),
        answer: ("snapshot", "graph"),
        most: MOST_TEXT,
        wait,
        patience,
        serial: None,
    };
    let Some(answer) = ask(page, place, question).await? else { return Ok(None) };
    Ok(Some((answer.serial, graph(&answer.text, &place.origin, most)?)))
}

/// The graph that a frame sent, if it is one: within the budget, without secrets, and from no other origin than the frame's own.
fn graph(text: &str, origin: &str, most: u64) -> Result<PageGraph, PageError> {
    let graph = serde_json::from_str(text).map_err(|_| fault(malformed(text, "PageGraph")))?;
    let mut graph = without_secrets(graph);
    let problems = check(&graph);
    if let Some(problem) = problems.iter().find(|problem| problem.severity == Severity::Error) {
        return Err(fault(format!("its graph is refused: {}", place(problem))));
    }
    let elements = graph.elements().count();
    if u64::try_from(elements).is_ok_and(|elements| elements > most) {
        return Err(fault(format!("it published {elements} elements where {most} were asked for")));
    }
    match graph.documents.first_mut() {
        Some(root) if root.access == BoundaryAccess::Open => claim(root, origin),
        _ => return Err(fault("its graph has no root document that is open")),
    }
    Ok(graph)
}

/// The origin is the one that the browser tells, whatever the frame says of itself.
fn claim(root: &mut DocumentNode, origin: &str) {
    root.origin = Some(origin.into());
    let own =
        |url: &str| url.strip_prefix(origin).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    root.url = root.url.take().filter(|url| own(url));
}

/// Where a text is not the document that it should be. Not what stands there: that may be anything.
pub(super) fn malformed(text: &str, name: &str) -> String {
    let first = serde_json::from_str::<Value>(text)
        .ok()
        .and_then(|value| validate(&value, kind(name)?).into_iter().next());
    format!(
        "it answered with no {name}: {}",
        first.as_ref().map_or_else(|| "it is no JSON".to_owned(), place)
    )
}

fn place(problem: &Problem) -> String {
    let pointer: String = problem.pointer.chars().take(MOST_PLACE).collect();
    format!("{} at `{pointer}`", problem.code.0)
}
