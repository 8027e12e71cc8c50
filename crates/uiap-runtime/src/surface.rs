//! What the runtime asks of whatever shows the app: to be looked at, and to be acted on. A browser is one, a script in a test
//! is another.

use std::collections::HashSet;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use uiap_model::action::result::ResolvedTarget;
use uiap_model::capability::{ActionDescriptor, ExecutionMode};
use uiap_model::json::JsonObject;
use uiap_model::names::{ActionHandle, ActionId, DocumentId, ElementInstanceId};
use uiap_model::web::signal::WebSignal;
use uiap_model::web::{ElementNode, PageGraph, ScopeNode};

/// Something that shows an app. Its methods may run side by side; the runtime sends one input at a time.
pub trait Surface: Send + Sync + 'static {
    /// Who tells what is seen.
    type Observer: Observer;

    /// Begins to observe.
    fn observe(&self) -> impl Future<Output = Result<Self::Observer, SurfaceError>> + Send;

    /// The ways in which it can act.
    fn modes(&self) -> &[ExecutionMode];

    /// The order in which they are best tried here, where that is not the usual one.
    fn preference(&self) -> Option<&[ExecutionMode]> {
        None
    }

    /// Whether it can do this in that way at all.
    fn can(&self, mode: ExecutionMode, command: &Command) -> bool;

    /// Does it. What comes of it is seen by the observer. Where the target was found to be something, nothing is sent once it
    /// is something else, if [`checks`](Self::checks) says so.
    fn dispatch(
        &self,
        mode: ExecutionMode,
        command: &Command,
        found: Option<Found<'_>>,
    ) -> impl Future<Output = Result<Done, DispatchError>> + Send;

    /// Whether it compares a target with what it was found to be at the moment of sending. Otherwise somebody has to look right
    /// before.
    fn checks(&self) -> bool {
        false
    }

    /// Whether a script of the app listens that may take back what a control is given.
    fn is_heard(&self) -> impl Future<Output = Result<bool, SurfaceError>> + Send {
        async { Ok(true) }
    }

    /// Whether a pointer reaches the element, after it was brought into view and came to rest. Sends nothing.
    fn reach(&self, target: &ElementInstanceId) -> impl Future<Output = Result<Reach, SurfaceError>> + Send;

    /// What a field holds at this moment, whatever the observer saw last.
    fn read(&self, target: &ElementInstanceId) -> impl Future<Output = Result<Reading, SurfaceError>> + Send;

    /// Whether a field holds exactly this text. A secret is compared where it is.
    fn holds(
        &self,
        target: &ElementInstanceId,
        text: &str,
    ) -> impl Future<Output = Result<bool, SurfaceError>> + Send;

    /// The one element that a selector of the platform means; none when it means none or several, or cannot be read.
    fn locate(
        &self,
        hint: &Hint,
    ) -> impl Future<Output = Result<Option<ElementInstanceId>, SurfaceError>> + Send;

    /// The actions that the app itself offers at this moment.
    fn app_actions(&self) -> impl Future<Output = Result<Vec<ActionDescriptor>, SurfaceError>> + Send;

    /// What is still going on that may change the page, such as requests under way.
    fn pending(&self) -> Vec<String>;

    /// Waits until the page has come to rest, at most so long; says what was still going on.
    fn settle(&self, limit: Duration) -> impl Future<Output = Result<Rest, SurfaceError>> + Send;

    /// From now on what is seen belongs to this action, or to none.
    fn acting(&self, action: Option<ActionHandle>);
}

/// Tells what is seen, in order: the signals of a change come before the revision that shows it.
pub trait Observer: Send + 'static {
    /// What was told by itself, as soon as there is something. Nothing at all means that it is time to look. Dropping the future
    /// loses nothing.
    fn next(&mut self) -> impl Future<Output = Result<Vec<Sight>, SurfaceError>> + Send;

    /// Looks now and tells what was not told yet.
    fn look(&mut self) -> impl Future<Output = Result<Vec<Sight>, SurfaceError>> + Send;
}

/// Something seen.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "it is handed on at once")]
pub enum Sight {
    /// The page or the browser told something.
    Signal(Heard),
    /// The page is another.
    Revision(Seen),
}

/// A signal, and what is known of where it came from beyond what the protocol tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// The signal.
    pub signal: WebSignal,
    /// Whether the handlers of an input of its action did it, and certainly nobody else.
    pub caused: bool,
    /// The place in the app's scripts that asked for it, as `address:line`.
    pub place: Option<String>,
}

