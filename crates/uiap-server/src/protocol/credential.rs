//! Who is at the other end, by what the transport proved. Claims inside messages give no rights.

use compact_str::CompactString;
use uiap_model::names::SessionId;
use uiap_model::policy::{PolicyGrant, PolicyPrincipal, PrincipalType};
use uiap_policy::confirmation::Party;

use crate::secret::Token;

/// What the holder of a token is trusted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Asks for actions; never confirms any.
    Agent,
    /// A person's tool: confirms what agents asked for.
    Approver,
}

/// A proven identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// Names the holder; two tokens are two holders.
    pub id: CompactString,
    /// What the holder is trusted with.
    pub part: Part,
}

impl Credential {
    /// The one who comes without a token, where none is asked for.
    pub fn anonymous() -> Self {
        Self { id: "local".into(), part: Part::Agent }
    }

    /// The principal on the connection of one session.
    pub(crate) fn party(&self, session: &SessionId, grants: &[PolicyGrant]) -> Party {
        Party { principal: self.principal(grants), connection: session.as_str().into() }
    }

    /// The principal that policies are asked about.
    pub fn principal(&self, grants: &[PolicyGrant]) -> PolicyPrincipal {
        let (principal_type, grants) = match self.part {
            Part::Agent => (PrincipalType::Agent, grants.to_vec()),
            Part::Approver => (PrincipalType::User, vec![PolicyGrant::Observe]),
        };
        PolicyPrincipal { principal_type, id: self.id.clone(), roles: None, grants: Some(grants) }
    }
}

/// A file of tokens that cannot be used. No token is ever quoted.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyringError {
    /// Too easy to guess.
    #[error("line {0}: a token has at least 22 characters")]
    Short(usize),
    /// A word that is no part.
    #[error("line {0}: after the token comes `agent`, `approver` or nothing")]
    Part(usize),
    /// The same token twice.
    #[error("line {0}: this token stands in the file already")]
    Twice(usize),
    /// A file without tokens would let nobody in, or everybody.
    #[error("there is no token in the file")]
    Empty,
}

/// 128 bits in base64 without padding.
const SHORTEST: usize = 22;

/// All tokens of a server. Empty: nobody is asked for one.
#[derive(Clone, Debug, Default)]
pub struct Keyring {
    keys: Vec<(Token, Credential)>,
}

impl Keyring {
    /// Reads one token a line, followed by `agent` (the default) or `approver`; `#` begins a comment.
    pub fn parse(text: &str) -> Result<Self, KeyringError> {
        let mut keyring = Self::default();
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
            let Some(token) = words.next() else { continue };
            let part = match (words.next(), words.next()) {
                (None | Some("agent"), None) => Part::Agent,
                (Some("approver"), None) => Part::Approver,
                _ => return Err(KeyringError::Part(number)),
            };
            if token.chars().count() < SHORTEST {
                return Err(KeyringError::Short(number));
            }
            if keyring.find(token).is_some() {
                return Err(KeyringError::Twice(number));
            }
            keyring.add(Token::new(token), part);
        }
        if keyring.keys.is_empty() { Err(KeyringError::Empty) } else { Ok(keyring) }
    }

    /// Adds a token.
    pub fn add(&mut self, token: Token, part: Part) {
        let id = compact_str::format_compact!("token-{}", self.keys.len() + 1);
        self.keys.push((token, Credential { id, part }));
    }

    /// Whether a token is asked for at all.
    pub fn demands(&self) -> bool {
        !self.keys.is_empty()
    }

    /// The holder of a token. All tokens are compared, so that the time does not tell which one it was.
    pub fn find(&self, token: &str) -> Option<Credential> {
        let mut found = None;
        for (key, credential) in &self.keys {
            if key.matches(token) {
                found = Some(credential.clone());
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_tokens_names_a_holder_for_each() {
        let text = "# tokens\naaaaaaaaaaaaaaaaaaaaaaaa\n\nbbbbbbbbbbbbbbbbbbbbbbbb approver # a person\n";
        let keyring = Keyring::parse(text).unwrap();
        assert!(keyring.demands());
        let agent = keyring.find("aaaaaaaaaaaaaaaaaaaaaaaa").unwrap();
        let approver = keyring.find("bbbbbbbbbbbbbbbbbbbbbbbb").unwrap();
        assert_eq!((agent.part, approver.part), (Part::Agent, Part::Approver));
        assert_ne!(agent.id, approver.id);
        assert_eq!(keyring.find("bbbbbbbbbbbbbbbbbbbbbbb"), None);
    }

    #[test]
    fn a_bad_file_of_tokens_is_refused_by_line_and_never_quoted() {
        let long = "x".repeat(30);
        let cases = [
            ("canary".to_owned(), KeyringError::Short(1)),
            (format!("\n{long} owner"), KeyringError::Part(2)),
            (format!("{long}\n{long}"), KeyringError::Twice(2)),
            ("# nothing\n".to_owned(), KeyringError::Empty),
        ];
        for (text, error) in cases {
            let found = Keyring::parse(&text).unwrap_err();
            assert!(!found.to_string().contains("canary"));
            assert_eq!(found, error);
        }
    }
}
