//! The wait for proof: woken by what is seen, over as soon as it is certain, one way or the other.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::Instant;
use uiap_model::capability::SuccessSignal;
use uiap_model::json::JsonObject;
use uiap_model::names::ElementInstanceId;
use uiap_model::web::evidence::Observation;
use uiap_model::web::signal::WebSignal;
use uiap_model::web::{ElementNode, PageGraph, ScopeNode};

use super::check::Check;
use super::entity::is_identified;
use super::evidence::{Evidence, PERMISSION, Place};
use super::expectation::{Combine, Expectation};
use super::facts::{Facts, Obliged, Sighted};
use super::{Surprise, Verdict};
use crate::action::FailureClass;
use crate::ambience::Ambience;
use crate::scene::{Entry, Event, Mark, Scene};
use crate::surface::{Surface, SurfaceError};

/// How long a page may take to show any reaction at all.
const REACTION: Duration = Duration::from_secs(1);
/// How long something that the app computed must stay as it is.
const HOLD: Duration = Duration::from_millis(300);
/// How long a state of the first of its kind must stay as it is.
const FIRST: Duration = Duration::from_millis(150);
/// How long an app may take to refuse a change of its route.
const VETO: Duration = Duration::from_millis(100);
/// How long a page that is not calm is watched before a change in it counts.
const DOUBT: Duration = Duration::from_millis(700);
/// How long requests that the action caused are waited for when everything else is fine.
const ANSWERS: Duration = Duration::from_secs(3);
/// How long after bad news good news may still come.
const GRACE: Duration = Duration::from_millis(500);
/// So many changes of mind are no accident.
const OSCILLATION: usize = 3;

/// What was done, and the page before it.
#[derive(Debug)]
pub(crate) struct Attempt<'a> {
    pub(crate) mark: Mark,
    pub(crate) before: &'a PageGraph,
    pub(crate) target: Option<ElementInstanceId>,
    pub(crate) check: &'a Check,
    pub(crate) expectation: &'a Expectation,
    pub(crate) ambience: Ambience,
    /// Requests that were under way already.
    pub(crate) pending_before: &'a HashSet<String>,
    pub(crate) dispatched_at: Instant,
    /// Whether the app was not seen to keep such a state yet.
    pub(crate) first_of_its_kind: bool,
    /// Whether the first look shows the app after everything that it did at once.
    pub(crate) settled: bool,
    /// Signals that the app's own function returned.
    pub(crate) custom_sources: &'a [&'a str],
    /// What the app's own function returned.
    pub(crate) returned: Option<&'a JsonObject>,
}

/// One look.
struct Glance {
    facts: Facts,
    observed: Vec<SuccessSignal>,
    missing: Vec<SuccessSignal>,
    evidence: Evidence,
    reason: Option<String>,
}

