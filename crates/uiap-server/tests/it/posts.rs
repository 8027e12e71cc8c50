//! `http@0.1`: posts, their status codes, and the stream of events.

use std::time::Duration;

use serde_json::{Value, json};
use uiap_model::core::SessionLimits;
use uiap_model::json::Positive;
use uiap_server::protocol::{HouseOptions, Keyring};

use crate::doors::{Server, serve};
use crate::fake::{graph, toast};
use crate::peer::{message, offer};

async fn plain() -> Server {
    serve(HouseOptions::default(), Keyring::default()).await
}

fn hello() -> String {
    message("request", "session.initialize", "init", None, &offer()).to_string()
}

/// Requirement: BIND-H-01
/// Requirement: BIND-H-06
/// Requirement: BIND-H-07
/// Requirement: BIND-H-10
/// Requirement: BIND-HS-02
#[tokio::test]
async fn a_session_is_opened_spoken_to_and_closed_by_posts() {
    let server = plain().await;
    let opened = server
        .http("POST", "/uiap/sessions", &[("content-type", "application/json; charset=utf-8")], &hello())
        .await;
    assert_eq!((opened.status, opened.header("content-type")), (201, Some("application/uiap+json")));
    let session = opened.json()["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(opened.header("location"), Some(format!("/uiap/sessions/{session}").as_str()));
    let shown = server.http("GET", opened.header("location").unwrap(), &[], "").await;
    assert_eq!(shown.json(), json!({ "sessionId": session, "state": "active" }));
    let listed = server.ask(&session, "a", "capabilities.get", json!({})).await;
    assert_eq!((listed.status, &listed.json()["type"]), (200, &json!("capabilities.list")));
    assert_eq!(listed.json()["correlationId"], "a");
    let early = server
        .post(
            "/uiap/sessions",
            &message("request", "capabilities.get", "b", Some("x"), &json!({})).to_string(),
        )
        .await;
    assert_eq!((early.status, early.code().as_str()), (200, "session_required"));
    assert_eq!(server.world.house.count(), 1);
}

/// Requirement: BIND-H-05
/// Requirement: BIND-H-04
#[tokio::test]
async fn the_paths_are_written_down_where_a_client_finds_them() {
    let server = plain().await;
    let about = server.http("GET", "/uiap", &[], "").await.json();
    assert_eq!(about["bindings"], json!(["ws@0.1", "http@0.1"]));
    let session = server.open().await;
    for template in ["messagePathTemplate", "eventStreamPathTemplate"] {
        let path = about[template].as_str().unwrap().replace("{sessionId}", &session);
        assert_ne!(server.http("HEAD", &path, &[], "").await.status, 404, "{path}");
    }
    let nowhere = server.http("GET", "/uiap/elsewhere", &[], "").await;
    assert_eq!((nowhere.status, nowhere.code().as_str()), (404, "not_found"));
    assert_eq!(server.http("PUT", "/uiap/sessions", &[], "").await.status, 405);
}

/// Requirement: BIND-H-08
/// Requirement: BIND-HS-04
/// Requirement: BIND-HS-08
/// Requirement: BIND-HS-11
#[tokio::test]
async fn a_body_is_one_envelope_of_the_right_type_or_nothing_runs() {
    let server = plain().await;
    let session = server.open().await;
    let path = format!("/uiap/sessions/{session}/messages");
    let good =
        message("request", "session.terminate", "t", Some(&session), &json!({ "reason": "completed" }))
            .to_string();
    let mut kindless: Value = serde_json::from_str(&good).unwrap();
    kindless.as_object_mut().unwrap().remove("kind");
    let cases = [
        (format!("[{good}]"), "invalid_envelope"),
        (format!("{good}{good}"), "invalid_json"),
        (String::new(), "invalid_json"),
        (good[..40].to_owned(), "invalid_json"),
        (kindless.to_string(), "invalid_envelope"),
    ];
    for (body, code) in cases {
        let answer = server.post(&path, &body).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, code), "{body}");
        assert_eq!(answer.json()["kind"], "error");
    }
    let named = server.post(&path, &kindless.to_string()).await;
    assert_eq!(named.json()["correlationId"], "t", "the id was readable");
    for kind in ["text/plain", "multipart/form-data; boundary=x", "application/jsonx", ""] {
        let answer = server.http("POST", &path, &[("content-type", kind)], &good).await;
        assert_eq!((answer.status, answer.json()["kind"].as_str()), (415, Some("error")), "{kind}");
    }
    assert_eq!(
        server.http("GET", &format!("/uiap/sessions/{session}"), &[], "").await.json()["state"],
        "active"
    );
}

