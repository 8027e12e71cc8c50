//! The audit chain as lines of a file: appended, synced before what cannot be undone, and whole again after a crash.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use uiap_model::digest::{CanonicalError, canonical, sha256};
use uiap_model::json::Count;
use uiap_model::names::{SessionId, Timestamp};
use uiap_model::policy::AuditRecord;
use uiap_policy::audit::{AuditDraft, AuditTrail, BrokenLink, Head, read_lines};

use super::private;

/// A file of audit records that goes on where it stopped. One process at a time.
#[derive(Debug)]
pub struct AuditFile {
    file: File,
    path: PathBuf,
    trail: AuditTrail,
    /// Bytes that are known to be whole records.
    length: u64,
}

/// The audit file cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("audit file `{}`: {fault}", .path.display())]
pub struct AuditFileError {
    path: PathBuf,
    #[source]
    fault: Fault,
}

#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("another process has it open")]
    Locked,
    #[error("{0}; move it away to begin a new chain")]
    Broken(BrokenLink),
    #[error("the record cannot be written: {0}")]
    Form(CanonicalError),
    #[error("{0}")]
    Disk(io::Error),
}

impl AuditFile {
    /// Opens or creates a file and checks the whole chain. A last record that was cut off by a crash is removed.
    pub fn open(path: &Path, session: SessionId) -> Result<Self, AuditFileError> {
        Self::start(path, session).map_err(|fault| AuditFileError { path: path.to_owned(), fault })
    }

    fn start(path: &Path, session: SessionId) -> Result<Self, Fault> {
        let mut file = private::options().open(path).map_err(Fault::Disk)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Fault::Locked),
            Err(TryLockError::Error(error)) => return Err(Fault::Disk(error)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(Fault::Disk)?;
        let chain = read_lines(&bytes).map_err(Fault::Broken)?;
        let trail = match chain.head {
            Some(head) => AuditTrail::resume(session, head),
            None => AuditTrail::new(session),
        };
        let mut length = chain.kept as u64;
        file.set_len(length).and_then(|()| file.seek(SeekFrom::Start(length))).map_err(Fault::Disk)?;
        if chain.kept > 0 && bytes.get(chain.kept - 1) != Some(&b'\n') {
            file.write_all(b"\n").map_err(Fault::Disk)?;
            length += 1;
        }
        Ok(Self { file, path: path.to_owned(), trail, length })
    }

    /// Writes a record; `None` when its level is `none`. It outlives this process, and a power cut only after [`Self::sync`].
    pub fn append(
        &mut self,
        draft: AuditDraft,
        ts: Timestamp,
    ) -> Result<Option<AuditRecord>, AuditFileError> {
        let before = self.trail.clone();
        let sealed = match self.trail.seal(draft, ts) {
            Ok(Some(sealed)) => sealed,
            Ok(None) => return Ok(None),
            Err(error) => return Err(self.error(Fault::Form(error))),
        };
        let mut line = sealed.line;
        line.push(b'\n');
        self.write(&line, before)?;
        Ok(Some(sealed.record))
    }

    /// Writes a record of another chain, which gets its place in this one: many sessions, one file.
    pub fn adopt(&mut self, mut record: AuditRecord) -> Result<AuditRecord, AuditFileError> {
        let before = self.trail.clone();
        let head = before.head();
        record.seq = Count(head.map_or(1, |head| head.seq + 1));
        record.audit_id = compact_str::format_compact!("a-{}", record.seq.0);
        record.prev_digest = head.map(|head| head.digest.as_str().into());
        let mut line = canonical(&record).map_err(|error| self.error(Fault::Form(error)))?;
        let head = Head { seq: record.seq.0, digest: sha256(&line) };
        self.trail = AuditTrail::resume(record.session_id.clone(), head);
        line.push(b'\n');
        self.write(&line, before)?;
        Ok(record)
    }

    fn write(&mut self, line: &[u8], before: AuditTrail) -> Result<(), AuditFileError> {
        if let Err(error) = self.file.write_all(line) {
            self.trail = before;
            // Half a line would break the chain for good; what is left of it goes.
            let cut =
                self.file.set_len(self.length).and_then(|()| self.file.seek(SeekFrom::Start(self.length)));
            return Err(self.error(Fault::Disk(cut.err().unwrap_or(error))));
        }
        self.length += line.len() as u64;
        Ok(())
    }

    /// Everything that was appended is on the disk when this returns: to be called before an action that must not be
    /// done twice is sent.
    pub fn sync(&mut self) -> Result<(), AuditFileError> {
        self.file.sync_data().map_err(|error| self.error(Fault::Disk(error)))
    }

    /// The end of the chain: kept elsewhere, it shows later whether the file was cut short.
    pub fn head(&self) -> Option<&Head> {
        self.trail.head()
    }

    fn error(&self, fault: Fault) -> AuditFileError {
        AuditFileError { path: self.path.clone(), fault }
    }
}

impl Drop for AuditFile {
    /// A child process that is just being started may hold the file open too; the lock shall not wait for it.
    fn drop(&mut self) {
        // A lock that cannot be given back goes with the last handle.
        drop(self.file.unlock());
    }
}
