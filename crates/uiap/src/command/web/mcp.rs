//! `uiap mcp`.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use uiap_server::address::{Origin, Reach};
use uiap_server::asking::Desk;
use uiap_server::mcp::http::{HttpDoor, HttpOptions, PATH};
use uiap_server::mcp::{McpOptions, Structured, serve};
use uiap_server::session::{Pool, SessionOptions};

use super::{block_on, stop_signal};
use crate::cli::{Mcp, StructuredChoice};
use crate::command::policy;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

pub(crate) fn run(args: &Mcp, terminal: &Terminal) -> anyhow::Result<Exit> {
    let policies = match policy::in_force(&args.policy) {
        Ok(policies) => policies.map(Arc::new),
        Err(refused) => return refused.print(terminal),
    };
    let reach = reach(&args.allow_origin, args.url.as_deref())?;
    let options = McpOptions {
        structured: match args.structured {
            StructuredChoice::Auto => Structured::Auto,
            StructuredChoice::Always => Structured::Always,
            StructuredChoice::Never => Structured::Never,
        },
        desk: Some(desk(reach.clone(), args.ask_in_browser)),
    };
    let pool = Pool::new(SessionOptions {
        executable: args.browser.clone(),
        reach,
        // Whoever comes from elsewhere has no business on this machine.
        local: args.allow_origin.is_empty() && !args.beyond_loopback,
        policies,
        uploads: args.uploads.clone(),
        journal: args.journal.clone(),
        idle: Duration::from_secs(args.idle),
        most_sessions: usize::from(args.sessions),
        most_tabs: usize::from(args.tabs),
    });
    block_on(async {
        let stop = stop_signal()?;
        let served = if args.listen.is_some() {
            listen(args, &pool, options, stop, terminal).await
        } else {
            tokio::select! {
                served = serve(&pool, options) => served.map_err(Into::into),
                () = stop => Ok(()),
            }
        };
        pool.end().await;
        served.map(|()| Exit::Ok)
    })
}

async fn listen(
    args: &Mcp,
    pool: &Pool,
    options: McpOptions,
    stop: impl Future<Output = ()>,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    let keyring = args.token_file.as_deref().map(crate::command::serve::tokens).transpose()?;
    let http = HttpOptions {
        listen: args.listen.unwrap_or_else(|| HttpOptions::default().listen),
        beyond_loopback: args.beyond_loopback,
        hosts: args.host.clone(),
        keyring: keyring.unwrap_or_default(),
        ..HttpOptions::default()
    };
    let door = HttpDoor::open(pool, options, http).await.map_err(|error| refused(error.to_string()))?;
    let url = format!("http://{}{PATH}", door.address());
    if terminal.json {
        Terminal::data(&format!("{}\n", json!({ "mcp": url })))?;
    } else {
        Terminal::say(&format!("MCP on {}; Ctrl-C ends it", terminal.strong(&url)));
    }
    stop.await;
    door.close().await;
    Ok(())
}

/// Tells the person where a question is: on standard error, and in the person's own browser when that is wanted.
fn desk(reach: Reach, in_browser: bool) -> Desk {
    Desk::new(reach, move |url| {
        Terminal::say(&format!("an agent asks for your agreement: {url}"));
        if in_browser {
            show(url);
        }
    })
}

fn show(url: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let shown = Command::new(program)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match shown {
        // Waited for by a thread of its own, so that no dead process is left.
        Ok(mut child) => drop(std::thread::spawn(move || drop(child.wait()))),
        Err(error) => Terminal::say(&format!("`{program}` does not start: {error}")),
    }
}

fn refused(message: String) -> Failure {
    Failure { exit: Exit::File, message, hint: None }
}

/// What was listed, else everything public; the app that was named in any case.
fn reach(listed: &[String], app: Option<&str>) -> Result<Reach, Failure> {
    let mut entries = listed.to_vec();
    if entries.is_empty() {
        entries.push("public".to_owned());
    }
    if let Some(url) = app {
        let origin = Origin::of(url).map_err(|refusal| refused(format!("`{url}`: {refusal}")))?;
        entries.push(origin.to_string());
    }
    Reach::only(&entries).map_err(|(entry, refusal)| refused(format!("`{entry}`: {refusal}")))
}
