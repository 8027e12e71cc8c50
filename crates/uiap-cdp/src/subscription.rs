//! Bounded queues between the reader and its subscribers: a slow one loses events and is told so, nobody else waits.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

use futures_util::{Stream, StreamExt};

/// Something that can wait in a subscriber's queue.
pub(crate) trait Queued: Sized {
    fn lagged(count: u64) -> Self;
    fn weight(&self) -> usize;
}

/// How much may wait for one subscriber before events are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// The number of events.
    pub events: usize,
    /// Their size in bytes.
    pub bytes: usize,
}

impl Default for Capacity {
    fn default() -> Self {
        Self { events: 8192, bytes: 64 << 20 }
    }
}

struct Waiting<T> {
    items: VecDeque<T>,
    bytes: usize,
    dropped: u64,
    closed: bool,
    waker: Option<Waker>,
}

struct Queue<T> {
    capacity: Capacity,
    filter: Option<Box<[&'static str]>>,
    waiting: Mutex<Waiting<T>>,
}

impl<T: Queued> Queue<T> {
    fn lock(&self) -> MutexGuard<'_, Waiting<T>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, item: T) {
        self.change(|waiting| {
            let full = waiting.items.len() >= self.capacity.events
                || (waiting.bytes + item.weight() > self.capacity.bytes && !waiting.items.is_empty());
            if full {
                waiting.dropped += 1;
                return;
            }
            waiting.note_dropped();
            waiting.bytes += item.weight();
            waiting.items.push_back(item);
        });
    }

    fn close(&self, last: T) {
        self.change(|waiting| {
            waiting.note_dropped();
            waiting.items.push_back(last);
            waiting.closed = true;
        });
    }

