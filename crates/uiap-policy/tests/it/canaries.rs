//! 200 secrets in 40 kinds of places: none of them comes out.

use serde_json::{Value, json};
use uiap_model::action::confirmation::ConfirmationPreview;
use uiap_model::action::{ActionProgressPayload, ActionResultPayload};
use uiap_model::json::JsonObject;
use uiap_model::names::{SessionId, Timestamp};
use uiap_model::policy::audit::AuditEvent;
use uiap_model::web::WebSignal;
use uiap_policy::audit::{AuditDraft, AuditTrail};
use uiap_policy::{Redactor, Situation};

use crate::redaction::{page, redactor};
use crate::support::{World, ask_with, decide, policies};

const SECRETS: usize = 200;
const KINDS: usize = 40;

fn canary(number: usize) -> String {
    format!("cAnary<{number:03}>&\"ä{:08x}", number.wrapping_mul(0x9e37_79b9) & 0xffff_ffff)
}

/// What a covered element may hold a secret in.
fn covered_element(kind: usize, id: usize, secret: &str) -> Value {
    let class = ["secret", "credential", "payment", "health", "legal", "sensitive"][id % 6];
    let mut value = match kind {
        0 => json!({ "role": "textbox", "state": { "textValue": secret } }),
        1 => json!({ "role": "cell", "name": secret }),
        2 => json!({ "role": "status", "description": secret }),
        3 => json!({ "role": "textbox", "state": { "description": secret } }),
        4 => json!({ "role": "textbox", "state": { "placeholder": secret } }),
        5 => json!({ "role": "combobox", "options": [{ "value": "1", "label": secret }] }),
        6 => json!({ "role": "combobox", "options": [{ "value": secret, "label": "one" }] }),
        7 => json!({ "role": "button", "metadata": { "deep": [{ "er": secret }] } }),
        8 => json!({ "role": "textbox", "state": { "x.acme.raw": secret } }),
        _ => {
            json!({ "role": "textbox", "success": [{ "kind": "value.equals", "target": { "by": "stableId", "value": "a" }, "value": secret }] })
        }
    };
    value["dataClasses"] = json!([class]);
    value["instanceId"] = json!(format!("covered-{id}"));
    value
}

fn signal(body: Value) -> WebSignal {
    serde_json::from_value(body).unwrap()
}

fn percent(text: &str) -> String {
    text.bytes()
        .map(
            |byte| {
                if byte.is_ascii_alphanumeric() {
                    char::from(byte).to_string()
                } else {
                    format!("%{byte:02X}")
                }
            },
        )
        .collect()
}

