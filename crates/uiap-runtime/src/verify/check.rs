//! The least that must be seen of each of the protocol's own actions.

use serde_json::json;
use uiap_model::capability::signal::SignalValue;
use uiap_model::capability::{Checked, SuccessSignal, TargetRef, UIState};
use uiap_model::json::JsonObject;
use uiap_model::names::{ElementInstanceId, ScopeId};
use uiap_model::web::{ElementNode, PageGraph, ScopeNode};

/// What must be seen.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one per action")]
pub enum Check {
    /// Nothing: there is nothing to see.
    Nothing,
    /// Some change that the page would not have made by itself.
    Change,
    /// The target has the focus.
    Focus,
    /// The target holds this text.
    Text(String),
    /// The target holds a number, give or take.
    Value {
        /// The number.
        wanted: f64,
        /// How far from it is near enough.
        tolerance: f64,
    },
    /// The target is in this state.
    State(Box<UIState>),
    /// The target is in another state than it was.
    Other {
        /// Whether it was on.
        checked: Option<Checked>,
        /// Whether it was pressed.
        pressed: Option<bool>,
        /// Whether it was selected.
        selected: Option<bool>,
    },
    /// An option of the target is chosen: one of these values or labels.
    Chosen(Vec<String>),
    /// The target is in view.
    InView,
    /// What was told at once is proof enough.
    Told(SuccessSignal),
    /// Nothing came of it.
    Unmoved(String),
    /// The page is somewhere else, or was loaded anew.
    Elsewhere,
    /// A surface is open that was not.
    Opened,
    /// This surface is open no more.
    Closed(ScopeId),
    /// A form was taken: the page answered to it other than by refusing it.
    Submitted,
}

impl Check {
    /// Whether it is about a state that the app may take back.
    pub(crate) fn is_level(&self) -> bool {
        matches!(
            self,
            Self::Text(_)
                | Self::Value { .. }
                | Self::State(_)
                | Self::Other { .. }
                | Self::Chosen(_)
                | Self::Focus
        )
    }

    /// Looks at the target as it is now; `None` when the page as a whole has to be looked at.
    pub(super) fn of_element(&self, element: Option<&ElementNode>, graph: &PageGraph) -> Option<bool> {
        let state = element.map(|element| &element.state);
        Some(match self {
            Self::Focus => {
                let focused = graph.focus.as_ref().and_then(|focus| focus.instance_id.as_ref());
                element.is_some_and(|element| {
                    focused == Some(&element.instance_id) || element.state.focused == Some(true)
                })
            }
            Self::State(wanted) => state.is_some_and(|state| state.satisfies(wanted)),
            Self::Other { checked, pressed, selected } => state.is_some_and(|state| {
                (checked.is_some() && state.checked != *checked)
                    || (pressed.is_some() && state.pressed != *pressed)
                    || (selected.is_some() && state.selected != *selected)
            }),
            Self::Chosen(wanted) => element.is_some_and(|element| is_chosen(element, graph, wanted)),
            Self::InView => element.is_some_and(|element| element.web.in_viewport == Some(true)),
            Self::Told(_) => true,
            Self::Unmoved(_) => false,
            _ => return None,
        })
    }

