//! Whoever comes under a wrong name, or from a page that may not connect, does not get in.

use uiap_server::door::{Gatekeeper, GatekeeperError};
use uiap_server::protocol::{HouseOptions, Keyring};

use crate::doors::{PAGE, Server, serve};
use crate::peer::{message, offer};

async fn knock(server: &Server, line: &str, headers: &str) -> u16 {
    let body = message("request", "session.initialize", "init", None, &offer()).to_string();
    let port = server.address.port().to_string();
    let text = format!(
        "POST {line} HTTP/1.1\r\n{headers}content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    server.raw(text.replace("PORT", &port).as_bytes()).await.status
}

/// Requirement: BIND-W-05
/// Requirement: BIND-X-01
/// Requirement: BIND-X-02
#[tokio::test]
async fn sixty_forms_of_host_and_origin_are_judged_before_the_body_is_read() {
    let server = serve(HouseOptions::default(), Keyring::default()).await;
    let good = "host: 127.0.0.1:PORT\r\n";
    let hosts = [
        ("host: 127.0.0.1:PORT", 201),
        ("host: localhost:PORT", 201),
        ("host: LOCALHOST:PORT", 201),
        ("host: LocalHost:PORT", 201),
        ("host: [::1]:PORT", 201),
        ("Host:127.0.0.1:PORT", 201),
        ("host: localhost", 403),
        ("host: 127.0.0.1", 403),
        ("host: localhost:1", 403),
        ("host: localhost:0", 403),
        ("host: localhost:PORT0", 403),
        ("host: localhost.:PORT", 403),
        ("host: localhost.evil.test:PORT", 403),
        ("host: evil.test", 403),
        ("host: evil.test:PORT", 403),
        ("host: 127.0.0.1.evil.test:PORT", 403),
        ("host: 127.0.0.1.nip.io:PORT", 403),
        ("host: 0.0.0.0:PORT", 403),
        ("host: [::]:PORT", 403),
        ("host: 127.1:PORT", 403),
        ("host: 2130706433:PORT", 403),
        ("host: 0x7f000001:PORT", 403),
        ("host: 0177.0.0.1:PORT", 403),
        ("host: 127.0.0.2:PORT", 403),
        ("host: [::ffff:127.0.0.1]:PORT", 403),
        ("host: user@127.0.0.1:PORT", 403),
        ("host: 127.0.0.1:PORT@evil.test", 403),
        ("host: 127.0.0.1:PORT/", 403),
        ("host: 127.0.0.1:PORT#", 403),
        ("host: http://127.0.0.1:PORT", 403),
        ("host: ", 403),
        ("host: 169.254.169.254:PORT", 403),
        ("host: 127.0.0.1:PORT\r\nhost: 127.0.0.1:PORT", 400),
        ("host: 127.0.0.1:PORT\r\nhost: evil.test", 400),
        ("host: evil.test\r\nhost: 127.0.0.1:PORT", 400),
        ("x-forwarded-host: 127.0.0.1:PORT", 400),
    ];
    let mut count = 0;
    for (header, expected) in hosts {
        assert_eq!(knock(&server, "/uiap/sessions", &format!("{header}\r\n")).await, expected, "{header}");
        count += 1;
    }
    let csrf = "x-uiap-csrf: 1\r\n";
    let origins = [
        (format!("origin: {PAGE}\r\n{csrf}"), 201),
        (format!("origin: {PAGE}\r\n"), 403),
        (format!("origin: {PAGE}\r\nsec-fetch-site: cross-site\r\n{csrf}"), 201),
        (format!("origin: {PAGE}/\r\n{csrf}"), 403),
        (format!("origin: {}\r\n{csrf}", PAGE.to_uppercase()), 403),
        (format!("origin: https://console.test:3000\r\n{csrf}"), 403),
        (format!("origin: http://console.test\r\n{csrf}"), 403),
        (format!("origin: http://console.test:30000\r\n{csrf}"), 403),
        (format!("origin: http://console.test:3000.evil.test\r\n{csrf}"), 403),
        (format!("origin: http://evil.test?{PAGE}\r\n{csrf}"), 403),
        (format!("origin: http://user@console.test:3000\r\n{csrf}"), 403),
        (format!("origin: http://sub.console.test:3000\r\n{csrf}"), 403),
        (format!("origin: null\r\n{csrf}"), 403),
        (format!("origin: \r\n{csrf}"), 403),
        (format!("origin: *\r\n{csrf}"), 403),
        (format!("origin: file://\r\n{csrf}"), 403),
        (format!("origin: http://127.0.0.1:PORT\r\n{csrf}"), 403),
        (format!("origin: http://localhost:PORT\r\n{csrf}"), 403),
        (format!("origin: {PAGE}\r\norigin: {PAGE}\r\n{csrf}"), 403),
        (format!("origin: {PAGE} http://evil.test\r\n{csrf}"), 403),
        (format!("origin: chrome-extension://abcdef\r\n{csrf}"), 403),
        ("sec-fetch-site: cross-site\r\n".to_owned(), 403),
        ("sec-fetch-site: same-site\r\n".to_owned(), 403),
        ("sec-fetch-site: none\r\n".to_owned(), 201),
        (String::new(), 201),
    ];
    for (headers, expected) in origins {
        assert_eq!(
            knock(&server, "/uiap/sessions", &format!("{good}{headers}")).await,
            expected,
            "{headers}"
        );
        count += 1;
    }
    let lines = [
        ("http://127.0.0.1:PORT/uiap/sessions", 201),
        ("http://evil.test/uiap/sessions", 403),
        ("http://evil.test:PORT/uiap/sessions", 403),
    ];
    for (line, expected) in lines {
        assert_eq!(knock(&server, line, good).await, expected, "{line}");
        count += 1;
    }
    assert!(count >= 60, "{count}");
    let refused = server
        .raw(b"POST /uiap/sessions HTTP/1.1\r\nhost: evil.test\r\ncontent-length: 900000\r\n\r\n")
        .await;
    assert_eq!((refused.status, refused.code().as_str()), (403, "forbidden"), "answered without the body");
}

/// Requirement: BIND-X-01
#[tokio::test]
async fn a_page_that_may_connect_is_named_and_no_other_and_never_with_cookies() {
    let server = serve(HouseOptions::default(), Keyring::default()).await;
    let asked = server.http("OPTIONS", "/uiap/sessions", &[("origin", PAGE)], "").await;
    assert_eq!((asked.status, asked.header("access-control-allow-origin")), (204, Some(PAGE)));
    assert_eq!(asked.header("access-control-allow-credentials"), None);
    assert!(asked.header("vary").unwrap().contains("origin"));
    let other = server.http("OPTIONS", "/uiap/sessions", &[("origin", "http://evil.test")], "").await;
    assert_eq!((other.status, other.header("access-control-allow-origin")), (403, None));
    let wildcard = Gatekeeper::new(["127.0.0.1:1"], ["*"]).unwrap_err();
    assert_eq!(wildcard, GatekeeperError::Wildcard);
    let partial = Gatekeeper::new(["127.0.0.1:1"], ["https://*.example.com"]).unwrap_err();
    assert_eq!(partial, GatekeeperError::Wildcard);
}

/// Requirement: BIND-X-02
#[tokio::test]
async fn a_form_of_another_page_has_no_effect() {
    let server = serve(HouseOptions::default(), Keyring::default()).await;
    let body = message("request", "session.initialize", "init", None, &offer()).to_string();
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        let answer =
            server.http("POST", "/uiap/sessions", &[("origin", PAGE), ("content-type", kind)], &body).await;
        assert_eq!(answer.status, 403, "{kind}");
    }
    assert_eq!(server.world.house.count(), 0);
}
