//! `uiap demo`: the demo app, the check of what it says about itself, and the whole story on it.

mod tour;

use anyhow::Context;
use serde_json::json;
use uiap_model::problem::Severity;
use videoland::{Options, Videoland};

use crate::cli::Demo;
use crate::command::kind::Kind;
use crate::command::web::stop_signal;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

pub(crate) fn run(args: &Demo, terminal: &Terminal) -> anyhow::Result<Exit> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(serve(args, terminal))
}

async fn serve(args: &Demo, terminal: &Terminal) -> anyhow::Result<Exit> {
    // Taken before the server starts, so that a Ctrl-C in between is not lost.
    let stop = stop_signal()?;
    let options = Options { port: args.port, ..Options::default() };
    let app = Videoland::start(options).await.map_err(|error| Failure {
        exit: Exit::File,
        message: error.to_string(),
        hint: Some("leave `--port` out to use any free port".to_owned()),
    })?;
    let document: serde_json::Value =
        serde_json::from_str(videoland::CAPABILITIES).context("the capability document of the app")?;
    let problems = Kind::named("CapabilityDocument")?.validate(&document);
    let errors = problems.iter().filter(|problem| problem.severity == Severity::Error).count();
    let actions = document.get("actions").and_then(|actions| actions.as_array()).map_or(0, Vec::len);
    report(args, terminal, &app, errors, actions)?;
    for problem in problems.iter().filter(|problem| problem.severity != Severity::Info) {
        Terminal::say(&format!("  {problem}"));
    }
    let told = if args.check { Ok(()) } else { until_stopped(args, terminal, &app, stop).await };
    app.shutdown().await;
    told?;
    Ok(if errors == 0 { Exit::Ok } else { Exit::Found })
}

/// Tells the story unless only the app was asked for, and serves until somebody stops it.
async fn until_stopped(
    args: &Demo,
    terminal: &Terminal,
    app: &Videoland,
    stop: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    tokio::pin!(stop);
    if !args.app_only && !terminal.json {
        let folder = args.out.clone().unwrap_or_else(tour::usual_folder);
        tokio::select! {
            told = tour::run(app.base_url(), &folder, terminal) => told?,
            () = &mut stop => {
                Terminal::say("\nstopped");
                return Ok(());
            }
        }
        Terminal::say(&format!("\nVideoland still runs at {}", app.base_url()));
        terminal.hint("open it in a browser; press Ctrl-C to stop");
    }
    stop.await;
    Terminal::say("\nstopped");
    Ok(())
}

fn report(
    args: &Demo,
    terminal: &Terminal,
    app: &Videoland,
    errors: usize,
    actions: usize,
) -> anyhow::Result<()> {
    let capabilities = format!("{}/.well-known/uiap/capabilities.json", app.base_url().trim_end_matches('/'));
    if terminal.json {
        let line = json!({
            "app": app.base_url(), "frame": app.frame_url(), "capabilities": capabilities,
            "valid": errors == 0, "actions": actions
        });
        return Terminal::data(&format!("{line}\n"));
    }
    let verdict = if errors == 0 { terminal.good("valid") } else { terminal.bad("invalid") };
    Terminal::say(&format!("{}, the demo app, is running", terminal.strong("Videoland")));
    Terminal::say(&format!("  app           {}", app.base_url()));
    Terminal::say(&format!("  in German     {}/?lang=de", app.base_url().trim_end_matches('/')));
    Terminal::say(&format!("  capabilities  {capabilities}"));
    Terminal::say(&format!("  checked       the capability document is {verdict}: {actions} actions"));
    if args.app_only {
        terminal.hint("open the first address in a browser; press Ctrl-C to stop");
    }
    Ok(())
}
