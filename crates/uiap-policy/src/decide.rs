//! The answer to a question: the strictest of all arguments, with what comes along.

use compact_str::CompactString;
use uiap_model::names::{RevisionId, Timestamp};
use uiap_model::policy::{PolicyDecision, PolicyEffect, PolicyPrincipal, PolicyReason, PolicyRequest};
use uiap_model::workflow::LocalizedText;

use crate::facts::Facts;
use crate::policies::Policies;
use crate::situation::Situation;
use crate::weigh::{Argument, Source, Witness};

/// Keeps the strictest effect and, for each effect, who argued for it.
#[derive(Default)]
struct Balance {
    effect: Option<PolicyEffect>,
    reasons: [u16; 4],
    message: Option<(PolicyEffect, LocalizedText)>,
}

impl Witness for Balance {
    fn argue(&mut self, argument: Argument<'_>) {
        self.effect = self.effect.max(Some(argument.effect));
        if let Some(reasons) = self.reasons.get_mut(argument.effect as usize) {
            *reasons |= 1 << argument.reason as u16;
        }
        let stricter = self.message.as_ref().is_none_or(|(effect, _)| argument.effect > *effect);
        if stricter && let Some(text) = words(&argument) {
            self.message = Some((argument.effect, text));
        }
    }
}

/// The words for people that an argument brings along.
fn words(argument: &Argument<'_>) -> Option<LocalizedText> {
    match argument.source {
        Source::Rule(rule) => rule.reason.clone(),
        Source::Error(error) => Some(LocalizedText::Plain(compact_str::format_compact!("{error}"))),
        Source::Closed(message) => Some(LocalizedText::Plain(message.clone())),
        _ => None,
    }
}

impl Balance {
    fn reasons(&self, effect: PolicyEffect) -> Vec<PolicyReason> {
        let bits = self.reasons.get(effect as usize).copied().unwrap_or_default();
        PolicyReason::ALL.iter().copied().filter(|reason| bits & (1 << *reason as u16) != 0).collect()
    }
}

impl Policies {
    /// Decides. The principal of the request must be the authenticated one (see [`authenticate`]); everything else
    /// that the request says is a claim and can only tighten.
    pub fn decide(
        &self,
        decision_id: CompactString,
        request: &PolicyRequest,
        situation: &Situation<'_>,
    ) -> PolicyDecision {
        let mut balance = Balance::default();
        let outcome = self.weigh(request, situation, &mut balance);
        let effect = balance.effect.unwrap_or(PolicyEffect::Deny);
        let reasons = balance.reasons(effect);
        let missing = (!outcome.missing.is_empty()).then(|| outcome.missing.list());
        let matched = outcome.matched.iter().filter_map(|at| self.rules.get(*at));
        PolicyDecision {
            decision_id,
            effect,
            matched_rules: matched.map(|rule| rule.name.clone()).collect(),
            missing_grants: missing,
            obligations: outcome.union.settle(&self.obligations, outcome.modes, effect, &reasons),
            reasons,
            message: balance.message.filter(|(of, _)| *of == effect).map(|(_, text)| text),
            policy_revision: Some(self.revision.clone()),
            expires_at: None,
        }
    }

    /// Whether a decision is needed at all: something beyond the view is changed, or something delicate is read.
    pub fn needs_decision(request: &PolicyRequest, situation: &Situation<'_>) -> bool {
        Facts::collect(request, situation).map_or(true, |facts| !facts.is_trivial())
    }
}

/// A request in the name of somebody else.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the request speaks for `{claimed}`, the connection belongs to `{authenticated}`")]
pub struct ForeignPrincipal {
    claimed: CompactString,
    authenticated: CompactString,
}

/// Puts the authenticated principal, with its real roles and grants, in the place of the claimed one.
pub fn authenticate(
    mut request: PolicyRequest,
    authenticated: &PolicyPrincipal,
) -> Result<PolicyRequest, ForeignPrincipal> {
    let claimed = &request.principal;
    if claimed.principal_type != authenticated.principal_type || claimed.id != authenticated.id {
        return Err(ForeignPrincipal {
            claimed: claimed.id.clone(),
            authenticated: authenticated.id.clone(),
        });
    }
    request.principal = authenticated.clone();
    Ok(request)
}

/// Gives every decision of a session a name of its own.
#[derive(Clone, Debug)]
pub struct DecisionIds {
    prefix: CompactString,
    next: u64,
}

impl DecisionIds {
    /// Names that start with `prefix`.
    pub fn new(prefix: &str) -> Self {
        Self { prefix: prefix.into(), next: 1 }
    }

    /// The next name.
    pub fn next_id(&mut self) -> CompactString {
        let id = compact_str::format_compact!("{}{}", self.prefix, self.next);
        self.next += 1;
        id
    }
}

/// Whether a decision may still be used: the policy is the same, and its time has not passed or, where it names none,
/// the page is the one that it was made for.
pub fn still_holds(
    decision: &PolicyDecision,
    policies: &Policies,
    made_for: &RevisionId,
    page: &RevisionId,
    now: &Timestamp,
) -> bool {
    decision.policy_revision.as_deref() == Some(policies.revision())
        && match &decision.expires_at {
            Some(end) => instant(now) < instant(end),
            None => made_for == page,
        }
}

/// A timestamp as it sorts: up to the seconds, then the fraction without trailing zeros.
fn instant(time: &Timestamp) -> (&str, &str) {
    let text = time.as_str().trim_end_matches('Z');
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
    (seconds, fraction.trim_end_matches('0'))
}
