//! Documents compiled into the form that decides.

use compact_str::CompactString;
use serde_json::Value;
use uiap_model::authoring::{BuildContext, ScopedPolicyDocument};
use uiap_model::capability::{ModelVersion, RiskLevel};
use uiap_model::parse::decode;
use uiap_model::policy::document::{HandoffPolicy, OnError, OnMissingGrant};
use uiap_model::policy::{
    AuditPolicy, PolicyDefaults, PolicyDocument, PolicyEffect, PolicyRule, RedactionMode, RedactionRule,
};
use uiap_model::problem::{Code, Problem};
use uiap_model::shape::Strictness;
use uiap_model::workflow::LocalizedText;

use crate::index::Index;
use crate::matcher::{self, Matcher};
use crate::obligation::{Obligations, least_effect};
use crate::requirement::Table;
use crate::selector::is_active;

/// Two documents of one name.
pub const SAME_POLICY: Code = Code("UIAP-P003");

/// The name of a document that has none.
const NAMELESS: &str = "policy";

/// Policies that are not valid; what was in force before stays in force.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the policy is refused: {}", first(.problems))]
pub struct Refusal {
    problems: Vec<Problem>,
}

fn first(problems: &[Problem]) -> String {
    problems.first().map_or_else(|| "no reason is known".to_owned(), ToString::to_string)
}

impl Refusal {
    /// For a policy that could not be read at all, such as a file that is no JSON.
    pub fn unreadable(problem: Problem) -> Self {
        Self { problems: vec![problem] }
    }

    /// Everything that is wrong, each with its place.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

/// How questions are answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Regime {
    /// By the documents.
    Documents,
    /// Policy is switched off: risk levels and platform limits only.
    RiskOnly,
    /// No policy could be read: nothing is allowed.
    Closed(CompactString),
}

/// Documents compiled: immutable, to be shared and asked from any thread.
#[derive(Clone, Debug)]
pub struct Policies {
    pub(crate) regime: Regime,
    pub(crate) revision: CompactString,
    pub(crate) documents: Vec<Document>,
    /// Sorted by document and id.
    pub(crate) rules: Vec<Rule>,
    pub(crate) index: Index,
    pub(crate) obligations: Obligations,
    sources: Vec<ScopedPolicyDocument>,
}

/// What a document says beside its rules.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) id: CompactString,
    pub(crate) on_unknown_action: PolicyEffect,
    pub(crate) on_no_match: PolicyEffect,
    by_risk: [PolicyEffect; 3],
    pub(crate) on_missing_grant: PolicyEffect,
    pub(crate) on_error: PolicyEffect,
    pub(crate) table: Table,
    pub(crate) audit: Option<AuditPolicy>,
    pub(crate) handoff: Option<HandoffPolicy>,
    pub(crate) redaction: Option<RedactionMode>,
    pub(crate) redactions: Vec<Redaction>,
}

/// A rule.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) document: usize,
    /// `<policyId>/<ruleId>`.
    pub(crate) name: CompactString,
    pub(crate) matcher: Matcher,
    pub(crate) effect: PolicyEffect,
    pub(crate) overrides: bool,
    pub(crate) obligations: Vec<usize>,
    pub(crate) reason: Option<LocalizedText>,
}

/// A rule about what is hidden.
#[derive(Clone, Debug)]
pub(crate) struct Redaction {
    pub(crate) matcher: Matcher,
    pub(crate) mode: RedactionMode,
    pub(crate) paths: Option<Vec<CompactString>>,
    pub(crate) replacement: Option<CompactString>,
}

impl Policies {
    /// Compiles the documents that are active in `context`. Without any, the built-in one holds: what nobody declared
    /// is denied, the rest goes by risk and grants.
    pub fn compile(sources: Vec<ScopedPolicyDocument>, context: &BuildContext) -> Result<Self, Refusal> {
        let problems = check(&sources);
        if !problems.is_empty() {
            return Err(Refusal { problems });
        }
        let mut active: Vec<&ScopedPolicyDocument> =
            sources.iter().filter(|source| is_active(source.selector.as_ref(), context)).collect();
        let built_in = built_in();
        if active.is_empty() {
            active.push(&built_in);
        }
        active.sort_by(|left, right| left.id.cmp(&right.id));
        let mut policies = Self::bare(Regime::Documents, revision(&active));
        policies.obligations = Obligations::collect(
            active.iter().flat_map(|source| rules(source)).flat_map(|rule| rule.obligations.iter().flatten()),
        );
        policies.documents = active.iter().map(|source| Document::compile(source)).collect();
        for (number, source) in active.iter().enumerate() {
            policies.add_rules(number, source);
        }
        policies.sources = sources;
        Ok(policies)
    }

