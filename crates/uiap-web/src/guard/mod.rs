//! A guard before the network of one page: sees every request before it leaves, knows whether an action caused it, and holds back
//! what would write. Other origins are not reached at all.
//!
//! An action is not over when the page rests: drafts are saved a while later, what failed is tried again, and a page says goodbye
//! when it is left. So what a document writes after the first action in it is held too, unless it is known to write that by itself.
//!
//! A page is not told that something was held back: it waits for an answer, as from a slow server. What it would show and send
//! if it knew is nothing that anybody else ever sees.
//!
//! Messages through sockets are judged in the page: once something was done there, only those pass that ask, and those that are
//! like what was said before. In a sealed page none does.

mod graphql;
mod hold;
mod leads;
mod question;
mod reach;
mod speech;
mod traffic;

use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uiap_cdp::protocol::ProtocolEvent as _;
use uiap_cdp::protocol::fetch::{
    AuthAnswer, AuthChallengeResponse, AuthRequired, ContinueRequest, ContinueWithAuth, FailRequest,
    FulfillRequest, RequestPaused,
};
use uiap_cdp::protocol::network::{ErrorReason, Request, ResourceType, SetBypassServiceWorker};
use uiap_cdp::protocol::page::{FrameId, FrameNavigated};
use uiap_cdp::protocol::runtime::BindingCalled;
use uiap_cdp::protocol::target::TargetId;
use uiap_cdp::{CallError, Preparation, Session, SessionEvent, SessionEvents};

use self::hold::{HELD, Hold, KEPT, Step};
pub use self::leads::{Lead, leads};
use self::question::{Sent, is_write};
pub use self::speech::Saying;
pub use self::traffic::{WriteKind, gist, origin, pattern};
use crate::error::PageError;
use crate::page::Page;

const EVENTS: [&str; 3] = [RequestPaused::NAME, AuthRequired::NAME, FrameNavigated::NAME];
/// Requests that are remembered between two questions.
const MOST: usize = 2_000;

/// What the guard lets pass.
#[derive(Debug, Clone, Default)]
pub struct GuardOptions {
    /// The origins that may be reached.
    pub origins: BTreeSet<String>,
    /// Origins that belong to the app and have no pages of it: what pages ask them for is judged as if it were asked of the app,
    /// and nobody goes there.
    pub supplies: BTreeSet<String>,
    /// Origins whose frames may load: they are reached by those frames and by nobody else.
    pub frames: BTreeSet<String>,
    /// Name and password for a server that asks.
    pub credentials: Option<(String, String)>,
    /// Which addresses act when they are only fetched; none does where nobody says so.
    pub acts: Option<Acts>,
}

/// Which addresses change something although they are only fetched: `/logout`, `/items/3/delete`. Whoever decides about links knows.
#[derive(Debug, Clone, Copy)]
pub struct Acts {
    /// Whether an address does.
    pub judge: fn(&str) -> bool,
    /// Parts of such addresses: what holds one of them is looked at even if it is for a picture or a script.
    pub verbs: &'static [&'static str],
}

/// A request that the guard saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenRequest {
    /// `GET`, `POST`, …
    pub method: String,
    /// The whole address.
    pub url: String,
    /// Whether it writes.
    pub writes: bool,
    /// Whether it was held back.
    pub held: bool,
    /// Whether it goes to another origin.
    pub external: bool,
    /// Whether it is for a document.
    pub is_document: bool,
    /// The [`gist`] of what it carries.
    pub gist: String,
}

/// What came of an action beside what the page shows.
#[derive(Debug, Clone, Default)]
pub struct Ended {
    /// The requests that it caused.
    pub caused: Vec<SeenRequest>,
    /// What the page said while it was under way.
    pub said: Vec<(String, Saying)>,
}

/// A server asked for a name and a password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge {
    /// Who asked.
    pub origin: String,
    /// For what.
    pub realm: String,
    /// Whether it was answered.
    pub answered: bool,
}

