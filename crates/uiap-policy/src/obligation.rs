//! What comes with a decision: obligations of all matching rules, united in an order of their own.

use std::collections::BTreeMap;

use compact_str::CompactString;
use uiap_model::capability::ExecutionMode;
use uiap_model::policy::{AuditLevel, PolicyDecision, PolicyEffect, PolicyObligation, PolicyReason};

/// All obligations of all rules, each once, sorted by their canonical text so that no order of rules shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Obligations {
    all: Vec<PolicyObligation>,
}

impl Obligations {
    /// Sorts what the rules ask for; rules then name obligations by number.
    pub(crate) fn collect<'a>(sources: impl Iterator<Item = &'a PolicyObligation>) -> Self {
        let sorted: BTreeMap<Vec<u8>, &PolicyObligation> = sources.map(|each| (text(each), each)).collect();
        Self { all: sorted.into_values().cloned().collect() }
    }

    /// The numbers of these obligations.
    pub(crate) fn numbers(&self, wanted: &[PolicyObligation]) -> Vec<usize> {
        let mut numbers: Vec<usize> =
            wanted.iter().filter_map(|each| self.all.iter().position(|known| known == each)).collect();
        numbers.sort_unstable();
        numbers
    }
}

fn text(obligation: &PolicyObligation) -> Vec<u8> {
    uiap_model::digest::canonical(obligation).unwrap_or_default()
}

/// The effect that an obligation amounts to: asking a person is `confirm`, leaving it to one is `handoff`.
pub(crate) fn least_effect(obligations: &[PolicyObligation]) -> PolicyEffect {
    let effect = |obligation: &PolicyObligation| match obligation {
        PolicyObligation::Confirm { .. } => PolicyEffect::Confirm,
        PolicyObligation::Handoff { .. } => PolicyEffect::Handoff,
        _ => PolicyEffect::Allow,
    };
    obligations.iter().map(effect).max().unwrap_or(PolicyEffect::Allow)
}

/// What the matching rules ask for together.
#[derive(Default)]
pub(crate) struct Union {
    numbers: Vec<usize>,
    audit: Option<AuditLevel>,
}

impl Union {
    /// Adds the obligations of a rule.
    pub(crate) fn add(&mut self, numbers: &[usize]) {
        self.numbers.extend_from_slice(numbers);
    }

    /// Asks for at least that level.
    pub(crate) fn audit(&mut self, level: AuditLevel) {
        self.audit = self.audit.max(Some(level));
    }

    /// The modes that all rules agree on; `None` when no rule restricts them.
    pub(crate) fn modes(&self, known: &Obligations) -> Option<Vec<ExecutionMode>> {
        let mut lists = self.numbers.iter().filter_map(|number| match known.all.get(*number)? {
            PolicyObligation::RestrictModes { modes } => Some(modes),
            _ => None,
        });
        let first = lists.next()?;
        let mut agreed = lists.fold(first.clone(), |mut agreed, modes| {
            agreed.retain(|mode| modes.contains(mode));
            agreed
        });
        agreed.sort_unstable();
        agreed.dedup();
        Some(agreed)
    }

    /// The obligations of a decision with that effect.
    pub(crate) fn settle(
        mut self,
        known: &Obligations,
        modes: Option<Vec<ExecutionMode>>,
        effect: PolicyEffect,
        reasons: &[PolicyReason],
    ) -> Vec<PolicyObligation> {
        self.numbers.sort_unstable();
        self.numbers.dedup();
        let mut settled = Vec::new();
        let mut audit = self.audit.unwrap_or(AuditLevel::Metadata);
        for obligation in self.numbers.iter().filter_map(|number| known.all.get(*number)) {
            match obligation {
                PolicyObligation::Audit { level } => audit = audit.max(*level),
                PolicyObligation::Confirm { .. } if effect != PolicyEffect::Confirm => {}
                PolicyObligation::Handoff { .. } if effect != PolicyEffect::Handoff => {}
                PolicyObligation::RestrictModes { .. } => {}
                other => settled.push(other.clone()),
            }
        }
        imply(&mut settled, effect, reasons);
        settled.extend(modes.map(|modes| PolicyObligation::RestrictModes { modes }));
        if audit > AuditLevel::None {
            settled.push(PolicyObligation::Audit { level: audit });
        }
        settled
    }
}

/// An effect brings its obligation along where no rule wrote one.
fn imply(settled: &mut Vec<PolicyObligation>, effect: PolicyEffect, reasons: &[PolicyReason]) {
    match effect {
        PolicyEffect::Confirm
            if !settled.iter().any(|each| matches!(each, PolicyObligation::Confirm { .. })) =>
        {
            settled.push(PolicyObligation::Confirm { by: None, text: None, expires_ms: None });
        }
        PolicyEffect::Handoff
            if !settled.iter().any(|each| matches!(each, PolicyObligation::Handoff { .. })) =>
        {
            let reason = reasons.first().map_or("policy", |reason| reason.as_str());
            settled
                .push(PolicyObligation::Handoff { reason: CompactString::new(reason), instructions: None });
        }
        _ => {}
    }
}

/// How much of a decision is written down.
pub fn audit_level(decision: &PolicyDecision) -> AuditLevel {
    let level = |obligation: &PolicyObligation| match obligation {
        PolicyObligation::Audit { level } => Some(*level),
        _ => None,
    };
    decision.obligations.iter().filter_map(level).max().unwrap_or(AuditLevel::None)
}

/// Whether an action may be carried out in that mode.
pub fn permits_mode(decision: &PolicyDecision, mode: ExecutionMode) -> bool {
    decision.obligations.iter().all(|obligation| match obligation {
        PolicyObligation::RestrictModes { modes } => modes.contains(&mode),
        _ => true,
    })
}
