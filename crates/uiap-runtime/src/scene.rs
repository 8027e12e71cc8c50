//! The page as the runtime knows it: one task observes, everybody reads. What was seen is numbered, so that an action can ask
//! for everything since a mark that it set before it acted.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use uiap_model::names::ElementInstanceId;
use uiap_model::web::PageGraph;

use crate::ambience::Ambience;
use crate::resolve::{Departed, Identity};
use crate::surface::{Heard, Observer, Seen, Sight, Surface, SurfaceError};

/// Things seen that are kept; an action that lasts longer than that has its own copy of what matters.
const KEPT: usize = 4_096;

/// For so long nothing happens in a page that it does not tell.
const RECENT: Duration = Duration::from_millis(250);

/// Everything after this was seen later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(u64);

/// Something seen, and when.
#[derive(Clone, Debug)]
pub struct Entry {
    /// When.
    pub at: Instant,
    /// What.
    pub event: Event,
}

/// What can be seen.
#[derive(Clone, Debug)]
pub enum Event {
    /// The page or the browser told something.
    Signal(Arc<Heard>),
    /// The page is another.
    Revision(Arc<Seen>),
    /// The page is not there to be seen.
    Lost(SurfaceError),
}

/// The page as it was seen last, and what was seen until then. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Scene {
    shared: Arc<Shared>,
    looks: mpsc::Sender<Look>,
    _end: Arc<DropGuard>,
}

type Look = oneshot::Sender<Result<(), SurfaceError>>;

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    newest: watch::Sender<u64>,
    /// Whether the page is left alone for now: whoever sends an input looks right after it, and a look in between would only
    /// keep the page from handling it.
    held: watch::Sender<bool>,
}

#[derive(Debug)]
struct State {
    graph: Arc<PageGraph>,
    /// The page before the oldest thing in the log.
    oldest: Arc<PageGraph>,
    log: VecDeque<(u64, Entry)>,
    next: u64,
    ambience: Ambience,
    departed: Departed,
    lost: Option<SurfaceError>,
    /// When the page was last looked at; none while it has called since.
    looked: Option<Instant>,
}

impl Scene {
    /// Observes a surface until the last clone is dropped.
    pub async fn of<S: Surface>(surface: &S) -> Result<Self, SurfaceError> {
        let mut observer = surface.observe().await?;
        let mut first = Vec::new();
        let graph = loop {
            first.extend(observer.look().await?);
            if let Some(seen) = first.iter().rev().find_map(|sight| match sight {
                Sight::Revision(seen) => Some(Arc::clone(&seen.graph)),
                Sight::Signal(_) => None,
            }) {
                break seen;
            }
            first.extend(observer.next().await?);
        };
        let state = State {
            oldest: Arc::clone(&graph),
            graph,
            log: VecDeque::new(),
            next: 1,
            ambience: Ambience::new(Instant::now()),
            departed: Departed::default(),
            lost: None,
            looked: None,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            newest: watch::Sender::new(0),
            held: watch::Sender::new(false),
        });
        let (looks, requests) = mpsc::channel(16);
        let end = CancellationToken::new();
        tokio::spawn(watch_over(observer, Arc::clone(&shared), requests, end.clone()));
        Ok(Self { shared, looks, _end: Arc::new(end.drop_guard()) })
    }

    /// The page as it was seen last.
    pub fn graph(&self) -> Arc<PageGraph> {
        Arc::clone(&self.state().graph)
    }

    /// Now.
    pub fn mark(&self) -> Mark {
        Mark(self.state().next - 1)
    }

    /// The page as it was then; none when that is too long ago.
    pub fn graph_at(&self, mark: Mark) -> Option<Arc<PageGraph>> {
        let state = self.state();
        let kept_from = state.log.front().map_or(state.next, |(number, _)| *number);
        if mark.0 + 1 < kept_from {
            return None;
        }
        let earlier = state.log.iter().rev().skip_while(|(number, _)| *number > mark.0);
        let found = earlier.into_iter().find_map(|(_, entry)| match &entry.event {
            Event::Revision(seen) => Some(Arc::clone(&seen.graph)),
            _ => None,
        });
        Some(found.unwrap_or_else(|| Arc::clone(&state.oldest)))
    }

    /// What was seen since.
    pub fn since(&self, mark: Mark) -> Vec<Entry> {
        let state = self.state();
        let from = state.log.partition_point(|(at, _)| *at <= mark.0);
        state.log.range(from..).map(|(_, entry)| entry.clone()).collect()
    }

    /// Everything that is still remembered.
    pub fn remembered(&self) -> Vec<Entry> {
        self.since(Mark(0))
    }

    /// Looks now: afterwards everything that the page has become until this call is in the log.
    pub async fn look(&self) -> Result<Arc<PageGraph>, SurfaceError> {
        let (reply, answer) = oneshot::channel();
        self.looks.send(reply).await.map_err(|_| self.gone())?;
        // After the request, so that it is the one that is served.
        self.release();
        tokio::select! {
            biased;
            answer = answer => answer.map_err(|_| self.gone())??,
            // A request that is handed in while the observing ends lies there for ever, neither answered nor dropped.
            () = self.looks.closed() => return Err(self.gone()),
        }
        Ok(self.graph())
    }

    /// Waits until something was seen after the mark. Returns at once when there is something already.
    pub async fn changed(&self, mark: Mark) -> Result<(), SurfaceError> {
        self.release();
        let mut newest = self.shared.newest.subscribe();
        tokio::select! {
            biased;
            seen = newest.wait_for(|newest| *newest > mark.0) => seen.map(drop).map_err(|_| self.gone()),
            // Nothing will be seen any more.
            () = self.looks.closed() => Err(self.gone()),
        }
    }

    fn gone(&self) -> SurfaceError {
        self.lost().unwrap_or_else(|| SurfaceError::Closed("it is observed no more".to_owned()))
    }

    /// Why the page cannot be seen any more, if so.
    pub fn lost(&self) -> Option<SurfaceError> {
        self.state().lost.clone()
    }

    /// What an element was that is not there any more.
    pub fn departed(&self, id: &ElementInstanceId) -> Option<Identity> {
        self.state().departed.get(id)
    }

    /// Whether what was seen last is the page as far as anybody knows: it was looked at just now, has not called since, and does not change by itself.
    pub(crate) fn is_current(&self) -> bool {
        let state = self.state();
        let now = Instant::now();
        state.looked.is_some_and(|at| now.duration_since(at) < RECENT) && state.ambience.is_calm(now)
    }

    /// What changes in this page without anybody doing anything.
    pub fn ambience(&self) -> Ambience {
        self.state().ambience.clone()
    }

    /// Nobody looks by himself until somebody asks for a look or waits for a change.
    pub(crate) fn hold_back(&self) {
        self.shared.held.send_replace(true);
    }

    /// What came meanwhile is looked at now.
    pub(crate) fn release(&self) {
        self.shared.held.send_if_modified(std::mem::take);
    }

    /// From now on what changes may be somebody's doing, and says nothing about the page's own restlessness.
    pub(crate) fn acting(&self, acting: bool) {
        self.state().ambience.acting(acting);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state()
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, events: Vec<Event>) {
        let mut state = self.state();
        let at = Instant::now();
        for event in events {
            match &event {
                Event::Revision(seen) => {
                    state.ambience.note(seen, at);
                    let before = std::mem::replace(&mut state.graph, Arc::clone(&seen.graph));
                    state.departed.note(&before, seen);
                    state.lost = None;
                }
                Event::Lost(error) => state.lost = Some(error.clone()),
                Event::Signal(_) => {}
            }
            let number = state.next;
            state.next += 1;
            if state.log.len() >= KEPT
                && let Some((_, Entry { event: Event::Revision(seen), .. })) = state.log.pop_front()
            {
                state.oldest = Arc::clone(&seen.graph);
            }
            state.log.push_back((number, Entry { at, event }));
        }
        let newest = state.next - 1;
        drop(state);
        self.newest.send_replace(newest);
    }
}

