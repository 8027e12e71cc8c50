//! What a client makes of an answer. Some show the text to their model, some the structured content in its place, some both.

use rmcp::model::Implementation;

/// When structured content is given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Structured {
    /// To every client but those that would show it in the place of the text.
    #[default]
    Auto,
    /// To every client.
    Always,
    /// To none.
    Never,
}

/// Beginnings of the names of clients that drop text and pictures as soon as there is structured content. To them an answer without
/// its text would be an answer without the page.
const TEXT_ONLY: [&str; 2] = ["claude-code", "cursor"];

impl Structured {
    /// Whether this client gets structured content, and schemas that promise it.
    pub(super) fn suits(self, client: Option<&Implementation>) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                let name = client.map(|client| client.name.to_ascii_lowercase()).unwrap_or_default();
                !TEXT_ONLY.iter().any(|known| name.starts_with(known))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_would_drop_the_text_gets_nothing_else() {
        let client = |name: &str| Implementation::new(name.to_owned(), "1");
        for name in ["claude-code", "Claude-Code", "Cursor", "cursor-vscode"] {
            assert!(!Structured::Auto.suits(Some(&client(name))), "{name}");
            assert!(Structured::Always.suits(Some(&client(name))), "{name}");
        }
        for name in ["claude-ai", "Visual Studio Code", "mcp", ""] {
            assert!(Structured::Auto.suits(Some(&client(name))), "{name}");
            assert!(!Structured::Never.suits(Some(&client(name))), "{name}");
        }
        assert!(Structured::Auto.suits(None));
    }
}
