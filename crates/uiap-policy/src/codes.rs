//! Every code of this crate with its title, its paragraph and an example. A number is never used twice.

use uiap_model::problem::Code;

use crate::matcher::{BAD_PATTERN, EMPTY_LIST};
use crate::policies::SAME_POLICY;
use crate::store::NOTHING_READ;
use crate::table::BAD_TABLE;

/// What is known about a code.
#[derive(Clone, Copy, Debug)]
pub struct CodeEntry {
    /// The code.
    pub code: Code,
    /// A few words.
    pub title: &'static str,
    /// One paragraph: what it means, why it matters, what to do.
    pub explanation: &'static str,
    /// Input that provokes it.
    pub example: &'static str,
}

/// All of them. Each is an error.
pub const CODES: [CodeEntry; 5] = [
    CodeEntry {
        code: BAD_PATTERN,
        title: "a star that means nothing",
        explanation: "Actions and routes in a rule are ids, or a prefix followed by `.*`. A star anywhere else is refused: taken \
            as a letter it would match nothing, taken as a wildcard it would match more than its author meant, and either \
            way nobody would notice. Write the ids out, use `prefix.*`, or leave the key out to match everything.",
        example: "rules:\n  - { id: no-billing, match: { actions: [\"bill*\"] }, effect: deny }",
    },
    CodeEntry {
        code: EMPTY_LIST,
        title: "a list that never matches",
        explanation: "A list in a rule holds if any of its entries does, so a list without entries never holds and the rule is \
            dead. A deny rule that is dead by accident is the worst kind, hence the refusal. Name at least one value, leave the key \
            out to match everything, or set `enabled: false` to switch the rule off.",
        example: "rules:\n  - { id: no-secrets, match: { dataClasses: [] }, effect: deny }",
    },
    CodeEntry {
        code: SAME_POLICY,
        title: "two policies of one name",
        explanation: "Decisions name rules as `<policyId>/<ruleId>`. Two policies of one id would make these names ambiguous, in \
            explanations as well as in the audit record. Give one of them another id.",
        example: "policies:\n  - { id: app, document: { modelVersion: \"0.1\", defaults: { onUnknownAction: deny } } }\n  \
            - { id: app, document: { modelVersion: \"0.1\", defaults: { onUnknownAction: confirm } } }",
    },
    CodeEntry {
        code: NOTHING_READ,
        title: "no policy in force",
        explanation: "No valid policy was read since the start, so everything is denied. Nothing is allowed by the absence of a \
            policy: a file that cannot be read must not open the door. Check the file with `uiap validate --as PolicyDocument`, \
            then load it again.",
        example: "uiap policy explain empty.yaml --action ui.activate",
    },
    CodeEntry {
        code: BAD_TABLE,
        title: "a table of cases that cannot be read",
        explanation: "A policy test is a table with `cases`, each with `name`, `request` and `expect`, and perhaps `situation`; \
            `base` holds what all requests share, `policies` the files that are tested. Members that nobody knows are refused, \
            since an expectation with a typing error would always hold.",
        example: "cases:\n  - { name: reading is fine, request: { actionId: ui.read }, expects: { effect: allow } }",
    },
];
