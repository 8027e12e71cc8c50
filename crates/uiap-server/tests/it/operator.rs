//! The operator's view: nobody comes in without the key, and a person sees, agrees and ends in a real browser.

use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::net::TcpListener;
use uiap_server::address::Reach;
use uiap_server::operator::Operator;
use uiap_server::protocol::{HouseOptions, Keyring};

use crate::doors::{Answer, socket_to, talk};
use crate::fake::{named_graph, secret_graph};
use crate::live::{outcome, theatre_with};
use crate::peer::{World, open, world_with};
use crate::screen::Screen;

const AGENT: &str = "agent-token-0123456789abcdef";

/// Asks a person before every visit.
fn careful() -> Value {
    json!({
        "modelVersion": "0.1", "id": "ask", "defaults": { "onUnknownAction": "deny" },
        "grants": [{ "sideEffect": "navigation", "requires": ["guide"] }],
        "rules": [{ "id": "ask-first", "match": { "actions": ["nav.navigate"] }, "effect": "confirm",
            "reason": "visits are looked at" }],
    })
}

struct Booth {
    world: World,
    operator: Operator,
}

async fn booth() -> Booth {
    let keyring = Keyring::parse(&format!("{AGENT}\nhuman-token-0123456789abcdef approver\n")).unwrap();
    let mut options = HouseOptions::default();
    options.links.heartbeat = None;
    let world = world_with(options, keyring);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let operator = Operator::open(listener, Arc::clone(&world.house)).unwrap();
    Booth { world, operator }
}

impl Booth {
    fn address(&self) -> SocketAddr {
        self.operator.address()
    }

    /// The path of the view, and the key.
    fn parts(&self) -> (String, String) {
        let url = self.operator.url();
        let (path, key) = url.split_once("/#").unwrap();
        (path.trim_start_matches(&format!("http://{}", self.address())).to_owned(), key.to_owned())
    }

    async fn get(&self, path: &str, headers: &str) -> Answer {
        let text =
            format!("GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{headers}\r\n", self.address());
        talk(self.address(), text.as_bytes()).await
    }

    async fn post(&self, path: &str, headers: &str, body: &str) -> Answer {
        let text = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n{headers}\r\n{body}",
            self.address(),
            body.len()
        );
        talk(self.address(), text.as_bytes()).await
    }

    fn origin(&self) -> String {
        format!("origin: http://{}\r\n", self.address())
    }

    /// Comes in as a browser without scripts does: by the form. The header with the cookie, and the token of the forms.
    async fn enter(&self) -> (String, String) {
        let (place, key) = self.parts();
        let entered = self.post(&format!("{place}/enter"), &self.origin(), &format!("key={key}")).await;
        assert_eq!(entered.status, 303, "{entered:?}");
        let cookie = entered.header("set-cookie").unwrap().to_owned();
        for word in ["HttpOnly", "SameSite=Strict", &format!("Path={place}")] {
            assert!(cookie.contains(word), "{cookie}");
        }
        let cookie = format!("cookie: {}\r\n", cookie.split(';').next().unwrap());
        let page = self.get(&format!("{place}/"), &cookie).await;
        assert_eq!(page.status, 200, "{page:?}");
        let form = page.body.split("name=\"form\" value=\"").nth(1).unwrap().split('"').next().unwrap();
        (cookie, form.to_owned())
    }
}

