//! The reins of a run: go on, wait, stop.

use std::sync::Arc;

use tokio::sync::watch;

/// What a run shall do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rein {
    /// Go on.
    Go,
    /// Finish what is under way, then wait.
    Pause,
    /// Stop at once; what was found until then is kept.
    Cancel,
}

/// The reins of a run. Cheap to clone; whoever holds one may pull it.
#[derive(Clone, Debug)]
pub struct Control {
    rein: Arc<watch::Sender<Rein>>,
}

impl Default for Control {
    fn default() -> Self {
        Self { rein: Arc::new(watch::Sender::new(Rein::Go)) }
    }
}

impl Control {
    /// Lets the run finish what is under way and wait then.
    pub fn pause(&self) {
        self.rein.send_if_modified(|rein| {
            let pauses = *rein == Rein::Go;
            if pauses {
                *rein = Rein::Pause;
            }
            pauses
        });
    }

    /// Lets it go on.
    pub fn resume(&self) {
        self.rein.send_if_modified(|rein| {
            let resumes = *rein == Rein::Pause;
            if resumes {
                *rein = Rein::Go;
            }
            resumes
        });
    }

    /// Stops it for good.
    pub fn cancel(&self) {
        self.rein.send_replace(Rein::Cancel);
    }

    /// What it shall do.
    pub fn rein(&self) -> Rein {
        *self.rein.borrow()
    }

    /// Waits until it shall not wait any more.
    pub async fn released(&self) -> Rein {
        let mut rein = self.rein.subscribe();
        rein.wait_for(|rein| *rein != Rein::Pause).await.map_or(Rein::Cancel, |rein| *rein)
    }

    /// Waits until it shall wait.
    pub async fn paused(&self) {
        let mut rein = self.rein.subscribe();
        // The sender lives as long as this does.
        drop(rein.wait_for(|rein| *rein == Rein::Pause).await);
    }

    /// Waits until it shall stop.
    pub async fn cancelled(&self) {
        let mut rein = self.rein.subscribe();
        // The sender lives as long as this does.
        drop(rein.wait_for(|rein| *rein == Rein::Cancel).await);
    }
}
