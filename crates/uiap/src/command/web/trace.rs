//! `uiap trace`.

use anyhow::Context as _;
use serde_json::json;
use uiap_runtime::trace::{Line, replay, spans, story};

use crate::cli::{Trace, TraceFormat};
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
    if lines.is_empty() {
        return Err(Failure {
            exit: Exit::Found,
            message: format!("`{path}` is empty: there is no step in it"),
            hint: Some("a trace is what `uiap act --trace FILE` writes".to_owned()),
        }
        .into());
    }
    let verdict = replay(&lines);
    if terminal.json {
        let told = match &verdict {
            Ok(verdict) => json!({ "holds": true, "verified": verdict, "steps": lines }),
            Err(error) => json!({ "holds": false, "error": error.to_string(), "steps": lines }),
        };
        Terminal::data(&format!("{told:#}\n"))?;
    } else {
        Terminal::data(&told(&lines, args.format)?)?;
    }
    match verdict {
        Ok(_) if args.format != TraceFormat::Story => Ok(Exit::Ok),
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

fn told(lines: &[Line], format: TraceFormat) -> anyhow::Result<String> {
    Ok(match format {
        TraceFormat::Story => story(lines),
        TraceFormat::Jsonl => {
            let lines: Result<Vec<String>, _> = lines.iter().map(serde_json::to_string).collect();
            format!("{}\n", lines?.join("\n"))
        }
        TraceFormat::Otlp => {
            let actions: Vec<&[Line]> =
                lines.chunk_by(|one, next| one.action_handle == next.action_handle).collect();
            format!("{}\n", spans("uiap", actions))
        }
    })
}
