//! Messages of ours: every one in the common envelope, on one line.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use uiap_model::core::{CoreErrorCode, ErrorPayload, MessageKind, PeerInfo, PeerRef, PeerRole};
use uiap_model::json::JsonObject;
use uiap_model::names::{ErrorCode, MessageId, PeerId, SessionId};
use uiap_model::version::Version;

/// What an answer was about, for bindings that have words of their own for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The code of the error.
    pub code: ErrorCode,
    /// When to try again.
    pub retry_after_ms: Option<u64>,
}

/// A message that is ready to be sent.
#[derive(Clone, Debug)]
pub struct Sealed {
    /// The envelope as text, without a line break.
    pub text: Arc<str>,
    /// What was wrong, when it is an error.
    pub fault: Option<Fault>,
}

/// Writes messages in the name of one side.
#[derive(Debug)]
pub(crate) struct Writer {
    version: Version,
    session: Option<SessionId>,
    source: PeerRef,
    next: AtomicU64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Letter<'a, P> {
    uiap: &'a Version,
    kind: MessageKind,
    r#type: &'a str,
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    correlation_id: Option<&'a MessageId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a SessionId>,
    ts: &'a str,
    source: &'a PeerRef,
    payload: &'a P,
}

impl Writer {
    pub(crate) fn new(version: Version, session: Option<SessionId>, source: PeerRef) -> Self {
        Self { version, session, source, next: AtomicU64::new(1) }
    }

    /// The answer to a request.
    pub(crate) fn response<P: Serialize>(&self, to: &MessageId, kind: &str, payload: &P) -> Sealed {
        self.seal(MessageKind::Response, kind, Some(to), payload).1
    }

    /// Tells something.
    pub(crate) fn event<P: Serialize>(&self, kind: &str, payload: &P) -> Sealed {
        self.seal(MessageKind::Event, kind, None, payload).1
    }

    /// Asks for something; the id is what the answer will point to.
    pub(crate) fn request<P: Serialize>(&self, kind: &str, payload: &P) -> (String, Sealed) {
        self.seal(MessageKind::Request, kind, None, payload)
    }

    /// Refuses a message.
    pub(crate) fn error(&self, to: Option<&MessageId>, payload: &ErrorPayload) -> Sealed {
        let mut sealed = self.seal(MessageKind::Error, "error", to, payload).1;
        sealed.fault = Some(Fault {
            code: payload.code.clone(),
            retry_after_ms: payload.retry_after_ms.as_ref().map(|count| count.0),
        });
        sealed
    }

    fn seal<P: Serialize>(
        &self,
        kind: MessageKind,
        name: &str,
        to: Option<&MessageId>,
        payload: &P,
    ) -> (String, Sealed) {
        let id = format!("srv_{}", self.next.fetch_add(1, Ordering::Relaxed));
        let letter = Letter {
            uiap: &self.version,
            kind,
            r#type: name,
            id: &id,
            correlation_id: to,
            session_id: self.session.as_ref(),
            ts: &now(),
            source: &self.source,
            payload,
        };
        let sealed = match serde_json::to_string(&letter) {
            Ok(text) => Sealed { text: text.into(), fault: None },
            Err(error) => self.unwritable(to, &error),
        };
        (id, sealed)
    }

    /// A payload that has no JSON form is our fault; the request is answered all the same.
    fn unwritable(&self, to: Option<&MessageId>, error: &serde_json::Error) -> Sealed {
        tracing::error!(%error, "a message could not be written");
        let payload = internal("the answer could not be written");
        let letter = serde_json::json!({
            "uiap": self.version.to_string(), "kind": "error", "type": "error",
            "id": format!("srv_{}", self.next.fetch_add(1, Ordering::Relaxed)),
            "correlationId": to.map(MessageId::as_str), "sessionId": self.session.as_ref().map(SessionId::as_str),
            "ts": now(), "source": { "role": self.source.role.as_str(), "id": self.source.id.as_str() },
            "payload": { "code": payload.code.as_str(), "message": payload.message.as_str() },
        });
        let fault = Fault { code: payload.code, retry_after_ms: None };
        Sealed { text: letter.to_string().into(), fault: Some(fault) }
    }
}

/// Now. A clock that stands before 1970 gives its beginning.
pub(crate) fn now() -> String {
    uiap_runtime::clock::now().map_or_else(|| "1970-01-01T00:00:00.000Z".to_owned(), |now| now.to_string())
}

/// Something of ours is broken; what exactly stays in the log.
pub(crate) fn internal(message: &str) -> ErrorPayload {
    ErrorPayload::new(CoreErrorCode::InternalError, message)
}

/// Who we are.
pub(crate) fn ourselves() -> Option<(PeerRef, PeerInfo)> {
    let id = PeerId::parse("uiap")?;
    let reference = PeerRef { role: PeerRole::Bridge, id: id.clone(), unknown: JsonObject::default() };
    let info = PeerInfo {
        role: PeerRole::Bridge,
        id,
        name: Some("uiap".into()),
        version: Some(env!("CARGO_PKG_VERSION").into()),
        locale: None,
    };
    Some((reference, info))
}
