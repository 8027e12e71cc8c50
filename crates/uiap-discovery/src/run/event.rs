//! What the engine tells whoever watches: a terminal, a session, a log. Nothing else passes between them.

use compact_str::CompactString;
use uiap_model::discovery::{DiscoveryRunStatus, DiscoverySeed};
use uiap_model::names::ActionId;

use crate::record::{Aim, Incident};

/// Something that happened in a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RunEvent {
    /// The run entered another phase.
    Status(DiscoveryRunStatus),
    /// What the run sets out with: environment, profiles, feature flags, budgets, safety, UIAP profiles, seeds. No page was
    /// opened yet.
    Prepared(serde_json::Value),
    /// The documents of the app were read, by their names. Nothing was done to the app yet.
    AppRead(Vec<CompactString>),
    /// A seed was refused.
    SeedRejected {
        /// Which.
        seed: DiscoverySeed,
        /// Why.
        reason: String,
    },
    /// A state was found that nobody knew; it is on the disk.
    StateFound {
        /// Its id.
        state_id: CompactString,
        /// Its address.
        url: String,
        /// Its title.
        title: String,
    },
    /// An action was carried out; it is on the disk.
    Acted {
        /// Where.
        from: CompactString,
        /// What.
        action_id: ActionId,
        /// To what.
        aim: Option<Aim>,
        /// Where it led.
        to: Option<CompactString>,
    },
    /// Something that a person should know.
    Incident(Incident),
    /// How far it is.
    Progress(Progress),
}

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// States known.
    pub states: usize,
    /// Actions carried out.
    pub transitions: usize,
    /// Actions that may still be tried.
    pub frontier: usize,
    /// Places of the app seen.
    pub routes: usize,
    /// The state that is being explored.
    pub state_id: Option<CompactString>,
    /// What is being done.
    pub doing: Option<String>,
    /// Milliseconds since it began.
    pub elapsed_ms: u64,
}

/// Gets every event, in order. Must not block.
pub type Listener = std::sync::Arc<dyn Fn(RunEvent) + Send + Sync>;
