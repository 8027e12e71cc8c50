//! What is written when an action begins, and what the journal answers.

use compact_str::CompactString;
use rusqlite::{Connection, OptionalExtension as _, params};
use uiap_model::capability::Idempotency;
use uiap_model::names::{ActionHandle, ActionId, Digest, SessionId};

use super::error::Fault;
use super::stage::Stage;

/// An action that was asked for.
#[derive(Clone, Debug)]
pub struct NewAction {
    /// Its handle; differs from every other one in the journal, also of earlier runs.
    pub handle: ActionHandle,
    /// The session that asks.
    pub session: SessionId,
    /// Who asks. Keys of different principals have nothing to do with each other.
    pub principal: CompactString,
    /// What is asked for.
    pub action_id: ActionId,
    /// The key under which asking twice means once.
    pub idempotency_key: Option<CompactString>,
    /// Digest of target and arguments.
    pub payload_digest: Digest,
    /// The app that it is done to, by its origin; empty where nobody knows.
    pub origin: CompactString,
    /// Whether doing it twice does more than doing it once.
    pub idempotency: Idempotency,
}

/// What asking means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begin {
    /// Nobody asked before: do it.
    Fresh,
    /// It is being done.
    SameInFlight {
        /// By this action.
        handle: ActionHandle,
    },
    /// It was done.
    SameDone {
        /// The result of the first time.
        result_json: String,
    },
    /// The key belongs to another request.
    OtherPayload {
        /// That of this action.
        handle: ActionHandle,
    },
}

/// An action that is known by its key.
struct Known {
    handle: String,
    action_id: String,
    digest: String,
    stage: String,
    result: Option<String>,
}

/// The answer to a key that was used before.
pub(super) fn known(connection: &Connection, new: &NewAction) -> Result<Option<Begin>, Fault> {
    let Some(key) = &new.idempotency_key else { return Ok(None) };
    let mut select = connection.prepare_cached(
        "SELECT handle, action_id, payload_digest, stage, result FROM action WHERE principal = ?1 AND idempotency_key = ?2",
    )?;
    let found = select
        .query_row(params![new.principal.as_str(), key.as_str()], |row| {
            Ok(Known {
                handle: row.get(0)?,
                action_id: row.get(1)?,
                digest: row.get(2)?,
                stage: row.get(3)?,
                result: row.get(4)?,
            })
        })
        .optional()?;
    found.map(|known| known.answer(new)).transpose()
}

impl Known {
    fn answer(self, new: &NewAction) -> Result<Begin, Fault> {
        let handle = read_handle(&self.handle)?;
        if self.digest != new.payload_digest.as_str() || self.action_id != new.action_id.as_str() {
            return Ok(Begin::OtherPayload { handle });
        }
        match (Stage::parse(&self.stage), self.result) {
            (Some(Stage::Done), Some(result_json)) => Ok(Begin::SameDone { result_json }),
            (Some(Stage::Done), None) => {
                Err(Fault::BadEntry { handle: self.handle, what: "it ended without a result" })
            }
            (Some(_), _) => Ok(Begin::SameInFlight { handle }),
            (None, _) => Err(Fault::BadEntry { handle: self.handle, what: "its stage is unknown" }),
        }
    }
}

/// Writes a new action down.
pub(super) fn insert(connection: &Connection, new: &NewAction, run: i64, at: i64) -> Result<(), Fault> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO action (handle, session, principal, action_id, idempotency_key, payload_digest, idempotency, stage, run, began_at, origin)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'received', ?8, ?9, ?10) ON CONFLICT (handle) DO NOTHING",
    )?;
    let written = insert.execute(params![
        new.handle.as_str(),
        new.session.as_str(),
        new.principal.as_str(),
        new.action_id.as_str(),
        new.idempotency_key.as_deref(),
        new.payload_digest.as_str(),
        new.idempotency.as_str(),
        run,
        at,
        new.origin.as_str(),
    ])?;
    if written == 0 { Err(Fault::UsedHandle(new.handle.clone())) } else { Ok(()) }
}

pub(super) fn read_handle(text: &str) -> Result<ActionHandle, Fault> {
    ActionHandle::parse(text)
        .ok_or_else(|| Fault::BadEntry { handle: text.to_owned(), what: "its handle is no handle" })
}
