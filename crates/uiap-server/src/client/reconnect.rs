//! When a lost link is tried again: ever later, never at the same moment as everybody else, and not at all after some endings.

use std::time::Duration;

use uiap_model::core::binding::ReconnectPolicy;

/// No more attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the link could not be made in {0} attempts")]
pub struct GivenUp(pub u64);

/// The waits between attempts.
#[derive(Clone, Debug)]
pub struct Reconnect {
    initial: f64,
    most: f64,
    factor: f64,
    jitter: bool,
    attempts: Option<u64>,
    made: u64,
}

impl Reconnect {
    /// By a policy: 500 ms, twice as long each time, 15 s at most, with jitter, where it says nothing else.
    pub fn new(policy: &ReconnectPolicy) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "milliseconds beyond 2^53 are no wait")]
        let milliseconds =
            |count: Option<&uiap_model::json::Count>, usual: f64| count.map_or(usual, |count| count.0 as f64);
        Self {
            initial: milliseconds(policy.initial_delay_ms.as_ref(), 500.0),
            most: milliseconds(policy.max_delay_ms.as_ref(), 15_000.0),
            factor: policy.factor.as_ref().map_or(2.0, |factor| factor.0),
            jitter: policy.jitter.unwrap_or(true),
            attempts: policy.max_attempts.as_ref().map(|count| count.0),
            made: 0,
        }
    }

    /// The wait before the next attempt. `chance`, from 0 to 1, spreads clients that were lost at the same moment.
    pub fn wait(&mut self, chance: f64) -> Result<Duration, GivenUp> {
        if let Some(most) = self.attempts.filter(|most| self.made >= *most) {
            return Err(GivenUp(most));
        }
        let power = i32::try_from(self.made.min(1_000)).unwrap_or(1_000);
        self.made += 1;
        let full = (self.initial * self.factor.powi(power)).min(self.most);
        // Up to a fifth shorter: late enough for the server, never all at once.
        let shift = if self.jitter { 0.8 + 0.2 * chance.clamp(0.0, 1.0) } else { 1.0 };
        Ok(Duration::try_from_secs_f64(full * shift / 1_000.0).unwrap_or(Duration::MAX))
    }

    /// A link was made: the next loss begins anew.
    pub fn connected(&mut self) {
        self.made = 0;
    }
}

/// Whether a client may come back by itself after this close code: not when it was refused, replaced or dismissed.
pub fn may_reconnect(code: u16) -> bool {
    !matches!(code, 1000 | 1003 | 1009 | 4400 | 4401 | 4403 | 4409)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(text: &str) -> ReconnectPolicy {
        serde_json::from_str(text).unwrap()
    }

    fn waits(policy: &ReconnectPolicy, chance: f64, count: usize) -> Vec<u128> {
        let mut reconnect = Reconnect::new(policy);
        (0..count).map_while(|_| reconnect.wait(chance).ok()).map(|wait| wait.as_millis()).collect()
    }

    /// Requirement: BIND-S-01
    #[test]
    fn waits_grow_to_fifteen_seconds_and_vary() {
        let usual = policy("{}");
        assert_eq!(waits(&usual, 1.0, 7), [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
        for (early, late) in waits(&usual, 0.0, 10).into_iter().zip(waits(&usual, 1.0, 10)) {
            assert!(early < late && early * 10 >= late * 7, "{early} {late}");
        }
        assert_eq!(
            waits(&policy(r#"{"jitter":false,"initialDelayMs":10,"factor":3,"maxDelayMs":50}"#), 0.3, 4),
            [10, 30, 50, 50]
        );
        let mut bounded = Reconnect::new(&policy(r#"{"maxAttempts":2}"#));
        assert!(bounded.wait(0.5).is_ok() && bounded.wait(0.5).is_ok());
        assert_eq!(bounded.wait(0.5), Err(GivenUp(2)));
        bounded.connected();
        assert!(bounded.wait(0.5).is_ok());
    }

    /// Requirement: BIND-S-04
    #[test]
    fn who_was_refused_or_replaced_does_not_come_back_by_itself() {
        for code in [4403, 4409] {
            assert!(!may_reconnect(code), "{code}");
        }
        for code in [4408, 1006, 1001] {
            assert!(may_reconnect(code), "{code}");
        }
    }
}
