//! The seam between sessions and whoever carries actions out.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use uiap_model::action::ActionRequestPayload;
use uiap_model::capability::ActionDescriptor;
use uiap_model::core::ErrorPayload;
use uiap_model::names::ActionHandle;
use uiap_model::policy::message::HandoffCompletedPayload;
use uiap_model::web::PageGraph;
use uiap_policy::Policies;
use uiap_policy::confirmation::Party;
use uiap_runtime::action::Running;

/// What a person said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Yes.
    Grant,
    /// No, and why.
    Deny(Option<String>),
}

/// Carries actions out on one page.
pub trait Actions: Send + Sync + 'static {
    /// The actions that the page itself offers at this moment.
    fn offered(&self) -> BoxFuture<'_, Vec<ActionDescriptor>>;
    /// Accepts an action, or tells why not; returns at once. `as_seen` is the page as the requester saw it last.
    fn request<'a>(
        &'a self,
        by: &'a Party,
        request: ActionRequestPayload,
        as_seen: Option<Arc<PageGraph>>,
    ) -> BoxFuture<'a, Result<Running, ErrorPayload>>;
    /// Asks an action to stop; its result still comes.
    fn cancel(&self, handle: &ActionHandle, reason: Option<&str>) -> Result<(), ErrorPayload>;
    /// Answers a confirmation.
    fn answer(&self, handle: &ActionHandle, verdict: Verdict, by: &Party) -> Result<(), ErrorPayload>;
    /// How long a person can still answer.
    fn answer_within(&self, handle: &ActionHandle) -> Option<Duration>;
    /// A person says how it went what only a person could do.
    fn handed_back(
        &self,
        handle: &ActionHandle,
        message: &HandoffCompletedPayload,
    ) -> Result<(), ErrorPayload>;
    /// What happened to an action so far, as a person reads it, with everything delicate covered.
    fn story(&self, handle: &ActionHandle) -> Option<String>;
    /// Another policy holds from now on.
    fn set_policies(&self, policies: Arc<Policies>);
}
