//! The wire form: what a call looks like, and how little of an incoming message must be read to know whose it is.

use std::io::Write as _;
use std::ops::Range;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::mend::mend;
use crate::protocol::target::SessionId;

/// Writes one call as JSON, without the delimiter of the transport.
pub(crate) fn encode(
    id: u64,
    method: &str,
    params: &(impl Serialize + ?Sized),
    session: Option<&SessionId>,
) -> Result<Vec<u8>, serde_json::Error> {
    let mut frame = Vec::with_capacity(192);
    write!(frame, "{{\"id\":{id},\"method\":").map_err(serde_json::Error::io)?;
    serde_json::to_writer(&mut frame, method)?;
    frame.extend_from_slice(b",\"params\":");
    serde_json::to_writer(&mut frame, params)?;
    if let Some(session) = session {
        frame.extend_from_slice(b",\"sessionId\":");
        serde_json::to_writer(&mut frame, session.as_str())?;
    }
    frame.push(b'}');
    Ok(frame)
}

/// What an incoming message is. Its body stays text until somebody wants it.
#[derive(Debug)]
pub(crate) enum Incoming {
    Reply {
        id: u64,
        message: Vec<u8>,
    },
    Event {
        session: Option<SessionId>,
        method: Box<str>,
        message: Vec<u8>,
        params: Range<usize>,
    },
    /// An answer to something that the browser could not even attribute to a call.
    Unattributed(Vec<u8>),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header<'a> {
    id: Option<u64>,
    method: Option<Box<str>>,
    session_id: Option<SessionId>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// Sorts a message. An answer is recognised by its first bytes, so that a big result is parsed once, by its caller.
pub(crate) fn classify(message: Vec<u8>) -> Result<Incoming, Malformed> {
    if let Some(id) = leading_id(&message) {
        return Ok(Incoming::Reply { id, message });
    }
    let error = match Kind::of(&message) {
        Ok(kind) => return Ok(kind.with(message)),
        Err(error) => error,
    };
    let mended = mend(&message).and_then(|mended| Some(Kind::of(&mended).ok()?.with(mended)));
    mended.ok_or_else(|| Malformed { beginning: beginning_of(&message), error })
}

/// A message that is not of this protocol.
#[derive(Debug, thiserror::Error)]
#[error("`{beginning}`: {error}")]
pub(crate) struct Malformed {
    beginning: String,
    error: serde_json::Error,
}

fn beginning_of(message: &[u8]) -> String {
    const ENOUGH: usize = 80;
    String::from_utf8_lossy(message.get(..ENOUGH).unwrap_or(message)).into_owned()
}

enum Kind {
    Reply(u64),
    Event { session: Option<SessionId>, method: Box<str>, params: Range<usize> },
    Unattributed,
}

impl Kind {
    fn of(message: &[u8]) -> Result<Self, serde_json::Error> {
        match serde_json::from_slice(message)? {
            Header { id: Some(id), .. } => Ok(Self::Reply(id)),
            Header { method: Some(method), session_id: session, params, .. } => {
                let params = params.map_or(0..0, |raw| range_within(message, raw.get()));
                Ok(Self::Event { session, method, params })
            }
            Header { error: Some(_), .. } => Ok(Self::Unattributed),
            Header { .. } => Err(serde::de::Error::custom("neither an answer nor an event")),
        }
    }

    fn with(self, message: Vec<u8>) -> Incoming {
        match self {
            Self::Reply(id) => Incoming::Reply { id, message },
            Self::Event { session, method, params } => Incoming::Event { session, method, message, params },
            Self::Unattributed => Incoming::Unattributed(message),
        }
    }
}

/// The id of a message that begins as the browser writes its answers.
pub(crate) fn leading_id(message: &[u8]) -> Option<u64> {
    let rest = message.strip_prefix(b"{\"id\":")?;
    let end = rest.iter().take(20).position(|byte| *byte == b',')?;
    std::str::from_utf8(rest.get(..end)?).ok()?.parse().ok()
}

fn range_within(whole: &[u8], part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
    start..start + part.len()
}

/// The refusal of a call.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Refusal {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Reply<T> {
    result: Option<T>,
    error: Option<Refusal>,
}

/// Reads an answer: the result, or the refusal of the browser.
pub(crate) fn decode_reply<T: DeserializeOwned>(
    message: &[u8],
) -> Result<Result<T, Refusal>, serde_json::Error> {
    let reply: Reply<T> = decode(message)?;
    match (reply.result, reply.error) {
        (_, Some(refusal)) => Ok(Err(refusal)),
        (Some(result), None) => Ok(Ok(result)),
        (None, None) => Err(serde::de::Error::custom("an answer without result and without error")),
    }
}

/// Parses JSON of a browser; text that is not Unicode (a lone surrogate, which script may produce) does not fail it.
pub(crate) fn decode<T: DeserializeOwned>(text: &[u8]) -> Result<T, serde_json::Error> {
    serde_json::from_slice(text)
        .or_else(|error| mend(text).map_or(Err(error), |mended| serde_json::from_slice(&mended)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_is_one_object_with_the_session_last() {
        let frame = encode(7, "Page.navigate", &json!({"url": "about:blank"}), Some(&"S".into())).unwrap();
        assert_eq!(
            String::from_utf8(frame).unwrap(),
            r#"{"id":7,"method":"Page.navigate","params":{"url":"about:blank"},"sessionId":"S"}"#
        );
    }

    #[test]
    fn an_answer_is_recognised_without_being_parsed() {
        let broken_behind_the_id = br#"{"id":42,"result":{"#.to_vec();
        assert!(matches!(classify(broken_behind_the_id), Ok(Incoming::Reply { id: 42, .. })));
    }

    #[test]
    fn an_answer_in_another_key_order_is_recognised_too() {
        let message = br#"{"sessionId":"S","result":{},"id":3}"#.to_vec();
        assert!(matches!(classify(message), Ok(Incoming::Reply { id: 3, .. })));
    }

    #[test]
    fn an_event_keeps_its_parameters_as_text() {
        let message = br#"{"method":"A.b","params":{"x":[1,2]},"sessionId":"S"}"#.to_vec();
        let Ok(Incoming::Event { session, method, message, params }) = classify(message) else {
            panic!("not an event")
        };
        assert_eq!(session, Some("S".into()));
        assert_eq!(&*method, "A.b");
        assert_eq!(&message[params], br#"{"x":[1,2]}"#);
    }

    #[test]
    fn garbage_is_an_error() {
        for garbage in ["", "hello", "{}", "[1]", "{\"id\":\"x\"}", "{\"id\":99999999999999999999999999}"] {
            assert!(classify(garbage.as_bytes().to_vec()).is_err(), "{garbage}");
        }
    }

    #[test]
    fn a_refusal_is_not_a_result() {
        let refusal =
            decode_reply::<serde_json::Value>(br#"{"id":1,"error":{"code":-32000,"message":"no"}}"#);
        assert_eq!(refusal.unwrap().unwrap_err().code, -32000);
        assert!(decode_reply::<serde_json::Value>(br#"{"id":1}"#).is_err());
    }
}