    /// Reads and compiles documents: each a policy document, or one with an id and a selector. Members that nobody
    /// knows are refused, since leaving out a condition would widen its rule.
    pub fn from_values(values: &[Value], context: &BuildContext) -> Result<Self, Refusal> {
        let mut problems = Vec::new();
        let mut sources = Vec::new();
        for (index, value) in values.iter().enumerate() {
            match read(value) {
                Ok(source) => sources.push(source),
                Err(found) if values.len() == 1 => problems.extend(found),
                Err(found) => {
                    problems.extend(found.into_iter().map(|problem| problem.under(&format!("/{index}"))));
                }
            }
        }
        if problems.is_empty() { Self::compile(sources, context) } else { Err(Refusal { problems }) }
    }

    /// One document that holds everywhere.
    pub fn single(document: PolicyDocument) -> Result<Self, Refusal> {
        let context = BuildContext {
            environment: None,
            channel: None,
            locale: None,
            tenant_id: None,
            principal_profile: None,
            app_version: None,
        };
        let id = document.id.clone().unwrap_or_else(|| NAMELESS.into());
        Self::compile(vec![ScopedPolicyDocument { id, selector: None, document }], &context)
    }

    /// Policy switched off: risk levels and platform limits still hold.
    pub fn off() -> Self {
        let mut policies = Self::bare(Regime::RiskOnly, "off".into());
        policies.documents.push(Document::compile(&built_in()));
        policies
    }

    /// Denies everything and says why: for a policy that could not be read.
    pub fn closed(why: &Refusal) -> Self {
        let message = format!("nothing is allowed, since {why}");
        Self::bare(Regime::Closed(message.into()), "closed".into())
    }

    /// Names this state of the policy; changes with its content.
    pub fn revision(&self) -> &str {
        &self.revision
    }

    /// The documents as they were given, active or not.
    pub fn sources(&self) -> &[ScopedPolicyDocument] {
        &self.sources
    }

    /// How people take over: of several documents the first that says it.
    pub fn handoff(&self) -> Option<&HandoffPolicy> {
        self.documents.iter().find_map(|document| document.handoff.as_ref())
    }

    /// The audit policies of the active documents.
    pub fn audit(&self) -> impl Iterator<Item = &AuditPolicy> {
        self.documents.iter().filter_map(|document| document.audit.as_ref())
    }

    fn bare(regime: Regime, revision: CompactString) -> Self {
        Self {
            regime,
            revision,
            documents: Vec::new(),
            rules: Vec::new(),
            index: Index::default(),
            obligations: Obligations::default(),
            sources: Vec::new(),
        }
    }

    fn add_rules(&mut self, document: usize, source: &ScopedPolicyDocument) {
        let mut enabled: Vec<&PolicyRule> =
            rules(source).filter(|rule| rule.enabled != Some(false)).collect();
        enabled.sort_by(|left, right| left.id.cmp(&right.id));
        for rule in enabled {
            let obligations = rule.obligations.as_deref().unwrap_or_default();
            let compiled = Rule {
                document,
                name: compact_str::format_compact!("{}/{}", source.id, rule.id),
                matcher: Matcher::compile(&rule.r#match),
                effect: rule.effect.max(least_effect(obligations)),
                overrides: rule.r#override == Some(true),
                obligations: self.obligations.numbers(obligations),
                reason: rule.reason.clone(),
            };
            self.index.add(self.rules.len(), &compiled.matcher);
            self.rules.push(compiled);
        }
    }
}

impl Document {
    fn compile(source: &ScopedPolicyDocument) -> Self {
        let document = &source.document;
        let defaults = &document.defaults;
        let by_risk = |level: RiskLevel, usual: PolicyEffect| {
            defaults.by_risk.as_ref().and_then(|effects| effects.get(&level)).copied().unwrap_or(usual)
        };
        Self {
            id: source.id.clone(),
            on_unknown_action: defaults.on_unknown_action,
            on_no_match: defaults.on_no_match.unwrap_or(PolicyEffect::Allow),
            by_risk: [
                by_risk(RiskLevel::Safe, PolicyEffect::Allow),
                by_risk(RiskLevel::Confirm, PolicyEffect::Confirm),
                by_risk(RiskLevel::Blocked, PolicyEffect::Deny),
            ],
            on_missing_grant: match defaults.on_missing_grant {
                Some(OnMissingGrant::Confirm) => PolicyEffect::Confirm,
                Some(OnMissingGrant::Handoff) => PolicyEffect::Handoff,
                Some(OnMissingGrant::Deny) | None => PolicyEffect::Deny,
            },
            on_error: match defaults.on_error {
                Some(OnError::Handoff) => PolicyEffect::Handoff,
                Some(OnError::Deny) | None => PolicyEffect::Deny,
            },
            table: Table::compile(document.grants.as_deref().unwrap_or_default()),
            audit: document.audit.clone(),
            handoff: document.handoff.clone(),
            redaction: defaults.redaction,
            redactions: document.redaction.iter().flatten().map(Redaction::compile).collect(),
        }
    }

