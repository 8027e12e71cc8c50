//! Policies: unique rules, and names that lead somewhere.

use uiap_model::policy::PolicyDocument;

use super::Checker;
use crate::build::content::Items;
use crate::build::finding::problem_at;
use crate::diagnostic::codes;
use crate::tree::At;

pub(super) fn check(checker: &mut Checker<'_, '_>) {
    let content = checker.content;
    for policy in &content.policies.list {
        let Some(document) = policy.at.get("document") else { continue };
        if let Ok(typed) = uiap_model::json::read::<PolicyDocument>(&document.to_value()) {
            for problem in typed.check() {
                checker.report(problem_at(&problem, document));
            }
        }
        for rule in document.list("rules").chain(document.list("redaction")) {
            let Some(matcher) = rule.get("match") else { continue };
            named(checker, matcher, "scopes", &content.scopes, "scope");
            named(checker, matcher, "stableIds", &content.elements, "element");
            named(checker, matcher, "workflowIds", &content.workflows, "workflow");
            patterns(checker, matcher, "routes", &content.routes, "route");
            patterns(checker, matcher, "actions", &content.actions, "action");
        }
    }
}

/// A rule about something unknown never applies; that is worth a word, and no reason to refuse.
fn named<'t>(checker: &mut Checker<'_, 't>, matcher: At<'t>, key: &str, items: &'t Items<'t>, what: &str) {
    for at in matcher.list(key) {
        if let Some(id) = at.as_str().filter(|id| !items.has(id)) {
            let message = format!("the rule names {what} `{id}`, which does not exist");
            checker.dangling(codes::RULE_NEVER_APPLIES, at, message, id, items.ids());
        }
    }
}

fn patterns<'t>(checker: &mut Checker<'_, 't>, matcher: At<'t>, key: &str, items: &'t Items<'t>, what: &str) {
    for at in matcher.list(key) {
        let Some(text) = at.as_str() else { continue };
        let known = match text.strip_suffix(".*") {
            Some(prefix) => {
                items.ids().any(|id| id.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.')))
            }
            None => items.has(text),
        };
        let primitive = what == "action"
            && uiap_model::capability::PrimitiveActionType::NAMES.iter().any(|name| {
                *name == text || text.strip_suffix(".*").is_some_and(|prefix| name.starts_with(prefix))
            });
        let declared = what == "action" && checker.declared.actions.contains_key(text);
        if !known && !primitive && !declared && text != "*" {
            let message = format!("the rule names {what} `{text}`, which does not exist");
            checker.dangling(codes::RULE_NEVER_APPLIES, at, message, text, items.ids());
        }
    }
}
