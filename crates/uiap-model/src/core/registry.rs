//! Every message of the protocol: its kind, its payload, its answer.

use crate::core::envelope::{Envelope, MessageKind};
use crate::core::error::{CoreErrorCode, ErrorPayload};
use crate::core::session::SessionInitializePayload;
use crate::core::{limits::Limits, negotiation};
use crate::problem::Problem;
use crate::shape::{Shape, Strictness, Wire, inspect};
use crate::{action, parse};

/// One type of message.
pub struct MessageSpec {
    /// Its name.
    pub name: &'static str,
    /// The kinds under which it travels.
    pub kinds: &'static [MessageKind],
    /// The response types that answer it, for a request.
    pub answers: &'static [&'static str],
    /// Form of its payload.
    pub payload: fn() -> Shape,
    /// What the form cannot say.
    pub check: fn(&serde_json::Value) -> Vec<Problem>,
}

/// A payload whose form says everything.
fn nothing_more(_: &serde_json::Value) -> Vec<Problem> {
    Vec::new()
}

/// Runs a typed check on a payload whose form is right.
fn typed<T: Wire>(value: &serde_json::Value, check: fn(&T) -> Vec<Problem>) -> Vec<Problem> {
    match T::deserialize(value) {
        Ok(payload) => check(&payload),
        Err(_) => Vec::new(),
    }
}

const REQUEST: &[MessageKind] = &[MessageKind::Request];
const RESPONSE: &[MessageKind] = &[MessageKind::Response];
const EVENT: &[MessageKind] = &[MessageKind::Event];
const EITHER: &[MessageKind] = &[MessageKind::Response, MessageKind::Event];

macro_rules! messages {
    ($($name:literal $kinds:ident $payload:ty $(=> $($answer:literal)|+)? $(, check $check:expr)?;)+) => {
        /// The message registry.
        pub const MESSAGES: &[MessageSpec] = &[$(
            MessageSpec {
                name: $name,
                kinds: $kinds,
                answers: &[$($($answer),+)?],
                payload: <$payload as Wire>::shape,
                check: messages!(@check $payload $(, $check)?),
            },
        )+];
    };
    (@check $payload:ty) => { nothing_more };
    (@check $payload:ty, $check:expr) => { |value| typed::<$payload>(value, $check) };
}

