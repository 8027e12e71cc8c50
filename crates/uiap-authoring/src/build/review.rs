//! Step 7: which state every manifest and item is in, by decisions, hints and metadata. Decisions D21–D25.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use uiap_model::authoring::AuthoringKind;

use super::Session;
use super::content::item_lists;
use super::finding::{AlsoAt, at_value};
use super::manifest::{Manifest, ManifestSet};
use super::report::{OverriddenDecision, ReviewEntry};
use super::schema::identity_of;
use crate::diagnostic::{codes, did_you_mean};
use crate::instant::Instant;
use crate::source::parse_pointer;
use crate::tree::{At, Place, write_canonical};

/// A waiver that runs longer than this deserves a look.
const LONG_WAIVER_DAYS: i64 = 90;

/// How far something was approved; the order is that of decision D21.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    Rejected,
    /// Out of use; passes no gate by itself.
    Deprecated,
    /// Draft, generated, in need of a review, or nothing said.
    Draft,
    InReview,
    Approved,
}

impl State {
    pub(crate) fn parse(text: &str) -> Self {
        match text {
            "approved" => Self::Approved,
            "rejected" => Self::Rejected,
            "in_review" | "candidate" => Self::InReview,
            "deprecated" => Self::Deprecated,
            _ => Self::Draft,
        }
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Rejected => "rejected",
            Self::Deprecated => "deprecated",
            Self::Draft => "draft",
            Self::InReview => "in_review",
            Self::Approved => "approved",
        }
    }
}

/// A decision that counts.
#[derive(Clone)]
struct Decision {
    state: State,
    by: String,
    at: Instant,
    place: Place,
}

/// An exception.
pub(crate) struct Waiver {
    pub(crate) manifest: usize,
    pub(crate) item: Option<String>,
    pub(crate) expired: bool,
    pub(crate) reason: String,
    pub(crate) place: Place,
}

/// Everything that was decided.
#[derive(Default)]
pub(crate) struct Reviews {
    decisions: HashMap<(usize, Option<String>), Decision>,
    /// Items with a decision of their own, by manifest.
    decided: HashMap<usize, usize>,
    pub(crate) waivers: Vec<Waiver>,
    /// Manifests whose content changed after it was recorded.
    pub(crate) stale: Vec<usize>,
    /// Workflows whose approval an unapproved overlay took away.
    dropped: HashMap<(usize, String), Place>,
}

/// A state and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effective {
    pub(crate) state: State,
    pub(crate) because: &'static str,
}

impl Reviews {
    /// The state of a manifest as a whole.
    pub(crate) fn of_manifest(&self, index: usize, manifest: &Manifest<'_>) -> Effective {
        if let Some(decision) = self.decisions.get(&(index, None)) {
            return Effective { state: decision.state, because: "decision" };
        }
        match manifest.at().descend(&["metadata", "reviewState"]).and_then(At::as_str) {
            Some(state) => Effective { state: State::parse(state), because: "metadata" },
            None => Effective { state: State::Draft, because: "default" },
        }
    }

    /// The state of an item, when it is its own and not that of its manifest.
    pub(crate) fn of_item(
        &self,
        index: usize,
        id: &str,
        hint: Option<&str>,
        manifest: &Manifest<'_>,
    ) -> Effective {
        let effective = match self.decisions.get(&(index, Some(id.to_owned()))) {
            Some(decision) => Effective { state: decision.state, because: "decision" },
            None => match (self.of_manifest(index, manifest), hint) {
                (whole, _) if whole.because == "decision" => whole,
                (whole, Some(hint)) => by_hint(whole, hint),
                (whole, None) => whole,
            },
        };
        let dropped = self.dropped.contains_key(&(index, id.to_owned()));
        if dropped && effective.state > State::InReview {
            return Effective { state: State::InReview, because: "overlay" };
        }
        effective
    }

    /// Items of a manifest that have a decision of their own.
    pub(crate) fn decided_items(&self, index: usize) -> usize {
        self.decided.get(&index).copied().unwrap_or_default()
    }

