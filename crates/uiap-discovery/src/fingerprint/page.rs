//! Reads a page into the parts of a fingerprint.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use uiap_model::capability::lint::looks_generated;
use uiap_model::capability::{HasPopup, Invalid, UIRole};
use uiap_model::discovery::transition::StateFingerprintPolicy;
use uiap_model::web::graph::{BoundaryAccess, DocumentKind};
use uiap_model::web::{ElementNode, PageGraph, ScopeKind, ScopeNode};

use super::collection::{Index, is_collection};
use super::parts::{Part, Parts};
use super::words;
use crate::template;

/// More headings of one level than this are the headings of a text, not of a page.
const MOST_HEADINGS: usize = 6;
/// So many names with the same first word are one name with something that varies.
const SAME_BEGINNING: usize = 3;

pub(super) fn read(graph: &PageGraph, policy: &StateFingerprintPolicy) -> Parts {
    let mut reader = Reader {
        graph,
        index: Index::new(graph),
        policy,
        modals: graph.modal_stack.iter().flatten().map(uiap_model::names::ScopeId::as_str).collect(),
        keys: HashMap::new(),
        names: BTreeMap::new(),
        items: BTreeMap::new(),
        scopes: BTreeMap::new(),
        parts: Parts::default(),
    };
    reader.read();
    reader.parts
}

struct Reader<'a> {
    graph: &'a PageGraph,
    index: Index<'a>,
    policy: &'a StateFingerprintPolicy,
    modals: HashSet<&'a str>,
    keys: HashMap<&'a str, String>,
    /// Names of controls without an id, by area and role.
    names: BTreeMap<(String, String), BTreeSet<String>>,
    /// What the items of a collection hold.
    items: BTreeMap<String, BTreeSet<String>>,
    /// How often an area of that key is there.
    scopes: BTreeMap<String, HashSet<&'a str>>,
    parts: Parts,
}

impl<'a> Reader<'a> {
    fn read(&mut self) {
        self.parts.add(Part::Route, template::route_key(&self.graph.route));
        for scope in self.graph.modal_stack.iter().flatten().filter_map(|id| self.graph.scope(id)) {
            let key = self.key(scope);
            self.parts.add(Part::Modals, format!("{key} lies on top"));
        }
        let graph = self.graph;
        for document in graph.documents.iter().filter(|document| document.access != BoundaryAccess::Opaque) {
            let inner = document.kind != DocumentKind::Root;
            for scope in &document.scopes {
                self.scope(scope, inner);
            }
        }
        self.headings();
        self.finish();
    }

    fn scope(&mut self, scope: &'a ScopeNode, inner: bool) {
        let passing =
            self.index.around(scope).any(|around| around.name.as_deref().is_some_and(words::is_advertising));
        if passing || is_pager(scope) || is_trail(scope) || !self.is_on_top(scope) {
            return;
        }
        let frame = if inner { "frame: " } else { "" };
        let key = format!("{frame}{}", self.key(scope));
        if matches!(scope.kind, ScopeKind::Dialog | ScopeKind::Drawer | ScopeKind::Form | ScopeKind::Tabpanel)
        {
            self.count(&key, scope);
        }
        self.validation(scope, &key);
        if is_collection(scope) && self.policy.include_collections != Some(false) {
            for head in self.index.heads(scope) {
                self.parts.add(Part::Collections, format!("{key}: column {}", words::normalised(head)));
            }
        }
        for element in &scope.elements {
            self.element(scope, element, &key);
        }
    }

    /// Under a modal only what lies in it, or opened above it, belongs to the state.
    fn is_on_top(&self, scope: &'a ScopeNode) -> bool {
        self.modals.is_empty()
            || self.index.around(scope).any(|around| {
                self.modals.contains(around.id.as_str())
                    || matches!(around.kind, ScopeKind::Popover | ScopeKind::Menu)
            })
    }

