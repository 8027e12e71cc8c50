//! Checking a chain: the first place where it does not hold is named.

use uiap_model::digest::digest;
use uiap_model::names::Digest;
use uiap_model::policy::AuditRecord;

/// The end of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Number of the last record.
    pub seq: u64,
    /// Its digest.
    pub digest: Digest,
}

/// Where a chain breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the chain breaks at record {index} (seq {seq}): {fault}")]
pub struct BrokenLink {
    /// The place in the list, from 0; the number of records when something is missing at the end.
    pub index: usize,
    /// The number that the record has or should have.
    pub seq: u64,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong with a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A record is missing, doubled or out of place.
    #[error("expected seq {expected}, found {found}")]
    Sequence {
        /// What should stand here.
        expected: u64,
        /// What stands here.
        found: u64,
    },
    /// The digest is not that of the record before: one of the two was changed.
    #[error("the digest is not that of the record before")]
    Digest,
    /// The chain ends elsewhere than its head says, or its last record was changed.
    #[error("the chain does not end where it should")]
    End,
    /// A line that holds no record.
    #[error("the line holds no record")]
    Line,
    /// A record that has no canonical form.
    #[error("the record has no canonical form")]
    Form,
}

/// Checks a whole chain from its first record on. Without the `head` that the writer kept, a change of the very last
/// record and a cut at the end cannot be seen.
pub fn verify(records: &[AuditRecord], head: Option<&Head>) -> Result<(), BrokenLink> {
    let mut before: Option<Digest> = None;
    for (index, record) in records.iter().enumerate() {
        let found = record.seq.0;
        let broken = |fault| BrokenLink { index, seq: found, fault };
        let expected = index as u64 + 1;
        if found != expected {
            return Err(broken(Fault::Sequence { expected, found }));
        }
        if record.prev_digest.as_deref() != before.as_ref().map(Digest::as_str) {
            return Err(broken(Fault::Digest));
        }
        before = Some(digest(record).map_err(|_| broken(Fault::Form))?);
    }
    match head {
        Some(head) if head.seq != records.len() as u64 || Some(&head.digest) != before.as_ref() => {
            Err(BrokenLink { index: records.len(), seq: head.seq, fault: Fault::End })
        }
        _ => Ok(()),
    }
}
