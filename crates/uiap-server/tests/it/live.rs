//! A real browser behind a real door: Videoland, driven by an agent over a WebSocket.

use std::time::Duration;

use serde_json::{Value, json};
use uiap_model::capability::UIAffordance;
use uiap_model::web::{PageGraph, WebStateDeltaPayload, apply};
use uiap_server::address::Reach;
use uiap_server::browsers::BrowserOptions;
use uiap_server::protocol::{HouseOptions, Keyring};
use uiap_server::serve::{ServeOptions, Server};
use videoland::{Options, Videoland};

use crate::doors::{Socket, socket_to};
use crate::peer::{code, offer};

pub(crate) struct Theatre {
    pub(crate) app: Videoland,
    pub(crate) server: Server,
}

async fn theatre() -> Theatre {
    theatre_with(|_| {}).await
}

pub(crate) async fn theatre_with(change: impl FnOnce(&mut ServeOptions)) -> Theatre {
    let app = Videoland::start(Options::default()).await.unwrap();
    let origin = app.base_url().trim_end_matches('/').to_owned();
    let mut options = ServeOptions {
        reach: Reach::only([origin.clone()]).unwrap(),
        house: HouseOptions { start: Some(format!("{origin}/videos").into()), ..HouseOptions::default() },
        browsers: BrowserOptions { most: 1, ..BrowserOptions::default() },
        ..ServeOptions::default()
    };
    change(&mut options);
    let server = Server::start(options).await.unwrap();
    Theatre { app, server }
}

impl Theatre {
    pub(crate) async fn socket(&self) -> Socket {
        let mut socket = socket_to(self.server.address(), &[]).await.unwrap();
        socket.begin().await;
        socket
    }

    pub(crate) async fn close(self) {
        let processes = self.server.browsers().process_ids();
        self.server.close().await;
        self.app.shutdown().await;
        for id in processes {
            assert!(!std::path::Path::new(&format!("/proc/{id}")).exists(), "browser {id} lives on");
        }
    }
}

fn graph(answer: &Value) -> PageGraph {
    serde_json::from_value(answer["payload"]["snapshot"].clone())
        .unwrap_or_else(|error| panic!("{error}: {answer}"))
}

/// The events of an action until its result.
pub(crate) async fn outcome(socket: &mut Socket, handle: &Value) -> Value {
    let mut kept = std::mem::take(&mut socket.results).into_iter();
    loop {
        let told = match kept.next() {
            Some(told) => told,
            None => socket.next().await.unwrap(),
        };
        if told["type"] == "action.result" && told["payload"]["actionHandle"] == *handle {
            return told;
        }
    }
}