    /// Whether somebody approved it by a decision, for the item or the whole manifest.
    pub(crate) fn approved_by_decision(&self, index: usize, id: Option<&str>) -> bool {
        let key = |item: Option<&str>| (index, item.map(str::to_owned));
        let decision =
            id.and_then(|id| self.decisions.get(&key(Some(id)))).or_else(|| self.decisions.get(&key(None)));
        decision.is_some_and(|decision| decision.state == State::Approved)
    }

    /// Where the state of an item was decided.
    pub(crate) fn place(&self, index: usize, id: Option<&str>) -> Option<&Place> {
        let own = id.and_then(|id| self.decisions.get(&(index, Some(id.to_owned()))));
        own.or_else(|| self.decisions.get(&(index, None))).map(|decision| &decision.place)
    }

    /// The waiver for an item or its manifest; one that still runs goes first.
    pub(crate) fn waiver(&self, index: usize, id: Option<&str>) -> Option<&Waiver> {
        let mut fitting: Vec<&Waiver> = self
            .waivers
            .iter()
            .filter(|waiver| waiver.manifest == index)
            .filter(|waiver| waiver.item.is_none() || waiver.item.as_deref() == id)
            .collect();
        fitting.sort_by_key(|waiver| waiver.expired);
        fitting.first().copied()
    }
}

/// A hint stands beside the content and is no decision: it may hold back, and lift to `in_review` at most.
fn by_hint(whole: Effective, hint: &str) -> Effective {
    let state = match State::parse(hint) {
        State::Approved if whole.state == State::Approved => State::Approved,
        State::Approved => State::InReview,
        other => other,
    };
    if whole.state <= State::Deprecated { whole } else { Effective { state, because: "hint" } }
}

/// Reads every ReviewSet.
pub(crate) fn apply(session: &mut Session<'_, '_>, set: &ManifestSet<'_>) -> Reviews {
    let mut reviews = Reviews::default();
    let mut known = KnownItems::new();
    let mut history: BTreeMap<(usize, Option<String>), Vec<Decision>> = BTreeMap::new();
    for manifest in set.manifests.iter().filter(|manifest| manifest.kind == AuthoringKind::ReviewSet) {
        let Some(spec) = manifest.spec() else { continue };
        for decision in spec.list("decisions") {
            read_decision(session, set, &mut known, manifest, decision, &mut history);
        }
        for waiver in spec.list("waivers") {
            reviews.waivers.extend(read_waiver(session, set, &mut known, manifest, waiver));
        }
    }
    for (target, decisions) in history {
        let latest = latest(session, set, &target, decisions);
        if let Some(latest) = latest {
            *reviews.decided.entry(target.0).or_default() += usize::from(target.1.is_some());
            reviews.decisions.insert(target, latest);
        }
    }
    check_overlay_changes(session, set, &mut reviews);
    check_stale(session, set, &mut reviews);
    check_self_approval(session, set, &reviews);
    report(session, set, &reviews);
    reviews
}

/// The items of manifests that decisions are about.
type KnownItems<'t> = HashMap<usize, BTreeSet<&'t str>>;