fn event(sight: Sight) -> Event {
    match sight {
        Sight::Signal(heard) => Event::Signal(Arc::new(heard)),
        Sight::Revision(seen) => Event::Revision(Arc::new(seen)),
    }
}

/// What the observing task does next.
enum Turn {
    /// Look, for whoever asked.
    Look(Option<Look>),
    /// Take up what was told.
    Told(Result<Vec<Sight>, SurfaceError>),
}

async fn watch_over<O: Observer>(
    mut observer: O,
    shared: Arc<Shared>,
    mut looks: mpsc::Receiver<Look>,
    end: CancellationToken,
) {
    let mut held = shared.held.subscribe();
    // Whether the page called while it was left alone.
    let mut due = false;
    loop {
        let turn = tokio::select! {
            biased;
            () = end.cancelled() => return,
            Some(reply) = looks.recv() => Turn::Look(Some(reply)),
            _ = held.wait_for(|held| !held), if due => Turn::Look(None),
            // Once it called, what it has to tell is asked for with the next look: it may well go on calling until then.
            sights = observer.next(), if !due => match sights {
                Ok(sights) if sights.is_empty() && *shared.held.borrow() => {
                    due = true;
                    shared.state().looked = None;
                    continue;
                }
                Ok(sights) if sights.is_empty() => Turn::Look(None),
                sights => Turn::Told(sights),
            },
        };
        let (sights, looked) = match turn {
            // A look is never given up half-way.
            Turn::Look(reply) => {
                due = false;
                shared.state().looked = None;
                (observer.look().await, Some(reply))
            }
            Turn::Told(sights) => (sights, None),
        };
        let (outcome, over) = match sights {
            Ok(sights) => {
                shared.record(sights.into_iter().map(event).collect());
                if looked.is_some() {
                    shared.state().looked = Some(Instant::now());
                }
                (Ok(()), false)
            }
            Err(error) => {
                tracing::debug!(%error, "the page cannot be seen");
                let over = matches!(error, SurfaceError::Closed(_));
                shared.record(vec![Event::Lost(error.clone())]);
                (Err(error), over)
            }
        };
        // Whoever asked may have lost interest by now.
        if let Some(reply) = looked.flatten() {
            drop(reply.send(outcome));
        }
        if over {
            return;
        }
    }
}
