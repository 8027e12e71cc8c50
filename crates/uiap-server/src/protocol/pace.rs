//! How many requests a session may make over time: bursts are fine, floods are not.

use tokio::time::Instant;

/// Requests at once, and for each second.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// At once.
    pub burst: f64,
    /// For each second.
    pub per_second: f64,
}

impl Default for Rate {
    fn default() -> Self {
        Self { burst: 2_000.0, per_second: 500.0 }
    }
}

/// What is left of a rate.
#[derive(Debug)]
pub(crate) struct Pace {
    rate: Rate,
    left: f64,
    at: Instant,
}

impl Pace {
    pub(crate) fn new(rate: Rate) -> Self {
        Self { rate, left: rate.burst, at: Instant::now() }
    }

    /// One more request, or the milliseconds until there may be one.
    pub(crate) fn step(&mut self) -> Result<(), u64> {
        let now = Instant::now();
        let passed = now.duration_since(self.at).as_secs_f64();
        self.left = (self.left + passed * self.rate.per_second).min(self.rate.burst);
        self.at = now;
        if self.left >= 1.0 {
            self.left -= 1.0;
            return Ok(());
        }
        let wait = std::time::Duration::try_from_secs_f64((1.0 - self.left) / self.rate.per_second);
        Err(wait.map_or(u64::MAX, |wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_burst_passes_a_flood_waits_and_time_heals() {
        let mut pace = Pace::new(Rate { burst: 3.0, per_second: 10.0 });
        for _ in 0..3 {
            assert_eq!(pace.step(), Ok(()));
        }
        assert_eq!(pace.step(), Err(100));
        tokio::time::advance(std::time::Duration::from_millis(100)).await;
        assert_eq!(pace.step(), Ok(()));
        assert!(pace.step().is_err());
    }
}