/// What a decision or waiver is about: a manifest, and an item of it.
fn target<'t>(
    session: &mut Session<'_, '_>,
    set: &'t ManifestSet<'_>,
    known: &mut KnownItems<'t>,
    from: &Manifest<'_>,
    record: At<'_>,
) -> Option<(usize, Option<String>)> {
    let target = record.get("target")?;
    let id_at = target.get("manifestId")?;
    let id = id_at.as_str()?;
    let Some(index) = set.find(id, &from.prefix) else {
        // A manifest that could not be read is missing for a reason that was told.
        if set.incomplete {
            return None;
        }
        let mut diagnostic =
            at_value(codes::UNKNOWN_REVIEW_TARGET, id_at, format!("there is no manifest `{id}` to review"));
        diagnostic.help = session.diagnostics.takes_guesses().then(|| set.hint(id, &from.prefix)).flatten();
        session.diagnostics.push(diagnostic);
        return None;
    };
    let manifest = set.manifests.get(index)?;
    if let Some(item_at) = target.get("itemId") {
        let item = item_at.as_str()?;
        let ids = known.entry(index).or_insert_with(|| item_ids(manifest));
        if !ids.contains(&item) {
            let near = session.diagnostics.takes_guesses().then(|| did_you_mean(item, ids.iter().copied()));
            let message = format!("`{id}` has no item `{item}`");
            session
                .diagnostics
                .push(at_value(codes::UNKNOWN_REVIEW_TARGET, item_at, message).meant(near.flatten()));
            return None;
        }
        return Some((index, Some(item.to_owned())));
    }
    let Some(path_at) = target.get("path") else { return Some((index, None)) };
    let path = path_at.as_str()?;
    if !manifest.at().locate(path).1 || parse_pointer(path).is_none() {
        session.diagnostics.push(at_value(
            codes::UNKNOWN_REVIEW_TARGET,
            path_at,
            format!("`{id}` has nothing at `{path}`"),
        ));
        return None;
    }
    let tokens = parse_pointer(path)?;
    let words: Vec<&str> = tokens.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] | ["spec"] | ["spec", _] => Some((index, None)),
        ["spec", list, _] => {
            let item = manifest.at().locate(path).0;
            Some((index, item.descend(identity_of(list)).and_then(At::as_str).map(str::to_owned)))
        }
        // A decision on a part of an item says nothing about the rest of it.
        _ => None,
    }
}

fn item_ids<'t>(manifest: &'t Manifest<'_>) -> BTreeSet<&'t str> {
    let spec = manifest.spec();
    let lists = item_lists(manifest.kind).iter();
    lists
        .flat_map(|list| {
            let items = spec.into_iter().flat_map(|spec| spec.list(list));
            items.filter_map(|item| item.descend(identity_of(list)).and_then(At::as_str))
        })
        .collect()
}

fn instant(session: &mut Session<'_, '_>, record: At<'_>, key: &str) -> Option<Instant> {
    let at = record.get(key)?;
    let text = at.as_str()?;
    let Some(instant) = Instant::parse(text) else {
        session.diagnostics.push(
            at_value(codes::BAD_TIME, at, format!("`{text}` is no point in time"))
                .help("write date, time and offset, such as `2026-03-26T17:00:00Z`"),
        );
        return None;
    };
    if let Some(now) = session.options.now.filter(|now| key == "at" && instant > *now) {
        session.diagnostics.push(at_value(
            codes::BAD_TIME,
            at,
            format!("`{text}` lies in the future of {now}"),
        ));
    }
    Some(instant)
}

fn read_decision<'t>(
    session: &mut Session<'_, '_>,
    set: &'t ManifestSet<'_>,
    known: &mut KnownItems<'t>,
    from: &Manifest<'_>,
    record: At<'_>,
    history: &mut BTreeMap<(usize, Option<String>), Vec<Decision>>,
) {
    let at = instant(session, record, "at");
    let (Some(target), Some(at)) = (target(session, set, known, from, record), at) else { return };
    let state_at = record.get("state").unwrap_or(record);
    let state = State::parse(state_at.as_str().unwrap_or_default());
    let by = record.text("by").unwrap_or_default().to_owned();
    history.entry(target).or_default().push(Decision { state, by, at, place: state_at.place() });
}

/// The decision in force; earlier ones are kept in the report. Decision D23.
fn latest(
    session: &mut Session<'_, '_>,
    set: &ManifestSet<'_>,
    target: &(usize, Option<String>),
    mut decisions: Vec<Decision>,
) -> Option<Decision> {
    // Later wins; at the same time the stricter one.
    decisions.sort_by(|a, b| a.at.cmp(&b.at).then(b.state.cmp(&a.state)));
    let last = decisions.pop()?;
    let manifest = set.manifests.get(target.0).map(|manifest| manifest.id.as_str()).unwrap_or_default();
    let name = target.1.as_ref().map_or(manifest.to_owned(), |item| format!("{manifest}#{item}"));
    let words =
        |decision: &Decision| format!("{} by {} at {}", decision.state.as_str(), decision.by, decision.at);
    for earlier in &decisions {
        if earlier.at == last.at && earlier.state != last.state {
            session.diagnostics.push(
                crate::diagnostic::Diagnostic::new(
                    codes::REVIEW_TIE,
                    format!("two decisions on `{name}` have the same time; the stricter one counts"),
                    &last.place.file,
                    last.place.span,
                )
                .secondary(&earlier.place.file, earlier.place.span, "the other decision"),
            );
        }
        session.report.overridden_decisions.push(OverriddenDecision {
            target: name.clone(),
            earlier: words(earlier),
            later: words(&last),
        });
    }
    Some(last)
}

