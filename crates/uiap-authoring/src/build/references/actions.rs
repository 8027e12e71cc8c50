//! Actions and their implementations, against the capabilities.

use super::{Asked, Checker, signals};
use crate::build::content::Item;
use crate::build::finding::{AlsoAt, at_value};
use crate::diagnostic::{Severity, codes};
use crate::tree::At;

pub(super) fn check(checker: &mut Checker<'_, '_>) {
    for action in &checker.content.actions.list {
        for affordance in action.at.list("requiredAffordances") {
            checker.declared_word(affordance, Asked::Affordance);
        }
        signals::check(checker, action.at.list("success"));
        check_implementation(checker, action);
        check_success(checker, action);
        check_capability(checker, action);
    }
}

fn check_implementation(checker: &mut Checker<'_, '_>, action: &Item<'_>) {
    let (id, at) = (action.id, action.at);
    let domain = at.text("kind") == Some("domain");
    let Some(implementation) = at.get("implementation") else {
        if domain {
            checker.report(
                at_value(
                    codes::NO_IMPLEMENTATION,
                    at.get("id").unwrap_or(at),
                    format!("domain action `{id}` has no implementation"),
                )
                .help("add `implementation` with kind `sdkHandler` and a `ref`"),
            );
        }
        return;
    };
    let kind = implementation.text("kind").unwrap_or_default();
    let reference = implementation.text("ref").map(str::trim).unwrap_or_default();
    if kind != "none" && reference.is_empty() {
        let severity = if kind == "sdkHandler" { Severity::Error } else { Severity::Warning };
        checker.report(
            at_value(
                codes::EMPTY_REFERENCE,
                implementation,
                format!("the implementation of `{id}` has no `ref`"),
            )
            .severity(severity)
            .help("name the handler, such as `app.actions.createVideo`"),
        );
    }
    let direct = at.list("executionModes").any(|mode| mode.as_str() == Some("appAction"));
    if direct && matches!(kind, "serverAction" | "externalDriver") {
        checker.report(
            at_value(
                codes::PREFER_HANDLER,
                implementation,
                format!("`{id}` runs in the app; `sdkHandler` is the preferred form"),
            )
            .severity(Severity::Info),
        );
    }
}

fn check_success(checker: &mut Checker<'_, '_>, action: &Item<'_>) {
    let (id, at) = (action.id, action.at);
    let count = at.list("success").count();
    let level = at.descend(&["risk", "level"]).and_then(At::as_str);
    let tagged = at
        .get("risk")
        .into_iter()
        .flat_map(|risk| risk.list("tags"))
        .any(|tag| tag.as_str() == Some("irreversible"));
    let critical = tagged || matches!(level, Some("confirm" | "blocked"));
    let place = at.get("success").or_else(|| at.get("id")).unwrap_or(at);
    if count == 0 {
        checker.report(
            at_value(codes::NO_SUCCESS_SIGNAL, place, format!("nothing tells that `{id}` succeeded"))
                .help("add `success` with at least one signal"),
        );
    } else if critical && count < 2 {
        checker.report(
            at_value(
                codes::NO_SUCCESS_SIGNAL,
                place,
                format!("`{id}` is critical and has one success signal only"),
            )
            .help("two independent signals make sure"),
        );
    }
}

/// Capabilities and Actions speak of the same thing. Decision D31.
fn check_capability(checker: &mut Checker<'_, '_>, action: &Item<'_>) {
    let Some(document) = checker.declared.at else { return };
    let (id, at) = (action.id, action.at);
    let id_at = at.get("id").unwrap_or(at);
    let Some(declared) = checker.declared.actions.get(id) else {
        checker.report(
            at_value(
                codes::CAPABILITY_LACKS_ACTION,
                id_at,
                format!("the capabilities do not list action `{id}`"),
            )
            .also(document.get("actions").unwrap_or(document), "not in this list"),
        );
        return;
    };
    let stated = declared.pointer("/risk/level").and_then(serde_json::Value::as_str);
    let own = at.descend(&["risk", "level"]).and_then(At::as_str);
    if stated != own {
        let place = at.descend(&["risk", "level"]).unwrap_or(id_at);
        let index = document.list("actions").find(|each| each.text("id") == Some(id));
        let other = index.and_then(|each| each.descend(&["risk", "level"])).unwrap_or(document);
        let message = format!(
            "`{id}` is rated `{}` here and `{}` in the capabilities",
            own.unwrap_or("nothing"),
            stated.unwrap_or("nothing")
        );
        checker.report(
            at_value(codes::RISK_CONFLICT, place, message)
                .also(other, "the other rating")
                .help("the stricter one is right until somebody decides; write it in both places"),
        );
    }
}
