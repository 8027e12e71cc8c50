//! The connection against a pretended browser, which can be as slow, silent or wrong as a test needs.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::unix::pipe::{self, Receiver, Sender};
use tokio::time::timeout;

use super::*;
use crate::event::{DetachReason, SessionEvent};
use crate::subscription::Capacity;
use crate::transport::Frame;
use crate::transport::pipe::{PipeSink, PipeSource};

const SOON: Duration = Duration::from_secs(5);
const LIMIT: usize = 1 << 16;

struct Pretended {
    calls: PipeSource<Receiver>,
    answers: Sender,
}

impl Pretended {
    fn connect(limit: Duration) -> (Connection, Self) {
        let (calls_in, calls_out) = pipe::pipe().unwrap();
        let (answers_in, answers_out) = pipe::pipe().unwrap();
        let source = Source::Pipe(PipeSource::with_limit(answers_out, LIMIT));
        let sink = Sink::Pipe(PipeSink::new(calls_in));
        let connection = Connection::start(source, sink, None, AutoAttach::default(), limit);
        (connection, Self { calls: PipeSource::new(calls_out), answers: answers_in })
    }

    async fn call(&mut self) -> Value {
        match timeout(SOON, self.calls.next()).await.expect("a call").unwrap() {
            Frame::Message(message) => serde_json::from_slice(&message).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    async fn say(&mut self, message: &Value) {
        self.say_raw(message.to_string().as_bytes()).await;
    }

    async fn say_raw(&mut self, message: &[u8]) {
        self.answers.write_all(message).await.unwrap();
        self.answers.write_all(&[0]).await.unwrap();
    }

    /// Lets a session come into being, and answers its preparation.
    async fn attach(&mut self, id: &str, parent: Option<&str>) {
        let info = json!({"targetId": format!("T-{id}"), "type": "page", "url": "about:blank"});
        let params = json!({"sessionId": id, "targetInfo": info, "waitingForDebugger": false});
        let mut event = json!({"method": "Target.attachedToTarget", "params": params});
        if let Some(parent) = parent {
            event["sessionId"] = parent.into();
        }
        self.say(&event).await;
        let call = self.call().await;
        assert_eq!((&call["method"], &call["sessionId"]), (&json!("Target.setAutoAttach"), &json!(id)));
        self.say(&json!({"id": call["id"], "result": {}, "sessionId": id})).await;
    }
}

fn ask(connection: &Connection, text: &str) -> tokio::task::JoinHandle<Result<Value, CallError>> {
    let (connection, params) = (connection.clone(), json!({"text": text}));
    tokio::spawn(async move { connection.call_named(None, "Test.ask", &params, None).await })
}

#[tokio::test]
async fn answers_find_their_callers_in_any_order() {
    let (connection, mut browser) = Pretended::connect(SOON);
    let (one, two) = (ask(&connection, "one"), ask(&connection, "two"));
    let (first, second) = (browser.call().await, browser.call().await);
    for call in [second, first] {
        browser.say(&json!({"result": {"echo": call["params"]["text"]}, "id": call["id"]})).await;
    }
    assert_eq!(one.await.unwrap().unwrap()["echo"], "one");
    assert_eq!(two.await.unwrap().unwrap()["echo"], "two");
}

#[tokio::test]
async fn a_call_that_is_given_up_before_it_left_never_leaves() {
    let (connection, mut browser) = Pretended::connect(SOON);
    let jam = ask(&connection, &"x".repeat(1 << 20));
    // The writer is stuck in the first call from the moment when its beginning arrived.
    browser.calls.next_is_coming().await;
    let params = json!({"text": "late"});
    let late =
        connection.call_named::<Value>(None, "Test.ask", &params, Some(Duration::from_millis(50))).await;
    let error = late.unwrap_err();
    assert!(matches!(error.kind(), CallErrorKind::TimedOut(_)), "{error}");
    assert!(!error.was_sent());
    let dropped =
        timeout(Duration::from_millis(50), connection.call_named::<Value>(None, "Test.ask", &params, None));
    assert!(dropped.await.is_err());
    let next = ask(&connection, "next");

    let first = browser.call().await;
    assert_eq!(first["params"]["text"].as_str().map(str::len), Some(1 << 20));
    let mut second = browser.call().await;
    while second["method"] == "Browser.getVersion" {
        // The question that follows a timeout.
        second = browser.call().await;
    }
    assert_eq!(second["params"]["text"], "next", "what was given up is not sent");
    for call in [first, second] {
        browser.say(&json!({"id": call["id"], "result": {}})).await;
    }
    jam.await.unwrap().unwrap();
    next.await.unwrap().unwrap();
}

#[tokio::test]
async fn callers_wait_while_the_browser_does_not_read_and_end_at_their_limits() {
    let (connection, mut browser) = Pretended::connect(Duration::from_millis(300));
    let calls: Vec<_> = (0..2 * OUTGOING).map(|_| ask(&connection, &"x".repeat(4096))).collect();
    let mut sent = 0;
    for call in calls {
        let error = call.await.unwrap().unwrap_err();
        assert!(matches!(error.kind(), CallErrorKind::TimedOut(_)), "{error}");
        sent += usize::from(error.was_sent());
    }
    assert!(sent < 2 * OUTGOING, "not all can have left");
    let mut arrived = 0;
    while timeout(Duration::from_millis(200), browser.calls.next()).await.is_ok() {
        arrived += 1;
    }
    assert!(arrived >= sent, "what left arrives: {arrived} of {sent}");
}

#[tokio::test]
async fn the_end_of_the_stream_fails_everything_at_once() {
    let (connection, mut browser) = Pretended::connect(SOON);
    let waiting = ask(&connection, "?");
    browser.call().await;
    drop(browser);
    let error = waiting.await.unwrap().unwrap_err();
    assert!(matches!(error.kind(), CallErrorKind::Disconnected(DisconnectReason::EndOfStream)), "{error}");
    let error = connection.call_named::<Value>(None, "Test.ask", &json!({}), None).await.unwrap_err();
    assert!(error.is_disconnected() && !error.was_sent());
}

#[tokio::test]
async fn a_peer_that_speaks_something_else_is_left() {
    let (connection, mut browser) = Pretended::connect(SOON);
    let waiting = ask(&connection, "?");
    browser.call().await;
    browser.say_raw(b"what?").await;
    let error = waiting.await.unwrap().unwrap_err();
    assert!(error.to_string().contains("does not speak the DevTools protocol: `what?`"), "{error}");
}

#[tokio::test]
async fn an_answer_of_another_shape_fails_its_caller_only() {
    let (connection, mut browser) = Pretended::connect(SOON);
    let (odd, fine) = (ask(&connection, "odd"), ask(&connection, "fine"));
    let (first, second) = (browser.call().await, browser.call().await);
    browser.say_raw(format!("{{\"id\":{},\"result\":", first["id"]).as_bytes()).await;
    browser.say(&json!({"error": {"code": -32700, "message": "nobody's"}})).await;
    browser.say(&json!({"method": "Test.event", "params": {}, "sessionId": "unknown"})).await;
    browser.say(&json!({"id": 999_999, "result": {}})).await;
    browser.say(&json!({"id": second["id"], "result": {}})).await;
    let error = odd.await.unwrap().unwrap_err();
    assert!(matches!(error.kind(), CallErrorKind::Decode(_)), "{error}");
    fine.await.unwrap().unwrap();
}

#[tokio::test]
async fn an_overlong_answer_fails_its_caller_and_an_overlong_event_is_a_gap() {
    let (connection, mut browser) = Pretended::connect(SOON);
    let mut events = connection.registry().events.subscribe(Capacity::default(), None);
    let waiting = ask(&connection, "?");
    let id = browser.call().await["id"].clone();
    let bulk = "x".repeat(2 * LIMIT);
    browser.say_raw(format!("{{\"id\":{id},\"result\":{{\"bulk\":\"{bulk}\"}}}}").as_bytes()).await;
    let error = waiting.await.unwrap().unwrap_err();
    assert!(matches!(error.kind(), CallErrorKind::TooLarge(_)), "{error}");
    browser.say(&json!({"method": "Test.event", "params": {"bulk": bulk}})).await;
    browser.say(&json!({"method": "Test.after", "params": {}})).await;
    assert!(matches!(events.next().await, Some(BrowserEvent::Lagged(1))));
    assert!(
        matches!(events.next().await, Some(BrowserEvent::Event(event)) if event.method() == "Test.after")
    );
}

#[tokio::test]
async fn a_session_ends_with_all_sessions_below_it_and_their_calls() {
    let (connection, mut browser) = Pretended::connect(SOON);
    browser.attach("parent", None).await;
    browser.attach("child", Some("parent")).await;
    browser.attach("other", None).await;
    let session = async |id: &str| {
        let found = connection.registry().await_session(&format!("T-{id}").as_str().into());
        connection.session(timeout(SOON, found).await.unwrap().unwrap())
    };
    let (child, other) = (session("child").await, session("other").await);
    assert_eq!(child.parent().map(SessionId::as_str), Some("parent"));
    let mut events = child.events();
    let waiting = tokio::spawn({
        let child = child.clone();
        async move { child.call_raw("Test.ask", &json!({})).await }
    });
    assert_eq!(browser.call().await["sessionId"], "child");
    browser.say(&json!({"method": "Target.detachedFromTarget", "params": {"sessionId": "parent"}})).await;
    let error = waiting.await.unwrap().unwrap_err();
    assert!(matches!(error.kind(), CallErrorKind::Detached) && error.was_sent(), "{error}");
    assert!(matches!(events.next().await, Some(SessionEvent::Detached(DetachReason::Parent))));
    assert!(events.next().await.is_none());
    assert!(other.is_attached() && !child.is_attached());
}

#[tokio::test]
async fn who_waits_for_a_target_that_vanishes_is_told() {
    let (connection, mut browser) = Pretended::connect(SOON);
    let opening = tokio::spawn({
        let connection = connection.clone();
        async move { connection.open_page("about:blank", None).await }
    });
    let call = browser.call().await;
    browser.say(&json!({"id": call["id"], "result": {"targetId": "T"}})).await;
    // Asked for afterwards, answered afterwards: the caller waits for the session by then.
    let asked = ask(&connection, "?");
    let call = browser.call().await;
    browser.say(&json!({"id": call["id"], "result": {}})).await;
    asked.await.unwrap().unwrap();
    browser.say(&json!({"method": "Target.targetDestroyed", "params": {"targetId": "T"}})).await;
    let error = timeout(SOON, opening).await.unwrap().unwrap().unwrap_err();
    assert!(matches!(error.kind(), CallErrorKind::Detached), "{error}");
}

#[test]
fn a_connection_whose_runtime_ends_leaves_nobody_waiting() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (connection, _browser) = runtime.block_on(async { Pretended::connect(SOON) });
    let (waiting, started) = std::sync::mpsc::channel();
    let caller = std::thread::spawn({
        let connection = connection.clone();
        move || {
            let other = tokio::runtime::Runtime::new().unwrap();
            other.block_on(async {
                let mut call = connection.open(None, "Test.ask", &json!({})).unwrap();
                call.enqueue().await;
                waiting.send(()).unwrap();
                call.exchange(SOON).await
            })
        }
    });
    started.recv().unwrap();
    drop(runtime);
    let error = caller.join().unwrap().unwrap_err();
    assert!(matches!(error.kind(), CallErrorKind::Disconnected(DisconnectReason::Abandoned)), "{error}");
}
