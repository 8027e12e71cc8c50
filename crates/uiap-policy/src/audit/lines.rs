//! A chain as lines of text, one record each: checked without reading more of a record than its links.

use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use uiap_model::digest::digest;
use uiap_model::json::Count;
use uiap_model::names::Digest;
use uiap_model::policy::AuditRecord;

use super::chain::{BrokenLink, Fault, Head};

/// What lines hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Whole records.
    pub records: u64,
    /// The last of them.
    pub head: Option<Head>,
    /// Bytes that whole records take.
    pub kept: usize,
    /// Whether half a record follows: whoever wrote it was stopped.
    pub is_torn: bool,
}

impl Chain {
    /// Whether it ends where the writer says that it ends.
    pub fn ends_at(&self, head: &Head) -> Result<(), BrokenLink> {
        if self.head.as_ref() == Some(head) {
            return Ok(());
        }
        let index = usize::try_from(self.records).unwrap_or(usize::MAX);
        Err(BrokenLink { index, seq: head.seq, fault: Fault::End })
    }
}

/// The members that hold a chain together.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Link<'a> {
    seq: Count,
    #[serde(borrow)]
    prev_digest: Option<&'a str>,
}

/// Reads lines from the first record on, and checks every link. Half a record at the very end is no fault: it is what a crash
/// leaves. Without a head that was kept elsewhere, a change of the last record and missing ones at the end cannot be seen.
pub fn read_lines(bytes: &[u8]) -> Result<Chain, BrokenLink> {
    let mut chain = Chain { records: 0, head: None, kept: 0, is_torn: false };
    let mut before: Option<&[u8]> = None;
    while let Some(rest) = bytes.get(chain.kept..).filter(|rest| !rest.is_empty()) {
        let end = memchr::memchr(b'\n', rest);
        let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest);
        let Some(link) = parse(line, end.is_none() || end == Some(rest.len() - 1)) else {
            if end.is_none() {
                chain.is_torn = true;
                break;
            }
            return Err(broken(chain.records, chain.records + 1, Fault::Line));
        };
        check(&link, chain.records, before)?;
        before = Some(line);
        chain.records += 1;
        chain.kept += line.len() + usize::from(end.is_some());
    }
    if let Some(line) = before {
        let sealed = seal(line).ok_or_else(|| broken(chain.records - 1, chain.records, Fault::Form))?;
        chain.head = Some(Head { seq: chain.records, digest: sealed });
    }
    Ok(chain)
}

/// The links of a line. The last one is read in full: no later digest vouches for it.
fn parse(line: &[u8], is_last: bool) -> Option<Link<'_>> {
    if is_last {
        serde_json::from_slice::<AuditRecord>(line).ok()?;
    }
    serde_json::from_slice(line).ok()
}

fn check(link: &Link<'_>, index: u64, before: Option<&[u8]>) -> Result<(), BrokenLink> {
    let (found, expected) = (link.seq.0, index + 1);
    if found != expected {
        return Err(broken(index, found, Fault::Sequence { expected, found }));
    }
    let holds = match (before, link.prev_digest) {
        (None, None) => true,
        (Some(line), Some(told)) => is_digest_of(told, line),
        _ => false,
    };
    if holds { Ok(()) } else { Err(broken(index, found, Fault::Digest)) }
}

fn broken(index: u64, seq: u64, fault: Fault) -> BrokenLink {
    BrokenLink { index: usize::try_from(index).unwrap_or(usize::MAX), seq, fault }
}

/// Lines are written in canonical form, so that mostly the bytes themselves are what was sealed.
fn is_digest_of(told: &str, line: &[u8]) -> bool {
    is_hex_of(told, &Sha256::digest(line)) || seal(line).is_some_and(|sealed| sealed.as_str() == told)
}

fn is_hex_of(told: &str, digest: &[u8]) -> bool {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let Some(hex) = told.strip_prefix("sha256:") else { return false };
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied();
    let wanted = digest.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
    hex.len() == digest.len() * 2 && hex.bytes().map(Some).eq(wanted)
}

/// The digest of a record however it is written; nothing that the line says is left out.
fn seal(line: &[u8]) -> Option<Digest> {
    digest(&serde_json::from_slice::<Value>(line).ok()?).ok()
}