#[tokio::test]
async fn without_the_key_nothing_is_seen_and_nothing_is_done() {
    let booth = booth().await;
    let (place, key) = booth.parts();
    assert!(key.len() >= 32);
    let peer = open_as_agent(&booth.world);
    let session = peer.id();
    let one = format!("{place}/sessions/{session}");
    let agent = format!("authorization: Bearer {AGENT}\r\n");
    let person = "authorization: Bearer human-token-0123456789abcdef\r\n".to_owned();
    let guess =
        format!("cookie: uiap_operator_{}=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n", booth.address().port());
    for headers in ["", &agent, &person, &guess] {
        for path in [format!("{place}/"), one.clone(), format!("{one}/picture"), format!("{place}/events")] {
            let answer = booth.get(&path, headers).await;
            assert_eq!(answer.status, 401, "{path} {headers}");
            assert!(!answer.body.contains(&session) && !answer.body.contains("tester"), "{answer:?}");
            assert_eq!(answer.header("set-cookie"), None);
        }
        for (path, body) in [
            (format!("{one}/end"), "form=x".to_owned()),
            (format!("{place}/answer"), format!("form=x&handle={session}:act_1&verdict=grant")),
            (format!("{place}/handoff"), "form=x&id=h&outcome=done".to_owned()),
        ] {
            let answer = booth.post(&path, &format!("{headers}{}", booth.origin()), &body).await;
            assert_eq!(answer.status, 401, "{path} {headers}");
        }
    }
    for wrong in ["", "key=", "key=guess", &format!("key={}", &key[1..]), &format!("key={AGENT}")] {
        let answer = booth.post(&format!("{place}/enter"), &booth.origin(), wrong).await;
        assert!(matches!(answer.status, 401 | 422), "{wrong}: {answer:?}");
        assert_eq!(answer.header("set-cookie"), None);
    }
    assert_eq!(booth.world.house.count(), 1, "the session lives");
    assert_eq!(booth.get("/", "").await.status, 401);
    booth.operator.close().await;
}

fn open_as_agent(world: &World) -> crate::peer::Peer {
    let mut offer = crate::peer::offer();
    offer["auth"] = json!({ "scheme": "bearer", "token": AGENT });
    crate::peer::knock(&world.house, &offer).unwrap()
}

#[tokio::test]
async fn another_page_can_do_nothing_with_the_cookie_of_a_person() {
    let booth = booth().await;
    let (place, key) = booth.parts();
    let peer = open_as_agent(&booth.world);
    let (cookie, form) = booth.enter().await;
    let end = format!("{place}/sessions/{}/end", peer.id());
    let body = format!("form={form}");
    let own = booth.origin();
    let port = booth.address().port();
    let foreign = [
        String::new(),
        "origin: null\r\n".to_owned(),
        "origin: http://evil.test\r\n".to_owned(),
        format!("origin: http://localhost:{port}\r\n"),
        format!("origin: https://127.0.0.1:{port}\r\n"),
        "origin: http://127.0.0.1:80\r\n".to_owned(),
        format!("{own}{own}"),
        format!("{own}sec-fetch-site: cross-site\r\n"),
        format!("{own}sec-fetch-site: same-site\r\n"),
    ];
    for headers in &foreign {
        let answer = booth.post(&end, &format!("{cookie}{headers}"), &body).await;
        assert_eq!(answer.status, 403, "{headers}");
        let answer = booth.post(&format!("{place}/enter"), headers, &format!("key={key}")).await;
        assert_eq!((answer.status, answer.header("set-cookie")), (403, None), "{headers}");
    }
    for site in ["cross-site", "same-site"] {
        let headers = format!("{cookie}sec-fetch-site: {site}\r\n");
        assert_eq!(booth.get(&format!("{place}/"), &headers).await.status, 403, "{site}");
    }
    let (_, other_form) = booth.enter().await;
    for wrong in ["form=", "form=guess", &format!("form={other_form}")] {
        let answer = booth.post(&end, &format!("{cookie}{own}"), wrong).await;
        assert_eq!(answer.status, 403, "{wrong}");
    }
    for host in ["evil.test", "127.0.0.1", &format!("evil.test:{port}"), &format!("127.0.0.1.nip.io:{port}")]
    {
        let text = format!("GET {place}/ HTTP/1.1\r\nhost: {host}\r\n{cookie}connection: close\r\n\r\n");
        assert_eq!(talk(booth.address(), text.as_bytes()).await.status, 403, "{host}");
    }
    assert_eq!(booth.world.house.count(), 1, "nothing of it ended the session");
    let ended = booth.post(&end, &format!("{cookie}{own}sec-fetch-site: same-origin\r\n"), &body).await;
    assert_eq!(ended.status, 303, "the page itself can: {ended:?}");
    assert_eq!(booth.world.house.session(&peer.id()).map(|session| session.state()), None);
    booth.operator.close().await;
}