    /// A repeated area or one inside of items is there once; of the others the number counts. Areas that are there for the layout
    /// only do not count.
    fn count(&mut self, key: &str, scope: &'a ScopeNode) {
        if own_key(scope, self.index.is_repeated(scope)).is_none() {
            return;
        }
        let in_items = self.index.around(scope).skip(1).any(is_collection);
        let once = in_items || self.index.around(scope).any(|around| self.index.is_repeated(around));
        let member = if once { "" } else { scope.id.as_str() };
        self.scopes.entry(key.to_owned()).or_default().insert(member);
    }

    fn element(&mut self, scope: &'a ScopeNode, element: &'a ElementNode, key: &str) {
        if element.state.visible == Some(false) || self.is_transient(element) {
            return;
        }
        self.focus(scope, element, key);
        if !is_control(&element.role) {
            return;
        }
        self.value(element, key);
        let in_item = self.index.in_item(scope, element);
        if in_item && !is_field_of_form(&self.index, scope, element) {
            self.item(scope, element);
            return;
        }
        let name = element.name.as_deref().unwrap_or_default();
        if element.role == UIRole::Link && words::is_skip_link(name) {
            return;
        }
        let in_command = matches!(scope.kind, ScopeKind::Form | ScopeKind::Dialog | ScopeKind::Drawer);
        if words::is_step(name) && (element.role == UIRole::Link || !in_command) && is_pressed(&element.role)
        {
            return;
        }
        self.count(key, scope);
        self.control(element, key, name);
    }

    fn control(&mut self, element: &ElementNode, key: &str, name: &str) {
        let role = element.role.as_str();
        let name = if matches!(element.role, UIRole::Custom | UIRole::Video | UIRole::Audio) {
            String::new()
        } else {
            words::normalised(name)
        };
        let chosen =
            if element.role == UIRole::Tab && element.state.selected == Some(true) { " chosen" } else { "" };
        if opens(element) {
            self.parts.add(Part::Modals, format!("{key}: {role} {name} is open"));
        }
        match stable_id(element) {
            Some(id) => {
                self.parts.add(Part::Controls, format!("{key}: {role} {id} {name}{chosen}"));
            }
            None if chosen.is_empty() => {
                self.names.entry((key.to_owned(), role.to_owned())).or_default().insert(name);
            }
            None => self.parts.add(Part::Controls, format!("{key}: {role} {name}{chosen}")),
        }
    }

    fn item(&mut self, scope: &'a ScopeNode, element: &ElementNode) {
        let Some(home) = self.index.collection_of(scope).or(Some(scope)) else { return };
        let key = self.key(home);
        if opens(element) {
            self.parts.add(Part::Modals, format!("{key}: {} of an item is open", element.role));
        }
        let id = stable_id(element).unwrap_or_default();
        self.items.entry(key).or_default().insert(format!("{} {id}", element.role));
    }

    fn validation(&mut self, scope: &'a ScopeNode, key: &str) {
        let refused = scope.issues.as_ref().is_some_and(|issues| !issues.is_empty())
            || scope
                .elements
                .iter()
                .any(|element| element.state.invalid.is_some_and(|invalid| invalid != Invalid::No));
        let in_form = self.index.around(scope).any(|around| around.kind == ScopeKind::Form);
        if refused || (in_form && scope.elements.iter().any(|element| is_complaint(element))) {
            let form = self.index.around(scope).find(|around| around.kind == ScopeKind::Form);
            let key = form.map_or_else(|| key.to_owned(), |form| self.key(form));
            self.parts.add(Part::Validation, format!("{key} shows mistakes"));
        }
    }

    fn focus(&mut self, scope: &ScopeNode, element: &ElementNode, key: &str) {
        let focused = element.state.focused == Some(true)
            || self.graph.focus.as_ref().and_then(|focus| focus.instance_id.as_ref())
                == Some(&element.instance_id);
        let primary = scope.submit_target.as_ref() == Some(&element.instance_id)
            || element.affordances.contains(&uiap_model::capability::UIAffordance::Submit);
        if focused && primary && !self.modals.is_empty() {
            let name = words::normalised(element.name.as_deref().unwrap_or_default());
            self.parts.add(Part::Focus, format!("{key}: {} {name}", element.role));
        }
    }

