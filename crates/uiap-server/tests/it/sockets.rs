//! `ws@0.1`: frames, close codes, resuming, shutting down, slow sockets.

use std::time::{Duration, Instant};

use futures_util::SinkExt;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use uiap_server::protocol::{HouseOptions, Keyring, Patience};

use crate::doors::{PAGE, Server, serve};
use crate::fake::named_graph;
use crate::peer::{code, knock, message, offer};

async fn plain() -> Server {
    serve(HouseOptions::default(), Keyring::default()).await
}

/// Requirement: CORE-P-01
/// Requirement: CORE-REG-02
#[tokio::test]
async fn one_script_gives_the_same_envelopes_in_memory_over_a_socket_and_by_posts() {
    let server = plain().await;
    let script = [
        ("capabilities.get", json!({})),
        ("web.state.get", json!({})),
        ("web.state.observe", json!({ "signals": "none" })),
        ("web.state.get", json!({ "ifRevisionNot": "rev_1" })),
        ("uiap.policy.get", json!({})),
        ("x.acme.do", json!({})),
        ("web.state.unobserve", json!({ "subscriptionId": "sub_1" })),
        ("session.terminate", json!({ "reason": "completed" })),
    ];
    let same = |mut envelope: Value| {
        let members = envelope.as_object_mut().unwrap();
        for name in ["id", "correlationId", "sessionId", "ts"] {
            assert!(members.remove(name).is_some(), "{name}");
        }
        envelope
    };
    let (mut memory, mut socket, mut posts) = (Vec::new(), Vec::new(), Vec::new());
    let mut peer = knock(&server.world.house, &offer()).unwrap();
    let mut wire = server.socket().await;
    wire.begin().await;
    let session = server.open().await;
    for (at, (name, payload)) in script.into_iter().enumerate() {
        memory.push(same(peer.ask(name, payload.clone()).await));
        socket.push(same(wire.ask(name, payload.clone()).await));
        posts.push(same(server.ask(&session, &at.to_string(), name, payload).await.json()));
    }
    assert_eq!(memory, socket);
    assert_eq!(memory, posts);
    assert_eq!(wire.next().await, Err(1000));
}

/// Requirement: BIND-W-02
/// Requirement: BIND-WC-03
#[tokio::test]
async fn a_frame_is_an_envelope_and_one_fault_does_not_close() {
    let server = plain().await;
    let mut socket = server.socket().await;
    socket.send("{\"uiap\":").await;
    assert_eq!(code(&socket.next().await.unwrap()), "invalid_json", "before the session too");
    socket.begin().await;
    let envelope = message("request", "capabilities.get", "a", Some(&socket.session), &json!({})).to_string();
    for (text, expected) in
        [(format!("{envelope}{envelope}"), "invalid_json"), (format!("[{envelope}]"), "invalid_envelope")]
    {
        socket.send(text).await;
        assert_eq!(code(&socket.next().await.unwrap()), expected);
    }
    assert_eq!(socket.ask("capabilities.get", json!({})).await["type"], "capabilities.list");
    for _ in 0..30 {
        if socket.inner.send(Message::text("nonsense")).await.is_err() {
            break;
        }
    }
    let ending = loop {
        match socket.next().await {
            Ok(answer) => assert_eq!(code(&answer), "invalid_json"),
            Err(code) => break code,
        }
    };
    assert_eq!(ending, 4400, "who never speaks sense is let go");
}

/// Requirement: BIND-W-03
#[tokio::test]
async fn the_subprotocol_is_offered_or_there_is_no_connection() {
    let server = plain().await;
    assert!(server.socket_with(&[("sec-websocket-protocol", "chat, uiap.v0.1")]).await.is_ok());
    for other in ["chat", "uiap.v0.2", "UIAP.V0.1"] {
        assert_eq!(
            server.socket_with(&[("sec-websocket-protocol", other)]).await.err(),
            Some(400),
            "{other}"
        );
    }
    let plain = server.http("GET", "/uiap/ws", &[], "").await;
    assert_eq!(plain.status, 400);
}

/// Requirement: BIND-W-04
/// Requirement: BIND-WC-03
#[tokio::test]
async fn whoever_does_not_begin_with_a_handshake_is_let_go() {
    let server = plain().await;
    for session in [None, Some("sess_x")] {
        let mut socket = server.socket().await;
        socket.send(message("request", "capabilities.get", "a", session, &json!({})).to_string()).await;
        assert_eq!(socket.next().await, Err(4401));
    }
    assert_eq!(server.world.house.count(), 0);
}

