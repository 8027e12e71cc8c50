//! What comes with a page by itself: popups, frames of other sites, workers; and what contexts keep apart.

use tokio::time::timeout;
use uiap_cdp::protocol::network::CookieParam;
use uiap_cdp::protocol::page::{CreateIsolatedWorld, GetFrameTree};
use uiap_cdp::protocol::runtime::Evaluate;
use uiap_cdp::protocol::storage::{GetCookies, SetCookies};
use uiap_cdp::protocol::target::TargetKind;
use uiap_cdp::{BrowserEvent, BrowserEvents, Session};

use crate::shared::{PATIENCE, WORLD, browser, evaluate, open, page, run};
use crate::site::Site;

async fn attached(events: &mut BrowserEvents, wanted: impl Fn(&Session) -> bool) -> Session {
    let search = async {
        loop {
            match events.next().await.expect("the browser is there") {
                BrowserEvent::Attached(session) if wanted(&session) => return session,
                _ => {}
            }
        }
    };
    timeout(PATIENCE, search).await.expect("no such session")
}

/// What the probe in the isolated world saw, asked through the page's own sessions.
async fn probed(session: &Session) -> String {
    let frame_id = session.call(GetFrameTree {}).await.unwrap().frame_tree.frame.id;
    let world = CreateIsolatedWorld { frame_id, world_name: Some(WORLD), grant_universal_access: false };
    let context_id = Some(session.call(world).await.unwrap().execution_context_id);
    let ask = Evaluate { expression: "firstSeen", context_id, return_by_value: true, ..Default::default() };
    session.call(ask).await.unwrap().result.value_as::<String>().unwrap().unwrap_or_default()
}

#[test]
fn a_popup_has_a_session_and_is_prepared_before_its_scripts() {
    run(async {
        let site = Site::of(&[("/", "opener"), ("/popup", "<script>var own = 1</script>popup")]).await;
        let (_context, page) = page().await;
        open(&page, &site.url("/")).await;
        let mut events = browser().await.events();
        let expression = format!("window.open('{}') !== null", site.url("/popup"));
        let open = Evaluate { expression: &expression, user_gesture: true, ..Default::default() };
        page.call(open).await.unwrap();
        let opener = page.target_id().clone();
        let popup = attached(&mut events, |session| session.info().opener_id.as_ref() == Some(&opener)).await;
        assert_eq!(*popup.kind(), TargetKind::Page);
        assert!(popup.began_paused());
        let loaded = "new Promise(done => document.readyState == 'complete' && location.href != 'about:blank' ? done(own)
            : addEventListener('load', () => done(own)))";
        assert_eq!(evaluate::<u32>(&popup, loaded).await, 1);
        // A popup of the same origin keeps the global objects of its first, empty document, and with them the probe's findings.
        assert_eq!(probed(&popup).await, "0/complete");
    });
}

#[test]
fn a_frame_of_another_site_has_a_session_below_its_page_and_is_prepared() {
    run(async {
        let site = Site::of(&[("/frame", "<script>var own = 'inner'</script>")]).await;
        let outer = format!("<iframe src='{}'></iframe>", site.foreign_url("/frame"));
        let outer = Site::of(&[("/", &outer)]).await;
        let (_context, page) = page().await;
        let mut events = browser().await.events();
        open(&page, &outer.url("/")).await;
        let frame = attached(&mut events, |session| session.parent() == Some(page.id())).await;
        assert_eq!(*frame.kind(), TargetKind::Iframe);
        assert_eq!(evaluate::<String>(&frame, "own").await, "inner");
        assert_eq!(probed(&frame).await, "0/loading");
    });
}

#[test]
fn sessions_below_a_page_end_with_it() {
    run(async {
        let inner = Site::of(&[("/frame", "inner")]).await;
        let outer =
            Site::of(&[("/", &format!("<iframe src='{}'></iframe>", inner.foreign_url("/frame")))]).await;
        let (_context, page) = page().await;
        let mut events = browser().await.events();
        open(&page, &outer.url("/")).await;
        let frame = attached(&mut events, |session| session.parent() == Some(page.id())).await;
        page.close().await.unwrap();
        let mut left = vec![page.id().clone(), frame.id().clone()];
        let ends = async {
            while !left.is_empty() {
                if let Some(BrowserEvent::Detached { session_id, .. }) = events.next().await {
                    left.retain(|id| *id != session_id);
                }
            }
        };
        timeout(PATIENCE, ends).await.expect("both sessions end");
        assert!(!page.is_attached() && !frame.is_attached());
    });
}

#[test]
fn workers_have_sessions_too_and_run() {
    run(async {
        let site = Site::of(&[("/", "worker")]).await;
        let (_context, page) = page().await;
        open(&page, &site.url("/")).await;
        let mut events = browser().await.events();
        let start = "new Promise(done => {
            const code = URL.createObjectURL(new Blob(['self.own = 5; postMessage(own)']));
            (globalThis.worker = new Worker(code)).onmessage = message => done(message.data); })";
        assert_eq!(evaluate::<u32>(&page, start).await, 5, "a worker that was held back runs in the end");
        let worker = attached(&mut events, |session| session.parent() == Some(page.id())).await;
        assert_eq!(*worker.kind(), TargetKind::Worker);
        assert_eq!(evaluate::<u32>(&worker, "own + 1").await, 6);
    });
}

#[test]
fn contexts_share_no_cookies_and_no_storage() {
    run(async {
        let site = Site::of(&[("/", "page")]).await;
        let ((first, one), (second, two)) = (page().await, page().await);
        open(&one, &site.url("/")).await;
        open(&two, &site.url("/")).await;
        evaluate::<String>(&one, "localStorage.setItem('k', 'one'); document.cookie = 'c=one'").await;
        let cookie = CookieParam {
            name: "set".into(),
            value: "by call".into(),
            url: Some(site.url("/")),
            ..Default::default()
        };
        let set = SetCookies { cookies: vec![cookie], browser_context_id: Some(first.id().clone()) };
        browser().await.call(set).await.unwrap();

        assert_eq!(evaluate::<String>(&one, "document.cookie").await, "c=one; set=by call");
        assert_eq!(evaluate::<String>(&two, "document.cookie").await, "");
        assert!(evaluate::<bool>(&two, "localStorage.getItem('k') === null").await);
        let cookies = async |context: &uiap_cdp::BrowserContext| {
            let get = GetCookies { browser_context_id: Some(context.id().clone()) };
            browser().await.call(get).await.unwrap().cookies.len()
        };
        assert_eq!((cookies(&first).await, cookies(&second).await), (2, 0));
    });
}

#[test]
fn a_dropped_context_closes_its_pages() {
    run(async {
        let (context, page) = page().await;
        let mut events = page.events();
        drop(context);
        let ended = timeout(PATIENCE, async {
            while let Some(event) = events.next().await {
                if matches!(event, uiap_cdp::SessionEvent::Detached(_)) {
                    return true;
                }
            }
            false
        });
        assert!(ended.await.expect("the page closes"));
    });
}

#[test]
fn many_pages_work_side_by_side() {
    run(async {
        let (context, _page) = page().await;
        let pages = futures_util::future::try_join_all((0..12).map(|_| context.new_page("about:blank")))
            .await
            .unwrap();
        let answers = pages.iter().enumerate().map(|(number, page)| async move {
            evaluate::<usize>(page, &format!("globalThis.mine = {number}")).await;
            evaluate::<usize>(page, "mine").await
        });
        let answers = futures_util::future::join_all(answers).await;
        assert_eq!(answers, (0..12).collect::<Vec<_>>());
    });
}
