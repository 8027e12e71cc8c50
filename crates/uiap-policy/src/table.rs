//! Tables of questions and expected answers: how owners of a policy test it.

use compact_str::CompactString;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uiap_model::authoring::ElementBinding;
use uiap_model::capability::ActionDescriptor;
use uiap_model::parse::decode;
use uiap_model::policy::{PolicyEffect, PolicyGrant, PolicyReason, PolicyRequest};
use uiap_model::problem::{Code, Problem};
use uiap_model::shape::Strictness;
use uiap_model::web::ElementNode;

use crate::explain::Explanation;
use crate::policies::Policies;
use crate::situation::{Limits, Situation};

/// A table that cannot be read.
pub const BAD_TABLE: Code = Code("UIAP-P005");

/// Questions and expected answers.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "a table with `cases`")]
pub struct PolicyTestTable {
    /// Files of the policies that are asked, relative to the table's own file.
    #[serde(default)]
    pub policies: Vec<String>,
    /// Members that every request has unless it says otherwise, such as the principal.
    #[serde(default)]
    pub base: Map<String, Value>,
    /// The questions.
    pub cases: Vec<PolicyTestCase>,
}

/// A question and its expected answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "a case with `name`, `request` and `expect`"
)]
pub struct PolicyTestCase {
    /// What the case shows.
    pub name: CompactString,
    /// What is asked, on top of `base`.
    pub request: Map<String, Value>,
    /// What the app side knows.
    #[serde(default)]
    pub situation: TestSituation,
    /// What must come out.
    pub expect: Expectation,
}

/// What the app side knows, in a form that can be written down.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "a situation")]
pub struct TestSituation {
    descriptor: Option<ActionDescriptor>,
    binding: Option<ElementBinding>,
    element: Option<ElementNode>,
    route_id: Option<CompactString>,
    scope_id: Option<CompactString>,
    workflow_id: Option<CompactString>,
    #[serde(default)]
    opaque_target: bool,
    #[serde(default)]
    closed_shadow: bool,
    #[serde(default)]
    user_activation: bool,
}

/// What must come out; only what is written is compared.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "what must come out, with `effect`")]
pub struct Expectation {
    /// The effect.
    pub effect: PolicyEffect,
    /// All reasons.
    pub reasons: Option<Vec<PolicyReason>>,
    /// All matching rules.
    pub matched_rules: Option<Vec<CompactString>>,
    /// All missing grants; `[]` for none.
    pub missing_grants: Option<Vec<PolicyGrant>>,
}

/// What became of a table.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TableReport {
    /// Cases that came out as expected.
    pub passed: usize,
    /// All of them, in their order.
    pub cases: Vec<CaseReport>,
    /// The others.
    pub mismatches: Vec<Mismatch>,
}

/// What became of a case.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaseReport {
    /// The case.
    pub case: CompactString,
    /// What was asked for.
    pub action_id: CompactString,
    /// What must come out.
    pub expected: PolicyEffect,
    /// What came out.
    pub found: PolicyEffect,
    /// Whether everything that was expected held, beside the effect too.
    pub passed: bool,
}

/// A case that came out otherwise.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Mismatch {
    /// The case.
    pub case: CompactString,
    /// What differs, one line each.
    pub differences: Vec<String>,
    /// Why it came out so.
    pub explanation: Explanation,
}

impl TestSituation {
    fn view(&self) -> Situation<'_> {
        Situation {
            descriptor: self.descriptor.as_ref(),
            binding: self.binding.as_ref(),
            element: self.element.as_ref(),
            route_id: self.route_id.as_deref(),
            scope_id: self.scope_id.as_deref(),
            execution_mode: None,
            workflow_id: self.workflow_id.as_deref(),
            limits: Limits {
                opaque_target: self.opaque_target,
                closed_shadow: self.closed_shadow,
                user_activation: self.user_activation,
            },
        }
    }
}

