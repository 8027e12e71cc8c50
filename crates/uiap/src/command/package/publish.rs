//! `uiap publish`.

use serde_json::json;
use uiap_authoring::publish::{PublishError, PublishOptions, Published, publish};

use super::read;
use crate::cli::Publish;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

pub(crate) fn run(args: &Publish, terminal: &Terminal) -> anyhow::Result<Exit> {
    let bytes = read(&args.bundle)?;
    let options = PublishOptions { allow_backport: args.allow_backport, require_bump: args.require_bump };
    let published = publish(&args.to, &bytes, options).map_err(|error| {
        let exit = match &error {
            PublishError::Io(_) | PublishError::Layout(_) => Exit::File,
            _ => Exit::Found,
        };
        Failure { exit, message: error.to_string(), hint: None }
    })?;
    let (state, manifest) = match &published {
        Published::Added { manifest } => ("added", Some(manifest)),
        Published::Unchanged => ("unchanged", None),
    };
    if terminal.json {
        Terminal::data(&format!(
            "{:#}\n",
            json!({ "state": state, "manifest": manifest, "registry": args.to })
        ))?;
    } else {
        Terminal::say(&match manifest {
            Some(digest) => {
                format!("{} {}\n{}", terminal.good("published to"), args.to.display(), terminal.dim(digest))
            }
            None => format!("{} has this bundle already", args.to.display()),
        });
    }
    Ok(Exit::Ok)
}
