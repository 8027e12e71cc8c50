//! What people and machines see: data on stdout, everything else on stderr, colour only where somebody reads it.

use std::io::{IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use tracing::Level;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::cli::{ColorChoice, Global};
use crate::exit::Failure;

/// How this run prints.
pub(crate) struct Terminal {
    /// Machines read the output.
    pub(crate) json: bool,
    /// stderr takes colour.
    pub(crate) color: bool,
    /// stdout takes colour.
    pub(crate) color_out: bool,
}

const ERROR: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const DIM: Style = Style::new().dimmed();
const STRONG: Style = Style::new().bold();

impl Terminal {
    pub(crate) fn new(global: &Global) -> Self {
        let wanted = |terminal: bool| match global.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
                terminal && !refused && !dumb
            }
        };
        Self {
            json: global.json,
            color: wanted(std::io::stderr().is_terminal()),
            color_out: wanted(std::io::stdout().is_terminal()),
        }
    }

    /// The same for text on stderr, which people read.
    pub(crate) fn for_people(&self) -> Self {
        Self { json: false, color: self.color, color_out: self.color }
    }

    /// Columns of the terminal, for excerpts.
    pub(crate) fn width() -> usize {
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        columns.filter(|columns| (40..=500).contains(columns)).unwrap_or(120)
    }

    /// Prints what the libraries tell, from `-v` on.
    pub(crate) fn start_log(&self, verbose: u8) {
        let level = match verbose {
            0 => return,
            1 => Level::INFO,
            2 => Level::DEBUG,
            _ => Level::TRACE,
        };
        // Other libraries write whole messages down, with whatever secrets are in them.
        let ours = Targets::new().with_default(Level::WARN).with_target("uiap", level);
        let lines = tracing_subscriber::fmt::layer().with_ansi(self.color).with_writer(std::io::stderr);
        tracing_subscriber::registry().with(lines.with_filter(ours)).init();
    }

    /// Data for the caller. A reader that went away ends the program quietly.
    pub(crate) fn data(text: &str) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        let result = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        match result {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
            other => Ok(other?),
        }
    }

    /// Words for the person in front of the screen.
    pub(crate) fn say(text: &str) {
        // Nothing sensible can be done when stderr is gone.
        let _ = writeln!(std::io::stderr().lock(), "{text}");
    }

    /// An error with its causes and, where there is one, the way out.
    pub(crate) fn error(&self, error: &anyhow::Error) {
        if self.json {
            let hint = error.downcast_ref::<Failure>().and_then(|failure| failure.hint.clone());
            let report = serde_json::json!({ "error": { "message": format!("{error:#}"), "hint": hint } });
            let _ = writeln!(std::io::stderr().lock(), "{report}");
            return;
        }
        Self::say(&format!("{} {error:#}", self.paint(ERROR, "error:")));
        if let Some(hint) = error.downcast_ref::<Failure>().and_then(|failure| failure.hint.as_ref()) {
            self.hint(hint);
        }
    }

    /// The next command to try.
    pub(crate) fn hint(&self, text: &str) {
        Self::say(&format!("{} {text}", self.paint(HINT, "hint:")));
    }

    pub(crate) fn good(&self, text: &str) -> String {
        self.paint(GOOD, text)
    }

    pub(crate) fn bad(&self, text: &str) -> String {
        self.paint(ERROR, text)
    }

    pub(crate) fn dim(&self, text: &str) -> String {
        self.paint(DIM, text)
    }

    pub(crate) fn strong(&self, text: &str) -> String {
        self.paint(STRONG, text)
    }

    fn paint(&self, style: Style, text: &str) -> String {
        if self.color { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
}
