//! One chain of audit records for all sessions of a server. When it cannot be written any more, nothing is done any more.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use uiap_model::core::{CoreErrorCode, ErrorPayload};
use uiap_model::names::SessionId;
use uiap_model::policy::AuditRecord;
use uiap_model::policy::audit::AuditEvent;
use uiap_runtime::action::AuditSink;
use uiap_runtime::journal::{AuditFile, AuditFileError};

/// The chain. A record is in the file before the action that it belongs to goes on.
#[derive(Debug)]
pub struct AuditBook {
    file: Mutex<AuditFile>,
    broken: AtomicBool,
}

impl AuditBook {
    /// Opens or creates the file, and checks all that stands in it.
    pub fn open(path: &Path, server: SessionId) -> Result<Arc<Self>, AuditFileError> {
        let file = Mutex::new(AuditFile::open(path, server)?);
        Ok(Arc::new(Self { file, broken: AtomicBool::new(false) }))
    }

    /// Where a session's records go.
    pub fn sink(self: &Arc<Self>) -> AuditSink {
        let book = Arc::clone(self);
        Arc::new(move |record| book.write(record))
    }

    fn write(&self, record: &AuditRecord) -> Result<(), String> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = file.adopt(record.clone()).and_then(|_| match record.event {
            // These come before the input is sent: they must outlive a power cut too.
            AuditEvent::Decision | AuditEvent::Confirmation => file.sync(),
            _ => Ok(()),
        });
        written.map_err(|error| {
            self.broken.store(true, Ordering::Release);
            error.to_string()
        })
    }

    /// Refuses actions once a record was lost.
    pub(crate) fn check(&self) -> Result<(), ErrorPayload> {
        if !self.broken.load(Ordering::Acquire) {
            return Ok(());
        }
        let message = "the audit chain cannot be written; nothing is done without it";
        Err(ErrorPayload::new(CoreErrorCode::Unavailable, message))
    }
}
