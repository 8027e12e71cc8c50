//! Success signals: their targets, their kinds.

use super::{Asked, Checker};
use crate::build::finding::{AlsoAt, at_value};
use crate::diagnostic::codes;
use crate::tree::At;

pub(super) fn check<'t>(checker: &mut Checker<'_, 't>, signals: impl Iterator<Item = At<'t>>) {
    for signal in signals {
        checker.target(signal.get("target"));
        checker.reference(signal.get("scope"), Asked::Scope);
        for (key, _) in signal.get("state").into_iter().flat_map(At::entries) {
            if !checker.knows(Asked::StateKey, key)
                && let Some(document) = checker.declared.at
            {
                let at = signal.descend(&["state", key]).unwrap_or(signal);
                checker.report(super::undeclared(at, key, "stateKeys", document));
            }
        }
        let Some(kind) = signal.get("kind") else { continue };
        let Some(word) = kind.as_str() else { continue };
        if !checker.knows(Asked::Signal, word)
            && let Some(document) = checker.declared.at
        {
            checker.report(
                at_value(
                    codes::UNDECLARED_SIGNAL,
                    kind,
                    format!("the capabilities do not list signals of kind `{word}`"),
                )
                .also(document.get("successSignalKinds").unwrap_or(document), "not in this list"),
            );
        }
    }
}
