//! Which frames may be looked into: origins, each named in full.

use std::collections::BTreeSet;
use std::time::Duration;

/// How long a frame may take to answer before it counts as opaque.
pub(super) const HANDSHAKE: Duration = Duration::from_secs(2);

/// The origins whose frames may be looked into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BridgeGrants {
    origins: BTreeSet<String>,
    patience: Duration,
}

impl Default for BridgeGrants {
    fn default() -> Self {
        Self { origins: BTreeSet::new(), patience: HANDSHAKE }
    }
}

/// A grant that cannot be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GrantError {
    /// Not scheme, host and port.
    #[error("`{0}` is not an origin such as `https://pay.example.com`; wildcards and paths are not granted")]
    Origin(String),
    /// No origin at all.
    #[error("no origin is granted")]
    Empty,
}

impl BridgeGrants {
    /// Grants for exactly these origins.
    pub fn new<S: AsRef<str>>(origins: impl IntoIterator<Item = S>) -> Result<Self, GrantError> {
        let checked = |origin: S| {
            let origin = origin.as_ref().to_owned();
            let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
            let fits = host
                .is_some_and(|host| !host.is_empty() && !host.contains(['/', '?', '#', '@', '*', ' ', '\\']));
            if fits { Ok(origin) } else { Err(GrantError::Origin(origin)) }
        };
        let origins = origins.into_iter().map(checked).collect::<Result<BTreeSet<_>, _>>()?;
        if origins.is_empty() { Err(GrantError::Empty) } else { Ok(Self { origins, ..Self::default() }) }
    }

    /// The same with so much time for a frame to be looked into; two seconds otherwise.
    #[must_use]
    pub fn within(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    pub(super) fn patience(&self) -> Duration {
        self.patience
    }

    pub(super) fn origins(&self) -> &BTreeSet<String> {
        &self.origins
    }

    pub(super) fn allows(&self, origin: &str) -> bool {
        self.origins.contains(origin.trim_end_matches('/'))
    }
}
