//! An answer that is asked for together with an input: it comes as soon as the input was handled, and saves a way to the page and back. Whoever
//! looks next finds it here.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::error::PageError;
use crate::page::Page;

/// For so long an answer is as good as a look.
const RECENT: Duration = Duration::from_millis(50);

/// The browser says that an input is handled: if no event of the wanted kind was told after this time, there was none.
const HANDLED: Duration = Duration::from_millis(20);

/// What was asked for beside inputs, for one observation. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Early {
    page: Page,
    id: String,
    slot: Arc<Mutex<Slot>>,
}

#[derive(Debug, Default)]
enum Slot {
    #[default]
    Empty,
    /// The page was asked; if nobody waits any more, its answer is lost.
    Asked,
    Answered(String, Instant),
}

/// What the page told of an input.
#[derive(Debug)]
pub(crate) enum Handled {
    /// What the guard of a gesture saw of it; empty when there is none.
    Seen(String),
    /// The document went away with it.
    Left,
    /// Nobody observes this document.
    Unobserved,
}

/// What there is for somebody who looks.
#[derive(Debug)]
pub(super) enum Taken {
    Nothing,
    /// An answer, and whether it is as good as a look now.
    Answer(String, bool),
    /// The page told something that nobody heard.
    Lost,
}

impl Early {
    pub(super) fn new(page: Page, id: String) -> Self {
        Self { page, id, slot: Arc::default() }
    }

    /// By what the page knows the observation.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Sends an input, and asks at the same time for what the page is once an event of one of these kinds was handled.
    pub(crate) async fn beside<T>(
        &self,
        kinds: &[&str],
        input: impl Future<Output = T>,
    ) -> (T, Result<Handled, PageError>) {
        let mut slot = self.slot.lock().await;
        if !matches!(*slot, Slot::Empty) {
            return (input.await, Ok(Handled::Unobserved));
        }
        *slot = Slot::Asked;
        let asked = self.page.ask_once("after", json!({ "id": self.id, "kinds": kinds }));
        let (mut asked, mut input) = (pin!(asked), pin!(input));
        let mut answer = None;
        let outcome = loop {
            tokio::select! {
                biased;
                told = &mut asked, if answer.is_none() => answer = Some(told),
                outcome = &mut input => break outcome,
            }
        };
        if answer.is_none() {
            answer = tokio::time::timeout(HANDLED, &mut asked).await.ok();
        }
        let answer = if let Some(answer) = answer {
            answer
        } else {
            self.hurry();
            asked.await
        };
        let (now, handled) = match answer {
            Ok(text) => match text.split_once('\n') {
                Some((seen, answer)) => {
                    (Slot::Answered(answer.to_owned(), Instant::now()), Ok(Handled::Seen(seen.to_owned())))
                }
                None => (Slot::Empty, Ok(Handled::Unobserved)),
            },
            Err(error) if error.is_document_gone() => (Slot::Empty, Ok(Handled::Left)),
            Err(error) => (Slot::Asked, Err(error)),
        };
        *slot = now;
        (outcome, handled)
    }

    fn hurry(&self) {
        let page = self.page.clone();
        tokio::spawn(async move {
            if let Err(error) = page.ask_once("hurry", Value::Null).await {
                tracing::debug!(%error, "nobody is there to hurry");
            }
        });
    }

    /// Whether something was told beside the last input.
    pub(crate) fn is_answered(&self) -> bool {
        self.slot.try_lock().is_ok_and(|slot| matches!(*slot, Slot::Answered(..)))
    }

    /// What was told beside the last input, once.
    pub(super) async fn take(&self) -> Taken {
        match std::mem::take(&mut *self.slot.lock().await) {
            Slot::Empty => Taken::Nothing,
            Slot::Answered(text, at) => Taken::Answer(text, at.elapsed() < RECENT),
            Slot::Asked => Taken::Lost,
        }
    }
}
