//! What the app itself says: risks, side effects and registered actions. Of several the gravest counts.

use uiap_model::capability::{ActionDescriptor, RiskDescriptor, RiskLevel, RiskTag};
use uiap_model::json::JsonObject;
use uiap_model::policy::SideEffectClass;

use super::{Area, Sign, Subject, class_of};
use crate::safety::lexicon::{self, Consequence};

/// The member of metadata in which an app names the side effect of an action or element.
const SIDE_EFFECT: &str = "sideEffect";

pub(super) fn sign(subject: &Subject<'_>) -> Option<Sign> {
    let mut signs = Vec::new();
    if let Some(element) = subject.element {
        if let Some(risk) = &element.risk {
            signs.push(of_risk(risk, "the app"));
        }
        signs.extend(element.metadata.as_deref().and_then(|metadata| of_metadata(metadata, "the app")));
        let named = element.default_action.iter().chain(element.supported_actions.iter().flatten());
        for action in named.filter_map(|id| subject.actions.iter().find(|action| action.id == *id)) {
            if action.id.as_str() != "nav.navigate" && !action.id.as_str().starts_with("ui.") {
                signs.extend(of_action(action));
            }
        }
    } else if let Some(action) = subject.actions.iter().find(|action| action.id == subject.action_id) {
        signs.extend(of_action(action));
    }
    signs.into_iter().max_by_key(|sign| gravity(&sign.class))
}

fn of_action(action: &ActionDescriptor) -> Vec<Sign> {
    let by = format!("the action `{}`", action.id);
    let mut signs = vec![of_risk(&action.risk, &by)];
    signs.extend(action.metadata.as_ref().and_then(|metadata| of_metadata(metadata, &by)));
    // An id such as `video.delete` says what it does, whatever the risk says.
    let verb = action.id.as_str().rsplit('.').next().unwrap_or_default();
    let grave = lexicon::consequence(verb)
        .filter(|found| *found >= Consequence::Export)
        .map(|found| Sign::new(class_of(found), format!("`{}` says so by its name", action.id)).declared());
    signs.extend(grave);
    signs
}

fn of_metadata(metadata: &JsonObject, by: &str) -> Option<Sign> {
    let class = SideEffectClass::parse(metadata.0.get(SIDE_EFFECT)?.as_str()?)?;
    Some(Sign::new(class.clone(), format!("{by} declares the side effect `{class}`")).declared())
}

fn of_risk(risk: &RiskDescriptor, by: &str) -> Sign {
    let tags = risk.tags.as_deref().unwrap_or_default();
    let class = tags.iter().map(of_tag).max_by_key(gravity);
    let said = tags.iter().map(|tag| format!("`{tag}`")).collect::<Vec<_>>().join(", ");
    let level = risk.level;
    let because = match tags {
        [] => format!("{by} declares the risk `{level}`"),
        _ => format!("{by} declares the risk `{level}` with {said}"),
    };
    match (level, class) {
        (_, Some(class)) => Sign::new(class, because),
        (RiskLevel::Safe, None) => Sign::new(SideEffectClass::UiOnly, because),
        (RiskLevel::Confirm, None) => Sign::new(SideEffectClass::DataWrite, because),
        (RiskLevel::Blocked, None) => Sign::new(SideEffectClass::Unknown, because).at(Area::Manual),
    }
    .declared()
}

/// The class that a declared risk stands for.
pub(crate) fn class_of_risk(risk: &RiskDescriptor) -> SideEffectClass {
    of_risk(risk, "").class
}

fn of_tag(tag: &RiskTag) -> SideEffectClass {
    match tag {
        RiskTag::Destructive => SideEffectClass::Destructive,
        RiskTag::Irreversible => SideEffectClass::Irreversible,
        RiskTag::Billing => SideEffectClass::BillingChange,
        RiskTag::Security | RiskTag::SensitiveData => SideEffectClass::SecurityChange,
        RiskTag::Identity => SideEffectClass::IdentityChange,
        RiskTag::ExternalEffect => SideEffectClass::ExternalEffect,
        RiskTag::Privileged | RiskTag::Legal | RiskTag::X(_) => SideEffectClass::Unknown,
    }
}

/// Rising gravity.
pub(crate) fn gravity(class: &SideEffectClass) -> u8 {
    match class {
        SideEffectClass::None => 0,
        SideEffectClass::UiOnly => 1,
        SideEffectClass::Navigation => 2,
        SideEffectClass::Draft => 3,
        SideEffectClass::DataWrite => 4,
        SideEffectClass::Unknown | SideEffectClass::X(_) => 5,
        SideEffectClass::ExternalEffect => 6,
        SideEffectClass::IdentityChange => 7,
        SideEffectClass::SecurityChange => 8,
        SideEffectClass::BillingChange => 9,
        SideEffectClass::Destructive => 10,
        SideEffectClass::Irreversible => 11,
    }
}