/// Requirement: BIND-H-09
#[tokio::test]
async fn path_and_envelope_name_the_same_session() {
    let server = plain().await;
    let (one, two) = (server.open().await, server.open().await);
    let body = message("request", "session.terminate", "t", Some(&two), &json!({ "reason": "completed" }))
        .to_string();
    let answer = server.post(&format!("/uiap/sessions/{one}/messages"), &body).await;
    assert_eq!((answer.status, answer.code().as_str()), (400, "invalid_envelope"));
    for session in [one, two] {
        assert_eq!(server.ask(&session, "a", "capabilities.get", json!({})).await.status, 200);
    }
}

/// Requirement: BIND-H-11
#[tokio::test]
async fn an_answer_to_nothing_is_told_so() {
    let server = plain().await;
    let session = server.open().await;
    let mut answer = message(
        "response",
        "action.confirmation.grant",
        "r",
        Some(&session),
        &json!({ "actionHandle": "act_1" }),
    );
    answer["correlationId"] = "srv_999".into();
    let path = format!("/uiap/sessions/{session}/messages");
    let refused = server.post(&path, &answer.to_string()).await;
    assert_eq!((refused.status, refused.code().as_str()), (403, "forbidden"), "an agent never grants");
    let mut other = message(
        "response",
        "capabilities.list",
        "r2",
        Some(&session),
        &json!({ "revision": "x", "documents": [] }),
    );
    other["correlationId"] = "srv_999".into();
    let unknown = server.post(&path, &other.to_string()).await;
    assert_eq!((unknown.status, unknown.code().as_str()), (200, "unknown_correlation"));
}

/// Requirement: BIND-H-12
#[tokio::test]
async fn deleting_a_session_ends_it_and_its_stream() {
    let server = plain().await;
    let session = server.open().await;
    let mut events = server.stream(&session, None).await;
    let path = format!("/uiap/sessions/{session}");
    assert_eq!(server.http("DELETE", &path, &[], "").await.status, 204);
    let (_, last) = events.envelope().await.unwrap();
    assert_eq!(
        (&last["type"], &last["payload"]["reason"]),
        (&json!("session.terminated"), &json!("user_request"))
    );
    assert!(events.envelope().await.is_none(), "the stream ends");
    assert_eq!(server.ask(&session, "a", "capabilities.get", json!({})).await.status, 404);
    assert_eq!(server.http("DELETE", &path, &[], "").await.status, 404);
    assert_eq!(server.http("DELETE", "/uiap/sessions/sess_unknown", &[], "").await.status, 404);
}

/// Requirement: BIND-HS-01
/// Requirement: BIND-HS-03
/// Requirement: BIND-HS-06
#[tokio::test]
async fn errors_without_a_status_of_their_own_are_fine_and_events_are_taken() {
    let server = plain().await;
    let session = server.open().await;
    let unknown = server.ask(&session, "a", "x.acme.do", json!({})).await;
    assert_eq!((unknown.status, unknown.code().as_str()), (200, "unsupported_message_type"));
    let path = format!("/uiap/sessions/{session}/messages");
    for (name, payload) in [("session.heartbeat", json!({ "seq": 1 })), ("x.acme.tick", json!({}))] {
        let taken =
            server.post(&path, &message("event", name, "e", Some(&session), &payload).to_string()).await;
        assert_eq!((taken.status, taken.body.as_str()), (202, ""), "{name}");
    }
    let again = server.ask(&session, "i", "session.initialize", offer()).await;
    assert_eq!((again.status, again.code().as_str()), (409, "session_conflict"));
    let nowhere = server.ask("sess_random", "a", "capabilities.get", json!({})).await;
    assert_eq!((nowhere.status, nowhere.code().as_str()), (404, "session_not_found"));
}

