//! The tools: few, with short schemas, because a model pays for them before it does anything.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

/// Every tool.
pub(super) fn list() -> Vec<Tool> {
    vec![
        tool(
            "open",
            "Open a page",
            "Open a web address and show the page. Gives a session handle; pass it on to stay in that session.",
            json!({ "url": { "type": "string" } }),
            &["url"],
            false,
        ),
        tool(
            "snapshot",
            "Look at the page",
            "The page as text with refs. `changes`: only what is new since the last such call.",
            json!({
                "budget": { "type": "integer", "minimum": 80 },
                "scope": { "type": "string", "description": "id from a `more in scope` line" },
                "full": { "type": "boolean" },
                "changes": { "type": "boolean" },
            }),
            &[],
            true,
        ),
        tool(
            "find",
            "Find elements",
            "Elements of the whole page by role, part of the name, or part of any text.",
            json!({ "role": { "type": "string" }, "name": { "type": "string" }, "text": { "type": "string" } }),
            &[],
            true,
        ),
        tool(
            "act",
            "Do something",
            "Act on an element by ref (or role and name) and see whether it worked. `text`: what to type, set, choose, press, upload or open.",
            json!({
                "do": { "type": "string", "description": format!("{}, or an action of the app", uiap_runtime::order::words().collect::<Vec<_>>().join(" ")) },
                "ref": { "type": "string" },
                "role": { "type": "string" },
                "name": { "type": "string" },
                "text": { "type": "string" },
                "args": { "type": "object" },
                "expect": { "type": "array", "items": { "type": "string" } },
                "timeout_ms": { "type": "integer", "minimum": 1 },
            }),
            &["do"],
            false,
        ),
        tool(
            "wait",
            "Wait",
            "Until all of `expect` was seen since the last answer; without it, until the page is quiet.",
            json!({
                "expect": { "type": "array", "items": { "type": "string" } },
                "timeout_ms": { "type": "integer", "minimum": 1 },
            }),
            &[],
            true,
        ),
        tool(
            "actions",
            "Actions of the app",
            "What the app itself offers to do; use them with `act`.",
            json!({}),
            &[],
            true,
        ),
        tool("trace", "How it went", "What happened to the last action, step by step.", json!({}), &[], true),
        tool(
            "screenshot",
            "Picture of the page",
            "A PNG; secret fields are covered. `marks` writes refs on the controls.",
            json!({ "full": { "type": "boolean" }, "marks": { "type": "boolean" } }),
            &[],
            true,
        ),
        tool(
            "close",
            "Close the session",
            "Close the session's pages and forget its storage.",
            json!({}),
            &[],
            false,
        ),
    ]
}

fn tool(
    name: &'static str,
    title: &str,
    description: &'static str,
    properties: Value,
    required: &[&str],
    read_only: bool,
) -> Tool {
    let mut members = match properties {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    members.insert("session".to_owned(), json!({ "type": "string" }));
    let mut schema = Map::from_iter([
        ("type".to_owned(), "object".into()),
        ("properties".to_owned(), Value::Object(members)),
        ("additionalProperties".to_owned(), false.into()),
    ]);
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    let hints =
        ToolAnnotations::with_title(title).read_only(read_only).destructive(name == "act").open_world(true);
    Tool::new(name, description, Arc::new(schema)).with_title(title).with_annotations(hints)
}
