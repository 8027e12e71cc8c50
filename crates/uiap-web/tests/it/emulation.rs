//! What a page believes about its device, place and user.

use serde_json::json;
use uiap_cdp::ContextOptions;
use uiap_web::Page;
use uiap_web::emulation::{ColorScheme, Emulation, Permission, Screen};

use crate::shared::{browser, evaluate, run};
use crate::signal_site::Site;

#[test]
fn a_page_believes_what_it_is_told() {
    run(async {
        let site = Site::with(&[("/", "<p>hello")]).await;
        let context = browser().await.new_context(ContextOptions::default()).await.unwrap();
        let session = context.new_page("about:blank").await.unwrap();
        let emulation = Emulation {
            locale: Some("de-DE".into()),
            timezone: Some("Asia/Tokyo".into()),
            screen: Some(Screen { width: 390, height: 700, scale: 2.0, mobile: false, touch: true }),
            user_agent: Some("Probe/1.0".into()),
            headers: [("X-Probe".to_owned(), "yes".to_owned())].into(),
            color_scheme: Some(ColorScheme::Dark),
            reduced_motion: Some(true),
            permissions: vec![Permission {
                name: "notifications".into(),
                origin: Some(site.url("")),
                granted: false,
            }],
            ..Emulation::default()
        };
        emulation.apply(browser().await, &session).await.unwrap();
        let page = Page::attach(session).await.unwrap();
        page.navigate(&site.url("/")).await.unwrap();
        let seen = evaluate(
            &page,
            "navigator.permissions.query({ name: 'notifications' }).then(permission => [navigator.language, (1.5).toLocaleString(), new Date(0).getHours(), innerWidth, devicePixelRatio, navigator.userAgent,
             matchMedia('(prefers-color-scheme: dark)').matches, matchMedia('(prefers-reduced-motion: reduce)').matches, navigator.maxTouchPoints, permission.state])",
        )
        .await;
        assert_eq!(seen, json!(["de-DE", "1,5", 9, 390, 2, "Probe/1.0", true, true, 5, "denied"]));
        let request = evaluate(&page, "fetch('/headers').then(answer => answer.text())").await;
        let request = request.as_str().unwrap().to_ascii_lowercase();
        assert!(request.contains("x-probe: yes") && request.contains("accept-language: de-de"), "{request}");
    });
}

#[test]
fn without_a_network_nothing_is_reached() {
    run(async {
        let site = Site::with(&[("/", "<p>hello")]).await;
        let context = browser().await.new_context(ContextOptions::default()).await.unwrap();
        let page = Page::attach(context.new_page("about:blank").await.unwrap()).await.unwrap();
        page.navigate(&site.url("/")).await.unwrap();
        // The browser answers before its network has heard of it: the first request may still go the old way.
        let set = async |offline, wanted: &str| {
            let emulation = Emulation { offline: Some(offline), ..Emulation::default() };
            emulation.apply(browser().await, page.session()).await.unwrap();
            let ask = format!(
                "(async () => {{ for (;;) {{ const seen = await fetch('/ok').then(() => 'reached', () => 'not reached'); if (seen === '{wanted}') return seen }} }})()"
            );
            evaluate(&page, &ask).await
        };
        assert_eq!(set(true, "not reached").await, "not reached");
        assert_eq!(set(false, "reached").await, "reached");
    });
}
