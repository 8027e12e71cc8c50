//! What a session tells by itself: numbered, kept for a while so that it can be told again, and never more than a bound.
//!
//! One reader at a time. Whoever produces much waits for [`room`](Outbox::room) first; what piles up beyond the bound falls out,
//! and the reader is told of the gap.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use compact_str::CompactString;
use tokio::sync::Notify;
use tokio::time::Instant;

/// How much is kept.
#[derive(Clone, Copy, Debug)]
pub struct Keep {
    /// Messages.
    pub messages: usize,
    /// Bytes of them.
    pub bytes: usize,
    /// How long a message that was delivered is kept.
    pub age: Duration,
    /// Messages that may wait for a slow reader before producers are held back.
    pub waiting: usize,
}

impl Default for Keep {
    fn default() -> Self {
        Self { messages: 1_000, bytes: 8 << 20, age: Duration::from_mins(1), waiting: 64 }
    }
}

/// Where a reader begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// With what nobody took yet.
    Waiting,
    /// After the message of this number.
    After(u64),
    /// The reader cannot tell what it missed.
    Unknown,
}

/// What a reader gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// A message and its number.
    Message(u64, Arc<str>),
    /// Something fell out before it was taken: what the reader knows of the page is worth nothing.
    Gap,
    /// Another reader took over.
    Superseded,
    /// Nothing will ever come again.
    End,
}

/// The box.
#[derive(Debug, Default)]
pub struct Outbox {
    keep: Keep,
    inner: Mutex<Inner>,
    filled: Notify,
    taken: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    kept: VecDeque<Kept>,
    bytes: usize,
    /// Number of the last message.
    last: u64,
    /// Number of the last message that was taken.
    taken: u64,
    reader: u64,
    read: bool,
    gap: bool,
    ended: bool,
}

#[derive(Debug)]
struct Kept {
    number: u64,
    at: Instant,
    /// None when it was retracted.
    text: Option<Arc<str>>,
    subject: Option<CompactString>,
}

impl Kept {
    fn bytes(&self) -> usize {
        self.text.as_ref().map_or(0, |text| text.len())
    }
}

impl Outbox {
    /// An empty one.
    pub fn new(keep: Keep) -> Self {
        Self { keep, ..Self::default() }
    }

    /// Adds a message.
    pub fn push(&self, text: Arc<str>) {
        self.add(text, None);
    }

    /// Adds a message that can be retracted as long as nobody took it.
    pub fn push_about(&self, subject: &CompactString, text: Arc<str>) {
        self.add(text, Some(subject.clone()));
    }

    /// Takes back what nobody took yet of this subject.
    pub fn retract(&self, subject: &str) {
        let mut inner = self.lock();
        let taken = inner.taken;
        let mut freed = 0;
        for kept in inner.kept.iter_mut().rev().take_while(|kept| kept.number > taken) {
            if kept.subject.as_deref() == Some(subject) {
                freed += kept.bytes();
                kept.text = None;
            }
        }
        inner.bytes -= freed;
    }

    fn add(&self, text: Arc<str>, subject: Option<CompactString>) {
        let mut inner = self.lock();
        if inner.ended {
            return;
        }
        inner.last += 1;
        inner.bytes += text.len();
        let number = inner.last;
        inner.kept.push_back(Kept { number, at: Instant::now(), text: Some(text), subject });
        inner.trim(&self.keep);
        drop(inner);
        self.filled.notify_waiters();
    }

    /// Waits until the reader has caught up so far that more can be told; says whether it had to wait.
    pub async fn room(&self) -> bool {
        let mut waited = false;
        loop {
            let taken = self.taken.notified();
            {
                let inner = self.lock();
                let waiting = usize::try_from(inner.last - inner.taken).unwrap_or(usize::MAX);
                if inner.ended || waiting < self.keep.waiting && inner.waiting_bytes() < self.keep.bytes / 2 {
                    return waited;
                }
            }
            waited = true;
            taken.await;
        }
    }

