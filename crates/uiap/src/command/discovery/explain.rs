//! `uiap discover explain`: why two states of a run are two.

use serde_json::json;
use uiap_discovery::fingerprint::{self, Parts};

use super::folder::Folder;
use crate::cli::DiscoverExplain;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

pub(super) fn run(args: &DiscoverExplain, terminal: &Terminal) -> anyhow::Result<Exit> {
    let folder = Folder::open(&args.package)?;
    let (first, one) = parts(&folder, &args.first)?;
    let (second, two) = parts(&folder, &args.second)?;
    let differences = fingerprint::explain(&one, &two);
    if terminal.json {
        let told = json!({ "first": first, "second": second, "differences": differences });
        Terminal::data(&format!("{told:#}\n"))?;
        return Ok(Exit::Ok);
    }
    let mut out = String::new();
    for difference in &differences {
        out.push_str(&format!("{}\n", terminal.strong(difference.part.name())));
        for fact in &difference.only_first {
            out.push_str(&format!("  {} {fact}\n", terminal.bad("-")));
        }
        for fact in &difference.only_second {
            out.push_str(&format!("  {} {fact}\n", terminal.good("+")));
        }
    }
    if differences.is_empty() {
        out.push_str("nothing that is kept tells them apart: what did was gone when the picture was taken\n");
    }
    Terminal::data(&out)?;
    Terminal::say(&terminal.dim(&format!("- only in {first}, + only in {second}")));
    Ok(Exit::Ok)
}

/// The parts of a state, found by the beginning of its id.
fn parts(folder: &Folder, wanted: &str) -> Result<(String, Parts), Failure> {
    let refuse =
        |message: String, hint: &str| Failure { exit: Exit::Found, message, hint: Some(hint.to_owned()) };
    let states = &folder.package.transition_graph.states;
    let mut hits = states.iter().filter(|state| state.state_id.starts_with(wanted));
    let state = match (hits.next(), hits.next()) {
        (Some(state), None) => state,
        (Some(_), Some(_)) => {
            return Err(refuse(format!("several states begin with `{wanted}`"), "write more of the id"));
        }
        _ => {
            return Err(refuse(
                format!("there is no state `{wanted}`"),
                "`uiap report DIR` shows the states",
            ));
        }
    };
    let graph = state.page_graph_ref.as_deref().and_then(|reference| folder.graph(reference));
    let graph = graph.ok_or_else(|| {
        refuse(
            format!("the page of `{}` was not kept", state.state_id),
            "the folder lacks its file below states/",
        )
    })?;
    let print = fingerprint::of(&graph, &fingerprint::default_policy());
    Ok((state.state_id.to_string(), print.parts))
}
