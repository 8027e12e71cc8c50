//! A browser that somebody else started: connecting, sharing it politely, leaving it alone.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use uiap_cdp::protocol::page::{AddScriptToEvaluateOnNewDocument, Enable};
use uiap_cdp::protocol::runtime::Evaluate;
use uiap_cdp::protocol::target::{GetTargets, TargetKind};
use uiap_cdp::{
    AutoAttach, Browser, BrowserEvent, ConnectError, ConnectOptions, Preparation, SessionEvent, find,
};

use crate::shared::{PATIENCE, evaluate, run, until};
use crate::site::Site;

/// A browser of somebody else, with a DevTools port and one page of its own.
pub(crate) struct Foreign {
    process: Child,
    profile: TempDir,
}

impl Foreign {
    pub(crate) async fn start() -> Self {
        let program =
            find::candidates(None, &find::ThisMachine).first().expect("a browser is installed").path.clone();
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new(program);
        command.env("TMPDIR", profile.path());
        command.args([
            "--headless",
            "--remote-debugging-port=0",
            "--no-first-run",
            "--disable-background-networking",
        ]);
        command.args(["--disable-component-update", "--disable-sync"]);
        if std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0) {
            command.arg("--no-sandbox");
        }
        let data = format!("--user-data-dir={}", profile.path().display());
        command.arg(data).arg("about:blank").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let foreign = Self { process: command.spawn().unwrap(), profile };
        foreign.wait_for_port().await;
        foreign
    }

    async fn wait_for_port(&self) {
        let ready = async {
            while self.port().is_none() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(PATIENCE, ready).await.expect("the browser opens its port");
    }

    /// Written by the browser when it listens, second line last.
    fn port(&self) -> Option<u16> {
        let text = std::fs::read_to_string(self.profile.path().join(Path::new("DevToolsActivePort"))).ok()?;
        let mut lines = text.lines();
        let port = lines.next()?.parse().ok()?;
        lines.next().filter(|path| path.starts_with("/devtools/browser/")).map(|_| port)
    }

    pub(crate) fn authority(&self) -> String {
        format!("127.0.0.1:{}", self.port().unwrap())
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[test]
fn a_browser_of_others_is_driven_and_left_as_it_was() {
    run(async {
        let foreign = Foreign::start().await;
        let address = format!("http://{}", foreign.authority());
        let browser = Browser::connect(&address, ConnectOptions::default()).await.unwrap();
        assert!(browser.version().product.contains("Chrome"));
        assert!(browser.sessions().is_empty(), "pages of others are not attached to");
        let page = browser.new_page("about:blank").await.unwrap();
        assert_eq!(evaluate::<u32>(&page, "6 * 7").await, 42);
        let big: String = evaluate(&page, "'x'.repeat(20 << 20)").await;
        assert_eq!(big.len(), 20 << 20);
        let mut events = page.events();
        page.close().await.unwrap();
        until(&mut events, |event| matches!(event, SessionEvent::Detached(_)).then_some(())).await;
        browser.close().await;
        assert!(browser.new_page("about:blank").await.unwrap_err().is_disconnected());

        let again = Browser::connect(&address, ConnectOptions::default()).await.expect("it is still there");
        let pages = again.call(GetTargets::default()).await.unwrap().target_infos;
        assert_eq!(pages.iter().filter(|target| target.kind == TargetKind::Page).count(), 1);
    });
}

#[test]
fn the_end_of_a_connected_browser_fails_what_waits() {
    run(async {
        let mut foreign = Foreign::start().await;
        let address = format!("http://{}", foreign.authority());
        let browser = Browser::connect(&address, ConnectOptions::default()).await.unwrap();
        let page = browser.new_page("about:blank").await.unwrap();
        let waiting = tokio::spawn(async move {
            let never =
                Evaluate { expression: "new Promise(() => {})", await_promise: true, ..Default::default() };
            page.call(never).await
        });
        browser.call(GetTargets::default()).await.unwrap();
        foreign.process.kill().unwrap();
        let error = tokio::time::timeout(Duration::from_secs(2), waiting)
            .await
            .expect("at once")
            .unwrap()
            .unwrap_err();
        assert!(error.is_disconnected(), "{error}");
    });
}

#[test]
fn in_a_shared_browser_own_pages_are_prepared_and_their_popups_followed() {
    run(async {
        let foreign = Foreign::start().await;
        let site = Site::of(&[("/", "<script>var own = 1</script>")]).await;
        let script = AddScriptToEvaluateOnNewDocument {
            source: "var early = typeof own",
            world_name: None,
            run_immediately: false,
        };
        let preparation = [Preparation::new(&Enable {}), Preparation::new(&script)].map(Result::unwrap);
        let options = ConnectOptions {
            auto_attach: AutoAttach::default().prepare(move |_| preparation.to_vec()),
            ..Default::default()
        };
        let browser = Browser::connect(&format!("http://{}", foreign.authority()), options).await.unwrap();
        let page = browser.new_page(&site.url("/")).await.unwrap();
        let loaded =
            "new Promise(done => document.readyState == 'complete' ? done() : addEventListener('load', done))
            .then(() => early + own)";
        assert_eq!(evaluate::<String>(&page, loaded).await, "undefined1");

        let mut events = browser.events();
        let open =
            Evaluate { expression: "window.open('about:blank')", user_gesture: true, ..Default::default() };
        page.call(open).await.unwrap();
        let popup = tokio::time::timeout(PATIENCE, async {
            loop {
                if let Some(BrowserEvent::Attached(session)) = events.next().await {
                    return session;
                }
            }
        });
        assert_eq!(popup.await.unwrap().info().opener_id.as_ref(), Some(page.target_id()));
    });
}

/// Answers one connection with a fixed text, and says where.
async fn answering(text: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 1024];
            if stream.read(&mut request).await.is_ok() {
                drop(stream.write_all(text.as_bytes()).await);
            }
        }
    });
    address
}

