//! What the explorer asks of whatever shows the app: to be led to an address, to be looked at, to be acted on. A browser is one
//! ground, a script in a test is another.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};
use uiap_model::capability::{ActionDescriptor, SuccessSignal};
use uiap_model::json::JsonObject;
use uiap_model::names::{ActionId, ElementInstanceId};
use uiap_model::web::PageGraph;

use crate::record::{Aim, AxFact, Incident, IncidentKind, RequestRecord};

/// Something that shows an app.
pub trait Ground: Send + Sync + 'static {
    /// Where the app is shown to one principal.
    type Place: Place;

    /// Opens a place of its own as this profile, logged in, at the address where the app begins.
    fn open(&self, profile: &str) -> impl Future<Output = Result<Self::Place, GroundError>> + Send;

    /// Whether a profile was given a way to be logged in.
    fn is_somebody(&self, _profile: &str) -> bool {
        false
    }

    /// Whether e-mail addresses, card numbers and tokens stay as the app shows them. Nobody keeps them without being asked to.
    fn keeps_private(&self) -> bool {
        false
    }
}

/// One window on the app, shared with nobody.
pub trait Place: Send + 'static {
    /// Makes it as if nobody had been here: what earlier visits stored is gone. Says whether it had to begin anew for that.
    fn renew(&mut self) -> impl Future<Output = Result<bool, GroundError>> + Send;

    /// Goes to an address and looks when it has come to rest.
    fn go(&mut self, url: &str) -> impl Future<Output = Result<Looked, GroundError>> + Send;

    /// Does one thing and looks when the page has come to rest. `idle` is what the page is known to write by itself.
    fn act(
        &mut self,
        deed: &Deed,
        target: Option<&ElementInstanceId>,
        idle: &BTreeSet<Traffic>,
    ) -> impl Future<Output = Result<Acted, GroundError>> + Send;

    /// Where a control leads now, where the page says so: what is found again by its name may lead elsewhere than when it was
    /// judged.
    fn leads(
        &mut self,
        target: &ElementInstanceId,
    ) -> impl Future<Output = Result<Option<String>, GroundError>> + Send;

    /// Looks when the page has come to rest.
    fn rest(&mut self) -> impl Future<Output = Result<Looked, GroundError>> + Send;

    /// One step back in the history; looks when the page has come to rest.
    fn back(&mut self) -> impl Future<Output = Result<Looked, GroundError>> + Send;

    /// Takes a step back within the page and looks at once: by a deed, or by the Escape key, which closes what lies over a page.
    fn undo(
        &mut self,
        deed: Option<(&Deed, &ElementInstanceId)>,
        idle: &BTreeSet<Traffic>,
    ) -> impl Future<Output = Result<Looked, GroundError>> + Send;

    /// From now on nothing that the page does reaches anybody: no request but for code and style, no message through a socket
    /// or to a worker. It holds until the place is closed; of no other use is it any more.
    fn seal(&mut self) -> impl Future<Output = Result<(), GroundError>> + Send;

    /// The documents by which the app describes itself, where it has any.
    fn documents(&mut self) -> impl Future<Output = Vec<AppDocument>> + Send {
        async { Vec::new() }
    }

    /// The text at an address of the app; none where there is none.
    fn read(&mut self, _address: &str) -> impl Future<Output = Result<Option<String>, GroundError>> + Send {
        async { Ok(None) }
    }

    /// What is kept of a state beside what tells it apart.
    fn evidence(&mut self) -> impl Future<Output = Result<Evidence, GroundError>> + Send;

    /// Ends it.
    fn close(self) -> impl Future<Output = ()> + Send;
}

/// One thing to do to an element, or to the app as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "do")]
pub enum Deed {
    /// Presses it.
    Activate,
    /// Follows a link.
    Follow,
    /// Goes where a link leads that would open another window.
    Go {
        /// Where.
        url: String,
    },
    /// Turns it on or off.
    Toggle,
    /// Opens what it holds.
    Open,
    /// Takes one of its options, by value.
    Choose {
        /// The value.
        value: String,
    },
    /// Writes into it.
    EnterText {
        /// What.
        text: String,
    },
    /// Calls a function that the app registered.
    Invoke {
        /// Which.
        action_id: ActionId,
        /// With what.
        args: JsonObject,
    },
}

