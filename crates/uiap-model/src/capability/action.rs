//! What an agent can ask for.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::capability::risk::RiskDescriptor;
use crate::capability::signal::SuccessSignal;
use crate::capability::vocabulary::{ExecutionMode, UIAffordance};
use crate::json::JsonObject;
use crate::names::ActionId;
use crate::problem::{Code, Problem};
use crate::shape::inspect::{list, quoted};
use crate::shape::{Tree, View};

/// An argument that is missing, unknown or of the wrong type.
pub const BAD_ARGUMENT: Code = Code("UIAP-M030");

/// Whether the protocol or the app defines an action.
#[wire]
pub enum ActionKind {
    Primitive,
    Domain,
}

/// What an action works on.
#[wire]
pub enum TargetKind {
    Element,
    Scope,
    Route,
    Entity,
    Session,
    None,
}

/// Whether doing it twice does more than doing it once.
#[wire(case = "snake")]
pub enum Idempotency {
    Idempotent,
    Conditional,
    NonIdempotent,
}

/// The type of an argument.
#[wire]
pub enum ArgType {
    String,
    Number,
    Boolean,
    Enum,
    Object,
    Array,
}

/// An argument of an action.
#[wire]
pub struct ActionArgDescriptor {
    pub name: CompactString,
    #[wire(name = "type")]
    pub arg_type: ArgType,
    pub required: Option<bool>,
    #[wire(name = "enum")]
    pub values: Option<Vec<CompactString>>,
    pub description: Option<CompactString>,
}

/// An action that an app offers.
#[wire(base)]
pub struct ActionDescriptor {
    pub id: ActionId,
    pub kind: ActionKind,
    pub title: Option<CompactString>,
    pub description: Option<CompactString>,
    pub target_kinds: Vec<TargetKind>,
    pub required_affordances: Option<Vec<UIAffordance>>,
    #[wire(min = 1)]
    pub execution_modes: Vec<ExecutionMode>,
    pub args: Option<Vec<ActionArgDescriptor>>,
    pub idempotency: Option<Idempotency>,
    pub risk: RiskDescriptor,
    pub success: Option<Vec<SuccessSignal>>,
    pub metadata: Option<JsonObject>,
}

impl ActionDescriptor {
    /// The affordances that a target lacks; the action is offered only where there are none.
    pub fn missing_affordances(&self, offered: &[UIAffordance]) -> Vec<UIAffordance> {
        let required = self.required_affordances.as_deref().unwrap_or_default();
        required.iter().filter(|each| !offered.contains(each)).cloned().collect()
    }

    /// Compares the arguments of a request with the declared ones; pointers are relative to `args`.
    pub fn check_args(&self, args: &JsonObject) -> Vec<Problem> {
        let declared = self.args.as_deref().unwrap_or_default();
        let mut problems = Vec::new();
        for arg in declared {
            match args.0.get(arg.name.as_str()) {
                None if arg.required == Some(true) => problems.push(
                    Problem::error(BAD_ARGUMENT, "", format!("argument `{}` is missing", arg.name))
                        .help(format!("`{}` needs it, a value of type {}", self.id, arg.arg_type)),
                ),
                None => {}
                Some(value) => problems.extend(arg.check(value)),
            }
        }
        let names: Vec<&str> = declared.iter().map(|arg| arg.name.as_str()).collect();
        for key in args.0.keys().filter(|key| !names.contains(&key.as_str())) {
            let problem = Problem::error(
                BAD_ARGUMENT,
                format!("/{}", crate::pointer::escape(key)),
                format!("`{}` has no argument {}", self.id, quoted(key)),
            );
            problems.push(match crate::suggest::nearest(key, names.iter().copied()) {
                Some(near) => problem.help(format!("did you mean `{near}`?")),
                None => problem.help(format!("expected {}", list(&names))),
            });
        }
        problems
    }
}

impl ActionArgDescriptor {
    fn check(&self, value: &serde_json::Value) -> Option<Problem> {
        let at = format!("/{}", crate::pointer::escape(&self.name));
        let wrong = |found: String| {
            Problem::error(
                BAD_ARGUMENT,
                at.clone(),
                format!("argument `{}` is {found}, expected a value of type {}", self.name, self.arg_type),
            )
        };
        match (self.arg_type, value.view()) {
            (ArgType::String, View::Text(_))
            | (ArgType::Number, View::Number(_))
            | (ArgType::Boolean, View::Bool(_))
            | (ArgType::Object, View::Map(_))
            | (ArgType::Array, View::List(_)) => None,
            (ArgType::Enum, View::Text(text)) => {
                let values = self.values.as_deref().unwrap_or_default();
                if values.iter().any(|each| each == text) {
                    return None;
                }
                let problem = wrong(quoted(text)).allowed(values);
                Some(problem.help(format!("expected {}", list(values))))
            }
            (_, view) => Some(wrong(view.kind().with_article().to_owned())),
        }
    }
}
