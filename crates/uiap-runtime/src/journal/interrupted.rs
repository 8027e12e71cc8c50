//! Actions that a crash cut off: found when the journal is opened, ended by the table of [`outcome`].

use compact_str::CompactString;
use rusqlite::{Connection, Row, params};
use uiap_model::action::result::{ActionStatus, RuntimeErrorDescriptor};
use uiap_model::action::{
    ActionResultPayload, RuntimeErrorCode, SideEffectState, VerificationOutcome, VerificationPolicy,
};
use uiap_model::capability::Idempotency;
use uiap_model::json::JsonObject;
use uiap_model::names::{ActionHandle, ActionId};

use super::entry::read_handle;
use super::error::Fault;
use super::stage::{CrashOutcome, Stage, outcome};

/// An action of an earlier run that had no end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// Its handle.
    pub handle: ActionHandle,
    /// What was asked for.
    pub action_id: ActionId,
    /// The key under which its result is now found.
    pub idempotency_key: Option<CompactString>,
    /// How far it came.
    pub stage: Stage,
    /// What is known of its effect.
    pub side_effect_state: SideEffectState,
    /// Whether asking again can do no harm.
    pub retryable: bool,
    /// The result that is now stored.
    pub result_json: String,
}

/// Ends every action of earlier runs.
pub(super) fn recover(connection: &Connection, run: i64, at: i64) -> Result<Vec<Interrupted>, Fault> {
    let mut select = connection.prepare(
        "SELECT handle, action_id, idempotency_key, stage, idempotency FROM action
         WHERE stage <> 'done' AND run < ?1 ORDER BY rowid",
    )?;
    let mut rows = select.query([run])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let (interrupted, end) = read(row)?;
        connection
            .prepare_cached(
                "UPDATE action SET stage = 'done', status = ?2, side_effect = ?3, result = ?4, ended_at = ?5 WHERE handle = ?1",
            )?
            .execute(params![
                interrupted.handle.as_str(),
                end.status.as_str(),
                end.side_effect.as_str(),
                interrupted.result_json,
                at
            ])?;
        found.push(interrupted);
    }
    Ok(found)
}

fn read(row: &Row<'_>) -> Result<(Interrupted, CrashOutcome), Fault> {
    let text: String = row.get(0)?;
    let bad = |what| Fault::BadEntry { handle: text.clone(), what };
    let handle = read_handle(&text)?;
    let action_id =
        ActionId::parse(&row.get::<_, String>(1)?).ok_or_else(|| bad("its action has no valid id"))?;
    let stage = Stage::parse(&row.get::<_, String>(3)?).ok_or_else(|| bad("its stage is unknown"))?;
    let idempotency =
        read_idempotency(&row.get::<_, String>(4)?).ok_or_else(|| bad("its kind is unknown"))?;
    let end = outcome(stage, idempotency).ok_or_else(|| bad("it had ended"))?;
    let result = result(&handle, &action_id, stage, end);
    let result_json = serde_json::to_string(&result).map_err(|_| bad("its result cannot be written"))?;
    let interrupted = Interrupted {
        handle,
        action_id,
        idempotency_key: row.get::<_, Option<String>>(2)?.map(CompactString::from),
        stage,
        side_effect_state: end.side_effect,
        retryable: end.retryable,
        result_json,
    };
    Ok((interrupted, end))
}

pub(super) fn read_idempotency(name: &str) -> Option<Idempotency> {
    [Idempotency::Idempotent, Idempotency::Conditional, Idempotency::NonIdempotent]
        .into_iter()
        .find(|each| each.as_str() == name)
}

/// The result that whoever asks again gets.
fn result(
    handle: &ActionHandle,
    action_id: &ActionId,
    stage: Stage,
    end: CrashOutcome,
) -> ActionResultPayload {
    let passed = end.status == ActionStatus::Succeeded;
    ActionResultPayload {
        action_handle: handle.clone(),
        action_id: action_id.clone(),
        status: end.status,
        chosen_execution_mode: None,
        resolved_target: None,
        verification: VerificationOutcome {
            passed,
            policy: VerificationPolicy::CapabilityDefault,
            observed: Vec::new(),
            missing: None,
            timeout_ms: None,
        },
        side_effect_state: Some(end.side_effect),
        state_revision: None,
        return_value: None,
        error: (!passed).then(|| error(stage, end)),
        metadata: None,
    }
}

fn error(stage: Stage, end: CrashOutcome) -> RuntimeErrorDescriptor {
    let message = match end.side_effect {
        SideEffectState::None => "the runtime stopped before anything was sent",
        _ => "the runtime stopped after input was sent; whether it took effect is unknown",
    };
    let mut detail = serde_json::Map::new();
    detail.insert("cause".into(), "interrupted".into());
    detail.insert("stage".into(), stage.as_str().into());
    RuntimeErrorDescriptor {
        code: RuntimeErrorCode::InternalRuntimeError,
        message: message.into(),
        retryable: Some(end.retryable),
        detail: Some(JsonObject(detail)),
    }
}
