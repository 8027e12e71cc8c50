//! What a run saw and did, as it is stored. The explorer writes it, the derivation reads it; nothing else passes between them.

use std::collections::BTreeSet;
use std::sync::Arc;

use compact_str::{CompactString, format_compact};
use serde::{Deserialize, Serialize};
use uiap_model::capability::{ActionDescriptor, SuccessSignal};
use uiap_model::discovery::review::{DiscoveryActionEffect, DiscoveryActionReason};
use uiap_model::discovery::transition::DiscoveryStateSnapshot;
use uiap_model::discovery::{
    DiscoveryEnvironment, DiscoveryRunSummary, DiscoverySeed, EvidenceRef, EvidenceSource,
};
use uiap_model::json::JsonObject;
use uiap_model::names::{ActionId, ScopeId, StableId};
use uiap_model::policy::SideEffectClass;
use uiap_model::web::PageGraph;

use crate::structure;

/// Everything that a run knows when it stops exploring.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunRecord {
    /// Who, when, how it ended.
    pub summary: DiscoveryRunSummary,
    /// Where, as whom, how far.
    pub environment: DiscoveryEnvironment,
    /// Where it began.
    pub seeds: Vec<SeedRecord>,
    /// What was seen, in the order in which it was taken up.
    pub states: Vec<StateRecord>,
    /// What was done, in the order in which it was taken up.
    pub transitions: Vec<TransitionRecord>,
    /// What was weighed, also where nothing was done.
    pub decisions: Vec<DecisionRecord>,
    /// What went wrong or needs a person.
    pub incidents: Vec<Incident>,
    /// The documents of the app that were read before anything else, by their names.
    #[serde(default)]
    pub documents: Vec<CompactString>,
}

/// A seed and what became of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeedRecord {
    /// The seed.
    pub seed: DiscoverySeed,
    /// Where it comes from: `commandLine`, `manifest`, `annotation`, `registry`, `navigation`, `sitemap`, `documentation`,
    /// `previousPackage`.
    pub origin: CompactString,
    /// Why it was refused; none when it was accepted.
    pub rejected: Option<String>,
    /// The state that it led to.
    pub state_id: Option<CompactString>,
}

/// A state of the app: one per fingerprint.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StateRecord {
    /// Computed from the fingerprint: the same in every run.
    pub state_id: CompactString,
    /// What makes it this state and no other.
    pub fingerprint: CompactString,
    /// The address at which it was seen first.
    pub url: String,
    /// The other addresses at which it was seen, at most a few.
    pub other_urls: BTreeSet<String>,
    /// The page's title.
    pub title: String,
    /// What was seen, redacted.
    pub graph: Arc<PageGraph>,
    /// Role and name of what Chromium's own accessibility tree holds; evidence, not the source.
    pub accessibility: Option<Vec<AxFact>>,
    /// The masked picture, as a path inside the package's directory.
    pub screenshot: Option<String>,
    /// The actions that the app itself offered there.
    pub app_actions: Vec<ActionDescriptor>,
    /// The seed that led here directly.
    pub seed: Option<DiscoverySeed>,
    /// How many actions lie between a seed and this.
    pub depth: u32,
    /// Which principal profiles reached it.
    pub profiles: BTreeSet<CompactString>,
    /// How often it was seen.
    pub visits: u32,
}

impl StateRecord {
    /// The state as the specification describes one. Spec: discovery-mapper §11.2.
    pub fn snapshot(&self) -> DiscoveryStateSnapshot {
        let seen = |source: EvidenceSource| {
            let ref_id = format_compact!("{source}:{}", self.state_id);
            EvidenceRef { source, ref_id, note: None }
        };
        let structure = structure::of(&self.graph);
        let published = (structure == structure::PROVIDER).then(|| seen(EvidenceSource::AppRegistry));
        let mut first: Vec<EvidenceRef> = published.into_iter().chain([seen(EvidenceSource::Dom)]).collect();
        if let Some(source) = first.first_mut() {
            source.note = Some(format_compact!("structure: {structure}"));
        }
        let beside = [
            (EvidenceSource::Accessibility, self.accessibility.is_some()),
            (EvidenceSource::Screenshot, self.screenshot.is_some()),
        ];
        let beside = beside.into_iter().filter(|(_, there)| *there).map(|(source, _)| seen(source));
        DiscoveryStateSnapshot {
            state_id: self.state_id.clone(),
            page_graph: (*self.graph).clone(),
            screenshot_ref: self.screenshot.as_deref().map(CompactString::from),
            evidence: first.into_iter().chain(beside).collect(),
            fingerprint: self.fingerprint.clone(),
            discovered_at: self.graph.ts.clone(),
            entry_seed: self.seed.clone(),
        }
    }
}

/// One node of the accessibility tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AxFact {
    /// Chromium's role.
    pub role: CompactString,
    /// Its name.
    pub name: String,
}

/// What an action was aimed at, in words that outlive the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aim {
    /// Its stable id, where the app gave one.
    pub stable_id: Option<StableId>,
    /// Its role.
    pub role: CompactString,
    /// Its name.
    pub name: String,
    /// The scope that it is in.
    pub scope_id: Option<ScopeId>,
    /// Which one of those with the same role, name and scope, from 0.
    pub ordinal: u32,
    /// Where a link leads, without its query's values.
    pub href: Option<String>,
}

