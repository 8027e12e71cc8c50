//! What was told around an action, sorted for whoever looks for a cause: what it is, whose it is, how much it has to do with the
//! action. Sorting hides nothing: every entry keeps its number in the stream that it came from.

use std::collections::HashMap;

use serde::Serialize;
use uiap_model::names::{ActionHandle, ScopeId};
use uiap_model::web::signal::{WebSignal, WebSignalBody};

use super::step::{Line, Step};
use crate::action::life::ActionState;

/// Something that was told, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Milliseconds since the action was received; negative for what came before.
    pub at_ms: f64,
    /// A signal as JSON; anything else is kept as it is.
    pub text: String,
}

/// What kind of thing was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DiagnosticClass {
    /// The page is gone.
    Crash,
    /// The app says that something went wrong.
    Error,
    /// A request was answered, or was not.
    Network,
    /// Something of the page is different.
    Interface,
    /// The app says something.
    Message,
    /// Nobody can read it.
    Unreadable,
}

/// Who told it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The app.
    App,
    /// What the app runs in.
    System,
    /// Nobody can tell.
    Unknown,
}

/// How much something has to do with an action, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
pub struct Relevance(f64);

/// A number that is no relevance.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("a relevance lies between 0 and 1, `{0}` does not")]
pub struct RelevanceError(f64);

impl Relevance {
    /// Takes a number from 0 to 1.
    pub fn new(value: f64) -> Result<Self, RelevanceError> {
        if (0.0..=1.0).contains(&value) { Ok(Self(value)) } else { Err(RelevanceError(value)) }
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// One entry, sorted.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// Its number in the stream.
    pub record: usize,
    /// What it is.
    pub class: DiagnosticClass,
    /// Whose it is.
    pub origin: Origin,
    /// How much it has to do with the action.
    pub relevance: Relevance,
    /// In short.
    pub text: String,
}

/// A stream, sorted by one action; the most relevant first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Diagnosis {
    /// What belongs to the action.
    pub linked: Vec<Diagnostic>,
    /// What does not.
    pub background: Vec<Diagnostic>,
}

/// How long after its end something may still come from an action.
const AFTERMATH_MS: f64 = 2_000.0;
/// What is told so often without an action is a habit.
const HABIT: usize = 3;
/// Texts are cut to this many characters.
const WORDS: usize = 300;

/// The action by which a stream is sorted.
struct Around<'a> {
    handle: Option<&'a ActionHandle>,
    scope: Option<&'a ScopeId>,
    /// When it began to be carried out, if it was.
    executing_ms: Option<f64>,
    end_ms: f64,
}

/// Sorts a stream by an action.
pub fn diagnose(action: &[Line], records: &[Record]) -> Diagnosis {
    let scope = action.iter().rev().find_map(|line| match &line.step {
        Step::Resolved { target, .. } => target.scope_id.as_ref(),
        _ => None,
    });
    let executing_ms = action.iter().find_map(|line| match &line.step {
        Step::State { state } if state == ActionState::Executing.as_str() => Some(line.at_ms),
        _ => None,
    });
    let around = Around {
        handle: action.first().map(|line| &line.action_handle),
        scope,
        executing_ms,
        end_ms: action.last().map_or(0.0, |line| line.at_ms),
    };
    let mut told: HashMap<&str, usize> = HashMap::new();
    for record in records {
        *told.entry(record.text.as_str()).or_default() += 1;
    }
    let mut diagnosis = Diagnosis::default();
    for (number, record) in records.iter().enumerate() {
        let signal: Option<WebSignal> = serde_json::from_str(&record.text).ok();
        let habit = told.get(record.text.as_str()).is_some_and(|count| *count >= HABIT);
        let (linked, relevance) = around.weigh(record, signal.as_ref(), habit);
        let (class, origin) = signal.as_ref().map_or((DiagnosticClass::Unreadable, Origin::Unknown), sort);
        let text = record.text.chars().take(WORDS).collect();
        let entry = Diagnostic { record: number, class, origin, relevance, text };
        if linked { diagnosis.linked.push(entry) } else { diagnosis.background.push(entry) }
    }
    for list in [&mut diagnosis.linked, &mut diagnosis.background] {
        list.sort_by(|a, b| b.relevance.0.total_cmp(&a.relevance.0));
    }
    diagnosis
}

