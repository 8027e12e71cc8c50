//! Tasks that forms and dialogs suggest: what is asked for, how one gets there, how success would be seen.
//! Spec: discovery-mapper §11.7.

use std::collections::{BTreeMap, BTreeSet};

use compact_str::CompactString;
use uiap_model::capability::{ArgType, SuccessSignal, TargetRef, UIRole};
use uiap_model::discovery::catalog::{
    DiscoveredWorkflowCandidate, FindingReviewState, SkeletonStepType, WorkflowCandidateCatalog,
    WorkflowStepSkeleton,
};
use uiap_model::discovery::{EvidenceRef, EvidenceSource};
use uiap_model::names::{ActionId, ScopeId, StableId, TargetText};
use uiap_model::policy::SideEffectClass;
use uiap_model::web::ScopeKind;
use uiap_model::workflow::{WorkflowCategory, WorkflowCondition, WorkflowParameter};

use super::action::Context;
use super::element::{ElementKey, Named, data_classes};
use super::evidence::{Book, Support};
use super::name::{camel, unique};
use super::transition::{Edge, target};
use super::{filled, metadata, signal};
use crate::safety::lexicon;

/// The workflows, and what each of them lacks.
pub(crate) struct Workflows {
    pub(crate) catalog: WorkflowCandidateCatalog,
    pub(crate) facts: Vec<WorkflowFact>,
}

/// A workflow as a review sees it.
pub(crate) struct WorkflowFact {
    pub(crate) id: CompactString,
    pub(crate) title: String,
    pub(crate) lacks: Vec<&'static str>,
    pub(crate) route: Option<CompactString>,
    pub(crate) scope: CompactString,
    pub(crate) evidence: Vec<EvidenceRef>,
}

pub(crate) fn workflows(context: &Context<'_>, book: &mut Book) -> Workflows {
    let mut workflows = Vec::new();
    let mut facts = Vec::new();
    let mut taken = BTreeSet::new();
    for (id, scope) in &context.survey.scopes {
        let kind = matches!(scope.kind, ScopeKind::Form | ScopeKind::Dialog | ScopeKind::Drawer);
        if kind
            && context.kept.contains(id)
            && let Some(task) = Task::of(context, id)
        {
            let (workflow, fact) = task.write(context, book, &mut taken);
            workflows.push(workflow);
            facts.push(fact);
        }
    }
    workflows.sort_by(|a, b| a.id.cmp(&b.id));
    facts.sort_by(|a, b| a.id.cmp(&b.id));
    Workflows { catalog: WorkflowCandidateCatalog { workflows }, facts }
}

/// Something that a form is there for.
struct Task<'a> {
    scope: &'a CompactString,
    inputs: Vec<&'a Named<'a>>,
    submit: &'a Named<'a>,
    opening: Option<&'a Edge>,
    route: Option<CompactString>,
}

impl<'a> Task<'a> {
    fn of(context: &Context<'a>, scope: &'a CompactString) -> Option<Self> {
        let here: Vec<&Named<'a>> =
            context.named.iter().filter(|named| named.found.scopes.contains(scope)).collect();
        let inputs: Vec<&Named<'a>> = here
            .iter()
            .copied()
            .filter(|named| named.role.is_field() && named.found.ever_enabled && !named.found.repeats)
            .filter(|named| named.found.ever_editable && named.role != UIRole::Searchbox)
            .collect();
        let submit = here
            .iter()
            .copied()
            .filter(|named| named.role == UIRole::Button && sends(named))
            .max_by_key(|named| named.found.affordances.contains("submit"))?;
        if inputs.is_empty() {
            return None;
        }
        let place = context.survey.scopes.get(scope)?.places.iter().next()?;
        let route = context.routes.id(place).map(CompactString::from);
        let opening = opening(context, scope);
        Some(Self { scope, inputs, submit, opening, route })
    }

    fn name(&self, context: &Context<'_>) -> String {
        let scope = context.survey.scopes.get(self.scope).and_then(|scope| scope.names.iter().next());
        let button = self.submit.found.names.iter().next();
        let is_sentence = |name: &&CompactString| lexicon::split(name).len() > 1;
        scope
            .filter(is_sentence)
            .map(ToString::to_string)
            .or_else(|| button.cloned())
            .or_else(|| scope.map(ToString::to_string))
            .unwrap_or_default()
    }

    fn signals(&self, context: &Context<'_>) -> Vec<SuccessSignal> {
        let own = self.submit.found.actions.iter().filter_map(|id| context.survey.actions.get(id));
        let mut signals: Vec<SuccessSignal> =
            own.flat_map(|(action, ..)| action.success.clone().unwrap_or_default()).collect();
        signals.extend(self.submit.found.success.iter().cloned());
        if signals.is_empty() {
            signals = signal::common(self.executed(context).map(|edge| edge.signals.as_slice()));
        }
        signal::tidy(&signals, context.routes)
    }

