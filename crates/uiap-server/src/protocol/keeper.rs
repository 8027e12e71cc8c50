//! What time does to a session: heartbeats, silence, the end of patience.

use std::sync::Arc;

use uiap_model::core::{SessionHeartbeatPayload, TerminateReason};
use uiap_model::json::Count;

use super::session::Session;
use super::standing::Due;

impl Session {
    /// Keeps time until the session is closed.
    pub(crate) async fn keep(self: &Arc<Self>) {
        let mut seq = 0;
        loop {
            let Some((at, due)) = self.standing().due() else {
                tokio::select! {
                    () = self.cancel.cancelled() => return,
                    () = self.changed.notified() => continue,
                }
            };
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => return,
                () = self.changed.notified() => {}
                () = tokio::time::sleep_until(at) => match due {
                    Due::Beat => self.beat(&mut seq),
                    Due::Silence => self.suspend(),
                    Due::Lapse => self.close(),
                    Due::Idle => self.terminate(TerminateReason::IdleTimeout, None),
                },
            }
        }
    }

    /// A sign of life, unless something else is on its way: that is one too.
    fn beat(&self, seq: &mut u64) {
        self.standing().beaten();
        if self.outbox.is_drained() {
            *seq += 1;
            let payload = SessionHeartbeatPayload { seq: Count(*seq) };
            self.outbox.push(self.writer.event("session.heartbeat", &payload).text);
        }
    }
}
