//! What can be done: primitives, actions of the app, and controls that look like one. Spec: discovery-mapper §15.4.

use std::collections::{BTreeMap, BTreeSet};

use compact_str::CompactString;
use uiap_model::capability::{
    ActionArgDescriptor, ArgType, PrimitiveActionType, RiskDescriptor, RiskLevel, SuccessSignal, UIRole,
};
use uiap_model::discovery::catalog::{
    ActionCatalog, ActionReviewState, ActionTargetPattern, DiscoveredAction, DiscoveredActionKind,
};
use uiap_model::discovery::{Confidence, EvidenceRef, EvidenceSource};
use uiap_model::names::{ActionId, ScopeId, StableId};
use uiap_model::policy::SideEffectClass;

use super::element::{self, ElementKey, Named};
use super::evidence::{Book, Sightings, Support};
use super::name::{camel, unique};
use super::route::Routes;
use super::survey::Survey;
use super::transition::Edge;
use super::{filled, metadata, signal};
use crate::safety::{class_of_risk, gravity, is_grave};

/// The actions, and what a review has to know of them.
pub(crate) struct Actions {
    pub(crate) catalog: ActionCatalog,
    pub(crate) facts: Vec<ActionFact>,
}

/// An action as a review sees it.
pub(crate) struct ActionFact {
    pub(crate) id: CompactString,
    pub(crate) name: String,
    pub(crate) kind: DiscoveredActionKind,
    pub(crate) class: SideEffectClass,
    pub(crate) because: String,
    /// Whether only words and looks speak for it.
    pub(crate) guessed: bool,
    pub(crate) has_signal: bool,
    /// Whether it was seen to open a question before anything is done.
    pub(crate) asks_first: bool,
    pub(crate) routes: Vec<CompactString>,
    pub(crate) scope: Option<CompactString>,
    pub(crate) stable_id: Option<CompactString>,
    pub(crate) evidence: Vec<EvidenceRef>,
}

pub(crate) struct Context<'a> {
    pub(crate) survey: &'a Survey,
    pub(crate) named: &'a [Named<'a>],
    pub(crate) routes: &'a Routes,
    pub(crate) edges: &'a [Edge],
    pub(crate) kept: &'a BTreeSet<CompactString>,
}

pub(crate) fn actions(context: &Context<'_>, book: &mut Book) -> Actions {
    let mut actions: Vec<DiscoveredAction> = primitives(context, book);
    let mut facts = Vec::new();
    let mut taken: BTreeSet<String> = actions.iter().map(|action| action.id.to_string()).collect();
    domain(context, book, &mut taken, &mut actions, &mut facts);
    candidates(context, book, &mut taken, &mut actions, &mut facts);
    actions.sort_by(|a, b| a.id.cmp(&b.id));
    facts.sort_by(|a, b| a.id.cmp(&b.id));
    Actions { catalog: ActionCatalog { actions }, facts }
}

#[derive(Default)]
struct Primitive {
    patterns: BTreeMap<String, ActionTargetPattern>,
    places: BTreeSet<String>,
    scopes: BTreeSet<CompactString>,
    seen: Sightings,
    declared: bool,
}

fn primitives(context: &Context<'_>, book: &mut Book) -> Vec<DiscoveredAction> {
    let mut found: BTreeMap<&str, Primitive> = BTreeMap::new();
    for named in context.named {
        for id in element::primitives(&named.role, &named.found) {
            let entry = found.entry(id).or_default();
            let pattern = pattern(named, context.kept);
            entry.patterns.insert(serde_json::to_string(&pattern).unwrap_or_default(), pattern);
            entry.places.extend(named.found.places.iter().cloned());
            entry.scopes.extend(named.found.scopes.iter().filter(|id| context.kept.contains(*id)).cloned());
            entry.seen.merge(&named.found.seen);
            entry.declared |= named.found.seen.has(EvidenceSource::Annotation);
        }
    }
    for (id, scope) in
        context.survey.scopes.iter().filter(|(id, scope)| scope.submits && context.kept.contains(*id))
    {
        let entry = found.entry("ui.submit").or_default();
        let pattern =
            ActionTargetPattern { role: None, stable_id: None, meaning: None, scope_id: ScopeId::parse(id) };
        entry.patterns.insert(id.to_string(), pattern);
        entry.places.extend(scope.places.iter().cloned());
        entry.scopes.insert(id.clone());
        entry.seen.merge(&scope.seen);
    }
    let make = |(id, entry): (&str, Primitive), book: &mut Book| {
        let support = Support { declared: entry.declared, indicators: 2, ..Support::default() };
        Some(DiscoveredAction {
            id: ActionId::parse(id)?,
            kind: DiscoveredActionKind::Primitive,
            target_patterns: filled(entry.patterns.into_values().collect()),
            routes: filled(context.routes.ids(&entry.places)),
            scopes: filled(entry.scopes.iter().filter_map(|id| ScopeId::parse(id)).collect()),
            args: filled(args(id)),
            risk: None,
            side_effect_class: None,
            success_signals: None,
            prerequisites: None,
            discovered_by: book.all(&entry.seen),
            confidence: support.confidence(),
            review_state: Some(ActionReviewState::Candidate),
            metadata: None,
        })
    };
    found.into_iter().filter_map(|entry| make(entry, book)).collect()
}

