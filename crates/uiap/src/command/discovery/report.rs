//! `uiap report`: a discovery package as one HTML file that people read.

mod data;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use uiap_authoring::release::write_atomically;

use super::folder::Folder;
use crate::cli::Report;
use crate::exit::Exit;
use crate::terminal::Terminal;

const PAGE: &str = include_str!("../../../report/report.html");
const STYLE: &str = include_str!("../../../report/report.css");
const GRAPH: &str = include_str!("../../../report/graph.js");
const SCRIPT: &str = include_str!("../../../report/report.js");

pub(crate) fn run(args: &Report, terminal: &Terminal) -> anyhow::Result<Exit> {
    let begin = Instant::now();
    let folder = Folder::open(&args.package)?;
    let html = render(&folder)?;
    let out: PathBuf = args.out.clone().unwrap_or_else(|| folder.path.join("report.html"));
    write_atomically(&out, html.as_bytes()).with_context(|| format!("cannot write `{}`", out.display()))?;
    let states = folder.package.transition_graph.states.len();
    if terminal.json {
        let told = serde_json::json!({ "report": out, "bytes": html.len(), "states": states });
        Terminal::data(&format!("{told:#}\n"))?;
    } else {
        Terminal::data(&format!("{}\n", out.display()))?;
        let size = html.len() / 1024;
        Terminal::say(
            &terminal.dim(&format!("{states} states, {size} KB, {} ms", begin.elapsed().as_millis())),
        );
    }
    if args.open {
        open(&out)?;
    }
    Ok(Exit::Ok)
}

/// The whole page. Data is JSON in which nothing can end its element.
pub(crate) fn render(folder: &Folder) -> anyhow::Result<String> {
    let data = data::of(folder);
    let title = format!("What {} can do", data.app);
    let json = serde_json::to_string(&data)?
        .replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029");
    let escaped = title.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    let mut page = String::with_capacity(json.len() + SCRIPT.len() + GRAPH.len() + STYLE.len() + PAGE.len());
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("{{") {
        page.push_str(before);
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        match name {
            "title" => page.push_str(&escaped),
            "style" => page.push_str(STYLE.trim_end()),
            "data" => page.push_str(&json),
            "script" => {
                page.push_str("(() => {\n");
                page.push_str(GRAPH);
                page.push_str(SCRIPT);
                page.push_str("})();");
            }
            _ => {}
        }
        rest = after;
    }
    page.push_str(rest);
    Ok(page)
}

/// Shows the file in the person's own browser.
fn open(path: &std::path::Path) -> anyhow::Result<()> {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started = std::process::Command::new(program)
        .arg(path)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn();
    started.map(drop).with_context(|| format!("cannot open `{}`: `{program}` does not start", path.display()))
}
