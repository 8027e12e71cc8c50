//! Findings of a check, printed for whoever reads them.

use anyhow::Context;
use uiap_authoring::diagnostic::Diagnostics;
use uiap_authoring::diagnostic::render::{github, human::Human, json, junit, sarif};

use crate::cli::Format;
use crate::terminal::Terminal;

/// The findings as text; `fine` is what people read when there are none.
pub(crate) fn text(findings: &Diagnostics, format: Format, terminal: &Terminal, fine: &str) -> String {
    match if terminal.json { Format::Json } else { format } {
        Format::Human => {
            let human = Human { color: terminal.color_out, width: Terminal::width(), ..Human::default() };
            let mut text = human.render(findings);
            if findings.is_empty() {
                text.push_str(fine);
            }
            text
        }
        Format::Json => json::render(findings),
        Format::Sarif => sarif::render(findings, env!("CARGO_PKG_VERSION")),
        Format::Junit => junit::render(findings),
        Format::Github => github::render(findings, usize::MAX),
    }
}

/// Prints the findings to standard output.
pub(crate) fn print(
    findings: &Diagnostics,
    format: Format,
    terminal: &Terminal,
    fine: &str,
) -> anyhow::Result<()> {
    Terminal::data(&text(findings, format, terminal, fine)).context("cannot write to standard output")
}