/// Requirement: BIND-HS-05
#[tokio::test]
async fn without_a_token_or_with_that_of_another_nothing_is_told() {
    let tokens = "agent-one-0123456789abcdef\nagent-two-0123456789abcdef\n";
    let server = serve(HouseOptions::default(), Keyring::parse(tokens).unwrap()).await;
    let json = ("content-type", "application/json");
    let bearer = |token: &str| format!("Bearer {token}");
    let one = bearer("agent-one-0123456789abcdef");
    let two = bearer("agent-two-0123456789abcdef");
    for wrong in
        ["Bearer nope", "Bearer ", "Basic agent-one-0123456789abcdef", "agent-one-0123456789abcdef", ""]
    {
        let answer = server.http("POST", "/uiap/sessions", &[json, ("authorization", wrong)], &hello()).await;
        assert_eq!((answer.status, answer.code().as_str()), (401, "unauthenticated"), "{wrong}");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    assert_eq!(server.http("POST", "/uiap/sessions", &[json], &hello()).await.status, 401);
    let in_url =
        server.http("POST", "/uiap/sessions?token=agent-one-0123456789abcdef", &[json], &hello()).await;
    assert_eq!(in_url.status, 401, "a token in an address is no token");
    let opened = server.http("POST", "/uiap/sessions", &[json, ("authorization", &one)], &hello()).await;
    assert_eq!(opened.status, 201);
    let session = opened.json()["sessionId"].as_str().unwrap().to_owned();
    let ask = message("request", "capabilities.get", "a", Some(&session), &json!({})).to_string();
    let path = format!("/uiap/sessions/{session}/messages");
    let foreign = server.http("POST", &path, &[json, ("authorization", &two)], &ask).await;
    assert_eq!((foreign.status, foreign.code().as_str()), (403, "forbidden"));
    assert!(!foreign.body.contains(&session));
    let foreign =
        server.http("DELETE", &format!("/uiap/sessions/{session}"), &[("authorization", &two)], "").await;
    assert_eq!(foreign.status, 403);
    assert_eq!(server.http("POST", &path, &[json, ("authorization", &one)], &ask).await.status, 200);
}

/// Requirement: BIND-HS-07
#[tokio::test]
async fn a_body_is_read_up_to_the_limit_and_no_further() {
    let server = plain().await;
    let session = server.open().await;
    let path = format!("/uiap/sessions/{session}/messages");
    let mut fits = message("request", "capabilities.get", "a", Some(&session), &json!({ "pad": "" }));
    let missing = 1_048_576 - fits.to_string().len();
    fits["payload"]["pad"] = "x".repeat(missing).into();
    let exact = fits.to_string();
    assert_eq!(exact.len(), 1_048_576);
    assert_eq!(server.post(&path, &exact).await.status, 200);
    let host = server.address;
    let announced = format!(
        "POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: 1048577\r\n\r\n"
    );
    let refused = server.raw(announced.as_bytes()).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (413, "payload_too_large"),
        "answered without the body"
    );
    let chunk = format!("{:x}\r\n{}\r\n", 600_000, "x".repeat(600_000));
    let chunked = format!(
        "POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n{chunk}{chunk}"
    );
    assert_eq!(server.raw(chunked.as_bytes()).await.status, 413);
}

/// Requirement: BIND-HS-09
/// Requirement: BIND-HS-10
#[tokio::test]
async fn too_much_at_once_and_a_closing_server_say_when_to_come_back() {
    let limits =
        SessionLimits { max_message_bytes: None, max_in_flight: Some(Positive(1)), request_timeout_ms: None };
    let mut server =
        serve(HouseOptions { limits: Some(limits), ..HouseOptions::default() }, Keyring::default()).await;
    server.world.stages.hold();
    let session = server.open().await;
    let slow = message("request", "web.state.get", "slow", Some(&session), &json!({})).to_string();
    let mut open = tokio::net::TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "POST /uiap/sessions/{session}/messages HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{slow}",
        server.address,
        slow.len()
    );
    tokio::io::AsyncWriteExt::write_all(&mut open, head.as_bytes()).await.unwrap();
    let deadline = tokio::time::Instant::now() + Duration::from_secs(10);
    let mut number = 0;
    let refused = loop {
        number += 1;
        let answer = server.ask(&session, &format!("n{number}"), "capabilities.get", json!({})).await;
        if answer.status == 429 {
            break answer;
        }
        assert!(tokio::time::Instant::now() < deadline, "{answer:?}");
    };
    assert_eq!(refused.code(), "rate_limited");
    let wait = refused.json()["payload"]["retryAfterMs"].as_u64().unwrap();
    assert_eq!(refused.header("retry-after"), Some(wait.div_ceil(1_000).to_string().as_str()));
    server.world.house.shut_down(Duration::from_secs(5)).await;
    let closing = server.post("/uiap/sessions", &hello()).await;
    assert_eq!((closing.status, closing.code().as_str()), (503, "unavailable"));
    assert!(closing.header("retry-after").is_some());
    server.close().await;
}

