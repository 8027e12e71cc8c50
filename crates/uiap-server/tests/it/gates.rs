//! What a page cannot reach, in a real browser: every way out leads through the gate.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use uiap_server::address::Reach;
use uiap_server::browsers::{BrowserOptions, Browsers, Tab};

/// A server that counts who comes, and answers with a page.
async fn counting(page: String) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counter.fetch_add(1, Ordering::SeqCst);
            let page = page.clone();
            tokio::spawn(async move {
                let mut head = [0; 4_096];
                let count = stream.read(&mut head).await.unwrap_or(0);
                let head = String::from_utf8_lossy(&head[..count]).into_owned();
                let (status, body, more) = match head.split(' ').nth(1) {
                    Some("/") => ("200 OK", page, String::new()),
                    Some(path) if path.starts_with("/to?") => (
                        "302 Found",
                        String::new(),
                        format!("location: {}\r\n", path.trim_start_matches("/to?")),
                    ),
                    _ => ("200 OK", "fine".to_owned(), String::new()),
                };
                let answer = format!(
                    "HTTP/1.1 {status}\r\ncontent-type: text/html\r\naccess-control-allow-origin: *\r\n{more}content-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
                stream.write_all(answer.as_bytes()).await.ok();
            });
        }
    });
    (origin, count)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_way_out_of_a_page_leads_to_a_forbidden_origin() {
    let (forbidden, visits) = counting("secret".to_owned()).await;
    let script = r#"<title>start</title><body><script>
        const there = "FORBIDDEN";
        const ways = {
          fetch: () => fetch(there + "/fetch"),
          post: () => fetch(there + "/post", { method: "POST", mode: "no-cors", body: "x" }),
          redirect: () => fetch("/to?" + there + "/redirected"),
          xhr: () => new Promise((done, fail) => { const x = new XMLHttpRequest(); x.onload = done; x.onerror = fail; x.open("GET", there + "/xhr"); x.send(); }),
          image: () => new Promise((done, fail) => { const i = new Image(); i.onload = done; i.onerror = fail; i.src = there + "/image"; }),
          script: () => new Promise((done, fail) => { const s = document.createElement("script"); s.onload = done; s.onerror = fail; s.src = there + "/script"; document.body.append(s); }),
          frame: () => new Promise(done => { const f = document.createElement("iframe"); f.onload = done; f.src = there + "/frame"; document.body.append(f); }),
          socket: () => new Promise((done, fail) => { const s = new WebSocket(there.replace("http", "ws") + "/socket"); s.onopen = done; s.onerror = fail; }),
          events: () => new Promise((done, fail) => { const s = new EventSource(there + "/events"); s.onopen = done; s.onerror = fail; }),
          worker: () => new Promise(done => { const w = new Worker(URL.createObjectURL(new Blob([`fetch("${there}/worker").finally(() => postMessage(1))`]))); w.onmessage = done; }),
          beacon: async () => { navigator.sendBeacon(there + "/beacon", "x"); },
          style: () => new Promise((done, fail) => { const l = document.createElement("link"); l.rel = "stylesheet"; l.onload = done; l.onerror = fail; l.href = there + "/style"; document.head.append(l); }),
          form: () => new Promise(done => { const f = document.createElement("iframe"); f.name = "f"; f.onload = done; document.body.append(f); const o = document.createElement("form"); o.action = there + "/form"; o.method = "post"; o.target = "f"; document.body.append(o); o.submit(); }),
          popup: async () => { window.open(there + "/popup"); },
        };
        Promise.allSettled(Object.values(ways).map(way => way())).then(() => fetch("/done").then(() => document.title = "done"));
    </script>"#;
    let (allowed, own) = counting(script.replace("FORBIDDEN", &forbidden)).await;
    let browsers = Browsers::new(BrowserOptions::default(), Reach::only([allowed.clone()]).unwrap());
    let tab = browsers.tab().await.unwrap();
    play(&tab, &allowed).await;
    assert_eq!(visits.load(Ordering::SeqCst), 0, "somebody got out");
    assert!(own.load(Ordering::SeqCst) >= 3, "the page itself works: {own:?}");
    // The same by the address bar: the gate, not the page, says no.
    for url in [format!("{forbidden}/direct"), format!("{allowed}/to?{forbidden}/moved")] {
        let refused = tab.page.navigate(&url).await.unwrap_err().to_string();
        assert!(refused.contains("an address that may not be visited"), "{refused}");
        let options = serde_json::from_value(json!({})).unwrap();
        let seen = tab.page.snapshot(&options).await.unwrap();
        assert_eq!(seen.route.title.as_deref(), Some("done"), "the page stays where it is");
    }
    assert_eq!(visits.load(Ordering::SeqCst), 0);
    tab.close().await;
    browsers.close().await;
    // Where it is allowed the same page gets out in nearly every way: it was the gate that held it back.
    let reach = Reach::only([allowed.clone(), forbidden.clone()]).unwrap();
    let browsers = Browsers::new(BrowserOptions::default(), reach);
    let tab = browsers.tab().await.unwrap();
    play(&tab, &allowed).await;
    assert!(visits.load(Ordering::SeqCst) >= 10, "{visits:?}");
    tab.close().await;
    browsers.close().await;
}

/// Opens the page and waits until it tried every way.
async fn play(tab: &Tab, origin: &str) {
    tab.page.navigate(&format!("{origin}/")).await.unwrap();
    let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
    let options = serde_json::from_value(json!({})).unwrap();
    while tab.page.snapshot(&options).await.unwrap().route.title.as_deref() != Some("done") {
        assert!(tokio::time::Instant::now() < deadline, "the page does not end");
    }
}
