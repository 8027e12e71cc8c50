//! Two packages of one app: what came, went, changed and moved between them.
//!
//! Compared is what the app offers, not what a run happened to do: ids of states, evidence, counts and times do not matter, and
//! what follows from one change, such as a new route in the list of routes of the header, is not told again.

mod element;
mod transition;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;
use serde_json::Value;
use uiap_model::discovery::DiscoveryPackage;
use uiap_model::discovery::catalog::{
    DiscoveredAction, DiscoveredActionKind, DiscoveredRoute, DiscoveredScope,
};

/// What a change is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Area {
    /// A place.
    Route,
    /// An area of a page.
    Scope,
    /// A control or something that tells.
    Element,
    /// Something that can be done.
    Action,
    /// A way from place to place.
    Transition,
    /// A task.
    Workflow,
}

impl Area {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 6] =
        [Self::Route, Self::Scope, Self::Element, Self::Action, Self::Transition, Self::Workflow];
}

impl fmt::Display for Area {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Route => "route",
            Self::Scope => "scope",
            Self::Element => "element",
            Self::Action => "action",
            Self::Transition => "transition",
            Self::Workflow => "workflow",
        })
    }
}

/// What happened to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It is another than it was.
    Changed,
    /// It is the same, elsewhere.
    Moved,
}

impl fmt::Display for ChangeKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
            Self::Moved => "moved",
        })
    }
}

/// One member that differs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Detail {
    /// Its name.
    pub member: String,
    /// What it was; empty when it was not there.
    pub before: String,
    /// What it is; empty when it is not there.
    pub after: String,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Change {
    /// What it is about.
    pub area: Area,
    /// What happened.
    pub kind: ChangeKind,
    /// The id in the package that has it; in the new one when both have.
    pub id: String,
    /// What a person calls it.
    pub label: String,
    /// What differs.
    pub details: Vec<Detail>,
}

/// Everything that differs, in a fixed order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// The changes.
    pub changes: Vec<Change>,
}

impl Comparison {
    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// How many changes of a kind there are.
    pub fn count(&self, kind: ChangeKind) -> usize {
        self.changes.iter().filter(|change| change.kind == kind).count()
    }
}

/// Compares two packages.
pub fn compare(old: &DiscoveryPackage, new: &DiscoveryPackage) -> Comparison {
    let mut changes = Vec::new();
    let gone = Gone::between(old, new);
    routes(old, new, &mut changes);
    scopes(old, new, &gone, &mut changes);
    element::compare(old, new, &gone, &mut changes);
    actions(old, new, &gone, &mut changes);
    transition::compare(old, new, &mut changes);
    workflows(old, new, &mut changes);
    changes.sort();
    Comparison { changes }
}

/// Routes and scopes that only one of the packages has: told once, not again wherever they are named.
pub(crate) struct Gone(BTreeSet<String>);

impl Gone {
    fn between(old: &DiscoveryPackage, new: &DiscoveryPackage) -> Self {
        let names = |package: &DiscoveryPackage| -> BTreeSet<String> {
            let routes = package.route_catalog.routes.iter().map(|route| route.route_id.to_string());
            let scopes = package.scope_catalog.scopes.iter().map(|scope| scope.scope_id.to_string());
            routes.chain(scopes).collect()
        };
        let (old, new) = (names(old), names(new));
        Self(old.symmetric_difference(&new).cloned().collect())
    }

    /// A list without what is told elsewhere.
    pub(crate) fn without<T: ToString>(&self, list: Option<&Vec<T>>) -> String {
        let kept: BTreeSet<String> =
            list.into_iter().flatten().map(ToString::to_string).filter(|id| !self.0.contains(id)).collect();
        kept.into_iter().collect::<Vec<_>>().join(", ")
    }
}

/// Members by name, as text.
pub(crate) type Members = Vec<(&'static str, String)>;

pub(crate) fn details(before: &Members, after: &Members) -> Vec<Detail> {
    before
        .iter()
        .zip(after)
        .filter(|(old, new)| old.1 != new.1)
        .map(|(old, new)| Detail { member: old.0.to_owned(), before: old.1.clone(), after: new.1.clone() })
        .collect()
}

/// Text of anything, in a form that compares.
pub(crate) fn text(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::Null) | Err(_) => String::new(),
        Ok(Value::String(text)) => text,
        Ok(value) => value.to_string(),
    }
}

