//! Script: evaluation, worlds, bindings, and being there before the page is.

use uiap_cdp::protocol::page::{FrameNavigated, GetFrameTree, Navigate};
use uiap_cdp::protocol::runtime::{BindingCalled, Evaluate, ExecutionContextCreated};
use uiap_cdp::protocol::{ProtocolEvent, page};
use uiap_cdp::{CallErrorKind, SessionEvent};

use crate::shared::{WORLD, evaluate, next, open, page, run, until};
use crate::site::Site;

#[test]
fn an_expression_has_a_value_and_an_exception_has_details() {
    run(async {
        let (_context, page) = page().await;
        assert_eq!(evaluate::<u32>(&page, "6 * 7").await, 42);
        let thrown =
            page.call(Evaluate { expression: "throw new Error('no')", ..Default::default() }).await.unwrap();
        let details = thrown.exception_details.unwrap();
        assert!(details.exception.unwrap().description.unwrap().starts_with("Error: no"));
    });
}

#[test]
fn text_outside_unicode_arrives_with_replacement_characters() {
    run(async {
        let (_context, page) = page().await;
        assert_eq!(
            evaluate::<String>(&page, r"'a\ud800b\udc00c\ud83d\ude00'").await,
            "a\u{fffd}b\u{fffd}c😀"
        );
    });
}

#[test]
fn a_navigation_is_told_and_a_failed_one_says_why() {
    run(async {
        let site = Site::of(&[("/", "<title>here</title>")]).await;
        let (_context, page) = page().await;
        let mut events = page.events_of(&[FrameNavigated::NAME]);
        open(&page, &site.url("/?q#f")).await;
        let navigated = next::<FrameNavigated>(&mut events).await;
        assert_eq!(navigated.frame.url, site.url("/?q"));
        assert_eq!(evaluate::<String>(&page, "document.title").await, "here");

        let closed = site.url("/");
        drop(site);
        let (_context, page) = crate::shared::page().await;
        let navigation = page.call(Navigate { url: &closed, ..Default::default() }).await.unwrap();
        assert_eq!(navigation.error_text.as_deref(), Some("net::ERR_CONNECTION_REFUSED"));
    });
}

#[test]
fn the_prepared_script_runs_before_the_page_under_a_strict_policy_and_unseen_by_it() {
    run(async {
        let body = "<!doctype html><body><script>document.title = 'ran';</script>";
        let headers = "Content-Type: text/html\r\nContent-Security-Policy: default-src 'none'";
        let site = Site::with_headers([("/", (headers.to_owned(), body.to_owned()))].into()).await;
        let (_context, page) = page().await;
        let mut events = page.events();
        let url = site.url("/");
        open(&page, &url).await;
        let context = until(&mut events, |event| {
            let SessionEvent::Event(event) = event else { return None };
            let created = event.read::<ExecutionContextCreated>()?.context;
            (created.name == WORLD && url.starts_with(&created.origin)).then_some(created)
        });
        let context = context.await;
        let called = until(&mut events, |event| {
            let SessionEvent::Event(event) = event else { return None };
            event.read::<BindingCalled>().filter(|called| called.payload == url)
        });
        assert_eq!(called.await.execution_context_id, context.id);
        let seen = Evaluate {
            expression: "firstSeen",
            unique_context_id: Some(context.unique_id),
            return_by_value: true,
            ..Default::default()
        };
        let seen = page.call(seen).await.unwrap().result.value_as::<String>().unwrap();
        assert_eq!(seen.as_deref(), Some("0/loading"), "no element was there yet");
        assert_eq!(evaluate::<String>(&page, "document.title").await, "", "the policy holds");
        let leaked = Evaluate {
            expression: "typeof firstSeen + typeof tell",
            return_by_value: true,
            ..Default::default()
        };
        let leaked = page.call(leaked).await.unwrap().result.value_as::<String>().unwrap();
        assert_eq!(leaked.as_deref(), Some("undefinedundefined"), "the page's own world is clean");
    });
}

#[test]
fn bindings_arrive_in_the_order_in_which_the_page_called_them() {
    run(async {
        let (_context, page) = page().await;
        let frame_id = page.call(GetFrameTree {}).await.unwrap().frame_tree.frame.id;
        let world =
            page::CreateIsolatedWorld { frame_id, world_name: Some(WORLD), grant_universal_access: false };
        let context = page.call(world).await.unwrap().execution_context_id;
        let mut events = page.events_of(&[BindingCalled::NAME]);
        let burst = Evaluate {
            expression: "for (let i = 0; i < 500; i++) tell('n' + i)",
            context_id: Some(context),
            ..Default::default()
        };
        page.call(burst).await.unwrap();
        for expected in 0..500 {
            assert_eq!(next::<BindingCalled>(&mut events).await.payload, format!("n{expected}"));
        }
    });
}

#[test]
fn a_method_without_a_type_is_called_by_name_and_an_unknown_one_is_refused_with_its_name() {
    run(async {
        let (_context, page) = page().await;
        let isolate = page.call_raw("Runtime.getIsolateId", &serde_json::json!({})).await.unwrap();
        assert!(isolate.get().contains("\"id\""));
        let error = page.call_raw("Nowhere.nothing", &serde_json::json!({})).await.unwrap_err();
        assert!(error.is_unknown_method());
        assert!(error.was_sent());
        let text = error.to_string();
        assert!(text.starts_with("`Nowhere.nothing` on `about:blank` (session "), "{text}");
        assert!(text.contains("(code -32601)"), "{text}");
    });
}

#[test]
fn a_refusal_carries_the_words_of_the_browser() {
    run(async {
        let (_context, page) = page().await;
        let error = page.call(Navigate { url: "not a url", ..Default::default() }).await.unwrap_err();
        assert!(matches!(error.kind(), CallErrorKind::Refused { code: -32000, .. }), "{error}");
        assert!(error.to_string().contains("Cannot navigate to invalid URL"), "{error}");
    });
}