fn read_waiver<'t>(
    session: &mut Session<'_, '_>,
    set: &'t ManifestSet<'_>,
    known: &mut KnownItems<'t>,
    from: &Manifest<'_>,
    record: At<'_>,
) -> Option<Waiver> {
    let given = instant(session, record, "at");
    let expires = instant(session, record, "expiresAt");
    let (manifest, item) = target(session, set, known, from, record)?;
    let reason = record.text("reason").unwrap_or_default();
    let place = record.get("reason").unwrap_or(record);
    if reason.trim().is_empty() {
        session.diagnostics.push(at_value(codes::BAD_WAIVER, place, "a waiver gives a reason"));
    }
    let end = record.get("expiresAt");
    match (given, expires, end) {
        (Some(given), Some(expires), Some(at)) if expires <= given => {
            session.diagnostics.push(at_value(codes::BAD_WAIVER, at, "the waiver ends before it begins"));
        }
        (Some(given), Some(expires), Some(at)) if given.days_until(expires) > LONG_WAIVER_DAYS => {
            let message = format!("the waiver runs for more than {LONG_WAIVER_DAYS} days");
            session.diagnostics.push(at_value(codes::LONG_WAIVER, at, message));
        }
        (_, _, None) => {
            let endless = at_value(codes::LONG_WAIVER, place, "the waiver never ends");
            session.diagnostics.push(endless.help("add `expiresAt`"));
        }
        _ => {}
    }
    // Without a clock nothing can be shown to run still, so a waiver with an end does not count.
    let is_over = match (end, expires, session.options.now) {
        (None, ..) => false,
        (Some(_), Some(expires), Some(now)) => expires <= now,
        _ => true,
    };
    Some(Waiver { manifest, item, expired: is_over, reason: reason.to_owned(), place: place.place() })
}

/// An approval is about what was reviewed, not about what an unapproved overlay made of it.
fn check_overlay_changes(session: &mut Session<'_, '_>, set: &ManifestSet<'_>, reviews: &mut Reviews) {
    for (index, workflow, overlay) in &set.reinterpreted {
        let Some(manifest) = set.manifests.get(*overlay) else { continue };
        if reviews.of_manifest(*overlay, manifest).state == State::Approved {
            continue;
        }
        let at = manifest.at().get("metadata").unwrap_or(manifest.at());
        let approved = reviews.approved_by_decision(*index, Some(workflow));
        if approved {
            session.diagnostics.push(
                at_value(
                    codes::APPROVAL_DROPPED,
                    at,
                    format!(
                        "overlay `{}` changes workflow `{workflow}`, so its approval no longer counts",
                        manifest.id
                    ),
                )
                .help("have the overlay approved too"),
            );
        }
        reviews.dropped.insert((*index, workflow.clone()), at.place());
    }
}

/// `status.digest` records what was looked at; another digest now means that the content moved on.
fn check_stale(session: &mut Session<'_, '_>, set: &ManifestSet<'_>, reviews: &mut Reviews) {
    for (index, manifest) in set.manifests.iter().enumerate() {
        if manifest.kind == AuthoringKind::DiscoveryImport {
            continue;
        }
        let Some(recorded) = manifest.at().descend(&["status", "digest"]) else { continue };
        let Some(spec) = manifest.source_spec() else { continue };
        let mut bytes = Vec::new();
        write_canonical(At::Node(spec), &mut bytes);
        let found = uiap_model::digest::sha256(&bytes).to_string();
        if recorded.as_str() != Some(found.as_str()) {
            session.diagnostics.push(
                at_value(
                    codes::STALE_APPROVAL,
                    recorded,
                    format!("`{}` changed since its digest was recorded", manifest.id),
                )
                .note(format!("now {found}"))
                .help("have it reviewed again, then record the new digest"),
            );
            reviews.stale.push(index);
        }
    }
}

