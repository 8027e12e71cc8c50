//! Whether a request is taken in at all: what is malformed, unknown, forbidden or asked before is answered at once.

use std::sync::Arc;

use compact_str::CompactString;
use serde_json::{Value, json};
use uiap_model::action::request::{ActionRequestPayload, RequestTarget};
use uiap_model::action::result::{ActionResultPayload, RuntimeErrorCode};
use uiap_model::capability::{ActionDescriptor, Idempotency, PrimitiveActionType, RiskLevel};
use uiap_model::digest::digest;
use uiap_model::json::JsonObject;
use uiap_model::names::{ActionHandle, ActionId};
use uiap_model::policy::PolicyDecision;
use uiap_model::problem::Problem;
use uiap_model::web::PageGraph;
use uiap_policy::confirmation::Party;

use super::live::Live;
use super::plan::{IncompletePlan, check_plan};
use super::primitive;
use super::runtime::{Core, control};
use crate::journal::{Begin, NewAction};
use crate::surface::Surface;

/// Why a request was not taken in. Nothing was done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    /// The code of the runtime.
    pub code: RuntimeErrorCode,
    /// In words.
    pub message: String,
    /// What is wrong with it, by JSON Pointer.
    pub problems: Vec<Problem>,
    /// More.
    pub detail: Option<JsonObject>,
}

impl Refused {
    fn new(code: RuntimeErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), problems: Vec::new(), detail: None }
    }

    pub(super) fn internal(message: &str) -> Self {
        Self::new(RuntimeErrorCode::InternalRuntimeError, message)
    }

    fn of(problems: Vec<Problem>) -> Self {
        let first = problems.first().map(ToString::to_string).unwrap_or_default();
        Self { problems, ..Self::new(RuntimeErrorCode::InvalidArgs, first) }
    }
}

/// What became of a request.
pub(super) enum TakenIn {
    /// It is led through its life.
    New(Arc<Live>),
    /// It is being done already.
    Known(Arc<Live>),
    /// It was done, some time ago.
    Done(Box<ActionResultPayload>),
}

/// Checks a request before it is accepted.
pub(super) async fn take_in<S: Surface>(
    core: &Core<S>,
    by: &Party,
    request: ActionRequestPayload,
    handle: ActionHandle,
    as_seen: Option<Arc<PageGraph>>,
) -> Result<TakenIn, Refused> {
    if !core.active.load(std::sync::atomic::Ordering::SeqCst) {
        return Err(Refused::new(RuntimeErrorCode::ActionUnsupported, "the session is not active"));
    }
    let problems = request.check();
    if !problems.is_empty() {
        return Err(Refused::of(problems));
    }
    let (descriptor, request) = describe(core, request).await?;
    if core.options.strict {
        check_plan(&request, &descriptor).map_err(|error| incomplete(&error))?;
    }
    check_args(&descriptor, &request)?;
    if let Some(decision) = core.refused_at_once(by, &request, &descriptor, &handle) {
        return Err(denied(&descriptor, &decision));
    }
    let idempotency = idempotency(&descriptor, &request);
    let payload_digest = digest(&json!({
        "actionId": request.action_id, "target": request.target, "args": request.args,
    }))
    .map_err(|error| Refused::internal(&error.to_string()))?;
    let journal = &core.options.journal;
    let journalled = |error: crate::journal::JournalError| Refused::internal(&error.to_string());
    let new = NewAction {
        handle: handle.clone(),
        session: core.options.session_id.clone(),
        principal: by.principal.id.clone(),
        action_id: request.action_id.clone(),
        idempotency_key: request.idempotency_key.clone(),
        payload_digest,
        origin: core.origin(),
        idempotency,
    };
    // Asking again under the same key is no repetition: it gets the first answer, whatever that was.
    let asked_before = journal.asked_before(&new).map_err(journalled)?.is_some();
    if idempotency != Idempotency::Idempotent
        && !asked_before
        && let Some(earlier) = journal.refuses_repeat(&new).map_err(journalled)?
    {
        if acknowledges(&request, &earlier) {
            journal.accept_unknown(&earlier).map_err(journalled)?;
        } else {
            return Err(unsafe_retry(&earlier));
        }
    }
    match journal.begin(&new).map_err(journalled)? {
        Begin::Fresh => {}
        Begin::SameInFlight { handle } => {
            let live = core.live(&handle).ok_or_else(|| unsafe_retry(&handle))?;
            return Ok(TakenIn::Known(live));
        }
        Begin::SameDone { result_json } => {
            let result =
                serde_json::from_str(&result_json).map_err(|error| Refused::internal(&error.to_string()))?;
            return Ok(TakenIn::Done(Box::new(result)));
        }
        Begin::OtherPayload { handle } => {
            return Err(Refused::new(
                RuntimeErrorCode::InvalidArgs,
                format!("the idempotency key belongs to another request, that of `{handle}`"),
            ));
        }
    }
    let control = control(core, &request);
    Ok(TakenIn::New(Arc::new(Live::new(handle, request, descriptor, by.clone(), as_seen, control))))
}

