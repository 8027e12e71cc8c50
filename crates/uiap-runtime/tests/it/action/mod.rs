//! Actions from request to result, on an app in memory.

mod cancel;
mod codes;
mod confirmation;
mod contract;
mod diagnoses;
mod gestures;
mod handoff;
mod life;
mod lifecycle;
mod modes;
mod owners;
mod plans;
mod policy;
mod preconditions;
mod presenter;
mod primitives;
mod properties;
mod recovery;
mod repeats;
mod requests;
mod results;
mod signals;
mod synchrony;
mod targets;
mod traces;
mod values;
mod verification;
mod waits;
mod worth;

use serde_json::{Value, json};

use crate::graph::{element, with};
use crate::scripted::Session;

pub(crate) fn button(id: &str, name: &str) -> Value {
    element(id, "button", name)
}

pub(crate) fn field(id: &str, name: &str) -> Value {
    with(element(id, "textbox", name), json!({ "affordances": ["read", "focus", "edit"] }))
}

pub(crate) fn checkbox(id: &str, name: &str, checked: Value) -> Value {
    with(
        element(id, "checkbox", name),
        json!({ "affordances": ["read", "focus", "toggle"], "state": { "checked": checked } }),
    )
}

pub(crate) fn activate(id: &str) -> Value {
    json!({ "actionId": "ui.activate", "target": { "ref": { "by": "instanceId", "value": id } } })
}

/// A page with one button that opens a dialog.
pub(crate) async fn one_button() -> Session {
    let session = Session::on(vec![button("b", "New"), button("dead", "Dead"), field("t", "Title")]).await;
    session.page.on("click", "b", |page| {
        page.effect("opened");
        page.open_dialog(&format!("dialog_{}", page.effects("opened")), vec![button("ok", "OK")]);
    });
    session
}
