//! Steps 2 to 6: every argument for an effect, told to a witness. Deciding and explaining listen to the same telling,
//! so that an explanation cannot differ from its decision.

use compact_str::CompactString;
use uiap_model::capability::{ExecutionMode, RiskLevel};
use uiap_model::policy::{AuditLevel, PolicyEffect, PolicyReason, PolicyRequest};

use crate::facts::Facts;
use crate::grant::Grants;
use crate::obligation::Union;
use crate::policies::{Document, Policies, Regime, Rule};
use crate::requirement::Missing;
use crate::situation::{FactError, Situation};

/// One argument for an effect.
pub(crate) struct Argument<'a> {
    pub(crate) effect: PolicyEffect,
    pub(crate) reason: PolicyReason,
    /// The document that argues; none for the platform.
    pub(crate) document: Option<&'a CompactString>,
    pub(crate) source: Source<'a>,
}

/// Where an argument comes from.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    OpaqueTarget,
    ClosedShadow,
    UserActivation,
    Blocked,
    UnknownAction,
    Grants(&'a Grants),
    Risk(RiskLevel),
    NoMatch,
    Rule(&'a Rule),
    NoModeLeft,
    Error(&'a FactError),
    Closed(&'a CompactString),
}

/// Listens to the arguments.
pub(crate) trait Witness {
    /// Counts for the result.
    fn argue(&mut self, argument: Argument<'_>);
    /// Does not count: a rule that may loosen has set it aside.
    fn set_aside(&mut self, _argument: Argument<'_>) {}
    /// What was taken for granted.
    fn facts(&mut self, _facts: &Facts<'_>) {}
}

/// What a question leads to beside its effect.
#[derive(Default)]
pub(crate) struct Outcome {
    /// Rules that match, by number.
    pub(crate) matched: Vec<usize>,
    pub(crate) missing: Grants,
    pub(crate) union: Union,
    pub(crate) modes: Option<Vec<ExecutionMode>>,
}

impl Policies {
    /// Tells every argument. Pure: the same question has the same answer.
    pub(crate) fn weigh<W: Witness>(
        &self,
        request: &PolicyRequest,
        situation: &Situation<'_>,
        witness: &mut W,
    ) -> Outcome {
        if let Regime::Closed(message) = &self.regime {
            witness.argue(plain(PolicyEffect::Deny, PolicyReason::EvaluationError, Source::Closed(message)));
            return Outcome::default();
        }
        match Facts::collect(request, situation) {
            Ok(facts) => self.weigh_facts(&facts, witness),
            Err(error) => {
                let strictest = self.documents.iter().map(|document| document.on_error).max();
                let effect = strictest.unwrap_or(PolicyEffect::Deny);
                witness.argue(plain(effect, PolicyReason::EvaluationError, Source::Error(&error)));
                // What cannot be evaluated must not hide a limit that is plain to see.
                limits(situation, witness);
                Outcome::default()
            }
        }
    }

    fn weigh_facts<W: Witness>(&self, facts: &Facts<'_>, witness: &mut W) -> Outcome {
        witness.facts(facts);
        let mut outcome = Outcome { matched: self.matching(facts), ..Outcome::default() };
        platform(facts, witness);
        for (number, document) in self.documents.iter().enumerate() {
            if !facts.declared {
                argue(
                    witness,
                    document,
                    document.on_unknown_action,
                    PolicyReason::UnknownAction,
                    Source::UnknownAction,
                );
            }
            if self.regime == Regime::Documents {
                weigh_grants(document, facts, &mut outcome, witness);
            }
            self.weigh_rules(number, document, facts, &outcome.matched, witness);
        }
        self.gather_obligations(facts, &mut outcome);
        if outcome.modes.as_ref().is_some_and(Vec::is_empty) {
            witness.argue(plain(PolicyEffect::Deny, PolicyReason::Rule, Source::NoModeLeft));
        }
        outcome
    }

    fn matching(&self, facts: &Facts<'_>) -> Vec<usize> {
        let mut matched = self.index.candidates(facts);
        matched.retain(|number| self.rules.get(*number).is_some_and(|rule| rule.matcher.fits(facts, true)));
        matched
    }

    /// Step 5. A rule that may loosen must match without anything that page or agent claim.
    fn weigh_rules<W: Witness>(
        &self,
        number: usize,
        document: &Document,
        facts: &Facts<'_>,
        matched: &[usize],
        witness: &mut W,
    ) {
        let rules =
            || matched.iter().filter_map(|at| self.rules.get(*at)).filter(|rule| rule.document == number);
        let loosened = rules().any(|rule| rule.overrides && rule.matcher.fits(facts, false));
        for rule in rules() {
            let argument = Argument {
                effect: rule.effect,
                reason: PolicyReason::Rule,
                document: Some(&document.id),
                source: Source::Rule(rule),
            };
            if loosened && !rule.overrides { witness.set_aside(argument) } else { witness.argue(argument) }
        }
        for (effect, reason, source) in defaults(document, facts) {
            let argument = Argument { effect, reason, document: Some(&document.id), source };
            if loosened { witness.set_aside(argument) } else { witness.argue(argument) }
        }
    }

    fn gather_obligations(&self, facts: &Facts<'_>, outcome: &mut Outcome) {
        for rule in outcome.matched.iter().filter_map(|at| self.rules.get(*at)) {
            outcome.union.add(&rule.obligations);
        }
        for policy in self.audit() {
            let within = policy.min_risk.is_none_or(|least| facts.risk >= least);
            outcome.union.audit(if within { policy.level } else { AuditLevel::None });
        }
        outcome.modes = outcome.union.modes(&self.obligations);
    }
}

/// Step 2: no rule loosens these.
fn platform<W: Witness>(facts: &Facts<'_>, witness: &mut W) {
    limits(&Situation { limits: facts.limits, ..Situation::default() }, witness);
    if facts.risk == RiskLevel::Blocked {
        witness.argue(plain(PolicyEffect::Deny, PolicyReason::RiskLevel, Source::Blocked));
    }
}

fn limits<W: Witness>(situation: &Situation<'_>, witness: &mut W) {
    let limits = situation.limits;
    if limits.opaque_target {
        witness.argue(plain(PolicyEffect::Deny, PolicyReason::OpaqueTarget, Source::OpaqueTarget));
    }
    if limits.closed_shadow {
        witness.argue(plain(PolicyEffect::Deny, PolicyReason::PlatformBoundary, Source::ClosedShadow));
    }
    if limits.user_activation {
        witness.argue(plain(PolicyEffect::Handoff, PolicyReason::PlatformBoundary, Source::UserActivation));
    }
}

/// Step 4.
fn weigh_grants<W: Witness>(document: &Document, facts: &Facts<'_>, outcome: &mut Outcome, witness: &mut W) {
    let Missing { grants, for_data, for_effect } = document.table.missing(facts);
    if grants.is_empty() {
        return;
    }
    let effect = document.on_missing_grant;
    argue(witness, document, effect, PolicyReason::MissingGrant, Source::Grants(&grants));
    if for_data {
        argue(witness, document, effect, PolicyReason::DataClass, Source::Grants(&grants));
    }
    if for_effect {
        argue(witness, document, effect, PolicyReason::SideEffect, Source::Grants(&grants));
    }
    outcome.missing.unite(&grants);
}

/// What holds where no rule says anything. Both levels count, so that a claim cannot trade a strict level for a lax one.
fn defaults<'a>(
    document: &Document,
    facts: &Facts<'_>,
) -> impl Iterator<Item = (PolicyEffect, PolicyReason, Source<'a>)> {
    let by_risk = |level| {
        let effect = document.by_risk(level);
        let reason =
            if effect > PolicyEffect::Allow { PolicyReason::RiskLevel } else { PolicyReason::Default };
        (effect, reason, Source::Risk(level))
    };
    let claimed = (facts.risk != facts.sure_risk).then(|| by_risk(facts.risk));
    let no_match = facts.declared.then_some((document.on_no_match, PolicyReason::Default, Source::NoMatch));
    [Some(by_risk(facts.sure_risk)), claimed, no_match].into_iter().flatten()
}

fn plain(effect: PolicyEffect, reason: PolicyReason, source: Source<'_>) -> Argument<'_> {
    Argument { effect, reason, document: None, source }
}

fn argue<W: Witness>(
    witness: &mut W,
    document: &Document,
    effect: PolicyEffect,
    reason: PolicyReason,
    source: Source<'_>,
) {
    witness.argue(Argument { effect, reason, document: Some(&document.id), source });
}
