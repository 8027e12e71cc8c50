//! What a scout brings home: kept until it is taken up in its turn.

use compact_str::CompactString;
use serde::{Deserialize, Serialize};
use uiap_model::capability::SuccessSignal;
use uiap_model::web::PageGraph;

use super::node::Details;
use crate::fingerprint::Fingerprint;
use crate::ground::{GroundError, Step, Traffic};
use crate::record::{Incident, IncidentKind, RequestRecord};

/// What came of one errand.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Finding {
    /// Transitions that were gone through again on the way, and whether they led where they had before.
    pub(crate) replays: Vec<(CompactString, bool)>,
    /// Whether the state's own address led to it, where that was tried.
    pub(crate) deep: Option<bool>,
    pub(crate) incidents: Vec<Incident>,
    pub(crate) self_writes: Vec<Traffic>,
    pub(crate) outcome: Outcome,
}

/// How an errand ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Outcome {
    /// An address led there.
    Arrived(Box<Arrival>),
    /// It was done.
    Done(Box<Deal>),
    /// It opened nothing, and what the page shows is what it makes of an answer that never came; these requests it would have sent.
    Held(Vec<RequestRecord>),
    /// The state could not be reached again.
    Lost { detail: String, expired: bool },
    /// The target was not there, or could not be reached.
    Missed(String),
    /// The ground failed.
    Failed { kind: IncidentKind, detail: String },
    /// It must not be done twice, and nobody knows whether it was done.
    Interrupted,
}

/// What was done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Deal {
    pub(crate) arrival: Arrival,
    pub(crate) signals: Vec<SuccessSignal>,
    pub(crate) requests: Vec<RequestRecord>,
    /// What it did, in a form that can be compared between states.
    pub(crate) consequence: CompactString,
    /// Whether it led to more of what was there: another address, or a longer list, in the same state.
    pub(crate) more: bool,
    /// What will be pressed to take it back, where that is how it is taken back.
    #[serde(default)]
    pub(crate) way_back: Option<Step>,
}

/// A state that somebody is in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Arrival {
    pub(crate) state_id: CompactString,
    pub(crate) fingerprint: CompactString,
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) locale: Option<CompactString>,
    /// What it shows; left out when the state is known.
    pub(crate) graph: Option<Box<PageGraph>>,
    pub(crate) details: Details,
    pub(crate) screenshot: Option<String>,
    pub(crate) routes: Vec<(CompactString, String)>,
    /// What the app says of itself there that cannot be understood.
    #[serde(default)]
    pub(crate) faults: Vec<String>,
}

impl Arrival {
    /// A state that nobody has to describe any more.
    pub(super) fn at(graph: &PageGraph, mark: &Fingerprint) -> Self {
        Self {
            state_id: mark.state_id(),
            fingerprint: mark.hash.clone(),
            url: graph.route.url.to_string(),
            title: graph.route.title.as_deref().unwrap_or_default().to_owned(),
            locale: graph.locale.clone(),
            graph: None,
            details: Details::default(),
            screenshot: None,
            routes: Vec::new(),
            faults: Vec::new(),
        }
    }
}

impl Outcome {
    pub(crate) fn failed(error: GroundError) -> Self {
        Self::Failed { kind: error.kind, detail: error.detail }
    }
}