/// Sends a secret out by one of the ways on which it is known from a covered field.
#[expect(clippy::too_many_lines, reason = "a list of places, one after the other")]
fn leave(kind: usize, redactor: &mut Redactor, secret: &str) -> String {
    let object = |value: Value| -> JsonObject { serde_json::from_value(value).unwrap() };
    let nowhere = Situation::default();
    let said = format!("it is {secret}, really");
    let route = json!({ "url": format!("https://u:{}@app.example/x?q={}#{}", percent(secret), percent(secret), percent(secret)), "title": said, "params": { "a": secret } });
    match kind {
        10 => serde_json::to_string(&redactor.graph(&page(vec![json!({ "role": "textbox", "name": said })])))
            .unwrap(),
        11 => serde_json::to_string(&redactor.graph(&page(vec![json!({ "role": "cell", "name": said })])))
            .unwrap(),
        12 => {
            serde_json::to_string(&redactor.graph(&page(vec![json!({ "state": { "description": said } })])))
                .unwrap()
        }
        13 => serde_json::to_string(&redactor.graph(&page(vec![
            json!({ "risk": { "level": "safe", "reason": said }, "metadata": { "a": said } }),
        ])))
        .unwrap(),
        14..=19 => {
            let mut value = serde_json::to_value(page(vec![])).unwrap();
            match kind {
                14 => value["route"] = route,
                15 => value["documents"][0]["title"] = json!(said),
                16 => {
                    value["documents"][0]["url"] =
                        json!(format!("https://app.example/?x={}", percent(secret)));
                }
                17 => value["documents"][0]["scopes"][0]["name"] = json!(said),
                18 => {
                    value["documents"][0]["scopes"][0]["issues"] =
                        json!([{ "message": said, "code": secret }]);
                }
                _ => value["metadata"] = json!({ "a": { "b": [said] } }),
            }
            serde_json::to_string(&redactor.graph(&serde_json::from_value(value).unwrap())).unwrap()
        }
        20..=28 => {
            let body = match kind {
                20 => json!({ "kind": "toast.shown", "text": said }),
                21 => json!({ "kind": "status.changed", "text": said }),
                22 => json!({ "kind": "validation.changed", "issues": [{ "message": said }] }),
                23 => json!({ "kind": "route.changed", "from": route, "to": route }),
                24 => {
                    json!({ "kind": "entity.created", "entityType": "a", "entityId": secret, "data": { "a": said } })
                }
                25 => json!({ "kind": "entity.updated", "entityType": "a", "data": { "a": [secret] } }),
                26 => json!({ "kind": "entity.deleted", "entityType": "a", "data": { secret: 1 } }),
                27 => {
                    json!({ "kind": "network.response", "url": format!("/a?b={}", percent(secret)), "status": 200 })
                }
                _ => json!({ "kind": "custom", "name": "a", "payload": { "a": { "b": said } } }),
            };
            serde_json::to_string(&redactor.signal(&signal(body), &[])).unwrap()
        }
        29 => {
            let progress: ActionProgressPayload = serde_json::from_value(
                json!({ "actionHandle": "h", "stage": "executing", "note": said, "detail": { "a": said } }),
            )
            .unwrap();
            serde_json::to_string(&redactor.progress(&progress, &nowhere)).unwrap()
        }
        30..=32 => {
            let equals = json!({ "kind": "value.equals", "target": { "by": "stableId", "value": "a" }, "value": secret });
            let mut value = json!({ "actionHandle": "h", "actionId": "a", "status": "failed", "verification": { "passed": false, "policy": "all", "observed": [] } });
            match kind {
                30 => value["returnValue"] = json!({ "a": said }),
                31 => {
                    value["error"] =
                        json!({ "code": "verification_failed", "message": said, "detail": { "a": said } });
                }
                _ => {
                    value["verification"] = json!({ "passed": false, "policy": "all", "observed": [equals], "missing": [equals] });
                }
            }
            let result: ActionResultPayload = serde_json::from_value(value).unwrap();
            serde_json::to_string(&redactor.result(&result, &nowhere)).unwrap()
        }
        33 => {
            let preview: ConfirmationPreview = serde_json::from_value(json!({ "summary": said, "args": { "a": said }, "target": { "by": "semantic", "instanceId": "e", "documentId": "d", "role": "cell", "name": said } })).unwrap();
            serde_json::to_string(&redactor.preview(&preview, &nowhere)).unwrap()
        }
        34 => redactor.text(&said),
        35 => redactor.text(&format!("log: {}", serde_json::to_string(secret).unwrap())),
        36 => redactor.text(&format!("GET /?q={}", percent(secret))),
        37 => redactor.url(&format!("https://app.example/cb?code={}&token=t", percent(secret))),
        38 => serde_json::to_string(&redactor.object(
            &object(json!({ "password": secret, "nested": { "apiKey": secret } })),
            &nowhere,
            &[],
        ))
        .unwrap(),
        _ => {
            let field = World::bound(json!({ "dataClasses": ["credential"] }));
            let policies = policies(json!({ "audit": { "level": "full", "includeArgs": true } }));
            let request = ask_with("ui.enterText", &["admin"], json!({}));
            let decision = decide(&policies, &request, &field);
            let draft = AuditDraft::of_decision(AuditEvent::Decision, &request, &decision)
                .args(
                    &object(json!({ "text": secret, "list": [secret] })),
                    redactor,
                    &field.situation(),
                    &policies,
                )
                .unwrap();
            let mut trail = AuditTrail::new(SessionId::parse("s").unwrap());
            let record = trail.append(draft, Timestamp::parse("2026-03-26T13:12:09Z").unwrap()).unwrap();
            serde_json::to_string(&record.unwrap()).unwrap()
        }
    }
}

fn hits(text: &str, secret: &str) -> bool {
    let json = serde_json::to_string(secret).unwrap();
    [secret, json.trim_matches('"'), &percent(secret), &secret[secret.len() - 8..]]
        .iter()
        .any(|form| text.contains(form))
}

/// Requirement: POL-RED-05
#[test]
fn no_canary_gets_out() {
    let mut redactor = redactor(policies(json!({})), &["admin"]);
    let covered: Vec<Value> =
        (0..SECRETS).map(|id| covered_element(id % KINDS % 10, id, &canary(id))).collect();
    let mut seen = std::collections::BTreeSet::new();
    let shown = serde_json::to_string(&redactor.graph(&page(covered))).unwrap();
    for id in 0..SECRETS {
        let (kind, secret) = (id % KINDS, canary(id));
        seen.insert(kind);
        assert!(!hits(&shown, &secret), "canary {id} is in the page");
        if kind >= 10 {
            redactor.learn(&secret);
            let out = leave(kind, &mut redactor, &secret);
            assert!(!hits(&out, &secret), "kind {kind}: {out}");
        }
    }
    assert_eq!(seen.len(), KINDS);
}

#[test]
fn the_search_for_canaries_finds_what_is_there() {
    for id in 0..KINDS {
        let secret = canary(id);
        assert!(
            hits(&format!("x{secret}y"), &secret) && hits(&serde_json::to_string(&secret).unwrap(), &secret)
        );
    }
}

#[test]
fn a_typed_password_is_known_from_then_on() {
    let mut redactor = redactor(policies(json!({})), &["admin"]);
    let field = World::bound(json!({ "dataClasses": ["credential"] }));
    let args: JsonObject = serde_json::from_value(json!({ "text": "correct horse" })).unwrap();
    redactor.learn_object(&args, &field.situation(), &[]);
    assert_eq!(redactor.text("typed correct horse"), "typed [redacted]");
}
