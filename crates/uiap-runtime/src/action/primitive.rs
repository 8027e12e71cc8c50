//! What the protocol's own actions need: a target or none, arguments, and whether they may be repeated.

use uiap_model::capability::{
    ActionArgDescriptor, ActionDescriptor, ActionKind, ArgType, ExecutionMode, Idempotency,
    PrimitiveActionType as Action, RiskDescriptor, RiskLevel, TargetKind,
};
use uiap_model::names::ActionId;

/// What must hold before it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Only that the target is there.
    Look,
    /// What a pointer needs.
    Pointer,
    /// What typing needs.
    Text,
    /// What setting a value needs.
    Value,
    /// A place to go to.
    Navigation,
    /// A function of the app.
    App,
}

/// The group of a primitive.
pub fn group(action: Action) -> Group {
    match action {
        Action::UiRead
        | Action::UiHighlight
        | Action::UiScrollIntoView
        | Action::UiScroll
        | Action::UiFocus
        // A file control is often hidden behind its label; it takes files all the same.
        | Action::UiUpload => Group::Look,
        Action::UiHover
        | Action::UiActivate
        | Action::UiChoose
        | Action::UiToggle
        | Action::UiExpand
        | Action::UiCollapse
        | Action::UiOpen
        | Action::UiClose
        | Action::UiSubmit => Group::Pointer,
        Action::UiEnterText | Action::UiClearText => Group::Text,
        Action::UiSetValue => Group::Value,
        Action::NavNavigate => Group::Navigation,
        Action::AppInvoke => Group::App,
    }
}

/// Whether doing it twice does more than doing it once.
pub fn idempotency(action: Action) -> Idempotency {
    match action {
        Action::UiActivate | Action::UiSubmit | Action::UiUpload | Action::AppInvoke => {
            Idempotency::NonIdempotent
        }
        Action::UiToggle => Idempotency::Conditional,
        _ => Idempotency::Idempotent,
    }
}

/// Whether it changes nothing, neither in the app nor in its data.
pub fn is_harmless(action: Action) -> bool {
    matches!(
        action,
        Action::UiRead
            | Action::UiHighlight
            | Action::UiFocus
            | Action::UiHover
            | Action::UiScroll
            | Action::UiScrollIntoView
    )
}

const STRING: ArgType = ArgType::String;
const NUMBER: ArgType = ArgType::Number;
const BOOLEAN: ArgType = ArgType::Boolean;
const ARRAY: ArgType = ArgType::Array;
const OBJECT: ArgType = ArgType::Object;

/// Name, type, whether it must be there.
type Arg = (&'static str, ArgType, bool);

fn args(action: Action) -> &'static [Arg] {
    match action {
        Action::UiActivate => &[
            ("button", STRING, false),
            ("count", NUMBER, false),
            ("modifiers", ARRAY, false),
            ("holdMs", NUMBER, false),
            ("pointer", STRING, false),
            ("keys", STRING, false),
            ("x", NUMBER, false),
            ("y", NUMBER, false),
            ("dragTo", OBJECT, false),
            ("pinch", NUMBER, false),
        ],
        Action::UiEnterText => {
            &[("text", STRING, true), ("append", BOOLEAN, false), ("byKeys", BOOLEAN, false)]
        }
        // The value is of any type, and looked at when the control is known.
        Action::UiSetValue => &[("tolerance", NUMBER, false)],
        Action::UiChoose => &[
            ("value", STRING, false),
            ("label", STRING, false),
            ("index", NUMBER, false),
            ("values", ARRAY, false),
        ],
        Action::UiToggle => &[("checked", BOOLEAN, false)],
        Action::UiScroll => &[("x", NUMBER, false), ("y", NUMBER, false), ("pages", NUMBER, false)],
        Action::UiUpload => &[("files", ARRAY, true)],
        Action::NavNavigate => &[("url", STRING, false), ("path", STRING, false), ("history", NUMBER, false)],
        Action::AppInvoke => &[("actionId", STRING, false), ("args", OBJECT, false)],
        _ => &[],
    }
}

fn targets(action: Action) -> Vec<TargetKind> {
    match action {
        Action::NavNavigate => vec![TargetKind::Route, TargetKind::Element, TargetKind::None],
        Action::AppInvoke => {
            vec![TargetKind::None, TargetKind::Element, TargetKind::Entity, TargetKind::Session]
        }
        Action::UiScroll => vec![TargetKind::Element, TargetKind::Scope, TargetKind::None],
        Action::UiSubmit | Action::UiOpen | Action::UiClose => vec![TargetKind::Scope, TargetKind::Element],
        _ => vec![TargetKind::Element],
    }
}

/// The description of a primitive, as an app would declare it.
pub fn descriptor(action: Action) -> Option<ActionDescriptor> {
    let arg = |(name, arg_type, required): &Arg| ActionArgDescriptor {
        name: (*name).into(),
        arg_type: *arg_type,
        required: Some(*required),
        values: None,
        description: None,
    };
    Some(ActionDescriptor {
        id: ActionId::parse(action.as_str())?,
        kind: ActionKind::Primitive,
        title: None,
        description: None,
        target_kinds: targets(action),
        required_affordances: None,
        execution_modes: vec![
            ExecutionMode::AppAction,
            ExecutionMode::SemanticUi,
            ExecutionMode::ExternalDriver,
            ExecutionMode::InputSynthesis,
            ExecutionMode::VisionAssist,
        ],
        args: Some(args(action).iter().map(arg).collect()),
        idempotency: Some(idempotency(action)),
        risk: RiskDescriptor { level: RiskLevel::Safe, tags: None, reason: None },
        success: None,
        metadata: None,
    })
}

/// Whether it cannot do without a target. An action of the app knows its scope or entity by itself, by its arguments or by where it is.
pub fn needs_target(descriptor: &ActionDescriptor) -> bool {
    let kinds = &descriptor.target_kinds;
    match descriptor.kind {
        ActionKind::Domain => !kinds.is_empty() && kinds.iter().all(|kind| *kind == TargetKind::Element),
        ActionKind::Primitive => {
            // Where to go can be said by an argument too.
            let without = [TargetKind::None, TargetKind::Session, TargetKind::Route];
            !kinds.iter().any(|kind| without.contains(kind))
        }
    }
}