fn args(primitive: &str) -> Vec<ActionArgDescriptor> {
    let arg = |name: &str, arg_type: ArgType| ActionArgDescriptor {
        name: name.into(),
        arg_type,
        required: Some(true),
        values: None,
        description: None,
    };
    match primitive {
        "ui.enterText" => vec![arg("text", ArgType::String)],
        "ui.choose" => vec![arg("value", ArgType::String)],
        "ui.setValue" => vec![arg("value", ArgType::Number)],
        _ => Vec::new(),
    }
}

fn pattern(named: &Named<'_>, kept: &BTreeSet<CompactString>) -> ActionTargetPattern {
    let stable_id = stable_id(named.key).and_then(StableId::parse);
    let meaning = named.found.meanings.iter().next().cloned();
    let scope = named.found.scopes.iter().find(|id| kept.contains(*id));
    ActionTargetPattern {
        role: Some(named.role.clone()),
        meaning: meaning.filter(|_| stable_id.is_none()),
        scope_id: scope.and_then(|id| ScopeId::parse(id)),
        stable_id,
    }
}

fn stable_id(key: &ElementKey) -> Option<&str> {
    match key {
        ElementKey::Stable(id) => Some(id),
        ElementKey::Named { .. } => None,
    }
}

fn is_own(id: &str) -> bool {
    PrimitiveActionType::parse(id).is_none()
}

