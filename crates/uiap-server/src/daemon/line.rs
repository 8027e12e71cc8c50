//! What is said on the socket: one JSON object a line. The daemon speaks first.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::tool::Answer;

/// Bytes of a line of the client.
pub const LONGEST: usize = 1 << 20;

/// What a daemon says to whoever comes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Which build it is.
    pub build: String,
    /// How it was set up.
    pub settings: String,
}

/// What a client asks for.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// A tool.
    Call {
        /// Which.
        tool: String,
        /// With what.
        arguments: Map<String, Value>,
        /// What pages of a new session may reach, as the person at the shell says.
        reach: Option<Vec<String>>,
    },
    /// A person's answer to a question.
    Agreed(bool),
    /// The daemon shall go.
    Go,
}

/// What a daemon answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// It is done.
    Answer {
        /// What came of it.
        answer: Answer,
        /// A picture, in base64.
        png: Option<String>,
        /// Microseconds that the call took inside of the daemon.
        took_us: u64,
    },
    /// A person has to agree first.
    Question {
        /// To what.
        wording: String,
    },
    /// The call is not understood.
    Misunderstood {
        /// Why.
        message: String,
    },
}
