//! All sessions of a server, and what they share: the contract, the policy, the tokens, the pages.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use compact_str::CompactString;
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uiap_discovery::desk::Desk;
use uiap_model::core::negotiation::{Agreement, Offer, POLICY};
use uiap_model::core::registry::{self, Reading};
use uiap_model::core::{
    CoreErrorCode, ErrorPayload, Limits, MessageKind, PeerInfo, PeerRef, SessionInitializePayload,
    SessionInitializedPayload, SessionLimits, SessionState, TerminateReason,
};
use uiap_model::json::{Count, JsonObject};
use uiap_model::names::{ActionHandle, ExtensionId, MessageId, ProfileId, SessionId};
use uiap_model::policy::PolicyGrant;
use uiap_model::policy::message::PolicyChangedPayload;
use uiap_model::version::Version;
use uiap_policy::{Audience, Policies, PolicyStore, Redactor, Refusal};

use super::contract::{Contract, PROFILE};
use super::credential::{Credential, Keyring, Part};
use super::discovery;
use super::eye::Eye;
use super::letter::{Writer, internal, ourselves};
use super::outbox::Keep;
use super::pace::Rate;
use super::question::Waiting;
use super::request::payload;
use super::session::{Parts, Reply, Session, lock};
use super::stage::{Stages, Wish};
use super::standing::{Holder, Patience};
use crate::explore::WebGround;
use crate::secret::{self, NoRandomness, Token};

/// How sessions are kept.
#[derive(Clone, Debug)]
pub struct HouseOptions {
    /// Patience with connections.
    pub links: Patience,
    /// Patience with peers that post, who have nothing to beat a heart with.
    pub posts: Patience,
    /// What a session keeps of what it told.
    pub keep: Keep,
    /// How many requests a session may make over time.
    pub rate: Rate,
    /// Limits that we state.
    pub limits: Option<SessionLimits>,
    /// Sessions at most.
    pub most_sessions: usize,
    /// What agents may do.
    pub grants: Vec<PolicyGrant>,
    /// Where pages begin when the peer names no address.
    pub start: Option<CompactString>,
    /// Where discovery runs are asked for; the extension is offered only with it.
    pub discovery: Option<Desk<WebGround>>,
}

impl Default for HouseOptions {
    fn default() -> Self {
        Self {
            links: Patience::default(),
            posts: Patience { heartbeat: None, ..Patience::default() },
            keep: Keep::default(),
            rate: Rate::default(),
            limits: None,
            most_sessions: 200,
            grants: vec![PolicyGrant::Observe, PolicyGrant::Guide, PolicyGrant::Draft, PolicyGrant::Act],
            start: None,
            discovery: None,
        }
    }
}

/// Who knocks.
#[derive(Clone, Debug)]
pub struct Visitor {
    /// What the transport proved; none when it proved nothing.
    pub credential: Option<Credential>,
    /// Who will hold the session.
    pub holder: Holder,
}

/// What becomes of a first message.
#[derive(Debug)]
pub enum Arrival {
    /// There is a session; this is the answer.
    Opened(Arc<Session>, Reply),
    /// There is none; this is why.
    Refused(Reply),
    /// It was a message that needs a session; this is what it gets where it gets an answer.
    Early(Reply),
}

/// The house.
pub struct House {
    pub(crate) options: HouseOptions,
    pub(crate) contract: Contract,
    policy: RwLock<PolicyStore>,
    keyring: Keyring,
    stages: Arc<dyn Stages>,
    offer: Offer,
    me: PeerRef,
    info: PeerInfo,
    writer: Writer,
    sessions: Mutex<HashMap<SessionId, Arc<Session>>>,
    pub(super) questions: Mutex<HashMap<ActionHandle, Waiting>>,
    bell: watch::Sender<u64>,
    tasks: TaskTracker,
    cancel: CancellationToken,
    closing: AtomicBool,
    links: AtomicU64,
}

/// A house that cannot be built; a fault of this crate.
#[derive(Debug, thiserror::Error)]
#[error("a built-in name is not valid")]
pub struct HouseError;

