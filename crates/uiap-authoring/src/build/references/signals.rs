//! Success signals: their targets, their kinds.

use super::Checker;
use crate::build::finding::{AlsoAt, at_value};
use crate::diagnostic::codes;
use crate::tree::At;

pub(super) fn check<'t>(checker: &mut Checker<'_, 't>, signals: impl Iterator<Item = At<'t>>) {
    for signal in signals {
        checker.target(signal.get("target"));
        checker.reference(signal.get("scope"), &checker.content.scopes, "scope");
        for (key, _) in signal.get("state").into_iter().flat_map(At::entries) {
            let Some(document) = checker.declared.at else { break };
            if !checker.declared.state_keys.contains(key) {
                let at = signal.descend(&["state", key]).unwrap_or(signal);
                checker.report(super::undeclared(at, key, "stateKeys", document));
            }
        }
        let (Some(kind), Some(document)) = (signal.get("kind"), checker.declared.at) else { continue };
        let Some(word) = kind.as_str() else { continue };
        if !checker.declared.signals.contains(word) {
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
