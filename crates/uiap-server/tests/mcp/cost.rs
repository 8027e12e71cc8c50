//! What the tools cost a model before it does anything, and what a usual step costs; counted with a real tokenizer.

use serde_json::{Value, json};
use tiktoken_rs::o200k_base;
use uiap_server::tool::catalog::{INSTRUCTIONS, entries};
use videoland::{Options, Videoland};

use crate::site::{call, open, options, sessions};

fn tokens(text: &str) -> usize {
    o200k_base().unwrap().encode_ordinary(text).len()
}

/// The list as a client gets it.
fn listed() -> Value {
    let tool = |entry: uiap_server::tool::catalog::Entry| {
        json!({
            "name": entry.name,
            "title": entry.title,
            "description": entry.description,
            "inputSchema": entry.input,
            "outputSchema": entry.output,
            "annotations": {
                "title": entry.title,
                "readOnlyHint": entry.read_only,
                "destructiveHint": entry.destructive,
                "idempotentHint": entry.idempotent,
                "openWorldHint": entry.open_world,
            },
        })
    };
    Value::Array(entries().into_iter().map(tool).collect())
}

#[test]
fn the_tools_and_the_instructions_stay_within_their_budgets() {
    let tools = listed();
    assert!(tools.as_array().unwrap().len() <= 12);
    let (schemas, instructions) = (tokens(&tools.to_string()), tokens(INSTRUCTIONS));
    assert!(schemas <= 2_000, "the tools cost {schemas} tokens");
    assert!(instructions <= 300, "the instructions cost {instructions} tokens");
}

#[test]
fn every_schema_is_one() {
    for tool in listed().as_array().unwrap() {
        for schema in ["inputSchema", "outputSchema"] {
            jsonschema::validator_for(&tool[schema]).unwrap_or_else(|error| panic!("{error}: {tool}"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_usual_step_costs_little_and_its_facts_keep_to_their_schema() {
    let app = Videoland::start(Options::default()).await.unwrap();
    let origin = app.base_url().trim_end_matches('/').to_owned();
    let sessions = sessions(options(&origin));
    open(&sessions, &format!("{origin}/videos/new")).await;
    let steps = [
        ("snapshot", json!({})),
        ("find", json!({ "role": "textbox" })),
        ("act", json!({ "do": "type", "role": "textbox", "name": "Title", "text": "Intro" })),
        (
            "act",
            json!({ "do": "click", "role": "link", "name": "Team", "expect": ["route:/nowhere"], "timeout_ms": 500 }),
        ),
        ("wait", json!({})),
        ("actions", json!({})),
        ("trace", json!({})),
        ("screenshot", json!({})),
        ("tabs", json!({})),
    ];
    for (name, arguments) in steps {
        let answer = call(&sessions, name, arguments.clone()).await;
        let facts = serde_json::to_value(answer.facts.as_ref().unwrap()).unwrap();
        let schema =
            listed().as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap()["outputSchema"]
                .clone();
        jsonschema::validate(&schema, &facts).unwrap_or_else(|error| panic!("{name}: {error}: {facts}"));
        let promised = schema["properties"].as_object().unwrap();
        for fact in facts.as_object().unwrap().keys() {
            assert!(promised.contains_key(fact) || fact == "tab", "{name} does not promise `{fact}`");
        }
        if arguments["do"] == "type" {
            let cost = tokens(&answer.text) + tokens(&facts.to_string());
            assert!(cost <= 150, "a step costs {cost} tokens: {}", answer.text);
        }
    }
    sessions.pool().end().await;
    app.shutdown().await;
}