    /// Whether somebody reads and has everything.
    pub fn is_drained(&self) -> bool {
        let inner = self.lock();
        inner.read && inner.taken == inner.last
    }

    /// Nothing more will come; the reader gets what is there and then the end.
    pub fn end(&self) {
        self.lock().ended = true;
        self.filled.notify_waiters();
        self.taken.notify_waiters();
    }

    /// A reader, in the place of the one before.
    pub fn reader(self: &Arc<Self>, from: From) -> Reader {
        let mut inner = self.lock();
        inner.reader += 1;
        inner.read = true;
        let first = inner.kept.front().map_or(inner.last + 1, |kept| kept.number);
        let gap = match from {
            From::Waiting => false,
            From::Unknown => true,
            From::After(number) => number > inner.last || number + 1 < first,
        };
        match from {
            From::After(number) if !gap => inner.taken = number,
            From::After(_) | From::Unknown => inner.taken = inner.last,
            From::Waiting => {}
        }
        inner.gap |= gap;
        let number = inner.reader;
        drop(inner);
        self.filled.notify_waiters();
        self.taken.notify_waiters();
        Reader { outbox: Arc::clone(self), number }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn waiting_bytes(&self) -> usize {
        self.kept.iter().rev().take_while(|kept| kept.number > self.taken).map(Kept::bytes).sum()
    }

    fn trim(&mut self, keep: &Keep) {
        while let Some(first) = self.kept.front() {
            let old = first.number <= self.taken && first.at.elapsed() > keep.age;
            let much = self.kept.len() > keep.messages || self.bytes > keep.bytes && self.kept.len() > 1;
            if !old && !much {
                return;
            }
            if first.number > self.taken {
                self.gap = true;
                self.taken = first.number;
            }
            self.bytes -= first.bytes();
            self.kept.pop_front();
        }
    }

    fn take(&mut self, reader: u64) -> Option<Next> {
        if self.reader != reader {
            return Some(Next::Superseded);
        }
        if std::mem::take(&mut self.gap) {
            return Some(Next::Gap);
        }
        let first = self.kept.front().map_or(self.last + 1, |kept| kept.number);
        let at = usize::try_from((self.taken + 1).saturating_sub(first)).unwrap_or(usize::MAX);
        for kept in self.kept.iter().skip(at) {
            self.taken = kept.number;
            if let Some(text) = &kept.text {
                return Some(Next::Message(kept.number, Arc::clone(text)));
            }
        }
        self.ended.then_some(Next::End)
    }
}

/// Takes messages in their order.
#[derive(Debug)]
pub struct Reader {
    outbox: Arc<Outbox>,
    number: u64,
}

impl Reader {
    /// The next message, as soon as there is one. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Next {
        loop {
            let filled = self.outbox.filled.notified();
            let next = self.outbox.lock().take(self.number);
            if let Some(next) = next {
                self.outbox.taken.notify_waiters();
                return next;
            }
            filled.await;
        }
    }
}