    fn executed<'b>(&'b self, context: &Context<'b>) -> impl Iterator<Item = &'b Edge> {
        context.edges.iter().filter(|edge| edge.element.as_ref() == Some(self.submit.key))
    }

    fn write(
        &self,
        context: &Context<'_>,
        book: &mut Book,
        taken: &mut BTreeSet<String>,
    ) -> (DiscoveredWorkflowCandidate, WorkflowFact) {
        let title = self.name(context);
        let action = self.submit.found.actions.iter().find(|id| !id.starts_with("ui.")).cloned();
        let base = match (&action, &self.route) {
            (Some(action), _) => format!("candidate.{action}"),
            (None, Some(route)) => format!("candidate.{route}.{}", camel(&title)),
            (None, None) => format!("candidate.{}", camel(&title)),
        };
        let id = CompactString::from(unique(base.trim_end_matches('.'), taken));
        let signals = self.signals(context);
        let parameters = parameters(&self.inputs);
        let lacks = self.lacks(&title, &signals);
        let mut evidence = book.all(&self.submit.found.seen);
        if let Some((action, ..)) = action.as_ref().and_then(|id| context.survey.actions.get(id)) {
            evidence.push(book.told(EvidenceSource::AppRegistry, action.id.as_str()));
        }
        let chain: Vec<&Edge> = self.opening.into_iter().chain(self.executed(context)).collect();
        evidence
            .extend(chain.iter().map(|edge| book.happened(EvidenceSource::Transition, &edge.id, &edge.from)));
        let executed = self.executed(context).next().is_some();
        let support =
            Support { worked: executed, indicators: 1 + usize::from(lacks.is_empty()), ..Support::default() };
        let workflow = DiscoveredWorkflowCandidate {
            id: id.clone(),
            title: Some(CompactString::from(&title)).filter(|title| !title.is_empty()),
            category: Some(category(&title)),
            route_ids: self.route.clone().map(|route| vec![route]),
            entry_conditions: self
                .route
                .clone()
                .map(|route| vec![WorkflowCondition::Route { route_id: Some(route), pattern: None }]),
            required_inputs: filled(parameters.values().cloned().collect()),
            step_skeleton: self.steps(action.as_deref(), &parameters, &signals),
            success_signals: filled(signals),
            discovered_by: evidence.clone(),
            confidence: support.confidence(),
            review_state: Some(FindingReviewState::NeedsReview),
            metadata: metadata([
                ("scopeId", self.scope.as_str().into()),
                ("lastStepExecuted", executed.into()),
                ("lastStepNeverExecuted", (!executed).into()),
                ("lacks", lacks.clone().into()),
            ]),
        };
        let fact =
            WorkflowFact { id, title, lacks, route: self.route.clone(), scope: self.scope.clone(), evidence };
        (workflow, fact)
    }

    /// Spec: discovery-mapper §11.7, the five conditions.
    fn lacks(&self, title: &str, signals: &[SuccessSignal]) -> Vec<&'static str> {
        let unknown =
            self.submit.found.sign.as_ref().is_none_or(|sign| sign.class == SideEffectClass::Unknown);
        let unnamed =
            self.inputs.iter().any(|input| input.found.names.is_empty() && input.found.meanings.is_empty());
        [
            (title.is_empty(), "a goal that can be told"),
            (unnamed, "names of its inputs"),
            (signals.is_empty(), "a sign of success"),
            (unknown, "a known risk"),
        ]
        .into_iter()
        .filter(|(lacking, _)| *lacking)
        .map(|(_, what)| what)
        .collect()
    }

    fn steps(
        &self,
        action: Option<&str>,
        parameters: &BTreeMap<CompactString, WorkflowParameter>,
        signals: &[SuccessSignal],
    ) -> Vec<WorkflowStepSkeleton> {
        let step = |step_type: SkeletonStepType, id: &str, target: Option<TargetRef>| WorkflowStepSkeleton {
            step_type,
            action_id: ActionId::parse(id),
            target,
            parameter_names: None,
            signals: None,
        };
        let mut steps = Vec::new();
        if let Some(route) = self.route.as_deref().and_then(TargetText::parse) {
            steps.push(step(
                SkeletonStepType::Action,
                "nav.navigate",
                Some(TargetRef::Route { value: route }),
            ));
        }
        if let Some(edge) = self.opening {
            let to = edge.aim.as_ref().and_then(target);
            steps.push(step(SkeletonStepType::Action, edge.action_id.as_str(), to));
        }
        for input in &self.inputs {
            let name = parameter_name(input);
            if parameters.contains_key(&name) {
                let made = step(SkeletonStepType::Action, input_action(&input.role), self.reference(input));
                steps.push(WorkflowStepSkeleton { parameter_names: Some(vec![name]), ..made });
            }
        }
        steps.push(step(
            SkeletonStepType::Action,
            action.unwrap_or("ui.activate"),
            self.reference(self.submit),
        ));
        if !signals.is_empty() {
            let ensure = step(SkeletonStepType::Ensure, "", None);
            steps.push(WorkflowStepSkeleton { signals: Some(signals.to_vec()), ..ensure });
        }
        steps.push(step(SkeletonStepType::Complete, "", None));
        steps
    }

    fn reference(&self, named: &Named<'_>) -> Option<TargetRef> {
        match named.key {
            ElementKey::Stable(id) => Some(TargetRef::StableId { value: StableId::parse(id)? }),
            ElementKey::Named { .. } => Some(TargetRef::Semantic {
                role: named.role.clone(),
                name: named.found.names.iter().next().map(CompactString::from),
                scope: ScopeId::parse(self.scope)
                    .filter(|id| !id.as_str().starts_with('~') || id.as_str().contains(':')),
            }),
        }
    }
}