/// Stands before the network of a page, as long as there is the page: whoever forgets it before the page is gone would let pass
/// what waits for an answer.
#[derive(Debug, Clone)]
pub struct Guard {
    shared: Arc<Shared>,
    page: Page,
    hold: Arc<Hold>,
}

/// What becomes of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fate {
    /// It goes on.
    Passes,
    /// It fails.
    Fails(ErrorReason),
    /// It gets an answer that its page never hears of.
    Unanswered,
}

/// Where a request goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reached {
    /// To the app.
    App,
    /// To an origin whose frames may load, from such a frame.
    Guest,
    /// Anywhere else.
    Outside,
}

#[derive(Debug)]
struct Shared {
    options: GuardOptions,
    /// The page itself; its own frame is called so too.
    page: TargetId,
    holds: AtomicBool,
    sealed: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Since when an action is under way: what the page is known to write by itself, and whether another document came meanwhile.
    action: Option<Window>,
    /// What the page is known to write by itself, as long as a document is shown in which something was done.
    touched: Option<BTreeSet<WriteKind>>,
    /// The same of the document before: what it sends when it is left may be seen only after the next one came.
    left: Option<BTreeSet<WriteKind>>,
    /// What this document wrote when nothing had been done yet: whoever writes it once by itself may do so again.
    own: BTreeSet<WriteKind>,
    /// What belongs to the action.
    caused: Vec<SeenRequest>,
    /// What belongs to nobody.
    idle: Vec<SeenRequest>,
    challenges: Vec<Challenge>,
    /// Whether something was held back from the document that is shown.
    spoiled: bool,
    /// Whether something was held back from any document: what a later one sends may be the same once more.
    spent: bool,
    /// Whether something was kept for later where storage cannot be compared.
    kept: bool,
    /// The frames that show an origin whose frames may load.
    guests: HashSet<FrameId>,
}

#[derive(Debug)]
struct Window {
    known: BTreeSet<WriteKind>,
    new_document: bool,
}

impl Guard {
    /// Stands guard from now on; best before the page goes to its first address.
    pub async fn stand(page: &Page, options: GuardOptions) -> Result<Self, CallError> {
        let session = page.session();
        let events = session.events_of(&EVENTS);
        session.call(reach::watched()).await?;
        session.call(reach::blocked(&options)).await?;
        // A worker of the page would answer in the place of the network, and send what nobody sees.
        session.call(SetBypassServiceWorker { bypass: true }).await?;
        session.call(reach::paused(&options)).await?;
        let (hold, told) = Hold::install(session).await?;
        let shared = Arc::new(Shared::new(options, session.target_id().clone()));
        tokio::spawn(Arc::clone(&shared).run(session.clone(), events));
        tokio::spawn(Arc::clone(&shared).hear(told));
        Ok(Self { shared, page: page.clone(), hold: Arc::new(hold) })
    }

    /// Seals the page for good: nothing leaves it any more but the asking for code and style of its own origin. Says whether the
    /// page itself holds too; where it does not, nothing may be pressed.
    pub async fn seal(&self) -> Result<bool, CallError> {
        self.shared.sealed.store(true, Ordering::SeqCst);
        self.page.session().call(reach::everything()).await?;
        self.hold.switch(Step::Sealed).await
    }

    /// Stands before the network of a frame of the page that lives in a process of its own; called while the frame is held back.
    /// Gives what is done to the frame before it runs: every request of it is judged from its first on.
    pub fn attend(&self, frame: &Session) -> Result<Vec<Preparation>, serde_json::Error> {
        let events = frame.events_of(&EVENTS);
        tokio::spawn(Arc::clone(&self.shared).run(frame.clone(), events));
        reach::preparations(&self.shared.options)
    }

