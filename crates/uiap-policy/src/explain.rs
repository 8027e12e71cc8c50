//! Why a decision is what it is: every argument, what was set aside, what was taken for granted.

use std::fmt::Write;

use compact_str::CompactString;
use serde::Serialize;
use uiap_model::capability::{RiskLevel, RiskTag};
use uiap_model::policy::{
    DataClass, PolicyDecision, PolicyEffect, PolicyReason, PolicyRequest, SideEffectClass,
};

use crate::facts::{Facts, Names};
use crate::policies::Policies;
use crate::situation::Situation;
use crate::weigh::{Argument, Source, Witness};
use crate::word::{self, Known, Word};

/// A decision and everything that led to it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The decision.
    pub decision: PolicyDecision,
    /// What was known; absent when the facts could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facts: Option<KnownFacts>,
    /// Every argument that counted, the strictest first.
    pub arguments: Vec<Reasoning>,
    /// Defaults and rules that a rule with `override` took the place of.
    pub set_aside: Vec<Reasoning>,
}

/// One argument in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reasoning {
    /// What it asks for.
    pub effect: PolicyEffect,
    /// Its kind.
    pub reason: PolicyReason,
    /// The document that it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<CompactString>,
    /// The rule, as `<policyId>/<ruleId>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<CompactString>,
    /// For people.
    pub text: String,
}

/// What was known of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownFacts {
    /// Whether somebody declared the action.
    pub declared: bool,
    /// The strictest level of all sources.
    pub risk: RiskLevel,
    /// The level without what page and agent claim.
    pub sure_risk: RiskLevel,
    /// Tags of all sources.
    pub risk_tags: Vec<CompactString>,
    /// Side effects of all sources.
    pub side_effects: Vec<CompactString>,
    /// Data classes of all sources.
    pub data_classes: Vec<CompactString>,
    /// The grants that the principal holds, with what they imply.
    pub grants: Vec<CompactString>,
    /// Routes that are known or claimed.
    pub routes: Vec<CompactString>,
    /// Scopes that are known or claimed.
    pub scopes: Vec<CompactString>,
}

#[derive(Default)]
struct Record {
    facts: Option<KnownFacts>,
    arguments: Vec<Reasoning>,
    set_aside: Vec<Reasoning>,
}

impl Witness for Record {
    fn argue(&mut self, argument: Argument<'_>) {
        self.arguments.push(Reasoning::of(&argument));
    }

    fn set_aside(&mut self, argument: Argument<'_>) {
        self.set_aside.push(Reasoning::of(&argument));
    }

    fn facts(&mut self, facts: &Facts<'_>) {
        self.facts = Some(KnownFacts::of(facts));
    }
}

impl Policies {
    /// Decides and tells why.
    pub fn explain(
        &self,
        decision_id: CompactString,
        request: &PolicyRequest,
        situation: &Situation<'_>,
    ) -> Explanation {
        let mut record = Record::default();
        self.weigh(request, situation, &mut record);
        record.arguments.sort_by_key(|argument| std::cmp::Reverse(argument.effect));
        Explanation {
            decision: self.decide(decision_id, request, situation),
            facts: record.facts,
            arguments: record.arguments,
            set_aside: record.set_aside,
        }
    }
}

impl Explanation {
    /// A few lines for people: the effect, then the arguments for it, then what else was said.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.decision.effect.to_string()];
        for argument in &self.arguments {
            let mark = if argument.effect == self.decision.effect { "because" } else { "also" };
            lines.push(format!("  {mark}: {}", argument.line()));
        }
        lines.extend(self.set_aside.iter().map(|argument| format!("  overridden: {}", argument.line())));
        if let Some(facts) = &self.facts {
            lines.push(format!("  facts: {}", facts.line()));
        }
        lines
    }
}

impl Reasoning {
    fn of(argument: &Argument<'_>) -> Self {
        let rule = match argument.source {
            Source::Rule(rule) => Some(rule.name.clone()),
            _ => None,
        };
        Self {
            effect: argument.effect,
            reason: argument.reason,
            policy: argument.document.cloned(),
            rule,
            text: text(argument.source),
        }
    }

    fn line(&self) -> String {
        match &self.policy {
            Some(policy) if self.rule.is_none() => {
                format!("{} ({}, policy `{policy}`)", self.text, self.effect)
            }
            _ => format!("{} ({})", self.text, self.effect),
        }
    }
}

fn text(source: Source<'_>) -> String {
    match source {
        Source::OpaqueTarget => "the target lies behind a boundary that nobody can look through".to_owned(),
        Source::ClosedShadow => "the target lies in a closed shadow root".to_owned(),
        Source::UserActivation => "the browser wants a real gesture of a person".to_owned(),
        Source::Blocked => "the risk level is `blocked`, which no rule loosens".to_owned(),
        Source::UnknownAction => "nobody declared the action".to_owned(),
        Source::Grants(grants) => {
            let names: Vec<String> = grants.list().iter().map(|grant| format!("`{grant}`")).collect();
            format!("missing grants: {}", names.join(", "))
        }
        Source::Risk(level) => format!("default for the risk level `{level}`"),
        Source::NoMatch => "default for declared actions".to_owned(),
        Source::Rule(rule) if rule.overrides => format!("rule `{}`, which may loosen defaults", rule.name),
        Source::Rule(rule) => format!("rule `{}`", rule.name),
        Source::NoModeLeft => "the rules leave no execution mode".to_owned(),
        Source::Error(error) => format!("the facts cannot be read: {error}"),
        Source::Closed(message) => message.to_string(),
    }
}

impl KnownFacts {
    fn of(facts: &Facts<'_>) -> Self {
        let grants = facts.grants.list();
        Self {
            declared: facts.declared,
            risk: facts.risk,
            sure_risk: facts.sure_risk,
            risk_tags: words(&facts.all, RiskTag::ALL),
            side_effects: words(&facts.all, SideEffectClass::ALL),
            data_classes: words(&facts.all, DataClass::ALL),
            grants: grants.iter().map(|grant| CompactString::new(grant.as_str())).collect(),
            routes: names(&facts.routes),
            scopes: names(&facts.scopes),
        }
    }

    fn line(&self) -> String {
        let mut line = format!("risk {}", self.risk);
        for (name, words) in
            [("tags", &self.risk_tags), ("side effects", &self.side_effects), ("data", &self.data_classes)]
        {
            if !words.is_empty() {
                // Writing to a String cannot fail.
                let _ = write!(line, "; {name} {}", words.join(", "));
            }
        }
        line
    }
}

fn words<W: Word + std::fmt::Display>(known: &Known<'_>, all: &[W]) -> Vec<CompactString> {
    let defined =
        all.iter().filter(|word| known.has(word.bit())).map(|word| compact_str::format_compact!("{word}"));
    let mut words: Vec<CompactString> = defined.collect();
    let extensions = known.extensions_of(W::GROUP).map(CompactString::new);
    words.extend(extensions.filter(|_| W::GROUP != word::RISK));
    words.dedup();
    words
}

fn names(names: &Names<'_>) -> Vec<CompactString> {
    let mut list: Vec<CompactString> = names.iter().map(CompactString::new).collect();
    list.dedup();
    list
}