/// Looks until it is certain whether the action worked. An error means that nobody can look any more.
pub(crate) async fn verify<S: Surface>(
    surface: &S,
    scene: &Scene,
    attempt: &Attempt<'_>,
    deadline: Instant,
) -> Result<Verdict, SurfaceError> {
    let start = attempt.dispatched_at;
    let end = deadline.min(start + attempt.expectation.timeout);
    let mut seen = scene.mark();
    scene.look().await?;
    let prompt = Instant::now();
    let mut held_since: Option<Instant> = None;
    let mut flips = 0;
    let mut bad_since: Option<Instant> = None;
    let mut first = true;
    // What the browser itself holds is read twice, unless it was read late: an app may take it back at once.
    let twice = attempt.expectation.combine == Combine::Least && attempt.check.is_level() && !attempt.settled;
    let needed = if twice { 2 } else { 1 };
    let mut reads = 0;
    loop {
        if !first {
            // What a script sets without an event is seen by a look only.
            seen = scene.mark();
            scene.look().await?;
        }
        first = false;
        let graph = scene.graph();
        let entries = scene.since(attempt.mark);
        let glance = glance(surface, attempt, &entries, &graph, prompt).await?;
        let now = Instant::now();
        let pending: Vec<String> =
            surface.pending().into_iter().filter(|url| !attempt.pending_before.contains(url)).collect();
        let satisfied = glance.facts.is_satisfied();
        let verdict = |held: bool, class: Option<FailureClass>, reason: String| Verdict {
            passed: Facts { held, ..glance.facts.clone() }.verdict(),
            facts: Facts { held, ..glance.facts.clone() },
            observed: glance.observed.clone(),
            missing: glance.missing.clone(),
            surprises: glance.evidence.surprises.clone(),
            class,
            reason,
            revision: graph.revision.clone(),
            refused: glance.evidence.invalid && !glance.evidence.replaced && pending.is_empty(),
            pending: pending.clone(),
        };
        if glance.facts.is_over() {
            return Ok(verdict(
                false,
                Some(FailureClass::UnexpectedStateDelta),
                "the page crashed".to_owned(),
            ));
        }
        reads = if satisfied { reads + 1 } else { 0 };
        if satisfied && reads < needed && now < deadline {
            held_since.get_or_insert(now);
            continue;
        }
        if satisfied {
            let since = *held_since.get_or_insert(now);
            let wait = hold(attempt);
            let answered = pending.is_empty() || now >= since + ANSWERS;
            let objection = objection(attempt, &glance.evidence);
            if now >= since + wait && answered {
                return Ok(match objection {
                    Some(surprise) => verdict(true, Some(FailureClass::UnexpectedStateDelta), told(surprise)),
                    None => verdict(true, None, "seen".to_owned()),
                });
            }
            // What was seen late is watched as long as what was seen early; what is still under way is told beside.
            if now >= end.max(since + wait).min(deadline) {
                return Ok(match objection {
                    Some(surprise) => verdict(true, Some(FailureClass::UnexpectedStateDelta), told(surprise)),
                    None if now >= since + wait => {
                        verdict(true, None, "seen until the time was over".to_owned())
                    }
                    None => verdict(
                        false,
                        Some(FailureClass::VerificationTimeout),
                        "it was seen too late to be watched for as long as it must stay so".to_owned(),
                    ),
                });
            }
        } else if held_since.take().is_some() {
            flips += 1;
            if flips >= OSCILLATION {
                let reason = "what was expected comes and goes".to_owned();
                return Ok(verdict(false, Some(FailureClass::UnexpectedStateDelta), reason));
            }
        }
        let bad = !satisfied && glance.evidence.surprises.iter().any(Surprise::is_refusal);
        bad_since = if bad { bad_since.or(Some(now)) } else { None };
        let least = attempt.expectation.combine == Combine::Least;
        let in_doubt = glance.evidence.awaits_certainty();
        let no_reaction = !in_doubt && least && pending.is_empty() && !satisfied && now >= start + REACTION;
        let refuted = bad_since.is_some_and(|since| now >= since + GRACE) && pending.is_empty();
        if (now >= end && !satisfied) || no_reaction || refuted {
            let (class, reason) = failure(&glance, attempt, &pending, flips);
            return Ok(verdict(false, Some(class), reason));
        }
        let end = if satisfied { deadline } else { end };
        let next = next_wake(now, end, start, held_since, bad_since, hold(attempt), least);
        tokio::select! {
            changed = scene.changed(seen) => changed?,
            () = tokio::time::sleep_until(next) => {}
        }
    }
}

fn told(surprise: &Surprise) -> String {
    format!("something changed, and the app told of a failure: {}", surprise.text)
}

/// When something becomes certain by time alone.
fn next_wake(
    now: Instant,
    end: Instant,
    start: Instant,
    held: Option<Instant>,
    bad: Option<Instant>,
    hold: Duration,
    least: bool,
) -> Instant {
    // Requests that end are told by signals, except those that fail without an answer.
    const ROUND: Duration = Duration::from_millis(100);
    let reaction = least.then_some(start + REACTION);
    let doubt = least.then_some(start + DOUBT);
    let times = [held.map(|at| at + hold), bad.map(|at| at + GRACE), reaction, doubt];
    let next = times.into_iter().flatten().filter(|at| *at > now).min().unwrap_or(now + ROUND);
    next.min(now + ROUND).min(end).max(now)
}