    fn value(&mut self, element: &ElementNode, key: &str) {
        if self.policy.include_text_values != Some(true) || element.state.sensitive == Some(true) {
            return;
        }
        let text = element.state.text_value.as_deref().unwrap_or_default();
        let checked = element.state.checked.map(|checked| format!(" {checked:?}")).unwrap_or_default();
        if !text.is_empty() || !checked.is_empty() {
            let name = element.name.as_deref().unwrap_or_default();
            self.parts.add(Part::Values, format!("{key}: {} {name} = {text}{checked}", element.role));
        }
    }

    /// Toasts, messages and signs of waiting, with what is in them.
    fn is_transient(&mut self, element: &'a ElementNode) -> bool {
        let text = element.state.text_value.as_deref().or(element.name.as_deref()).unwrap_or_default();
        match element.role {
            UIRole::Toast | UIRole::Status | UIRole::Alert => {
                if self.policy.ignore_transient_toasts == Some(false) && !text.is_empty() {
                    self.parts.add(Part::Transient, format!("{} {}", element.role, words::normalised(text)));
                }
                true
            }
            UIRole::Spinner | UIRole::Progress => {
                if self.policy.ignore_spinners == Some(false) {
                    self.parts.add(Part::Transient, element.role.to_string());
                }
                true
            }
            _ => self
                .index
                .ancestors(element)
                .any(|(around, _)| matches!(around.role, UIRole::Toast | UIRole::Status | UIRole::Alert)),
        }
    }

    /// Headings tell pages apart that have no route of their own; where the address names one thing, they name it too.
    fn headings(&mut self) {
        let route = &self.graph.route;
        if route.route_id.is_some() || template::has_value(&route.url) || !self.modals.is_empty() {
            return;
        }
        let mut by_level: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
        for (_, scope, element) in self.graph.elements() {
            let level = element.metadata.as_ref().and_then(|metadata| metadata.0.get("heading")?.as_u64());
            if let (Some(level), Some(name)) = (level, &element.name)
                && !self.index.in_item(scope, element)
            {
                by_level.entry(level).or_default().insert(words::normalised(name));
            }
        }
        for heading in by_level.into_values().filter(|level| level.len() <= MOST_HEADINGS).flatten() {
            self.parts.add(Part::Headings, heading);
        }
    }

    fn finish(&mut self) {
        for ((key, role), names) in std::mem::take(&mut self.names) {
            for name in folded(names) {
                self.parts.add(Part::Controls, format!("{key}: {role} {name}"));
            }
        }
        for (key, members) in std::mem::take(&mut self.scopes) {
            self.parts.add(Part::Scopes, format!("{key} ×{}", members.len()));
        }
        if self.policy.include_collections != Some(false) {
            for (key, roles) in std::mem::take(&mut self.items) {
                let roles: Vec<String> = roles.into_iter().collect();
                self.parts.add(Part::Collections, format!("{key}: items of {}", roles.join(", ")));
            }
        }
    }

    /// What an area is called from outside: its kind with its id or name, after those of the areas around it. Areas that are
    /// there for the layout only are passed over.
    fn key(&mut self, scope: &'a ScopeNode) -> String {
        if let Some(known) = self.keys.get(scope.id.as_str()) {
            return known.clone();
        }
        let mut parts: Vec<String> = self
            .index
            .around(scope)
            .filter_map(|around| own_key(around, self.index.is_repeated(around)))
            .collect();
        parts.reverse();
        let key = if parts.is_empty() { "page".to_owned() } else { parts.join(" / ") };
        self.keys.insert(scope.id.as_str(), key.clone());
        key
    }
}

fn own_key(scope: &ScopeNode, repeated: bool) -> Option<String> {
    let id = scope.id.as_str();
    if scope.kind == ScopeKind::Page {
        return None;
    }
    if !id.starts_with('~') && !looks_generated(id) {
        return Some(format!("{} {}", scope.kind, without_digits(id)));
    }
    // A frame is called as its document is, and a script may call that otherwise at any time.
    if scope.kind == ScopeKind::Frame {
        return Some(scope.kind.to_string());
    }
    let name = scope.name.as_deref().filter(|_| !repeated).map(words::normalised);
    match name {
        Some(name) if !name.is_empty() => Some(format!("{} {name}", scope.kind)),
        _ if scope.kind == ScopeKind::Region => None,
        _ => Some(scope.kind.to_string()),
    }
}