    fn change(&self, change: impl FnOnce(&mut Waiting<T>)) {
        let waker = {
            let mut waiting = self.lock();
            if waiting.closed {
                return;
            }
            change(&mut waiting);
            waiting.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T: Queued> Waiting<T> {
    /// The gap is marked where it happened: behind what was kept, before what follows.
    fn note_dropped(&mut self) {
        if self.dropped > 0 {
            self.items.push_back(T::lagged(std::mem::take(&mut self.dropped)));
        }
    }

    fn pop(&mut self) -> Option<T> {
        if self.items.is_empty() {
            self.note_dropped();
        }
        let item = self.items.pop_front()?;
        self.bytes = self.bytes.saturating_sub(item.weight());
        Some(item)
    }
}

/// A subscription: a stream that ends after its last event. Dropping it ends the subscription.
pub struct Subscription<T> {
    queue: Arc<Queue<T>>,
}

impl<T> Subscription<T> {
    /// The next event, as soon as there is one; none after the last.
    pub async fn next(&mut self) -> Option<T>
    where
        Self: Stream<Item = T>,
    {
        StreamExt::next(self).await
    }
}

#[expect(private_bounds, reason = "what can be queued is this crate's to decide")]
impl<T: Queued> Subscription<T> {
    /// The next event if there is one already. What was sent before the answer to a call is there when the answer is.
    pub fn try_next(&mut self) -> Option<T> {
        self.queue.lock().pop()
    }
}

impl<T: Queued> Stream for Subscription<T> {
    type Item = T;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let mut waiting = self.queue.lock();
        match waiting.pop() {
            Some(item) => Poll::Ready(Some(item)),
            None if waiting.closed => Poll::Ready(None),
            None => {
                waiting.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl<T> fmt::Debug for Subscription<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Subscription")
    }
}

/// Everybody who listens to one source.
pub(crate) struct Subscribers<T> {
    state: Mutex<Listening<T>>,
}

struct Listening<T> {
    queues: Vec<Weak<Queue<T>>>,
    last: Option<T>,
}

impl<T: Queued + Clone> Subscribers<T> {
    pub(crate) fn new() -> Self {
        Self { state: Mutex::new(Listening { queues: Vec::new(), last: None }) }
    }

    fn lock(&self) -> MutexGuard<'_, Listening<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A subscriber who comes after the end learns of the end.
    pub(crate) fn subscribe(&self, capacity: Capacity, filter: Option<&[&'static str]>) -> Subscription<T> {
        let waiting = Waiting { items: VecDeque::new(), bytes: 0, dropped: 0, closed: false, waker: None };
        let queue = Arc::new(Queue { capacity, filter: filter.map(Box::from), waiting: Mutex::new(waiting) });
        let mut listening = self.lock();
        match &listening.last {
            Some(last) => queue.close(last.clone()),
            None => listening.queues.push(Arc::downgrade(&queue)),
        }
        Subscription { queue }
    }

    /// Hands an item to everybody; `method` is the name that filters look at, none passes every filter.
    pub(crate) fn publish(&self, method: Option<&str>, item: &T) {
        self.each(|queue| {
            let wanted = match (&queue.filter, method) {
                (Some(filter), Some(method)) => filter.contains(&method),
                _ => true,
            };
            if wanted {
                queue.push(item.clone());
            }
        });
    }

    pub(crate) fn drop_one(&self) {
        self.each(|queue| queue.change(|waiting| waiting.dropped += 1));
    }

    pub(crate) fn close(&self, last: &T) {
        let mut listening = self.lock();
        for queue in listening.queues.drain(..).filter_map(|queue| queue.upgrade()) {
            queue.close(last.clone());
        }
        listening.last.get_or_insert_with(|| last.clone());
    }

    fn each(&self, mut visit: impl FnMut(&Queue<T>)) {
        self.lock().queues.retain(|queue| queue.upgrade().inspect(|queue| visit(queue)).is_some());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq)]
    enum Item {
        Number(u32),
        Big(usize),
        Lagged(u64),
        End,
    }

    impl Queued for Item {
        fn lagged(count: u64) -> Self {
            Self::Lagged(count)
        }

        fn weight(&self) -> usize {
            if let Self::Big(bytes) = self { *bytes } else { 1 }
        }
    }

    async fn drain(mut subscription: Subscription<Item>) -> Vec<Item> {
        let mut items = Vec::new();
        while let Some(item) = subscription.next().await {
            items.push(item);
        }
        items
    }

    #[tokio::test]
    async fn a_gap_is_marked_where_it_happened() {
        let subscribers = Subscribers::new();
        let mut subscription = subscribers.subscribe(Capacity { events: 2, bytes: 100 }, None);
        for number in 0..5 {
            subscribers.publish(None, &Item::Number(number));
        }
        assert_eq!(subscription.next().await, Some(Item::Number(0)));
        subscribers.publish(None, &Item::Number(5));
        subscribers.close(&Item::End);
        assert_eq!(drain(subscription).await, [Item::Number(1), Item::Lagged(3), Item::Number(5), Item::End]);
    }

    #[tokio::test]
    async fn a_gap_without_a_successor_is_told_too() {
        let subscribers = Subscribers::new();
        let mut subscription = subscribers.subscribe(Capacity { events: 1, bytes: 100 }, None);
        for number in 0..3 {
            subscribers.publish(None, &Item::Number(number));
        }
        assert_eq!(subscription.next().await, Some(Item::Number(0)));
        assert_eq!(subscription.next().await, Some(Item::Lagged(2)));
    }

    #[tokio::test]
    async fn bytes_are_bounded_but_one_big_event_always_fits() {
        let subscribers = Subscribers::new();
        let subscription = subscribers.subscribe(Capacity { events: 10, bytes: 100 }, None);
        subscribers.publish(None, &Item::Big(1000));
        subscribers.publish(None, &Item::Number(1));
        subscribers.close(&Item::End);
        assert_eq!(drain(subscription).await, [Item::Big(1000), Item::Lagged(1), Item::End]);
    }

    #[tokio::test]
    async fn a_filter_passes_what_it_names_and_what_has_no_name() {
        let subscribers = Subscribers::new();
        let subscription = subscribers.subscribe(Capacity::default(), Some(&["a"]));
        subscribers.publish(Some("a"), &Item::Number(1));
        subscribers.publish(Some("b"), &Item::Number(2));
        subscribers.publish(None, &Item::Number(3));
        subscribers.close(&Item::End);
        assert_eq!(drain(subscription).await, [Item::Number(1), Item::Number(3), Item::End]);
    }

    #[tokio::test]
    async fn who_comes_after_the_end_learns_of_the_end() {
        let subscribers = Subscribers::new();
        subscribers.close(&Item::End);
        assert_eq!(drain(subscribers.subscribe(Capacity::default(), None)).await, [Item::End]);
    }
}
