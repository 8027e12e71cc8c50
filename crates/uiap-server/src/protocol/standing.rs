//! Where a session stands: its state, who holds it, and when it was last heard of.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use uiap_model::core::SessionState;

use super::credential::Credential;

/// Why a connection is let go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Farewell {
    /// Nothing was heard for three intervals.
    HeartbeatLost,
    /// Another connection holds the session now.
    Superseded,
}

/// Who may speak for a session: the peer that opened or resumed it.
#[derive(Clone, Debug)]
pub enum Holder {
    /// One connection; its end is the end of the link.
    Link {
        /// Its number.
        number: u64,
        /// How it is told to go.
        farewell: watch::Sender<Option<Farewell>>,
    },
    /// Whoever proves the same identity, message by message.
    Posts,
}

/// Who sends a message.
#[derive(Clone, Debug)]
pub enum Sender<'a> {
    /// The connection of this number.
    Link(u64),
    /// Somebody with this identity.
    Posts(&'a Credential),
}

/// How long a session lives in silence.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Time between two heartbeats; none are sent or expected without it.
    pub heartbeat: Option<Duration>,
    /// How long a suspended session can be resumed.
    pub window: Duration,
    /// How long a session may do nothing.
    pub idle: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            heartbeat: Some(Duration::from_secs(15)),
            window: Duration::from_mins(1),
            idle: Duration::from_mins(30),
        }
    }
}

/// What time brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Time for a sign of life of ours.
    Beat,
    /// Three intervals without one of theirs.
    Silence,
    /// The window has closed.
    Lapse,
    /// Nothing was asked for a long time.
    Idle,
}

#[derive(Debug)]
pub(crate) struct Standing {
    state: SessionState,
    pub(crate) holder: Holder,
    patience: Patience,
    heard: Instant,
    busy: Instant,
    beat: Instant,
    suspended: Instant,
}

impl Standing {
    pub(crate) fn new(holder: Holder, patience: Patience) -> Self {
        let now = Instant::now();
        let state = SessionState::Active;
        Self { state, holder, patience, heard: now, busy: now, beat: now, suspended: now }
    }

    pub(crate) fn state(&self) -> SessionState {
        self.state
    }

    /// Goes on to `next`, where that is a step that a session can take.
    pub(crate) fn turn(&mut self, next: SessionState) -> bool {
        let may = self.state.may_become(next);
        if may {
            self.state = next;
            if next == SessionState::Suspended {
                self.suspended = Instant::now();
            }
        }
        may
    }

    /// Somebody spoke; `asked` when it was more than a sign of life.
    pub(crate) fn heard(&mut self, asked: bool) {
        self.heard = Instant::now();
        if asked {
            self.busy = self.heard;
        }
    }

    /// Somebody took the session over; the one who held it is told.
    pub(crate) fn taken_by(&mut self, holder: Holder, patience: Patience) {
        if let Holder::Link { farewell, .. } = &self.holder {
            farewell.send_replace(Some(Farewell::Superseded));
        }
        self.holder = holder;
        self.patience = patience;
        self.beat = Instant::now();
        self.heard(true);
        if self.state == SessionState::Suspended {
            self.turn(SessionState::Active);
        }
    }

    pub(crate) fn is_held_by(&self, sender: &Sender<'_>, owner: &Credential) -> bool {
        match (&self.holder, sender) {
            (Holder::Link { number, .. }, Sender::Link(sender)) => number == sender,
            (Holder::Posts, Sender::Posts(credential)) => owner == *credential,
            _ => false,
        }
    }

    /// What comes next if nobody speaks, and when.
    pub(crate) fn due(&self) -> Option<(Instant, Due)> {
        match self.state {
            SessionState::Suspended => Some((self.suspended + self.patience.window, Due::Lapse)),
            SessionState::Active => {
                let idle = (self.busy + self.patience.idle, Due::Idle);
                let Some(interval) = self.patience.heartbeat else { return Some(idle) };
                let beat = (self.beat + interval, Due::Beat);
                let silence = (self.heard + interval * 3, Due::Silence);
                [silence, beat, idle].into_iter().min_by_key(|(at, _)| *at)
            }
            _ => None,
        }
    }

    pub(crate) fn beaten(&mut self) {
        self.beat = Instant::now();
    }

    /// Lets the connection go.
    pub(crate) fn dismiss(&self, why: Farewell) {
        if let Holder::Link { farewell, .. } = &self.holder {
            farewell.send_replace(Some(why));
        }
    }
}
