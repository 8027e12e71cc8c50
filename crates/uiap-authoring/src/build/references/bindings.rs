//! Routes, scopes and elements.

use super::{Asked, Checker, Facts, pattern, signals};
use crate::build::content::Item;
use crate::build::finding::{AlsoAt, at_value, focus};
use crate::build::manifest::ManifestSet;
use crate::diagnostic::codes;
use crate::source::{Node, SourceDoc};
use crate::tree::At;

pub(super) fn check<'t>(checker: &mut Checker<'_, 't>, set: &ManifestSet<'t>, is_kept: bool) {
    let content = checker.content;
    for route in &content.routes.list {
        non_empty_match(checker, route, "route");
        checker.reference(route.at.get("parentRouteId"), Asked::Route);
        signals::check(checker, route.at.list("successSignals"));
        for matcher in route.at.list("match") {
            check_pattern(checker, matcher);
        }
    }
    checker.cycles(&content.routes, "parentRouteId", "route");
    for scope in &content.scopes.list {
        for route in scope.at.list("routeIds") {
            checker.reference(Some(route), Asked::Route);
        }
        checker.reference(scope.at.get("parentScopeId"), Asked::Scope);
        for element in scope.at.list("stableIds") {
            checker.reference(Some(element), Asked::Element);
        }
    }
    checker.cycles(&content.scopes, "parentScopeId", "scope");
    for scope in &content.scopes.list {
        if let Some(element) = content.elements.get(scope.id) {
            let message = format!("`{}` is an element and a scope", element.id);
            checker.report(
                at_value(codes::SHARED_ID, element.at.get("id").unwrap_or(element.at), message)
                    .also(scope.at.get("id").unwrap_or(scope.at), "the scope"),
            );
        }
    }
    for (index, manifest) in set.manifests.iter().enumerate() {
        let elements = content.elements.of(index);
        if is_kept && !manifest.patched && !elements.is_empty() {
            let facts = manifest.entry.element_facts.get_or_init(|| record(checker, index, manifest.doc));
            if checker.still_holds(facts) {
                continue;
            }
        }
        for element in elements {
            check_element(checker, element);
        }
    }
}

/// What the elements ask for, without an answer.
fn record<'t>(checker: &mut Checker<'_, 't>, manifest: usize, doc: &'t SourceDoc) -> Facts {
    checker.recording = Some(Facts::default());
    let elements = doc.root().get("spec").and_then(|spec| spec.get("elements"));
    // All that the file holds, also what another file holds first: that may change without a change here.
    for element in elements.into_iter().flat_map(Node::items) {
        let id = element.get("id").and_then(Node::as_str).unwrap_or_default();
        check_element(checker, &Item { id, at: At::Node(element), manifest });
    }
    checker.recording.take().unwrap_or_default()
}

fn non_empty_match(checker: &mut Checker<'_, '_>, item: &Item<'_>, what: &str) {
    if let Some(matchers) = item.at.get("match").filter(|matchers| matchers.len() == 0) {
        checker.report(at_value(codes::NO_MATCHER, matchers, format!("{what} `{}` has no matcher", item.id)));
    }
}

fn check_element<'t>(checker: &mut Checker<'_, 't>, element: &Item<'t>) {
    checker.identity(element.at);
    for (key, value) in element.at.entries() {
        match key {
            "scopeId" => checker.reference(Some(value), Asked::Scope),
            "routeIds" => {
                for route in value.items() {
                    checker.reference(Some(route), Asked::Route);
                }
            }
            "defaultAction" => checker.action(Some(value)),
            "role" => checker.declared_word(value, Asked::Role),
            "success" => signals::check(checker, value.items()),
            "match" => check_matchers(checker, element, value),
            _ => {}
        }
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
                checker.declared_word(role, Asked::Role);
            }
            checker.reference(matcher.get("scopeId"), Asked::Scope);
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
        "path" if !text.starts_with(['/', '*']) => Some("a path starts with `/`".to_owned()),
        "path" | "urlPattern" => pattern::url_fault(text),
        _ if text.is_empty() => Some("it is empty".to_owned()),
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