/// Requirement: BIND-W-05
#[tokio::test]
async fn a_page_connects_only_from_a_listed_origin() {
    let server = plain().await;
    assert!(server.socket_with(&[("origin", PAGE)]).await.is_ok());
    for origin in ["http://evil.test", "null", "http://console.test:3000.evil.test"] {
        assert_eq!(server.socket_with(&[("origin", origin)]).await.err(), Some(403), "{origin}");
    }
    assert_eq!(server.socket_with(&[("host", "evil.test")]).await.err(), Some(403));
    assert_eq!(server.world.house.count(), 0);
}

/// Requirement: BIND-WC-01
/// Requirement: BIND-WC-02
#[tokio::test]
async fn binary_and_oversized_messages_close_with_their_codes() {
    let server = plain().await;
    let mut socket = server.socket().await;
    socket.begin().await;
    socket.inner.send(Message::binary(b"{}".to_vec())).await.unwrap();
    assert_eq!(socket.next().await, Err(1003));
    let mut socket = server.socket().await;
    let mut payload = offer();
    payload["limits"] = json!({ "maxMessageBytes": 2_000 });
    socket.knock(&payload).await.unwrap();
    let mut fits = message("request", "capabilities.get", "a", Some(&socket.session), &json!({ "pad": "" }));
    let missing = 2_000 - fits.to_string().len();
    fits["payload"]["pad"] = "x".repeat(missing).into();
    socket.send(fits.to_string()).await;
    assert_eq!(socket.next().await.unwrap()["correlationId"], "a", "exactly the limit passes");
    fits["payload"]["pad"] = "x".repeat(missing + 1).into();
    socket.send(fits.to_string()).await;
    assert_eq!(socket.next().await, Err(1009));
    let mut socket = server.socket().await;
    socket.begin().await;
    socket.inner.send(Message::text("x".repeat(1_048_577))).await.ok();
    assert_eq!(socket.next().await, Err(1009), "more than anybody may send");
}

/// Requirement: BIND-WC-04
#[tokio::test]
async fn a_wrong_token_closes_and_is_not_repeated() {
    let server =
        serve(HouseOptions::default(), Keyring::parse("right-token-0123456789abcdef").unwrap()).await;
    let wrong = server.socket_with(&[("authorization", "Bearer canary-wrong-0123456789")]).await;
    assert_eq!(wrong.err(), Some(401));
    let mut payload = offer();
    payload["auth"] = json!({ "scheme": "bearer", "token": "canary-wrong-0123456789" });
    let mut socket = server.socket().await;
    let refused = socket.knock(&payload).await.unwrap();
    assert_eq!(code(&refused), "unauthenticated");
    assert!(!refused.to_string().contains("canary"));
    assert_eq!(socket.next().await, Err(4403));
    let mut silent = server.socket().await;
    assert_eq!(code(&silent.knock(&offer()).await.unwrap()), "unauthenticated");
    assert_eq!(silent.next().await, Err(4403));
    payload["auth"]["token"] = "right-token-0123456789abcdef".into();
    let mut right = server.socket().await;
    assert_eq!(right.knock(&payload).await.unwrap()["type"], "session.initialized");
    let header = server.socket_with(&[("authorization", "Bearer right-token-0123456789abcdef")]).await;
    assert_eq!(header.ok().unwrap().begin().await["type"], "session.initialized");
}

