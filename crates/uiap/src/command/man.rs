//! `uiap man`: the manual page, with every command in it.

use clap::CommandFactory;

use crate::cli::Cli;
use crate::exit::Exit;
use crate::terminal::Terminal;

pub(crate) fn run() -> anyhow::Result<Exit> {
    let mut page = Vec::new();
    let mut command = Cli::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for each in command.get_subcommands().filter(|each| !each.is_hide_set() && each.get_name() != "help") {
        let man = clap_mangen::Man::new(each.clone());
        let name = each.get_name().to_uppercase();
        page.extend_from_slice(format!(".SH \"UIAP {name}\"\n").as_bytes());
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
        man.render_extra_section(&mut page)?;
    }
    Terminal::data(&String::from_utf8(page)?)?;
    Ok(Exit::Ok)
}
