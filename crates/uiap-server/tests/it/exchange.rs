//! The messages around an action, on a real page: who sends what, in which order, in which envelope.

use std::collections::HashMap;

use serde_json::{Value, json};
use uiap_model::core::{Limits, registry};
use uiap_server::protocol::Keyring;

use crate::doors::{Socket, socket_to};
use crate::live::{Theatre, outcome, theatre_with};
use crate::peer::{code, message};

const TOKENS: &str = "agent-token-0123456789abcdef agent\nhuman-token-0123456789abcdef approver\n";

/// An agent and a person at the form for a new video, in German.
async fn at_the_form() -> (Theatre, Socket, Socket) {
    let theatre = theatre_with(|options| {
        options.keyring = Keyring::parse(TOKENS).unwrap();
        let start = options.house.start.take().unwrap().replace("/videos", "/videos/new?lang=de");
        options.house.start = Some(start.into());
    })
    .await;
    let address = theatre.server.address();
    let mut both = Vec::new();
    for name in ["agent", "human"] {
        let bearer = format!("Bearer {name}-token-0123456789abcdef");
        let mut socket = socket_to(address, &[("authorization", &bearer)]).await.unwrap();
        socket.begin().await;
        both.push(socket);
    }
    let person = both.pop().unwrap();
    let mut agent = both.pop().unwrap();
    agent.ask("web.state.get", json!({})).await;
    (theatre, agent, person)
}

fn on(action: &str, stable_id: &str, args: &Value) -> Value {
    json!({ "actionId": action, "target": { "ref": { "by": "stableId", "value": stable_id } }, "args": args })
}

async fn done(agent: &mut Socket, request: Value) {
    let accepted = agent.ask("action.request", request).await;
    assert_eq!(accepted["type"], "action.accepted", "{accepted}");
    let result = outcome(agent, &accepted["payload"]["actionHandle"]).await;
    assert_eq!(result["payload"]["status"], "succeeded", "{result}");
}

/// The question that a person is asked next.
async fn question(person: &mut Socket) -> Value {
    loop {
        let told = person.next().await.unwrap();
        if told["type"] == "action.confirmation.request" {
            return told;
        }
    }
}

/// A person's answer to a question.
async fn answer(person: &mut Socket, kind: &str, question: &Value) {
    let payload = json!({ "actionHandle": question["payload"]["actionHandle"] });
    let mut answer = message("response", kind, &format!("{kind}-1"), Some(&person.session), &payload);
    answer["correlationId"] = question["id"].clone();
    person.send(answer.to_string()).await;
}

/// Requirement: ACT-17-01
/// Requirement: ACT-17-02
/// Requirement: POL-C37-01
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_exchange_of_the_specification_happens_on_a_real_form() {
    let (theatre, mut agent, mut person) = at_the_form().await;
    done(&mut agent, on("ui.enterText", "video.title", &json!({ "text": "Hinter den Kulissen" }))).await;
    let page = agent.ask("web.state.get", json!({ "options": { "maxElements": 5_000 } })).await;
    let choice = first_choice(&page["payload"]["snapshot"], "video.use_case");
    done(&mut agent, on("ui.choose", "video.use_case", &json!({ "value": choice }))).await;

    let mut request = on("ui.activate", "video.submit", &json!({}));
    request["target"]["expectedRole"] = "button".into();
    request["target"]["expectedName"] = "Video erstellen".into();
    request["timeoutMs"] = 12_000.into();
    let signals = json!([
        { "kind": "route.changed", "pattern": "/videos/:id" },
        { "kind": "toast.contains", "text": "erstellt" },
    ]);
    request["verification"] =
        json!({ "policy": "all", "signals": signals, "timeoutMs": 8_000, "requireRevisionAdvance": true });
    request["presentation"] = json!({ "ghostCursor": true, "highlight": "spotlight", "pace": "humanized" });
    let asked = agent.request("action.request", &request).await;
    let mut exchange = Vec::new();
    loop {
        let told = agent.next().await.unwrap();
        let kind = told["type"].as_str().unwrap_or_default().to_owned();
        if kind == "action.confirmation.request" || kind == "action.progress" {
            let stage = told["payload"]["stage"].as_str();
            if stage == Some("awaiting_confirmation") {
                let question = question(&mut person).await;
                // The question is about the page that the agent saw and the risk that the app declares.
                assert_eq!(question["payload"]["risk"]["level"], "confirm", "{question}");
                answer(&mut person, "action.confirmation.grant", &question).await;
            }
        }
        if kind.starts_with("action.") {
            exchange.push(told);
        }
        if kind == "action.result" {
            break;
        }
    }
    for told in &exchange {
        well_formed(told, &agent.session);
    }
    let (accepted, result) = (exchange.first().unwrap(), exchange.last().unwrap());
    assert_eq!((&accepted["kind"], &accepted["type"]), (&json!("response"), &json!("action.accepted")));
    assert_eq!(accepted["correlationId"], *asked);
    let handle = &accepted["payload"]["actionHandle"];
    let progress: Vec<&Value> = exchange.iter().filter(|told| told["type"] == "action.progress").collect();
    assert!(!progress.is_empty());
    for told in progress.iter().chain([&result]) {
        assert_eq!((&told["kind"], &told["payload"]["actionHandle"]), (&json!("event"), handle));
        assert!(told.get("correlationId").is_none(), "{told}");
    }
    let target =
        progress.iter().find_map(|told| told["payload"].get("resolvedTarget")).expect("the target is told");
    assert_eq!((&target["stableId"], &target["name"]), (&json!("video.submit"), &json!("Video erstellen")));
    let payload = &result["payload"];
    assert_eq!(payload["status"], "succeeded", "{result}");
    assert_eq!(payload["verification"]["passed"], true);
    assert_eq!(payload["verification"]["observed"], signals);
    assert_eq!(payload["sideEffectState"], "applied");
    assert!(payload["stateRevision"].is_string());
    theatre.close().await;
}

