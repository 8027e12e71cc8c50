//! `uiap diff` of discovery packages: for people, for machines, as a page.

use anyhow::Context;
use serde_json::json;
use uiap_authoring::release::write_atomically;
use uiap_discovery::compare::{Area, Change, ChangeKind, Comparison, compare};

use super::folder::Folder;
use crate::cli::Diff;
use crate::exit::Exit;
use crate::terminal::Terminal;

pub(crate) fn run(args: &Diff, terminal: &Terminal) -> anyhow::Result<Exit> {
    let old = Folder::open(&args.old)?;
    let new = Folder::open(&args.new)?;
    let found = compare(&old.package, &new.package);
    if let Some(path) = &args.html {
        let names = (args.old.display().to_string(), args.new.display().to_string());
        write_atomically(path, page(&found, &names).as_bytes())
            .with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    if terminal.json {
        let report = json!({
            "old": old.package.run.run_id, "new": new.package.run.run_id,
            "added": found.count(ChangeKind::Added), "removed": found.count(ChangeKind::Removed),
            "changed": found.count(ChangeKind::Changed), "moved": found.count(ChangeKind::Moved),
            "changes": found.changes,
        });
        Terminal::data(&format!("{report:#}\n"))?;
    } else {
        Terminal::data(&table(&found, terminal))?;
    }
    Ok(if found.is_empty() { Exit::Ok } else { Exit::Found })
}

fn sign(kind: ChangeKind) -> char {
    match kind {
        ChangeKind::Added => '+',
        ChangeKind::Removed => '-',
        ChangeKind::Changed => '~',
        ChangeKind::Moved => '>',
    }
}

fn summary(found: &Comparison) -> String {
    if found.is_empty() {
        return "both packages say the same".to_owned();
    }
    let count = |kind: ChangeKind| found.count(kind);
    format!(
        "{} added, {} removed, {} changed, {} moved",
        count(ChangeKind::Added),
        count(ChangeKind::Removed),
        count(ChangeKind::Changed),
        count(ChangeKind::Moved)
    )
}

fn table(found: &Comparison, terminal: &Terminal) -> String {
    let mut out = String::new();
    for area in Area::ALL {
        let here: Vec<&Change> = found.changes.iter().filter(|change| change.area == area).collect();
        if here.is_empty() {
            continue;
        }
        out.push_str(&format!("{}\n", terminal.strong(&format!("{area}s"))));
        for change in here {
            let mark = format!("{} {}", sign(change.kind), change.kind);
            let mark = match change.kind {
                ChangeKind::Added => terminal.good(&mark),
                ChangeKind::Removed => terminal.bad(&mark),
                _ => mark,
            };
            let label = if change.label == change.id {
                String::new()
            } else {
                format!("  {}", terminal.dim(&change.label))
            };
            out.push_str(&format!("  {mark} {}{label}\n", change.id));
            for detail in &change.details {
                let line =
                    format!("      {}: {} → {}", detail.member, shown(&detail.before), shown(&detail.after));
                out.push_str(&format!("{}\n", terminal.dim(&line)));
            }
        }
    }
    out.push_str(&format!("{}\n", summary(found)));
    out
}

fn shown(text: &str) -> &str {
    if text.is_empty() { "nothing" } else { text }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// One page that loads nothing.
fn page(found: &Comparison, (old, new): &(String, String)) -> String {
    let mut body = String::new();
    for area in Area::ALL {
        let here: Vec<&Change> = found.changes.iter().filter(|change| change.area == area).collect();
        if here.is_empty() {
            continue;
        }
        body.push_str(&format!(
            "<section class=\"panel\"><h2>{area}s ({})</h2><div class=\"list\">",
            here.len()
        ));
        for change in here {
            let tone = match change.kind {
                ChangeKind::Added => "good",
                ChangeKind::Removed => "bad",
                ChangeKind::Changed => "warn",
                ChangeKind::Moved => "blue",
            };
            body.push_str(&format!(
                "<div><span class=\"pill {tone}\">{}</span> <code>{}</code> <span style=\"color:var(--soft)\">{}</span>",
                change.kind,
                escaped(&change.id),
                escaped(&change.label)
            ));
            for detail in &change.details {
                body.push_str(&format!(
                    "<div class=\"fix\">{}: <del>{}</del> → <ins>{}</ins></div>",
                    escaped(&detail.member),
                    escaped(shown(&detail.before)),
                    escaped(shown(&detail.after))
                ));
            }
            body.push_str("</div>");
        }
        body.push_str("</div></section>");
    }
    if found.is_empty() {
        body.push_str("<section class=\"panel\"><p class=\"empty\">Nothing changed.</p></section>");
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<meta name=\"color-scheme\" content=\"light dark\"><title>What changed</title>\n<style>\n{}</style></head>\n<body><main class=\"stack\" style=\"max-width:980px;margin:0 auto\"><div><h1>What changed</h1><p class=\"lead\">{} → {}: {}.</p></div>{body}</main></body></html>\n",
        include_str!("../../../report/report.css"),
        escaped(old),
        escaped(new),
        summary(found)
    )
}