impl From<WebSignal> for Heard {
    fn from(signal: WebSignal) -> Self {
        Self { signal, caused: false, place: None }
    }
}

/// A page as it is now, and what is different.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The page.
    pub graph: Arc<PageGraph>,
    /// Elements that were added, changed or removed.
    pub elements: Vec<Touched<Arc<ElementNode>>>,
    /// Scopes that were added, changed or removed, without their elements.
    pub scopes: Vec<Touched<ScopeNode>>,
    /// Elements that were touched by whoever listened to an input, and certainly by nobody else.
    pub caused: HashSet<ElementInstanceId>,
    /// Whether it stands by itself: the first one, or one of another document.
    pub is_fresh: bool,
}

/// Something before and after a change; one of both is always there.
#[derive(Clone, Debug)]
pub struct Touched<T> {
    /// Its document.
    pub document_id: DocumentId,
    /// As it was; none when it is new.
    pub before: Option<T>,
    /// As it is; none when it is gone.
    pub after: Option<T>,
}

/// One thing to do. What is typed may be a secret: a command is never written down as it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// A click, or a press for as long as asked.
    Click(Press),
    /// The pointer over the element.
    Hover(ElementInstanceId),
    /// A touch.
    Tap {
        /// On what.
        target: ElementInstanceId,
        /// For how long.
        hold: Duration,
    },
    /// Two fingers apart (above 1) or together.
    Pinch {
        /// On what.
        target: ElementInstanceId,
        /// How far.
        scale: f64,
    },
    /// One element onto another.
    Drag {
        /// What is taken.
        source: ElementInstanceId,
        /// Where it is let go.
        target: ElementInstanceId,
    },
    /// Text into a field, in the place of what it holds or after it.
    Type {
        /// The field.
        target: ElementInstanceId,
        /// What to write.
        text: String,
        /// Whether what was there goes.
        replace: bool,
        /// Whether each key is pressed by itself.
        by_keys: bool,
    },
    /// Keys, such as `Control+A`, to an element or to whatever has the focus.
    Keys {
        /// Who gets the focus first.
        target: Option<ElementInstanceId>,
        /// The keys.
        chord: String,
    },
    /// The focus.
    Focus(ElementInstanceId),
    /// Into view.
    ScrollIntoView(ElementInstanceId),
    /// A turn of the wheel over an element or over the page.
    Scroll {
        /// What is scrolled; the page when it is left out.
        target: Option<ElementInstanceId>,
        /// To the right, in CSS pixels.
        x: f64,
        /// Down.
        y: f64,
    },
    /// Options of a native control, by value.
    Select {
        /// The control.
        target: ElementInstanceId,
        /// Values of its options.
        values: Vec<String>,
    },
    /// A value by the control's own setter, with the events that an app waits for.
    SetValue {
        /// The control.
        target: ElementInstanceId,
        /// As the control writes it.
        value: String,
    },
    /// A form, as by its button.
    Submit(ElementInstanceId),
    /// Files into a control, or into the chooser that it opens.
    Upload {
        /// The control.
        target: ElementInstanceId,
        /// The files.
        files: Vec<PathBuf>,
    },
    /// Another address.
    Navigate(String),
    /// Back or forward in the history.
    Travel(i32),
    /// A function that the app registered.
    Invoke {
        /// Which.
        action_id: ActionId,
        /// With what.
        args: JsonObject,
        /// For which action.
        handle: ActionHandle,
    },
    /// Shows the element to a person.
    Highlight(ElementInstanceId),
}

/// How an element is pressed.
#[derive(Clone, Debug, PartialEq)]
pub struct Press {
    /// What.
    pub target: ElementInstanceId,
    /// Which button: 0 the main one, 1 the middle one, 2 the one for menus.
    pub button: u8,
    /// How often.
    pub count: u32,
    /// Keys that are held: `Alt`, `Control`, `Meta`, `Shift`.
    pub modifiers: Vec<String>,
    /// Where in its box; the middle when it is left out.
    pub position: Option<(f64, f64)>,
    /// For how long.
    pub hold: Duration,
}

impl Press {
    /// A plain click.
    pub fn on(target: ElementInstanceId) -> Self {
        Self { target, button: 0, count: 1, modifiers: Vec::new(), position: None, hold: Duration::ZERO }
    }
}

