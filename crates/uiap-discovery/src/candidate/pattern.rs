//! What is the same thing over and over: rows, cards, days, pages. One of them stands for all.

use std::collections::{BTreeMap, HashMap};

use compact_str::{CompactString, format_compact};
use uiap_model::capability::UIRole;
use uiap_model::names::{ElementInstanceId, ScopeId};
use uiap_model::web::graph::ScopeKind;
use uiap_model::web::{DocumentNode, ElementNode, PageGraph, ScopeNode};

use super::{aim, told};
use crate::fingerprint::collection::repeated;
use crate::ground::Deed;
use crate::menu::Menus;
use crate::record::fact;

/// From so many names on, a shared beginning is a pattern.
const FAMILY: usize = 3;
/// Differently built items of one collection that are looked at.
const MOST_BUILDS: usize = 3;
/// Controls of one role in an item beyond which it is a grid, such as the week of a calendar: each is like the others.
const MOST_PLACES: usize = 4;

/// What repeats in one page.
pub(super) struct Patterns<'a> {
    /// The item of a collection that an element stands in, and its place among the item's elements of that role.
    items: HashMap<&'a ElementInstanceId, Item>,
    /// The first of the lists that an element's list is one of: cards are often built as a list each.
    cards: HashMap<&'a ScopeId, &'a ScopeId>,
    /// What leads to places, and is not one of many.
    menus: Menus<'a>,
    /// Beginnings of names that are shared within a scope and role.
    families: HashMap<(&'a ScopeId, &'a UIRole, String), usize>,
}

#[derive(Clone)]
struct Item {
    /// How the item is built.
    build: CompactString,
    place: usize,
}

impl<'a> Patterns<'a> {
    pub(super) fn of(graph: &'a PageGraph) -> Self {
        let mut families: HashMap<_, usize> = HashMap::new();
        for (_, scope, element) in graph.elements() {
            if let Some(start) = beginning(element) {
                *families.entry((&scope.id, &element.role, start)).or_default() += 1;
            }
        }
        Self { items: items(graph), cards: cards(graph), menus: Menus::of(graph), families }
    }

    /// The same for all of a pattern.
    pub(super) fn key(
        &self,
        document: &DocumentNode,
        scope: &ScopeNode,
        element: &ElementNode,
        deed: &Deed,
    ) -> CompactString {
        let home = self.cards.get(&scope.id).filter(|_| self.item(scope, element).is_some());
        let home = home.map_or(&scope.id, |first| *first);
        format_compact!("{}|{home}|{}", document.document_id, self.local(scope, element, deed))
    }

    /// What an element is within its scope.
    fn local(&self, scope: &ScopeNode, element: &ElementNode, deed: &Deed) -> CompactString {
        let role = aim::word(&element.role);
        let kind = deed_word(deed);
        if let Some(item) = self.item(scope, element) {
            return format_compact!("{role}|{kind}|item {} {}", item.build, item.place);
        }
        if let Some(id) = &element.stable_id {
            return format_compact!("{kind}|{}", name_pattern(id.as_str()));
        }
        format_compact!("{role}|{kind}|{}", self.name(scope, element))
    }

    /// The item that an element is one of many in.
    fn item(&self, scope: &ScopeNode, element: &ElementNode) -> Option<&Item> {
        let is_of_menu = self.menus.is_menu(scope) || self.menus.is_place(element);
        self.items.get(&element.instance_id).filter(|_| !is_of_menu)
    }

    fn name(&self, scope: &ScopeNode, element: &ElementNode) -> String {
        let shared = |start: &String| {
            let count = self.families.get(&(&scope.id, &element.role, start.clone()));
            count.is_some_and(|count| *count >= FAMILY)
        };
        let family = beginning(element).filter(shared);
        match family {
            Some(start) => format!("{start} …"),
            None => match element.name.as_deref().filter(|name| !name.is_empty()) {
                Some(name) => name_pattern(name),
                // Without a word its picture tells it from the others.
                None => name_pattern(told(element, fact::ICON).unwrap_or_default()),
            },
        }
    }
}

/// What a control is wherever it stands.
pub(super) fn control(
    scope: &ScopeNode,
    element: &ElementNode,
    deed: &Deed,
    patterns: &Patterns<'_>,
) -> CompactString {
    let area = if scope.id.as_str().starts_with('~') {
        format_compact!("{}:{}", scope.kind, name_pattern(scope.name.as_deref().unwrap_or_default()))
    } else {
        CompactString::from(name_pattern(scope.id.as_str()))
    };
    let lead = told(element, fact::HREF).map(path_pattern).unwrap_or_default();
    // The page as a whole is called as its title is, which says nothing of the control.
    let area = if scope.kind == ScopeKind::Page { CompactString::from("page") } else { area };
    format_compact!("{area}|{}|{lead}", patterns.local(scope, element, deed))
}

fn deed_word(deed: &Deed) -> &'static str {
    match deed {
        Deed::Activate => "activate",
        Deed::Follow | Deed::Go { .. } => "follow",
        Deed::Toggle => "toggle",
        Deed::Open => "open",
        Deed::Choose { .. } => "choose",
        Deed::EnterText { .. } => "text",
        Deed::Invoke { .. } => "invoke",
    }
}

