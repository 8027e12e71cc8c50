//! What must hold in a capability document beyond its form: everything used is declared, once, and rated truly.

use crate::capability::action::{ActionDescriptor, ActionKind, ArgType};
use crate::capability::document::CapabilityDocument;
use crate::capability::risk::RiskLevel;
use crate::capability::target::TargetRef;
use crate::capability::vocabulary::PrimitiveActionType;
use crate::problem::{Code, Problem};
use crate::shape::inspect::list;

/// Used, and not declared.
pub const UNDECLARED: Code = Code("UIAP-M080");
/// Two actions of one id.
pub const SAME_ACTION: Code = Code("UIAP-M081");
/// An id that does not fit the action's kind.
pub const WRONG_ACTION_ID: Code = Code("UIAP-M082");
/// An argument of type enum that has no values.
pub const EMPTY_ENUM: Code = Code("UIAP-M083");
/// A level below what the tags demand.
pub const UNDERRATED: Code = Code("UIAP-M084");

/// Everything that is wrong, then everything worth a look.
pub fn check(document: &CapabilityDocument) -> Vec<Problem> {
    let ids = document.actions.iter().map(|action| action.id.as_str());
    let mut problems: Vec<Problem> =
        crate::document::duplicates("/actions", "id", SAME_ACTION, ids).collect();
    for (index, action) in document.actions.iter().enumerate() {
        let at = format!("/actions/{index}");
        check_id(action, &at, &mut problems);
        check_args(action, &at, &mut problems);
        check_risk(action, &at, &mut problems);
        check_declared(document, action, &at, &mut problems);
    }
    problems.extend(super::lint::lint(document));
    problems
}

fn check_id(action: &ActionDescriptor, at: &str, problems: &mut Vec<Problem>) {
    let primitive = PrimitiveActionType::parse(action.id.as_str()).is_some();
    match action.kind {
        ActionKind::Primitive if !primitive => {
            let near =
                crate::suggest::nearest(action.id.as_str(), PrimitiveActionType::NAMES.iter().copied());
            let expected = format!("expected {}", list(PrimitiveActionType::NAMES));
            problems.push(
                Problem::error(
                    WRONG_ACTION_ID,
                    format!("{at}/id"),
                    format!("`{}` is no primitive action", action.id),
                )
                .help(match near {
                    Some(near) => format!("did you mean `{near}`? actions of the app have kind `domain`"),
                    None => format!("{expected}; actions of the app have kind `domain`"),
                })
                .allowed(PrimitiveActionType::NAMES),
            );
        }
        ActionKind::Domain if primitive => problems.push(
            Problem::error(WRONG_ACTION_ID, format!("{at}/id"), format!("`{}` is a reserved id", action.id))
                .help("it names a primitive action: set kind `primitive` or choose another id"),
        ),
        _ => {}
    }
}

fn check_args(action: &ActionDescriptor, at: &str, problems: &mut Vec<Problem>) {
    for (index, arg) in action.args.iter().flatten().enumerate() {
        let empty = arg.values.as_ref().is_none_or(Vec::is_empty);
        if arg.arg_type == ArgType::Enum && empty {
            problems.push(
                Problem::error(
                    EMPTY_ENUM,
                    format!("{at}/args/{index}"),
                    format!("argument `{}` of type enum lists no values", arg.name),
                )
                .help("add `enum` with at least one value"),
            );
        }
    }
}

fn check_risk(action: &ActionDescriptor, at: &str, problems: &mut Vec<Problem>) {
    let tags = action.risk.tags.as_deref().unwrap_or_default();
    let grave: Vec<&str> =
        tags.iter().filter(|tag| tag.excludes_safe()).map(super::RiskTag::as_str).collect();
    if action.risk.level == RiskLevel::Safe && !grave.is_empty() {
        problems.push(
            Problem::error(
                UNDERRATED,
                format!("{at}/risk/level"),
                format!("`{}` is rated safe and tagged {}", action.id, list(&grave)),
            )
            .related(format!("{at}/risk/tags"), "tagged here")
            .help("raise the level to `blocked`, or to `confirm` where it can be undone"),
        );
    }
}

fn check_declared(
    document: &CapabilityDocument,
    action: &ActionDescriptor,
    at: &str,
    problems: &mut Vec<Problem>,
) {
    let mut undeclared = |place: String, value: &str, declared_in: &str| {
        problems.push(
            Problem::error(UNDECLARED, place, format!("`{value}` is used and not declared"))
                .related(format!("/{declared_in}"), "not in this list")
                .help(format!("add `{value}` to `{declared_in}`")),
        );
    };
    for (index, affordance) in action.required_affordances.iter().flatten().enumerate() {
        if !document.affordances.contains(affordance) {
            undeclared(format!("{at}/requiredAffordances/{index}"), affordance.as_str(), "affordances");
        }
    }
    if !document.risk_levels.contains(&action.risk.level) {
        undeclared(format!("{at}/risk/level"), action.risk.level.as_str(), "riskLevels");
    }
    let declared_tags = document.risk_tags.as_deref().unwrap_or_default();
    for (index, tag) in action.risk.tags.iter().flatten().enumerate() {
        if !declared_tags.contains(tag) {
            undeclared(format!("{at}/risk/tags/{index}"), tag.as_str(), "riskTags");
        }
    }
    for (index, signal) in action.success.iter().flatten().enumerate() {
        if let Some(TargetRef::Semantic { role, .. }) = signal.target()
            && !document.roles.contains(role)
        {
            undeclared(format!("{at}/success/{index}/target/role"), role.as_str(), "roles");
        }
        if let super::SuccessSignal::ElementState { state, .. } = signal {
            for key in state.keys().iter().filter(|key| !document.state_keys.contains(key)) {
                undeclared(format!("{at}/success/{index}/state/{key}"), key.as_str(), "stateKeys");
            }
        }
    }
}