/// Requirement: BIND-WC-05
/// Requirement: CORE-R10-01
#[tokio::test]
async fn a_silent_peer_and_a_superseded_one_are_told_why_they_go() {
    let links = Patience { heartbeat: Some(Duration::from_millis(100)), ..Patience::default() };
    let server = serve(HouseOptions { links, ..HouseOptions::default() }, Keyring::default()).await;
    let mut socket = server.socket().await;
    let begun = Instant::now();
    let hello = socket.begin().await;
    let ending = loop {
        match socket.next().await {
            Ok(beat) => assert_eq!(beat["type"], "session.heartbeat"),
            Err(code) => break code,
        }
    };
    assert_eq!(ending, 4408);
    assert!(begun.elapsed() >= Duration::from_millis(290), "{:?}", begun.elapsed());
    let mut payload = offer();
    payload["resume"] =
        json!({ "sessionId": socket.session, "resumeToken": hello["payload"]["resumeToken"] });
    let mut second = server.socket().await;
    assert_eq!(second.knock(&payload).await.unwrap()["payload"]["resumed"], true);
    let mut third = server.socket().await;
    third.knock(&payload).await.unwrap();
    let ending = loop {
        match second.next().await {
            Ok(_) => {}
            Err(code) => break code,
        }
    };
    assert_eq!(ending, 4409);
    assert_eq!(third.ask("capabilities.get", json!({})).await["type"], "capabilities.list");
}

/// Requirement: BIND-S-03
#[tokio::test]
async fn a_session_moves_between_bindings_by_its_token_and_in_no_other_way() {
    let server = plain().await;
    let mut socket = server.socket().await;
    let hello = socket.begin().await;
    let session = socket.session.clone();
    assert_eq!(
        server.ask(&session, "a", "capabilities.get", json!({})).await.status,
        404,
        "a connection holds it"
    );
    let mut payload = offer();
    payload["resume"] = json!({ "sessionId": session, "resumeToken": "wrong" });
    let wrong = server
        .post("/uiap/sessions", &message("request", "session.initialize", "i", None, &payload).to_string())
        .await;
    assert_eq!((wrong.status, wrong.code().as_str()), (401, "unauthenticated"));
    payload["resume"]["resumeToken"] = hello["payload"]["resumeToken"].clone();
    let moved = server
        .post("/uiap/sessions", &message("request", "session.initialize", "i", None, &payload).to_string())
        .await;
    assert_eq!(moved.json()["payload"]["resumed"], true);
    assert_eq!(socket.next().await, Err(4409));
    assert_eq!(server.ask(&session, "a", "capabilities.get", json!({})).await.status, 200);
    let mut back = server.socket().await;
    assert_eq!(back.knock(&payload).await.unwrap()["payload"]["resumed"], true);
    assert_eq!(server.ask(&session, "b", "capabilities.get", json!({})).await.status, 404);
}

/// Requirement: CORE-R6-02
#[tokio::test]
async fn a_slow_request_does_not_hold_up_the_next() {
    let server = plain().await;
    server.world.stages.hold();
    let mut socket = server.socket().await;
    socket.begin().await;
    socket.request("web.state.get", &json!({})).await;
    let second = socket.request("capabilities.get", &json!({})).await;
    let answer = socket.next().await.unwrap();
    assert_eq!(
        (answer["correlationId"].as_str(), answer["type"].as_str()),
        (Some(second.as_str()), Some("capabilities.list"))
    );
}

#[tokio::test]
async fn an_answer_comes_before_what_follows_from_it() {
    let server = plain().await;
    let mut socket = server.socket().await;
    socket.begin().await;
    for _ in 0..50 {
        let id =
            socket.request("web.state.observe", &json!({ "initialSnapshot": true, "signals": "none" })).await;
        let observing = socket.next().await.unwrap();
        assert_eq!(observing["correlationId"], *id);
        let first = socket.next().await.unwrap();
        assert_eq!(first["payload"]["subscriptionId"], observing["payload"]["subscriptionId"]);
        socket
            .ask("web.state.unobserve", json!({ "subscriptionId": observing["payload"]["subscriptionId"] }))
            .await;
    }
}

