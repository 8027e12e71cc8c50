//! Where the bindings live: the paths of a deployment.

use uiap_model::core::binding::{HTTPBindingConfig, WSBindingConfig};

/// Paths of the bindings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    session: String,
    message: String,
    stream: String,
    socket: String,
}

/// Settings that cannot be used; names the member.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// An address of another kind.
    #[error("`{member}`: `{found}` does not begin with {expected}")]
    Address {
        /// The member.
        member: &'static str,
        /// What it says.
        found: String,
        /// What it should begin with.
        expected: &'static str,
    },
    /// Not a path.
    #[error("`{member}`: `{found}` is not a path that begins with `/`")]
    Path {
        /// The member.
        member: &'static str,
        /// What it says.
        found: String,
    },
    /// A template without its place.
    #[error("`{member}`: `{found}` lacks `{{sessionId}}`")]
    NoSession {
        /// The member.
        member: &'static str,
        /// What it says.
        found: String,
    },
    /// A binding that nobody serves.
    #[error("`{0}` is not a binding; there are `ws@0.1` and `http@0.1`")]
    Unknown(String),
}

const PLACE: &str = "{sessionId}";

impl Default for Layout {
    fn default() -> Self {
        Self {
            session: "/uiap/sessions".to_owned(),
            message: "/uiap/sessions/{sessionId}/messages".to_owned(),
            stream: "/uiap/sessions/{sessionId}/events".to_owned(),
            socket: "/uiap/ws".to_owned(),
        }
    }
}

impl Layout {
    /// The paths that settings name; the recommended ones where they name none.
    pub fn new(config: &HTTPBindingConfig) -> Result<Self, LayoutError> {
        let usual = Self::default();
        let base = config.base_url.as_str();
        if !base.starts_with("http://") && !base.starts_with("https://") {
            let expected = "`http://` or `https://`";
            return Err(LayoutError::Address { member: "baseUrl", found: base.to_owned(), expected });
        }
        let path = |member, found: Option<&str>, usual: String, template: bool| match found {
            None => Ok(usual),
            Some(found) if !found.starts_with('/') => {
                Err(LayoutError::Path { member, found: found.to_owned() })
            }
            Some(found) if template && !found.contains(PLACE) => {
                Err(LayoutError::NoSession { member, found: found.to_owned() })
            }
            Some(found) => Ok(found.to_owned()),
        };
        Ok(Self {
            session: path("sessionPath", config.session_path.as_deref(), usual.session, false)?,
            message: path(
                "messagePathTemplate",
                config.message_path_template.as_deref(),
                usual.message,
                true,
            )?,
            stream: path(
                "eventStreamPathTemplate",
                config.event_stream_path_template.as_deref(),
                usual.stream,
                true,
            )?,
            socket: usual.socket,
        })
    }

    /// Whether settings of `ws@0.1` can be used.
    pub fn check_socket(config: &WSBindingConfig) -> Result<(), LayoutError> {
        let url = config.url.as_str();
        if url.starts_with("ws://") || url.starts_with("wss://") {
            return Ok(());
        }
        Err(LayoutError::Address { member: "url", found: url.to_owned(), expected: "`ws://` or `wss://`" })
    }

    /// Whether there is such a binding.
    pub fn check_binding(id: &str) -> Result<(), LayoutError> {
        if super::BINDINGS.contains(&id) { Ok(()) } else { Err(LayoutError::Unknown(id.to_owned())) }
    }

    /// Where sessions are opened.
    pub fn session_path(&self) -> &str {
        &self.session
    }

    /// Where connections are made.
    pub fn socket_path(&self) -> &str {
        &self.socket
    }

    /// Where messages of a session go, with `{sessionId}` in its place.
    pub fn message_template(&self) -> &str {
        &self.message
    }

    /// Where events of a session come from, with `{sessionId}` in its place.
    pub fn stream_template(&self) -> &str {
        &self.stream
    }

    pub(crate) fn message_route(&self) -> String {
        self.message.replace(PLACE, "{session}")
    }

