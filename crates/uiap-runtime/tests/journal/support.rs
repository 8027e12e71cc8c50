//! Words that the tests of the journal are written in.

use uiap_model::capability::Idempotency;
use uiap_model::digest::sha256;
use uiap_model::names::{ActionHandle, ActionId, SessionId};
use uiap_runtime::journal::NewAction;

pub(crate) fn handle(text: &str) -> ActionHandle {
    ActionHandle::parse(text).unwrap()
}

pub(crate) fn order(name: &str) -> NewAction {
    NewAction {
        handle: handle(name),
        session: SessionId::parse("s1").unwrap(),
        principal: "agent".into(),
        action_id: ActionId::parse("ui.submit").unwrap(),
        idempotency_key: None,
        payload_digest: sha256(b"one lamp"),
        origin: "https://shop.example".into(),
        idempotency: Idempotency::NonIdempotent,
    }
}

pub(crate) fn keyed(name: &str, key: &str) -> NewAction {
    NewAction { idempotency_key: Some(key.into()), ..order(name) }
}
