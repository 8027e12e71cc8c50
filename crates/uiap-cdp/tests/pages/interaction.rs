//! Input, dialogs, downloads, requests: the calls that a driver of pages lives on.

use tokio::time::timeout;
use uiap_cdp::protocol::browser::{DownloadProgress, DownloadState};
use uiap_cdp::protocol::dom::{DescribeNode, GetContentQuads, GetNodeForLocation, SetFileInputFiles};
use uiap_cdp::protocol::emulation::{SetDeviceMetricsOverride, SetTimezoneOverride};
use uiap_cdp::protocol::fetch::{self, FulfillRequest, HeaderEntry, RequestPaused};
use uiap_cdp::protocol::input::{
    DispatchKeyEvent, DispatchMouseEvent, InsertText, KeyEventType, MouseButton, MouseEventType,
};
use uiap_cdp::protocol::network::{self, ResponseReceived};
use uiap_cdp::protocol::page::{
    CaptureScreenshot, DialogType, HandleJavaScriptDialog, JavascriptDialogClosed, JavascriptDialogOpening,
};
use uiap_cdp::protocol::runtime::{Evaluate, RemoteObjectId};
use uiap_cdp::protocol::{accessibility, performance};
use uiap_cdp::{BrowserEvent, ContextOptions, Downloads, Session};

use crate::shared::{PATIENCE, browser, call, evaluate, next, open, page, run};
use crate::site::Site;

async fn object(page: &Session, expression: &str) -> RemoteObjectId {
    page.call(Evaluate { expression, ..Default::default() }).await.unwrap().result.object_id.unwrap()
}

async fn click(page: &Session, x: f64, y: f64) {
    for kind in [MouseEventType::Moved, MouseEventType::Pressed, MouseEventType::Released] {
        let button = (kind != MouseEventType::Moved).then_some(MouseButton::Left);
        call(page, DispatchMouseEvent { kind, x, y, button, click_count: Some(1), ..Default::default() })
            .await;
    }
}

#[test]
fn input_is_trusted_and_lands_where_the_box_is() {
    run(async {
        let html =
            "<style>body { margin: 0 }</style><input style='position: absolute; left: 50px; top: 70px'>";
        let site = Site::of(&[("/", html)]).await;
        let (_context, page) = page().await;
        open(&page, &site.url("/")).await;
        let trusted = "var trusted = []; addEventListener('click', e => trusted.push(e.isTrusted)); 1";
        evaluate::<u32>(&page, trusted).await;
        let input = object(&page, "document.querySelector('input')").await;
        let quads =
            page.call(GetContentQuads { object_id: Some(input), ..Default::default() }).await.unwrap().quads;
        let [left, top, ..] = quads[0];
        assert!((49.0..60.0).contains(&left) && (69.0..80.0).contains(&top), "{quads:?}");
        click(&page, left + 5.0, top + 5.0).await;
        call(&page, InsertText { text: "hällo" }).await;
        let key = DispatchKeyEvent {
            kind: KeyEventType::KeyDown,
            text: Some("!"),
            key: Some("!"),
            ..Default::default()
        };
        call(&page, key).await;
        assert_eq!(evaluate::<String>(&page, "document.activeElement.value").await, "hällo!");
        assert_eq!(evaluate::<Vec<bool>>(&page, "trusted").await, [true]);
        let location = GetNodeForLocation { x: 55, y: 75, ..Default::default() };
        let hit = page.call(location).await.unwrap().backend_node_id;
        let node = DescribeNode { backend_node_id: Some(hit), ..Default::default() };
        assert_eq!(page.call(node).await.unwrap().node.local_name, "input");
    });
}

#[test]
fn a_dialog_is_told_and_answered_while_its_page_stands_still() {
    run(async {
        let (_context, page) = page().await;
        let mut events = page.events();
        let asking = tokio::spawn({
            let page = page.clone();
            async move { evaluate::<String>(&page, "prompt('name?', 'nobody')").await }
        });
        let opening = next::<JavascriptDialogOpening>(&mut events).await;
        assert_eq!((opening.kind, opening.message.as_str()), (DialogType::Prompt, "name?"));
        assert_eq!(opening.default_prompt.as_deref(), Some("nobody"));
        call(&page, HandleJavaScriptDialog { accept: true, prompt_text: Some("somebody") }).await;
        assert_eq!(asking.await.unwrap(), "somebody");
        assert!(next::<JavascriptDialogClosed>(&mut events).await.result);
    });
}

