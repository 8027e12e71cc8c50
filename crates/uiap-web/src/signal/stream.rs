//! What an observer gets: revisions and signals in one order.

use std::collections::VecDeque;
use std::fmt;

use futures_util::future::BoxFuture;
use serde_json::json;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use uiap_model::names::ActionHandle;
use uiap_model::web::PageGraph;
use uiap_model::web::message::{SignalChoice, SignalFilter};
use uiap_model::web::signal::WebSignalBody;

use super::browser::{self, LOST};
use super::merge::{Merger, Observed};
use super::watch::{Report, Watch};
use crate::error::PageError;
use crate::observe::{Observation, Revision};

/// A page and its browser, observed together. Dropping it ends the observation.
pub struct SignalStream {
    place: Place,
    /// Kept, so that the browser's reports go on for as long as somebody reads them.
    watch: Watch,
    reports: broadcast::Receiver<Report>,
    merger: Merger,
    filter: SignalFilter,
    ready: VecDeque<Observed>,
    silent: bool,
}

/// Where the observation is: here, or waiting for the page. A wait is never given up half-way, because what the page told
/// would be lost with it.
enum Place {
    Here(Box<Observation>),
    Waiting(BoxFuture<'static, (Box<Observation>, Result<Revision, PageError>)>),
    Gone,
}

impl SignalStream {
    /// Puts an observation and the browser's reports together.
    pub fn new(observation: Observation, watch: &Watch) -> Self {
        Self {
            place: Place::Here(Box::new(observation)),
            watch: watch.clone(),
            reports: watch.signals(),
            merger: Merger::default(),
            filter: SignalFilter::Choice(SignalChoice::All),
            ready: VecDeque::new(),
            silent: false,
        }
    }

    /// Only these signals.
    #[must_use]
    pub fn only(mut self, filter: SignalFilter) -> Self {
        self.filter = filter;
        self
    }

    /// From now on signals belong to this action, or to none.
    pub fn acting(&mut self, action: Option<ActionHandle>) {
        self.watch.acting().set(action.clone());
        self.merger.acting(action);
    }

    /// The graph after the revision that was returned last. None while the next one is waited for.
    pub fn graph(&self) -> Option<&PageGraph> {
        match &self.place {
            Place::Here(observation) => observation.graph(),
            _ => None,
        }
    }

    /// The next signal or revision. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<Observed, PageError> {
        loop {
            if let Some(observed) = self.ready.pop_front() {
                return Ok(observed);
            }
            let told = match self.wait().await? {
                Told::Report(report) => vec![Observed::Signal(self.merger.report(*report))],
                Told::Revision(revision) => match &self.place {
                    Place::Here(observation) => match observation.graph() {
                        Some(graph) => self.merger.revision(*revision, graph),
                        None => Vec::new(),
                    },
                    _ => Vec::new(),
                },
            };
            let wanted = |observed: &Observed| match observed {
                Observed::Signal(heard) => wants(&self.filter, &heard.signal.body),
                Observed::Revision(_) => true,
            };
            self.ready.extend(told.into_iter().filter(wanted));
        }
    }

    async fn wait(&mut self) -> Result<Told, PageError> {
        let waiting = match std::mem::replace(&mut self.place, Place::Gone) {
            Place::Here(mut observation) => Box::pin(async move {
                let revision = observation.next().await;
                (observation, revision)
            }),
            Place::Waiting(waiting) => waiting,
            Place::Gone => return Err(PageError::new(crate::error::PageErrorKind::Closed)),
        };
        self.place = Place::Waiting(waiting);
        let Place::Waiting(waiting) = &mut self.place else { unreachable!("it was just put there") };
        if self.silent {
            let (observation, revision) = waiting.await;
            self.place = Place::Here(observation);
            return revision.map(|revision| Told::Revision(Box::new(revision)));
        }
        tokio::select! {
            // What the browser reported came before what the page is asked for now.
            biased;
            report = self.reports.recv() => match report {
                Ok(report) => Ok(Told::Report(Box::new(report))),
                Err(RecvError::Lagged(count)) => {
                    Ok(Told::Report(Box::new(browser::custom(LOST, json!({ "count": count })).into())))
                }
                Err(RecvError::Closed) => {
                    self.silent = true;
                    Box::pin(self.wait()).await
                }
            },
            (observation, revision) = waiting => {
                self.place = Place::Here(observation);
                revision.map(|revision| Told::Revision(Box::new(revision)))
            }
        }
    }
}

enum Told {
    Report(Box<Report>),
    Revision(Box<Revision>),
}

/// Whether a subscriber wants such a signal.
fn wants(filter: &SignalFilter, body: &WebSignalBody) -> bool {
    match filter {
        SignalFilter::Choice(SignalChoice::All) => true,
        SignalFilter::Choice(SignalChoice::None) => false,
        SignalFilter::Kinds(kinds) => kinds
            .iter()
            .any(|kind| serde_json::to_value(kind).is_ok_and(|kind| kind.as_str() == Some(body.tag()))),
    }
}

impl fmt::Debug for SignalStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SignalStream({} ready)", self.ready.len())
    }
}
