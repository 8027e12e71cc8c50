//! Pages without a browser: a test decides what they show.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};
use uiap_model::action::ActionRequestPayload;
use uiap_model::capability::ActionDescriptor;
use uiap_model::core::{CoreErrorCode, ErrorPayload};
use uiap_model::names::ActionHandle;
use uiap_model::policy::message::HandoffCompletedPayload;
use uiap_model::web::message::SnapshotOptions;
use uiap_model::web::{PageGraph, WebSignal};
use uiap_policy::Policies;
use uiap_policy::confirmation::Party;
use uiap_runtime::action::Running;
use uiap_server::protocol::actions::{Actions, Verdict};
use uiap_server::protocol::stage::{Sight, Sights, Stage, StageError, Stages, Wish};

/// Pages, in the order in which they were opened.
#[derive(Default)]
pub(crate) struct FakeStages {
    pages: Mutex<Vec<FakePage>>,
    opened: Notify,
    pub(crate) closed: Arc<AtomicUsize>,
    pub(crate) fault: Mutex<Option<StageError>>,
    /// Whether pages never come.
    held: std::sync::atomic::AtomicBool,
    /// What pages offer to do; none can act without it.
    pub(crate) offers: Arc<Mutex<Option<Vec<ActionDescriptor>>>>,
    /// What the first graph of every page is; an empty page by default.
    pub(crate) first: Mutex<Option<Value>>,
}

/// The test's hand on a page.
#[derive(Clone)]
pub(crate) struct FakePage {
    sender: mpsc::UnboundedSender<Result<Sight, StageError>>,
    pub(crate) wish: Wish,
}

impl FakePage {
    pub(crate) fn show(&self, graph: Value) {
        self.sender.send(Ok(Sight::Graph(Arc::new(serde_json::from_value(graph).unwrap())))).unwrap();
    }

    pub(crate) fn signal(&self, signal: Value) {
        let signal: WebSignal = serde_json::from_value(signal).unwrap();
        self.sender.send(Ok(Sight::Signal(Box::new(signal)))).unwrap();
    }

    pub(crate) fn die(&self) {
        self.sender.send(Err(StageError::Gone("the test killed it".to_owned()))).unwrap();
    }
}

impl FakeStages {
    /// From now on pages never come.
    pub(crate) fn hold(&self) {
        self.held.store(true, Ordering::SeqCst);
    }

    /// The page that was opened as number `at`, as soon as it is.
    pub(crate) async fn page(&self, at: usize) -> FakePage {
        loop {
            let opened = self.opened.notified();
            let page = self.pages.lock().unwrap().get(at).cloned();
            if let Some(page) = page {
                return page;
            }
            opened.await;
        }
    }
}

impl Stages for FakeStages {
    fn check(&self, url: &str) -> Result<(), StageError> {
        if url.contains("forbidden") { Err(StageError::Refused("not there".to_owned())) } else { Ok(()) }
    }

    fn open<'a>(&'a self, wish: &'a Wish) -> BoxFuture<'a, Result<Arc<dyn Stage>, StageError>> {
        Box::pin(async move {
            if self.held.load(Ordering::SeqCst) {
                std::future::pending::<()>().await;
            }
            if let Some(fault) = self.fault.lock().unwrap().clone() {
                return Err(fault);
            }
            let (sender, receiver) = mpsc::unbounded_channel();
            let page = FakePage { sender, wish: wish.clone() };
            let first = self.first.lock().unwrap().clone().unwrap_or_else(|| graph(1, 2));
            page.show(first);
            self.pages.lock().unwrap().push(page);
            self.opened.notify_waiters();
            let stage: Arc<dyn Stage> = Arc::new(FakeStage {
                sights: Mutex::new(Some(receiver)),
                closed: Arc::clone(&self.closed),
                offers: Arc::clone(&self.offers),
            });
            Ok(stage)
        })
    }
}

struct FakeStage {
    sights: Mutex<Option<mpsc::UnboundedReceiver<Result<Sight, StageError>>>>,
    closed: Arc<AtomicUsize>,
    offers: Arc<Mutex<Option<Vec<ActionDescriptor>>>>,
}

impl Stage for FakeStage {
    fn capture<'a>(&'a self, _: &'a SnapshotOptions) -> BoxFuture<'a, Result<PageGraph, StageError>> {
        Box::pin(async { Ok(serde_json::from_value(graph(900, 7)).unwrap()) })
    }