#[test]
fn requests_are_seen_and_can_be_answered_in_place_of_the_server() {
    run(async {
        let site = Site::of(&[("/", "from the server")]).await;
        let (_context, page) = page().await;
        let mut events = page.events();
        call(&page, network::Enable::default()).await;
        call(&page, fetch::Enable::default()).await;
        let url = site.url("/");
        let opening = open(&page, &url);
        let answering = async {
            let paused = next::<RequestPaused>(&mut events).await;
            assert_eq!(paused.request.url, url);
            let fulfill = FulfillRequest {
                request_id: paused.request_id,
                response_code: 203,
                response_headers: Some(vec![HeaderEntry {
                    name: "Content-Type".into(),
                    value: "text/html".into(),
                }]),
                body: Some("PHRpdGxlPmZyb20gdXM8L3RpdGxlPg=="),
                response_phrase: None,
            };
            call(&page, fulfill).await;
        };
        tokio::join!(opening, answering);
        assert_eq!(evaluate::<String>(&page, "document.title").await, "from us");
        assert_eq!(next::<ResponseReceived>(&mut events).await.response.status, 203);
    });
}

#[test]
fn a_download_lands_where_the_context_says_and_nowhere_by_default() {
    run(async {
        let headers =
            "Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=a.bin";
        let page_html = ("Content-Type: text/html".to_owned(), "<a href=/file>get</a>".to_owned());
        let site =
            Site::with_headers([("/", page_html), ("/file", (headers.into(), "bytes".into()))].into()).await;
        let directory = tempfile::tempdir().unwrap();
        for (downloads, expected) in [
            (Downloads::Into(directory.path().to_owned()), DownloadState::Completed),
            (Downloads::Deny, DownloadState::Canceled),
        ] {
            let mut events = browser().await.events();
            let options = ContextOptions { downloads, ..Default::default() };
            let context = browser().await.new_context(options).await.unwrap();
            let page = context.new_page("about:blank").await.unwrap();
            open(&page, &site.url("/")).await;
            evaluate::<u32>(&page, "document.querySelector('a').click(); 1").await;
            let finished = timeout(PATIENCE, async {
                while let Some(event) = events.next().await {
                    let BrowserEvent::Event(event) = event else { continue };
                    match event.read::<DownloadProgress>() {
                        Some(progress) if progress.state != DownloadState::InProgress => {
                            return Some(progress.state);
                        }
                        _ => {}
                    }
                }
                None
            });
            assert_eq!(finished.await.expect("the download ends"), Some(expected));
        }
        let files: Vec<_> = std::fs::read_dir(directory.path()).unwrap().collect();
        assert_eq!(files.len(), 1);
    });
}

#[test]
fn files_reach_a_file_input() {
    run(async {
        let site = Site::of(&[("/", "<input type=file>")]).await;
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "content").unwrap();
        let (_context, page) = page().await;
        open(&page, &site.url("/")).await;
        let object_id = Some(object(&page, "document.querySelector('input')").await);
        let files = vec![file.path().to_str().unwrap()];
        call(&page, SetFileInputFiles { files, object_id, ..Default::default() }).await;
        let read = "document.querySelector('input').files[0].text()";
        assert_eq!(evaluate::<String>(&page, read).await, "content");
    });
}

#[test]
fn the_device_and_the_clock_are_what_they_are_told_to_be() {
    run(async {
        let (_context, page) = page().await;
        let metrics = SetDeviceMetricsOverride {
            width: 400,
            height: 300,
            device_scale_factor: 2.0,
            mobile: false,
            ..Default::default()
        };
        call(&page, metrics).await;
        call(&page, SetTimezoneOverride { timezone_id: "Asia/Tokyo" }).await;
        let seen = "[innerWidth, innerHeight, devicePixelRatio, new Date(0).getHours()]";
        assert_eq!(evaluate::<Vec<f64>>(&page, seen).await, [400.0, 300.0, 2.0, 9.0]);
        let shot = page.call(CaptureScreenshot::default()).await.unwrap().data;
        assert!(shot.starts_with("iVBORw0KGgo"), "a PNG begins otherwise: {}", &shot[..20]);
    });
}

#[test]
fn the_accessibility_tree_and_the_counters_are_readable() {
    run(async {
        let site = Site::of(&[("/", "<button>Press</button>")]).await;
        let (_context, page) = page().await;
        open(&page, &site.url("/")).await;
        let nodes = page.call(accessibility::GetFullAxTree::default()).await.unwrap().nodes;
        let name = |node: &accessibility::AxNode| node.name.as_ref()?.value.clone();
        assert!(nodes.iter().any(|node| name(node).is_some_and(|name| name == "Press")));
        call(&page, performance::Enable {}).await;
        let metrics = page.call(performance::GetMetrics {}).await.unwrap().metrics;
        assert!(metrics.iter().any(|metric| metric.name == "Nodes" && metric.value > 0.0));
    });
}
