//! Robots of chaos: pages without an end, pages that are never twice the same, sessions and renderers that end in the middle.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use axum::Router;
use axum::extract::{Path, Query};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use serde_json::Value;
use uiap_discovery::login::Script;
use uiap_discovery::record::IncidentKind;
use uiap_model::discovery::DiscoveryRunStatus;
use uiap_server::explore::Access;

use super::harness::{Setup, assert_told};
use super::served::{explored, home, page, serve};

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_asks_before_it_is_left_is_left_and_told() {
    let body = "<script>addEventListener('beforeunload', (event) => event.preventDefault())</script>\
                <button type=button aria-expanded=false onclick=\"document.body.append(document.createElement('hr'), 'more')\">Details</button>\
                <button type=button aria-expanded=false onclick=\"location = '/other'\">Overview</button>\
                <a href=/other>Other</a>";
    let routes = home(body).route("/other", get(|| async { page("Other", "<p>There</p>") }));
    let (record, _) = explored(routes).await;
    assert!(record.states.iter().any(|state| state.title == "Other"), "it was left");
    assert_told(&record, &[IncidentKind::BeforeUnload]);
}

/// Requirement: DISC-2-02
#[tokio::test(flavor = "multi_thread")]
async fn a_calendar_without_an_end_is_one_state() {
    let month = |Path((year, month)): Path<(u32, u32)>| async move {
        let next = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
        let days: String = (1..=28)
            .map(|day| format!("<tr><td><a href='/calendar/{year}/{month}#{day}'>{day}</a></td></tr>"))
            .collect();
        let body = format!(
            "<a href='/calendar/{}/{}'>Next month</a><table><caption>{year}-{month}</caption>{days}</table>",
            next.0, next.1
        );
        page("Calendar", &body)
    };
    let routes = home("<nav><a href=/calendar/2026/11>Calendar</a></nav>")
        .route("/calendar/{year}/{month}", get(month));
    let (record, _) = explored(routes).await;
    let titles: Vec<_> = record.states.iter().map(|state| state.title.as_str()).collect();
    assert_eq!(titles, ["Home", "Calendar"], "every month is the same state");
    assert!(record.transitions.len() < 15, "{}", record.transitions.len());
    assert_told(&record, &[IncidentKind::Endless]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_grows_whenever_its_end_is_seen_is_one_state() {
    let body = "<button type=button id=more>Show more</button><ul id=list></ul><div id=end></div><script>\
                let count = 0; const add = () => { for (let at = 0; at < 10; at += 1) { const item = document.createElement('li'); \
                item.innerHTML = `<a href='#${count}'>Entry ${count}</a>`; item.style.height = '60px'; list.append(item); count += 1; } };\
                more.onclick = add; add(); new IntersectionObserver((seen) => { if (seen[0].isIntersecting && count < 100000) add(); }).observe(end);\
                </script>";
    let (record, _) = explored(home(body)).await;
    let titles: Vec<_> = record.states.iter().map(|state| state.title.as_str()).collect();
    assert_eq!(titles, ["Home"]);
    assert!(record.transitions.len() < 10, "{}", record.transitions.len());
    assert_told(&record, &[IncidentKind::Endless]);
}

/// Requirement: DISC-2-02
#[tokio::test(flavor = "multi_thread")]
async fn pages_without_an_end_are_ended_by_the_budget() {
    // Names of letters alone: no pattern takes them together.
    let word = |number: usize| -> String {
        let digits = number.to_string();
        digits.bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
    };
    let maze = move |Path(name): Path<String>| async move {
        let number: usize = name.bytes().fold(0, |number, letter| number * 10 + usize::from(letter - b'a'));
        let links: String = (1..4)
            .map(|step| word(number * 3 + step))
            .map(|next| format!("<h2>{next}</h2><a href='/maze/{next}'>{next}</a>"))
            .collect();
        page(&format!("Room {name}"), &links)
    };
    let routes = home("<nav><a href=/maze/b>Maze</a></nav>").route("/maze/{name}", get(maze));
    let (address, _) = serve(routes).await;
    let setup = Setup::of(&format!("{address}/")).budget("maxTransitions", 12).budget("maxStates", 40);
    let explored = setup.run().await;
    assert_eq!(explored.record.transitions.len(), 12);
    assert_told(&explored.record, &[IncidentKind::BudgetReached]);
}

fn shuffled(query: &Query<Vec<(String, String)>>, served: &AtomicUsize) -> Response {
    let seed = served.fetch_add(7, Ordering::SeqCst) + query.len();
    let names = ["Videos", "Team", "Billing", "Settings", "Reports"];
    let links: String = (0..names.len())
        .map(|at| names[(at * 2 + seed) % names.len()])
        .map(|name| {
            let id = (seed * 2_654_435_761) % 1_000_003;
            let path = name.to_lowercase();
            format!(
                "<li><a id='x{id}' class='c{id}' data-id='{id}' href='/{path}?shuffle={id}'>{name}</a></li>"
            )
        })
        .collect();
    page("Chaos", &format!("<nav><ul>{links}</ul></nav><p>Served at {seed} o'clock</p>")).into_response()
}

/// Requirement: DISC-11.3-01
#[tokio::test(flavor = "multi_thread")]
async fn random_ids_and_random_order_give_the_same_map_twice() {
    let served = Arc::new(AtomicUsize::new(1));
    let mut routes = Router::new();
    for path in ["/", "/videos", "/team", "/billing", "/settings", "/reports"] {
        let served = Arc::clone(&served);
        routes = routes.route(path, get(move |query| async move { shuffled(&query, &served) }));
    }
    let (address, _) = serve(routes).await;
    let mut maps = Vec::new();
    for _ in 0..2 {
        let setup = Setup::of(&format!("{address}/")).budget("maxTransitions", 40);
        let record = setup.run().await.record;
        assert_told(&record, &[]);
        let mut states: Vec<String> = record.states.iter().map(|state| state.state_id.to_string()).collect();
        states.sort();
        maps.push(states);
    }
    assert_eq!(maps[0], maps[1]);
    assert_eq!(maps[0].len(), 6, "one state for each place");
}

/// An app whose sessions last for so many pages.
fn sessions(pages: usize) -> (Router<Arc<AtomicUsize>>, Arc<AtomicUsize>) {
    let (served, logins) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let show = {
        let (served, logins) = (Arc::clone(&served), Arc::clone(&logins));
        move |title: &'static str, headers: HeaderMap| {
            let cookie =
                headers.get(header::COOKIE).and_then(|value| value.to_str().ok()).unwrap_or_default();
            let current = format!("session=s{}", logins.load(Ordering::SeqCst));
            if !cookie.contains(&current) || served.fetch_add(1, Ordering::SeqCst) >= pages {
                return Redirect::to("/login").into_response();
            }
            let body = "<nav><a href=/>Start</a> <a href=/videos>Videos</a> <a href=/team>Team</a></nav>\
                        <button type=button aria-expanded=false onclick=\"this.setAttribute('aria-expanded', true)\">Details</button>";
            page(title, body).into_response()
        }
    };
    let login = "<form method=post action=/login><label>Password <input type=password name=p></label><button>Log in</button></form>";
    let enter = {
        let (served, logins) = (Arc::clone(&served), Arc::clone(&logins));
        move || async move {
            served.store(0, Ordering::SeqCst);
            let number = logins.fetch_add(1, Ordering::SeqCst) + 1;
            ([(header::SET_COOKIE, format!("session=s{number}; Path=/"))], Redirect::to("/"))
        }
    };
    let mut routes =
        Router::new().route("/login", get(move || async move { page("Log in", login) }).post(enter));
    for (path, title) in [("/", "Start"), ("/videos", "Videos"), ("/team", "Team")] {
        let show = show.clone();
        routes = routes.route(path, get(move |headers| async move { show(title, headers) }));
    }
    (routes.route("/unused", post(|| async { "" })), logins)
}

fn script() -> Arc<Script> {
    let steps = serde_json::json!([
        { "enter": { "field": "Password", "text": "secret" } },
        { "press": "Log in" }
    ]);
    let script: Value = serde_json::json!({ "url": "/login", "steps": steps });
    Arc::new(serde_json::from_value(script).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_ends_in_the_middle_is_begun_again() {
    let (routes, logins) = sessions(6);
    let (address, _) = serve(routes).await;
    let mut setup = Setup::of(&format!("{address}/")).budget("maxRuntimeMs", 60_000);
    let access = Access { login: Some(script()), ..Access::default() };
    setup.ground.access.insert("default".into(), access);
    let record = setup.run().await.record;
    let times = logins.load(Ordering::SeqCst);
    assert!(times > 1, "it logged in {times} times");
    for title in ["Start", "Videos", "Team"] {
        assert!(record.states.iter().any(|state| state.title == title), "{title} is missing");
    }
    assert!(record.states.iter().all(|state| state.title != "Log in"), "nothing leads there");
    assert_told(&record, &[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_cannot_be_begun_again_ends_the_run_with_a_word() {
    let (routes, logins) = sessions(8);
    let (address, _) = serve(routes).await;
    logins.store(1, Ordering::SeqCst);
    let mut setup = Setup::of(&format!("{address}/")).budget("maxRuntimeMs", 60_000);
    let state = serde_json::json!({ "cookies": [{
        "name": "session", "value": "s1", "domain": "127.0.0.1", "path": "/", "expires": -1.0,
        "httpOnly": false, "secure": false
    }] });
    let storage = Some(serde_json::from_value(state).unwrap());
    setup.ground.access.insert("default".into(), Access { storage, ..Access::default() });
    let explored = setup.run().await;
    assert!(explored.seconds < 62.0);
    assert!(explored.record.states.iter().any(|state| state.title == "Start"));
    assert!(explored.record.states.iter().all(|state| state.title != "Log in"), "nothing leads there");
    assert_eq!(explored.record.summary.status, DiscoveryRunStatus::Failed);
    assert_told(&explored.record, &[IncidentKind::SessionExpired]);
}

/// Ends the renderers of a browser, as the system does when memory is short.
fn kill_renderers(browser: u32) {
    let parent = |id: u32| -> Option<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    };
    let is_ours = |id: u32| {
        let mut at = Some(id);
        std::iter::from_fn(|| {
            at = parent(at?);
            at
        })
        .take(6)
        .any(|each| each == browser)
    };
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let line = std::fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        if line.contains("--type=renderer") && is_ours(id) {
            let id = rustix::process::Pid::from_raw(i32::try_from(id).unwrap()).unwrap();
            rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap_or_default();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renderer_that_crashes_is_told_and_the_rest_is_explored() {
    let browser = Arc::new(AtomicU32::new(0));
    let told = Arc::clone(&browser);
    let crash = move || {
        kill_renderers(told.load(Ordering::SeqCst));
        async { page("Never seen", "") }
    };
    let body = "<nav><a href=/fine>Fine</a></nav><a href=/crash>Crash</a><a href=/later>Later</a>";
    let routes = home(body)
        .route("/crash", get(crash))
        .route("/fine", get(|| async { page("Fine", "") }))
        .route("/later", get(|| async { page("Later", "") }));
    let (address, _) = serve(routes).await;
    let mut setup = Setup::of(&format!("{address}/")).budget("maxRuntimeMs", 60_000);
    setup.on_launch = Some(Arc::new(move |id| browser.store(id, Ordering::SeqCst)));
    let explored = setup.run().await;
    assert!(explored.seconds < 62.0);
    for title in ["Home", "Fine", "Later"] {
        assert!(explored.record.states.iter().any(|state| state.title == title), "{title} is missing");
    }
    assert_told(&explored.record, &[IncidentKind::Crash]);
}
