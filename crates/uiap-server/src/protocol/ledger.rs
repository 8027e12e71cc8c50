//! Requests that came before: a repeated one gets the answer of the first and is not carried out again.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use tokio::sync::watch;
use uiap_model::names::{Digest, MessageId};

use super::letter::Sealed;

/// Ids that are remembered.
const MOST: usize = 4_096;
/// Bytes of answers that are kept.
const MOST_BYTES: usize = 4 << 20;

/// What is known of a message id.
#[derive(Debug)]
pub(crate) enum Entry {
    /// Never seen; whoever gets this answers, and records the answer in the slot.
    New(Slot),
    /// The same request came before: this is or will be its answer.
    Known(Pending),
    /// The id was used for something else.
    Clash,
    /// The same request came before and its answer is not kept any more.
    Forgotten,
}

/// The place of an answer.
#[derive(Debug)]
pub(crate) struct Slot(watch::Sender<Option<Arc<Sealed>>>);

impl Slot {
    pub(crate) fn record(&self, sealed: &Arc<Sealed>) {
        self.0.send_replace(Some(Arc::clone(sealed)));
    }
}

/// An answer that is there or will be.
#[derive(Debug, Clone)]
pub(crate) struct Pending(watch::Receiver<Option<Arc<Sealed>>>);

impl Pending {
    /// The answer; none when whoever worked on it gave up.
    pub(crate) async fn answer(mut self) -> Option<Arc<Sealed>> {
        let found = self.0.wait_for(Option::is_some).await.ok()?;
        found.clone()
    }
}

/// All requests of a session that are remembered.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    known: HashMap<MessageId, Known>,
    order: VecDeque<MessageId>,
    /// Ids whose answers count towards the bound, oldest first.
    answered: VecDeque<MessageId>,
    bytes: usize,
}

#[derive(Debug)]
struct Known {
    digest: Digest,
    answer: Option<Pending>,
}

impl Ledger {
    /// Looks a request up and remembers it.
    pub(crate) fn enter(&mut self, id: &MessageId, digest: Digest) -> Entry {
        if let Some(known) = self.known.get(id) {
            return match &known.answer {
                _ if known.digest != digest => Entry::Clash,
                Some(pending) => Entry::Known(pending.clone()),
                None => Entry::Forgotten,
            };
        }
        let (sender, receiver) = watch::channel(None);
        self.known.insert(id.clone(), Known { digest, answer: Some(Pending(receiver)) });
        self.order.push_back(id.clone());
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        Entry::New(Slot(sender))
    }

    /// Counts an answer that was recorded; the oldest answers go first when there are too many bytes.
    pub(crate) fn count(&mut self, id: &MessageId, bytes: usize) {
        self.bytes += bytes;
        self.answered.push_back(id.clone());
        while self.bytes > MOST_BYTES
            && let Some(oldest) = self.answered.pop_front()
        {
            let Some(known) = self.known.get_mut(&oldest) else { continue };
            let Some(pending) = known.answer.take() else { continue };
            let length = pending.0.borrow().as_ref().map_or(0, |sealed| sealed.text.len());
            self.bytes = self.bytes.saturating_sub(length);
        }
    }

    /// Takes a request back that was refused before anything was done, so that it can be sent again.
    pub(crate) fn forget(&mut self, id: &MessageId) {
        self.known.remove(id);
        self.order.retain(|each| each != id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> MessageId {
        MessageId::parse(text).unwrap()
    }

    fn digest(text: &str) -> Digest {
        uiap_model::digest::sha256(text.as_bytes())
    }

    fn sealed(length: usize) -> Arc<Sealed> {
        Arc::new(Sealed { text: "x".repeat(length).into(), fault: None })
    }

    /// Requirement: CORE-R7-01
    #[tokio::test]
    async fn a_second_request_waits_for_the_answer_of_the_first() {
        let mut ledger = Ledger::default();
        let Entry::New(slot) = ledger.enter(&id("a"), digest("1")) else { unreachable!() };
        let Entry::Known(pending) = ledger.enter(&id("a"), digest("1")) else { unreachable!() };
        let waiting = tokio::spawn(pending.answer());
        slot.record(&sealed(3));
        assert_eq!(&*waiting.await.unwrap().unwrap().text, "xxx");
        assert!(matches!(ledger.enter(&id("a"), digest("2")), Entry::Clash));
    }

    #[test]
    fn answers_are_bounded_by_bytes_and_ids_stay_known() {
        let mut ledger = Ledger::default();
        for number in 0..10 {
            let name = id(&format!("m{number}"));
            let Entry::New(slot) = ledger.enter(&name, digest("1")) else { unreachable!() };
            slot.record(&sealed(MOST_BYTES / 4));
            ledger.count(&name, MOST_BYTES / 4);
        }
        assert!(ledger.bytes <= MOST_BYTES);
        assert!(matches!(ledger.enter(&id("m0"), digest("1")), Entry::Forgotten));
        assert!(matches!(ledger.enter(&id("m9"), digest("1")), Entry::Known(_)));
    }

    #[tokio::test]
    async fn work_that_was_given_up_answers_nobody() {
        let mut ledger = Ledger::default();
        let Entry::New(slot) = ledger.enter(&id("a"), digest("1")) else { unreachable!() };
        let Entry::Known(pending) = ledger.enter(&id("a"), digest("1")) else { unreachable!() };
        drop(slot);
        assert!(pending.answer().await.is_none());
    }
}
