//! What only a person may say: that something may be done, that it was done. Said once, by a person, for what was shown.

use serde_json::{Value, json};
use uiap_server::protocol::Keyring;

use crate::doors::{Socket, socket_to};
use crate::live::{Theatre, outcome, theatre_with};
use crate::peer::{code, message};

const TOKENS: &str = "agent-token-0123456789abcdef\nhuman-token-0123456789abcdef approver\n";

/// A policy that says this of every visit.
async fn theatre(effect: &str) -> (Theatre, Socket, Socket) {
    let policy = json!({
        "modelVersion": "0.1", "id": "people", "defaults": { "onUnknownAction": "deny" },
        "grants": [{ "sideEffect": "navigation", "requires": ["guide"] }],
        "rules": [{ "id": "people-first", "match": { "actions": ["nav.navigate"] }, "effect": effect }],
        "handoff": { "to": "user", "timeoutMs": 20_000, "onTimeout": "cancel" },
    });
    let theatre = theatre_with(|options| {
        options.keyring = Keyring::parse(TOKENS).unwrap();
        options.policies = vec![policy];
    })
    .await;
    let mut sockets = Vec::new();
    for who in ["agent", "human"] {
        let token = format!("Bearer {who}-token-0123456789abcdef");
        let mut socket = socket_to(theatre.server.address(), &[("authorization", &token)]).await.unwrap();
        socket.begin().await;
        sockets.push(socket);
    }
    let person = sockets.pop().unwrap();
    let mut agent = sockets.pop().unwrap();
    agent.ask("web.state.get", json!({})).await;
    (theatre, agent, person)
}

async fn visit(theatre: &Theatre, agent: &mut Socket) -> Value {
    let url = format!("{}/team", theatre.app.base_url().trim_end_matches('/'));
    let accepted =
        agent.ask("action.request", json!({ "actionId": "nav.navigate", "args": { "url": url } })).await;
    assert_eq!(accepted["type"], "action.accepted", "{accepted}");
    accepted["payload"]["actionHandle"].clone()
}

async fn told(socket: &mut Socket, name: &str) -> Value {
    loop {
        let told = socket.next().await.unwrap();
        if told["type"] == name {
            return told;
        }
    }
}

/// Requirement: POL-HO-02
/// Requirement: POL-MSG-07
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_person_has_to_do_is_reported_by_a_person_and_looked_at_all_the_same() {
    let (theatre, mut agent, mut person) = theatre("handoff").await;
    for (word, status) in [("declined", "cancelled"), ("done", "failed")] {
        let handle = visit(&theatre, &mut agent).await;
        let asked = told(&mut person, "uiap.policy.handoff.request").await;
        assert_eq!((&asked["kind"], &asked["payload"]["actionHandle"]), (&json!("event"), &handle));
        let id = asked["payload"]["handoffId"].clone();
        let completed = |socket: &Socket, outcome: &str, id: &Value, number: &str| {
            let payload = json!({ "handoffId": id, "outcome": outcome });
            message("event", "uiap.policy.handoff.completed", number, Some(&socket.session), &payload)
                .to_string()
        };
        agent.send(completed(&agent, "done", &id, &format!("f-{word}"))).await;
        assert_eq!(code(&told(&mut agent, "error").await), "forbidden", "an agent is no person");
        person.send(completed(&person, "done", &json!("nobody"), &format!("u-{word}"))).await;
        person.send(completed(&person, word, &id, &format!("c-{word}"))).await;
        let result = outcome(&mut agent, &handle).await;
        assert_eq!(result["payload"]["status"], status, "nobody went there: {result}");
        // Said again, it is nobody's business any more; the session lives.
        person.send(completed(&person, "done", &id, &format!("r-{word}"))).await;
        let alive = person.ask("uiap.policy.get", json!({ "ifRevisionNot": "x" })).await;
        assert_eq!(alive["type"], "uiap.policy.document");
    }
    theatre.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_grant_counts_once_for_its_own_action_and_never_again() {
    let (theatre, mut agent, mut person) = theatre("confirm").await;
    let handle = visit(&theatre, &mut agent).await;
    let question = told(&mut person, "action.confirmation.request").await;
    let grant = |person: &Socket, handle: &Value, id: &str| {
        let payload = json!({ "actionHandle": handle });
        let mut grant = message("response", "action.confirmation.grant", id, Some(&person.session), &payload);
        grant["correlationId"] = question["id"].clone();
        grant.to_string()
    };
    for foreign in [
        json!("act_1"),
        json!(format!("{}:act_1", person.session)),
        json!(format!("{}:act_99", agent.session)),
    ] {
        person.send(grant(&person, &foreign, &format!("x{foreign}"))).await;
    }
    person.send(grant(&person, &handle, "g1")).await;
    assert_eq!(outcome(&mut agent, &handle).await["payload"]["status"], "succeeded");
    let second = visit(&theatre, &mut agent).await;
    told(&mut person, "action.confirmation.request").await;
    for replay in ["g1", "g2"] {
        person.send(grant(&person, &handle, replay)).await;
    }
    person.ask("uiap.policy.get", json!({ "ifRevisionNot": "x" })).await;
    let cancelled = agent.ask("action.cancel", json!({ "actionHandle": second })).await;
    assert_eq!(cancelled["type"], "action.cancelled", "it still waits: {cancelled}");
    assert_eq!(outcome(&mut agent, &second).await["payload"]["status"], "cancelled");
    theatre.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_ends_during_work_says_goodbye_and_leaves_nobody_behind() {
    let (theatre, mut agent, mut person) = theatre("confirm").await;
    visit(&theatre, &mut agent).await;
    told(&mut person, "action.confirmation.request").await;
    let processes = theatre.server.browsers().process_ids();
    assert!(!processes.is_empty());
    let closing = tokio::spawn(theatre.close());
    for socket in [&mut agent, &mut person] {
        let mut goodbye = None;
        let ending = loop {
            match socket.next().await {
                Ok(told) if told["type"] == "session.terminated" => goodbye = Some(told),
                Ok(_) => {}
                Err(code) => break code,
            }
        };
        assert_eq!((ending, &goodbye.unwrap()["payload"]["reason"]), (1001, &json!("shutdown")));
    }
    closing.await.unwrap();
}
