//! The whole story on the demo app: map it, read the report, make a contract of it, act and see that it worked. Each step is a
//! command that anybody can give again.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;
use tokio::process::Command;

use crate::exit::Failure;
use crate::terminal::Terminal;

/// How long the demo explores.
const EXPLORES: &str = "25";

/// One command of the story.
struct Step {
    tells: &'static str,
    args: Vec<String>,
}

/// Goes through the story; the files stay in the folder.
pub(super) async fn run(base: &str, folder: &Path, terminal: &Terminal) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    let start = Instant::now();
    let program = std::env::current_exe().context("where this program is")?;
    let doctor = ["doctor", "--fix"];
    Terminal::say(&format!("\n{}", terminal.strong("0  A browser")));
    Terminal::say(&terminal.dim("$ uiap doctor --fix"));
    let found = Command::new(&program).args(doctor).kill_on_drop(true).status().await;
    if !found.with_context(|| format!("running `{}`", program.display()))?.success() {
        Terminal::say("\nwithout a browser there is no story to tell; the app is served alone");
        return Ok(());
    }
    for step in steps(base, folder) {
        Terminal::say(&format!("\n{}", terminal.strong(step.tells)));
        Terminal::say(&terminal.dim(&format!("$ uiap {}", spelled(&step.args))));
        // Data of a step is for whoever reads the story, so it goes where the story goes.
        let status = Command::new(&program).args(&step.args).kill_on_drop(true).status().await;
        let status = status.with_context(|| format!("running `{}`", program.display()))?;
        if !status.success() {
            let message = format!("`uiap {}` ended with {status}", spelled(&step.args));
            let hint =
                "`uiap doctor` tells whether a browser starts; `uiap demo --app-only` serves the app alone";
            return Err(
                Failure { exit: crate::exit::Exit::Found, message, hint: Some(hint.to_owned()) }.into()
            );
        }
    }
    let at = |name: &str| folder.join(name).display().to_string();
    Terminal::say(&format!("\n{} {:.0} s", terminal.strong("Done in"), start.elapsed().as_secs_f32()));
    Terminal::say(&format!("  report        {}", at("map/report.html")));
    Terminal::say(&format!("  findings      {}", at("map/package.json")));
    Terminal::say(&format!("  contract      {}", at("contract")));
    Terminal::say(&format!("  bundle        {}", at("bundle.json")));
    Terminal::say(&format!("  trace         {}", at("team.jsonl")));
    Ok(())
}

fn steps(base: &str, folder: &Path) -> Vec<Step> {
    let at = |name: &str| folder.join(name).display().to_string();
    let base = base.trim_end_matches('/');
    let step = |tells, args: &[&str]| Step { tells, args: args.iter().map(|&arg| arg.to_owned()).collect() };
    let (map, contract, bundle, trace) = (at("map"), at("contract"), at("bundle.json"), at("team.jsonl"));
    let address = format!("{base}/");
    let videos = format!("{base}/videos");
    let mut report = vec!["report", map.as_str()];
    if can_show() {
        report.push("--open");
    }
    vec![
        step(
            "1  Explore it, safely",
            &["discover", &address, "--out", &map, "--max-runtime", EXPLORES, "--max-states", "60"],
        ),
        step("2  A report for people", &report),
        step("3  A contract", &["init", &contract, "--app", "videoland", "--url", base]),
        step("   with what was found", &["import", &map, "--into", &contract]),
        step("4  Compile it", &["build", &contract, "--out", &bundle]),
        step(
            "5  Act, and see that it worked",
            &[
                "act",
                &videos,
                "click",
                "--target",
                "link \"Team\"",
                "--expect",
                "route:/team",
                "--trace",
                &trace,
            ],
        ),
    ]
}

/// Whether somebody sits here who can be shown a page.
fn can_show() -> bool {
    let display = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    std::io::stderr().is_terminal() && (display || cfg!(target_os = "macos"))
}

fn spelled(args: &[String]) -> String {
    let spell = |arg: &String| {
        if arg.contains([' ', '"']) { format!("'{arg}'") } else { arg.clone() }
    };
    args.iter().map(spell).collect::<Vec<_>>().join(" ")
}

/// Where the files of the story go when nobody says so.
pub(super) fn usual_folder() -> PathBuf {
    std::env::temp_dir().join(format!("uiap-demo-{}", std::process::id()))
}