/// How long what is expected must stay so: a moment where the browser itself holds the state, longer where the app does.
fn hold(attempt: &Attempt<'_>) -> Duration {
    let by_app = attempt.expectation.signals.iter().any(is_level)
        || attempt.expectation.obliged.iter().any(|(_, signals)| signals.iter().any(is_level));
    let by_route = attempt.check == &Check::Elsewhere
        || attempt
            .expectation
            .signals
            .iter()
            .any(|signal| matches!(signal, SuccessSignal::RouteChanged { .. }));
    let unknown_app = attempt.first_of_its_kind && attempt.expectation.combine == Combine::Least;
    match (by_app, by_route) {
        (true, _) => HOLD,
        (false, true) => VETO,
        (false, false) if unknown_app => FIRST,
        (false, false) => Duration::ZERO,
    }
}

/// Whether it is about a state, which may be taken back.
pub(crate) fn is_level(signal: &SuccessSignal) -> bool {
    matches!(
        signal,
        SuccessSignal::ElementState { .. }
            | SuccessSignal::ValueEquals { .. }
            | SuccessSignal::ElementAppeared { .. }
            | SuccessSignal::ElementDisappeared { .. }
            | SuccessSignal::ValidationNone { .. }
            | SuccessSignal::CollectionCount { .. }
    )
}

/// What turns a change into a failure when nobody said which change was wanted.
fn objection<'e>(attempt: &Attempt<'_>, evidence: &'e Evidence) -> Option<&'e Surprise> {
    let telling = |surprise: &&Surprise| surprise.is_refusal() || surprise.kind == "failedRequest";
    if is_unspecific(attempt) { evidence.surprises.iter().find(telling) } else { None }
}

/// Whether any change at all would do.
fn is_unspecific(attempt: &Attempt<'_>) -> bool {
    attempt.expectation.combine == Combine::Least
        && matches!(attempt.check, Check::Change | Check::Submitted | Check::Opened)
}

fn failure(
    glance: &Glance,
    attempt: &Attempt<'_>,
    pending: &[String],
    flips: usize,
) -> (FailureClass, String) {
    // What the app itself says comes first; a script that fails may do so for want of a permission.
    let weight = |surprise: &&Surprise| (surprise.is_refusal(), surprise.kind == PERMISSION);
    if let Some(surprise) = glance.evidence.surprises.iter().max_by_key(weight) {
        if surprise.kind == PERMISSION {
            let reason = format!(
                "{}; a person can grant it in a browser with a window, one without a window refuses it by itself",
                surprise.text
            );
            return (FailureClass::UnexpectedStateDelta, reason);
        }
        let reason = format!("the app answered with something else ({}): {}", surprise.kind, surprise.text);
        return (FailureClass::UnexpectedStateDelta, reason);
    }
    if flips > 0 {
        return (
            FailureClass::UnexpectedStateDelta,
            "what was expected was there for a moment and went away".to_owned(),
        );
    }
    if !pending.is_empty() {
        let reason = format!("{} requests were still under way when the time was over", pending.len());
        return (FailureClass::VerificationTimeout, reason);
    }
    if let Some(reason) = &glance.reason {
        return (FailureClass::NoStateChange, reason.clone());
    }
    if !glance.evidence.found.is_empty() && attempt.expectation.combine != Combine::Least {
        return (
            FailureClass::UnexpectedStateDelta,
            "something else changed than what was expected".to_owned(),
        );
    }
    if glance.facts.needs_revision && !glance.facts.advanced {
        return (FailureClass::NoStateChange, "the page has no new revision".to_owned());
    }
    let (doubtful, ambient) = (glance.evidence.doubtful.len(), glance.evidence.ambient);
    let reason = if doubtful + ambient > 0 {
        format!("nothing changed but what changes by itself ({} changes)", doubtful + ambient)
    } else if attempt.expectation.combine == Combine::Least {
        "nothing changed".to_owned()
    } else {
        "what was expected was not seen".to_owned()
    };
    let class = if attempt.expectation.combine == Combine::Least {
        FailureClass::NoStateChange
    } else {
        FailureClass::VerificationTimeout
    };
    (class, reason)
}

