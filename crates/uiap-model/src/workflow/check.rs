//! What must hold in a workflow beyond its form: every step leads somewhere, and one of them to the end.

use std::collections::{BTreeMap, HashMap, HashSet};

use compact_str::CompactString;

use crate::pointer::escape;
use crate::problem::{Code, Problem};
use crate::suggest;
use crate::workflow::definition::WorkflowDefinition;
use crate::workflow::step::{StepBody, WorkflowStep, WorkflowValue};

/// Two steps of one id.
pub const SAME_STEP: Code = Code("UIAP-M120");
/// A step that is not there.
pub const UNKNOWN_STEP: Code = Code("UIAP-M121");
/// A step without a way on.
pub const DEAD_END: Code = Code("UIAP-M122");
/// No way to the end.
pub const NO_END: Code = Code("UIAP-M123");
/// A parameter that is used and not declared.
pub const UNKNOWN_PARAMETER: Code = Code("UIAP-M124");
/// A circle that nothing can leave.
pub const ENDLESS: Code = Code("UIAP-M125");
/// A check that checks nothing.
pub const EMPTY_ENSURE: Code = Code("UIAP-M126");
/// A step that is never reached.
pub const UNREACHABLE: Code = Code("UIAP-M127");

/// Everything that is wrong.
pub fn check(workflow: &WorkflowDefinition) -> Vec<Problem> {
    let ids = workflow.steps.iter().map(|step| step.base.id.as_str());
    let mut problems: Vec<Problem> = crate::document::duplicates("/steps", "id", SAME_STEP, ids).collect();
    let steps: HashMap<&str, usize> =
        workflow.steps.iter().enumerate().map(|(index, step)| (step.base.id.as_str(), index)).collect();
    if !steps.contains_key(workflow.initial_step_id.as_str()) {
        problems.push(unknown_step("/initialStepId".into(), &workflow.initial_step_id, &steps));
    }
    for (index, step) in workflow.steps.iter().enumerate() {
        let at = format!("/steps/{index}");
        check_ways(step, &at, &steps, &mut problems);
        check_parameters(workflow, step, &at, &mut problems);
        if let StepBody::Ensure { conditions, signals, .. } = &step.body
            && conditions.iter().flatten().next().is_none()
            && signals.iter().flatten().next().is_none()
        {
            problems.push(
                Problem::error(EMPTY_ENSURE, at, format!("step `{}` checks nothing", step.base.id))
                    .help("add `conditions` or `signals`"),
            );
        }
    }
    if crate::problem::acceptable(&problems) {
        check_reach(workflow, &steps, &mut problems);
    }
    problems
}

/// Where a step leads, with the member that says so.
fn ways(step: &WorkflowStep) -> Vec<(String, &str)> {
    let mut out = Vec::new();
    if let StepBody::Branch { cases, otherwise } = &step.body {
        out.extend(
            cases.iter().enumerate().map(|(at, case)| (format!("/cases/{at}/next"), case.next.as_str())),
        );
        out.push(("/otherwise".to_owned(), otherwise.as_str()));
    }
    out.extend(step.base.next.as_deref().map(|next| ("/next".to_owned(), next)));
    let recovery = step.base.recovery.iter().flatten().enumerate();
    out.extend(
        recovery.filter_map(|(at, rule)| Some((format!("/recovery/{at}/goto"), rule.goto.as_deref()?))),
    );
    out
}

fn check_ways(step: &WorkflowStep, at: &str, steps: &HashMap<&str, usize>, problems: &mut Vec<Problem>) {
    for (member, target) in ways(step) {
        if !steps.contains_key(target) {
            problems.push(unknown_step(format!("{at}{member}"), target, steps));
        }
    }
    let ends = matches!(step.body, StepBody::Branch { .. } | StepBody::Complete { .. });
    if !ends && step.base.next.is_none() {
        problems.push(
            Problem::error(DEAD_END, at, format!("step `{}` has no `next`", step.base.id))
                .help("every step but `branch` and `complete` says where it goes on"),
        );
    }
}