/// What the app registered or names in its annotations.
fn domain(
    context: &Context<'_>,
    book: &mut Book,
    taken: &mut BTreeSet<String>,
    actions: &mut Vec<DiscoveredAction>,
    facts: &mut Vec<ActionFact>,
) {
    let named_ids = context.named.iter().flat_map(|named| &named.found.actions);
    let ids: BTreeSet<&CompactString> =
        context.survey.actions.keys().chain(named_ids).filter(|id| is_own(id)).collect();
    for id in ids {
        let bearers: Vec<&Named<'_>> =
            context.named.iter().filter(|named| named.found.actions.contains(id)).collect();
        let registered = context.survey.actions.get(id);
        let descriptor = registered.map(|(descriptor, ..)| descriptor);
        let mut evidence = Vec::new();
        if descriptor.is_some() {
            evidence.push(book.told(EvidenceSource::AppRegistry, id));
        }
        evidence.extend(bearers.iter().take(3).filter_map(|named| {
            named.found.seen.first_state().map(|state| book.seen(EvidenceSource::Annotation, state))
        }));
        let (tried, done): (Vec<&Edge>, Vec<&Edge>) = context
            .edges
            .iter()
            .filter(|edge| {
                edge.action_id == id.as_str()
                    || bearers.iter().any(|named| edge.element.as_ref() == Some(named.key))
            })
            .partition(|edge| edge.sealed);
        let asks_first = asks_first(&tried);
        let wrote = done.iter().any(|edge| edge.write().is_some());
        evidence.extend(
            done.iter().take(3).map(|edge| book.happened(EvidenceSource::Transition, &edge.id, &edge.from)),
        );
        let declared = descriptor.and_then(|each| each.success.clone()).unwrap_or_default();
        let annotated = bearers.iter().flat_map(|named| named.found.success.iter().cloned());
        let mut signals: Vec<SuccessSignal> = declared;
        signals.extend(annotated);
        if signals.is_empty() {
            signals = signal::common(done.iter().map(|edge| edge.signals.as_slice()));
        }
        let signals = signal::tidy(&signals, context.routes);
        let confirm = || RiskDescriptor {
            level: RiskLevel::Confirm,
            tags: None,
            reason: Some("it was seen to write".into()),
        };
        let risk = strictest(descriptor.map(|each| each.risk.clone()), &bearers)
            .filter(|risk| !wrote || risk.level > RiskLevel::Safe)
            .or_else(|| wrote.then(confirm));
        let class = bearers
            .iter()
            .filter_map(|named| named.found.sign.as_ref().map(|sign| sign.class.clone()))
            .chain(risk.as_ref().map(class_of_risk))
            .chain(wrote.then_some(SideEffectClass::DataWrite))
            .max_by_key(gravity)
            .unwrap_or(SideEffectClass::Unknown);
        let mut places: BTreeSet<String> =
            bearers.iter().flat_map(|named| named.found.places.iter().cloned()).collect();
        if bearers.is_empty() {
            places.extend(registered.iter().flat_map(|(_, _, places)| places.iter().cloned()));
        }
        let Some(action_id) = ActionId::parse(id) else { continue };
        taken.insert(id.to_string());
        let routes = context.routes.ids(&places);
        facts.push(ActionFact {
            id: id.clone(),
            name: id.to_string(),
            kind: DiscoveredActionKind::Domain,
            class: class.clone(),
            because: risk
                .as_ref()
                .map_or_else(String::new, |risk| format!("the app declares the risk `{}`", risk.level)),
            guessed: false,
            has_signal: !signals.is_empty(),
            asks_first,
            routes: routes.clone(),
            scope: bearers.first().and_then(|named| scope_of(named, context.kept)),
            stable_id: bearers.first().and_then(|named| stable_id(named.key)).map(CompactString::from),
            evidence: evidence.clone(),
        });
        actions.push(DiscoveredAction {
            id: action_id,
            kind: DiscoveredActionKind::Domain,
            target_patterns: filled(bearers.iter().map(|named| pattern(named, context.kept)).collect()),
            routes: filled(routes),
            scopes: filled(scopes_of(&bearers, context.kept)),
            args: descriptor.and_then(|each| each.args.clone()),
            risk,
            review_state: Some(review_state(&class, signals.is_empty() || wrote)),
            side_effect_class: Some(class),
            success_signals: filled(signals),
            prerequisites: None,
            discovered_by: evidence,
            confidence: Confidence::High,
            metadata: metadata([
                ("title", descriptor.and_then(|each| each.title.as_deref()).unwrap_or_default().into()),
                ("executed", (!done.is_empty()).into()),
                ("asksFirst", asks_first.into()),
            ]),
        });
    }
}

/// Whether every press where nothing could come of it opened a question.
fn asks_first(tried: &[&Edge]) -> bool {
    !tried.is_empty() && tried.iter().all(|edge| !edge.unresolved)
}