/// The first two words of a longer name.
fn beginning(element: &ElementNode) -> Option<String> {
    let name = element.name.as_deref()?;
    let mut words = name.split_whitespace();
    let (first, second) = (words.next()?, words.next()?);
    words.next()?;
    Some(format!("{first} {second}"))
}

fn is_item(role: &UIRole) -> bool {
    matches!(role, UIRole::Row | UIRole::Listitem | UIRole::Treeitem | UIRole::Option)
}

/// Lists without names that are built alike and stand beside each other, each with the first of them.
fn cards(graph: &PageGraph) -> HashMap<&ScopeId, &ScopeId> {
    let alike = |scope: &&ScopeNode| scope.kind == ScopeKind::List && scope.name.is_none();
    let mut found = HashMap::new();
    for group in repeated(graph) {
        let lists: Vec<&ScopeNode> = group.into_iter().filter(alike).collect();
        if let Some(first) = lists.first() {
            found.extend(lists.iter().map(|list| (&list.id, &first.id)));
        }
    }
    found
}

/// Elements in items of collections. An item is the outermost row or entry around an element, or the element itself.
fn items(graph: &PageGraph) -> HashMap<&ElementInstanceId, Item> {
    let all: HashMap<&ElementInstanceId, &ElementNode> =
        graph.elements().map(|(.., element)| (&element.instance_id, element)).collect();
    let mut inside: BTreeMap<&ElementInstanceId, Vec<&ElementNode>> = BTreeMap::new();
    let mut order = Vec::new();
    for (_, scope, element) in graph.elements() {
        if let Some(item) = item_of(element, &all) {
            let first = || {
                order.push((&scope.id, item));
                Vec::new()
            };
            inside.entry(item).or_insert_with(first).push(element);
        }
    }
    let mut builds: HashMap<&ScopeId, Vec<CompactString>> = HashMap::new();
    let mut found = HashMap::new();
    for (scope, item) in order {
        let Some(elements) = inside.get(item) else { continue };
        let known = builds.entry(scope).or_default();
        let build = build_of(elements);
        let at = known.iter().position(|each| *each == build).unwrap_or_else(|| {
            known.push(build);
            known.len() - 1
        });
        let mut totals: HashMap<&UIRole, usize> = HashMap::new();
        for element in elements {
            *totals.entry(&element.role).or_default() += 1;
        }
        let mut places: HashMap<&UIRole, usize> = HashMap::new();
        for element in elements {
            let place = places.entry(&element.role).or_default();
            let build = format_compact!("{}", at.min(MOST_BUILDS - 1));
            let is_grid = totals.get(&element.role).is_some_and(|total| *total > MOST_PLACES);
            // An entry with an id of its own is not one of many.
            if element.stable_id.is_none() {
                found.insert(&element.instance_id, Item { build, place: if is_grid { 0 } else { *place } });
            }
            *place += 1;
        }
    }
    found
}

fn item_of<'a>(
    element: &'a ElementNode,
    all: &HashMap<&'a ElementInstanceId, &'a ElementNode>,
) -> Option<&'a ElementInstanceId> {
    let mut outermost = is_item(&element.role).then_some(&element.instance_id);
    let mut at = element;
    let mut steps = 0;
    while let Some(parent) = at.parent_instance_id.as_ref().and_then(|id| all.get(id)) {
        if is_item(&parent.role) {
            outermost = Some(&parent.instance_id);
        }
        at = parent;
        steps += 1;
        if steps > 64 {
            break;
        }
    }
    outermost
}

/// How an item is built: which kinds of things it can be operated by, and which pictures they show, not how many.
fn build_of(elements: &[&ElementNode]) -> CompactString {
    let mut roles: Vec<CompactString> = elements
        .iter()
        .filter(|element| element.affordances.len() > 1)
        .map(|element| {
            let own = element.stable_id.as_ref().map(|id| name_pattern(id.as_str())).unwrap_or_default();
            let icon = told(element, fact::ICON).unwrap_or_default();
            format_compact!("{}{own}{icon}", aim::word(&element.role))
        })
        .collect();
    roles.sort();
    roles.dedup();
    CompactString::from(roles.join(","))
}

/// A name with its numbers taken out.
pub fn name_pattern(name: &str) -> String {
    let mut pattern = String::with_capacity(name.len());
    let mut in_number = false;
    for letter in name.chars() {
        if letter.is_ascii_digit() {
            if !in_number {
                pattern.push('#');
            }
            in_number = true;
        } else if !(in_number && matches!(letter, '.' | ',')) {
            in_number = false;
            pattern.push(letter);
        }
    }
    pattern
}

/// The path of an address with what looks like an id taken out. Only for telling much of the same apart from something else.
pub fn path_pattern(url: &str) -> String {
    let rest = url
        .split_once("://")
        .map_or(url, |(_, rest)| rest.find('/').map_or("/", |at| rest.get(at..).unwrap_or("/")));
    let path = rest.split(['?', '#']).next().unwrap_or_default();
    let part = |part: &str| {
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        let long = part.len() >= 16 && part.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        if digits * 2 > part.len() || long || (part.len() >= 20 && digits > 2) {
            ":id".to_owned()
        } else {
            part.to_owned()
        }
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// An address up to its query.
pub(super) fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}