fn check_parameters(
    workflow: &WorkflowDefinition,
    step: &WorkflowStep,
    at: &str,
    problems: &mut Vec<Problem>,
) {
    let declared: Vec<&str> = workflow.parameters.iter().flatten().map(|each| each.name.as_str()).collect();
    let used: Vec<(String, &str)> = match &step.body {
        StepBody::Collect { parameters, prefill } => {
            let listed = parameters.iter().enumerate();
            let listed = listed.map(|(index, name)| (format!("{at}/parameters/{index}"), name.as_str()));
            listed.chain(prefill.iter().flat_map(|map| used_in(map, at, "prefill"))).collect()
        }
        StepBody::Action { args: Some(map), .. } => used_in(map, at, "args"),
        _ => Vec::new(),
    };
    for (place, name) in used.into_iter().filter(|(_, name)| !declared.contains(name)) {
        let problem = Problem::error(UNKNOWN_PARAMETER, place, format!("parameter `{name}` is not declared"))
            .related("/parameters", "not in this list");
        problems.push(match suggest::nearest(name, declared.iter().copied()) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem.help("declare it in `parameters`"),
        });
    }
}

/// The parameters that a map of values reads.
fn used_in<'a>(
    map: &'a BTreeMap<CompactString, WorkflowValue>,
    at: &str,
    member: &str,
) -> Vec<(String, &'a str)> {
    let params = map.iter().filter_map(|(key, value)| match value {
        WorkflowValue::Param(value) => Some((key, value.param.as_str())),
        _ => None,
    });
    params.map(|(key, name)| (format!("{at}/{member}/{}/param", escape(key)), name)).collect()
}

fn check_reach(workflow: &WorkflowDefinition, steps: &HashMap<&str, usize>, problems: &mut Vec<Problem>) {
    let mut reached: HashSet<&str> = HashSet::new();
    let mut open = vec![workflow.initial_step_id.as_str()];
    while let Some(id) = open.pop() {
        if reached.insert(id)
            && let Some(step) = steps.get(id).and_then(|index| workflow.steps.get(*index))
        {
            open.extend(ways(step).into_iter().map(|(_, next)| next));
        }
    }
    let ends = |step: &WorkflowStep| matches!(step.body, StepBody::Complete { .. });
    if !workflow.steps.iter().any(|step| ends(step) && reached.contains(step.base.id.as_str())) {
        problems.push(
            Problem::error(NO_END, "/steps", "no `complete` step can be reached")
                .help("add a step of type `complete` and lead to it"),
        );
    }
    for (index, step) in workflow.steps.iter().enumerate() {
        if !reached.contains(step.base.id.as_str()) {
            problems.push(Problem::warning(
                UNREACHABLE,
                format!("/steps/{index}"),
                format!("step `{}` is never reached", step.base.id),
            ));
        }
    }
    check_circles(workflow, steps, problems);
}

/// A circle needs a step that waits for a person or decides anew; otherwise it never ends.
fn check_circles(workflow: &WorkflowDefinition, steps: &HashMap<&str, usize>, problems: &mut Vec<Problem>) {
    let breaks = |step: &WorkflowStep| match &step.body {
        StepBody::Collect { .. } | StepBody::Handoff { .. } | StepBody::Branch { .. } => true,
        StepBody::Instruction { acknowledge, .. } => *acknowledge == Some(true),
        _ => false,
    };
    for (index, step) in workflow.steps.iter().enumerate().filter(|(_, step)| !breaks(step)) {
        let mut seen = HashSet::new();
        let mut at = step.base.next.as_deref();
        while let Some(id) = at {
            if id == step.base.id {
                problems.push(
                    Problem::error(
                        ENDLESS,
                        format!("/steps/{index}/next"),
                        format!("step `{id}` leads back to itself"),
                    )
                    .help("put a step into the circle that waits for a person, or a branch"),
                );
                return;
            }
            let next = steps.get(id).and_then(|index| workflow.steps.get(*index));
            at = next
                .filter(|next| !breaks(next) && seen.insert(id))
                .and_then(|next| next.base.next.as_deref());
        }
    }
}

fn unknown_step(at: String, id: &str, steps: &HashMap<&str, usize>) -> Problem {
    let mut names: Vec<&str> = steps.keys().copied().collect();
    names.sort_unstable();
    let problem = Problem::error(UNKNOWN_STEP, at, format!("there is no step `{id}`"));
    match suggest::nearest(id, names.iter().copied()) {
        Some(near) => problem.help(format!("did you mean `{near}`?")),
        None => problem.help(format!("expected {}", crate::shape::inspect::list(&names))),
    }
}