fn strictest(declared: Option<RiskDescriptor>, bearers: &[&Named<'_>]) -> Option<RiskDescriptor> {
    let by_element = bearers.iter().filter_map(|named| {
        named.found.risk.clone().or_else(|| element::risk_of(named.found.sign.as_ref()?, &named.role))
    });
    declared.into_iter().chain(by_element).max_by_key(|risk| risk.level)
}

fn scopes_of(bearers: &[&Named<'_>], kept: &BTreeSet<CompactString>) -> Vec<ScopeId> {
    let ids: BTreeSet<&CompactString> =
        bearers.iter().flat_map(|named| &named.found.scopes).filter(|id| kept.contains(*id)).collect();
    ids.into_iter().filter_map(|id| ScopeId::parse(id)).collect()
}

fn scope_of(named: &Named<'_>, kept: &BTreeSet<CompactString>) -> Option<CompactString> {
    named.found.scopes.iter().find(|id| kept.contains(*id)).cloned()
}

fn review_state(class: &SideEffectClass, silent: bool) -> ActionReviewState {
    match class {
        SideEffectClass::Destructive
        | SideEffectClass::Irreversible
        | SideEffectClass::BillingChange
        | SideEffectClass::SecurityChange => ActionReviewState::Unsafe,
        _ if silent => ActionReviewState::NeedsReview,
        _ => ActionReviewState::Candidate,
    }
}

/// Controls that were seen to do the same thing again and again, and controls that would change something and were left alone.
fn candidates(
    context: &Context<'_>,
    book: &mut Book,
    taken: &mut BTreeSet<String>,
    actions: &mut Vec<DiscoveredAction>,
    facts: &mut Vec<ActionFact>,
) {
    for named in context.named {
        let found = &named.found;
        if named.role.is_field() || named.role == UIRole::Tab || found.actions.iter().any(|id| is_own(id)) {
            continue;
        }
        let (tried, done): (Vec<&Edge>, Vec<&Edge>) = context
            .edges
            .iter()
            .filter(|edge| edge.element.as_ref() == Some(named.key))
            .partition(|edge| edge.sealed);
        let asks_first = asks_first(&tried);
        let tries: u32 = done.iter().map(|edge| edge.tries).sum();
        let agreed: u32 = done.iter().map(|edge| edge.agreed).sum();
        let signals = signal::common(done.iter().map(|edge| edge.signals.as_slice()));
        let wrote = done.iter().any(|edge| edge.write().is_some());
        let repeated = named.role != UIRole::Link && tries >= 2 && agreed == tries && !signals.is_empty();
        let Some(sign) = &found.sign else { continue };
        let changes =
            element::is_used(found) && (is_grave(&sign.class) || sign.class == SideEffectClass::DataWrite);
        let outside = sign.area == crate::safety::Area::External;
        if !(repeated || (changes && !outside && found.ever_enabled)) {
            continue;
        }
        let (id, routes) = (candidate_id(named, context.routes, taken), context.routes.ids(&found.places));
        let Some(action_id) = ActionId::parse(&id) else { continue };
        let mut evidence = book.all(&found.seen);
        evidence.extend(
            done.iter().take(3).map(|edge| book.happened(EvidenceSource::Transition, &edge.id, &edge.from)),
        );
        let guessed = !sign.declared && !repeated && !wrote;
        let support = Support {
            declared: sign.declared,
            repeated,
            worked: done.iter().any(|edge| edge.agreed > 0),
            indicators: usize::from(!guessed) + 1,
        };
        let risk = found.risk.clone().or_else(|| element::risk_of(sign, &named.role));
        facts.push(ActionFact {
            id: CompactString::from(&id),
            name: found.names.iter().next().cloned().unwrap_or_default(),
            kind: DiscoveredActionKind::Candidate,
            class: sign.class.clone(),
            because: sign.because.clone(),
            guessed,
            has_signal: !signals.is_empty() || !found.success.is_empty(),
            asks_first,
            routes: routes.clone(),
            scope: scope_of(named, context.kept),
            stable_id: stable_id(named.key).map(CompactString::from),
            evidence: evidence.clone(),
        });
        let unsafe_one = is_grave(&sign.class);
        let all: Vec<SuccessSignal> = if signals.is_empty() { found.success.clone() } else { signals };
        actions.push(DiscoveredAction {
            id: action_id,
            kind: DiscoveredActionKind::Candidate,
            target_patterns: Some(vec![pattern(named, context.kept)]),
            routes: filled(routes),
            scopes: filled(scopes_of(&[named], context.kept)),
            args: None,
            risk: risk.or_else(|| Some(RiskDescriptor { level: RiskLevel::Safe, tags: None, reason: None })),
            side_effect_class: Some(sign.class.clone()),
            review_state: Some(match (unsafe_one, guessed || wrote) {
                (true, _) => ActionReviewState::Unsafe,
                (_, true) => ActionReviewState::NeedsReview,
                _ => ActionReviewState::Candidate,
            }),
            success_signals: filled(signal::tidy(&all, context.routes)),
            prerequisites: None,
            discovered_by: evidence,
            confidence: support.confidence(),
            metadata: metadata([
                ("title", found.names.iter().next().cloned().unwrap_or_default().into()),
                ("semanticKey", named.semantic.as_str().into()),
                ("executed", (!done.is_empty()).into()),
                ("asksFirst", asks_first.into()),
                ("repeats", found.repeats.into()),
            ]),
        });
    }
}

fn candidate_id(named: &Named<'_>, routes: &Routes, taken: &mut BTreeSet<String>) -> String {
    let base = match named.key {
        ElementKey::Stable(id) if id.contains('.') => id.to_string(),
        key => {
            let label = match key {
                ElementKey::Named { label, .. } => label.trim_end_matches("-*").replace('*', "entry"),
                ElementKey::Stable(id) => id.to_string(),
            };
            let verb = camel(&label);
            let verb = if verb.is_empty() { named.role.as_str().to_owned() } else { verb };
            let area = routes.ids(&named.found.places).into_iter().next().unwrap_or_else(|| "app".into());
            format!("{area}.{verb}")
        }
    };
    let base = if is_own(&base) { base } else { format!("app.{base}") };
    unique(&base, taken)
}