/// An action that was carried out, and where it led.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TransitionRecord {
    /// Computed from its ends, action and aim: the same in every run.
    pub transition_id: CompactString,
    /// Where it began.
    pub from: CompactString,
    /// Where it ended; none when no state could be told.
    pub to: Option<CompactString>,
    /// What was done.
    pub action_id: ActionId,
    /// To what.
    pub aim: Option<Aim>,
    /// With what; never a secret.
    pub args: JsonObject,
    /// How it was judged beforehand.
    pub side_effect: SideEffectClass,
    /// What could be observed of it, as signals that a contract can use.
    pub signals: Vec<SuccessSignal>,
    /// The requests that it caused.
    pub requests: Vec<RequestRecord>,
    /// Who did it.
    pub profile: CompactString,
    /// How often it was tried, and how often it led to the same state.
    pub tries: u32,
    /// See `tries`.
    pub agreed: u32,
    /// Whether it was done where nothing could come of it, to see whether it asks first.
    #[serde(default, skip_serializing_if = "crate::ground::is_false")]
    pub sealed: bool,
}

/// A request and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestRecord {
    /// `GET`, `POST`, …
    pub method: CompactString,
    /// Path without query values, origin left out when it is the app's.
    pub path: String,
    /// Whether it was taken for a write.
    pub writes: bool,
    /// Whether it was held back.
    pub held: bool,
}

/// A decision before an action.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DecisionRecord {
    /// Where.
    pub state_id: CompactString,
    /// What would be done.
    pub action_id: ActionId,
    /// To what.
    pub aim: Option<Aim>,
    /// How its consequences were judged.
    pub side_effect: SideEffectClass,
    /// Whether it is done.
    pub effect: DiscoveryActionEffect,
    /// The reason in the specification's words.
    pub reason: DiscoveryActionReason,
    /// The facts that led to it, in plain words.
    pub because: String,
    /// As whom.
    pub profile: CompactString,
}

/// Stands between what happened and the control that it came of.
pub(crate) const CAUSE: &str = "; it came of ";

/// Something that a person should know, which no catalogue holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Incident {
    /// What kind.
    pub kind: IncidentKind,
    /// Where, when a state is known.
    pub state_id: Option<CompactString>,
    /// At which address.
    pub url: Option<String>,
    /// In plain words.
    pub detail: String,
}

/// What can happen to an explorer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum IncidentKind {
    /// The address did not answer, or not with a page.
    Unreachable,
    /// The certificate was refused.
    TlsError,
    /// The server answered with an error.
    ServerError,
    /// Redirects without end.
    RedirectLoop,
    /// The session ended in the middle.
    SessionExpired,
    /// The page never came to rest.
    NeverSettled,
    /// A file was offered.
    Download,
    /// A window was opened.
    Popup,
    /// The page asked before it was left.
    BeforeUnload,
    /// A dialog of the browser.
    Dialog,
    /// The server asked for a name and a password.
    BasicAuth,
    /// The address is not the app's.
    ExternalOrigin,
    /// An exploration action caused a write, which was held back.
    WriteHeld,
    /// The page wrote by itself.
    SelfWrite,
    /// The same action led somewhere else.
    NotReproducible,
    /// The way back to a state was lost.
    LostState,
    /// More of the same than a budget allows: a calendar, a list without end.
    Endless,
    /// The browser or the page crashed.
    Crash,
    /// The app says something of itself that cannot be understood; it was not used.
    Malformed,
    /// A budget ended the run.
    BudgetReached,
    /// What must not be done twice was under way when the run was killed.
    Interrupted,
}

/// What a ground adds to `ElementNode::metadata`, because a page graph has no place for it.
pub mod fact {
    /// Where a link leads: the whole address, resolved, without secrets.
    pub const HREF: &str = "href";
    /// The address that the form around a control is sent to, resolved.
    pub const FORM_ACTION: &str = "formAction";
    /// The method of the form around a control, in lower case: `get`, `post`, `dialog`.
    pub const FORM_METHOD: &str = "formMethod";
    /// Whether the control sends its form.
    pub const SUBMITS: &str = "submits";
    /// The `type` of an input or button, such as `submit` or `file`.
    pub const TYPE: &str = "type";
    /// Whether the link offers a file.
    pub const DOWNLOAD: &str = "download";
    /// The `target` of a link or form, when it is another window.
    pub const WINDOW: &str = "window";
    /// What opens by it: the value of `aria-haspopup`, `true` for `aria-expanded` or a `popovertarget`.
    pub const OPENS: &str = "opens";
    /// Words of an icon: class names of it, names of symbols, `title`; in one line.
    pub const ICON: &str = "icon";
    /// What it is called in the DOM, where the app's own page graph calls it something else.
    pub const SEEN_NAME: &str = "seenName";
    /// Of a whole page: something that it would have written was held back when it was seen.
    pub const HELD: &str = "held";
    /// The role that it has in the DOM, where the app's own page graph gives it another.
    pub const SEEN_ROLE: &str = "seenRole";
}