    /// What holds at that level by default.
    pub(crate) fn by_risk(&self, level: RiskLevel) -> PolicyEffect {
        let [safe, confirm, blocked] = self.by_risk;
        match level {
            RiskLevel::Safe => safe,
            RiskLevel::Confirm => confirm,
            RiskLevel::Blocked => blocked,
        }
    }
}

impl Redaction {
    fn compile(rule: &RedactionRule) -> Self {
        Self {
            matcher: Matcher::compile(&rule.r#match),
            mode: rule.mode,
            paths: rule.paths.clone(),
            replacement: rule.replacement.clone(),
        }
    }
}

fn rules(source: &ScopedPolicyDocument) -> impl Iterator<Item = &PolicyRule> {
    source.document.rules.iter().flatten()
}

/// The document that holds where none is given.
fn built_in() -> ScopedPolicyDocument {
    let defaults = PolicyDefaults {
        on_unknown_action: PolicyEffect::Deny,
        on_no_match: None,
        by_risk: None,
        on_missing_grant: None,
        on_error: None,
        redaction: None,
    };
    let document = PolicyDocument {
        model_version: ModelVersion::V01,
        id: None,
        revision: None,
        defaults,
        grants: None,
        rules: None,
        redaction: None,
        audit: None,
        handoff: None,
        metadata: None,
    };
    ScopedPolicyDocument { id: "built-in".into(), selector: None, document }
}

/// Short enough to be copied into every decision without an allocation.
fn revision(active: &[&ScopedPolicyDocument]) -> CompactString {
    let digest = uiap_model::digest::digest(&active);
    let hex = digest.as_ref().map_or("", |digest| digest.as_str().trim_start_matches("sha256:"));
    compact_str::format_compact!("p-{}", hex.get(..16).unwrap_or(hex))
}

fn read(value: &Value) -> Result<ScopedPolicyDocument, Vec<Problem>> {
    if value.get("document").is_some() {
        return decode::<ScopedPolicyDocument>(value, Strictness::Authored);
    }
    let document = decode::<PolicyDocument>(value, Strictness::Authored)?;
    let id = document.id.clone().unwrap_or_else(|| NAMELESS.into());
    Ok(ScopedPolicyDocument { id, selector: None, document })
}

/// What the form cannot say. Pointers are relative to the document; with several, its number comes first.
fn check(sources: &[ScopedPolicyDocument]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let mut found = source.document.check();
        for (list, at, source) in matches(&source.document) {
            let prefix = format!("/{list}/{at}/match");
            found.extend(matcher::check(source).into_iter().map(|problem| problem.under(&prefix)));
        }
        if sources.iter().take(number).any(|earlier| earlier.id == source.id) {
            found.push(Problem::error(
                SAME_POLICY,
                "/id",
                format!("`{}` is the name of two policies", source.id),
            ));
        }
        if sources.len() > 1 {
            let prefix = format!("/{number}");
            problems.extend(found.into_iter().map(|problem| problem.under(&prefix)));
        } else {
            problems.append(&mut found);
        }
    }
    problems
}

fn matches(
    document: &PolicyDocument,
) -> impl Iterator<Item = (&'static str, usize, &uiap_model::policy::PolicyMatch)> {
    let rules = document.rules.iter().flatten().enumerate().map(|(at, rule)| ("rules", at, &rule.r#match));
    let redaction = document.redaction.iter().flatten().enumerate();
    rules.chain(redaction.map(|(at, rule)| ("redaction", at, &rule.r#match)))
}