    fn watch(&self) -> BoxFuture<'_, Result<Box<dyn Sights>, StageError>> {
        Box::pin(async {
            let sights: Box<dyn Sights> = Box::new(FakeSights(self.sights.lock().unwrap().take().unwrap()));
            Ok(sights)
        })
    }

    fn actions(&self) -> Option<Arc<dyn Actions>> {
        self.offers.lock().unwrap().as_ref()?;
        Some(Arc::new(FakeActions(Arc::clone(&self.offers))))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            self.closed.fetch_add(1, Ordering::SeqCst);
        })
    }
}

/// Offers, and never acts.
struct FakeActions(Arc<Mutex<Option<Vec<ActionDescriptor>>>>);

impl Actions for FakeActions {
    fn offered(&self) -> BoxFuture<'_, Vec<ActionDescriptor>> {
        Box::pin(async { self.0.lock().unwrap().clone().unwrap_or_default() })
    }

    fn request<'a>(
        &'a self,
        _: &'a Party,
        _: ActionRequestPayload,
        _: Option<Arc<PageGraph>>,
    ) -> BoxFuture<'a, Result<Running, ErrorPayload>> {
        Box::pin(async { Err(nobody()) })
    }

    fn cancel(&self, _: &ActionHandle, _: Option<&str>) -> Result<(), ErrorPayload> {
        Err(nobody())
    }

    fn answer(&self, _: &ActionHandle, _: Verdict, _: &Party) -> Result<(), ErrorPayload> {
        Err(nobody())
    }

    fn answer_within(&self, _: &ActionHandle) -> Option<Duration> {
        None
    }

    fn handed_back(&self, _: &ActionHandle, _: &HandoffCompletedPayload) -> Result<(), ErrorPayload> {
        Err(nobody())
    }

    fn story(&self, _: &ActionHandle) -> Option<String> {
        None
    }

    fn set_policies(&self, _: Arc<Policies>) {}
}

fn nobody() -> ErrorPayload {
    ErrorPayload::new(CoreErrorCode::NotFound, "nobody acts here")
}

struct FakeSights(mpsc::UnboundedReceiver<Result<Sight, StageError>>);

impl Sights for FakeSights {
    fn next(&mut self) -> BoxFuture<'_, Result<Sight, StageError>> {
        Box::pin(async {
            match self.0.recv().await {
                Some(sight) => sight,
                None => std::future::pending().await,
            }
        })
    }
}

/// A page of `count` buttons at revision `seq`.
pub(crate) fn graph(seq: u64, count: usize) -> Value {
    let names: Vec<String> = (0..count).map(|at| format!("Button {at}")).collect();
    named_graph(seq, &names)
}

/// A page with a button of each name.
pub(crate) fn named_graph(seq: u64, names: &[String]) -> Value {
    let elements: Vec<Value> = names.iter().enumerate().map(|(at, name)| button(at, name)).collect();
    json!({
        "modelVersion": "0.1", "profile": "web@0.1", "revision": format!("rev_{seq}"), "seq": seq,
        "ts": "2026-03-26T14:00:00.000Z",
        "route": { "url": "http://app.test/videos", "path": "/videos" },
        "rootDocumentId": "doc_root", "modalStack": [],
        "documents": [{
            "documentId": "doc_root", "kind": "root", "url": "http://app.test/videos", "access": "open",
            "scopes": [
                { "id": "main", "kind": "page", "elements": elements },
                { "id": "side", "kind": "region", "elements": [button(9_999, "Side")] },
            ],
        }],
    })
}

fn button(at: usize, name: &str) -> Value {
    json!({
        "instanceId": format!("el_{at}"), "role": "button", "name": name, "affordances": ["activate"],
        "state": { "visible": true, "enabled": true }, "web": { "attached": true }, "source": "native",
    })
}

/// A page with one password field that holds `value`.
pub(crate) fn secret_graph(seq: u64, value: &str) -> Value {
    let mut graph = graph(seq, 1);
    graph["documents"][0]["scopes"][0]["elements"][0] = json!({
        "instanceId": "el_pw", "role": "textbox", "name": "API key", "affordances": ["edit"],
        "state": { "visible": true, "textValue": value }, "web": { "attached": true }, "source": "annotation",
        "dataClasses": ["secret"],
    });
    graph
}

pub(crate) fn toast(text: &str) -> Value {
    json!({ "kind": "toast.shown", "text": text })
}