/// Requirement: BIND-SSE-01
/// Requirement: BIND-SSE-02
#[tokio::test]
async fn events_come_numbered_one_line_each() {
    let server = plain().await;
    let session = server.open().await;
    let mut events = server.stream(&session, None).await;
    assert!(events.head.contains("200 OK") && events.head.contains("text/event-stream"), "{}", events.head);
    server.ask(&session, "o", "web.state.observe", json!({ "deltas": false })).await;
    let page = server.world.stages.page(0).await;
    let mut last = 0;
    for number in 0..1_000 {
        page.signal(toast(&format!("line one\nline two {number} Größe")));
        let (id, envelope) = events.envelope().await.unwrap();
        assert!(id > last);
        last = id;
        assert_eq!(envelope["payload"]["signal"]["text"], format!("line one\nline two {number} Größe"));
    }
    assert!(server.stream("sess_unknown", None).await.head.contains("404"));
}

/// Requirement: BIND-SSE-03
#[tokio::test(start_paused = true)]
async fn a_comment_comes_every_fifteen_seconds() {
    let server = plain().await;
    let session = server.open().await;
    let mut events = server.stream(&session, None).await;
    let start = tokio::time::Instant::now();
    for count in 1..=4 {
        loop {
            let item = events.next().await.unwrap();
            if item.iter().any(|line| line.starts_with(':')) {
                break;
            }
        }
        let passed = start.elapsed().as_secs();
        assert!((15 * count..15 * count + 2).contains(&passed), "{count}: {passed}");
    }
}

/// Requirement: BIND-SSE-04
/// Requirement: BIND-SSE-05
#[tokio::test]
async fn a_stream_goes_on_where_it_was_left_or_says_that_it_cannot() {
    let server = plain().await;
    let session = server.open().await;
    server.ask(&session, "o", "web.state.observe", json!({ "deltas": false })).await;
    let page = server.world.stages.page(0).await;
    let mut events = server.stream(&session, None).await;
    let mut last = 0;
    for number in 0..20 {
        page.signal(toast(&number.to_string()));
        (last, _) = events.envelope().await.unwrap();
    }
    drop(events);
    let mut again = server.stream(&session, Some(&(last - 10).to_string())).await;
    for number in 10..20 {
        let (_, envelope) = again.envelope().await.unwrap();
        assert_eq!(envelope["payload"]["signal"]["text"], number.to_string());
    }
    for too_old in ["abc", "999999", "-1"] {
        let mut lost = server.stream(&session, Some(too_old)).await;
        assert_eq!(lost.envelope().await.unwrap().1, "uiap.resync", "{too_old}");
    }
}

/// Requirement: BIND-SSE-06
#[tokio::test]
async fn a_second_stream_replaces_the_first() {
    let server = plain().await;
    let session = server.open().await;
    server.ask(&session, "o", "web.state.observe", json!({ "deltas": false })).await;
    let page = server.world.stages.page(0).await;
    let mut first = server.stream(&session, None).await;
    page.signal(toast("one"));
    assert_eq!(first.envelope().await.unwrap().1["payload"]["signal"]["text"], "one");
    let mut second = server.stream(&session, None).await;
    assert!(first.envelope().await.is_none(), "the first ends");
    page.signal(toast("two"));
    assert_eq!(second.envelope().await.unwrap().1["payload"]["signal"]["text"], "two");
    page.show(graph(2, 3));
}

/// Requirement: BIND-S-02
#[tokio::test]
async fn a_request_whose_answer_was_lost_is_answered_again_and_done_once() {
    let server = plain().await;
    let session = server.open().await;
    let first = server.ask(&session, "o", "web.state.observe", json!({})).await.json();
    let again = server.ask(&session, "o", "web.state.observe", json!({})).await.json();
    assert_eq!(first, again);
    let next = server.ask(&session, "p", "web.state.observe", json!({})).await.json();
    assert_eq!(next["payload"]["subscriptionId"], "sub_2");
}
