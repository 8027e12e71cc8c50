//! Workflows: their steps lead somewhere, and what they use exists.

use uiap_model::workflow::WorkflowDefinition;

use super::pattern::regex_fault;
use super::{Asked, Checker, signals};
use crate::build::content::Item;
use crate::build::finding::{at_value, problem_at};
use crate::build::manifest::ManifestSet;
use crate::diagnostic::codes;
use crate::semver::Version;
use crate::tree::At;

pub(super) fn check(checker: &mut Checker<'_, '_>, _: &ManifestSet<'_>) {
    for workflow in &checker.content.workflows.list {
        check_one(checker, workflow);
    }
}

fn check_one<'t>(checker: &mut Checker<'_, 't>, workflow: &Item<'t>) {
    let definition = workflow.at;
    match uiap_model::json::read::<WorkflowDefinition>(&definition.to_value()) {
        Ok(typed) => {
            for problem in uiap_model::workflow::check::check(&typed) {
                checker.report(problem_at(&problem, definition));
            }
        }
        // The form was checked, so this is a text that did not resolve into one.
        Err(error) => {
            checker.report(at_value(codes::MODEL_FAULT, definition, format!("cannot be read: {error}")));
        }
    }
    if let Some(at) = definition.get("version")
        && let Some(version) = at.as_str().filter(|version| Version::parse(version).is_none())
    {
        checker.report(at_value(codes::BAD_VERSION, at, format!("`{version}` is no version")));
    }
    for route in definition.list("routes") {
        checker.reference(Some(route), Asked::Route);
    }
    for condition in definition.list("entryConditions") {
        check_condition(checker, condition);
    }
    for parameter in definition.list("parameters") {
        checker.target(parameter.get("from"));
        if let Some(at) = parameter.get("pattern")
            && let Some(fault) = at.as_str().and_then(regex_fault)
        {
            let message = format!("`{}` is no pattern: {fault}", at.as_str().unwrap_or_default());
            checker.report(at_value(codes::BAD_PATTERN, at, message));
        }
    }
    signals::check(checker, definition.list("success"));
    for step in definition.list("steps") {
        checker.action(step.get("actionId"));
        checker.target(step.get("target"));
        checker.target(step.get("highlight"));
        for key in ["advanceOn", "signals", "resumeOn"] {
            signals::check(checker, step.list(key));
        }
        for condition in step.get("when").into_iter().chain(step.list("conditions")) {
            check_condition(checker, condition);
        }
        for case in step.list("cases") {
            if let Some(condition) = case.get("when") {
                check_condition(checker, condition);
            }
        }
    }
}

fn check_condition<'t>(checker: &mut Checker<'_, 't>, condition: At<'t>) {
    checker.reference(condition.get("routeId"), Asked::Route);
    checker.target(condition.get("target"));
    signals::check(checker, condition.get("signal").into_iter());
    if let Some(of) = condition.get("of") {
        if of.get("kind").is_some() {
            check_condition(checker, of);
        }
        for inner in of.items() {
            check_condition(checker, inner);
        }
    }
}
