//! Who is asked when a person has to agree. The agent never is.

use std::future::Future;

use uiap_model::action::ActionConfirmationRequestPayload;
use uiap_runtime::action::Runtime;
use uiap_web::surface::WebSurface;

/// A way to a person.
pub trait Confirm: Send + Sync {
    /// Puts the question to a person and hands the answer to the runtime.
    fn answer(
        &self,
        runtime: &Runtime<WebSurface>,
        question: &ActionConfirmationRequestPayload,
    ) -> impl Future<Output = ()> + Send;
}

/// There is no way to a person: nothing is agreed to.
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

impl Confirm for Nobody {
    async fn answer(&self, runtime: &Runtime<WebSurface>, question: &ActionConfirmationRequestPayload) {
        let why = "a person has to agree, and this client offers no way to ask one";
        if let Err(error) = runtime.cancel(&question.action_handle, Some(why)) {
            tracing::debug!(%error, "the action ended before it was given up");
        }
    }
}
