//! What changed between two revisions, as a few lines with refs.

use uiap_model::names::{DocumentId, RevisionId};
use uiap_model::web::{ElementNode, PageGraph, RouteState};

use super::escape::{harmless, quoted};
use super::line::{self, is_interactive};
use super::refs::Refs;
use super::tokens::estimate;

/// What happened to a page.
#[derive(Debug, Default)]
pub struct Change<'c> {
    /// The revision before.
    pub base: Option<&'c RevisionId>,
    /// The new route, when it changed.
    pub route: Option<&'c RouteState>,
    /// Elements before and after; one of both is there.
    pub elements: Vec<(&'c DocumentId, Option<&'c ElementNode>, Option<&'c ElementNode>)>,
    /// Headlines of other changes, such as a dialog that opened.
    pub notes: Vec<String>,
}

/// Writes a change: `+` new, `~` changed, `-` gone. Nothing changed: one line.
pub fn change(graph: &PageGraph, refs: &mut Refs, change: &Change<'_>, budget: usize) -> String {
    let mut lines = Vec::new();
    if let Some(route) = change.route {
        let title =
            route.title.as_deref().map_or_else(String::new, |title| format!(" {}", quoted(title, 80)));
        lines.push(format!("route {}{title}", harmless(&route.url, 120)));
    }
    lines.extend(change.notes.iter().map(|note| harmless(note, 160)));
    // Controls first: they are what the next step needs.
    let (controls, texts): (Vec<_>, Vec<_>) =
        change.elements.iter().partition(|(_, before, after)| after.or(*before).is_some_and(is_interactive));
    for (document, before, after) in controls.into_iter().chain(texts) {
        lines.extend(element(graph, refs, document, before, after));
    }
    let base = change.base.map_or_else(String::new, |base| format!("{base} → "));
    if lines.is_empty() {
        return format!("<change {base}{}>unchanged</change>\n", graph.revision);
    }
    let mut out = format!("<change {base}{}>\n", graph.revision);
    let mut spent = estimate(&out) + 20;
    for (at, line) in lines.iter().enumerate() {
        spent += estimate(line) + 1;
        if spent > budget {
            out.push_str(&format!("… {} more changes\n", lines.len() - at));
            break;
        }
        out.push_str(line);
        out.push('\n');
    }
    out.push_str("</change>\n");
    out
}

fn element(
    graph: &PageGraph,
    refs: &mut Refs,
    document: &DocumentId,
    before: Option<&ElementNode>,
    after: Option<&ElementNode>,
) -> Option<String> {
    let mut shown = |node: &ElementNode| {
        let reference =
            is_interactive(node).then(|| refs.give(graph, document, &node.instance_id).to_owned());
        line::write(node, node.name.as_deref(), reference.as_deref())
    };
    match (before, after) {
        (None, Some(new)) => Some(format!("+ {}", shown(new))),
        (Some(old), None) => {
            let name = refs.get(&old.instance_id).map_or_else(String::new, |name| format!(" {name}"));
            Some(format!(
                "-{name} {} {}",
                line::word(old),
                quoted(old.name.as_deref().unwrap_or_default(), 60)
            ))
        }
        (Some(old), Some(new)) => {
            // Positions and the like are no news.
            let (was, is) =
                (line::write(old, old.name.as_deref(), None), line::write(new, new.name.as_deref(), None));
            let renamed = old.name != new.name && old.role == new.role;
            let hint = if renamed {
                format!(" (was {})", quoted(old.name.as_deref().unwrap_or_default(), 60))
            } else {
                String::new()
            };
            (was != is).then(|| format!("~ {}{hint}", shown(new)))
        }
        (None, None) => None,
    }
}
