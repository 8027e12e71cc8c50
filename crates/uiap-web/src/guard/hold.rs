//! What leaves a page beside the network, held back in the page itself: messages through sockets and to workers.

use serde_json::json;
use uiap_cdp::protocol::ProtocolEvent as _;
use uiap_cdp::protocol::fetch::HeaderEntry;
use uiap_cdp::protocol::network::Request;
use uiap_cdp::protocol::page::AddScriptToEvaluateOnNewDocument;
use uiap_cdp::protocol::runtime::{self, AddBinding, BindingCalled, Evaluate};
use uiap_cdp::{CallError, Session, SessionEvents};

const HOLD: &str = include_str!("hold.js");
/// The name under which a page tells what was held; the script takes it away before the page can see it.
pub(super) const HELD: &str = "uiapMessageHeld";
/// The header of the answer to what was held back; the script sees to it that no page gets that answer.
const UNANSWERED: &str = "x-uiap-held";
/// What a page tells that kept something for later.
pub(super) const KEPT: &str = "KEPT";

/// The headers of that answer. Whoever asks another origin may only see what that origin shows him.
pub(super) fn unanswered(request: &Request) -> Vec<HeaderEntry> {
    let header = |name: &str, value: &str| HeaderEntry { name: name.to_owned(), value: value.to_owned() };
    let mut headers = vec![header(UNANSWERED, "1")];
    let asker = request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("origin"));
    if let Some(origin) = asker.and_then(|(_, origin)| origin.as_str()) {
        headers.push(header("access-control-allow-origin", origin));
        headers.push(header("access-control-allow-credentials", "true"));
        headers.push(header("access-control-expose-headers", UNANSWERED));
    }
    headers
}

/// Where a page stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Nobody acts.
    Free,
    /// What writes is held.
    Acting,
    /// Nothing leaves.
    Sealed,
}

/// The switch of the script in the page.
#[derive(Debug)]
pub(super) struct Hold {
    session: Session,
    name: String,
}

impl Hold {
    pub(super) async fn install(session: &Session) -> Result<(Self, SessionEvents), CallError> {
        let told = session.events_of(&[BindingCalled::NAME]);
        // A name that pages do not know: the session's id is given by the browser and told to no page.
        let name = format!("uiap-{}", session.id().as_str());
        // Without this pages get no binding, and without one they would hold nothing.
        session.call(runtime::Enable {}).await?;
        session.call(AddBinding { name: HELD, execution_context_name: None }).await?;
        let script = HOLD.split_once("\n(").map_or(HOLD, |(_, rest)| rest);
        let values = [json!(name), json!(HELD), json!(UNANSWERED)].map(|value| value.to_string()).join(", ");
        let source = format!("({}({values});", script.trim_end());
        let install =
            AddScriptToEvaluateOnNewDocument { source: &source, world_name: None, run_immediately: true };
        session.call(install).await?;
        Ok((Self { session: session.clone(), name }, told))
    }

    /// The event by which the page is switched.
    pub(super) fn event(&self, step: Step) -> String {
        let word = match step {
            Step::Free => "free",
            Step::Acting => "acting",
            Step::Sealed => "sealed",
        };
        format!("{}:{word}", self.name)
    }

    /// Switches it; says whether the page heard.
    pub(super) async fn switch(&self, step: Step) -> Result<bool, CallError> {
        let event = json!(self.event(step));
        let expression = format!("!document.dispatchEvent(new CustomEvent({event}, {{ cancelable: true }}))");
        let ask =
            Evaluate { expression: &expression, return_by_value: true, silent: true, ..Evaluate::default() };
        let heard: Option<bool> = self.session.call(ask).await?.result.value_as().unwrap_or_default();
        Ok(heard == Some(true))
    }
}
