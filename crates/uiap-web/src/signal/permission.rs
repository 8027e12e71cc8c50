//! Permissions that a page asks its browser for: DevTools tells of none, so the page's own functions are listened to.

use serde_json::json;
use uiap_cdp::protocol::page::AddScriptToEvaluateOnNewDocument;
use uiap_cdp::protocol::runtime::{self, AddBinding, BindingCalled};
use uiap_cdp::{CallError, Session};
use uiap_model::web::signal::WebSignalBody;

use super::browser::{PERMISSION, custom};

const SCRIPT: &str = include_str!("permission.js");
/// The name under which a page tells; the script takes it away before the page can see it.
const ASKED: &str = "uiapPermissionAsked";
/// Requests that one document tells of.
const MOST: usize = 20;
/// The permissions that there are.
const NAMES: [&str; 13] = [
    "geolocation",
    "notifications",
    "camera",
    "microphone",
    "display-capture",
    "clipboard-read",
    "midi",
    "push",
    "idle-detection",
    "bluetooth",
    "usb",
    "hid",
    "serial",
];

/// Listens in every document from now on.
pub(super) async fn install(session: &Session) -> Result<(), CallError> {
    let script = SCRIPT.split_once("\n(").map_or(SCRIPT, |(_, rest)| rest);
    let source = format!("({}({}, {MOST});", script.trim_end(), json!(ASKED));
    let script =
        AddScriptToEvaluateOnNewDocument { source: &source, world_name: None, run_immediately: true };
    // In this order, without waiting for one another: documents get a binding only where the domain is enabled.
    tokio::try_join!(
        session.call(runtime::Enable {}),
        session.call(AddBinding { name: ASKED, execution_context_name: None }),
        session.call(script),
    )?;
    Ok(())
}

/// What a page asked for, if it is that what it tells.
pub(super) fn of_call(call: &BindingCalled) -> Option<WebSignalBody> {
    let (name, state) = call.payload.split_once(' ').filter(|_| call.name == ASKED)?;
    let name = NAMES.into_iter().find(|each| *each == name)?;
    Some(match state {
        "denied" | "prompt" => custom(PERMISSION, json!({ "name": name, "state": state })),
        _ => custom(PERMISSION, json!({ "name": name })),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_permissions_that_there_are_are_told() {
        let told = |name: &str, payload: &str| {
            let call = json!({ "name": name, "payload": payload, "executionContextId": 1 });
            of_call(&serde_json::from_value(call).unwrap()).map(|body| serde_json::to_value(body).unwrap())
        };
        let signal = |payload: serde_json::Value| {
            Some(json!({ "kind": "custom", "name": "browser.permission", "payload": payload }))
        };
        assert_eq!(told(ASKED, "camera denied"), signal(json!({ "name": "camera", "state": "denied" })));
        assert_eq!(told(ASKED, "usb "), signal(json!({ "name": "usb" })));
        assert_eq!(told(ASKED, "usb anything"), signal(json!({ "name": "usb" })));
        for (name, payload) in
            [("uiapCall", "camera denied"), (ASKED, "everything denied"), (ASKED, "camera")]
        {
            assert_eq!(told(name, payload), None, "{name} {payload}");
        }
    }
}
