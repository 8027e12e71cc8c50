//! `uiap completions`.

use clap::CommandFactory;

use crate::cli::{Cli, Completions};
use crate::exit::Exit;
use crate::terminal::Terminal;

pub(crate) fn run(args: &Completions) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "uiap", &mut script);
    Terminal::data(&String::from_utf8(script)?)?;
    Ok(Exit::Ok)
}
