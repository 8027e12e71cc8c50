//! The chain as lines of text: every change is found, and half a record at the end is no harm.

use uiap_model::names::{SessionId, Timestamp};
use uiap_model::policy::audit::AuditEvent;
use uiap_model::policy::{AuditLevel, PolicyPrincipal};
use uiap_policy::audit::{AuditDraft, AuditTrail, BrokenLink, Fault, Head, read_lines};

const RECORDS: usize = 100;

fn chain(count: usize) -> (Vec<Vec<u8>>, Head) {
    let mut trail = AuditTrail::new(SessionId::parse("s1").unwrap());
    let principal: PolicyPrincipal = serde_json::from_str(r#"{"type":"agent","id":"agent"}"#).unwrap();
    let now = Timestamp::parse("2026-03-26T13:12:09Z").unwrap();
    let line = || {
        let draft = AuditDraft::new(AuditEvent::Execution, &principal, AuditLevel::Metadata);
        trail.seal(draft, now.clone()).unwrap().unwrap().line
    };
    let lines: Vec<Vec<u8>> = std::iter::repeat_with(line).take(count).collect();
    (lines, trail.head().unwrap().clone())
}

fn text(lines: &[Vec<u8>]) -> Vec<u8> {
    lines.iter().flat_map(|line| line.iter().copied().chain([b'\n'])).collect()
}

fn judge(bytes: &[u8], head: &Head) -> Result<(), BrokenLink> {
    read_lines(bytes)?.ends_at(head)
}

/// Requirement: POL-AUD-05
#[test]
fn every_change_of_every_line_is_found_with_the_first_bad_number() {
    let (lines, head) = chain(RECORDS);
    assert_eq!(judge(&text(&lines), &head), Ok(()));
    for at in 0..RECORDS {
        let broken = |change: &dyn Fn(&mut Vec<Vec<u8>>)| {
            let mut changed = lines.clone();
            change(&mut changed);
            judge(&text(&changed), &head).expect_err("the change was not found")
        };
        // A change shows in the line itself, or in the digest that the next one, or the head, has of it.
        let near = |link: &BrokenLink| (at..=at + 1).contains(&link.index);
        for byte in [1, lines[at].len() / 3, lines[at].len() / 2, lines[at].len() - 2] {
            let flipped = broken(&|lines| lines[at][byte] ^= 1);
            assert!(near(&flipped), "{at}: {flipped}");
        }
        let removed = broken(&|lines| drop(lines.remove(at)));
        assert!(near(&removed) || at == RECORDS - 1, "{at}: {removed}");
        let doubled = broken(&|lines| lines.insert(at, lines[at].clone()));
        assert_eq!(doubled.index, at + 1);
        let inserted = broken(&|lines| lines.insert(at, b"{}".to_vec()));
        assert_eq!((inserted.index, inserted.fault), (at, Fault::Line));
        if at > 0 {
            assert_eq!(broken(&|lines| lines.swap(at - 1, at)).index, at - 1);
        }
        assert_eq!(broken(&|lines| lines.truncate(at)).fault, Fault::End);
        let named: u64 = broken(&|lines| lines[at].insert(1, b'x')).seq;
        assert_eq!(named, at as u64 + 1, "the number is told");
    }
}

#[test]
fn half_a_record_at_the_end_is_told_and_the_whole_ones_are_kept() {
    let (lines, _) = chain(3);
    let whole = text(&lines);
    let last = whole.len() - lines[2].len() - 1;
    for cut in 0..=lines[2].len() {
        let chain = read_lines(&whole[..last + cut]).unwrap();
        let complete = cut == lines[2].len();
        assert_eq!((chain.records, chain.is_torn), (if complete { 3 } else { 2 }, cut > 0 && !complete));
        assert_eq!(chain.kept, if complete { last + cut } else { last });
    }
}

#[test]
fn a_chain_that_was_written_in_another_form_holds_as_well() {
    let (lines, head) = chain(20);
    let spaced: Vec<Vec<u8>> = lines
        .iter()
        .map(|line| {
            String::from_utf8(line.clone())
                .unwrap()
                .replace("\":", "\": ")
                .replace(",\"", ", \"")
                .into_bytes()
        })
        .collect();
    assert_ne!(spaced, lines);
    assert_eq!(judge(&text(&spaced), &head), Ok(()));
    let mut more = spaced;
    more[4].pop();
    more[4].extend_from_slice(br#","note":"added"}"#);
    assert_eq!(
        judge(&text(&more), &head).unwrap_err().index,
        5,
        "a member that nobody knows is a change too"
    );
}