/// Calls `$with!` with every message: type, kinds, payload, then what belongs to it.
#[doc(hidden)]
#[macro_export]
macro_rules! every_message {
    ($with:ident) => {
        $with! {
            "session.initialize" REQUEST $crate::core::session::SessionInitializePayload => "session.initialized",
                check SessionInitializePayload::check;
            "session.initialized" RESPONSE $crate::core::session::SessionInitializedPayload;
            "session.terminate" REQUEST $crate::core::session::SessionTerminatePayload => "session.terminated";
            "session.terminated" EITHER $crate::core::session::SessionTerminatedPayload;
            "session.heartbeat" EVENT $crate::core::session::SessionHeartbeatPayload;
            "capabilities.get" REQUEST $crate::core::capabilities::CapabilitiesGetPayload => "capabilities.list";
            "capabilities.list" RESPONSE $crate::core::capabilities::CapabilitiesListPayload;
            "capabilities.changed" EVENT $crate::core::capabilities::CapabilitiesChangedPayload;
            "web.state.get" REQUEST $crate::web::message::WebStateGetPayload => "web.state.snapshot";
            "web.state.snapshot" EITHER $crate::web::message::WebStateSnapshotPayload;
            "web.state.observe" REQUEST $crate::web::message::WebStateObservePayload => "web.state.observing";
            "web.state.observing" RESPONSE $crate::web::message::WebStateObservingPayload;
            "web.state.unobserve" REQUEST $crate::web::message::WebStateUnobservePayload => "web.state.unobserved";
            "web.state.unobserved" RESPONSE $crate::web::message::WebStateUnobservedPayload;
            "web.state.delta" EVENT $crate::web::message::WebStateDeltaPayload;
            "web.signal" EVENT $crate::web::WebSignalPayload;
            "action.request" REQUEST $crate::action::ActionRequestPayload => "action.accepted",
                check action::ActionRequestPayload::check;
            "action.accepted" RESPONSE $crate::action::ActionAcceptedPayload;
            "action.progress" EVENT $crate::action::ActionProgressPayload;
            "action.result" EVENT $crate::action::ActionResultPayload, check action::ActionResultPayload::check;
            "action.confirmation.request" REQUEST $crate::action::ActionConfirmationRequestPayload
                => "action.confirmation.grant" | "action.confirmation.deny";
            "action.confirmation.grant" EITHER $crate::action::ActionConfirmationGrantPayload;
            "action.confirmation.deny" EITHER $crate::action::ActionConfirmationDenyPayload;
            "action.cancel" REQUEST $crate::action::request::ActionCancelPayload => "action.cancelled";
            "action.cancelled" RESPONSE $crate::action::request::ActionCancelledPayload;
            "uiap.policy.get" REQUEST $crate::policy::message::PolicyGetPayload => "uiap.policy.document";
            "uiap.policy.document" RESPONSE $crate::policy::message::PolicyDocumentPayload;
            "uiap.policy.evaluate" REQUEST $crate::policy::message::PolicyEvaluatePayload => "uiap.policy.decision";
            "uiap.policy.decision" RESPONSE $crate::policy::message::PolicyDecisionPayload;
            "uiap.policy.changed" EVENT $crate::policy::message::PolicyChangedPayload;
            "uiap.policy.audit" EVENT $crate::policy::message::PolicyAuditPayload;
            "uiap.policy.handoff.request" EVENT $crate::policy::message::HandoffRequestPayload;
            "uiap.policy.handoff.completed" EVENT $crate::policy::message::HandoffCompletedPayload;
            "uiap.workflow.list" REQUEST $crate::workflow::message::WorkflowListPayload => "uiap.workflow.catalog";
            "uiap.workflow.catalog" RESPONSE $crate::workflow::message::WorkflowCatalogPayload;
            "uiap.workflow.get" REQUEST $crate::workflow::message::WorkflowGetPayload => "uiap.workflow.definition";
            "uiap.workflow.definition" RESPONSE $crate::workflow::message::WorkflowDefinitionPayload;
            "uiap.workflow.start" REQUEST $crate::workflow::message::WorkflowStartPayload => "uiap.workflow.started";
            "uiap.workflow.started" RESPONSE $crate::workflow::message::WorkflowStartedPayload;
            "uiap.workflow.pause" REQUEST $crate::workflow::message::WorkflowControlPayload => "uiap.workflow.paused";
            "uiap.workflow.paused" RESPONSE $crate::workflow::message::WorkflowControlledPayload;
            "uiap.workflow.resume" REQUEST $crate::workflow::message::WorkflowControlPayload => "uiap.workflow.resumed";
            "uiap.workflow.resumed" RESPONSE $crate::workflow::message::WorkflowControlledPayload;
            "uiap.workflow.cancel" REQUEST $crate::workflow::message::WorkflowControlPayload => "uiap.workflow.cancelled";
            "uiap.workflow.cancelled" RESPONSE $crate::workflow::message::WorkflowControlledPayload;
            "uiap.workflow.acknowledge" REQUEST $crate::workflow::message::WorkflowControlPayload => "uiap.workflow.acknowledged";
            "uiap.workflow.acknowledged" RESPONSE $crate::workflow::message::WorkflowControlledPayload;
            "uiap.workflow.input.provide" REQUEST $crate::workflow::message::WorkflowInputProvidePayload
                => "uiap.workflow.input.accepted";
            "uiap.workflow.input.accepted" RESPONSE $crate::workflow::message::WorkflowInputAcceptedPayload;
            "uiap.workflow.status.get" REQUEST $crate::workflow::message::WorkflowControlPayload => "uiap.workflow.status";
            "uiap.workflow.status" RESPONSE $crate::workflow::message::WorkflowStatusPayload;
            "uiap.workflow.progress" EVENT $crate::workflow::message::WorkflowProgressPayload;
            "uiap.workflow.input.request" EVENT $crate::workflow::message::WorkflowInputRequestPayload;
            "uiap.workflow.result" EVENT $crate::workflow::message::WorkflowResultPayload;
            "uiap.workflow.suggested" EVENT $crate::workflow::message::WorkflowSuggestedPayload;
            "uiap.discovery.plan" REQUEST $crate::discovery::message::DiscoveryPlanPayload => "uiap.discovery.planned";
            "uiap.discovery.planned" RESPONSE $crate::discovery::message::DiscoveryPlannedPayload;
            "uiap.discovery.start" REQUEST $crate::discovery::message::DiscoveryStartPayload => "uiap.discovery.started";
            "uiap.discovery.started" RESPONSE $crate::discovery::message::DiscoveryStartedPayload;
            "uiap.discovery.pause" REQUEST $crate::discovery::message::DiscoveryPausePayload => "uiap.discovery.paused";
            "uiap.discovery.paused" RESPONSE $crate::discovery::message::DiscoveryPausedPayload;
            "uiap.discovery.resume" REQUEST $crate::discovery::message::DiscoveryResumePayload => "uiap.discovery.resumed";
            "uiap.discovery.resumed" RESPONSE $crate::discovery::message::DiscoveryResumedPayload;
            "uiap.discovery.cancel" REQUEST $crate::discovery::message::DiscoveryCancelPayload => "uiap.discovery.cancelled";
            "uiap.discovery.cancelled" RESPONSE $crate::discovery::message::DiscoveryCancelledPayload;
            "uiap.discovery.package.get" REQUEST $crate::discovery::message::DiscoveryPackageGetPayload
                => "uiap.discovery.package";
            "uiap.discovery.package" RESPONSE $crate::discovery::message::DiscoveryPackagePayload;
            "uiap.discovery.progress" EVENT $crate::discovery::message::DiscoveryProgressPayload;
            "uiap.discovery.result" EVENT $crate::discovery::message::DiscoveryResultPayload;
            "error" ERROR $crate::core::error::ErrorPayload;
        }
    };
}

