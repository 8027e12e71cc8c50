//! Routes, scopes and elements.

use super::{Checker, signals};
use crate::build::content::Item;
use crate::build::finding::{AlsoAt, at_value, focus};
use crate::diagnostic::codes;
use crate::tree::At;

pub(super) fn check(checker: &mut Checker<'_, '_>) {
    let content = checker.content;
    for route in &content.routes.list {
        non_empty_match(checker, route, "route");
        checker.reference(route.at.get("parentRouteId"), &content.routes, "route");
        signals::check(checker, route.at.list("successSignals"));
        for matcher in route.at.list("match") {
            check_pattern(checker, matcher);
        }
    }
    checker.cycles(&content.routes, "parentRouteId", "route");
    for scope in &content.scopes.list {
        for route in scope.at.list("routeIds") {
            checker.reference(Some(route), &content.routes, "route");
        }
        checker.reference(scope.at.get("parentScopeId"), &content.scopes, "scope");
        for element in scope.at.list("stableIds") {
            checker.reference(Some(element), &content.elements, "element");
        }
    }
    checker.cycles(&content.scopes, "parentScopeId", "scope");
    for element in &content.elements.list {
        check_element(checker, element);
    }
}

fn non_empty_match(checker: &mut Checker<'_, '_>, item: &Item<'_>, what: &str) {
    if let Some(matchers) = item.at.get("match").filter(|matchers| matchers.len() == 0) {
        checker.report(at_value(codes::NO_MATCHER, matchers, format!("{what} `{}` has no matcher", item.id)));
    }
}

fn check_element<'t>(checker: &mut Checker<'_, 't>, element: &Item<'t>) {
    let content = checker.content;
    for (key, value) in element.at.entries() {
        match key {
            "scopeId" => checker.reference(Some(value), &content.scopes, "scope"),
            "routeIds" => {
                for route in value.items() {
                    checker.reference(Some(route), &content.routes, "route");
                }
            }
            "defaultAction" => checker.action(Some(value)),
            "role" => checker.declared_word(value, "roles"),
            "success" => signals::check(checker, value.items()),
            "match" => check_matchers(checker, element, value),
            _ => {}
        }
    }
    if !content.scopes.list.is_empty()
        && let Some(scope) = content.scopes.get(element.id)
    {
        let message = format!("`{}` is an element and a scope", element.id);
        checker.report(
            at_value(codes::SHARED_ID, element.at.get("id").unwrap_or(element.at), message)
                .also(scope.at.get("id").unwrap_or(scope.at), "the scope"),
        );
    }
}

fn check_matchers<'t>(checker: &mut Checker<'_, 't>, element: &Item<'t>, matchers: At<'t>) {
    non_empty_match(checker, element, "element");
    let mut hint = None;
    let mut robust = false;
    for matcher in matchers.items() {
        let by = matcher.text("by").unwrap_or_default();
        if by == "runtimeHint" {
            hint = hint.or(Some(matcher));
            check_hint(checker, matcher);
        } else {
            if let Some(hint) = hint.filter(|_| !robust && matches!(by, "annotation" | "semantic")) {
                let message =
                    format!("element `{}` lists a hint before `{by}`, which is preferred", element.id);
                checker.report(at_value(codes::HINT_FIRST, hint, message));
            }
            robust = true;
        }
        if by == "semantic" {
            if let Some(role) = matcher.get("role") {
                checker.declared_word(role, "roles");
            }
            checker.reference(matcher.get("scopeId"), &checker.content.scopes, "scope");
        }
    }
    let critical = matches!(element.at.text("risk"), Some("confirm" | "blocked"));
    if let Some(hint) = hint.filter(|_| critical && !robust) {
        checker.report(
            at_value(
                codes::FRAGILE_TARGET,
                hint,
                format!("element `{}` is critical and found by a hint only", element.id),
            )
            .help("add an annotation or a semantic matcher"),
        );
    }
}

/// A selector that no engine reads.
fn check_hint(checker: &mut Checker<'_, '_>, matcher: At<'_>) {
    for key in ["css", "xpath"] {
        if let Some(at) = matcher.get(key)
            && let Some(text) = at.as_str()
            && (text.trim().is_empty() || !balanced(text))
        {
            checker.report(at_value(codes::BAD_PATTERN, at, format!("`{text}` is no {key} selector")));
        }
    }
}

fn check_pattern(checker: &mut Checker<'_, '_>, matcher: At<'_>) {
    let (Some(kind), Some(at)) = (matcher.text("kind"), matcher.get("value")) else { return };
    let Some(text) = at.as_str() else { return };
    let fault = match kind {
        "path" if !text.starts_with(['/', '*']) => Some("a path starts with `/`"),
        "path" | "urlPattern" => pattern_fault(text),
        _ if text.is_empty() => Some("it is empty"),
        _ => None,
    };
    if let Some(fault) = fault {
        let diagnostic = crate::diagnostic::Diagnostic::new(
            codes::BAD_PATTERN,
            format!("`{text}` is no {kind} matcher: {fault}"),
            at.file(),
            focus(at),
        );
        checker.report(diagnostic);
    }
}

/// Patterns that a linear engine cannot run, or that none can.
pub(super) fn pattern_fault(text: &str) -> Option<&'static str> {
    let nested = [")+)", ")*)", "+)+", "*)*", "+)*", "*)+"].iter().any(|part| text.contains(part));
    let backreference = text.as_bytes().windows(2).any(|pair| matches!(pair, [b'\\', b'1'..=b'9']));
    let lookaround = ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|part| text.contains(part));
    if text.is_empty() {
        Some("it is empty")
    } else if !balanced(text) {
        Some("its brackets do not match")
    } else if lookaround || backreference {
        Some("look-around and back-references need more than linear time")
    } else if nested {
        Some("nested repetition can take exponential time")
    } else {
        None
    }
}

/// Brackets in pairs, outside of quotes and escapes.
fn balanced(text: &str) -> bool {
    let mut open = Vec::new();
    let mut chars = text.chars();
    let mut quote = None;
    while let Some(c) = chars.next() {
        match (quote, c) {
            (_, '\\') => drop(chars.next()),
            (Some(q), c) if c == q => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => open.push(c),
            (None, ')') if open.pop() != Some('(') => return false,
            (None, ']') if open.pop() != Some('[') => return false,
            (None, '}') if open.pop() != Some('{') => return false,
            _ => {}
        }
    }
    open.is_empty() && quote.is_none()
}