/// One question without an expected answer.
#[derive(Clone, Debug)]
pub struct Question {
    request: PolicyRequest,
    situation: TestSituation,
}

impl Question {
    /// Reads a question: what is asked, and what the app side knows in the form of a table's `situation`.
    pub fn from_values(request: &Value, situation: &Value) -> Result<Self, Vec<Problem>> {
        let request = decode(request, Strictness::Authored).map_err(|problems| {
            problems.into_iter().map(|each| each.under("/request")).collect::<Vec<_>>()
        })?;
        let situation = uiap_model::json::read(situation).map_err(|error| {
            vec![Problem::error(BAD_TABLE, "/situation", format!("no situation: {error}"))]
        })?;
        Ok(Self { request, situation })
    }

    /// The answer and everything that led to it.
    pub fn explain(&self, policies: &Policies) -> Explanation {
        policies.explain("question".into(), &self.request, &self.situation.view())
    }
}

impl PolicyTestTable {
    /// Reads a table.
    pub fn from_value(value: &Value) -> Result<Self, Vec<Problem>> {
        let table: Self = uiap_model::json::read(value)
            .map_err(|error| vec![Problem::error(BAD_TABLE, "", format!("no table of cases: {error}"))])?;
        let problems: Vec<Problem> =
            (0..table.cases.len()).filter_map(|index| table.request(index).err()).flatten().collect();
        if problems.is_empty() { Ok(table) } else { Err(problems) }
    }

    /// Asks every question.
    pub fn run(&self, policies: &Policies) -> Result<TableReport, Vec<Problem>> {
        let mut report = TableReport { passed: 0, cases: Vec::new(), mismatches: Vec::new() };
        for (index, case) in self.cases.iter().enumerate() {
            let request = self.request(index)?;
            let id = compact_str::format_compact!("case-{}", index + 1);
            let explanation = policies.explain(id, &request, &case.situation.view());
            let differences = case.expect.differences(&explanation);
            report.cases.push(CaseReport {
                case: case.name.clone(),
                action_id: request.action_id.as_str().into(),
                expected: case.expect.effect,
                found: explanation.decision.effect,
                passed: differences.is_empty(),
            });
            if differences.is_empty() {
                report.passed += 1;
            } else {
                report.mismatches.push(Mismatch { case: case.name.clone(), differences, explanation });
            }
        }
        Ok(report)
    }

    fn request(&self, index: usize) -> Result<PolicyRequest, Vec<Problem>> {
        let mut members = self.base.clone();
        if let Some(case) = self.cases.get(index) {
            members.extend(case.request.clone());
        }
        decode(&Value::Object(members), Strictness::Authored).map_err(|problems| {
            let prefix = format!("/cases/{index}/request");
            problems.into_iter().map(|problem| problem.under(&prefix)).collect()
        })
    }
}

impl Expectation {
    fn differences(&self, explanation: &Explanation) -> Vec<String> {
        let found = &explanation.decision;
        let mut differences = Vec::new();
        let mut compare = |what: &str, expected: String, found: String| {
            if expected != found {
                differences.push(format!("expected {what} {expected}, found {found}"));
            }
        };
        compare("effect", format!("`{}`", self.effect), format!("`{}`", found.effect));
        if let Some(reasons) = &self.reasons {
            compare("reasons", listed(reasons), listed(&found.reasons));
        }
        if let Some(rules) = &self.matched_rules {
            compare("rules", listed(rules), listed(&found.matched_rules));
        }
        if let Some(grants) = &self.missing_grants {
            compare(
                "missing grants",
                listed(grants),
                listed(found.missing_grants.as_deref().unwrap_or_default()),
            );
        }
        differences
    }
}

/// Names in an order of their own, so that only content counts.
fn listed<T: ToString>(names: &[T]) -> String {
    let mut names: Vec<String> = names.iter().map(|name| format!("`{}`", name.to_string())).collect();
    names.sort_unstable();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
