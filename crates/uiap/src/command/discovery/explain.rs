//! `uiap discover explain`: why two states of a run are two, or why one stands for the other.

use serde_json::json;
use uiap_discovery::fingerprint::{self, Part, PartDifference, Parts};
use uiap_model::discovery::transition::DiscoveryStateNode;

use super::folder::Folder;
use crate::cli::DiscoverExplain;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

/// A state that somebody asked about.
struct Asked {
    id: String,
    /// The state of the package that stands for it; itself, unless it was merged.
    shown_as: String,
    route: Option<String>,
    parts: Parts,
}

impl Asked {
    fn is_merged(&self) -> bool {
        self.id != self.shown_as
    }
}

pub(super) fn run(args: &DiscoverExplain, terminal: &Terminal) -> anyhow::Result<Exit> {
    let folder = Folder::open(&args.package)?;
    let (first, second) = (find(&folder, &args.first)?, find(&folder, &args.second)?);
    let differences = fingerprint::explain(&first.parts, &second.parts);
    let verdict = verdict(&first, &second, &differences);
    if terminal.json {
        let told = json!({
            "first": first.id, "second": second.id, "firstShownAs": first.shown_as, "secondShownAs": second.shown_as,
            "verdict": verdict, "differences": differences
        });
        Terminal::data(&format!("{told:#}\n"))?;
        return Ok(Exit::Ok);
    }
    let mut out = format!("{verdict}\n");
    for difference in &differences {
        out.push_str(&format!("{}\n", terminal.strong(difference.part.name())));
        for fact in &difference.only_first {
            out.push_str(&format!("  {} {fact}\n", terminal.bad("-")));
        }
        for fact in &difference.only_second {
            out.push_str(&format!("  {} {fact}\n", terminal.good("+")));
        }
    }
    Terminal::data(&out)?;
    if !differences.is_empty() {
        Terminal::say(&terminal.dim(&format!("- only in {}, + only in {}", first.id, second.id)));
    }
    Ok(Exit::Ok)
}

/// What it comes to, in one or two sentences.
fn verdict(first: &Asked, second: &Asked, differences: &[PartDifference]) -> String {
    if first.id == second.id {
        return format!(
            "`{}` is one state, named twice; name another to see what tells them apart",
            first.id
        );
    }
    if first.shown_as == second.shown_as {
        let place =
            first.route.as_deref().map(|route| format!(" of the route `{route}`")).unwrap_or_default();
        return format!(
            "one state in the package: `{}` stands for both. They have the same structure and are pages{place}, whose address \
             differs from entry to entry; what follows was seen and does not count there",
            first.shown_as
        );
    }
    let merged: Vec<String> = [first, second]
        .into_iter()
        .filter(|asked| asked.is_merged())
        .map(|asked| format!("`{}` stands for `{}` in the package; ", asked.shown_as, asked.id))
        .collect();
    let merged = merged.concat();
    if differences.is_empty() {
        return format!(
            "{merged}nothing that is kept tells them apart: what did was gone when the picture was taken"
        );
    }
    if differences.iter().any(|difference| difference.part == Part::Route) {
        return format!(
            "{merged}two states, because they are two places; what else differs follows from that"
        );
    }
    let parts: Vec<&str> = differences.iter().map(|difference| difference.part.name()).collect();
    format!("{merged}two states of one place, told apart by: {}", parts.join(", "))
}

/// States that the package shows as this one.
fn stands_for(state: &DiscoveryStateNode) -> impl Iterator<Item = &str> {
    let told = state.metadata.as_ref().and_then(|metadata| metadata.0.get("standsFor")?.as_array());
    told.into_iter().flatten().filter_map(|id| id.as_str())
}

/// A state, found by the beginning of its id.
fn find(folder: &Folder, wanted: &str) -> Result<Asked, Failure> {
    let refuse = |message: String, hint: String| Failure { exit: Exit::Found, message, hint: Some(hint) };
    let states = &folder.package.transition_graph.states;
    let all = states.iter().flat_map(|state| {
        let own = std::iter::once(state.state_id.as_str());
        own.chain(stands_for(state)).map(move |id| (id, state))
    });
    let hits: Vec<(&str, &DiscoveryStateNode)> = all.filter(|(id, _)| id.starts_with(wanted)).collect();
    // An id that is another's beginning is meant as it is.
    let exact = hits.iter().find(|(id, _)| *id == wanted);
    let (id, state) = match (exact, hits.as_slice()) {
        (Some(hit), _) | (None, [hit]) => *hit,
        (None, []) => {
            let message = format!("`{}` has no state `{wanted}`", folder.path.display());
            let hint = format!(
                "`uiap report {}` shows its {} states; ids begin with `st_`, and a state that another run found may have none here",
                folder.path.display(),
                states.len()
            );
            return Err(refuse(message, hint));
        }
        (None, several) => {
            let ids: Vec<&str> = several.iter().take(4).map(|(id, _)| *id).collect();
            let message = format!("{} states begin with `{wanted}`", several.len());
            return Err(refuse(message, format!("write more of the id, such as {}", ids.join(", "))));
        }
    };
    let graph = folder.graph(&format!("states/{id}.json")).ok_or_else(|| {
        refuse(format!("the page of `{id}` was not kept"), format!("the folder lacks `states/{id}.json`"))
    })?;
    let parts = fingerprint::of(&graph, &fingerprint::default_policy()).parts;
    let route = state.route_id.as_ref().map(ToString::to_string);
    Ok(Asked { id: id.to_owned(), shown_as: state.state_id.to_string(), route, parts })
}
