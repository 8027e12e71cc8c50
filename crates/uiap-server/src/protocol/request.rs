//! What each request does. Everything here works on messages that are known to be well-formed.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use compact_str::CompactString;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::{Notify, oneshot};
use uiap_model::core::capabilities::Disclosure;
use uiap_model::core::negotiation::{POLICY, POLICY_ALIAS, canonical_type};
use uiap_model::core::{
    CoreErrorCode, Envelope, ErrorPayload, SessionState, SessionTerminatePayload, SessionTerminatedPayload,
};
use uiap_model::policy::message::{PolicyDecisionPayload, PolicyEvaluatePayload};
use uiap_model::web::message::{
    WebStateGetPayload, WebStateObservePayload, WebStateObservingPayload, WebStateSnapshotPayload,
    WebStateUnobservePayload, WebStateUnobservedPayload,
};
use uiap_policy::{Situation, authenticate};

use super::letter::{Sealed, internal};
use super::session::{Reply, Session, lock};
use super::stage::StageError;
use super::subscription::{self, Subscription, snapshot};
use super::view::{narrow, needs_capture};

/// Subscriptions of one session.
const MOST_SUBSCRIPTIONS: usize = 16;

impl Session {
    pub(crate) async fn handle(self: &Arc<Self>, envelope: &Envelope) -> Reply {
        let done = match canonical_type(envelope.message_type.as_str()).as_str() {
            "session.initialize" => Err(conflict()),
            "session.terminate" => self.terminated(envelope),
            "capabilities.get" => self.capabilities(envelope).await,
            "web.state.get" => self.state_get(envelope).await,
            "web.state.observe" => self.observe(envelope).await,
            "web.state.unobserve" => self.unobserve(envelope),
            "action.request" => self.act(envelope).await,
            "action.cancel" => self.cancel_action(envelope).await,
            "uiap.policy.get" => self.policy_get(envelope),
            "uiap.policy.evaluate" => self.policy_evaluate(envelope),
            other if other.starts_with("uiap.discovery.") => self.discovery(other, envelope),
            other => Err(unsupported(other)),
        };
        done.unwrap_or_else(|error| self.refuse(Some(&envelope.id), &error))
    }

    /// The answer to a request, in the peer's own word for the policy extension.
    pub(crate) fn answer<P: Serialize>(&self, to: &Envelope, kind: &str, payload: &P) -> Sealed {
        let former = to.message_type.as_str().starts_with(POLICY_ALIAS);
        match kind.strip_prefix(POLICY) {
            Some(rest) if former => self.writer.response(&to.id, &format!("{POLICY_ALIAS}{rest}"), payload),
            _ => self.writer.response(&to.id, kind, payload),
        }
    }

    fn terminated(self: &Arc<Self>, envelope: &Envelope) -> Result<Reply, ErrorPayload> {
        let asked: SessionTerminatePayload = payload(envelope)?;
        let told = SessionTerminatedPayload { reason: asked.reason, note: None };
        let sealed = self.answer(envelope, "session.terminated", &told);
        self.standing().turn(SessionState::Terminating);
        let (hold, left) = oneshot::channel();
        let session = Arc::clone(self);
        self.tasks.spawn(async move {
            // A dropped sender says the same as a message: the answer has left.
            left.await.ok();
            session.close();
        });
        Ok(Reply { sealed: Arc::new(sealed), _hold: Some(hold) })
    }

    /// What was built, and what the page offers by itself at this moment.
    async fn capabilities(&self, envelope: &Envelope) -> Result<Reply, ErrorPayload> {
        let contract = self.house.contract.with_offered(self.eye.offered().await);
        let documents = [contract.document().clone()];
        let told = Disclosure { revision: contract.revision(), documents: &documents, authorised: true }
            .answer(&payload(envelope)?)?;
        Ok(self.answer(envelope, "capabilities.list", &told).into())
    }

    async fn state_get(&self, envelope: &Envelope) -> Result<Reply, ErrorPayload> {
        let asked: WebStateGetPayload = payload(envelope)?;
        let options = asked.options.unwrap_or_default();
        let showing = self.eye.fresh().await.map_err(|error| error.payload())?;
        self.eye.show(&showing);
        if asked.if_revision_not.as_ref() == Some(&showing.graph.revision) {
            let told =
                WebStateSnapshotPayload { snapshot: None, not_modified: Some(true), subscription_id: None };
            return Ok(self.answer(envelope, "web.state.snapshot", &told).into());
        }
        let shown = if needs_capture(&options) {
            self.eye.capture(&options).await.map_err(|error| error.payload())?
        } else {
            narrow(&showing.graph, &options)
        };
        let seal = |payload: &_| self.answer(envelope, "web.state.snapshot", payload);
        Ok(snapshot(&shown, None, self.agreement.limits, seal).into())
    }

