//! `uiap policy explain`.

use serde_json::{Map, Value, json};
use uiap_model::capability::PrimitiveActionType;
use uiap_model::problem::Problem;
use uiap_policy::Explanation;
use uiap_policy::table::Question;

use super::build_context;
use super::file::{Refused, load_policies};
use crate::cli::PolicyExplain;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

pub(crate) fn run(args: &PolicyExplain, terminal: &Terminal) -> anyhow::Result<Result<Exit, Refused>> {
    let question =
        Question::from_values(&request(args)?, &situation(args)).map_err(|problems| wrong(&problems))?;
    let policies = match load_policies(&args.policies, &build_context(&args.context)) {
        Ok(policies) => policies,
        Err(refused) => return Ok(Err(refused)),
    };
    let explanation = question.explain(&policies);
    if terminal.json {
        Terminal::data(&format!("{:#}\n", serde_json::to_value(&explanation)?))?;
    } else {
        Terminal::data(&describe(&explanation, terminal))?;
    }
    Ok(Ok(Exit::Ok))
}

fn describe(explanation: &Explanation, terminal: &Terminal) -> String {
    let mut lines = explanation.lines().into_iter();
    let effect = lines.next().unwrap_or_default();
    let mut text = format!("{}\n", terminal.strong(&effect));
    for line in lines {
        text.push_str(&format!("{line}\n"));
    }
    let obligations = &explanation.decision.obligations;
    if !obligations.is_empty() {
        let list: Vec<String> =
            obligations.iter().filter_map(|each| serde_json::to_string(each).ok()).collect();
        text.push_str(&format!("  obligations: {}\n", list.join(", ")));
    }
    text
}

fn wrong(problems: &[Problem]) -> Failure {
    let told: Vec<String> = problems.iter().map(|problem| problem.message.clone()).collect();
    let help = problems.iter().find_map(|problem| problem.help.clone());
    Failure { exit: Exit::Usage, message: format!("the question is wrong: {}", told.join("; ")), hint: help }
}

/// What the agent says: who it is and what it wants.
fn request(args: &PolicyExplain) -> anyhow::Result<Value> {
    let Some((kind, id)) = args.principal.split_once(':').filter(|(_, id)| !id.is_empty()) else {
        return Err(Failure {
            exit: Exit::Usage,
            message: format!("`{}` is not TYPE:ID", args.principal),
            hint: Some("for example `--principal agent:helper`".to_owned()),
        }
        .into());
    };
    let mut request = Map::new();
    let roles = &args.principal_roles;
    request
        .insert("principal".into(), json!({ "type": kind, "id": id, "grants": args.grants, "roles": roles }));
    request.insert("actionId".into(), json!(args.action));
    insert(&mut request, "interactionMode", args.interaction_mode.as_ref());
    insert(&mut request, "executionMode", args.execution_mode.as_ref());
    Ok(Value::Object(request))
}

/// What the app says.
fn situation(args: &PolicyExplain) -> Value {
    let mut situation = Map::new();
    insert(&mut situation, "routeId", args.route.as_ref());
    insert(&mut situation, "scopeId", args.scope.as_ref());
    insert(&mut situation, "workflowId", args.workflow.as_ref());
    situation.insert("opaqueTarget".into(), json!(args.opaque));
    if args.risk.is_some() || args.side_effect.is_some() || !args.risk_tags.is_empty() {
        situation.insert("descriptor".into(), descriptor(args));
    }
    if args.role.is_some() || args.stable_id.is_some() || !args.data_classes.is_empty() {
        situation.insert("element".into(), element(args));
    }
    Value::Object(situation)
}

fn descriptor(args: &PolicyExplain) -> Value {
    let is_primitive = PrimitiveActionType::parse(&args.action).is_some();
    let mut risk = Map::new();
    risk.insert("level".into(), json!(args.risk.as_deref().unwrap_or("safe")));
    insert_list(&mut risk, "tags", &args.risk_tags);
    let mut descriptor = Map::new();
    descriptor.insert("id".into(), json!(args.action));
    descriptor.insert("kind".into(), json!(if is_primitive { "primitive" } else { "domain" }));
    descriptor.insert("targetKinds".into(), json!(["element", "none"]));
    descriptor.insert("executionModes".into(), json!(["semanticUi"]));
    descriptor.insert("risk".into(), Value::Object(risk));
    if let Some(effect) = &args.side_effect {
        descriptor.insert("metadata".into(), json!({ "sideEffect": effect }));
    }
    Value::Object(descriptor)
}

fn element(args: &PolicyExplain) -> Value {
    let mut element = Map::new();
    element.insert("instanceId".into(), json!("target"));
    element.insert("role".into(), json!(args.role.as_deref().unwrap_or("custom")));
    element.insert("affordances".into(), json!([]));
    element.insert("state".into(), json!({}));
    element.insert("web".into(), json!({ "attached": true }));
    element.insert("source".into(), json!("registry"));
    insert(&mut element, "stableId", args.stable_id.as_ref());
    insert_list(&mut element, "dataClasses", &args.data_classes);
    Value::Object(element)
}

fn insert_list(members: &mut Map<String, Value>, key: &str, values: &[String]) {
    if !values.is_empty() {
        members.insert(key.into(), json!(values));
    }
}

fn insert(members: &mut Map<String, Value>, key: &str, value: Option<&String>) {
    if let Some(value) = value {
        members.insert(key.into(), json!(value));
    }
}