impl Reader {
    /// A message that could not be handed on is told again to whoever comes next.
    pub fn give_back(&mut self, number: u64) {
        let mut inner = self.outbox.lock();
        if inner.reader == self.number && inner.taken == number {
            inner.taken = number - 1;
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut inner = self.outbox.lock();
        if inner.reader == self.number {
            inner.read = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(keep: Keep, count: u64) -> Arc<Outbox> {
        let outbox = Arc::new(Outbox::new(keep));
        for number in 1..=count {
            outbox.push(number.to_string().into());
        }
        outbox
    }

    async fn drain(reader: &mut Reader) -> Vec<u64> {
        let mut numbers = Vec::new();
        while let Ok(Next::Message(number, text)) =
            tokio::time::timeout(Duration::from_millis(1), reader.next()).await
        {
            assert_eq!(number.to_string(), *text);
            numbers.push(number);
        }
        numbers
    }

    /// Requirement: BIND-SSE-04
    #[tokio::test(start_paused = true)]
    async fn what_was_missed_is_told_again_in_order_and_once() {
        let outbox = filled(Keep::default(), 20);
        let mut reader = outbox.reader(From::Waiting);
        assert_eq!(drain(&mut reader).await.len(), 20);
        let mut again = outbox.reader(From::After(10));
        assert_eq!(drain(&mut again).await, (11..=20).collect::<Vec<_>>());
        assert_eq!(reader.next().await, Next::Superseded);
    }

    /// Requirement: BIND-SSE-05
    #[tokio::test(start_paused = true)]
    async fn a_position_that_fell_out_is_a_gap_and_never_silent() {
        let outbox = filled(Keep::default(), 1_001);
        let mut reader = outbox.reader(From::After(0));
        assert_eq!(reader.next().await, Next::Gap);
        assert!(drain(&mut reader).await.is_empty(), "a reader that begins anew is told nothing of the past");
        for from in [From::Unknown, From::After(5_000)] {
            assert_eq!(outbox.reader(from).next().await, Next::Gap, "{from:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn old_messages_are_forgotten_once_they_were_taken() {
        let outbox = filled(Keep::default(), 3);
        drain(&mut outbox.reader(From::Waiting)).await;
        tokio::time::advance(Duration::from_secs(61)).await;
        outbox.push("4".into());
        assert_eq!(outbox.reader(From::After(1)).next().await, Next::Gap);
    }

    #[tokio::test(start_paused = true)]
    async fn messages_that_nobody_took_do_not_grow_old() {
        let outbox = filled(Keep::default(), 3);
        tokio::time::advance(Duration::from_mins(10)).await;
        outbox.push("4".into());
        assert_eq!(drain(&mut outbox.reader(From::Waiting)).await, [1, 2, 3, 4]);
    }

    #[tokio::test(start_paused = true)]
    async fn producers_wait_for_a_slow_reader() {
        let outbox = filled(Keep { waiting: 4, ..Keep::default() }, 4);
        let waiting = tokio::spawn({
            let outbox = Arc::clone(&outbox);
            async move { outbox.room().await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        outbox.reader(From::Waiting).next().await;
        assert!(waiting.await.unwrap(), "it had to wait");
        assert!(!outbox.room().await, "now there is room at once");
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_are_bounded_like_messages() {
        let outbox = filled(Keep { bytes: 10, ..Keep::default() }, 9);
        outbox.push("abcdef".into());
        let mut reader = outbox.reader(From::Waiting);
        assert_eq!(reader.next().await, Next::Gap);
        assert!(outbox.lock().bytes <= 10);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_retracted_is_not_delivered_any_more() {
        let outbox = filled(Keep::default(), 1);
        outbox.push_about(&"sub_1".into(), "2".into());
        outbox.push_about(&"sub_2".into(), "3".into());
        outbox.retract("sub_1");
        assert_eq!(drain(&mut outbox.reader(From::Waiting)).await, [1, 3]);
        assert!(outbox.is_drained() || outbox.lock().taken == 3);
    }

    #[tokio::test(start_paused = true)]
    async fn what_could_not_be_handed_on_is_told_to_the_next() {
        let outbox = filled(Keep::default(), 3);
        let mut reader = outbox.reader(From::Waiting);
        reader.next().await;
        reader.next().await;
        reader.give_back(2);
        drop(reader);
        assert_eq!(drain(&mut outbox.reader(From::Waiting)).await, [2, 3]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_comes_after_the_last_message() {
        let outbox = filled(Keep::default(), 1);
        outbox.end();
        outbox.push("2".into());
        let mut reader = outbox.reader(From::Waiting);
        assert_eq!(reader.next().await, Next::Message(1, "1".into()));
        assert_eq!(reader.next().await, Next::End);
    }
}