#[tokio::test]
async fn shutting_down_says_goodbye_to_everybody() {
    let mut server = plain().await;
    let mut sockets = Vec::new();
    for _ in 0..5 {
        let mut socket = server.socket().await;
        socket.begin().await;
        socket.request("web.state.observe", &json!({})).await;
        sockets.push(socket);
    }
    let mut knocking = server.socket().await;
    let session = server.open().await;
    let mut events = server.stream(&session, None).await;
    let begun = Instant::now();
    server.close().await;
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    for mut socket in sockets {
        let mut goodbye = None;
        let ending = loop {
            match socket.next().await {
                Ok(told) => goodbye = Some(told),
                Err(code) => break code,
            }
        };
        assert_eq!((ending, &goodbye.unwrap()["payload"]["reason"]), (1001, &json!("shutdown")));
    }
    assert_eq!(knocking.next().await, Err(1001));
    assert_eq!(events.envelope().await.unwrap().1["payload"]["reason"], "shutdown");
    assert!(events.envelope().await.is_none());
    assert_eq!(
        server.world.stages.closed.load(std::sync::atomic::Ordering::SeqCst),
        6,
        "every page was closed"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_slow_sockets_do_not_delay_a_good_client() {
    let server = plain().await;
    let mut socket = server.socket().await;
    socket.begin().await;
    let mut measure = async || {
        let mut times = Vec::new();
        for _ in 0..200 {
            let begun = Instant::now();
            socket.ask("capabilities.get", json!({ "ifRevisionNot": "x" })).await;
            times.push(begun.elapsed());
        }
        times.sort();
        times[197]
    };
    let idle = measure().await;
    let mut slow = Vec::new();
    for _ in 0..1_000 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(b"POST /uiap/sessions HTTP/1.1\r\nhost: ").await.unwrap();
        slow.push(stream);
    }
    let busy = measure().await;
    // The floor keeps the noise of a shared machine out of a comparison of fractions of a millisecond.
    assert!(busy < (idle * 2).max(Duration::from_millis(100)), "{idle:?} alone, {busy:?} among slow sockets");
    let mut fresh = server.socket().await;
    assert_eq!(fresh.begin().await["type"], "session.initialized", "newcomers get in");
    drop(slow);
}

#[tokio::test]
async fn the_head_of_a_request_may_not_take_for_ever_nor_be_endless() {
    let bounds = uiap_server::door::Bounds { head: Duration::from_millis(200), ..Default::default() };
    let server = crate::doors::serve_within(HouseOptions::default(), Keyring::default(), bounds).await;
    let begun = Instant::now();
    let answer = server.raw(b"GET /uiap HTTP/1.1\r\nhost: ").await;
    assert!(matches!(answer.status, 0 | 408), "{answer:?}");
    assert!(begun.elapsed() < Duration::from_secs(5));
    let endless =
        format!("GET /uiap HTTP/1.1\r\nhost: {}\r\nx: {}\r\n\r\n", server.address, "y".repeat(40_000));
    let answer = server.raw(endless.as_bytes()).await;
    assert!(matches!(answer.status, 0 | 400 | 431), "{answer:?}");
    let many: String = (0..100).map(|at| format!("x-{at}: 1\r\n")).collect();
    let answer =
        server.raw(format!("GET /uiap HTTP/1.1\r\nhost: {}\r\n{many}\r\n", server.address).as_bytes()).await;
    assert!(matches!(answer.status, 0 | 400 | 431), "{answer:?}");
}

#[tokio::test]
async fn a_reader_that_stops_reading_costs_a_bounded_queue() {
    let server = plain().await;
    let names = |seq: u64| (0..400).map(|at| format!("{} {seq} {at}", "n".repeat(200))).collect::<Vec<_>>();
    *server.world.stages.first.lock().unwrap() = Some(named_graph(1, &names(1)));
    let mut socket = server.socket().await;
    socket.begin().await;
    socket.ask("web.state.observe", json!({ "signals": "none" })).await;
    let page = server.world.stages.page(0).await;
    for seq in 2..=300 {
        page.show(named_graph(seq, &names(seq)));
        tokio::task::yield_now().await;
    }
    let mut told = 0;
    loop {
        let each = socket.next().await.unwrap();
        told += 1;
        if each["payload"]["snapshot"]["revision"] == "rev_300" || each["payload"]["revision"] == "rev_300" {
            break;
        }
    }
    // What the system's own buffers hold, and then one snapshot.
    assert!(told < 200, "{told} messages of 160 KB for 299 changes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_in_another_language_runs_a_whole_session() {
    let server = plain().await;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/independent.py");
    let run = tokio::process::Command::new("python3")
        .arg(script)
        .arg(server.address.to_string())
        .output()
        .await
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert_eq!(out.trim(), "fine", "{err}");
}

/// Requirement: CORE-P-01
#[test]
fn sessions_know_no_socket() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/protocol");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        for word in ["tokio::net", "axum", "hyper", "uiap_cdp", "uiap_web", "crate::door"] {
            assert!(!text.contains(word), "{} knows {word}", path.display());
        }
        count += 1;
    }
    assert!(count > 10);
}
