//! Waiting for a document: by the browser's events, never by the clock alone.

use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};
use uiap_cdp::protocol::page::{
    GetFrameTree, JavascriptDialogClosed, JavascriptDialogOpening, LifecycleEvent, Navigate,
};
use uiap_cdp::protocol::{ProtocolEvent, runtime};
use uiap_cdp::{Session, SessionEvent, SessionEvents};

use crate::error::{PageError, PageErrorKind};

/// How long a dialog may stay open before nobody answers it.
const ANSWER: Duration = Duration::from_secs(2);

/// Navigates and waits until the new document has loaded.
pub(crate) async fn navigate(session: &Session, url: &str, limit: Duration) -> Result<(), PageError> {
    let mut events = subscribe(session);
    let asked = session.call(Navigate { url, ..Navigate::default() }).await;
    let navigation = asked.map_err(|error| PageError::of_navigation(url, error))?;
    if let Some(reason) = navigation.error_text {
        return Err(PageError::new(PageErrorKind::Navigation { url: url.to_owned(), reason }));
    }
    // Without a loader the navigation stayed within the document, which is there already.
    let Some(loader) = navigation.loader_id else { return Ok(()) };
    within(limit, loaded(&mut events, |event| event.loader_id == loader)).await
}

/// Waits until the present document has loaded.
pub(crate) async fn settle(session: &Session, limit: Duration) -> Result<(), PageError> {
    let mut events = subscribe(session);
    let main = session.call(GetFrameTree {}).await?.frame_tree.frame.id;
    let ask = runtime::Evaluate {
        expression: "document.readyState",
        return_by_value: true,
        ..runtime::Evaluate::default()
    };
    let state: Option<String> = session.call(ask).await?.result.value_as()?;
    if state.as_deref() == Some("complete") {
        return Ok(());
    }
    within(limit, loaded(&mut events, |event| event.frame_id == main)).await
}

fn subscribe(session: &Session) -> SessionEvents {
    session.events_of(&[LifecycleEvent::NAME, JavascriptDialogOpening::NAME, JavascriptDialogClosed::NAME])
}

async fn within(limit: Duration, wait: impl Future<Output = Result<(), PageError>>) -> Result<(), PageError> {
    timeout(limit, wait).await.unwrap_or_else(|_| Err(PageError::new(PageErrorKind::NotLoaded(limit))))
}

/// Lifecycle events tell of every frame; `is_ours` picks the document that is waited for.
async fn loaded(
    events: &mut SessionEvents,
    is_ours: impl Fn(&LifecycleEvent) -> bool,
) -> Result<(), PageError> {
    let mut open: Option<(String, Instant)> = None;
    loop {
        let next = match &open {
            None => events.next().await,
            // Whoever answers dialogs does it at once.
            Some((message, deadline)) => match timeout_at(*deadline, events.next()).await {
                Ok(next) => next,
                Err(_) => return Err(PageError::new(PageErrorKind::Dialog(message.clone()))),
            },
        };
        let event = match next {
            Some(SessionEvent::Event(event)) => event,
            Some(SessionEvent::Crashed) => return Err(PageError::new(PageErrorKind::Crashed)),
            Some(SessionEvent::Detached(_)) | None => return Err(PageError::new(PageErrorKind::Closed)),
            Some(_) => continue,
        };
        if let Some(dialog) = event.read::<JavascriptDialogOpening>() {
            open = Some((dialog.message, Instant::now() + ANSWER));
        } else if event.is::<JavascriptDialogClosed>() {
            open = None;
        }
        let load = event.read::<LifecycleEvent>().filter(|event| event.name == "load");
        if load.is_some_and(|event| is_ours(&event)) {
            return Ok(());
        }
    }
}
