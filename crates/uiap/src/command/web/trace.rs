//! `uiap trace`.

use anyhow::Context as _;
use serde_json::json;
use uiap_runtime::trace::{Line, replay, story};

use crate::cli::Trace;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

pub(crate) fn run(args: &Trace, terminal: &Terminal) -> anyhow::Result<Exit> {
    let path = args.file.display();
    let text = std::fs::read_to_string(&args.file).with_context(|| format!("cannot read `{path}`"))?;
    let mut lines: Vec<Line> = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        lines.push(serde_json::from_str(line).map_err(|error| Failure {
            exit: Exit::Found,
            message: format!("{path}:{}: {error}", at + 1),
            hint: Some("a trace is what `uiap act --trace FILE` writes".to_owned()),
        })?);
    }
    let verdict = replay(&lines);
    if terminal.json {
        let told = match &verdict {
            Ok(verdict) => json!({ "holds": true, "verified": verdict, "steps": lines }),
            Err(error) => json!({ "holds": false, "error": error.to_string(), "steps": lines }),
        };
        Terminal::data(&format!("{told:#}\n"))?;
    } else {
        Terminal::data(&story(&lines))?;
    }
    match verdict {
        Ok(Some(passed)) => {
            let again = if passed { "verified" } else { "not verified" };
            Terminal::say(&terminal.dim(&format!("from what was seen follows: {again}")));
            Ok(Exit::Ok)
        }
        Ok(None) => Ok(Exit::Ok),
        Err(error) => {
            Terminal::say(&terminal.bad(&format!("the trace does not hold together: {error}")));
            Ok(Exit::Found)
        }
    }
}