    /// Refuses everything that a frame asks for which no guard stands before; called while the frame is held back.
    pub fn closed(frame: &Session) -> Result<Vec<Preparation>, serde_json::Error> {
        let nothing = Shared::new(GuardOptions::default(), frame.target_id().clone());
        tokio::spawn(Arc::new(nothing).run(frame.clone(), frame.events_of(&EVENTS)));
        reach::preparations(&GuardOptions::default())
    }

    /// Whether what an action would write is held back from now on. At first it is not.
    pub fn hold(&self, hold: bool) {
        self.shared.holds.store(hold, Ordering::SeqCst);
        // What was done before belongs to whoever made the page ready.
        let mut state = self.shared.state();
        (state.touched, state.left) = (None, None);
    }

    /// From now on what is sent and said belongs to an action, except for what the page is known to send by itself. Says whether
    /// the page itself holds too: a document that wrote itself anew forgot how, and nothing may be done in it.
    pub async fn begin(&self, known: BTreeSet<WriteKind>) -> Result<bool, PageError> {
        {
            let mut state = self.shared.state();
            state.caused.clear();
            state.touched = Some(known.clone());
            state.action = Some(Window { known, new_document: false });
        }
        speech::listen(&self.page, self.event(Step::Acting).as_deref()).await
    }

    /// The action is over; what it caused, and what the page said meanwhile.
    pub async fn end(&self) -> Ended {
        let said = speech::take(&self.page, self.event(Step::Free).as_deref()).await;
        let said = said.unwrap_or_else(|error| {
            tracing::debug!(%error, "the page was gone before the action was over");
            Vec::new()
        });
        let mut state = self.shared.state();
        state.action = None;
        Ended { caused: std::mem::take(&mut state.caused), said }
    }

    /// What the page's own guard is told; nothing where nothing is held.
    fn event(&self, step: Step) -> Option<String> {
        self.shared.holds.load(Ordering::SeqCst).then(|| self.hold.event(step))
    }

    /// Whether something was held back from the document that is shown: it may wait for an answer for ever.
    pub fn is_spoiled(&self) -> bool {
        self.shared.state().spoiled
    }

    /// Whether something that was done made the page keep something for later, in a database or a cache.
    pub fn has_kept(&self) -> bool {
        self.shared.state().kept
    }

    /// What was sent, or held back, without an action since the last question.
    pub fn take_idle(&self) -> Vec<SeenRequest> {
        std::mem::take(&mut self.shared.state().idle)
    }

    /// Who asked for a name and a password since the last question.
    pub fn take_challenges(&self) -> Vec<Challenge> {
        std::mem::take(&mut self.shared.state().challenges)
    }
}

