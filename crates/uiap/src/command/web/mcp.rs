//! `uiap mcp`.

use uiap_server::session::{SessionOptions, Sessions};

use super::{block_on, stop_signal};
use crate::cli::Mcp;
use crate::exit::Exit;

pub(crate) fn run(args: &Mcp) -> anyhow::Result<Exit> {
    block_on(async {
        let stop = stop_signal()?;
        let sessions = Sessions::new(SessionOptions { executable: args.browser.clone() });
        tokio::select! {
            served = uiap_server::mcp::serve(sessions.clone()) => served?,
            () = stop => sessions.end().await,
        }
        Ok(Exit::Ok)
    })
}
