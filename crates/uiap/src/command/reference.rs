//! `uiap reference`: docs/cli.md, made from the command line itself.

use std::fmt::Write;

use clap::CommandFactory;

use crate::cli::Cli;
use crate::exit::{Exit, TABLE};
use crate::terminal::Terminal;

/// Exit codes and environment variables, below the long help.
pub(crate) fn after_help() -> String {
    let mut out = String::from("Exit codes:\n");
    for (exit, meaning) in TABLE {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "  {}  {meaning}", *exit as u8);
    }
    out.push_str(
        "\nEnvironment:\n  UIAP_CHROMIUM  the browser to use\n  NO_COLOR       no colour\n\nStart with:  uiap demo",
    );
    out
}

pub(crate) fn run() -> anyhow::Result<Exit> {
    let mut command = Cli::command().term_width(100);
    command.build();
    let mut out = String::from(
        "# `uiap` on the command line\n\nMade by `cargo xtask codegen` from the commands' own help.\n",
    );
    section(&mut out, "uiap", &mut command.clone())?;
    for each in command.get_subcommands_mut() {
        if each.is_hide_set() || each.get_name() == "help" {
            continue;
        }
        let title = format!("uiap {}", each.get_name());
        section(&mut out, &title, each)?;
    }
    Terminal::data(&out)?;
    Ok(Exit::Ok)
}

fn section(out: &mut String, title: &str, command: &mut clap::Command) -> anyhow::Result<()> {
    let help = command.render_long_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    write!(out, "\n## `{title}`\n\n```text\n{}\n```\n", lines.join("\n").trim_end())?;
    Ok(())
}