async fn glance<S: Surface>(
    surface: &S,
    attempt: &Attempt<'_>,
    entries: &[Entry],
    graph: &PageGraph,
    prompt: Instant,
) -> Result<Glance, SurfaceError> {
    let place = Place {
        target: attempt.target.as_ref(),
        before: attempt.before,
        ambience: &attempt.ambience,
        prompt,
        doubts_end: attempt.dispatched_at + DOUBT <= Instant::now(),
    };
    let evidence = Evidence::gather(entries, &place);
    let advanced = entries.iter().any(|entry| matches!(entry.event, Event::Revision(_)));
    let signals: Vec<WebSignal> = entries
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Signal(heard) => Some(heard.signal.clone()),
            _ => None,
        })
        .collect();
    let observation = Observation {
        before: attempt.before,
        after: graph,
        signals: &signals,
        custom_sources: attempt.custom_sources,
    };
    // What was so before the action says nothing about it.
    let earlier = Observation { after: attempt.before, signals: &[], ..observation };
    let sighted = |signal: &SuccessSignal| {
        let seen = observation.look(signal).observed()
            && is_still_so(signal, attempt.before, graph, &evidence)
            && is_identified(signal, &signals, attempt.returned);
        let new = seen && (!earlier.look(signal).observed() || told_again(signal, &signals));
        Sighted { signal: signal.clone(), seen, new }
    };
    let expectation = attempt.expectation;
    let mut facts = Facts {
        combine: expectation.combine,
        signals: expectation.signals.iter().map(sighted).collect(),
        needs_news: expectation.news,
        least: false,
        obliged: expectation
            .obliged
            .iter()
            .map(|(how, signals)| Obliged { how: *how, signals: signals.iter().map(sighted).collect() })
            .collect(),
        needs_revision: expectation.require_revision_advance,
        advanced,
        contradictions: evidence.surprises.iter().map(|surprise| surprise.kind.to_owned()).collect(),
        unspecific: is_unspecific(attempt),
        held: false,
    };
    let mut reason = None;
    let mut observed = Vec::new();
    if expectation.combine == Combine::Least {
        let (held, told) = least(surface, attempt, graph, &evidence).await?;
        facts.least = held;
        match told {
            Told::Seen(signals) if held => observed.extend(signals),
            Told::Seen(_) => {}
            Told::Why(why) => reason = Some(why),
        }
    }
    if facts.needs_news
        && facts.signals.iter().any(|each| each.seen)
        && !facts.signals.iter().any(|each| each.new)
    {
        reason = Some("what was expected was so before the action".to_owned());
    }
    let mut missing = Vec::new();
    for each in facts.signals.iter().chain(facts.obliged.iter().flat_map(|obliged| &obliged.signals)) {
        if each.seen { observed.push(each.signal.clone()) } else { missing.push(each.signal.clone()) }
    }
    Ok(Glance { facts, observed, missing, evidence, reason })
}

/// A route that was taken back is not the one that the page is at.
fn is_still_so(signal: &SuccessSignal, before: &PageGraph, now: &PageGraph, evidence: &Evidence) -> bool {
    match signal {
        SuccessSignal::RouteChanged { .. } => now.route.url != before.route.url || evidence.replaced,
        _ => true,
    }
}

/// Whether the page told it once more, though it was so before.
fn told_again(signal: &SuccessSignal, signals: &[WebSignal]) -> bool {
    use uiap_model::web::predicate::text_contains;
    use uiap_model::web::signal::WebSignalBody;
    signals.iter().any(|told| match (signal, &told.body) {
        (SuccessSignal::StatusContains { text }, WebSignalBody::StatusChanged { text: shown, .. })
        | (SuccessSignal::ToastContains { text }, WebSignalBody::ToastShown { text: shown, .. }) => {
            text_contains(shown, text)
        }
        _ => false,
    })
}

enum Told {
    Seen(Vec<SuccessSignal>),
    Why(String),
}

