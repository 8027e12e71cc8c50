//! `uiap open`, `find`, `wait`, `screenshot`, `tabs`, `close`, and `snapshot` and `act` with a session in the place of an address.

use serde_json::{Map, Value, json};
use uiap_server::address::Origin;
use uiap_server::daemon::build;
use uiap_server::daemon::client::{Client, ClientError};

use super::{call, daemon, failed, place, print, request, tell, write_picture};
use crate::cli;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

pub(crate) fn open(args: &cli::Open, terminal: &Terminal) -> anyhow::Result<Exit> {
    let settings = daemon::settings(&args.house)?;
    let start = || daemon::command(&args.house);
    let client = Client::connect_or_start(&place()?, &build(), start).map_err(|error| failed(&error))?;
    // Nobody gets another policy than the one that was asked for.
    if daemon::names_something(&args.house) && client.hello.settings != settings {
        return Err(failed(&ClientError::Settings(client.hello.settings.clone())).into());
    }
    let arguments = json!({ "url": args.url, "session": args.session.name });
    let told = tell(client, &request("open", arguments, Some(reach(args)?)))?;
    print(&told.answer, terminal)
}

/// What was listed, else everything public; what is opened by name in any case.
fn reach(args: &cli::Open) -> Result<Vec<String>, Failure> {
    let mut entries = args.allow_origin.clone();
    if entries.is_empty() {
        entries.push("public".to_owned());
    }
    let origin = Origin::of(&args.url).map_err(|refusal| Failure {
        exit: Exit::Usage,
        message: format!("`{}`: {refusal}", args.url),
        hint: None,
    })?;
    entries.push(origin.to_string());
    Ok(entries)
}

pub(crate) fn snapshot(args: &cli::Snapshot, session: &str, terminal: &Terminal) -> anyhow::Result<Exit> {
    let arguments = json!({
        "session": session,
        "budget": args.budget,
        "full": args.full,
        "scope": args.scope,
        "changes": args.changes,
    });
    let told = call("snapshot", arguments)?;
    let exit = print(&told.answer, terminal)?;
    if let Some(path) = &args.screenshot {
        let picture = call("screenshot", json!({ "session": session, "marks": args.marks }))?;
        write_picture(&picture, path)?;
    }
    Ok(exit)
}

pub(crate) fn find(args: &cli::Find, terminal: &Terminal) -> anyhow::Result<Exit> {
    let arguments =
        json!({ "session": args.session.name, "role": args.role, "name": args.name, "text": args.text });
    print(&call("find", arguments)?.answer, terminal)
}

pub(crate) fn act(
    args: &cli::Act,
    session: &str,
    more: &Map<String, Value>,
    terminal: &Terminal,
) -> anyhow::Result<Exit> {
    let mut arguments = json!({
        "session": session,
        "do": args.action,
        "text": args.text,
        "args": more,
        "expect": args.expect,
        "timeout_ms": args.within,
    });
    if let (Some(target), Some(members)) = (&args.target, arguments.as_object_mut()) {
        members.extend(target_of(target)?);
    }
    print(&call("act", arguments)?.answer, terminal)
}

/// `e12` or `ROLE "NAME"`.
fn target_of(text: &str) -> Result<Map<String, Value>, Failure> {
    let reference = text.strip_prefix('@').unwrap_or(text);
    let is_ref = reference.contains('e')
        && reference.bytes().all(|byte| byte.is_ascii_digit() || byte == b'e' || byte == b'f');
    if is_ref {
        return Ok(Map::from_iter([("ref".to_owned(), json!(text))]));
    }
    if text.starts_with(['#', '.']) || text.starts_with("css=") || text.starts_with("xpath=") {
        let message = format!("`{text}`: in a session a target reads e12 or ROLE \"NAME\"");
        let hint = Some("`uiap find` gives refs".to_owned());
        return Err(Failure { exit: Exit::Usage, message, hint });
    }
    let (role, name) = text.split_once(' ').unwrap_or((text, ""));
    let name = name.trim().trim_matches('"');
    let mut target = Map::from_iter([("role".to_owned(), json!(role))]);
    if !name.is_empty() {
        target.insert("name".to_owned(), json!(name));
    }
    Ok(target)
}

pub(crate) fn wait(args: &cli::Wait, terminal: &Terminal) -> anyhow::Result<Exit> {
    let arguments = json!({ "session": args.session.name, "expect": args.expect, "timeout_ms": args.within });
    print(&call("wait", arguments)?.answer, terminal)
}

pub(crate) fn screenshot(args: &cli::Screenshot, terminal: &Terminal) -> anyhow::Result<Exit> {
    let arguments = json!({ "session": args.session.name, "full": args.full, "marks": args.marks });
    let told = call("screenshot", arguments)?;
    let exit = print(&told.answer, terminal)?;
    if exit == Exit::Ok {
        write_picture(&told, &args.file)?;
    }
    Ok(exit)
}

pub(crate) fn tabs(args: &cli::Tabs, terminal: &Terminal) -> anyhow::Result<Exit> {
    let arguments = json!({ "session": args.session.name, "switch": args.switch, "close": args.close });
    print(&call("tabs", arguments)?.answer, terminal)
}

pub(crate) fn close(args: &cli::Close, terminal: &Terminal) -> anyhow::Result<Exit> {
    if !args.all {
        return print(&call("close", json!({ "session": args.session.name }))?.answer, terminal);
    }
    match Client::connect(&place()?, &build()) {
        Ok(client) => client.send_away().map_err(|error| failed(&error))?,
        Err(ClientError::Nobody | ClientError::Replaced) => {}
        Err(error) => return Err(failed(&error).into()),
    }
    Terminal::say("closed everything");
    Ok(Exit::Ok)
}