impl Command {
    /// What it is called in a trace.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Click(_) => "click",
            Self::Hover(_) => "hover",
            Self::Tap { .. } => "tap",
            Self::Pinch { .. } => "pinch",
            Self::Drag { .. } => "drag",
            Self::Type { .. } => "type",
            Self::Keys { .. } => "keys",
            Self::Focus(_) => "focus",
            Self::ScrollIntoView(_) => "scrollIntoView",
            Self::Scroll { .. } => "scroll",
            Self::Select { .. } => "select",
            Self::SetValue { .. } => "setValue",
            Self::Submit(_) => "submit",
            Self::Upload { .. } => "upload",
            Self::Navigate(_) => "navigate",
            Self::Travel(_) => "travel",
            Self::Invoke { .. } => "invoke",
            Self::Highlight(_) => "highlight",
        }
    }
}

/// What a target was found to be, for a surface that compares.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The target.
    pub target: &'a ResolvedTarget,
    /// Whether it was found in what the observer was told before, without another look: then nothing is sent unless the app still is exactly that.
    pub unchanged: bool,
}

/// What is known of a command that was carried out. Whether it had the wanted effect is another question.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Done {
    /// Where a pointer was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<(f64, f64)>,
    /// The events that the page saw.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
    /// Whether the document was left at once.
    pub left: bool,
    /// Whether the next look shows the app after everything that it does at once, and not in the middle of it.
    #[serde(skip)]
    pub settled: bool,
    /// How far something was scrolled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scrolled: Option<(f64, f64)>,
    /// The names of the files that the control holds afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// What a function of the app returned.
    #[serde(skip)]
    pub value: Option<Value>,
    /// What such a function says of its effect.
    #[serde(skip)]
    pub side_effect: Option<uiap_model::action::SideEffectState>,
}

/// Whether a pointer reaches an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It does.
    Clear,
    /// Something lies over it: what, in words.
    Covered(Option<String>),
    /// It cannot be brought into view.
    Outside,
    /// It has no box.
    Hidden,
    /// It does not come to rest.
    Moving,
    /// It is gone.
    Gone,
}

/// What a control holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// Its text; none where it is a secret or there is none.
    pub text: Option<String>,
    /// Its number.
    pub number: Option<f64>,
    /// Whether it is on.
    pub checked: Option<uiap_model::capability::Checked>,
}

/// A selector of the platform: the last resort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// A CSS selector.
    Css(String),
    /// An XPath expression.
    XPath(String),
}

/// Whether the page came to rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rest {
    /// Whether it did.
    pub quiet: bool,
    /// What was still going on, in words.
    pub unrest: Vec<String>,
}

/// Why a surface could not be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SurfaceError {
    /// The page, its window or the browser is gone.
    #[error("the page is gone: {0}")]
    Closed(String),
    /// The page crashed; it can be loaded again.
    #[error("the page crashed")]
    Crashed,
    /// It did not answer in time.
    #[error("the page did not answer: {0}")]
    Unresponsive(String),
    /// There is no such element any more.
    #[error("the element is not in the page any more")]
    Gone,
    /// Anything else.
    #[error("{0}")]
    Fault(String),
}

/// Why a command was not carried out, or nobody knows whether it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{reason}")]
pub struct DispatchError {
    /// What happened.
    pub kind: DispatchErrorKind,
    /// In words.
    pub reason: String,
    /// Whether the app has certainly not noticed anything.
    pub without_effect: bool,
}

/// What kept a command from its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DispatchErrorKind {
    /// A pointer does not reach the target.
    Unreachable,
    /// The target is gone, or is something else by now.
    Gone,
    /// Only a person's own gesture can do it.
    NeedsUser,
    /// The command makes no sense there; another way may do it.
    Unsuitable,
    /// The command makes no sense at all, such as a key that nobody has.
    Invalid,
    /// The app's own function refused or failed.
    AppFailed,
    /// An address that may not be visited.
    Forbidden,
    /// An address at which nobody answers.
    Absent,
    /// The page or the browser is gone.
    Lost,
    /// Anything else.
    Fault,
}

impl DispatchError {
    /// Nothing was sent.
    pub fn unsent(kind: DispatchErrorKind, reason: impl Into<String>) -> Self {
        Self { kind, reason: reason.into(), without_effect: true }
    }

    /// Something may have been sent.
    pub fn uncertain(kind: DispatchErrorKind, reason: impl Into<String>) -> Self {
        Self { kind, reason: reason.into(), without_effect: false }
    }
}