/// The least that makes sense.
async fn least<S: Surface>(
    surface: &S,
    attempt: &Attempt<'_>,
    graph: &PageGraph,
    evidence: &Evidence,
) -> Result<(bool, Told), SurfaceError> {
    let home = attempt.target.as_ref().and_then(|id| find(graph, id));
    let element = home.map(|(_, element)| element);
    if let Check::Unmoved(why) = attempt.check {
        return Ok((false, Told::Why(why.clone())));
    }
    let held = match (attempt.check, &attempt.target) {
        (Check::Nothing, _) => true,
        // The page was looked at just now; only what it does not show must be asked for.
        (Check::Text(text), Some(_)) if element.is_some_and(|element| shows(element, text)) => true,
        (Check::Text(text), Some(id)) => gone_is_false(surface.holds(id, text).await)?,
        (Check::Value { wanted, tolerance }, Some(id)) => {
            let reading = surface.read(id).await;
            let number = reading.as_ref().ok().and_then(|reading| reading.number);
            let held = number.is_some_and(|number| (number - wanted).abs() <= tolerance + 1e-9);
            gone_is_false(reading.map(|_| held))?
        }
        (Check::Change, _) => !evidence.found.is_empty(),
        (Check::Submitted, _) => !evidence.found.is_empty() && (evidence.replaced || !evidence.invalid),
        (Check::Elsewhere, _) => evidence.replaced || graph.route.url != attempt.before.route.url,
        (Check::Opened, _) => {
            let expanded = element.is_some_and(|element| {
                element.state.expanded == Some(true) || element.state.open == Some(true)
            });
            expanded || evidence.found.iter().any(is_opening)
        }
        (Check::Closed(scope), _) => is_closed(graph, scope),
        (check, _) => check.of_element(element, graph).unwrap_or(false),
    };
    let told = match attempt.check {
        Check::Change | Check::Submitted | Check::Opened => evidence.found.clone(),
        check => check.told(home, graph).into_iter().collect(),
    };
    Ok((held, Told::Seen(told)))
}

fn shows(element: &ElementNode, text: &str) -> bool {
    element.state.sensitive != Some(true) && element.state.text_value.as_deref() == Some(text)
}

fn gone_is_false(outcome: Result<bool, SurfaceError>) -> Result<bool, SurfaceError> {
    match outcome {
        Err(SurfaceError::Gone) => Ok(false),
        other => other,
    }
}

fn is_opening(signal: &SuccessSignal) -> bool {
    matches!(signal, SuccessSignal::DialogOpened { .. } | SuccessSignal::ElementAppeared { .. })
}

fn is_closed(graph: &PageGraph, scope: &uiap_model::names::ScopeId) -> bool {
    let stacked = graph.modal_stack.as_ref().is_some_and(|stack| stack.contains(scope));
    let shown = graph.scope(scope).is_some_and(|scope| {
        scope.state.as_ref().is_none_or(|state| state.visible != Some(false) && state.open != Some(false))
    });
    !stacked && !shown
}

/// Whether a state that was verified is still so. An element that is gone proves nothing: pages go on.
pub(crate) async fn still_holds<S: Surface>(
    surface: &S,
    graph: &PageGraph,
    target: &ElementInstanceId,
    check: &Check,
) -> Result<bool, SurfaceError> {
    let Some((_, element)) = find(graph, target) else { return Ok(true) };
    let outcome = match check {
        Check::Text(text) => surface.holds(target, text).await,
        Check::Value { wanted, tolerance } => surface
            .read(target)
            .await
            .map(|reading| reading.number.is_none_or(|number| (number - wanted).abs() <= tolerance + 1e-9)),
        Check::State(_) | Check::Other { .. } | Check::Chosen(_) => {
            Ok(check.of_element(Some(element), graph).unwrap_or(true))
        }
        _ => Ok(true),
    };
    match outcome {
        Err(SurfaceError::Gone) => Ok(true),
        other => other,
    }
}

pub(crate) fn find<'a>(
    graph: &'a PageGraph,
    id: &ElementInstanceId,
) -> Option<(&'a ScopeNode, &'a ElementNode)> {
    graph
        .elements()
        .find(|(.., element)| element.instance_id == *id)
        .map(|(_, scope, element)| (scope, element))
}
