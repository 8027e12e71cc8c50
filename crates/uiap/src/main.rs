//! The `uiap` command: reads the command line, runs one command, turns its outcome into an exit code.

mod cli;
mod command;
mod exit;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};
use crate::terminal::Terminal;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let terminal = Terminal::new(&cli.global);
    terminal.start_log(cli.global.verbose);
    let outcome = match cli.command {
        Command::Discover(args) => command::discovery::discover::run(&args, &terminal),
        Command::Report(args) => command::discovery::report::run(&args, &terminal),
        Command::Snapshot(args) => command::web::snapshot::run(&args, &terminal),
        Command::Watch(args) => command::web::watch::run(&args),
        Command::Act(args) => command::web::act::run(&args, &terminal),
        Command::Trace(args) => command::web::trace::run(&args, &terminal),
        Command::Open(args) => command::session::open(&args, &terminal),
        Command::Find(args) => command::session::find(&args, &terminal),
        Command::Wait(args) => command::session::wait(&args, &terminal),
        Command::Screenshot(args) => command::session::screenshot(&args, &terminal),
        Command::Tabs(args) => command::session::tabs(&args, &terminal),
        Command::Close(args) => command::session::close(&args, &terminal),
        Command::Daemon(args) => command::session::daemon::run(&args, &terminal),
        Command::Mcp(args) => command::web::mcp::run(&args, &terminal),
        Command::Serve(args) => command::serve::run(&args, &terminal),
        Command::Init(args) => command::package::init::run(&args, &terminal),
        Command::Check(args) => command::package::check::run(&args, &terminal),
        Command::Build(args) => command::package::build::run(&args, &terminal),
        Command::Diff(args) => command::package::diff::run(&args, &terminal),
        Command::Fmt(args) => command::package::fmt::run(&args, &terminal),
        Command::Lock(args) => command::package::lock::run(&args, &terminal),
        Command::Review(args) => command::package::review::run(&args, &terminal),
        Command::Import(args) => command::package::import::run(&args, &terminal),
        Command::Publish(args) => command::package::publish::run(&args, &terminal),
        Command::Policy(args) => command::policy::run(&args, &terminal),
        Command::Audit(args) => command::audit::run(&args, &terminal),
        Command::Validate(args) => command::validate::run(&args, &terminal),
        Command::Schema(args) => command::schema::run(&args, &terminal),
        Command::Explain(args) => command::explain::run(&args, &terminal),
        Command::Doctor(args) => command::doctor::run(&args, &terminal),
        Command::Demo(args) => command::demo::run(&args, &terminal),
        Command::Completions(args) => command::completions::run(&args),
        Command::Man => command::man::run(),
        Command::Reference => command::reference::run(),
    };
    match outcome {
        Ok(exit) => exit.into(),
        Err(error) => {
            terminal.error(&error);
            exit::of_error(&error).into()
        }
    }
}
