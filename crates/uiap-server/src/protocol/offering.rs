//! What the app says that it can do changes while it runs; a session is told once for every change.

use std::sync::Arc;
use std::time::Duration;

use compact_str::CompactString;
use serde::Serialize;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::time::Instant;
use uiap_model::core::capabilities::CapabilitiesChangedPayload;
use uiap_model::core::negotiation::{POLICY, POLICY_ALIAS, canonical};

use super::eye::News;
use super::session::Session;

/// A page that changes all the time is asked no more often than this.
const PAUSE: Duration = Duration::from_millis(250);

impl Session {
    /// Looks at what the page offers whenever something happened on it, and tells what is new.
    pub(crate) async fn follow_capabilities(self: Arc<Self>, mut news: broadcast::Receiver<News>) {
        let mut told: CompactString = self.house.contract.revision().into();
        let mut due = Instant::now();
        loop {
            tokio::select! {
                () = self.cancel.cancelled() => return,
                news = news.recv() => if matches!(news, Err(RecvError::Closed)) { return },
            }
            tokio::select! {
                () = self.cancel.cancelled() => return,
                () = tokio::time::sleep_until(due) => {}
            }
            // Everything until now is answered by one look.
            news = news.resubscribe();
            let contract = self.house.contract.with_offered(self.eye.offered().await);
            due = Instant::now() + PAUSE;
            if *told != *contract.revision() {
                told = contract.revision().into();
                let reason = Some("the page offers other actions".into());
                let payload = CapabilitiesChangedPayload { revision: told.clone(), reason };
                self.outbox.push(self.writer.event("capabilities.changed", &payload).text);
            }
        }
    }

    /// Whether messages of the policy extension were agreed on.
    pub(crate) fn has_policy(&self) -> bool {
        self.policy_name().is_some()
    }

    fn policy_name(&self) -> Option<&str> {
        let mut names = self.agreement.extensions.iter().map(|each| each.id.as_str());
        names.find(|name| canonical(name) == POLICY)
    }

    /// A word of the policy extension as the peer knows it.
    pub(crate) fn policy_word(&self, rest: &str) -> String {
        let former = self.policy_name().is_some_and(|name| name == POLICY_ALIAS);
        format!("{}.{rest}", if former { POLICY_ALIAS } else { POLICY })
    }

    /// Tells something about the policy to a peer that agreed to hear of it.
    pub(crate) fn tell_of_policy<P: Serialize>(&self, rest: &str, payload: &P) {
        if self.has_policy() {
            self.outbox.push(self.writer.event(&self.policy_word(rest), payload).text);
        }
    }
}
