//! Elements by role, name and text; the best first.

use uiap_model::capability::UIRole;
use uiap_model::web::{DocumentNode, ElementNode, PageGraph, ScopeNode};

use super::escape::quoted;
use super::line;
use super::refs::Refs;

/// What is looked for; everything that is given must fit.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// The role.
    pub role: Option<UIRole>,
    /// Part of the name, whatever the case.
    pub name: Option<String>,
    /// Part of the name, description, value or stable id, whatever the case.
    pub text: Option<String>,
    /// Results at most.
    pub limit: usize,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// One line for each, with its ref and where it stands.
    pub lines: Vec<String>,
    /// How many fit in all.
    pub total: usize,
}

/// Finds elements.
pub fn find(graph: &PageGraph, refs: &mut Refs, query: &Query) -> Found {
    let name = query.name.as_deref().map(str::to_lowercase);
    let text = query.text.as_deref().map(str::to_lowercase);
    let mut hits: Vec<(u8, usize, &DocumentNode, &ScopeNode, &ElementNode)> = graph
        .elements()
        .enumerate()
        .filter(|(_, (.., element))| query.role.as_ref().is_none_or(|role| *role == element.role))
        .filter_map(|(at, (document, scope, element))| {
            let by_name = match &name {
                Some(name) => closeness(element.name.as_deref(), name)?,
                None => 0,
            };
            let by_text = match &text {
                Some(text) => texts(element).filter_map(|each| closeness(Some(each), text)).min()?,
                None => 0,
            };
            let hidden = u8::from(element.state.visible == Some(false)) * 4;
            Some((
                by_name + by_text + hidden + u8::from(!line::is_interactive(element)),
                at,
                document,
                scope,
                element,
            ))
        })
        .collect();
    hits.sort_unstable_by_key(|(score, at, ..)| (*score, *at));
    let total = hits.len();
    hits.truncate(query.limit);
    let lines = hits.iter().map(|(.., document, scope, element)| {
        let reference = refs.give(graph, &document.document_id, &element.instance_id).to_owned();
        let place = match scope.name.as_deref().filter(|name| !name.is_empty()) {
            Some(name) => format!(" in {} {}", scope.kind.as_str(), quoted(name, 60)),
            None => format!(" in {}", scope.kind.as_str()),
        };
        format!("- {}{place}", line::write(element, element.name.as_deref(), Some(&reference)))
    });
    Found { lines: lines.collect(), total }
}

fn texts(element: &ElementNode) -> impl Iterator<Item = &str> {
    let value = element.state.text_value.as_deref().filter(|_| element.state.sensitive != Some(true));
    let stable = element.stable_id.as_ref().map(uiap_model::names::StableId::as_str);
    [element.name.as_deref(), element.description.as_deref(), value, stable].into_iter().flatten()
}

/// 0 the same, 1 begins so, 2 contains it.
fn closeness(text: Option<&str>, wanted: &str) -> Option<u8> {
    let text = text?.to_lowercase();
    if text == *wanted {
        Some(0)
    } else if text.starts_with(wanted) {
        Some(1)
    } else {
        text.contains(wanted).then_some(2)
    }
}