fn category(title: &str) -> WorkflowCategory {
    let words = lexicon::split(title);
    let about = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if about(&["register", "signup", "welcome", "onboarding", "registrieren"]) {
        WorkflowCategory::Onboarding
    } else if about(&["settings", "profile", "configure", "setup", "einstellungen", "profil", "password"]) {
        WorkflowCategory::Setup
    } else if about(&["support", "help", "feedback", "hilfe"]) {
        WorkflowCategory::Support
    } else {
        WorkflowCategory::Task
    }
}

/// Whether pressing it would send what was filled in.
fn sends(named: &Named<'_>) -> bool {
    let class = named.found.sign.as_ref().map(|sign| &sign.class);
    let writes = class.is_some_and(|class| {
        !matches!(class, SideEffectClass::None | SideEffectClass::UiOnly | SideEffectClass::Navigation)
    });
    let submits = named.found.affordances.contains("submit");
    writes && (submits || class.is_some_and(|class| *class != SideEffectClass::Unknown))
}

/// The way by which an area opens: from a state of the same place that does not show it.
fn opening<'a>(context: &Context<'a>, scope: &str) -> Option<&'a Edge> {
    let shows =
        |state: &str| context.survey.states.get(state).is_some_and(|brief| brief.scopes.contains(scope));
    let place = |state: &str| context.survey.states.get(state).map(|brief| brief.place.as_str());
    let entered = context.edges.iter().any(|edge| shows(&edge.to) && place(&edge.to) != place(&edge.from));
    let seeded = context.survey.states.values().any(|brief| brief.seeded && brief.scopes.contains(scope));
    if entered || seeded {
        return None;
    }
    context
        .edges
        .iter()
        .filter(|edge| shows(&edge.to) && !shows(&edge.from) && place(&edge.to) == place(&edge.from))
        .min_by(|a, b| a.id.cmp(&b.id))
}

fn input_action(role: &UIRole) -> &'static str {
    match role {
        UIRole::Checkbox | UIRole::Switch => "ui.toggle",
        UIRole::Combobox | UIRole::Listbox | UIRole::Radio => "ui.choose",
        UIRole::Slider => "ui.setValue",
        UIRole::Fileinput => "ui.upload",
        _ => "ui.enterText",
    }
}

fn parameter_name(input: &Named<'_>) -> CompactString {
    let words = input
        .found
        .names
        .iter()
        .next()
        .or(None)
        .cloned()
        .or_else(|| input.found.meanings.iter().next().map(ToString::to_string));
    let name = camel(&words.unwrap_or_default());
    CompactString::from(if name.is_empty() { "value".to_owned() } else { name })
}

fn parameters(inputs: &[&Named<'_>]) -> BTreeMap<CompactString, WorkflowParameter> {
    let mut parameters = BTreeMap::new();
    for input in inputs {
        let found = &input.found;
        let options: Vec<CompactString> =
            found.options.iter().filter(|option| !option.is_empty()).map(CompactString::from).collect();
        let choice = matches!(input.role, UIRole::Combobox | UIRole::Listbox) && !options.is_empty();
        let parameter_type = match input.role {
            UIRole::Checkbox | UIRole::Switch => ArgType::Boolean,
            UIRole::Spinbutton | UIRole::Slider => ArgType::Number,
            _ if choice => ArgType::Enum,
            _ => ArgType::String,
        };
        parameters.entry(parameter_name(input)).or_insert_with_key(|name| WorkflowParameter {
            name: name.clone(),
            parameter_type,
            required: found.required.then_some(true),
            title: None,
            description: None,
            values: choice.then_some(options),
            default: None,
            pattern: None,
            min: None,
            max: None,
            max_length: None,
            data_classes: filled(data_classes(found)),
            sources: None,
            from: None,
        });
    }
    parameters
}
