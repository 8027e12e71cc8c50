//! Commands that use a running session: each a call of the same tool that agents call, over the daemon's socket.

pub(crate) mod daemon;
mod verbs;

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use uiap_server::daemon::client::{Client, ClientError};
use uiap_server::daemon::line::{Reply, Request};
use uiap_server::daemon::{Place, build};
use uiap_server::tool::Answer;

pub(crate) use self::verbs::{act, close, find, open, screenshot, snapshot, tabs, wait};
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

/// What came back.
struct Told {
    answer: Answer,
    png: Option<Vec<u8>>,
}

fn place() -> Result<Place, Failure> {
    Place::of_user().map_err(|error| Failure {
        exit: Exit::Environment,
        message: error.to_string(),
        hint: None,
    })
}

fn request(tool: &str, arguments: Value, reach: Option<Vec<String>>) -> Request {
    let arguments: Map<String, Value> = match arguments {
        Value::Object(members) => members.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        _ => Map::new(),
    };
    Request::Call { tool: tool.to_owned(), arguments, reach }
}

/// Calls a tool of the daemon that runs.
fn call(tool: &str, arguments: Value) -> anyhow::Result<Told> {
    let client = Client::connect(&place()?, &build()).map_err(|error| failed(&error))?;
    tell(client, &request(tool, arguments, None))
}

fn tell(client: Client, request: &Request) -> anyhow::Result<Told> {
    match client.call(request, ask).map_err(|error| failed(&error))? {
        Reply::Answer { answer, png, took_us } => {
            tracing::info!(took_us, "inside of the daemon");
            let png = png.map(|text| STANDARD.decode(text)).transpose().context("the picture is damaged")?;
            Ok(Told { answer, png })
        }
        Reply::Misunderstood { message } => Err(Failure { exit: Exit::Usage, message, hint: None }.into()),
        Reply::Question { .. } => anyhow::bail!("the daemon asked twice"),
    }
}

fn failed(error: &ClientError) -> Failure {
    let (exit, hint) = match error {
        ClientError::Nobody | ClientError::Replaced => {
            (Exit::Page, Some("`uiap open URL --session S` opens one"))
        }
        ClientError::Settings(_) => {
            (Exit::Usage, Some("`uiap close --all` ends it; the next `uiap open` starts anew"))
        }
        ClientError::Start(_) => (Exit::Environment, Some("`uiap doctor` tells what is missing")),
        ClientError::Gone | ClientError::Line(_) => (Exit::Page, None),
    };
    Failure { exit, message: error.to_string(), hint: hint.map(str::to_owned) }
}

/// Prints an answer. What did not work is told by the exit code too.
fn print(answer: &Answer, terminal: &Terminal) -> anyhow::Result<Exit> {
    if terminal.json {
        let text = json!({ "failed": answer.failed, "facts": answer.facts, "text": answer.text, "links": answer.links });
        Terminal::data(&format!("{text}\n"))?;
    } else if answer.failed && answer.facts.is_none() {
        return Err(Failure { exit: Exit::Page, message: answer.text.clone(), hint: None }.into());
    } else {
        Terminal::data(&format!("{}\n", answer.text.trim_end()))?;
    }
    Ok(match (answer.failed, &answer.facts) {
        (false, _) => Exit::Ok,
        (true, Some(_)) => Exit::Found,
        (true, None) => Exit::Page,
    })
}

fn write_picture(told: &Told, path: &Path) -> anyhow::Result<()> {
    let png = told.png.as_deref().unwrap_or_default();
    uiap_authoring::release::write_atomically(path, png)
        .with_context(|| format!("cannot write `{}`", path.display()))?;
    Terminal::say(&format!("picture in {}", path.display()));
    Ok(())
}

/// Puts a question to whoever sits at the terminal. Without one nobody agrees.
fn ask(wording: &str) -> bool {
    let input = std::io::stdin();
    if !input.is_terminal() {
        Terminal::say("a person has to agree, and there is no terminal to ask at");
        return false;
    }
    let mut out = std::io::stderr();
    let asked = write!(out, "{wording}\nDo it? [y/N] ").and_then(|()| out.flush());
    let mut line = String::new();
    asked.is_ok()
        && input.lock().read_line(&mut line).is_ok()
        && matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}
