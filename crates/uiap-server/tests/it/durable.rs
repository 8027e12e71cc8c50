//! A server that is killed: whoever was told that an action was accepted gets a true answer from the next one, under the same key, and
//! nothing is done twice.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use uiap_policy::audit::read_lines;
use uiap_server::address::Reach;
use uiap_server::browsers::BrowserOptions;
use uiap_server::protocol::HouseOptions;
use uiap_server::serve::{ServeOptions, Server};

use crate::doors::{Socket, socket_to};

const PAGE: &str = "<!doctype html><title>Orders</title><button onclick=\"fetch('/order', {method: 'POST'}).then(() => { told.textContent = 'Ordered' })\">Order</button><p id=told role=status></p>";

/// A shop that counts its orders.
async fn shop() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let orders = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&orders);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let counter = Arc::clone(&counter);
            tokio::spawn(async move {
                let mut head = [0; 8_192];
                let count = stream.read(&mut head).await.unwrap_or(0);
                let ordered = head[..count].starts_with(b"POST /order");
                if ordered {
                    counter.fetch_add(1, Ordering::SeqCst);
                }
                let body = if ordered { "{}" } else { PAGE };
                let answer = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
                stream.write_all(answer.as_bytes()).await.ok();
            });
        }
    });
    (origin, orders)
}

/// The process that is killed: this test, started by itself with an origin to serve.
async fn serve(origin: String) {
    let setting = |name: &str| std::env::var(name).expect("started by another test");
    let policy = json!({
        "modelVersion": "0.1", "id": "written", "defaults": { "onUnknownAction": "deny", "byRisk": { "safe": "allow", "confirm": "confirm", "blocked": "deny" } },
        "grants": [{ "sideEffect": "unknown", "requires": ["act"] }], "rules": [], "audit": { "level": "metadata", "minRisk": "safe" },
    });
    let server = Server::start(ServeOptions {
        reach: Reach::only([origin.clone()]).unwrap(),
        house: HouseOptions { start: Some(format!("{origin}/").into()), ..HouseOptions::default() },
        browsers: BrowserOptions { most: 1, ..BrowserOptions::default() },
        policies: vec![policy],
        journal: Some(setting("UIAP_TEST_JOURNAL").into()),
        audit: Some(setting("UIAP_TEST_AUDIT").into()),
        ..ServeOptions::default()
    })
    .await
    .unwrap();
    let mut out = tokio::io::stdout();
    out.write_all(format!("\naddress {}\n", server.address()).as_bytes()).await.unwrap();
    out.flush().await.unwrap();
    std::future::pending::<()>().await;
}

async fn start(origin: &str, folder: &Path) -> (Child, SocketAddr) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "durable::what_was_accepted_before_a_kill_is_answered_truly_after_it",
            "--nocapture",
        ])
        .env("UIAP_TEST_ORIGIN", origin)
        .env("UIAP_TEST_JOURNAL", folder.join("journal"))
        .env("UIAP_TEST_AUDIT", folder.join("audit.jsonl"))
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    loop {
        let line = lines.next_line().await.unwrap().expect("the server did not start");
        if let Some(address) = line.strip_prefix("address ") {
            return (child, address.parse().unwrap());
        }
    }
}

async fn order(address: SocketAddr, key: &str) -> (Socket, Value) {
    let mut socket = socket_to(address, &[]).await.unwrap();
    socket.begin().await;
    socket.ask("web.state.get", json!({})).await;
    let request = json!({
        "actionId": "ui.activate", "idempotencyKey": key,
        "target": { "ref": { "by": "semantic", "role": "button", "name": "Order" } },
    });
    let answer = socket.ask("action.request", request).await;
    (socket, answer)
}

/// The next event of an action that is of this kind, or its result.
async fn until(socket: &mut Socket, handle: &Value, stage: Option<&str>) -> Value {
    loop {
        let told = socket.next().await.unwrap();
        let ours = told["payload"]["actionHandle"] == *handle;
        let reached =
            told["type"] == "action.result" || stage.is_some_and(|stage| told["payload"]["stage"] == stage);
        if ours && reached {
            return told;
        }
    }
}

/// Requirement: ACT-SEC-02
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_accepted_before_a_kill_is_answered_truly_after_it() {
    if let Ok(origin) = std::env::var("UIAP_TEST_ORIGIN") {
        return serve(origin).await;
    }
    for moment in ["accepted", "executing", "result"] {
        let (origin, orders) = shop().await;
        let folder = tempfile::tempdir().unwrap();
        let (mut child, address) = start(&origin, folder.path()).await;
        let (mut socket, accepted) = order(address, "order-1").await;
        assert_eq!(accepted["type"], "action.accepted", "{accepted}");
        let handle = accepted["payload"]["actionHandle"].clone();
        let before = match moment {
            "accepted" => None,
            "executing" => Some(until(&mut socket, &handle, Some("executing")).await),
            _ => Some(until(&mut socket, &handle, None).await),
        };
        child.kill().await.unwrap();
        drop(socket);

        let (mut child, address) = start(&origin, folder.path()).await;
        let (mut socket, again) = order(address, "order-1").await;
        assert_eq!(
            again["payload"]["actionHandle"], handle,
            "{moment}: the same action, not another: {again}"
        );
        let result = until(&mut socket, &handle, None).await;
        let told = &result["payload"];
        if let Some(before) = before.filter(|before| before["type"] == "action.result") {
            assert_eq!(before["payload"]["status"], "succeeded", "{before}");
            assert_eq!(told["status"], "succeeded", "{moment}: {result}");
            assert_eq!(orders.load(Ordering::SeqCst), 1, "{moment}: done once");
        } else {
            assert_ne!(told["status"], "succeeded", "{moment}: nobody saw it succeed: {result}");
            assert_eq!(told["error"]["detail"]["cause"], "interrupted", "{moment}: {result}");
        }
        let done = orders.load(Ordering::SeqCst);
        assert!(done <= 1, "{moment}: ordered {done} times");
        assert!(done == 0 || told["sideEffectState"] != "none", "{moment}: it had an effect: {result}");
        child.kill().await.unwrap();
        let chain = read_lines(&std::fs::read(folder.path().join("audit.jsonl")).unwrap());
        let chain = chain.unwrap_or_else(|broken| panic!("{moment}: {broken}"));
        assert!(moment == "accepted" || chain.records > 0, "{moment}: what was decided is in the audit");
    }
}
