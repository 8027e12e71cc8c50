//! `uiap mcp`.

use std::sync::Arc;

use uiap_server::session::{SessionOptions, Sessions};

use super::{block_on, stop_signal};
use crate::cli::Mcp;
use crate::command::policy;
use crate::exit::Exit;
use crate::terminal::Terminal;

pub(crate) fn run(args: &Mcp, terminal: &Terminal) -> anyhow::Result<Exit> {
    let policies = match policy::in_force(&args.policy) {
        Ok(policies) => policies.map(Arc::new),
        Err(refused) => return refused.print(terminal),
    };
    block_on(async {
        let stop = stop_signal()?;
        let sessions = Sessions::new(SessionOptions {
            executable: args.browser.clone(),
            policies,
            uploads: args.uploads.clone(),
            journal: args.journal.clone(),
        });
        tokio::select! {
            served = uiap_server::mcp::serve(sessions.clone()) => served?,
            () = stop => sessions.end().await,
        }
        Ok(Exit::Ok)
    })
}
