//! What the browser is told about which requests are stopped and which are shown to the guard before they leave.

use uiap_cdp::Preparation;
use uiap_cdp::protocol::fetch::{self, RequestPattern};
use uiap_cdp::protocol::network::{self, BlockPattern, ResourceType, SetBlockedUrls, SetBypassServiceWorker};

use super::GuardOptions;

/// Bodies are not asked for, so the browser need not keep them.
pub(super) fn watched() -> network::Enable {
    let none = Some(0);
    network::Enable { max_total_buffer_size: none, max_resource_buffer_size: none, max_post_data_size: none }
}

/// Everything but what may be reached by somebody. Sockets to origins whose frames may load stay shut: nobody judges what they say.
pub(super) fn blocked(options: &GuardOptions) -> SetBlockedUrls {
    let known = options.origins.iter().chain(&options.supplies).chain(&options.frames);
    let known = known.map(|origin| BlockPattern { url_pattern: format!("{origin}/*"), block: false });
    let rest = ["http", "https", "ws", "wss"]
        .map(|scheme| BlockPattern { url_pattern: format!("{scheme}://*:*/*"), block: true });
    SetBlockedUrls { url_patterns: known.chain(rest).collect() }
}

/// What only belongs to a document can write by nothing but its address; where that says nothing, it is enough that it comes from
/// nowhere else. What may only be reached by some frames is judged whatever it is for.
pub(super) fn paused(options: &GuardOptions) -> fetch::Enable {
    let kinds = [
        ResourceType::Document,
        ResourceType::Xhr,
        ResourceType::Fetch,
        ResourceType::Ping,
        ResourceType::EventSource,
        ResourceType::Unspecified,
    ];
    let kinds = kinds.into_iter().map(|kind| pattern("*".into(), Some(kind)));
    let verbs = options.acts.iter().flat_map(|acts| acts.verbs);
    let verbs = verbs.map(|verb| pattern(format!("*{verb}*"), None));
    let guests = options.frames.iter().map(|origin| pattern(format!("{origin}/*"), None));
    fetch::Enable { patterns: Some(kinds.chain(verbs).chain(guests).collect()), handle_auth_requests: true }
}

pub(super) fn everything() -> fetch::Enable {
    fetch::Enable { patterns: Some(vec![pattern("*".into(), None)]), handle_auth_requests: true }
}

/// What is done to a frame in a process of its own before it runs.
pub(super) fn preparations(options: &GuardOptions) -> Result<Vec<Preparation>, serde_json::Error> {
    Ok(vec![
        Preparation::new(&watched())?,
        Preparation::new(&blocked(options))?,
        Preparation::new(&SetBypassServiceWorker { bypass: true })?,
        Preparation::new(&everything())?,
    ])
}

fn pattern(url_pattern: String, resource_type: Option<ResourceType>) -> RequestPattern {
    RequestPattern { url_pattern: Some(url_pattern), resource_type, request_stage: None }
}
