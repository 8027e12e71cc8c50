//! The whole page as text, within a budget that is never exceeded.

use std::collections::BTreeMap;

use uiap_model::names::ScopeId;
use uiap_model::web::{PageGraph, ScopeNode};

use super::escape::{harmless, quoted};
use super::line::{self, is_interactive};
use super::outline::{Entry, What, outline};
use super::rank;
use super::refs::Refs;
use super::tokens::estimate;

/// How a page is written.
#[derive(Debug, Clone)]
pub struct TextOptions {
    /// Tokens at most; none for everything.
    pub budget: Option<usize>,
    /// Only this scope and what lies inside.
    pub scope: Option<ScopeId>,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { budget: Some(4_000), scope: None }
    }
}

/// A page as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// What a model reads.
    pub text: String,
    /// An upper estimate of what it costs.
    pub tokens: usize,
    /// Lines of elements that are there.
    pub shown: usize,
    /// Lines of elements that the budget left out.
    pub left_out: usize,
}

/// Writes a page. Elements with a ref can be acted on; the ref stays with its element.
pub fn page(graph: &PageGraph, refs: &mut Refs, options: &TextOptions) -> Page {
    let entries = outline(graph, options.scope.as_ref());
    let lines = lines(graph, refs, &entries);
    let Some(budget) = options.budget else {
        return written(graph, &entries, &lines, &vec![true; lines.len()]);
    };
    let ranked = rank::order(graph, &entries);
    let mut allowed = budget;
    loop {
        let chosen = choose(&entries, &lines, &ranked, allowed);
        let page = written(graph, &entries, &lines, &chosen);
        if page.tokens <= budget || page.shown == 0 {
            return page;
        }
        // Markers cost too; give them what they took.
        allowed = allowed.saturating_sub(page.tokens - budget + 8);
    }
}

fn lines(graph: &PageGraph, refs: &mut Refs, entries: &[Entry<'_>]) -> Vec<String> {
    let line = |entry: &Entry<'_>| {
        let indent = "  ".repeat(entry.depth);
        match &entry.what {
            What::Header(text) => format!("{indent}- {text}\n"),
            What::Element { node, name } => {
                let reference = is_interactive(node)
                    .then(|| refs.give(graph, &entry.document.document_id, &node.instance_id).to_owned());
                format!("{indent}- {}\n", line::write(node, name.as_deref(), reference.as_deref()))
            }
        }
    };
    entries.iter().map(line).collect()
}

/// Takes entries in the order of their rank, each with the headers above it, until the budget is spent.
fn choose(entries: &[Entry<'_>], lines: &[String], ranked: &[usize], budget: usize) -> Vec<bool> {
    let mut chosen = vec![false; entries.len()];
    let mut spent = FRAME;
    for &at in ranked {
        let mut path = Vec::new();
        let mut next = Some(at);
        while let Some(at) = next.filter(|at| chosen.get(*at) == Some(&false)) {
            path.push(at);
            next = entries.get(at).and_then(|entry| entry.parent);
        }
        let cost: usize = path.iter().filter_map(|at| lines.get(*at)).map(|line| estimate(line)).sum();
        if spent + cost > budget {
            break;
        }
        spent += cost;
        for at in path {
            if let Some(flag) = chosen.get_mut(at) {
                *flag = true;
            }
        }
    }
    chosen
}

/// The first and the last line.
const FRAME: usize = 60;

fn written(graph: &PageGraph, entries: &[Entry<'_>], lines: &[String], chosen: &[bool]) -> Page {
    let route = &graph.route;
    let title = route.title.as_deref().map_or_else(String::new, |title| format!(" {}", quoted(title, 80)));
    let mut text = format!("<page {} {}{title}>\n", graph.revision, harmless(&route.url, 120));
    let (mut shown, mut left) = (0, Omitted::default());
    let mut here = Omitted::default();
    for (at, entry) in entries.iter().enumerate() {
        let element = matches!(entry.what, What::Element { .. });
        if chosen.get(at) == Some(&true) {
            // What was left out before a line is told where the next one of another scope begins.
            here.end_of_scope(entry.scope, &mut text);
            text.push_str(lines.get(at).map_or("", String::as_str));
            shown += usize::from(element);
        } else if element {
            here.add(entry, &mut text);
            left.count += 1;
        }
    }
    here.flush(&mut text);
    if graph.truncated == Some(true) {
        text.push_str(&unread(graph));
    }
    text.push_str("</page>\n");
    let tokens = estimate(&text);
    Page { text, tokens, shown, left_out: left.count }
}

/// What the surface did not read at all, as far as it was counted.
fn unread(graph: &PageGraph) -> String {
    let omitted = graph.metadata.as_ref().and_then(|metadata| metadata.0.get("omitted"));
    let count = |key: &str| omitted.and_then(|omitted| omitted.get(key)?.as_u64()).unwrap_or(0);
    let parts: Vec<String> = [(count("elements"), "elements"), (count("children"), "entries of long lists")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let what = if parts.is_empty() { "more".to_owned() } else { parts.join(" and ") };
    format!("- … {what} not read: scroll, find, or ask for a scope\n")
}

/// What is missing in one scope.
#[derive(Default)]
struct Omitted<'g> {
    count: usize,
    depth: usize,
    scope: Option<&'g ScopeNode>,
    roles: BTreeMap<&'g str, usize>,
}

impl<'g> Omitted<'g> {
    fn add(&mut self, entry: &Entry<'g>, text: &mut String) {
        self.end_of_scope(entry.scope, text);
        if self.count == 0 {
            self.depth = entry.depth;
            self.scope = entry.scope;
        }
        self.count += 1;
        self.depth = self.depth.min(entry.depth);
        if let What::Element { node, .. } = &entry.what {
            *self.roles.entry(line::word(node)).or_default() += 1;
        }
    }

    fn end_of_scope(&mut self, next: Option<&ScopeNode>, text: &mut String) {
        let same = self.scope.map(|scope| &scope.id) == next.map(|scope| &scope.id);
        if !same {
            self.flush(text);
        }
    }

    fn flush(&mut self, text: &mut String) {
        if self.count > 0 {
            let mut roles: Vec<(&str, usize)> = std::mem::take(&mut self.roles).into_iter().collect();
            roles.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            let parts: Vec<String> =
                roles.iter().take(3).map(|(role, count)| format!("{count} {role}")).collect();
            let scope = self.scope.map_or_else(String::new, |scope| format!(" in scope {}", scope.id));
            text.push_str(&format!(
                "{}- … {} more{scope}: {}\n",
                "  ".repeat(self.depth),
                self.count,
                parts.join(", ")
            ));
        }
        *self = Self::default();
    }
}
