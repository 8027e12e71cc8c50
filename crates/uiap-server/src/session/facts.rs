//! What is told: a text for whoever reads, and the few facts that machines want of it.

use serde::{Deserialize, Serialize};

/// The facts of an answer. Nothing in here was written by a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The session; what comes next is asked of it.
    pub session: String,
    /// The page among several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// Which state of the page it tells of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Why it did not end well: a stable code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether the app was changed: none, applied, partial or unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// How many things are told of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// How many were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<usize>,
}

/// An answer of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// For whoever reads.
    pub text: String,
    /// For machines.
    pub facts: Facts,
    /// Where there is more.
    pub links: Vec<Link>,
}

/// Something that is too big for an answer, and where it is fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// `uiap://session/…`.
    pub uri: String,
    /// What it is.
    pub name: String,
    /// The media type.
    pub mime: String,
}

/// What is found at the other end of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Words.
    Text(String),
    /// A picture.
    Png(Vec<u8>),
}

/// A link into a session, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// The whole page as it is now.
    Page,
    /// What happened to the last action.
    Trace,
    /// A picture that was put aside.
    Picture(u64),
}

impl Place {
    /// Session and place of an address; none when it is no address of ours.
    pub(super) fn parse(uri: &str) -> Option<(&str, Self)> {
        let (session, path) = uri.strip_prefix("uiap://session/")?.split_once('/')?;
        let place = match path.split_once('/') {
            None if path == "page" => Self::Page,
            None if path == "trace" => Self::Trace,
            Some(("picture", number)) => Self::Picture(number.parse().ok()?),
            _ => return None,
        };
        Some((session, place))
    }

    pub(super) fn link(&self, session: &str) -> Link {
        let (path, name, mime) = match self {
            Self::Page => ("page".to_owned(), "the whole page", "text/plain"),
            Self::Trace => ("trace".to_owned(), "the last action, step by step", "text/plain"),
            Self::Picture(number) => (format!("picture/{number}"), "picture of the page", "image/png"),
        };
        Link { uri: format!("uiap://session/{session}/{path}"), name: name.to_owned(), mime: mime.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_where_it_came_from() {
        for place in [Place::Page, Place::Trace, Place::Picture(7)] {
            assert_eq!(Place::parse(&place.link("s1").uri), Some(("s1", place)));
        }
        for strange in [
            "uiap://session/s1",
            "uiap://session/s1/other",
            "file:///etc/passwd",
            "uiap://session/s1/picture/x",
        ] {
            assert_eq!(Place::parse(strange), None, "{strange}");
        }
    }
}