    pub(crate) fn stream_route(&self) -> String {
        self.stream.replace(PLACE, "{session}")
    }

    /// The address of one session.
    pub(crate) fn session(&self, id: &str) -> String {
        format!("{}/{id}", self.session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn http(text: &str) -> HTTPBindingConfig {
        serde_json::from_str(text).unwrap()
    }

    /// Requirement: BIND-H-02
    /// Requirement: BIND-H-04
    #[test]
    fn settings_name_paths_and_the_usual_ones_hold_otherwise() {
        let usual = Layout::new(&http(r#"{"baseUrl":"http://127.0.0.1:7000"}"#)).unwrap();
        assert_eq!(usual.session_path(), "/uiap/sessions");
        assert_eq!(usual.message_template(), "/uiap/sessions/{sessionId}/messages");
        assert_eq!(usual.stream_template(), "/uiap/sessions/{sessionId}/events");
        let full = r#"{"baseUrl":"https://a.example","sessionPath":"/s","messagePathTemplate":"/s/{sessionId}/m",
            "eventStreamPathTemplate":"/s/{sessionId}/e","eventDelivery":"sse","reconnect":{"factor":2}}"#;
        assert_eq!(Layout::new(&http(full)).unwrap().message_route(), "/s/{session}/m");
        let faults = [
            (r#"{"baseUrl":"ws://a"}"#, "baseUrl"),
            (r#"{"baseUrl":"http://a","sessionPath":"s"}"#, "sessionPath"),
            (r#"{"baseUrl":"http://a","messagePathTemplate":"/m"}"#, "messagePathTemplate"),
            (r#"{"baseUrl":"http://a","eventStreamPathTemplate":"/e"}"#, "eventStreamPathTemplate"),
        ];
        for (text, member) in faults {
            let error = Layout::new(&http(text)).unwrap_err().to_string();
            assert!(error.contains(member), "{error}");
        }
        let problems = uiap_model::parse::parse::<HTTPBindingConfig>(b"{}").unwrap_err();
        assert!(problems.iter().any(|problem| problem.message.contains("baseUrl")), "{problems:?}");
    }

    /// Requirement: BIND-H-03
    #[test]
    fn events_are_delivered_as_server_sent_events_or_not_at_all() {
        let text = br#"{"baseUrl":"http://a","eventDelivery":"poll"}"#;
        let problems = uiap_model::parse::parse::<HTTPBindingConfig>(text).unwrap_err();
        assert_eq!(problems.first().map(|problem| problem.pointer.as_str()), Some("/eventDelivery"));
    }

    /// Requirement: BIND-W-01
    #[test]
    fn a_socket_has_an_address_of_its_own_kind() {
        let socket = |text: &str| serde_json::from_str::<WSBindingConfig>(text).unwrap();
        assert_eq!(Layout::check_socket(&socket(r#"{"url":"wss://a/uiap/ws"}"#)), Ok(()));
        let full =
            r#"{"url":"ws://a","subprotocol":"uiap.v0.1","pingMs":1000,"reconnect":{},"maxMessageBytes":1}"#;
        assert_eq!(Layout::check_socket(&socket(full)), Ok(()));
        let error = Layout::check_socket(&socket(r#"{"url":"http://a"}"#)).unwrap_err();
        assert!(error.to_string().contains("`url`"), "{error}");
        let problems = uiap_model::parse::parse::<WSBindingConfig>(b"{}").unwrap_err();
        assert!(problems.iter().any(|problem| problem.message.contains("url")), "{problems:?}");
    }

    /// Requirement: BIND-C36-01
    #[test]
    fn there_are_two_bindings_and_no_others() {
        for id in ["ws@0.1", "http@0.1"] {
            assert_eq!(Layout::check_binding(id), Ok(()));
        }
        let error = Layout::check_binding("carrier-pigeon@0.1").unwrap_err().to_string();
        assert!(error.contains("ws@0.1") && error.contains("http@0.1"), "{error}");
    }
}
