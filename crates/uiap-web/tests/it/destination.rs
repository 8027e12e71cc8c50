//! Addresses that lead nowhere are told in plain words.

use std::error::Error as _;

use tokio::net::TcpListener;
use uiap_web::{Page, PageErrorKind};

use crate::shared::{blank, run};

#[test]
fn what_is_no_address_is_said_so_with_what_to_write_instead() {
    run(async {
        let page = Page::attach(blank().await).await.unwrap();
        let error = page.navigate("not-a-url").await.unwrap_err();
        let told = error.to_string();
        assert!(told.starts_with("`not-a-url` is no address: an address begins with a scheme"), "{told}");
        assert!(!told.contains("Page.navigate"), "{told}");
        assert!(error.source().is_some_and(|source| source.to_string().contains("Page.navigate")));
        let told = page.navigate("localhost:8080/x").await.unwrap_err().to_string();
        assert!(told.contains("did you mean `http://localhost:8080/x`?"), "{told}");
    });
}

#[test]
fn where_nobody_listens_that_is_said() {
    run(async {
        let page = Page::attach(blank().await).await.unwrap();
        let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let error = page.navigate(&format!("http://{free}/")).await.unwrap_err();
        assert!(matches!(error.kind(), PageErrorKind::Navigation { .. }), "{error}");
        let told = error.to_string();
        assert!(told.contains(&format!("cannot reach `http://{free}/`: nothing listens there")), "{told}");
    });
}