fn stable_id(element: &ElementNode) -> Option<String> {
    let id = element.stable_id.as_ref()?.as_str();
    (!looks_generated(id)).then(|| without_digits(id))
}

fn without_digits(id: &str) -> String {
    let mut out = String::with_capacity(id.len());
    for letter in id.chars() {
        if !letter.is_ascii_digit() {
            out.push(letter);
        } else if !out.ends_with('#') {
            out.push('#');
        }
    }
    out
}

fn opens(element: &ElementNode) -> bool {
    element.state.expanded == Some(true) && element.state.has_popup.is_some_and(|popup| popup != HasPopup::No)
}

fn is_control(role: &UIRole) -> bool {
    use UIRole::{
        Audio, Button, Canvas, Checkbox, Combobox, Custom, Datepicker, Fileinput, Link, Listbox, Menuitem,
        Radio, Searchbox, Slider, Spinbutton, Switch, Tab, Textarea, Textbox, Timepicker, Video, X,
    };
    matches!(
        role,
        Audio
            | Button
            | Canvas
            | Checkbox
            | Combobox
            | Custom
            | Datepicker
            | Fileinput
            | Link
            | Listbox
            | Menuitem
            | Radio
            | Searchbox
            | Slider
            | Spinbutton
            | Switch
            | Tab
            | Textarea
            | Textbox
            | Timepicker
            | Video
            | X(_)
    )
}

fn is_pressed(role: &UIRole) -> bool {
    matches!(role, UIRole::Link | UIRole::Button | UIRole::Menuitem)
}

/// Fields of a form that is laid out as a table keep their names.
fn is_field_of_form<'a>(index: &Index<'a>, scope: &'a ScopeNode, element: &ElementNode) -> bool {
    let field = matches!(
        element.role,
        UIRole::Textbox
            | UIRole::Textarea
            | UIRole::Combobox
            | UIRole::Datepicker
            | UIRole::Fileinput
            | UIRole::Spinbutton
    );
    field
        && scope.kind != ScopeKind::List
        && index.around(scope).any(|around| around.kind == ScopeKind::Form && !index.is_repeated(around))
}

fn is_complaint(element: &ElementNode) -> bool {
    let speaks = matches!(element.role, UIRole::Label | UIRole::Alert | UIRole::Status | UIRole::Cell);
    let text = element.state.text_value.as_deref().or(element.name.as_deref());
    speaks && text.is_some_and(words::complains)
}

/// A row of links to neighbours.
fn is_pager(scope: &ScopeNode) -> bool {
    if scope.role == Some(UIRole::Pagination) {
        return true;
    }
    let controls = || scope.elements.iter().filter(|element| is_control(&element.role));
    let steps = controls().filter(|element| element.name.as_deref().is_some_and(words::is_step)).count();
    scope.kind == ScopeKind::Navigation && steps > 0 && steps * 2 >= controls().count()
}

/// The way down to what is shown: its links are called as the things on it are.
fn is_trail(scope: &ScopeNode) -> bool {
    let named = |text: &str| words::is_trail(text);
    scope.kind == ScopeKind::Navigation
        && (scope.name.as_deref().is_some_and(named) || named(scope.id.as_str().trim_start_matches('~')))
}

/// Folds names that begin alike into one: `Profile of Ana`, `Profile of Jo`, `Profile of Kim`.
fn folded(names: BTreeSet<String>) -> BTreeSet<String> {
    let mut by_first: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in names {
        let first = name.split(' ').next().unwrap_or_default().to_owned();
        by_first.entry(first).or_default().push(name);
    }
    by_first
        .into_iter()
        .flat_map(|(first, members)| {
            let longer = members.iter().filter(|name| name.len() > first.len()).count();
            if longer >= SAME_BEGINNING && !first.is_empty() { vec![format!("{first} …")] } else { members }
        })
        .collect()
}
