//! A person's browser in a test: opens an address, looks, presses.

use std::time::Duration;

use serde_json::Value;
use uiap_cdp::protocol::emulation::{MediaFeature, SetDeviceMetricsOverride, SetEmulatedMedia};
use uiap_cdp::protocol::page::Navigate;
use uiap_cdp::protocol::runtime::Evaluate;
use uiap_cdp::{Browser, LaunchOptions};
use uiap_web::screenshot::{self, Shot, Subject};
use uiap_web::{OpenOptions, Page};

pub(crate) struct Screen {
    browser: Browser,
    pub(crate) page: Page,
}

impl Screen {
    pub(crate) async fn open(url: &str) -> Self {
        let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
        let page = Page::open(&browser, "about:blank", OpenOptions::default()).await.unwrap();
        let screen = Self { browser, page };
        // As a person does who types the address: no other page leads there.
        let navigate = Navigate { url, referrer: None, frame_id: None };
        screen.page.session().call(navigate).await.unwrap();
        screen
    }

    pub(crate) async fn evaluate(&self, expression: &str) -> Value {
        let evaluate =
            Evaluate { expression, return_by_value: true, await_promise: true, ..Evaluate::default() };
        match self.page.session().call(evaluate).await {
            Ok(evaluation) => evaluation.result.value_as::<Value>().ok().flatten().unwrap_or(Value::Null),
            // A page that is just being left answers nothing.
            Err(_) => Value::Null,
        }
    }

    /// Looks until an expression is true.
    pub(crate) async fn until(&self, expression: &str) {
        let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
        while self.evaluate(expression).await != Value::Bool(true) {
            if tokio::time::Instant::now() > deadline {
                let text = self.evaluate("location.href + '\\n' + document.body?.innerText").await;
                panic!("never true: {expression}\n{text}");
            }
        }
    }

    /// Waits for what a selector finds, and presses it.
    pub(crate) async fn press(&self, selector: &str) {
        self.until(&format!("!!document.querySelector({selector:?})")).await;
        self.evaluate(&format!("document.querySelector({selector:?}).click()")).await;
    }

    pub(crate) async fn text(&self) -> String {
        self.evaluate("document.body.innerText").await.as_str().unwrap_or_default().to_owned()
    }

    /// Pictures for the eye, where a folder for them is named: light, dark, narrow.
    pub(crate) async fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("UIAP_PICTURES").map(std::path::PathBuf::from) else { return };
        for (kind, width, scheme) in
            [("light", 1_280, "light"), ("dark", 1_280, "dark"), ("narrow", 390, "light")]
        {
            let size = SetDeviceMetricsOverride {
                width,
                height: 900,
                device_scale_factor: 1.0,
                mobile: false,
                screen_width: None,
                screen_height: None,
                screen_orientation: None,
            };
            self.page.session().call(size).await.unwrap();
            let features = Some(vec![MediaFeature {
                name: "prefers-color-scheme".to_owned(),
                value: scheme.to_owned(),
            }]);
            self.page.session().call(SetEmulatedMedia { media: None, features }).await.unwrap();
            let shot = Shot { subject: Subject::FullPage, cover_secrets: false, ..Shot::default() };
            let taken = screenshot::take(&self.page, &shot).await.unwrap();
            std::fs::write(folder.join(format!("{name}-{kind}.png")), taken.bytes).unwrap();
        }
    }

    pub(crate) async fn close(self) {
        self.browser.close().await;
    }
}