impl<S> Core<S> {
    /// The app that is acted on; what was done in another one is no repetition.
    fn origin(&self) -> CompactString {
        let graph = self.scene.graph();
        graph.documents.first().and_then(|root| root.origin.clone()).unwrap_or_default()
    }
}

fn incomplete(error: &IncompletePlan) -> Refused {
    let detail = json!({ "missing": error.members() });
    Refused {
        detail: detail.as_object().cloned().map(JsonObject),
        ..Refused::new(RuntimeErrorCode::InvalidArgs, error.to_string())
    }
}

fn denied(descriptor: &ActionDescriptor, decision: &PolicyDecision) -> Refused {
    let why = decision.reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let message = if descriptor.risk.level == RiskLevel::Blocked {
        format!("`{}` is blocked: only a person may do it", descriptor.id)
    } else {
        format!("the policy refuses `{}` ({why})", descriptor.id)
    };
    let detail = json!({ "decision": decision });
    Refused {
        detail: detail.as_object().cloned().map(JsonObject),
        ..Refused::new(RuntimeErrorCode::PolicyDenied, message)
    }
}

fn unsafe_retry(earlier: &ActionHandle) -> Refused {
    let detail = json!({ "unknownEffectOf": earlier });
    Refused {
        detail: detail.as_object().cloned().map(JsonObject),
        ..Refused::new(
            RuntimeErrorCode::UnsafeRetryRefused,
            format!(
                "`{earlier}` did the same, and whether it took effect is not known; look first, then ask again with metadata.acknowledges = `{earlier}` (in a tool or on the command line: the argument `acknowledges`)"
            ),
        )
    }
}

/// Whether the requester knows that the effect of an earlier action is unknown.
fn acknowledges(request: &ActionRequestPayload, earlier: &ActionHandle) -> bool {
    let metadata = request.metadata.as_ref();
    metadata.and_then(|metadata| metadata.0.get("acknowledges")?.as_str()) == Some(earlier.as_str())
}

/// What doing it twice would mean.
pub(super) fn idempotency(descriptor: &ActionDescriptor, request: &ActionRequestPayload) -> Idempotency {
    let primitive = PrimitiveActionType::parse(descriptor.id.as_str());
    if primitive == Some(PrimitiveActionType::UiToggle) {
        let to_a_state = request.args.as_ref().is_some_and(|args| args.0.contains_key("checked"));
        return if to_a_state { Idempotency::Idempotent } else { Idempotency::NonIdempotent };
    }
    descriptor.idempotency.unwrap_or(Idempotency::NonIdempotent)
}