impl House {
    /// An empty house.
    pub fn new(
        options: HouseOptions,
        contract: Contract,
        policy: PolicyStore,
        keyring: Keyring,
        stages: Arc<dyn Stages>,
    ) -> Result<Arc<Self>, HouseError> {
        let (me, info) = ourselves().ok_or(HouseError)?;
        let mut extensions = vec![(ExtensionId::parse(POLICY).ok_or(HouseError)?, vec![Version::CURRENT])];
        if options.discovery.is_some() {
            let discovery = ExtensionId::parse(discovery::EXTENSION).ok_or(HouseError)?;
            extensions.push((discovery, vec![Version::CURRENT]));
        }
        let offer = Offer {
            versions: vec![Version::CURRENT],
            profiles: vec![ProfileId::parse(PROFILE).ok_or(HouseError)?],
            extensions,
            limits: options.limits.clone(),
        };
        Ok(Arc::new(Self {
            options,
            contract,
            policy: RwLock::new(policy),
            keyring,
            stages,
            offer,
            writer: Writer::new(Version::CURRENT, None, me.clone()),
            me,
            info,
            sessions: Mutex::default(),
            questions: Mutex::default(),
            bell: watch::Sender::new(0),
            tasks: TaskTracker::new(),
            cancel: CancellationToken::new(),
            closing: AtomicBool::new(false),
            links: AtomicU64::new(1),
        }))
    }

    /// The tokens.
    pub fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    /// A number for a connection that had none before.
    pub fn link(&self) -> u64 {
        self.links.fetch_add(1, Ordering::Relaxed)
    }

    /// A session that is not closed.
    pub fn session(&self, id: &str) -> Option<Arc<Session>> {
        let id = SessionId::parse(id)?;
        lock(&self.sessions).get(&id).filter(|session| session.state() != SessionState::Closed).cloned()
    }

    /// Sessions that are held now.
    pub fn count(&self) -> usize {
        lock(&self.sessions).len()
    }

    /// Whether it takes nobody in any more.
    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Every session that is held now, the oldest first.
    pub(crate) fn everybody(&self) -> Vec<Arc<Session>> {
        let mut all: Vec<_> = lock(&self.sessions).values().cloned().collect();
        all.sort_by(|one, other| (&one.since, &one.id).cmp(&(&other.since, &other.id)));
        all
    }

