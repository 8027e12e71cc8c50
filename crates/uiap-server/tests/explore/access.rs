//! Who is who: scripts that log in, stored sessions, several profiles, people who log in by hand; and seeds that have to be fetched.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use axum::Router;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use serde_json::json;
use uiap_cdp::protocol::runtime::Evaluate;
use uiap_discovery::record::{IncidentKind, RunRecord};
use uiap_discovery::seed;
use uiap_discovery::seed::address::Base;
use uiap_server::explore::{Access, GroundOptions, WebGround};

use super::harness::{Explored, Setup, assert_told};
use super::served::{kinds, page, serve};

/// An app that shows more to those who are somebody: `user=admin` or `user=mira` in a cookie.
fn app() -> Router<Arc<AtomicUsize>> {
    let user = |headers: &HeaderMap| {
        let cookies = headers.get(header::COOKIE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        cookies.split("; ").find_map(|each| each.strip_prefix("user=").map(str::to_owned))
    };
    let start = move |headers: HeaderMap| async move {
        match user(&headers).as_deref() {
            Some("admin") => {
                page("Start", "<nav><a href=/>Start</a> <a href=/users>Users</a></nav>").into_response()
            }
            Some(_) => {
                let body = "<nav><a href=/>Start</a> <a href=/profile>Profile</a></nav><main><button type=button \
                            aria-haspopup=dialog onclick=\"document.title = 'Settings'; this.outerHTML = \
                            '<div role=dialog aria-label=Settings><button>Close</button></div>'\">Settings</button></main>";
                page("Start", body).into_response()
            }
            None => Redirect::to("/login").into_response(),
        }
    };
    let users = move |headers: HeaderMap| async move {
        let allowed = user(&headers).as_deref() == Some("admin");
        if allowed { page("Users", "").into_response() } else { Redirect::to("/").into_response() }
    };
    let profile = move |headers: HeaderMap| async move {
        let known = user(&headers).is_some();
        if known { page("Profile", "").into_response() } else { Redirect::to("/login").into_response() }
    };
    let login = "<form method=post action=/login><label>Name* <input name=name required></label>\
                 <label>Password: <input type=password name=p></label><button>Log in</button></form>";
    let enter = |body: String| async move {
        let fields: Vec<(&str, &str)> = body.split('&').filter_map(|pair| pair.split_once('=')).collect();
        let is = |name: &str, value: &str| fields.contains(&(name, value));
        let answer: Response = if is("p", "secret") {
            let name = fields.iter().find(|(name, _)| *name == "name").map_or("", |(_, value)| *value);
            ([(header::SET_COOKIE, format!("user={name}; Path=/"))], Redirect::to("/")).into_response()
        } else {
            Redirect::to("/login").into_response()
        };
        answer
    };
    let sitemap = || async {
        let text =
            "<urlset><url><loc>/hidden</loc></url><url><loc>http://elsewhere.test/</loc></url></urlset>";
        ([(header::CONTENT_TYPE, "application/xml")], text)
    };
    Router::new()
        .route("/", get(start))
        .route("/users", get(users))
        .route("/profile", get(profile))
        .route("/hidden", get(|| async { page("Hidden", "") }))
        .route("/login", get(move || async move { page("Log in", login) }).post(enter))
        .route("/sitemap.xml", get(sitemap))
}

fn script(name: &str, password: &serde_json::Value) -> Access {
    let script = json!({
        "url": "/login",
        "steps": [
            { "enter": { "field": "Name", "text": name } },
            { "enter": { "field": "Password", "text": password } },
            { "press": "Log in" },
        ],
        "expect": "/",
    });
    let login = Some(Arc::new(serde_json::from_value(script).unwrap()));
    Access { login, ..Access::default() }
}

fn titles(record: &RunRecord) -> Vec<&str> {
    let mut titles: Vec<_> = record.states.iter().map(|state| state.title.as_str()).collect();
    titles.sort_unstable();
    titles
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_logs_in_with_a_secret_that_is_written_down_nowhere() {
    let (address, _) = serve(app()).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret.txt");
    std::fs::write(&file, "secret\nand more\n").unwrap();
    let mut setup = Setup::of(&format!("{address}/"));
    setup.ground.access.insert("default".into(), script("admin", &json!({ "file": file })));
    let Explored { record, .. } = setup.run().await;
    assert_eq!(titles(&record), ["Start", "Users"]);
    assert!(!serde_json::to_string(&record).unwrap().contains("secret\n"));
    assert_told(&record, &[]);
    let mut setup = Setup::of(&format!("{address}/"));
    setup
        .ground
        .access
        .insert("default".into(), script("admin", &json!({ "env": "UIAP_TEST_NO_SUCH_SECRET" })));
    let Explored { record, .. } = setup.run().await;
    assert!(record.states.is_empty());
    assert_told(&record, &[IncidentKind::SessionExpired]);
}

/// Requirement: DISC-17-09
#[tokio::test(flavor = "multi_thread")]
async fn several_profiles_explore_and_the_map_says_who_reaches_what() {
    let (address, _) = serve(app()).await;
    let mut setup = Setup::of(&format!("{address}/"));
    setup.environment["principalProfiles"] = json!([{ "id": "admin" }, { "id": "mira" }, { "id": "nobody" }]);
    let state = json!({ "cookies": [{
        "name": "user", "value": "mira", "domain": "127.0.0.1", "path": "/", "expires": -1.0,
        "httpOnly": false, "secure": false
    }] });
    let storage = Some(serde_json::from_value(state).unwrap());
    setup.ground.access.insert("admin".into(), script("admin", &json!("secret")));
    setup.ground.access.insert("mira".into(), Access { storage, ..Access::default() });
    let Explored { record, .. } = setup.run().await;
    let who = |title: &str| -> Vec<String> {
        let of = record.states.iter().filter(|state| state.title == title);
        of.flat_map(|state| state.profiles.iter().map(ToString::to_string)).collect()
    };
    assert_eq!(who("Users"), ["admin"]);
    assert_eq!(who("Profile"), ["admin", "mira"], "nothing leads the admin there, and he may");
    assert_eq!(who("Settings"), ["mira"], "she had to press for it");
    assert_eq!(who("Log in"), ["nobody"]);
    assert_told(&record, &[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_logs_in_by_hand_is_who_explores() {
    let (address, _) = serve(app()).await;
    let base = Base::parse(&format!("{address}/")).unwrap();
    let ground = WebGround::launch(base, GroundOptions::default()).await.unwrap();
    // Stands in for a person at the window.
    let person = async |page: uiap_web::Page| {
        let expression = "document.querySelector('[name=name]').value = 'admin'; \
                          document.querySelector('[type=password]').value = 'secret'; document.forms[0].submit()";
        let fill = Evaluate { expression, ..Evaluate::default() };
        page.session().call(fill).await.unwrap();
        let at_start = "new Promise((done) => { const look = () => location.pathname === '/' ? done(1) : requestAnimationFrame(look); look(); })";
        let wait = Evaluate { expression: at_start, await_promise: true, ..Evaluate::default() };
        while page.session().call(wait.clone()).await.is_err() {}
    };
    let storage = ground.log_in_by_hand(person).await.unwrap();
    ground.close().await;
    let mut setup = Setup::of(&format!("{address}/"));
    setup.ground.access.insert("default".into(), Access { storage: Some(storage), ..Access::default() });
    assert_eq!(titles(&setup.run().await.record), ["Start", "Users"]);
}

/// Requirement: DISC-9.2-06
#[tokio::test(flavor = "multi_thread")]
async fn a_sitemap_and_an_earlier_package_are_places_to_begin_at() {
    let (address, _) = serve(app()).await;
    let mut setup = Setup::of(&format!("{address}/"));
    setup.sitemap = true;
    let first = setup.run().await.record;
    assert_eq!(titles(&first), ["Hidden", "Log in"]);
    let refused = first.seeds.iter().find(|seed| seed.rejected.is_some()).unwrap();
    assert_eq!(refused.origin, "sitemap", "the other origin is refused");
    assert!(!kinds(&first).contains(&IncidentKind::Unreachable));
    let package = uiap_discovery::package::derive(&first);
    let mut setup = Setup::of(&format!("{address}/"));
    setup.offers = seed::previous::offers(&package, &mut setup.known);
    let second = setup.run().await.record;
    assert_eq!(titles(&second), ["Hidden", "Log in"], "what was known is visited again");
    let origin = second.seeds.iter().find(|seed| seed.origin == "previousPackage");
    assert!(origin.is_some_and(|seed| seed.state_id.is_some()));
}