impl Shared {
    fn new(options: GuardOptions, page: TargetId) -> Self {
        let (holds, sealed, state) = (AtomicBool::new(false), AtomicBool::new(false), Mutex::default());
        Self { options, page, holds, sealed, state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn run(self: Arc<Self>, session: Session, mut events: SessionEvents) {
        while let Some(event) = events.next().await {
            let SessionEvent::Event(event) = event else { continue };
            let outcome = if let Some(paused) = event.read::<RequestPaused>() {
                self.pass(&session, paused).await
            } else if let Some(asked) = event.read::<AuthRequired>() {
                self.answer(&session, asked).await
            } else {
                // A frame in a process of its own is no other page.
                let is_page = session.target_id() == &self.page;
                let navigated = event.read::<FrameNavigated>().filter(|_| is_page);
                if navigated.is_some_and(|navigated| navigated.frame.parent_id.is_none()) {
                    self.state().turn_page();
                }
                Ok(())
            };
            // A request whose page went away cannot be answered, and need not be.
            if let Err(error) = outcome {
                tracing::trace!(%error, "a request was gone before it was answered");
            }
        }
    }

    /// Takes up what the page itself held back.
    async fn hear(self: Arc<Self>, mut told: SessionEvents) {
        while let Some(event) = told.next().await {
            let SessionEvent::Event(event) = event else { continue };
            let Some(called) = event.read::<BindingCalled>().filter(|called| called.name == HELD) else {
                continue;
            };
            let Ok((method, url)) = serde_json::from_str::<(String, String)>(&called.payload) else {
                continue;
            };
            let mut state = self.state();
            if method == KEPT {
                state.kept = true;
                continue;
            }
            (state.spoiled, state.spent) = (true, true);
            // A sealed page is only asked what its action caused.
            let late = state.action.is_none() && !self.sealed.load(Ordering::SeqCst);
            let log = if late { &mut state.idle } else { &mut state.caused };
            if log.len() < MOST {
                log.push(SeenRequest {
                    method,
                    url,
                    writes: true,
                    held: true,
                    external: false,
                    is_document: false,
                    gist: String::new(),
                });
            }
        }
    }

    /// Judges a request and lets it go on, or not.
    async fn pass(&self, session: &Session, paused: RequestPaused) -> Result<(), CallError> {
        let request_id = paused.request_id.clone();
        match self.judge(&paused) {
            Fate::Passes => {
                let on = ContinueRequest { request_id, ..ContinueRequest::default() };
                session.call(on).await.map(drop)
            }
            Fate::Fails(error_reason) => {
                session.call(FailRequest { request_id, error_reason }).await.map(drop)
            }
            Fate::Unanswered => {
                let answer = FulfillRequest {
                    request_id,
                    response_code: 503,
                    response_headers: Some(hold::unanswered(&paused.request)),
                    ..FulfillRequest::default()
                };
                session.call(answer).await.map(drop)
            }
        }
    }

    fn judge(&self, paused: &RequestPaused) -> Fate {
        let request = &paused.request;
        let reached = self.reached(paused);
        let external = reached == Reached::Outside;
        let acts =
            |acts: Acts| matches!(request.method.as_str(), "GET" | "HEAD") && (acts.judge)(&request.url);
        let writes = self.options.acts.is_some_and(acts)
            || is_write(&Sent {
                method: &request.method,
                url: &request.url,
                body: request.post_data.as_deref(),
                is_document: paused.resource_type == ResourceType::Document,
                calls_function: calls_function(request),
            });
        let mut state = self.state();
        let is_own = state.is_own(paused);
        if is_own && writes && state.is_untouched() {
            state.own.extend(kind_of(paused));
        }
        let sealed = self.sealed.load(Ordering::SeqCst);
        let held = if sealed {
            reached != Reached::App || !is_code(paused)
        } else {
            self.holds.load(Ordering::SeqCst) && writes && !is_own
        };
        let seen = SeenRequest {
            method: request.method.clone(),
            url: request.url.clone(),
            writes,
            held,
            external,
            is_document: paused.resource_type == ResourceType::Document,
            gist: gist(&request.url, request.post_data.as_deref()),
        };
        let late = state.action.is_none() && !sealed;
        let log = if late || (is_own && !held) { &mut state.idle } else { &mut state.caused };
        if log.len() < MOST {
            log.push(seen);
        }
        if held && !external && paused.resource_type != ResourceType::Ping {
            (state.spoiled, state.spent) = (true, true);
        }
        match &paused.resource_type {
            _ if !held && !external => Fate::Passes,
            // The page stays where it is.
            ResourceType::Document if held && !external && paused.frame_id.as_str() == self.page.as_str() => {
                Fate::Fails(ErrorReason::Aborted)
            }
            ResourceType::Xhr | ResourceType::Fetch if reached == Reached::App => Fate::Unanswered,
            _ => Fate::Fails(ErrorReason::BlockedByClient),
        }
    }

    /// Whose a request is.
    fn reached(&self, paused: &RequestPaused) -> Reached {
        let Some(origin) = origin(&paused.request.url) else { return Reached::App };
        let is_document = paused.resource_type == ResourceType::Document;
        let is_frame = paused.frame_id.as_str() != self.page.as_str();
        let mut state = self.state();
        if self.options.origins.contains(&origin) {
            if is_document {
                state.guests.remove(&paused.frame_id);
            }
            return Reached::App;
        }
        if self.options.supplies.contains(&origin) && !is_document {
            return Reached::App;
        }
        if self.options.frames.contains(&origin) && is_frame {
            if is_document {
                state.guests.insert(paused.frame_id.clone());
            }
            if state.guests.contains(&paused.frame_id) {
                return Reached::Guest;
            }
        }
        Reached::Outside
    }

    async fn answer(&self, session: &Session, asked: AuthRequired) -> Result<(), CallError> {
        let challenge = asked.auth_challenge;
        let answer = match &self.options.credentials {
            Some((name, password)) if self.options.origins.contains(&challenge.origin) => {
                AuthChallengeResponse {
                    response: AuthAnswer::ProvideCredentials,
                    username: Some(name.clone()),
                    password: Some(password.clone()),
                }
            }
            _ => AuthChallengeResponse { response: AuthAnswer::CancelAuth, username: None, password: None },
        };
        let answered = answer.username.is_some();
        self.state().challenges.push(Challenge {
            origin: challenge.origin,
            realm: challenge.realm,
            answered,
        });
        let reply = ContinueWithAuth { request_id: asked.request_id, auth_challenge_response: answer };
        session.call(reply).await.map(drop)
    }
}

impl State {
    /// Another document is shown. What it writes while it loads is its own.
    fn turn_page(&mut self) {
        self.left = self.touched.take();
        self.spoiled = false;
        self.own.clear();
        if let Some(window) = &mut self.action {
            window.new_document = true;
        }
    }

    /// Whether nothing was done yet in the document that is shown.
    fn is_untouched(&self) -> bool {
        self.action.as_ref().map_or(self.touched.is_none(), |window| window.new_document)
    }

    /// Whether a request is the page's own doing.
    fn is_own(&self, paused: &RequestPaused) -> bool {
        use ResourceType::{Document, Ping};
        let request = &paused.request;
        let kind = &paused.resource_type;
        let key = kind_of(paused);
        let is_in = |known: &BTreeSet<WriteKind>| key.as_ref().is_some_and(|key| known.contains(key));
        if is_in(&self.own) {
            return true;
        }
        if let Some(window) = &self.action {
            return is_in(&window.known) || (window.new_document && *kind != Document && !self.spent);
        }
        // Whoever leads the page somewhere gets a document.
        if *kind == Document && request.method == "GET" {
            return true;
        }
        // What was held back from an earlier document may have been kept, to be sent by this one.
        let left = self.left.as_ref().filter(|_| *kind == Ping || self.spent);
        self.touched.as_ref().or(left).is_none_or(is_in)
    }
}

/// The kind of a write; none where nobody can tell what it carries.
fn kind_of(paused: &RequestPaused) -> Option<WriteKind> {
    let request = &paused.request;
    let body = request.post_data.as_deref();
    if request.has_post_data == Some(true) && body.is_none() {
        return None;
    }
    Some(WriteKind {
        method: request.method.clone(),
        path: pattern(&request.url),
        gist: gist(&request.url, body),
    })
}

/// Whether a header names a function of the server that is called at the address of the page.
fn calls_function(request: &Request) -> bool {
    request.headers.keys().any(|name| {
        ["next-action", "x-livewire", "rsc-action-id"].iter().any(|each| name.eq_ignore_ascii_case(each))
    })
}

/// What a page needs to show something that it has not shown yet. A query may be a question to the server: it says no more than
/// a version.
fn is_code(paused: &RequestPaused) -> bool {
    use ResourceType::{Font, Script, Stylesheet};
    let is_version =
        |name: &str| matches!(name, "v" | "ver" | "version" | "t" | "h" | "hash" | "import" | "url" | "raw");
    paused.request.method == "GET"
        && matches!(paused.resource_type, Script | Stylesheet | Font)
        && traffic::query(&paused.request.url).iter().all(|(name, _)| is_version(name))
}
