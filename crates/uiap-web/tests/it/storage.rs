//! Cookies and storage, saved in one context and brought back in another.

use serde_json::json;
use uiap_cdp::ContextOptions;
use uiap_web::Page;
use uiap_web::storage::{OriginStorage, StorageError, StorageState, load, save};

use crate::shared::{browser, evaluate, run};
use crate::signal_site::Site;

async fn fresh() -> (uiap_cdp::BrowserContext, Page) {
    let context = browser().await.new_context(ContextOptions::default()).await.unwrap();
    let page = Page::attach(context.new_page("about:blank").await.unwrap()).await.unwrap();
    (context, page)
}

const STORED: &str = "[document.cookie, localStorage.getItem('theme'), localStorage.getItem('ä\"'), sessionStorage.getItem('step')]";

#[test]
fn what_was_saved_is_there_in_another_context_before_the_page_runs() {
    run(async {
        let html = "<script>window.seen = localStorage.getItem('theme')</script>";
        let site = Site::with(&[("/", html)]).await;
        let (_one, page) = fresh().await;
        page.navigate(&site.url("/")).await.unwrap();
        let script = "document.cookie = 'id=7; path=/; max-age=600; samesite=strict'; localStorage.setItem('theme', 'dark'); localStorage.setItem('ä\"', '✓\\u0000'); sessionStorage.setItem('step', '3'); 1";
        evaluate(&page, script).await;
        let state = save(browser().await, &page).await.unwrap();
        let text = serde_json::to_string(&state).unwrap();
        assert!(!format!("{state:?}").contains("dark"), "values stay out of logs");
        let cookie = state.cookies.first().unwrap();
        assert_eq!(
            (cookie.name.as_str(), cookie.value.as_str(), cookie.same_site.as_deref()),
            ("id", "7", Some("Strict"))
        );

        let (_two, other) = fresh().await;
        load(browser().await, &other, &serde_json::from_str(&text).unwrap()).await.unwrap();
        other.navigate(&site.url("/")).await.unwrap();
        assert_eq!(evaluate(&other, STORED).await, json!(["id=7", "dark", "✓\u{0}", "3"]));
        assert_eq!(evaluate(&other, "seen").await, "dark");
    });
}

#[test]
fn files_of_other_tools_are_read_and_bad_ones_refused() {
    run(async {
        let site = Site::with(&[("/", "<p>hello")]).await;
        let origin = site.url("");
        let (_one, page) = fresh().await;
        let file = json!({ "cookies": [], "origins": [{ "origin": origin, "localStorage": [{ "name": "theme", "value": "light" }] }] });
        load(browser().await, &page, &serde_json::from_value(file).unwrap()).await.unwrap();
        page.navigate(&site.url("/")).await.unwrap();
        assert_eq!(evaluate(&page, "localStorage.getItem('theme')").await, "light");
        for bad in ["*", "file:///etc", "https://h/path", "https://", "http://u@h"] {
            let state = StorageState {
                origins: vec![OriginStorage { origin: bad.into(), ..OriginStorage::default() }],
                ..StorageState::default()
            };
            assert!(
                matches!(load(browser().await, &page, &state).await, Err(StorageError::Origin(_))),
                "{bad}"
            );
        }
        let later: StorageState = serde_json::from_value(json!({ "version": 2 })).unwrap();
        assert!(matches!(load(browser().await, &page, &later).await, Err(StorageError::Version(2))));
    });
}

#[test]
fn nothing_is_asked_of_the_server_while_a_state_comes_back() {
    run(async {
        let (_one, page) = fresh().await;
        // Nobody listens there.
        let state: StorageState = serde_json::from_value(json!({ "origins": [{ "origin": "http://127.0.0.1:9", "localStorage": [{ "name": "a", "value": "b" }] }] })).unwrap();
        load(browser().await, &page, &state).await.unwrap();
        assert!(save(browser().await, &page).await.unwrap().origins == state.origins);
    });
}
