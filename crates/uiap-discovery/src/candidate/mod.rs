//! What could be done in a state: one candidate for each thing that can be operated, with those that are the same thing over and
//! over, such as the rows of a table, taken together.

mod aim;
pub(crate) mod draft;
mod pattern;

use std::collections::HashMap;

use compact_str::{CompactString, format_compact};
use uiap_model::capability::action::ActionKind;
use uiap_model::capability::{ActionDescriptor, UIAffordance, UIRole};
use uiap_model::json::JsonObject;
use uiap_model::web::{ElementNode, PageGraph, ScopeNode};

pub use self::aim::{aim_at, find};
pub use self::pattern::{name_pattern, path_pattern};
use crate::ground::{Deed, Step};
use crate::record::fact;

/// What a search or filter is tried with: a letter that most texts contain.
const PROBE: &str = "a";

/// In which order candidates are tried. Spec: discovery-mapper §11.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Rank {
    /// What the app itself offers to do.
    AppAction,
    /// Links and entries that say that they lead somewhere.
    Navigation,
    /// What opens tabs, accordions, menus, drawers and dialogs.
    Opening,
    /// Everything else that may lead to another area.
    Area,
    /// Filters and selections.
    Selection,
    /// What is written into forms.
    Draft,
    /// What has no semantics.
    Fallback,
}

impl Rank {
    /// The rank of that number.
    pub fn of(number: u8) -> Self {
        match number {
            0 => Self::AppAction,
            1 => Self::Navigation,
            2 => Self::Opening,
            3 => Self::Area,
            4 => Self::Selection,
            5 => Self::Draft,
            _ => Self::Fallback,
        }
    }
}

/// Something that could be done in a state.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    /// What, and to what.
    pub step: Step,
    /// When it is tried.
    pub rank: Rank,
    /// What it is wherever it stands: two states that show the same control have the same one.
    pub control: CompactString,
    /// How many more of the same pattern the state holds.
    pub alike: u32,
    /// The element.
    pub element: Option<&'a ElementNode>,
    /// Its scope.
    pub scope: Option<&'a ScopeNode>,
    /// The app's own action.
    pub action: Option<&'a ActionDescriptor>,
}

/// Everything that could be done in a page, in its order. What lies behind something modal cannot be reached and is left out.
pub fn candidates<'a>(graph: &'a PageGraph, actions: &'a [ActionDescriptor]) -> Vec<Candidate<'a>> {
    let mut found: Vec<Candidate<'a>> = actions.iter().filter_map(of_app).collect();
    let mut known: HashMap<CompactString, usize> = HashMap::new();
    let patterns = pattern::Patterns::of(graph);
    // How many of that name there were before, counted once for all: pages have thousands of links.
    let mut twins: HashMap<(&str, &UIRole, &str), u32> = HashMap::new();
    for (document, scope, element) in graph.elements() {
        let name = element.name.as_deref().unwrap_or_default();
        let twin = twins.entry((scope.id.as_str(), &element.role, name)).or_default();
        let ordinal = *twin;
        *twin += 1;
        if !is_operable(element) {
            continue;
        }
        let Some((deed, rank)) = deed_of(element, scope) else { continue };
        let pattern = patterns.key(document, scope, element, &deed);
        if let Some(first) = known.get(&pattern).and_then(|at| found.get_mut(*at)) {
            first.alike += 1;
            continue;
        }
        known.insert(pattern, found.len());
        let control = pattern::control(scope, element, &deed, &patterns);
        let aim = Some(aim_at(scope, element, ordinal));
        found.push(Candidate {
            step: Step { deed, aim, sealed: false, drafts: Vec::new() },
            rank,
            control,
            alike: 0,
            element: Some(element),
            scope: Some(scope),
            action: None,
        });
    }
    found
}

/// Whether the app itself offers it, and nothing has to be said with it.
pub(crate) fn is_for_the_asking(action: &ActionDescriptor) -> bool {
    let needs = action.args.iter().flatten().any(|arg| arg.required == Some(true));
    action.kind == ActionKind::Domain && !needs
}

/// What the app offers by itself and can be asked for without an argument or a target.
fn of_app(action: &ActionDescriptor) -> Option<Candidate<'_>> {
    if !is_for_the_asking(action) {
        return None;
    }
    let deed = Deed::Invoke { action_id: action.id.clone(), args: JsonObject(serde_json::Map::new()) };
    Some(Candidate {
        step: Step { deed, aim: None, sealed: false, drafts: Vec::new() },
        rank: Rank::AppAction,
        control: format_compact!("app|{}", action.id),
        alike: 0,
        element: None,
        scope: None,
        action: Some(action),
    })
}

