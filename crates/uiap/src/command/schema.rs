//! `uiap schema`.

use std::fmt::Write;
use std::path::Path;

use anyhow::Context;
use serde_json::json;

use crate::cli::Schema;
use crate::command::kind::Kind;
use crate::exit::Exit;
use crate::terminal::Terminal;

pub(crate) fn run(args: &Schema, terminal: &Terminal) -> anyhow::Result<Exit> {
    if let (true, Some(folder)) = (args.all, &args.out) {
        write_all(folder, terminal)?;
    } else if let Some(name) = &args.kind {
        Terminal::data(&Kind::named(name)?.schema())?;
    } else {
        list(terminal)?;
    }
    Ok(Exit::Ok)
}

fn list(terminal: &Terminal) -> anyhow::Result<()> {
    if terminal.json {
        let kinds: Vec<_> = Kind::all()
            .map(|kind| json!({ "name": kind.name, "module": kind.module, "title": kind.title }))
            .collect();
        return Terminal::data(&format!("{:#}\n", json!({ "kinds": kinds })));
    }
    let mut out = String::new();
    let mut module = "";
    for kind in Kind::all() {
        if kind.module != module {
            module = kind.module;
            let heading = if module == "message" { "payloads of messages" } else { module };
            if !out.is_empty() {
                out.push('\n');
            }
            writeln!(out, "{heading}")?;
        }
        if kind.module == "message" {
            writeln!(out, "  {}", kind.name)?;
        } else {
            writeln!(out, "  {:<22} {}", kind.name, kind.title)?;
        }
    }
    Terminal::data(&out)
}

fn write_all(folder: &Path, terminal: &Terminal) -> anyhow::Result<()> {
    let mut count = 0;
    for kind in Kind::all() {
        let path = folder.join(format!("{}.json", kind.path()));
        let parent = path.parent().context("a file has a folder")?;
        std::fs::create_dir_all(parent).with_context(|| format!("cannot create `{}`", parent.display()))?;
        std::fs::write(&path, kind.schema()).with_context(|| format!("cannot write `{}`", path.display()))?;
        count += 1;
    }
    if !terminal.json {
        Terminal::say(&format!("{count} schemas written to {}", folder.display()));
    }
    Ok(())
}