fn first_choice(graph: &Value, stable_id: &str) -> Value {
    let scopes = graph["documents"][0]["scopes"].as_array().unwrap();
    let mut elements = scopes.iter().flat_map(|scope| scope["elements"].as_array().into_iter().flatten());
    let found = elements.find(|element| element["stableId"] == stable_id).expect("the choice is on the page");
    let options = found["state"]["options"].as_array().or_else(|| found["options"].as_array());
    let options = options.unwrap_or_else(|| panic!("no options: {found}"));
    let value = options.iter().map(|option| &option["value"]).find(|value| value.as_str() != Some(""));
    value.unwrap().clone()
}

/// Every message is in its envelope and its payload is what its type says.
fn well_formed(told: &Value, session: &str) {
    let read = registry::read(told.to_string().as_bytes(), Limits::default());
    assert!(matches!(read, registry::Reading::Accepted(_)), "{read:?}: {told}");
    assert_eq!((&told["uiap"], &told["sessionId"]), (&json!("0.1"), &json!(session)));
    for member in ["id", "ts"] {
        assert!(told[member].is_string(), "no {member}: {told}");
    }
    assert!(told["source"]["role"].is_string() && told["source"]["id"].is_string(), "{told}");
    assert_eq!(told["kind"] == "response", told.get("correlationId").is_some(), "{told}");
}

/// Requirement: ACT-2.2-01
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn request_cancel_grant_and_deny_all_reach_the_runtime() {
    let (theatre, mut agent, mut person) = at_the_form().await;
    let submit = || on("ui.activate", "video.submit", &json!({}));
    for (kind, status, why) in [
        ("action.confirmation.deny", "cancelled", "confirmation_denied"),
        ("action.confirmation.grant", "failed", "verification_failed"),
    ] {
        let accepted = agent.ask("action.request", submit()).await;
        let asked = question(&mut person).await;
        answer(&mut person, kind, &asked).await;
        let result = outcome(&mut agent, &accepted["payload"]["actionHandle"]).await;
        // An empty form is not sent: the app says so, and so does the verdict.
        assert_eq!(result["payload"]["status"], status, "{result}");
        assert_eq!(result["payload"]["error"]["code"], why, "{result}");
    }
    let accepted = agent.ask("action.request", submit()).await;
    let handle = accepted["payload"]["actionHandle"].clone();
    question(&mut person).await;
    let cancelled = agent.ask("action.cancel", json!({ "actionHandle": handle })).await;
    assert_ne!(cancelled["kind"], "error", "{cancelled}");
    let result = outcome(&mut agent, &handle).await;
    assert_eq!(result["payload"]["status"], "cancelled", "{result}");
    for kind in ["action.confirmation.grant", "action.confirmation.deny"] {
        let stray = json!({ "actionHandle": "act_of_nobody" });
        let stray = message("event", kind, &format!("stray-{kind}"), Some(&person.session), &stray);
        person.send(stray.to_string()).await;
        let refused = loop {
            let told = person.next().await.unwrap();
            if told["kind"] == "error" {
                break told;
            }
        };
        assert_eq!(code(&refused), "not_found");
    }
    theatre.close().await;
}

/// Requirement: ACT-5.1-02
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_requests_get_a_hundred_answers() {
    let theatre = theatre_with(|_| {}).await;
    let mut agent = theatre.socket().await;
    agent.ask("web.state.get", json!({})).await;
    let mut asked = HashMap::new();
    for at in 0..100 {
        let good = at % 2 == 0;
        let payload = if good {
            json!({ "actionId": "ui.focus", "target": { "ref": { "by": "semantic", "role": "button", "name": "nobody" } } })
        } else {
            json!({ "actionId": ["ui.focus"], "target": at })
        };
        let id = agent.request("action.request", &payload).await;
        asked.insert(id, good);
        // No more at once than was agreed.
        if asked.len() == 10 {
            collect(&mut agent, &mut asked).await;
        }
    }
    collect(&mut agent, &mut asked).await;
    theatre.close().await;
}

/// Takes one answer for everything that was asked.
async fn collect(agent: &mut Socket, asked: &mut HashMap<String, bool>) {
    while !asked.is_empty() {
        let told = agent.next().await.unwrap();
        let Some(id) = told["correlationId"].as_str() else {
            assert_eq!(told["kind"], "event", "{told}");
            continue;
        };
        match asked.remove(id) {
            Some(true) => assert_eq!(told["type"], "action.accepted", "{told}"),
            Some(false) => assert_eq!(code(&told), "invalid_payload", "{told}"),
            None => panic!("answered twice: {told}"),
        }
    }
}