    /// Something happened that a person who watches may want to see.
    pub(crate) fn ring(&self) {
        self.bell.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Woken whenever something happened.
    pub(crate) fn bell(&self) -> watch::Receiver<u64> {
        self.bell.subscribe()
    }

    /// Another policy holds from now on, for every session. One that could not be read denies everything.
    pub fn replace_policy(&self, policies: Result<Policies, Refusal>) -> Result<(), Refusal> {
        let (store, outcome) = match policies {
            Ok(policies) => (PolicyStore::new(policies), Ok(())),
            Err(refusal) => {
                let mut closed = PolicyStore::default();
                let refusal = closed.refuse(refusal);
                (closed, Err(refusal))
            }
        };
        let policies = Arc::clone(store.current());
        {
            let mut policy = self.policy.write().unwrap_or_else(PoisonError::into_inner);
            if policy.current().revision() == policies.revision() {
                return outcome;
            }
            *policy = store;
        }
        let told = PolicyChangedPayload { revision: policies.revision().into() };
        for session in self.everybody() {
            session.eye.set_policies(&policies);
            session.tell_of_policy("changed", &told);
        }
        self.ring();
        outcome
    }

    pub(crate) fn policy(&self) -> RwLockReadGuard<'_, PolicyStore> {
        self.policy.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses a message that belongs to no session.
    pub fn refuse(&self, to: Option<&MessageId>, error: &ErrorPayload) -> Reply {
        self.writer.error(to, error).into()
    }

    /// Takes the first message of a peer.
    pub fn welcome(self: &Arc<Self>, bytes: &[u8], visitor: Visitor) -> Arrival {
        let envelope = match registry::read(bytes, self.limits()) {
            Reading::Accepted(envelope) | Reading::Ignored(envelope) => envelope,
            Reading::Refused { error, correlation, .. } => {
                let early = error.code == "session_required";
                let reply = self.refuse(correlation.as_ref(), &error);
                return if early { Arrival::Early(reply) } else { Arrival::Refused(reply) };
            }
        };
        if envelope.message_type != "session.initialize" || envelope.kind != MessageKind::Request {
            let message = "there is no session yet; `session.initialize` comes first";
            let error = ErrorPayload::new(CoreErrorCode::SessionRequired, message);
            return Arrival::Early(self.refuse(Some(&envelope.id), &error));
        }
        let opened =
            payload::<SessionInitializePayload>(&envelope).and_then(|asked| self.admit(&asked, visitor));
        match opened {
            Ok((session, told)) => {
                let reply: Reply = session.writer.response(&envelope.id, "session.initialized", &told).into();
                session.remember(bytes, &envelope.id, &reply.sealed);
                Arrival::Opened(session, reply)
            }
            Err(error) => Arrival::Refused(self.refuse(Some(&envelope.id), &error)),
        }
    }

    /// The limits that hold before anything was agreed on.
    pub fn limits(&self) -> Limits {
        Limits::agree(self.options.limits.as_ref(), None)
    }

    fn admit(
        self: &Arc<Self>,
        asked: &SessionInitializePayload,
        visitor: Visitor,
    ) -> Result<(Arc<Session>, SessionInitializedPayload), ErrorPayload> {
        if self.is_closing() {
            return Err(ErrorPayload::new(CoreErrorCode::Unavailable, "the server is shutting down")
                .retry_after(5_000));
        }
        let credential = self.authenticate(asked, visitor.credential)?;
        let patience = match visitor.holder {
            Holder::Link { .. } => self.options.links,
            Holder::Posts => self.options.posts,
        };
        if let Some(resume) = &asked.resume {
            let session = self.find_resumable(resume, &credential)?;
            session.resume(visitor.holder, patience);
            let told = self.introduce(&session, patience, true);
            return Ok((session, told));
        }
        let agreement = self.offer.negotiate(asked)?;
        let url = self.start(asked)?;
        let session =
            self.open((credential, asked.peer.clone()), agreement, url, visitor.holder, patience)?;
        let told = self.introduce(&session, patience, false);
        Ok((session, told))
    }

    fn authenticate(
        &self,
        asked: &SessionInitializePayload,
        proven: Option<Credential>,
    ) -> Result<Credential, ErrorPayload> {
        let refused = || ErrorPayload::new(CoreErrorCode::Unauthenticated, "a valid token is needed");
        if !self.keyring.demands() {
            return Ok(proven.unwrap_or_else(Credential::anonymous));
        }
        match &asked.auth {
            None => proven.ok_or_else(refused),
            Some(auth) if auth.scheme.eq_ignore_ascii_case("bearer") => {
                let token = auth.token.as_ref().ok_or_else(refused)?;
                self.keyring.find(token.expose()).ok_or_else(refused)
            }
            Some(_) => Err(refused()),
        }
    }

    fn find_resumable(
        &self,
        resume: &uiap_model::core::Resume,
        credential: &Credential,
    ) -> Result<Arc<Session>, ErrorPayload> {
        let found = self.session(resume.session_id.as_str()).filter(|session| session.belongs_to(credential));
        let gone = || ErrorPayload::new(CoreErrorCode::SessionNotFound, "there is no such session to resume");
        let session = found.ok_or_else(gone)?;
        if !session.resume_token.matches(resume.resume_token.expose()) {
            return Err(ErrorPayload::new(CoreErrorCode::Unauthenticated, "the resume token is not right"));
        }
        match session.state() {
            SessionState::Active | SessionState::Suspended => Ok(session),
            _ => Err(gone()),
        }
    }

    /// Where the session begins.
    fn start(&self, asked: &SessionInitializePayload) -> Result<Option<CompactString>, ErrorPayload> {
        let named = asked.metadata.as_ref().and_then(|metadata| metadata.0.get("url"));
        let url = match named {
            None => self.options.start.clone(),
            Some(serde_json::Value::String(url)) => Some(url.into()),
            Some(_) => {
                let mut error = ErrorPayload::new(CoreErrorCode::InvalidPayload, "`url` is not a string");
                error.pointer = uiap_model::names::JsonPointer::parse("/payload/metadata/url");
                return Err(error);
            }
        };
        if let Some(url) = &url {
            self.stages.check(url).map_err(|error| error.payload())?;
        }
        Ok(url)
    }

    fn open(
        self: &Arc<Self>,
        (owner, peer): (Credential, PeerInfo),
        agreement: Agreement,
        url: Option<CompactString>,
        holder: Holder,
        patience: Patience,
    ) -> Result<Arc<Session>, ErrorPayload> {
        let no_randomness = |error: NoRandomness| internal(&error.to_string());
        let name = secret::name("sess_").map_err(no_randomness)?;
        let id = SessionId::parse(&name).ok_or_else(|| internal("a session could not be named"))?;
        let party = owner.party(&id, &self.options.grants);
        let salt = secret::bytes().map_err(no_randomness)?;
        let policies = Arc::clone(self.policy().current());
        let redactor = Redactor::new(Arc::clone(&policies), &party.principal, Audience::Principal, salt);
        let next_action = Arc::new(AtomicU64::new(1));
        let wish = Wish {
            url,
            session_id: id.clone(),
            next_action,
            party,
            policies,
            salt,
            secrets: redactor.shared(),
        };
        let (tasks, cancel) = (self.tasks.clone(), self.cancel.child_token());
        let eye = Eye::new(Arc::clone(&self.stages), wish, redactor, tasks.clone(), cancel.clone());
        let resume_token = Token::random().map_err(no_randomness)?;
        let (house, me) = (Arc::clone(self), self.me.clone());
        let parts = Parts {
            id,
            owner,
            peer,
            agreement,
            resume_token,
            house,
            me,
            eye,
            tasks,
            cancel,
            holder,
            patience,
        };
        let session = Session::new(parts);
        {
            let mut sessions = lock(&self.sessions);
            if sessions.len() >= self.options.most_sessions {
                let message = format!("there are {} sessions already", sessions.len());
                return Err(ErrorPayload::new(CoreErrorCode::Unavailable, message).retry_after(5_000));
            }
            sessions.insert(session.id.clone(), Arc::clone(&session));
        }
        // Who only confirms needs no page.
        if session.owner.part == Part::Agent {
            let news = session.eye.news();
            session.eye.open();
            self.tasks.spawn(Arc::clone(&session).follow_capabilities(news));
        }
        self.ring();
        let house = Arc::clone(self);
        let kept = Arc::clone(&session);
        self.tasks.spawn(async move {
            kept.keep().await;
            lock(&house.sessions).remove(&kept.id);
            house.ring();
        });
        Ok(session)
    }

    fn introduce(&self, session: &Session, patience: Patience, resumed: bool) -> SessionInitializedPayload {
        let beat =
            patience.heartbeat.map_or(0, |interval| u64::try_from(interval.as_millis()).unwrap_or(u64::MAX));
        let principal = session.owner.principal(&self.options.grants);
        let metadata = json!({ "principal": principal });
        SessionInitializedPayload {
            session_id: session.id.clone(),
            selected_version: session.agreement.version,
            peer: self.info.clone(),
            selected_profiles: session.agreement.profiles.clone(),
            extensions: Some(session.agreement.extensions.clone()),
            resumed: resumed.then_some(true),
            resume_token: Some(uiap_model::core::session::Secret::new(session.resume_token.expose())),
            heartbeat_ms: Some(Count(beat)),
            limits: Some(session.agreement.limits.stated()),
            capabilities_revision: Some(self.contract.revision().into()),
            metadata: metadata.as_object().cloned().map(JsonObject),
        }
    }

    /// Ends every session and waits until all work is done, for as long as `limit`.
    pub async fn shut_down(&self, limit: Duration) {
        self.closing.store(true, Ordering::Release);
        let sessions: Vec<_> = lock(&self.sessions).values().cloned().collect();
        for session in sessions {
            session.terminate(TerminateReason::Shutdown, None);
        }
        self.tasks.close();
        self.cancel.cancel();
        if tokio::time::timeout(limit, self.tasks.wait()).await.is_err() {
            tracing::warn!(left = self.tasks.len(), "work was still going on at the end");
        }
    }
}

impl std::fmt::Debug for House {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("House").field("sessions", &self.count()).finish_non_exhaustive()
    }
}
