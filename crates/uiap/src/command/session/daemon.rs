//! `uiap daemon`: what `uiap open` starts behind the scenes. It leaves the terminal, says when it listens, and ends when nobody needs it.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use uiap_server::daemon::client::READY;
use uiap_server::daemon::{Daemon, DaemonOptions, build};
use uiap_server::session::{Pool, SessionOptions};

use super::place;
use crate::cli::House;
use crate::command::policy;
use crate::command::web::{block_on, stop_signal};
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

/// How long a session may be left alone.
const IDLE: Duration = Duration::from_mins(30);
/// How long a daemon stays without a session.
const LINGER: Duration = Duration::from_mins(1);

/// Whether something was said about how the daemon is to be set up.
pub(super) fn names_something(house: &House) -> bool {
    !arguments(house).is_empty()
}

/// How a daemon is set up, in one line, with files by their full names.
pub(super) fn settings(house: &House) -> anyhow::Result<String> {
    let words = arguments(house);
    let text = words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    for path in house.policy.iter().chain(&house.uploads).chain(&house.browser) {
        if !path.exists() {
            let message = format!("there is no `{}`", path.display());
            return Err(Failure { exit: Exit::File, message, hint: None }.into());
        }
    }
    Ok(text)
}

/// The same as options. A daemon stands in another directory than whoever starts it.
fn arguments(house: &House) -> Vec<std::ffi::OsString> {
    let mut words = Vec::new();
    let full = |path: &std::path::Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for path in &house.policy {
        words.extend(["--policy".into(), full(path).into_os_string()]);
    }
    for (name, path) in [("--uploads", &house.uploads), ("--browser", &house.browser)] {
        words.extend(path.iter().flat_map(|path| [name.into(), full(path).into_os_string()]));
    }
    words.extend(house.idle.iter().flat_map(|idle| ["--idle".into(), idle.to_string().into()]));
    words
}

pub(super) fn command(house: &House) -> Command {
    let program = std::env::current_exe().unwrap_or_else(|_| "uiap".into());
    let mut command = Command::new(program);
    command.arg("daemon").args(arguments(house)).current_dir("/");
    command
}

pub(crate) fn run(house: &House, _: &Terminal) -> anyhow::Result<Exit> {
    match serve(house) {
        Ok(()) => Ok(Exit::Ok),
        Err(error) => {
            // Whoever started it reads one line.
            Terminal::data(&format!("{}\n", format!("{error:#}").replace('\n', " ")))?;
            Err(error)
        }
    }
}

fn serve(house: &House) -> anyhow::Result<()> {
    // A terminal that is closed must not take the sessions of others with it.
    rustix::process::setsid().context("the terminal cannot be left")?;
    let policies = match policy::in_force(&house.policy) {
        Ok(policies) => policies.map(Arc::new),
        Err(_) => anyhow::bail!("a policy cannot be used; `uiap validate` tells why"),
    };
    let idle = house.idle.map_or(IDLE, Duration::from_secs);
    let pool = Pool::new(SessionOptions {
        executable: house.browser.clone(),
        policies,
        uploads: house.uploads.clone(),
        idle,
        ..SessionOptions::default()
    });
    let options = DaemonOptions { build: build(), settings: settings(house)?, linger: LINGER.min(idle) };
    block_on(async {
        let stop = stop_signal()?;
        let daemon = Daemon::listen(&place()?, pool, options)?;
        let stopper = daemon.stopper();
        Terminal::data(&format!("{READY}\n"))?;
        let serving = tokio::spawn(daemon.serve());
        tokio::pin!(serving);
        tokio::select! {
            ended = serving.as_mut() => return Ok(ended?),
            () = stop => stopper.cancel(),
        }
        Ok(serving.await?)
    })
}