#[test]
fn what_is_no_browser_is_refused_quickly_and_clearly() {
    run(async {
        let connect = async |address: &str| {
            let options = ConnectOptions { timeout: Duration::from_millis(500), ..Default::default() };
            Browser::connect(address, options).await.unwrap_err()
        };
        let http = answering("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").await;
        assert!(
            matches!(connect(&http).await, ConnectError::NotABrowser { problem, .. } if problem.contains("404"))
        );
        let json = answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").await;
        assert!(matches!(connect(&json).await, ConnectError::NotABrowser { .. }));
        let noise = answering("SSH-2.0-OpenSSH_9.2\r\n").await;
        assert!(matches!(
            connect(&noise).await,
            ConnectError::TimedOut { .. } | ConnectError::NotABrowser { .. }
        ));
        let socket = answering("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n").await;
        let socket = format!("{}/devtools/browser/x", socket.replace("http:", "ws:"));
        assert!(matches!(connect(&socket).await, ConnectError::Handshake { .. }));
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", silent.local_addr().unwrap());
        assert!(matches!(connect(&address).await, ConnectError::TimedOut { .. }));
        drop(silent);
        assert!(matches!(connect(&address).await, ConnectError::Unreachable { .. }));
        assert!(matches!(connect("ftp://x").await, ConnectError::Address { .. }));
    });
}

/// One page of the browser's own HTTP server.
pub(crate) async fn fetch(authority: &str, path: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(authority).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let head = answer.windows(4).position(|window| window == b"\r\n\r\n").map(|end| end + 4);
        let length = head.and_then(|end| {
            let head = std::str::from_utf8(&answer[..end]).unwrap();
            let line = head.lines().find_map(|line| line.strip_prefix("Content-Length:"))?;
            Some((end, line.trim().parse::<usize>().unwrap()))
        });
        match length {
            Some((end, length)) if answer.len() >= end + length => return answer[end..end + length].to_vec(),
            _ => {}
        }
        let count = stream.read(&mut chunk).await.unwrap();
        assert!(count > 0, "the answer ended early");
        answer.extend_from_slice(&chunk[..count]);
    }
}
