//! What a page says while something is done to it. A message may be gone before the page rests: only who listens from the beginning
//! hears it.

use serde::Deserialize;
use uiap_cdp::protocol::runtime::{CallFunctionOn, Evaluate, ReleaseObject, RemoteObjectId};
use uiap_model::capability::SuccessSignal;
use uiap_web::Page;

/// Writes down what appears in regions that speak, each once. A message that comes as an element of its own is a toast; a region that
/// was there and says something else is a status. That one has to wait is no message: whether it is shown at all depends on how quick the app is.
const LISTEN: &str = r"(() => {
    const speaking = '[role=status],[role=alert],[role=log],output,[aria-live=polite],[aria-live=assertive],' +
        '[data-uiap-role=toast],[data-uiap-signal=toast],[data-uiap-signal=status],[class*=toast i],[class*=snackbar i]';
    const waiting = '[aria-busy=true],[role=progressbar],progress,[data-uiap-role=spinner],[class*=spinner i],[class*=loading i],[class*=skeleton i]';
    const said = new Map();
    const note = (node, kind) => {
        const text = (node.textContent || '').replace(/\s+/g, ' ').trim();
        if (node.closest(waiting) || node.querySelector(waiting) || /(\u2026|\.\.\.)$/.test(text)) return;
        if (text && text.length <= 200 && said.size < 20 && !said.has(text)) said.set(text, kind);
    };
    const added = (node) => {
        if (node.nodeType !== 1) return;
        if (node.parentElement?.closest(speaking) || node.matches(speaking)) return note(node, 'toast');
        for (const inner of node.querySelectorAll(speaking)) note(inner, 'toast');
    };
    const heard = (records) => {
        for (const { type, target, addedNodes } of records) {
            const element = target.nodeType === 1 ? target : target.parentElement;
            if (type === 'childList') for (const node of addedNodes) added(node);
            const region = element?.closest(speaking);
            if (!region) continue;
            const own = type === 'characterData' || [...addedNodes].some((node) => node.nodeType === 3);
            if (own) note(region, 'status');
            else if (type === 'attributes' && region === element && element.checkVisibility?.()) note(region, 'toast');
        }
    };
    const observer = new MutationObserver(heard);
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ['hidden', 'open'] });
    return { take() { heard(observer.takeRecords()); observer.disconnect(); return JSON.stringify([...said]); } };
})()";

/// Listens to one document.
pub(super) struct Listener(RemoteObjectId);

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Toast,
    Status,
}

impl Listener {
    /// Begins; nobody listens to a page that cannot be asked.
    pub(super) async fn begin(page: &Page) -> Option<Self> {
        let listen = Evaluate { expression: LISTEN, silent: true, ..Evaluate::default() };
        let answer = page.session().call(listen).await;
        let answer =
            answer.inspect_err(|error| tracing::debug!(%error, "nobody listens to this page")).ok()?;
        answer.result.object_id.map(Self)
    }

    /// Ends, and says what was heard. What was said goes with its document.
    pub(super) async fn end(self, page: &Page) -> Vec<SuccessSignal> {
        let take = CallFunctionOn {
            function_declaration: "function() { return this.take(); }",
            object_id: Some(self.0.clone()),
            silent: true,
            return_by_value: true,
            ..CallFunctionOn::default()
        };
        let answer = page.session().call(take).await.ok();
        let text: Option<String> = answer.and_then(|answer| answer.result.value_as().unwrap_or_default());
        let said: Vec<(String, Kind)> =
            text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        if let Err(error) = page.session().call(ReleaseObject { object_id: self.0 }).await {
            tracing::debug!(%error, "the document went away with its listener");
        }
        let signal = |(text, kind): (String, Kind)| match kind {
            Kind::Toast => SuccessSignal::ToastContains { text: text.into() },
            Kind::Status => SuccessSignal::StatusContains { text: text.into() },
        };
        said.into_iter().map(signal).collect()
    }
}