/// Finds the description of an action: the app's own before the protocol's. `app.invoke` stands for the action that it names.
async fn describe<S: Surface>(
    core: &Core<S>,
    mut request: ActionRequestPayload,
) -> Result<(ActionDescriptor, ActionRequestPayload), Refused> {
    if request.action_id == "app.invoke" {
        let args = request.args.take().unwrap_or_default();
        let named = args.0.get("actionId").and_then(|id| id.as_str()).and_then(ActionId::parse);
        let Some(action_id) = named else {
            return Err(Refused::new(
                RuntimeErrorCode::InvalidArgs,
                "`/args/actionId` is missing: `app.invoke` needs the action to invoke",
            ));
        };
        request.action_id = action_id;
        request.args = match args.0.get("args") {
            None => None,
            Some(Value::Object(inner)) => Some(JsonObject(inner.clone())),
            Some(_) => {
                let message = "`/args/args` must be an object: the arguments of the action that is invoked";
                return Err(Refused::new(RuntimeErrorCode::InvalidArgs, message));
            }
        };
    }
    let id = &request.action_id;
    if let Some(found) = core.options.actions.iter().find(|each| each.id == *id) {
        return Ok((found.clone(), request));
    }
    if let Some(found) = PrimitiveActionType::parse(id.as_str()).and_then(primitive::descriptor) {
        return Ok((found, request));
    }
    let offered = core.surface.app_actions().await;
    let offered = offered.map_err(|error| Refused::internal(&error.to_string()))?;
    if let Some(found) = offered.into_iter().find(|each| each.id == *id) {
        return Ok((found, request));
    }
    Err(Refused::new(RuntimeErrorCode::ActionUnsupported, format!("there is no action `{id}`")))
}

fn check_args(descriptor: &ActionDescriptor, request: &ActionRequestPayload) -> Result<(), Refused> {
    let args = request.args.clone().unwrap_or_default();
    let mut checked = args.clone();
    // The type of this one depends on the control.
    if descriptor.id == "ui.setValue" {
        checked.0.shift_remove("value");
    }
    let problems = descriptor.check_args(&checked);
    if !problems.is_empty() {
        let problems = problems.into_iter().map(|problem| problem.under("/args")).collect();
        return Err(Refused::of(problems));
    }
    if !names_target(request) && primitive::needs_target(descriptor) {
        return Err(Refused::new(
            RuntimeErrorCode::TargetRequired,
            format!("`{}` needs a target", descriptor.id),
        ));
    }
    let route = matches!(
        request.target.as_ref().and_then(|target| target.r#ref.as_ref()),
        Some(RequestTarget::Route { .. })
    );
    if route && descriptor.id != "nav.navigate" {
        return Err(Refused::new(
            RuntimeErrorCode::InvalidArgs,
            "`/target/ref`: a route is a target of `nav.navigate` only",
        ));
    }
    Ok(())
}

/// Whether a request says in any way what it is done to.
pub(super) fn names_target(request: &ActionRequestPayload) -> bool {
    let named = request.target.as_ref().is_some_and(|target| {
        target.r#ref.is_some() || target.expected_role.is_some() || target.expected_name.is_some()
    });
    named || is_hinted(request)
}

pub(super) fn is_hinted(request: &ActionRequestPayload) -> bool {
    request.metadata.as_ref().is_some_and(|metadata| metadata.0.contains_key("hints"))
}

/// The web, and nothing that looks like it.
pub(super) fn web_only(url: &str) -> Result<(), String> {
    let lower = url.trim().to_ascii_lowercase();
    if lower.starts_with("http://") || lower.starts_with("https://") || lower == "about:blank" {
        let host = lower.split("://").nth(1).unwrap_or_default();
        let host = host.split(['/', '?', '#']).next().unwrap_or_default();
        return if host.contains('@') {
            Err("an address must not hold a user name".to_owned())
        } else {
            Ok(())
        };
    }
    Err("only addresses that begin with http:// or https:// may be visited".to_owned())
}
