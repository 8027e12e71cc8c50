//! An observation: woken by the page, it asks for what changed. What a slow reader missed is one change when it comes back,
//! so that nothing queues up.

use std::time::{Duration, Instant};

use serde_json::json;
use uiap_cdp::protocol::ProtocolEvent as _;
use uiap_cdp::protocol::page::FrameNavigated;
use uiap_cdp::protocol::runtime::BindingCalled;
use uiap_cdp::{SessionEvent, SessionEvents};
use uiap_model::json::Count;
use uiap_model::web::PageGraph;
use uiap_model::web::message::WebStateDeltaPayload;

use super::answer::{Answer, SentEvent, declare};
use super::early::{Early, Taken};
use super::{Change, Fresh, FreshReason, ObserveOptions, PageEvent, Revision};
use crate::capture::{self, Request, Stamp};
use crate::error::{PageError, PageErrorKind};
use crate::mirror::Mirror;
use crate::page::Page;
use crate::transfer::Sent;
use crate::world::BINDING;

/// A page that could not be looked at is left alone for so long.
const AGAIN: Duration = Duration::from_secs(1);

/// What became of an answer of the page.
#[expect(clippy::large_enum_variant, reason = "it is handed on at once")]
enum Read {
    /// It is told; none when nothing changed.
    Told(Option<Revision>),
    /// It does not fit to what the observer has.
    OutOfStep,
}

/// A page that is observed: one revision after the other. Dropping it ends the observation.
#[derive(Debug)]
pub struct Observation {
    page: Page,
    id: String,
    early: Early,
    options: ObserveOptions,
    events: SessionEvents,
    mirror: Option<Mirror>,
    /// Whether the present document knows of this observation.
    begun: bool,
    /// Whether the last look went wrong.
    failed: bool,
    /// Whether the last answer was given a while ago, beside an input.
    behind: bool,
    /// A change that was dropped: its events are told with the graph that is asked for in its place.
    dropped: Option<(Vec<PageEvent>, u64)>,
    seq: u64,
    last: Option<Instant>,
    in_page: Duration,
}

impl Observation {
    pub(crate) fn new(page: Page, id: String, options: ObserveOptions) -> Self {
        let events = page.session().events_of(&[BindingCalled::NAME, FrameNavigated::NAME]);
        let early = Early::new(page.clone(), id.clone());
        Self {
            page,
            id,
            early,
            options,
            events,
            mirror: None,
            begun: false,
            failed: false,
            behind: false,
            dropped: None,
            seq: 0,
            last: None,
            in_page: Duration::ZERO,
        }
    }

    /// Where what is asked for beside an input is put.
    pub(crate) fn early(&self) -> &Early {
        &self.early
    }

    /// The graph after the last revision; none before the first.
    pub fn graph(&self) -> Option<&PageGraph> {
        self.mirror.as_ref().map(Mirror::graph)
    }

    /// Time that the last answer took in the page.
    pub fn in_page(&self) -> Duration {
        self.in_page
    }

    /// The next revision, as soon as there is one. The first is a snapshot.
    pub async fn next(&mut self) -> Result<Revision, PageError> {
        loop {
            self.called().await?;
            if let Some(revision) = self.look(false).await? {
                return Ok(revision);
            }
        }
    }

    /// Waits until there is something to look at. Dropping the future loses nothing.
    pub(crate) async fn called(&mut self) -> Result<(), PageError> {
        if self.begun {
            self.woken().await?;
            self.rest().await;
        } else if self.failed {
            // A page that could not be looked at calls nobody; it is asked again when it shows something else, or after a while.
            tokio::time::timeout(AGAIN, self.woken()).await.unwrap_or(Ok(()))?;
        }
        Ok(())
    }

    /// Whether more may have happened since the last answer than it tells.
    pub(crate) fn is_behind(&self) -> bool {
        self.behind
    }

    /// What changed until now, or until [a while ago](Self::is_behind); none when nothing did.
    pub(crate) async fn glance(&mut self) -> Result<Option<Revision>, PageError> {
        self.look(false).await
    }

    /// Looks now, whether or not the page called; none when nothing changed.
    pub async fn sync(&mut self) -> Result<Option<Revision>, PageError> {
        self.look(true).await
    }

    /// Waits until the page calls or shows another document.
    async fn woken(&mut self) -> Result<(), PageError> {
        while let Some(event) = self.events.next().await {
            match event {
                SessionEvent::Event(event) => {
                    if event
                        .read::<BindingCalled>()
                        .is_some_and(|call| call.name == BINDING && call.payload == self.id)
                    {
                        return Ok(());
                    }
                    if event.read::<FrameNavigated>().is_some_and(|event| event.frame.parent_id.is_none()) {
                        return self.navigated().await;
                    }
                }
                SessionEvent::Lagged(_) => return Ok(()),
                SessionEvent::Crashed => {
                    self.navigated().await?;
                    self.failed = true;
                    return Err(PageError::new(PageErrorKind::Crashed));
                }
                SessionEvent::Detached(_) => break,
                _ => {}
            }
        }
        Err(PageError::new(PageErrorKind::Closed))
    }

    async fn navigated(&mut self) -> Result<(), PageError> {
        self.page.forget_world().await;
        self.begun = false;
        // Another document: what did not fit belonged to the one before.
        self.dropped = None;
        Ok(())
    }