impl Around<'_> {
    /// Whether it belongs to the action, and how much it has to do with it.
    fn weigh(&self, record: &Record, signal: Option<&WebSignal>, habit: bool) -> (bool, Relevance) {
        let by = signal.and_then(|signal| signal.base.action_handle.as_ref());
        let own = by.is_some() && by == self.handle;
        let class = signal.map(|signal| sort(signal).0);
        let grave = matches!(class, Some(DiagnosticClass::Crash | DiagnosticClass::Error));
        let begun = self.executing_ms.is_some_and(|begun| record.at_ms >= begun);
        let during = begun && record.at_ms <= self.end_ms;
        let here = self.scope.is_some() && signal.and_then(scope_of) == self.scope;
        let distance = if record.at_ms < 0.0 { -record.at_ms } else { (record.at_ms - self.end_ms).max(0.0) };
        let nearness = (1.0 - distance / AFTERMATH_MS).max(0.0);
        let parts = [(own, 0.5), (grave, 0.2), (here, 0.1), (during, 0.05)];
        let sum: f64 = parts.iter().filter(|(holds, _)| *holds).map(|(_, weight)| weight).sum();
        let sum = (sum + 0.15 * nearness) * if habit && !own { 0.1 } else { 1.0 };
        // What another action caused is never this one's; what nobody claims is, if it is grave and came meanwhile.
        let linked = own || (by.is_none() && grave && during && !habit);
        (linked, Relevance(sum.clamp(0.0, 1.0)))
    }
}

fn scope_of(signal: &WebSignal) -> Option<&ScopeId> {
    match &signal.body {
        WebSignalBody::StatusChanged { scope_id, .. }
        | WebSignalBody::ValidationChanged { scope_id, .. }
        | WebSignalBody::BusyChanged { scope_id, .. } => scope_id.as_ref(),
        WebSignalBody::DialogOpened { scope_id, .. }
        | WebSignalBody::DialogClosed { scope_id, .. }
        | WebSignalBody::CollectionChanged { scope_id, .. } => Some(scope_id),
        _ => None,
    }
}

/// What it is, and whose.
fn sort(signal: &WebSignal) -> (DiagnosticClass, Origin) {
    use uiap_model::web::signal::ToastSeverity;
    match &signal.body {
        WebSignalBody::Custom { name, .. } => match name.as_str() {
            "browser.crash" => (DiagnosticClass::Crash, Origin::System),
            "browser.console.error" | "browser.page.error" => (DiagnosticClass::Error, Origin::App),
            "browser.request.failed" => (DiagnosticClass::Network, Origin::System),
            name if name.starts_with("browser.") => (DiagnosticClass::Message, Origin::System),
            _ => (DiagnosticClass::Message, Origin::App),
        },
        // Who answered is not told: an app of several servers looks the same as a counter of visits.
        WebSignalBody::NetworkResponse { status, .. } if status.0 >= 500 => {
            (DiagnosticClass::Error, Origin::Unknown)
        }
        WebSignalBody::NetworkResponse { .. } => (DiagnosticClass::Network, Origin::Unknown),
        WebSignalBody::ToastShown { severity: Some(ToastSeverity::Error), .. } => {
            (DiagnosticClass::Error, Origin::App)
        }
        WebSignalBody::UserActivation { .. } => (DiagnosticClass::Interface, Origin::System),
        WebSignalBody::ToastShown { .. }
        | WebSignalBody::StatusChanged { .. }
        | WebSignalBody::EntityCreated { .. }
        | WebSignalBody::EntityUpdated { .. }
        | WebSignalBody::EntityDeleted { .. } => (DiagnosticClass::Message, Origin::App),
        WebSignalBody::RouteChanged { .. }
        | WebSignalBody::DialogOpened { .. }
        | WebSignalBody::DialogClosed { .. }
        | WebSignalBody::ValidationChanged { .. }
        | WebSignalBody::FocusChanged { .. }
        | WebSignalBody::BusyChanged { .. }
        | WebSignalBody::CollectionChanged { .. } => (DiagnosticClass::Interface, Origin::App),
    }
}
