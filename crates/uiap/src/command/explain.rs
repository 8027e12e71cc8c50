//! `uiap explain`.

use std::fmt::Write;

use serde_json::json;
use uiap_authoring::diagnostic::registry::entries;
use uiap_authoring::diagnostic::{Code, Entry, explain};
use uiap_policy::codes::{CODES, CodeEntry};

use crate::cli::Explain;
use crate::command::package::origin;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

pub(crate) fn run(args: &Explain, terminal: &Terminal) -> anyhow::Result<Exit> {
    let Some(code) = args.subject.as_ref().filter(|_| !args.all) else {
        list(terminal)?;
        return Ok(Exit::Ok);
    };
    if code.starts_with('/') {
        return origin::run(code, args, terminal);
    }
    if let Some(entry) = policy_entry(code) {
        return tell_policy(entry, terminal);
    }
    let Some(entry) = Code::parse(code).and_then(explain) else {
        return Err(Failure {
            exit: Exit::Usage,
            message: format!("there is no code `{code}`"),
            hint: Some(
                "`uiap explain --all` lists the codes; a path in the bundle starts with `/`".to_owned(),
            ),
        }
        .into());
    };
    if terminal.json {
        Terminal::data(&format!("{:#}\n", as_json(entry)))?;
    } else {
        let example: String = entry.example.lines().map(|line| format!("    {line}\n")).collect();
        Terminal::data(&format!(
            "{} ({}): {}\n\n{}\n\nExample:\n{example}",
            entry.code,
            entry.severity.as_str(),
            entry.title,
            wrap(entry.explanation)
        ))?;
    }
    Ok(Exit::Ok)
}

/// The codes of policies are given out by their own crate.
fn policy_entry(code: &str) -> Option<&'static CodeEntry> {
    let upper = code.trim().to_ascii_uppercase();
    CODES.iter().find(|entry| entry.code.0 == upper || entry.code.0.strip_prefix("UIAP-") == Some(&upper))
}

fn tell_policy(entry: &CodeEntry, terminal: &Terminal) -> anyhow::Result<Exit> {
    if terminal.json {
        Terminal::data(&format!("{:#}\n", policy_json(entry)))?;
    } else {
        let CodeEntry { code, title, explanation, example } = entry;
        let example: String = example.lines().map(|line| format!("    {line}\n")).collect();
        Terminal::data(&format!("{code} (error): {title}\n\n{}\n\nExample:\n{example}", wrap(explanation)))?;
    }
    Ok(Exit::Ok)
}

fn policy_json(entry: &CodeEntry) -> serde_json::Value {
    let CodeEntry { code, title, explanation, example } = entry;
    json!({
        "code": code.0, "severity": "error", "title": title, "explanation": explanation, "example": example
    })
}

fn as_json(entry: &Entry) -> serde_json::Value {
    json!({
        "code": entry.code, "severity": entry.severity.as_str(), "title": entry.title,
        "explanation": entry.explanation, "example": entry.example
    })
}

fn list(terminal: &Terminal) -> anyhow::Result<()> {
    if terminal.json {
        let all: Vec<_> = entries().map(as_json).chain(CODES.iter().map(policy_json)).collect();
        return Terminal::data(&format!("{:#}\n", json!({ "codes": all })));
    }
    let mut out = String::new();
    for entry in entries() {
        writeln!(out, "{}  {:<8} {}", entry.code, entry.severity.as_str(), entry.title)?;
    }
    for entry in &CODES {
        writeln!(out, "{}  {:<8} {}", entry.code, "error", entry.title)?;
    }
    Terminal::data(&out)
}

/// Lines of at most 80 characters.
fn wrap(text: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > 80 {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
}
