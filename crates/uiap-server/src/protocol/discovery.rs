//! The discovery extension: runs that a session asks for, and what they tell by themselves. Spec: discovery-mapper §14.

use std::sync::Arc;

use uiap_discovery::desk::{DeskError, DeskEvent, Sink};
use uiap_model::core::{CoreErrorCode, Envelope, ErrorPayload};
use uiap_model::discovery::message::{
    DiscoveryCancelPayload, DiscoveryPackageGetPayload, DiscoveryPausePayload, DiscoveryResumePayload,
    DiscoveryStartPayload,
};

use super::request::{payload, unsupported};
use super::session::{Reply, Session};

/// The extension.
pub(super) const EXTENSION: &str = "uiap.discovery";

impl Session {
    /// A request about a run. Runs belong to the server: a session that comes back can ask for the package.
    pub(super) fn discovery(
        self: &Arc<Self>,
        kind: &str,
        envelope: &Envelope,
    ) -> Result<Reply, ErrorPayload> {
        let desk = self.house.options.discovery.as_ref().ok_or_else(|| unsupported(kind))?;
        let sealed = match kind {
            "uiap.discovery.plan" => {
                let planned = desk.plan(payload(envelope)?).map_err(|error| refused(&error))?;
                self.answer(envelope, "uiap.discovery.planned", &planned)
            }
            "uiap.discovery.start" => {
                let asked: DiscoveryStartPayload = payload(envelope)?;
                let started = desk.start(&asked.run_id, self.sink()).map_err(|error| refused(&error))?;
                self.answer(envelope, "uiap.discovery.started", &started)
            }
            "uiap.discovery.pause" => {
                let asked: DiscoveryPausePayload = payload(envelope)?;
                let paused = desk.pause(&asked.run_id).map_err(|error| refused(&error))?;
                self.answer(envelope, "uiap.discovery.paused", &paused)
            }
            "uiap.discovery.resume" => {
                let asked: DiscoveryResumePayload = payload(envelope)?;
                let resumed = desk.resume(&asked.run_id).map_err(|error| refused(&error))?;
                self.answer(envelope, "uiap.discovery.resumed", &resumed)
            }
            "uiap.discovery.cancel" => {
                let asked: DiscoveryCancelPayload = payload(envelope)?;
                let cancelled = desk.cancel(&asked.run_id).map_err(|error| refused(&error))?;
                self.answer(envelope, "uiap.discovery.cancelled", &cancelled)
            }
            "uiap.discovery.package.get" => {
                let asked: DiscoveryPackageGetPayload = payload(envelope)?;
                let found = desk.package(&asked.run_id).map_err(|error| refused(&error))?;
                self.answer(envelope, "uiap.discovery.package", &found)
            }
            other => return Err(unsupported(other)),
        };
        Ok(sealed.into())
    }

    /// Tells this session, as long as there is one.
    fn sink(self: &Arc<Self>) -> Sink {
        let session = Arc::downgrade(self);
        Arc::new(move |event| {
            let Some(session) = session.upgrade() else { return };
            let sealed = match &event {
                DeskEvent::Progress(told) => session.writer.event("uiap.discovery.progress", told),
                DeskEvent::Result(told) => session.writer.event("uiap.discovery.result", told),
            };
            session.outbox.push(sealed.text);
        })
    }
}

fn refused(error: &DeskError) -> ErrorPayload {
    let code = match error {
        DeskError::Unknown(_) | DeskError::NoPackage(_) => CoreErrorCode::NotFound,
        DeskError::Phase(..) => CoreErrorCode::Conflict,
        DeskError::Refused(_) => CoreErrorCode::Forbidden,
        DeskError::Full => CoreErrorCode::RateLimited,
    };
    ErrorPayload::new(code, error.to_string())
}
