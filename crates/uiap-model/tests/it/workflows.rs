//! Workflows that lead somewhere, and those that do not.

use serde_json::{Value, json};

use crate::support::{accepted, changed, refused, warned};

fn workflow() -> Value {
    json!({
        "id": "video.first", "version": "0.1.0", "title": { "default": "First video", "byLocale": { "de": "Erstes Video" } },
        "category": "onboarding", "startMode": "suggested", "interactionModes": ["guide", "auto"],
        "parameters": [{ "name": "title", "type": "string", "required": true }],
        "initialStepId": "intro",
        "steps": [
            { "id": "intro", "type": "instruction", "text": "Hello", "acknowledge": true, "next": "ask" },
            { "id": "ask", "type": "collect", "parameters": ["title"], "next": "fill" },
            { "id": "fill", "type": "action", "actionId": "ui.enterText", "target": { "by": "stableId", "value": "video.title" },
              "args": { "text": { "param": "title" }, "clear": true, "note": null }, "next": "check",
              "recovery": [{ "on": "target_not_found", "do": "goto", "goto": "intro" }] },
            { "id": "check", "type": "ensure", "signals": [{ "kind": "route.changed" }], "next": "choose" },
            { "id": "choose", "type": "branch", "cases": [{ "when": { "kind": "param", "name": "title", "op": "set" }, "next": "done" }], "otherwise": "ask" },
            { "id": "done", "type": "complete", "outcome": "success" }
        ]
    })
}

const KIND: &str = "WorkflowDefinition";

#[test]
fn a_workflow_with_every_kind_of_step_passes() {
    accepted(KIND, &workflow());
    let typed: uiap_model::workflow::WorkflowDefinition =
        uiap_model::parse(workflow().to_string().as_bytes()).unwrap();
    assert_eq!(serde_json::to_value(&typed).unwrap(), workflow());
}

#[test]
fn every_step_leads_to_one_that_exists() {
    refused(KIND, &changed(workflow(), "/initialStepId", json!("intor")), "/initialStepId");
    let problem = refused(KIND, &changed(workflow(), "/steps/0/next", json!("aks")), "/steps/0/next");
    assert!(problem.help.unwrap().contains("`ask`"));
    refused(KIND, &changed(workflow(), "/steps/2/recovery/0/goto", json!("x")), "/steps/2/recovery/0/goto");
    refused(KIND, &changed(workflow(), "/steps/4/otherwise", json!("x")), "/steps/4/otherwise");
    refused(KIND, &changed(workflow(), "/steps/0/next", Value::Null), "/steps/0");
}

#[test]
fn ids_parameters_and_checks_are_sound() {
    refused(KIND, &changed(workflow(), "/steps/1/id", json!("intro")), "/steps/1/id");
    refused(KIND, &changed(workflow(), "/steps/1/parameters", json!(["titel"])), "/steps/1/parameters/0");
    refused(
        KIND,
        &changed(workflow(), "/steps/2/args/text", json!({ "param": "titel" })),
        "/steps/2/args/text/param",
    );
    refused(KIND, &changed(workflow(), "/steps/3/signals", json!([])), "/steps/3");
    refused(KIND, &changed(workflow(), "/interactionModes", json!([])), "/interactionModes");
}

#[test]
fn a_circle_needs_somebody_who_can_leave_it() {
    let mut circle = changed(workflow(), "/steps/3/next", json!("fill"));
    refused(KIND, &circle, "/steps/2/next");
    circle = changed(circle, "/steps/3/next", json!("ask"));
    // The way back passes a step that waits for a person; now nothing reaches the end.
    refused(KIND, &circle, "/steps");
    warned(KIND, &changed(workflow(), "/steps/-", json!({ "id": "lost", "type": "complete" })), "/steps/6");
}