#[tokio::test]
async fn every_answer_forbids_what_a_page_of_ours_never_needs() {
    let booth = booth().await;
    let (place, _) = booth.parts();
    let (cookie, _) = booth.enter().await;
    for (path, headers) in [
        (format!("{place}/"), cookie.as_str()),
        (format!("{place}/"), ""),
        (format!("{place}/style.css"), ""),
        (format!("{place}/live.js"), ""),
        ("/elsewhere".to_owned(), cookie.as_str()),
    ] {
        let answer = booth.get(&path, headers).await;
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'") && policy.contains("form-action 'self'"));
        assert_eq!(answer.header("x-frame-options"), Some("DENY"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("access-control-allow-origin"), None);
        assert!(
            !answer.body.contains("http://") && !answer.body.contains("https://"),
            "{path} needs no other server"
        );
    }
    booth.operator.close().await;
}

#[tokio::test]
async fn what_a_page_says_is_shown_as_text_and_secrets_are_covered() {
    let booth = booth().await;
    let (place, _) = booth.parts();
    let mut peer = open_as_agent(&booth.world);
    let page = booth.world.stages.page(0).await;
    let evil = "</pre><script>alert(1)</script><img src=x onerror=alert(2)>".to_owned();
    page.show(named_graph(2, &[evil]));
    peer.ask("web.state.get", json!({})).await;
    let (cookie, _) = booth.enter().await;
    let path = format!("{place}/sessions/{}", peer.id());
    let shown = until(&booth, &path, &cookie, "alert(1)").await;
    assert!(!shown.contains("<script>alert") && !shown.contains("<img src=x"), "{shown}");
    page.show(secret_graph(3, "canary-4711"));
    let shown = until(&booth, &path, &cookie, "API key").await;
    assert!(!shown.contains("canary-4711"), "{shown}");
    booth.operator.close().await;
}

/// Reads a page again whenever it changed, until it holds a text.
async fn until(booth: &Booth, path: &str, cookie: &str, text: &str) -> String {
    let deadline = tokio::time::Instant::now() + crate::peer::LONG;
    loop {
        let page = booth.get(path, cookie).await;
        if page.body.contains(text) {
            return page.body;
        }
        assert!(tokio::time::Instant::now() < deadline, "{page:?}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_watches_agrees_denies_and_ends_in_a_real_browser() {
    let theatre = theatre_with(|options| {
        options.policies = vec![careful()];
        options.operator = Some(0);
    })
    .await;
    let base = theatre.app.base_url().trim_end_matches('/').to_owned();
    let operator = theatre.server.operator().unwrap();
    let screen = Screen::open(&operator.url()).await;
    screen.until("document.body.innerText.includes('Nobody is here')").await;
    assert_eq!(screen.evaluate("location.hash").await, "", "the key is gone from the address bar");

    // Live: a session appears without anybody reloading.
    let mut agent = theatre.socket().await;
    agent.ask("web.state.get", json!({})).await;
    screen.until("document.querySelectorAll('#sessions .row').length === 1").await;
    let ask = |path: &str, intent: &str| json!({ "actionId": "nav.navigate", "args": { "url": format!("{base}{path}") }, "metadata": { "intent": intent } });
    let accepted = agent.ask("action.request", ask("/team", "look at <b>the team</b>")).await;
    let handle = accepted["payload"]["actionHandle"].clone();
    screen.until("!!document.querySelector('.ask [value=grant]')").await;
    let shown = screen.text().await;
    for word in
        ["nav.navigate", "/team", "confirm", "look at <b>the team</b>", "expires in", "/videos", "ask-first"]
    {
        assert!(shown.contains(word), "{word} is not shown: {shown}");
    }
    screen.picture("sessions").await;
    screen.press(".ask [value=grant]").await;
    let result = outcome(&mut agent, &handle).await;
    assert_eq!(result["payload"]["status"], "succeeded", "{result}");
    screen.until("!document.querySelector('.ask')").await;

    // One session: its page, its picture, what it did and why that is believed.
    screen.press("#sessions .cover").await;
    screen.until("document.querySelector('#picture img')?.naturalWidth > 100").await;
    screen.until("document.querySelector('#text')?.innerText.includes('- ')").await;
    screen.until("document.querySelector('#deeds')?.innerText.includes('succeeded')").await;
    let story = screen.evaluate("document.querySelector('#deeds pre').textContent").await;
    assert!(story.as_str().unwrap().contains("verdict: verified"), "{story}");
    let accepted = agent.ask("action.request", ask("/videos", "go back")).await;
    let handle = accepted["payload"]["actionHandle"].clone();
    screen.until("!!document.querySelector('.ask [value=deny]')").await;
    screen.picture("session").await;
    screen.evaluate("document.querySelector('.ask [name=reason]').value = 'not now'").await;
    screen.press(".ask [value=deny]").await;
    let result = outcome(&mut agent, &handle).await;
    assert_eq!(result["payload"]["error"]["code"], "confirmation_denied", "{result}");
    assert!(result["payload"]["error"]["message"].as_str().unwrap().contains("not now"), "{result}");
    screen.until("document.querySelector('#deeds')?.innerText.includes('cancelled')").await;

    screen.press(".top .no").await;
    let ended = loop {
        match agent.next().await {
            Ok(told) if told["type"] == "session.terminated" => break told,
            Ok(_) => {}
            Err(code) => panic!("closed with {code} before a word"),
        }
    };
    assert_eq!(ended["payload"]["reason"], "user_request");
    screen.until("document.body.innerText.includes('Nobody is here')").await;
    screen.close().await;
    theatre.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_page_of_ours_reaches_the_view_or_the_door_even_where_a_list_names_them() {
    let free = || std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (view, door) = (free(), free());
    let theatre = theatre_with(|options| {
        let allowed = [view, door].map(|port| format!("http://127.0.0.1:{port}"));
        let named = [view, door].map(|port| format!("http://localhost:{port}"));
        options.reach = Reach::only(allowed.iter().chain(&named)).unwrap();
        options.house.start = None;
        options.operator = Some(view);
        options.listen = SocketAddr::from(([127, 0, 0, 1], door));
    })
    .await;
    let operator = theatre.server.operator().unwrap().url();
    let mut socket = socket_to(theatre.server.address(), &[]).await.unwrap();
    let mut offer = crate::peer::offer();
    offer["metadata"] = json!({ "url": operator });
    let refused = socket.knock(&offer).await.unwrap();
    assert_eq!(crate::peer::code(&refused), "forbidden", "{refused}");
    let tab = theatre.server.browsers().tab().await.unwrap();
    for host in ["127.0.0.1", "localhost"] {
        for (port, path) in [(view, "/"), (door, "/uiap")] {
            let url = format!("http://{host}:{port}{path}");
            // The page stays where it is.
            let refused = tab.page.navigate(&url).await.unwrap_err().to_string();
            assert!(refused.contains("an address that may not be visited"), "{url}: {refused}");
        }
    }
    tab.close().await;
    theatre.close().await;
}

#[tokio::test]
async fn an_open_page_is_woken_by_what_happens_and_by_nothing_else() {
    let booth = booth().await;
    let (place, _) = booth.parts();
    let (cookie, _) = booth.enter().await;
    let mut events = crate::doors::Events::open(booth.address(), &format!("{place}/events"), &cookie).await;
    let peer = open_as_agent(&booth.world);
    assert_eq!(events.next().await.unwrap(), ["event: changed", "data: {}"]);
    let mut page = crate::doors::Events::open(
        booth.address(),
        &format!("{place}/events?session={}", peer.id()),
        &cookie,
    )
    .await;
    booth.world.stages.page(0).await.show(crate::fake::graph(2, 3));
    assert_eq!(page.next().await.unwrap(), ["event: changed", "data: {}"]);
    let other = open(&crate::peer::world());
    assert_eq!(other.house.count(), 1);
    booth.operator.close().await;
    while page.next().await.is_some() {}
}
