//! Lists that lead to places, told from lists of things. Many apps write their main menu as a plain list, outside of any landmark:
//! one entry of such a list does not stand for the others, as one row of a table does.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use uiap_model::capability::{HasPopup, UIRole};
use uiap_model::names::ElementInstanceId;
use uiap_model::web::{ElementNode, PageGraph, ScopeKind, ScopeNode};

use crate::candidate::told;
use crate::record::fact;
use crate::template;

/// A list with more entries is a list of things.
const MOST_ENTRIES: usize = 24;
/// So many addresses beside each other that differ in their last word are the things of a list.
const MANY_BESIDE: usize = 3;
/// So many places below the root are things after all.
const MOST_PLACES: usize = 60;
/// How deep elements nest at most.
const DEEPEST: usize = 64;

/// What of a page leads to places.
pub(crate) struct Menus<'a> {
    scopes: HashSet<&'a str>,
    places: HashSet<&'a ElementInstanceId>,
}

impl<'a> Menus<'a> {
    pub(crate) fn of(graph: &'a PageGraph) -> Self {
        let lists = || graph.scopes().map(|(_, scope)| scope).filter(|scope| scope.kind == ScopeKind::List);
        let scopes = lists().filter(|scope| is_menu(scope)).map(|scope| scope.id.as_str()).collect();
        Self { scopes, places: places(lists(), &graph.route.url) }
    }

    /// Whether a list is a menu: every entry is one control with a name of its own, and one of them opens more or none leads anywhere.
    pub(crate) fn is_menu(&self, scope: &ScopeNode) -> bool {
        self.scopes.contains(scope.id.as_str())
    }

    /// Whether an entry of a list leads to a place that is not one of many. Only known where the ground told where links lead.
    pub(crate) fn is_place(&self, element: &ElementNode) -> bool {
        self.places.contains(&element.instance_id)
    }
}

fn is_menu(scope: &ScopeNode) -> bool {
    let all: HashMap<&ElementInstanceId, &ElementNode> =
        scope.elements.iter().map(|element| (&element.instance_id, &**element)).collect();
    let mut entries: BTreeMap<&ElementInstanceId, Vec<&ElementNode>> = BTreeMap::new();
    for element in &scope.elements {
        let Some(entry) = outermost(element, &all) else { return false };
        let within = entries.entry(entry).or_default();
        if element.affordances.len() > 1 {
            within.push(element);
        }
    }
    let heads: Option<Vec<&ElementNode>> = entries
        .iter()
        .map(|(entry, within)| within.first().copied().filter(|head| is_whole(all.get(entry), head)))
        .collect();
    let Some(heads) = heads.filter(|heads| (2..=MOST_ENTRIES).contains(&heads.len())) else { return false };
    let names: BTreeSet<&str> = heads.iter().filter_map(|head| head.name.as_deref()).collect();
    names.len() == heads.len()
        && (heads.iter().any(|head| opens(head)) || heads.iter().all(|head| leads_nowhere(head)))
}

/// Whether it is a link of which only a script knows what it does. Rows of data lead to their things.
fn leads_nowhere(element: &ElementNode) -> bool {
    element.role == UIRole::Link && told(element, fact::HREF).is_some_and(|href| href.ends_with('#'))
}

/// The entry of the list that an element stands in, or is.
fn outermost<'a>(
    element: &'a ElementNode,
    all: &HashMap<&'a ElementInstanceId, &'a ElementNode>,
) -> Option<&'a ElementInstanceId> {
    let up = |at: &&'a ElementNode| at.parent_instance_id.as_ref().and_then(|id| all.get(id)).copied();
    let line = std::iter::successors(Some(element), up).take(DEEPEST);
    line.filter(|at| at.role == UIRole::Listitem).last().map(|at| &at.instance_id)
}

/// Whether an entry says nothing before its first control, and that is one to press.
fn is_whole(entry: Option<&&ElementNode>, head: &ElementNode) -> bool {
    let pressed = matches!(head.role, UIRole::Link | UIRole::Button | UIRole::Menuitem);
    let name = head.name.as_deref().unwrap_or_default();
    let text = entry.and_then(|entry| entry.name.as_deref()).unwrap_or_default();
    pressed && !name.is_empty() && (text.is_empty() || text.starts_with(name))
}

fn opens(element: &ElementNode) -> bool {
    element.state.expanded.is_some() || element.state.has_popup.is_some_and(|popup| popup != HasPopup::No)
}

/// Links to addresses that are not many of a kind, counted over all lists: cards are often built as a list each.
fn places<'a>(lists: impl Iterator<Item = &'a ScopeNode>, here: &str) -> HashSet<&'a ElementInstanceId> {
    let origin = |url: &str| crate::seed::address::origin(url);
    let (own, current) = (origin(here), template::path_of(here));
    let mut beside: BTreeMap<String, BTreeMap<String, Vec<&ElementInstanceId>>> = BTreeMap::new();
    for element in lists.flat_map(|list| &list.elements).filter(|element| element.role == UIRole::Link) {
        let Some(href) = told(element, fact::HREF).filter(|href| origin(href) == own) else { continue };
        let path = template::path_of(href);
        if path == current || template::has_value(href) {
            continue;
        }
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
        beside.entry(parent).or_default().entry(path).or_default().push(&element.instance_id);
    }
    let few = |parent: &str, paths: usize| {
        paths < if parent.is_empty() || parent == "/#" { MOST_PLACES } else { MANY_BESIDE }
    };
    beside
        .into_iter()
        .filter(|(parent, paths)| few(parent, paths.len()))
        .flat_map(|(_, paths)| paths.into_values().flatten())
        .collect()
}