fn is_operable(element: &ElementNode) -> bool {
    let state = &*element.state;
    state.visible != Some(false)
        && state.enabled != Some(false)
        && state.blocked != Some(true)
        && element.web.attached
}

/// What would be done to an element, and when.
fn deed_of(element: &ElementNode, scope: &ScopeNode) -> Option<(Deed, Rank)> {
    use uiap_model::web::graph::ScopeKind;
    let offers = |affordance: UIAffordance| element.affordances.contains(&affordance);
    let state = &*element.state;
    let opens = offers(UIAffordance::Expand)
        || offers(UIAffordance::Open)
        || state.has_popup.is_some()
        || has(element, fact::OPENS);
    match &element.role {
        UIRole::Link => match told(element, fact::HREF).filter(|_| has(element, fact::WINDOW)) {
            Some(href) => Some((Deed::Go { url: href.to_owned() }, Rank::Navigation)),
            None => Some((Deed::Follow, Rank::Navigation)),
        },
        UIRole::Tab => (state.selected != Some(true)).then_some((Deed::Activate, Rank::Opening)),
        UIRole::Menuitem => {
            let rank = if has(element, fact::HREF) { Rank::Navigation } else { Rank::Area };
            Some((if has(element, fact::HREF) { Deed::Follow } else { Deed::Activate }, rank))
        }
        UIRole::Button => Some((Deed::Activate, if opens { Rank::Opening } else { Rank::Area })),
        UIRole::Checkbox | UIRole::Switch => {
            let rank = if scope.kind == ScopeKind::Form { Rank::Draft } else { Rank::Selection };
            Some((Deed::Toggle, rank))
        }
        UIRole::Radio => (state.checked != Some(uiap_model::capability::Checked::On))
            .then_some((Deed::Toggle, Rank::Draft)),
        UIRole::Combobox | UIRole::Listbox if element.options.as_ref().is_some_and(|all| !all.is_empty()) => {
            let other = element.options.iter().flatten().find(|option| {
                option.selected != Some(true) && option.disabled != Some(true) && !option.value.is_empty()
            })?;
            let rank = if scope.kind == ScopeKind::Form { Rank::Draft } else { Rank::Selection };
            Some((Deed::Choose { value: other.value.to_string() }, rank))
        }
        UIRole::Combobox if state.expanded != Some(true) && state.placeholder.is_none() => {
            Some((Deed::Open, Rank::Opening))
        }
        UIRole::Searchbox | UIRole::Combobox => {
            Some((Deed::EnterText { text: PROBE.to_owned() }, Rank::Selection))
        }
        UIRole::Textbox | UIRole::Textarea | UIRole::Spinbutton | UIRole::Datepicker | UIRole::Timepicker => {
            let writable = state.readonly != Some(true) && state.editable != Some(false);
            writable.then(|| (Deed::EnterText { text: PROBE.to_owned() }, Rank::Draft))
        }
        UIRole::Option | UIRole::Treeitem | UIRole::Row | UIRole::Listitem
            if offers(UIAffordance::Activate) =>
        {
            Some((Deed::Activate, Rank::Selection))
        }
        UIRole::Option => Some((Deed::Activate, Rank::Selection)),
        // A file is never chosen and a drawing never pressed, but that they could be is judged and told.
        UIRole::Canvas | UIRole::Fileinput => Some((Deed::Activate, Rank::Draft)),
        _ if opens => Some((Deed::Open, Rank::Opening)),
        _ if offers(UIAffordance::Activate) => Some((Deed::Activate, Rank::Fallback)),
        _ => None,
    }
}

/// Whether the ground told something of an element.
pub(crate) fn has(element: &ElementNode, name: &str) -> bool {
    told(element, name).is_some()
}

/// What the ground told of an element.
pub(crate) fn told<'a>(element: &'a ElementNode, name: &str) -> Option<&'a str> {
    let value = element.metadata.as_ref()?.0.get(name)?;
    match value {
        serde_json::Value::String(text) => Some(text),
        serde_json::Value::Bool(true) => Some("true"),
        _ => None,
    }
}
