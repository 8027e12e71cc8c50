//! One pool for all sessions: the gate, crashes, tabs, limits, idle time, and what is behind links.

use std::time::{Duration, Instant};

use serde_json::json;
use uiap_model::action::ActionConfirmationRequestPayload;
use uiap_runtime::action::Runtime;
use uiap_server::session::{Asked, Body, Confirm, Handles, Pool, SessionOptions, Sessions};
use uiap_server::tool::{Call, Outcome, Reply, perform};
use uiap_web::surface::WebSurface;
use videoland::{Options, Videoland};

use crate::site::{call, call_with, open, options, sessions, site};

const PAGES: &[(&str, &str)] = &[
    (
        "/",
        "<!doctype html><title>Home</title><h1>Home</h1><a href=/other target=_blank>Other page</a>
         <button onclick=\"localStorage.mine = 'kept'; told.textContent = 'stored'\">Store</button><p id=told role=status></p>
         <button onclick=\"setTimeout(() => { told.textContent = 'late' }, 60000)\">Slow</button>
         <button onclick=\"for (let i = 0; i < 4; i++) window.open('/other')\">Storm</button>",
    ),
    ("/clock", "<!doctype html><title>Clock</title><p id=now>0</p><button>Stop</button><script>setInterval(() => { now.textContent = Date.now() }, 10)</script>"),
    ("/other", "<!doctype html><title>Other</title><h1>Other page</h1><button onclick=\"window.close()\">Leave</button>"),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_page_goes_through_the_gate_and_an_address_beyond_it_is_refused_with_the_way_out() {
    let (inside, outside) = (site(PAGES), site(PAGES));
    let sessions = sessions(options(&inside));
    open(&sessions, &inside).await;
    let refused = call(&sessions, "open", json!({ "url": outside })).await;
    assert!(refused.failed, "{}", refused.text);
    assert!(refused.text.contains(&format!("--allow-origin {outside}")), "{}", refused.text);
    let by_act = call(&sessions, "act", json!({ "do": "navigate", "text": outside })).await;
    assert!(by_act.failed && by_act.text.contains("not an allowed origin"), "{}", by_act.text);
    let public = crate::site::sessions(SessionOptions::default());
    let refused = call(&public, "open", json!({ "url": inside })).await;
    assert!(refused.failed && refused.text.contains("--allow-origin"), "{}", refused.text);
    assert!(public.handles().is_empty(), "no session is begun for it");
    sessions.pool().end().await;
    public.pool().end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_rests_is_shown_all_the_same_with_the_reason_in_plain_words() {
    let origin = site(PAGES);
    let sessions = sessions(options(&origin));
    let opened = open(&sessions, &format!("{origin}/clock")).await.text;
    let why = "the document changes all the time";
    assert!(opened.contains(&format!("shown before it came to rest: {why}\n")), "{opened}");
    assert!(opened.contains("button \"Stop\""), "{opened}");
    let waited = call(&sessions, "wait", json!({ "timeout_ms": 300 })).await;
    assert!(waited.failed, "{}", waited.text);
    assert!(waited.text.starts_with(&format!("the page did not come to rest: {why}\n")), "{}", waited.text);
    // One that rests says nothing of the kind, once the machine has time for it.
    while open(&sessions, &origin).await.text.contains("came to rest") {}
    sessions.pool().end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_begins_on_this_machine_may_use_it_where_that_is_the_rule() {
    let (first, second) = (site(PAGES), site(PAGES));
    let sessions = sessions(SessionOptions { local: true, ..SessionOptions::default() });
    open(&sessions, &first).await;
    open(&sessions, &second).await;
    let neighbour = call(&sessions, "open", json!({ "url": "http://192.168.0.1/" })).await;
    assert!(neighbour.failed && neighbour.text.contains("not a public address"), "{}", neighbour.text);
    sessions.pool().end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_crashes_is_told_of_and_the_session_goes_on() {
    let origin = site(PAGES);
    let sessions = sessions(options(&origin));
    open(&sessions, &origin).await;
    for process in sessions.pool().process_ids() {
        let id = rustix::process::Pid::from_raw(i32::try_from(process).unwrap()).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
    }
    // The end of a process is noticed by the end of its pipe; calls until then fail in their own words.
    let told = loop {
        let answer = call(&sessions, "snapshot", json!({})).await;
        if answer.failed && answer.text.contains("the browser crashed") {
            break answer;
        }
        assert!(answer.failed, "{}", answer.text);
    };
    assert!(told.text.contains("open the address again"), "{}", told.text);
    let again = open(&sessions, &origin).await;
    assert!(again.text.starts_with("session s1\n") && again.text.contains("Home"), "{}", again.text);
    sessions.pool().end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_opens_by_itself_is_a_tab_of_its_session() {
    let origin = site(PAGES);
    let sessions = sessions(options(&origin));
    open(&sessions, &origin).await;
    let clicked =
        call(&sessions, "act", json!({ "do": "click", "role": "link", "name": "Other page" })).await;
    let listed = loop {
        let listed = call(&sessions, "tabs", json!({})).await;
        if listed.facts.as_ref().unwrap().count == Some(2) {
            break listed;
        }
    };
    let told = format!("{}{}", clicked.text, listed.text);
    assert!(told.contains("new tab `t2`"), "{told}");
    assert!(listed.text.contains("- t1 (current) \"Home\""), "{}", listed.text);
    let switched = call(&sessions, "tabs", json!({ "switch": "t2" })).await;
    assert!(switched.text.contains("Other page") && !switched.text.contains("Home"), "{}", switched.text);
    assert_eq!(switched.facts.unwrap().tab.as_deref(), Some("t2"));
    let left = call(&sessions, "act", json!({ "do": "click", "role": "button", "name": "Leave" })).await;
    let now = call(&sessions, "snapshot", json!({})).await;
    assert!(now.text.contains("Home"), "{} {}", left.text, now.text);
    assert!(
        format!("{}{}", left.text, now.text).contains("tab `t2` was closed; this is `t1`"),
        "{}",
        now.text
    );
    let unknown = call(&sessions, "tabs", json!({ "switch": "t9" })).await;
    assert!(unknown.failed && unknown.text.contains("there is no tab `t9`"), "{}", unknown.text);
    let last = call(&sessions, "tabs", json!({ "close": "t1" })).await;
    assert!(!last.failed && last.text.contains("about:blank"), "{}", last.text);
    sessions.pool().end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn there_are_no_more_sessions_and_tabs_than_allowed() {
    let origin = site(PAGES);
    let pool = Pool::new(SessionOptions { most_sessions: 1, most_tabs: 2, ..options(&origin) });
    let (one, two) =
        (Sessions::new(pool.clone(), Handles::Short), Sessions::new(pool.clone(), Handles::Short));
    open(&one, &origin).await;
    let full = call(&two, "open", json!({ "url": origin })).await;
    assert!(full.failed && full.text.contains("there are 1 sessions already"), "{}", full.text);
    call(&one, "act", json!({ "do": "click", "role": "button", "name": "Storm" })).await;
    let mut most = 0;
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(2) {
        let count = call(&one, "tabs", json!({})).await.facts.unwrap().count.unwrap();
        most = most.max(count);
    }
    assert_eq!(most, 2);
    drop(one);
    open(&two, &origin).await;
    pool.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_of_two_clients_share_nothing() {
    let origin = site(PAGES);
    let pool = Pool::new(options(&origin));
    let (one, two) =
        (Sessions::new(pool.clone(), Handles::Short), Sessions::new(pool.clone(), Handles::Short));
    open(&one, &origin).await;
    call(&one, "act", json!({ "do": "click", "role": "button", "name": "Store" })).await;
    let unknown = call(&two, "snapshot", json!({ "session": "s1" })).await;
    assert!(unknown.failed && unknown.text.contains("there is no session `s1`"), "{}", unknown.text);
    let secret = Sessions::new(pool.clone(), Handles::Secret);
    let opened = open(&secret, &origin).await;
    let handle = opened.facts.unwrap().session;
    assert!(handle.starts_with("s_") && handle.len() > 20, "{handle}");
    let unnamed = call(&secret, "snapshot", json!({})).await;
    assert!(unnamed.failed && unnamed.text.contains("say which session"), "{}", unnamed.text);
    assert!(secret.links().is_empty());
    assert!(!call(&secret, "snapshot", json!({ "session": handle })).await.failed);
    pool.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_nobody_uses_is_closed() {
    let origin = site(PAGES);
    let sessions = sessions(SessionOptions { idle: Duration::from_millis(400), ..options(&origin) });
    open(&sessions, &origin).await;
    // Somebody who waits in it uses it.
    let waited = call(&sessions, "wait", json!({ "expect": ["toast:never"], "timeout_ms": 900 })).await;
    assert!(waited.text.contains("not seen in time"), "{}", waited.text);
    let begin = Instant::now();
    while sessions.pool().taken() > 0 {
        assert!(begin.elapsed() < Duration::from_secs(10), "it is still there");
        tokio::task::yield_now().await;
    }
    let gone = call(&sessions, "snapshot", json!({ "session": "s1" })).await;
    assert!(gone.failed && gone.text.contains("there is no session `s1`"), "{}", gone.text);
    sessions.pool().end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_action_that_nobody_waits_for_is_given_up() {
    let origin = site(PAGES);
    let sessions = sessions(options(&origin));
    open(&sessions, &origin).await;
    let order = json!({ "do": "click", "role": "button", "name": "Slow", "expect": ["status:late"], "timeout_ms": 60_000 });
    let cancelled = tokio::time::timeout(Duration::from_millis(800), call(&sessions, "act", order)).await;
    assert!(cancelled.is_err());
    let begin = Instant::now();
    let traced = loop {
        let traced = call(&sessions, "trace", json!({})).await;
        if traced.text.contains("cancelled") || begin.elapsed() > Duration::from_secs(10) {
            break traced;
        }
    };
    assert!(traced.text.contains("cancelled"), "{}", traced.text);
    sessions.pool().end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_big_for_an_answer_is_behind_a_link_and_gone_with_the_session() {
    let app = Videoland::start(Options::default()).await.unwrap();
    let origin = app.base_url().trim_end_matches('/').to_owned();
    let sessions = sessions(options(&origin));
    open(&sessions, &format!("{origin}/videos")).await;
    let small = call(&sessions, "snapshot", json!({ "budget": 200 })).await;
    assert!(small.facts.as_ref().unwrap().left_out > Some(0), "{small:?}");
    let link = small.links[0].uri.clone();
    assert_eq!(link, "uiap://session/s1/page");
    let Body::Text(whole) = sessions.read(&link).await.unwrap() else { panic!("no text") };
    assert!(whole.len() > small.text.len() * 2 && !whole.contains("more in scope"), "{whole}");
    let mut pictures = Vec::new();
    for _ in 0..5 {
        let picture = call(&sessions, "screenshot", json!({ "link": true })).await;
        assert!(picture.png.is_none());
        pictures.push(picture.links[0].uri.clone());
    }
    let Body::Png(png) = sessions.read(&pictures[4]).await.unwrap() else { panic!("no picture") };
    assert!(png.starts_with(b"\x89PNG"));
    assert!(sessions.read(&pictures[0]).await.is_err(), "four are kept");
    call(&sessions, "close", json!({})).await;
    assert!(sessions.read(&link).await.is_err());
    assert!(sessions.links().is_empty());
    sessions.pool().end().await;
    app.shutdown().await;
}

/// Somebody who will bring the answer with a later call.
struct Later;

impl Confirm for Later {
    async fn answer(&self, _: &Runtime<WebSurface>, _: &ActionConfirmationRequestPayload) -> Asked {
        Asked::Later
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_comes_later_counts_once_and_only_for_what_was_asked() {
    let app = Videoland::start(Options::default()).await.unwrap();
    let origin = app.base_url().trim_end_matches('/').to_owned();
    let sessions = sessions(options(&origin));
    open(&sessions, &format!("{origin}/team")).await;
    let order = json!({ "do": "team.invite", "args": { "name": "Ada", "email": "ada@videoland.example" } });
    let ask = async |order: &serde_json::Value, reply: Option<Reply>| {
        let arguments = order.as_object().cloned().unwrap();
        let call = Call { name: "act".to_owned(), arguments, reply, ..Call::default() };
        perform(&sessions, call, &Later).await.unwrap()
    };
    let question = async || match ask(&order, None).await {
        Outcome::Question { token, wording } => {
            assert!(wording.contains("team.invite"), "{wording}");
            token
        }
        Outcome::Answer(answer) => panic!("nobody was asked: {answer:?}"),
    };
    let token = question().await;
    let other = json!({ "do": "team.invite", "args": { "name": "Eve", "email": "eve@videoland.example" } });
    let reply = |token: &str, agreed| Some(Reply { token: token.to_owned(), agreed });
    let Outcome::Answer(swapped) = ask(&other, reply(&token, true)).await else { panic!("asked again") };
    assert!(swapped.failed && swapped.text.contains("nothing waits"), "{swapped:?}");
    let Outcome::Answer(spent) = ask(&order, reply(&token, true)).await else { panic!("asked again") };
    assert!(spent.failed, "a token holds once, whatever was asked: {spent:?}");
    let token = question().await;
    let Outcome::Answer(denied) = ask(&order, reply(&token, false)).await else { panic!("asked again") };
    assert!(denied.failed && denied.text.contains("confirmation_denied"), "{denied:?}");
    let token = question().await;
    let Outcome::Answer(done) = ask(&order, reply(&token, true)).await else { panic!("asked again") };
    assert!(!done.failed && done.text.starts_with("verified team.invite"), "{done:?}");
    let forged = call_with(&sessions, "act", order.clone(), &uiap_server::session::Nobody).await;
    assert!(forged.failed && forged.text.contains("a person has to agree"), "{forged:?}");
    sessions.pool().end().await;
    app.shutdown().await;
}