    /// How it is told when it was seen.
    pub(super) fn told(
        &self,
        element: Option<(&ScopeNode, &ElementNode)>,
        graph: &PageGraph,
    ) -> Option<SuccessSignal> {
        let secret = element.is_some_and(|(_, element)| element.state.sensitive == Some(true));
        let target = element.map(|(scope, element)| target_ref(scope, element));
        let state =
            |state: UIState| target.clone().map(|target| SuccessSignal::ElementState { target, state });
        match self {
            Self::Text(_) | Self::Value { .. } if secret => Some(custom("uiap.value.held", &json!({}))),
            Self::Text(text) => target.map(|target| SuccessSignal::ValueEquals {
                target,
                value: SignalValue::Text(text.as_str().into()),
            }),
            Self::Value { .. } => {
                let number = element.and_then(|(_, element)| element.state.numeric_value);
                target.zip(number).map(|(target, number)| SuccessSignal::ValueEquals {
                    target,
                    value: SignalValue::Number(number),
                })
            }
            Self::State(wanted) => state((**wanted).clone()),
            Self::Focus => state(UIState { focused: Some(true), ..UIState::default() }),
            Self::Other { .. } => {
                let now = element.map(|(_, element)| &element.state)?;
                state(UIState {
                    checked: now.checked,
                    pressed: now.pressed,
                    selected: now.selected,
                    ..UIState::default()
                })
            }
            Self::Chosen(wanted) => Some(custom("uiap.option.chosen", &json!({ "options": wanted }))),
            Self::InView => Some(custom("uiap.inViewport", &json!({}))),
            Self::Told(signal) => Some(signal.clone()),
            Self::Elsewhere => Some(SuccessSignal::RouteChanged {
                pattern: None,
                exact: Some(graph.route.path.clone().unwrap_or_else(|| graph.route.url.clone())),
            }),
            Self::Closed(scope) => {
                Some(SuccessSignal::DialogClosed { target: Some(TargetRef::Scope { value: scope.clone() }) })
            }
            Self::Nothing | Self::Change | Self::Opened | Self::Submitted | Self::Unmoved(_) => None,
        }
    }
}

/// Whether every one of the options is chosen: told by the control itself, by its options, or by what it shows.
fn is_chosen(element: &ElementNode, graph: &PageGraph, wanted: &[String]) -> bool {
    let native = element.options.iter().flatten().filter(|option| option.selected == Some(true));
    let native: Vec<_> = native.collect();
    if !native.is_empty() {
        return wanted.iter().all(|wanted| {
            native.iter().any(|option| option.value == *wanted || option.label.trim() == wanted.trim())
        });
    }
    wanted.iter().all(|wanted| shows(element, graph, wanted))
}

/// Whether a control that is not the browser's own shows that an option is chosen.
fn shows(element: &ElementNode, graph: &PageGraph, wanted: &str) -> bool {
    let wanted = wanted.trim();
    // Several that are chosen are told one after the other.
    let among =
        |text: &str| text.trim() == wanted || text.split([',', ';', '\n']).any(|part| part.trim() == wanted);
    if element.state.text_value.as_deref().is_some_and(among) || element.name.as_deref().is_some_and(among) {
        return true;
    }
    graph.elements().any(|(.., each)| {
        (each.state.selected == Some(true) || each.state.checked == Some(Checked::On))
            && each.name.as_deref().is_some_and(|name| name.trim() == wanted)
            && is_inside(graph, each, &element.instance_id)
    })
}

fn is_inside(graph: &PageGraph, element: &ElementNode, outer: &ElementInstanceId) -> bool {
    let mut at = element.parent_instance_id.as_ref();
    for _ in 0..32 {
        match at {
            Some(id) if id == outer => return true,
            Some(id) => {
                let parent = graph.elements().find(|(.., each)| each.instance_id == *id);
                at = parent.and_then(|(.., parent)| parent.parent_instance_id.as_ref());
            }
            None => return false,
        }
    }
    false
}

/// An element in the words of the contract.
pub(crate) fn target_ref(scope: &ScopeNode, element: &ElementNode) -> TargetRef {
    match &element.stable_id {
        Some(id) => TargetRef::StableId { value: id.clone() },
        None => TargetRef::Semantic {
            role: element.role.clone(),
            name: element.name.clone(),
            scope: Some(scope.id.clone()),
        },
    }
}

/// Something seen for which the contract has no word.
pub(crate) fn custom(name: &str, payload: &serde_json::Value) -> SuccessSignal {
    let payload = payload.as_object().filter(|members| !members.is_empty()).cloned().map(JsonObject);
    SuccessSignal::Custom { name: name.into(), payload }
}
