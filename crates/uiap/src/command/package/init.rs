//! `uiap init`.

use std::path::Path;

use anyhow::Context;
use serde_json::json;
use uiap_authoring::init::{NewPackage, scaffold};
use uiap_authoring::release::write_atomically;

use crate::cli::Init;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

pub(crate) fn run(args: &Init, terminal: &Terminal) -> anyhow::Result<Exit> {
    let app_id = args.app.clone().unwrap_or_else(|| id_of(&args.dir));
    let new = NewPackage {
        display_name: args.name.clone().unwrap_or_else(|| app_id.clone()),
        app_id,
        base_url: args.url.clone(),
    };
    let files = scaffold(&new).map_err(|error| Failure {
        exit: Exit::Usage,
        message: error.to_string(),
        hint: Some("say it with `--app ID`".to_owned()),
    })?;
    let manifest = args.dir.join("package.uiap.yaml");
    if manifest.exists() {
        return Err(Failure {
            exit: Exit::File,
            message: format!("`{}` is there already", manifest.display()),
            hint: Some(format!("`uiap check {}` tells how it stands", args.dir.display())),
        }
        .into());
    }
    let (mut written, mut kept) = (Vec::new(), Vec::new());
    for (path, text) in files.iter() {
        let target = args.dir.join(path);
        if target.exists() {
            kept.push(path.to_owned());
            continue;
        }
        write_atomically(&target, text).with_context(|| format!("cannot write `{}`", target.display()))?;
        written.push(path.to_owned());
    }
    if terminal.json {
        Terminal::data(&format!("{:#}\n", json!({ "written": written, "kept": kept })))?;
        return Ok(Exit::Ok);
    }
    for path in &written {
        Terminal::say(&format!("  {} {path}", terminal.good("new")));
    }
    for path in &kept {
        Terminal::say(&format!("  {} {path}", terminal.dim("kept")));
    }
    let dir = args.dir.display();
    Terminal::say(&format!("\nNext:\n  uiap check {dir}\n  uiap build {dir} --channel dev --out -"));
    Ok(Exit::Ok)
}

/// The folder's name, as far as it can be an id.
fn id_of(dir: &Path) -> String {
    let whole = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let name = whole.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' }).collect();
    let plain = plain.trim_matches(['.', '_', '-']);
    if plain.is_empty() { "app".to_owned() } else { plain.to_owned() }
}