impl Deed {
    /// The action that it is in the words of the protocol.
    pub fn action_id(&self) -> Option<ActionId> {
        let word = match self {
            Self::Activate => "ui.activate",
            Self::Follow | Self::Go { .. } => "nav.navigate",
            Self::Toggle => "ui.toggle",
            Self::Open => "ui.open",
            Self::Choose { .. } => "ui.choose",
            Self::EnterText { .. } => "ui.enterText",
            Self::Invoke { action_id, .. } => return Some(action_id.clone()),
        };
        ActionId::parse(word)
    }

    /// Its arguments.
    pub fn args(&self) -> JsonObject {
        let pair =
            |name: &str, value: &str| JsonObject(std::iter::once((name.to_owned(), value.into())).collect());
        match self {
            Self::Choose { value } => pair("value", value),
            Self::EnterText { text } => pair("text", text),
            Self::Invoke { args, .. } => args.clone(),
            Self::Activate | Self::Follow | Self::Go { .. } | Self::Toggle | Self::Open => {
                JsonObject(serde_json::Map::new())
            }
        }
    }
}

/// A deed with what it is aimed at: enough to do it again in another window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// What is done.
    pub deed: Deed,
    /// To what.
    pub aim: Option<Aim>,
    /// Whether it is only done where nothing can come of it, see [`Place::seal`].
    #[serde(default, skip_serializing_if = "is_false")]
    pub sealed: bool,
    /// What is written into its form before it is sent, in this order; only where test data may be written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drafts: Vec<Draft>,
}

/// What is written into one field of a form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    /// What is done.
    pub deed: Deed,
    /// To which field.
    pub aim: Aim,
}

/// For members that are left out when they say nothing.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the serializer asks so")]
pub(crate) fn is_false(flag: &bool) -> bool {
    !flag
}

/// A kind of request that a page sends by itself: which page, method, path and what it carries, ids and times taken out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Traffic {
    /// `POST`, …
    pub method: CompactString,
    /// The path, numbers taken out.
    pub path: String,
    /// The path of the page that sends it, numbers taken out: what one page does by itself another may do because it was told to.
    #[serde(default)]
    pub page: String,
    /// The same for two that carry the same but for ids and times.
    #[serde(default)]
    pub gist: String,
}

/// A page at rest.
#[derive(Clone, Debug)]
pub struct Looked {
    /// What it shows.
    pub graph: Arc<PageGraph>,
    /// What happened on the way that a person should know.
    pub incidents: Vec<Incident>,
    /// What it wrote by itself.
    pub self_writes: Vec<Traffic>,
    /// Whether something that its document would have written was held back: it may wait for an answer for ever, and what it
    /// kept to write later must not be loaded again.
    pub held: bool,
    /// What was held back when nobody acted any more.
    pub late: Vec<RequestRecord>,
}

/// What came of a deed.
#[derive(Clone, Debug)]
pub struct Acted {
    /// The page afterwards.
    pub looked: Looked,
    /// What was seen meanwhile.
    pub signals: Vec<SuccessSignal>,
    /// The requests that it caused.
    pub requests: Vec<RequestRecord>,
}

/// A document by which an app describes itself, as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppDocument {
    /// `capabilities`, `policy` or `workflows`.
    pub name: &'static str,
    /// Its text.
    pub text: String,
}

/// What is kept of a state.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// What the page shows, with boxes and the facts of [`fact`](crate::record::fact), redacted; what was looked at stands
    /// where there is none.
    pub graph: Option<Arc<PageGraph>>,
    /// A masked picture, as PNG or WebP.
    pub picture: Option<Vec<u8>>,
    /// What the platform's own accessibility tree holds.
    pub accessibility: Option<Vec<AxFact>>,
    /// What the app itself offers to do there.
    pub actions: Vec<ActionDescriptor>,
    /// The places that the app says it has: id and pattern.
    pub routes: Vec<(CompactString, String)>,
    /// What the app says of itself that cannot be understood.
    pub faults: Vec<String>,
}

/// Why a place could not do what it was asked for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{detail}")]
pub struct GroundError {
    /// What a person is told.
    pub kind: IncidentKind,
    /// In words.
    pub detail: String,
    /// Whether the place is of no use any more.
    pub is_lost: bool,
}

impl GroundError {
    /// The place can still be used.
    pub fn new(kind: IncidentKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), is_lost: false }
    }

    /// The place is gone.
    pub fn lost(kind: IncidentKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), is_lost: true }
    }
}