pub(crate) fn words<T: ToString>(list: Option<&Vec<T>>) -> String {
    list.into_iter().flatten().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Compares what both have by id, and tells what only one has.
fn by_id<T>(
    area: Area,
    old: &BTreeMap<String, &T>,
    new: &BTreeMap<String, &T>,
    label: impl Fn(&T) -> String,
    members: impl Fn(&T) -> Members,
    moves: &[&str],
    changes: &mut Vec<Change>,
) {
    let single = |kind: ChangeKind, id: &str, item: &T| Change {
        area,
        kind,
        id: id.to_owned(),
        label: label(item),
        details: Vec::new(),
    };
    for (id, before) in old {
        match new.get(id) {
            None => changes.push(single(ChangeKind::Removed, id, before)),
            Some(after) => {
                let details = details(&members(before), &members(after));
                if !details.is_empty() {
                    let moved = details.iter().all(|detail| moves.contains(&detail.member.as_str()));
                    let kind = if moved { ChangeKind::Moved } else { ChangeKind::Changed };
                    changes.push(Change { details, ..single(kind, id, after) });
                }
            }
        }
    }
    let fresh = new.iter().filter(|(id, _)| !old.contains_key(*id));
    changes.extend(fresh.map(|(id, item)| single(ChangeKind::Added, id, item)));
}

fn routes(old: &DiscoveryPackage, new: &DiscoveryPackage, changes: &mut Vec<Change>) {
    let index = |route: &DiscoveredRoute| route.route_id.to_string();
    by_id(
        Area::Route,
        &old.route_catalog.routes.iter().map(|route| (index(route), route)).collect(),
        &new.route_catalog.routes.iter().map(|route| (index(route), route)).collect(),
        |route| words(route.urls.as_ref()),
        |route| vec![("urls", words(route.urls.as_ref())), ("titles", words(route.titles.as_ref()))],
        &["urls"],
        changes,
    );
}

fn scopes(old: &DiscoveryPackage, new: &DiscoveryPackage, gone: &Gone, changes: &mut Vec<Change>) {
    let index = |scope: &DiscoveredScope| scope.scope_id.to_string();
    by_id(
        Area::Scope,
        &old.scope_catalog.scopes.iter().map(|scope| (index(scope), scope)).collect(),
        &new.scope_catalog.scopes.iter().map(|scope| (index(scope), scope)).collect(),
        |scope| {
            scope.names.iter().flatten().next().map_or_else(|| scope.kind.to_string(), ToString::to_string)
        },
        |scope| {
            let parent = scope.parent_scope_id.as_ref().map(ToString::to_string);
            vec![
                ("kind", scope.kind.to_string()),
                ("routes", gone.without(scope.route_ids.as_ref())),
                ("parent", gone.without(Some(&parent.into_iter().collect::<Vec<_>>()))),
            ]
        },
        &["routes", "parent"],
        changes,
    );
}

fn actions(old: &DiscoveryPackage, new: &DiscoveryPackage, gone: &Gone, changes: &mut Vec<Change>) {
    let index = |action: &DiscoveredAction| action.id.to_string();
    by_id(
        Area::Action,
        &old.action_catalog.actions.iter().map(|action| (index(action), action)).collect(),
        &new.action_catalog.actions.iter().map(|action| (index(action), action)).collect(),
        |action| {
            let title = action.metadata.as_ref().and_then(|metadata| metadata.0.get("title")?.as_str());
            title.unwrap_or(action.id.as_str()).to_owned()
        },
        |action| {
            // Every app has the primitives; where they apply is told by the elements.
            let own = action.kind != DiscoveredActionKind::Primitive;
            let when = |text: String| if own { text } else { String::new() };
            vec![
                ("kind", action.kind.to_string()),
                (
                    "risk",
                    when(
                        action
                            .risk
                            .as_ref()
                            .map(|risk| format!("{} {}", risk.level, words(risk.tags.as_ref())))
                            .unwrap_or_default(),
                    ),
                ),
                ("sideEffect", when(text(&action.side_effect_class))),
                ("args", when(text(&action.args))),
                ("successSignals", when(text(&action.success_signals))),
                ("routes", when(gone.without(action.routes.as_ref()))),
                ("scopes", when(gone.without(action.scopes.as_ref()))),
            ]
        },
        &["routes", "scopes"],
        changes,
    );
}

fn workflows(old: &DiscoveryPackage, new: &DiscoveryPackage, changes: &mut Vec<Change>) {
    let list = |package: &'_ DiscoveryPackage| {
        package.workflow_candidates.as_ref().map(|catalog| catalog.workflows.clone()).unwrap_or_default()
    };
    let (old, new) = (list(old), list(new));
    by_id(
        Area::Workflow,
        &old.iter().map(|workflow| (workflow.id.to_string(), workflow)).collect(),
        &new.iter().map(|workflow| (workflow.id.to_string(), workflow)).collect(),
        |workflow| workflow.title.as_deref().unwrap_or(&workflow.id).to_owned(),
        |workflow| {
            vec![
                ("title", text(&workflow.title)),
                ("inputs", text(&workflow.required_inputs)),
                ("steps", text(&workflow.step_skeleton)),
                ("successSignals", text(&workflow.success_signals)),
            ]
        },
        &[],
        changes,
    );
}