    /// Keeps the least time between two revisions.
    async fn rest(&self) {
        if let Some(last) = self.last {
            tokio::time::sleep_until((last + self.options.min_interval).into()).await;
        }
    }

    /// Asks the page for what changed, or for all that may have; a document that is gone is asked no more.
    async fn look(&mut self, full: bool) -> Result<Option<Revision>, PageError> {
        let looked = self.look_until_told(full).await;
        self.failed = looked.is_err();
        looked
    }

    async fn look_until_told(&mut self, full: bool) -> Result<Option<Revision>, PageError> {
        loop {
            match self.ask(full).await {
                Ok(text) if text.is_empty() => self.navigated().await?,
                Ok(text) => {
                    self.last = Some(Instant::now());
                    if let Read::Told(revision) = self.read(&text)? {
                        return Ok(revision);
                    }
                }
                Err(error) if error.is_document_gone() => {
                    tracing::debug!(%error, "the page navigated, observing the new document");
                    self.navigated().await?;
                    self.page.settle().await?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn ask(&mut self, full: bool) -> Result<String, PageError> {
        self.behind = false;
        match self.early.take().await {
            Taken::Answer(text, recent) if self.begun && !full => {
                self.behind = !recent;
                return Ok(text);
            }
            Taken::Nothing => {}
            // What was told there is missing in what the observer has.
            _ if self.begun => {
                self.begun = false;
                self.dropped.get_or_insert_default();
            }
            _ => {}
        }
        if self.begun {
            return self.page.ask_once("update", json!({"id": self.id, "full": full})).await;
        }
        let request = json!({
            "id": self.id,
            "mostEvents": self.options.capacity,
            "options": Request::observing(self.options.max_elements),
        });
        let text = self.page.ask_once("observe", request).await?;
        self.begun = true;
        Ok(text)
    }

    fn read(&mut self, text: &str) -> Result<Read, PageError> {
        let fault = |what: &str| PageError::new(PageErrorKind::Script(what.to_owned()));
        let (head, graph) = text.split_once('\n').ok_or_else(|| fault("it answered without an end"))?;
        let answer: Answer = serde_json::from_str(head)?;
        self.in_page = Duration::try_from_secs_f64(answer.took / 1_000.0).unwrap_or_default();
        self.page.note_id(answer.next_id);
        let events: Vec<PageEvent> = answer.events.into_iter().filter_map(SentEvent::read).collect();
        let events_lost = answer.lost;
        if graph.is_empty() {
            if answer.ops.is_empty() && events.is_empty() {
                return Ok(Read::Told(None));
            }
            let mut ops = answer.ops;
            declare(&mut ops, &answer.success);
            self.page.known_actions().check_ops(&mut ops);
            let Some(mirror) = &mut self.mirror else { return Err(fault("it told a change of nothing")) };
            let stamp = self.page.stamp()?;
            self.seq += 1;
            let delta = WebStateDeltaPayload {
                subscription_id: None,
                base_revision: mirror.graph().revision.clone(),
                revision: stamp.revision,
                seq: Count(self.seq),
                ts: stamp.ts,
                ops,
                cause: None,
            };
            let touched = match mirror.apply(&delta) {
                Ok(touched) => touched,
                Err(error) => {
                    tracing::warn!(%error, "a change does not fit, the page is asked anew");
                    self.begun = false;
                    self.seq -= 1;
                    self.dropped = Some((events, events_lost));
                    return Ok(Read::OutOfStep);
                }
            };
            let (elements, scopes, route_before) = (touched.elements, touched.scopes, touched.route_before);
            return Ok(Read::Told(Some(Revision::Change(Change {
                delta,
                elements,
                scopes,
                caused: answer.caused,
                route_before,
                events,
                events_lost,
            }))));
        }
        let sent: Sent<'_> = serde_json::from_str(graph)?;
        self.seq += 1;
        let Stamp { revision, ts, .. } = self.page.stamp()?;
        let graph = capture::graph(sent, Stamp { revision, seq: self.seq, ts })?;
        let mut graph = graph.ok_or_else(|| fault("it saw no document"))?;
        self.page.known_actions().check_graph(&mut graph);
        let before = self.mirror.replace(Mirror::new(graph)).map(Mirror::into_graph);
        let dropped = self.dropped.take();
        let reason = match answer.fresh.as_str() {
            _ if dropped.is_some() => FreshReason::OutOfStep,
            "most" => FreshReason::MostChanged,
            "inexpressible" => FreshReason::Inexpressible,
            _ if before.is_some() => FreshReason::Navigated,
            _ => FreshReason::First,
        };
        let (mut told, lost) = dropped.unwrap_or_default();
        told.extend(events);
        let (events, events_lost) = (told, lost + events_lost);
        let fresh = Fresh { reason, before, events, events_lost, caused: answer.caused };
        Ok(Read::Told(Some(Revision::Snapshot(fresh))))
    }
}

impl Drop for Observation {
    fn drop(&mut self) {
        if !self.begun {
            return;
        }
        let (page, id) = (self.page.clone(), std::mem::take(&mut self.id));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Err(error) = page.ask_once("unobserve", id.into()).await {
                    tracing::debug!(%error, "the page is not there to be left alone");
                }
            });
        }
    }
}