fn check_self_approval(session: &mut Session<'_, '_>, set: &ManifestSet<'_>, reviews: &Reviews) {
    let mut found: Vec<(&Place, &str, &str)> = Vec::new();
    for ((index, _), decision) in &reviews.decisions {
        let Some(manifest) = set.manifests.get(*index) else { continue };
        let owners: Vec<At<'_>> =
            manifest.at().get("metadata").into_iter().flat_map(|metadata| metadata.list("owners")).collect();
        let is_author = |owner: &At<'_>| {
            owner.text("id") == Some(decision.by.as_str())
                && !matches!(owner.text("role"), Some("reviewer" | "approver"))
        };
        if decision.state == State::Approved && owners.iter().any(is_author) {
            found.push((&decision.place, manifest.id.as_str(), decision.by.as_str()));
        }
    }
    found.sort_by_key(|(place, id, _)| (place.span.start, *id));
    for (place, id, by) in found {
        let message = format!("`{by}` approves `{id}` and owns it");
        session.diagnostics.push(
            crate::diagnostic::Diagnostic::new(codes::SELF_APPROVAL, message, &place.file, place.span)
                .help("let a second person approve"),
        );
    }
}

fn report(session: &mut Session<'_, '_>, set: &ManifestSet<'_>, reviews: &Reviews) {
    for (index, manifest) in set.manifests.iter().enumerate().filter(|(_, manifest)| manifest.included) {
        let entry = |item: Option<&str>, effective: Effective| ReviewEntry {
            manifest_id: manifest.id.clone(),
            item_id: item.map(str::to_owned),
            state: effective.state.as_str(),
            because: effective.because,
        };
        let whole = reviews.of_manifest(index, manifest);
        session.report.reviews.push(entry(None, whole));
        let few = manifest.kind == AuthoringKind::WorkflowCatalog || reviews.decided_items(index) > 0;
        if !few {
            continue;
        }
        for list in item_lists(manifest.kind) {
            for item in manifest.spec().into_iter().flat_map(|spec| spec.list(list)) {
                let Some(id) = item.descend(identity_of(list)).and_then(At::as_str) else { continue };
                let hint = item.descend(&["review", "level"]).and_then(At::as_str);
                session.report.reviews.push(entry(Some(id), reviews.of_item(index, id, hint, manifest)));
            }
        }
    }
    for found in &set.discovered {
        let index = set.index.get(&found.manifest).copied().unwrap_or(usize::MAX);
        if !reviews.approved_by_decision(index, Some(&found.item)) {
            session
                .report
                .review_obligations
                .push(format!("{}#{}: found by {}", found.manifest, found.item, found.run));
        }
    }
    for manifest in &set.manifests {
        let generated =
            manifest.at().descend(&["metadata", "source"]).and_then(At::as_str) == Some("generated");
        let index = set.index.get(&manifest.id).copied().unwrap_or(usize::MAX);
        if (generated || only_machines(manifest)) && !reviews.approved_by_decision(index, None) {
            session.report.review_obligations.push(format!("{}: generated", manifest.id));
        }
    }
}

/// Whether a manifest states its origins and no person is among them. Decision D26.
pub(crate) fn only_machines(manifest: &Manifest<'_>) -> bool {
    let records: Vec<At<'_>> =
        manifest.at().descend(&["status", "provenance"]).into_iter().flat_map(At::items).collect();
    let machine =
        |record: &At<'_>| matches!(record.text("source"), Some("generated" | "discovery" | "runtime-trace"));
    !records.is_empty() && records.iter().all(machine)
}
