//! Secrets: made from the system's random source, compared in constant time, never shown.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq;

/// Bits enough that nobody guesses it.
const BYTES: usize = 24;

/// The system has no random numbers to give.
#[derive(Debug, thiserror::Error)]
#[error("the system's random source does not answer")]
pub struct NoRandomness;

/// A token that is compared, not read.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Wraps a token that somebody chose.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// A token that nobody can guess.
    pub fn random() -> Result<Self, NoRandomness> {
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes::<BYTES>()?)))
    }

    /// Whether `other` is the same; the time it takes tells nothing but the length.
    pub fn matches(&self, other: &str) -> bool {
        self.0.as_bytes().ct_eq(other.as_bytes()).into()
    }

    /// The token itself, to be handed to its owner and nobody else.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("‹token›")
    }
}

/// Random bytes.
pub fn bytes<const N: usize>() -> Result<[u8; N], NoRandomness> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| NoRandomness)?;
    Ok(bytes)
}

/// A name that nobody can guess, such as `sess_…`.
pub(crate) fn name(prefix: &str) -> Result<String, NoRandomness> {
    Ok(format!("{prefix}{}", URL_SAFE_NO_PAD.encode(bytes::<16>()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_matches_itself_and_nothing_near_it() {
        let token = Token::new("correct horse battery staple");
        assert!(token.matches("correct horse battery staple"));
        for near in [
            "",
            "correct horse battery stapl",
            "correct horse battery staplf",
            "correct horse battery staple ",
        ] {
            assert!(!token.matches(near), "{near}");
        }
    }

    #[test]
    fn a_token_is_not_printed() {
        assert_eq!(format!("{:?}", Token::new("canary")), "‹token›");
    }

    #[test]
    fn names_do_not_repeat() {
        let names: std::collections::HashSet<_> = (0..1_000).map(|_| name("sess_").unwrap()).collect();
        assert_eq!(names.len(), 1_000);
    }
}