every_message!(messages);

const ERROR: &[MessageKind] = &[MessageKind::Error];

/// The message of that type; `uicp.policy.…` is `uiap.policy.…`.
pub fn find(message_type: &str) -> Option<&'static MessageSpec> {
    let name = negotiation::canonical_type(message_type);
    MESSAGES.iter().find(|spec| spec.name == name)
}

/// Whether `answer` is the type that answers `request`.
pub fn answers(request: &str, answer: &str) -> bool {
    let answer = negotiation::canonical_type(answer);
    find(request).is_some_and(|spec| spec.answers.contains(&answer.as_str()))
}

/// What a receiver does with a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// Known and well-formed.
    Accepted(Envelope),
    /// An event or an answer that nobody knows: passed over in silence.
    Ignored(Envelope),
    /// Refused with this error; sent only where errors may be answered.
    Refused {
        /// What to answer.
        error: Box<ErrorPayload>,
        /// The request that the answer belongs to.
        correlation: Option<crate::names::MessageId>,
        /// An error is never answered, an event not either.
        answer: bool,
    },
}

/// Reads a message: size, JSON, envelope, payload, in this order. Nothing has an effect before all of it is right.
pub fn read(bytes: &[u8], limits: Limits) -> Reading {
    if bytes.len() as u64 > limits.max_message_bytes {
        let error = ErrorPayload::new(
            CoreErrorCode::PayloadTooLarge,
            format!("{} bytes, at most {} are allowed", bytes.len(), limits.max_message_bytes),
        );
        return refused(error, None, true);
    }
    let value = match parse::parse_value(bytes) {
        Ok(value) => value,
        Err(problem) => {
            let mut error =
                ErrorPayload::from_problems(CoreErrorCode::InvalidJson, std::slice::from_ref(&problem));
            error.pointer = None;
            if let Some(position) = problem.position {
                error = error.detail("line", position.line).detail("column", position.column);
            }
            return refused(error, None, true);
        }
    };
    read_value(&value)
}

/// Reads a message that was parsed before.
pub fn read_value(value: &serde_json::Value) -> Reading {
    let text = |key: &str| value.get(key).and_then(serde_json::Value::as_str);
    let correlation = text("id").and_then(crate::names::MessageId::parse);
    let answerable = !matches!(text("kind"), Some("error" | "event" | "response"));
    let problems = inspect(value, Envelope::shape(), Strictness::Wire);
    let envelope = match <Envelope as serde::Deserialize>::deserialize(value) {
        Ok(envelope) if problems.is_empty() => envelope,
        _ => {
            let error = ErrorPayload::from_problems(CoreErrorCode::InvalidEnvelope, &problems);
            return refused(error, correlation, answerable);
        }
    };
    let problems = envelope.check();
    if !problems.is_empty() {
        let session = problems.iter().any(|problem| problem.message.contains("sessionId"));
        let code = if session { CoreErrorCode::SessionRequired } else { CoreErrorCode::InvalidEnvelope };
        return refused(ErrorPayload::from_problems(code, &problems), correlation, answerable);
    }
    read_payload(envelope, correlation)
}

fn read_payload(envelope: Envelope, correlation: Option<crate::names::MessageId>) -> Reading {
    let answerable = envelope.kind == MessageKind::Request;
    let spec = find(envelope.message_type.as_str()).filter(|spec| spec.kinds.contains(&envelope.kind));
    let Some(spec) = spec else {
        if answerable {
            let error = ErrorPayload::new(
                CoreErrorCode::UnsupportedMessageType,
                format!("request `{}` is not supported", envelope.message_type),
            );
            return refused(error, correlation, true);
        }
        return Reading::Ignored(envelope);
    };
    let payload = serde_json::Value::Object(envelope.payload.0.clone());
    let mut problems = inspect(&payload, (spec.payload)(), Strictness::Wire);
    if problems.is_empty() {
        problems = (spec.check)(&payload);
    }
    if crate::problem::acceptable(&problems) {
        return Reading::Accepted(envelope);
    }
    let placed: Vec<Problem> = problems.into_iter().map(|problem| problem.under("/payload")).collect();
    refused(ErrorPayload::from_problems(CoreErrorCode::InvalidPayload, &placed), correlation, answerable)
}

fn refused(error: ErrorPayload, correlation: Option<crate::names::MessageId>, answer: bool) -> Reading {
    Reading::Refused { error: Box::new(error), correlation, answer }
}
