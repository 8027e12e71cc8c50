//! How a thing is covered: by its data classes, the grants of who looks, the rules that match. The strictest wins.

use compact_str::CompactString;
use uiap_model::capability::RiskTag;
use uiap_model::policy::{DataClass, PolicyGrant, RedactionMode};

use super::{Audience, Redactor, form};
use crate::facts::Facts;
use crate::policies::Redaction;
use crate::situation::{Situation, is_password};
use crate::word::{self, Word};

/// How the members of one thing are covered.
pub(super) struct Plan<'a> {
    redactor: &'a Redactor,
    /// By data class and grants.
    class: RedactionMode,
    /// Rules that match, by document.
    rules: Vec<Vec<&'a Redaction>>,
}

impl Redactor {
    /// The plan for something with these classes, standing there.
    pub(super) fn plan<'a>(&'a self, situation: &Situation<'_>, classes: &[DataClass]) -> Plan<'a> {
        let Some(question) = &self.question else { return self.withhold() };
        let mut question = question.clone();
        if let Some(descriptor) = situation.descriptor {
            // Arguments and results belong to that action: rules may name it.
            question.action_id = descriptor.id.clone();
        }
        if !classes.is_empty() {
            question.data_classes = Some(classes.to_vec());
        }
        let Ok(facts) = Facts::collect(&question, situation) else { return self.withhold() };
        let hidden = situation.element.is_some_and(is_password);
        let documents = self.policies.documents.iter();
        Plan {
            redactor: self,
            class: if hidden { RedactionMode::Remove } else { self.by_class(&facts) },
            rules: documents
                .map(|document| {
                    document.redactions.iter().filter(|rule| rule.matcher.matches(&facts)).collect()
                })
                .collect(),
        }
    }

    /// What cannot be judged is not shown.
    fn withhold(&self) -> Plan<'_> {
        Plan { redactor: self, class: RedactionMode::Remove, rules: Vec::new() }
    }

    fn by_class(&self, facts: &Facts<'_>) -> RedactionMode {
        let bits = |classes: &[DataClass]| classes.iter().fold(0, |bits, class| bits | class.bit());
        let secret = bits(&[DataClass::Credential, DataClass::Secret]);
        let delicate = bits(&[DataClass::Sensitive, DataClass::Payment, DataClass::Health, DataClass::Legal])
            | word::CLASS.extension()
            | RiskTag::SensitiveData.bit();
        let shows_secrets = self.reveals_secrets
            && self.audience == Audience::Principal
            && self.grants.has(&PolicyGrant::ReadSecret);
        let shows_delicate = self.grants.has(&PolicyGrant::ReadSensitive);
        if facts.all.has(secret) && !shows_secrets {
            RedactionMode::Remove
        } else if facts.all.has(delicate) && !shows_delicate {
            RedactionMode::Mask
        } else if facts.all.has(DataClass::Personal.bit()) && !shows_delicate {
            RedactionMode::Partial
        } else {
            RedactionMode::None
        }
    }
}

impl Plan<'_> {
    /// How a member is covered, and by which words where a rule gives them.
    pub(super) fn member(&self, path: &str) -> (RedactionMode, Option<&CompactString>) {
        let mut mode = self.class;
        let mut replacement = None;
        for (document, rules) in self.redactor.policies.documents.iter().zip(&self.rules) {
            let mut matched = false;
            for rule in rules.iter().filter(|rule| concerns(rule, path)) {
                matched = true;
                if rule.mode >= mode {
                    replacement = rule.replacement.as_ref().filter(|_| rule.mode == RedactionMode::Mask);
                }
                mode = mode.max(rule.mode);
            }
            if !matched {
                mode = mode.max(document.redaction.unwrap_or(RedactionMode::None));
            }
        }
        (mode, replacement.filter(|_| mode == RedactionMode::Mask))
    }

    /// How a label is covered: it names data and is none, so that only rules that name it count.
    pub(super) fn label(&self) -> (RedactionMode, Option<&CompactString>) {
        let named = self.rules.iter().flatten().filter(|rule| rule.paths.is_some() && concerns(rule, "name"));
        let strictest = named.max_by_key(|rule| rule.mode);
        strictest.map_or((RedactionMode::None, None), |rule| (rule.mode, rule.replacement.as_ref()))
    }

    /// The text of a member as it may be shown; `None` when it is removed.
    pub(super) fn show(
        &self,
        (mode, words): (RedactionMode, Option<&CompactString>),
        text: &str,
    ) -> Option<CompactString> {
        match (mode, words) {
            (RedactionMode::None, _) => Some(self.redactor.text(text).into()),
            (RedactionMode::Mask, Some(words)) => Some(words.clone()),
            _ => form::cover(mode, text, &self.redactor.salt),
        }
    }

    /// Whether a member is covered so far that its value must not appear elsewhere either.
    pub(super) fn hides(&self, path: &str) -> bool {
        self.member(path).0 >= RedactionMode::Mask
    }
}

/// `card.number`, `/card/number` and `card` all concern `card/number`.
fn concerns(rule: &Redaction, path: &str) -> bool {
    let Some(paths) = &rule.paths else { return true };
    paths.iter().any(|wanted| {
        let wanted = wanted.trim_start_matches('/').replace('.', "/");
        path == wanted || path.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.starts_with('/'))
    })
}
