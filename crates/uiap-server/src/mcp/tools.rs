//! Tools and answers in the words of the Model Context Protocol.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{
    CallToolResult, ContentBlock, ElicitRequest, ElicitRequestParams, ElicitationSchema, InputRequest,
    InputRequests, InputRequiredResult, InputResponses, Resource, ResourceContents, ResourceTemplate, Tool,
    ToolAnnotations,
};

use crate::session::{Body, Link};
use crate::tool::{Answer, catalog};

/// The one question that is put to a person, and its answer.
const AGREE: &str = "agree";

/// Every tool. Who gets no structured content is promised none.
pub(super) fn list(structured: bool) -> Vec<Tool> {
    let tool = |entry: catalog::Entry| {
        let hints = ToolAnnotations::with_title(entry.title)
            .read_only(entry.read_only)
            .destructive(entry.destructive)
            .idempotent(entry.idempotent)
            .open_world(entry.open_world);
        let tool = Tool::new(entry.name, entry.description, Arc::new(entry.input))
            .with_title(entry.title)
            .with_annotations(hints);
        if structured { tool.with_raw_output_schema(Arc::new(entry.output)) } else { tool }
    };
    catalog::entries().into_iter().map(tool).collect()
}

/// The text stands in the content alone: a page that is sent twice costs twice.
pub(super) fn result(answer: Answer, structured: bool) -> CallToolResult {
    let mut content = Vec::new();
    if let Some(png) = &answer.png {
        content.push(ContentBlock::image(STANDARD.encode(png), "image/png"));
    }
    content.push(ContentBlock::text(answer.text));
    content.extend(answer.links.into_iter().map(|link| ContentBlock::resource_link(resource(link))));
    let mut result =
        if answer.failed { CallToolResult::error(content) } else { CallToolResult::success(content) };
    let facts = answer.facts.filter(|_| structured);
    result.structured_content = facts.and_then(|facts| serde_json::to_value(facts).ok());
    result
}

pub(super) fn resource(link: Link) -> Resource {
    Resource::new(link.uri, link.name).with_mime_type(link.mime)
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    [
        ("page", "the whole page", "text/plain"),
        ("trace", "the last action, step by step", "text/plain"),
        ("picture/{number}", "picture of the page", "image/png"),
    ]
    .into_iter()
    .map(|(path, name, mime)| {
        ResourceTemplate::new(format!("uiap://session/{{session}}/{path}"), name).with_mime_type(mime)
    })
    .collect()
}

pub(super) fn contents(uri: String, body: Body) -> ResourceContents {
    match body {
        Body::Text(text) => ResourceContents::text(text, uri).with_mime_type("text/plain"),
        Body::Png(bytes) => ResourceContents::blob(STANDARD.encode(bytes), uri).with_mime_type("image/png"),
    }
}

/// The question as a form with one field.
pub(super) fn form(message: String) -> Option<ElicitRequestParams> {
    let requested_schema = ElicitationSchema::builder().required_bool(AGREE).build().ok()?;
    Some(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
}

/// The question as a result that asks for input first.
pub(super) fn input(token: String, wording: String) -> Option<InputRequiredResult> {
    let request = InputRequest::Elicitation(ElicitRequest::new(form(wording)?));
    let requests = InputRequests::from([(AGREE.to_owned(), request)]);
    Some(InputRequiredResult::new(Some(requests), Some(token)))
}

/// What the person said; whatever is not a plain yes is a no.
pub(super) fn agreed(responses: Option<&InputResponses>) -> bool {
    let Some(response) = responses.and_then(|responses| responses.get(AGREE)) else { return false };
    let accepted = response.get("action").and_then(serde_json::Value::as_str) == Some("accept");
    accepted && said_yes(response.get("content"))
}

/// Whether the form says yes.
pub(super) fn said_yes(content: Option<&serde_json::Value>) -> bool {
    content.and_then(|content| content.get(AGREE)?.as_bool()) == Some(true)
}
