//! `uiap review status`.

use std::collections::BTreeMap;

use serde_json::json;
use uiap_authoring::build::{Built, Cache};
use uiap_authoring::diagnostic::Severity;

use super::{check, open};
use crate::cli::{Format, Review, ReviewStatus, ReviewVerb};
use crate::command::findings;
use crate::exit::Exit;
use crate::terminal::Terminal;

pub(crate) fn run(args: &Review, terminal: &Terminal) -> anyhow::Result<Exit> {
    let ReviewVerb::Status(args) = &args.verb;
    status(args, terminal)
}

fn status(args: &ReviewStatus, terminal: &Terminal) -> anyhow::Result<Exit> {
    let mut opened = open(&args.package.dir, &args.package.sources, Some(&args.context))?;
    opened.options.keep_going = true;
    opened.options.check_only = true;
    let built = check::build(&mut Cache::new(), opened);
    if built.report.reviews.is_empty() && built.diagnostics.has_errors() {
        findings::print(&built.diagnostics, Format::Human, terminal, "")?;
        return Ok(Exit::Found);
    }
    let blocked = built.report.gates.as_ref().is_some_and(|gates| !gates.passed);
    if terminal.json {
        let report = json!({
            "context": built.report.context, "reviews": built.report.reviews,
            "overridden": built.report.overridden_decisions, "obligations": built.report.review_obligations,
            "gates": built.report.gates,
        });
        Terminal::data(&format!("{report:#}\n"))?;
    } else {
        Terminal::data(&table(&built, args.open, terminal))?;
        let others = built.diagnostics.iter().filter(|each| each.severity == Severity::Error).count();
        if others > 0 {
            terminal
                .hint(&format!("`uiap check {}` shows the errors ({others})", args.package.dir.display()));
        }
    }
    Ok(if blocked { Exit::Found } else { Exit::Ok })
}

fn table(built: &Built, open_only: bool, terminal: &Terminal) -> String {
    let mut out = String::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in &built.report.reviews {
        *counts.entry(entry.state).or_default() += 1;
        if open_only && entry.state == "approved" {
            continue;
        }
        let name = match &entry.item_id {
            Some(item) => format!("  {item}"),
            None => entry.manifest_id.clone(),
        };
        let state =
            if entry.state == "approved" { terminal.good(entry.state) } else { entry.state.to_owned() };
        out.push_str(&format!("{name:<48} {state:<10} {}\n", terminal.dim(entry.because)));
    }
    for obligation in &built.report.review_obligations {
        out.push_str(&format!("to decide: {obligation}\n"));
    }
    let tally: Vec<String> = counts.iter().map(|(state, count)| format!("{count} {state}")).collect();
    out.push_str(&format!("\n{}\n", tally.join(", ")));
    if let Some(gates) = &built.report.gates {
        for failure in &gates.failures {
            let item = failure.item_id.as_ref().map_or_else(String::new, |item| format!(" {item}"));
            out.push_str(&format!(
                "{} {}: {}{item}: {}\n",
                terminal.bad("blocked"),
                failure.gate,
                failure.manifest_id,
                failure.message
            ));
        }
        let channel = gates.channel.as_str();
        let verdict = if gates.passed { "nothing stands in the way" } else { "cannot be published" };
        out.push_str(&format!("{channel}: {verdict}\n"));
    }
    out
}