    async fn observe(self: &Arc<Self>, envelope: &Envelope) -> Result<Reply, ErrorPayload> {
        let asked: WebStateObservePayload = payload(envelope)?;
        if asked.options.as_ref().is_some_and(needs_capture) {
            let message = "hidden elements and boxes are not observed; ask for them with web.state.get";
            return Err(ErrorPayload::new(CoreErrorCode::InvalidPayload, message));
        }
        // Subscribed first: what happens between the graph and the first news is told twice rather than not at all.
        let news = self.eye.news();
        let showing = self.eye.showing().await.map_err(|error: StageError| error.payload())?;
        let number = self.counter.fetch_add(1, Ordering::Relaxed);
        let id: CompactString = compact_str::format_compact!("sub_{number}");
        let told = WebStateObservingPayload {
            subscription_id: id.clone(),
            revision: showing.graph.revision.clone(),
        };
        let handle =
            subscription::Handle { cancel: self.cancel.child_token(), resync: Arc::new(Notify::new()) };
        {
            let mut subscriptions = lock(&self.subscriptions);
            if subscriptions.len() >= MOST_SUBSCRIPTIONS {
                let message = format!("there are {MOST_SUBSCRIPTIONS} subscriptions already; end one");
                return Err(ErrorPayload::new(CoreErrorCode::RateLimited, message).retry_after(1_000));
            }
            subscriptions.insert(id.clone(), handle.clone());
        }
        let (outbox, writer) = (Arc::clone(&self.outbox), Arc::clone(&self.writer));
        let seen = (Arc::clone(&self.eye), showing);
        let subscription = Subscription::new(id, asked, self.agreement.limits, outbox, writer, seen, news);
        let (hold, begin) = oneshot::channel();
        self.tasks.spawn(subscription.run(begin, handle));
        let sealed = self.answer(envelope, "web.state.observing", &told);
        Ok(Reply { sealed: Arc::new(sealed), _hold: Some(hold) })
    }

    fn unobserve(&self, envelope: &Envelope) -> Result<Reply, ErrorPayload> {
        let asked: WebStateUnobservePayload = payload(envelope)?;
        let handle = lock(&self.subscriptions).remove(&asked.subscription_id);
        let Some(handle) = handle else {
            let message = format!("there is no subscription `{}`", asked.subscription_id);
            return Err(ErrorPayload::new(CoreErrorCode::NotFound, message));
        };
        handle.cancel.cancel();
        self.outbox.retract(&asked.subscription_id);
        let told = WebStateUnobservedPayload { subscription_id: asked.subscription_id };
        Ok(self.answer(envelope, "web.state.unobserved", &told).into())
    }

    fn policy_get(&self, envelope: &Envelope) -> Result<Reply, ErrorPayload> {
        let told = self.house.policy().document(&payload(envelope)?);
        Ok(self.answer(envelope, "uiap.policy.document", &told).into())
    }

    fn policy_evaluate(&self, envelope: &Envelope) -> Result<Reply, ErrorPayload> {
        let asked: PolicyEvaluatePayload = payload(envelope)?;
        let principal = self.owner.principal(&self.house.options.grants);
        let request = authenticate(asked.request, &principal)
            .map_err(|error| ErrorPayload::new(CoreErrorCode::Forbidden, error.to_string()))?;
        let showing = self.eye.glance();
        let graph = showing.as_ref().map(|showing| &showing.graph);
        let element = match (&request.target, graph) {
            (Some(uiap_model::capability::TargetRef::StableId { value }), Some(graph)) => {
                graph.by_stable_id(value)
            }
            _ => None,
        };
        let situation = Situation {
            descriptor: self.house.contract.action(&request.action_id),
            element,
            route_id: graph.and_then(|graph| graph.route.route_id.as_deref()),
            ..Situation::default()
        };
        let number = self.counter.fetch_add(1, Ordering::Relaxed);
        let policies = Arc::clone(self.house.policy().current());
        let decision = policies.decide(compact_str::format_compact!("dec_{number}"), &request, &situation);
        Ok(self.answer(envelope, "uiap.policy.decision", &PolicyDecisionPayload { decision }).into())
    }
}

/// The payload of a message whose form was checked.
pub(crate) fn payload<T: DeserializeOwned>(envelope: &Envelope) -> Result<T, ErrorPayload> {
    T::deserialize(&envelope.payload.0).map_err(|error| {
        tracing::error!(%error, kind = %envelope.message_type, "a checked payload does not decode");
        internal("the payload could not be read")
    })
}

pub(crate) fn unsupported(kind: &str) -> ErrorPayload {
    let message = format!("request `{kind}` is not supported");
    ErrorPayload::new(CoreErrorCode::UnsupportedMessageType, message)
}

fn conflict() -> ErrorPayload {
    ErrorPayload::new(CoreErrorCode::SessionConflict, "there is a session already")
}