/// Requirement: CORE-R6-03
/// Requirement: CORE-C7-01
/// Requirement: CORE-C9-01
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_looks_at_a_page_acts_on_it_and_follows_it() {
    let theatre = theatre().await;
    let mut socket = theatre.socket().await;
    let listed = socket.ask("capabilities.get", json!({})).await;
    let actions = listed["payload"]["documents"][0]["actions"].as_array().unwrap();
    assert!(actions.iter().any(|action| action["id"] == "ui.activate"));
    let mut mine = graph(&socket.ask("web.state.get", json!({ "options": { "maxElements": 5_000 } })).await);
    assert!(mine.route.url.contains("/videos"), "{}", mine.route.url);
    let observe = json!({ "options": { "maxElements": 5_000 }, "initialSnapshot": true });
    assert_eq!(socket.ask("web.state.observe", observe).await["type"], "web.state.observing");

    let wrong =
        socket.ask("action.request", json!({ "actionId": "ui.enterText", "args": { "text": 7 } })).await;
    assert_eq!(code(&wrong), "invalid_payload");
    let elsewhere = json!({ "actionId": "nav.navigate", "args": { "url": "http://127.0.0.1:9/" } });
    let answer = socket.ask("action.request", elsewhere).await;
    let refused = match answer["type"].as_str() {
        Some("action.accepted") => outcome(&mut socket, &answer["payload"]["actionHandle"]).await,
        _ => answer,
    };
    assert_ne!(
        refused["payload"]["status"], "succeeded",
        "an address out of reach is not visited: {refused}"
    );

    let away = format!("{}/team", theatre.app.base_url().trim_end_matches('/'));
    let accepted =
        socket.ask("action.request", json!({ "actionId": "nav.navigate", "args": { "url": away } })).await;
    assert_eq!(accepted["type"], "action.accepted", "{accepted}");
    let handle = accepted["payload"]["actionHandle"].clone();
    let mut result = None;
    while result.is_none() || !mine.route.url.contains("/team") {
        let told = socket.next().await.unwrap();
        match told["type"].as_str() {
            Some("web.state.snapshot") => mine = graph(&told),
            Some("web.state.delta") => {
                let cause = &told["payload"]["cause"];
                assert!(cause["by"] != "agent" || cause["actionHandle"].is_string(), "{cause}");
                let delta: WebStateDeltaPayload = serde_json::from_value(told["payload"].clone()).unwrap();
                mine = apply(&mine, &delta).unwrap();
            }
            Some("action.result") if told["payload"]["actionHandle"] == handle => result = Some(told),
            _ => {}
        }
    }
    let result = result.unwrap();
    assert_eq!(result["payload"]["status"], "succeeded", "{result}");
    assert!(result["payload"]["sideEffectState"].is_string());
    let over = socket.ask("action.cancel", json!({ "actionHandle": handle })).await;
    assert_eq!(code(&over), "conflict");
    assert_eq!(code(&socket.ask("action.cancel", json!({ "actionHandle": "act_none" })).await), "not_found");
    theatre.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_sessions_share_a_browser_and_nothing_else() {
    let theatre = theatre().await;
    let (mut one, mut two) = (theatre.socket().await, theatre.socket().await);
    let away = format!("{}/team", theatre.app.base_url().trim_end_matches('/'));
    let accepted =
        one.ask("action.request", json!({ "actionId": "nav.navigate", "args": { "url": away } })).await;
    let handle = accepted["payload"]["actionHandle"].clone();
    outcome(&mut one, &handle).await;
    assert!(graph(&one.ask("web.state.get", json!({})).await).route.url.contains("/team"));
    assert!(graph(&two.ask("web.state.get", json!({})).await).route.url.contains("/videos"));
    assert_eq!(code(&two.ask("action.cancel", json!({ "actionHandle": handle })).await), "not_found");
    assert_eq!(theatre.server.browsers().process_ids().len(), 1);
    theatre.close().await;
}

/// Requirement: CORE-R10-04
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_action_goes_on_without_its_link_and_is_told_after_the_resume() {
    let theatre = theatre().await;
    let mut socket = socket_to(theatre.server.address(), &[]).await.unwrap();
    let hello = socket.begin().await;
    socket.ask("web.state.get", json!({})).await;
    let away = format!("{}/team", theatre.app.base_url().trim_end_matches('/'));
    let accepted =
        socket.ask("action.request", json!({ "actionId": "nav.navigate", "args": { "url": away } })).await;
    let handle = accepted["payload"]["actionHandle"].clone();
    let session = socket.session.clone();
    drop(socket);
    let mut payload = offer();
    payload["resume"] = json!({ "sessionId": session, "resumeToken": hello["payload"]["resumeToken"] });
    let mut again = socket_to(theatre.server.address(), &[]).await.unwrap();
    assert_eq!(again.knock(&payload).await.unwrap()["payload"]["resumed"], true);
    again.session = session;
    let result = outcome(&mut again, &handle).await;
    assert_eq!(result["payload"]["status"], "succeeded", "{result}");
    let asked = again.request("capabilities.get", &json!({})).await;
    loop {
        let told = again.next().await.unwrap();
        assert_ne!(told["type"], "action.result", "it is told once");
        if told["correlationId"] == *asked {
            break;
        }
    }
    theatre.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_browser_that_is_killed_is_reported_and_replaced() {
    let theatre = theatre().await;
    let mut socket = theatre.socket().await;
    socket.ask("web.state.observe", json!({ "signals": "all" })).await;
    let wait = json!({ "actionId": "nav.navigate", "args": { "url": theatre.app.base_url() } });
    let first = socket.ask("action.request", wait.clone()).await;
    outcome(&mut socket, &first["payload"]["actionHandle"]).await;
    let before = graph(&socket.ask("web.state.get", json!({})).await);
    let victims = theatre.server.browsers().process_ids();
    for id in &victims {
        let id = rustix::process::Pid::from_raw(i32::try_from(*id).unwrap()).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
    }
    let lost = loop {
        let told = socket.next().await.unwrap();
        if told["payload"]["signal"]["name"] == "page.lost" {
            break told;
        }
    };
    assert!(lost["payload"]["signal"]["payload"]["reason"].is_string());
    let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
    let after = loop {
        let answer = socket.ask("web.state.get", json!({})).await;
        if answer["type"] == "web.state.snapshot" && graph(&answer).revision != before.revision {
            break graph(&answer);
        }
        assert!(tokio::time::Instant::now() < deadline, "{answer}");
    };
    assert!(after.revision.as_str().starts_with("1."), "{}", after.revision);
    assert_eq!(after.route.url, before.route.url);
    assert_ne!(theatre.server.browsers().process_ids(), victims);
    // What the session does on its new page is told apart from what it did on the old one.
    let second = socket.ask("action.request", wait).await;
    assert_eq!(second["type"], "action.accepted", "{second}");
    assert_ne!(second["payload"]["actionHandle"], first["payload"]["actionHandle"]);
    let ended = outcome(&mut socket, &second["payload"]["actionHandle"]).await;
    assert_eq!(ended["payload"]["status"], "succeeded", "{ended}");
    theatre.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_typed_into_a_password_field_is_told_nowhere_else() {
    const SECRET: &str = "plum-orchard-77";
    let theatre = theatre_with(|options| {
        let settings = options.house.start.as_ref().unwrap().replace("/videos", "/settings");
        options.house.start = Some(settings.into());
    })
    .await;
    let mut socket = theatre.socket().await;
    let page = graph(&socket.ask("web.state.get", json!({})).await);
    let hidden = page.elements().find(|(.., element)| element.state.sensitive == Some(true));
    let password = json!({ "by": "instanceId", "value": hidden.expect("a password field").2.instance_id });
    let search = json!({ "by": "semantic", "role": "searchbox" });
    let videos = format!("{}/videos", theatre.app.base_url().trim_end_matches('/'));
    for wish in [
        json!({ "actionId": "ui.enterText", "target": { "ref": password }, "args": { "text": SECRET } }),
        json!({ "actionId": "nav.navigate", "args": { "url": videos } }),
        // Nothing about this field says that what it holds is delicate.
        json!({ "actionId": "ui.enterText", "target": { "ref": search }, "args": { "text": SECRET } }),
    ] {
        let accepted = socket.ask("action.request", wish).await;
        let ended = outcome(&mut socket, &accepted["payload"]["actionHandle"]).await;
        assert!(!ended.to_string().contains(SECRET), "{ended}");
    }
    let after = socket.ask("web.state.get", json!({})).await;
    assert!(!after.to_string().contains(SECRET), "{after}");
    assert!(after.to_string().contains("[redacted]"), "{after}");
    theatre.close().await;
}

/// Requirement: CORE-R12-04
/// Requirement: CORE-C10-01
/// Requirement: BIND-H-11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_cannot_confirm_and_a_person_can() {
    let tokens = "agent-token-0123456789abcdef agent\nhuman-token-0123456789abcdef approver\n";
    let policy = json!({
        "modelVersion": "0.1", "id": "ask", "defaults": { "onUnknownAction": "deny" },
        "grants": [{ "sideEffect": "navigation", "requires": ["guide"] }],
        "rules": [{ "id": "ask-first", "match": { "actions": ["nav.navigate"] }, "effect": "confirm" }],
    });
    let theatre = theatre_with(|options| {
        options.keyring = Keyring::parse(tokens).unwrap();
        options.policies = vec![policy];
    })
    .await;
    let address = theatre.server.address();
    let mut agent =
        socket_to(address, &[("authorization", "Bearer agent-token-0123456789abcdef")]).await.unwrap();
    agent.begin().await;
    let mut person =
        socket_to(address, &[("authorization", "Bearer human-token-0123456789abcdef")]).await.unwrap();
    person.begin().await;
    agent.ask("web.state.get", json!({})).await;
    let away = format!("{}/team", theatre.app.base_url().trim_end_matches('/'));
    let ask = json!({ "actionId": "nav.navigate", "args": { "url": away } });
    let accepted = agent.ask("action.request", ask.clone()).await;
    assert_eq!(accepted["type"], "action.accepted", "{accepted}");
    let handle = accepted["payload"]["actionHandle"].clone();
    let question = loop {
        let told = person.next().await.unwrap();
        if told["type"] == "action.confirmation.request" {
            break told;
        }
    };
    assert_eq!((&question["kind"], &question["payload"]["actionHandle"]), (&json!("request"), &handle));
    for kind in ["event", "response"] {
        let refused = agent.answer_confirmation(kind, "action.confirmation.grant", &handle, "srv_1").await;
        assert_eq!(code(&refused), "forbidden", "{kind}");
    }
    let mut grant = crate::peer::message(
        "response",
        "action.confirmation.grant",
        "g",
        Some(&person.session),
        &json!({ "actionHandle": handle }),
    );
    grant["correlationId"] = question["id"].clone();
    person.send(grant.to_string()).await;
    let result = outcome(&mut agent, &handle).await;
    assert_eq!(result["payload"]["status"], "succeeded", "{result}");

    let back = format!("{}/videos", theatre.app.base_url().trim_end_matches('/'));
    let accepted =
        agent.ask("action.request", json!({ "actionId": "nav.navigate", "args": { "url": back } })).await;
    let handle = accepted["payload"]["actionHandle"].clone();
    while person.next().await.unwrap()["type"] != "action.confirmation.request" {}
    let deny = crate::peer::message(
        "event",
        "action.confirmation.deny",
        "d",
        Some(&person.session),
        &json!({ "actionHandle": handle }),
    );
    person.send(deny.to_string()).await;
    let result = outcome(&mut agent, &handle).await;
    assert_eq!(result["payload"]["status"], "cancelled", "{result}");
    assert_eq!(result["payload"]["error"]["code"], "confirmation_denied");
    theatre.close().await;
}

/// Requirement: WEB-MSG-08
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delta_names_the_action_that_caused_it() {
    let theatre = theatre().await;
    let mut socket = theatre.socket().await;
    let page = graph(&socket.ask("web.state.get", json!({ "options": { "maxElements": 5_000 } })).await);
    let editable = |affordances: &[UIAffordance]| affordances.contains(&UIAffordance::Edit);
    let field = page.elements().find(|(.., element)| editable(&element.affordances));
    let field = field.unwrap_or_else(|| panic!("no field to type into: {page:?}")).2.instance_id.clone();
    let observe = json!({ "options": { "maxElements": 5_000 }, "signals": "none" });
    socket.ask("web.state.observe", observe).await;
    let ask = json!({ "actionId": "ui.enterText", "target": { "ref": { "by": "instanceId", "value": field } }, "args": { "text": "hello" } });
    let accepted = socket.ask("action.request", ask).await;
    assert_eq!(accepted["type"], "action.accepted", "{accepted}");
    let handle = &accepted["payload"]["actionHandle"];
    let mut causes = Vec::new();
    loop {
        let told = socket.next().await.unwrap();
        match told["type"].as_str() {
            Some("web.state.delta") => causes.push(told["payload"]["cause"].clone()),
            Some("action.result") => {
                assert_eq!(told["payload"]["status"], "succeeded", "{told}");
                break;
            }
            _ => {}
        }
    }
    while causes.iter().all(|cause| cause["by"] != "agent") {
        let told = socket.next().await.unwrap();
        if told["type"] == "web.state.delta" {
            causes.push(told["payload"]["cause"].clone());
        }
    }
    assert!(causes.iter().any(|cause| cause["actionHandle"] == *handle), "{causes:?}");
    theatre.close().await;
}
