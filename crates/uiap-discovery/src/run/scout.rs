//! Goes to a state, does what it was sent for, and brings home what it saw. Knows nothing of the other scouts.

mod draft;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use compact_str::{CompactString, format_compact};
use tokio::sync::mpsc::UnboundedSender;
use tracing::{Instrument as _, debug_span};
use uiap_model::json::JsonObject;
use uiap_model::names::ElementInstanceId;
use uiap_model::policy::DataClass;
use uiap_model::web::PageGraph;

use super::batch::named;
use super::camp::Camp;
use super::compare::{complains, consequence, is_longer, likeness, opens_layer};
use super::control::Rein;
use super::finding::{Arrival, Deal, Finding, Outcome};
use super::node::{Details, Leg, Way};
use super::tour::{Errand, Stop, Task, Tour};
use super::trail::{Aside, Trail};
use super::undo::{undo, way_back};
use crate::candidate::{find, path_pattern};
use crate::fingerprint::Fingerprint;
use crate::ground::{Acted, Deed, Evidence, Ground, GroundError, Looked, Place, Step, Traffic};
use crate::record::{CAUSE, Incident, IncidentKind, RequestRecord, fact};
use crate::safety::{address, lexicon};
use crate::template;

/// Longest time for one errand with its way.
const ERRAND: Duration = Duration::from_mins(1);
/// Sessions in which something is tried before it is said to end them.
const MOST_SESSIONS: usize = 2;
/// Looks at a page that shows something else every time.
const MOST_LOOKS: usize = 3;

#[derive(Default)]
struct Notes {
    replays: Vec<(CompactString, bool)>,
    deep: Option<bool>,
    incidents: Vec<Incident>,
    self_writes: Vec<Traffic>,
    /// What was held back when nobody acted any more, with where that was.
    late: Vec<(RequestRecord, String)>,
}

impl Notes {
    /// Takes up what was told with a look; gives what it showed, and whether something was held back.
    fn take(&mut self, looked: Looked) -> (Arc<PageGraph>, bool) {
        let Looked { graph, incidents, self_writes, held, late } = looked;
        self.incidents.extend(incidents);
        self.self_writes.extend(self_writes);
        self.late.extend(late.into_iter().map(|request| (request, graph.route.url.to_string())));
        (graph, held)
    }

    /// What was held back while a step was taken back came of that step.
    fn taken_back(&mut self, late: &[RequestRecord], step: &Step, state_id: &CompactString, url: &str) {
        let by = step.aim.as_ref().map(|aim| named(&aim.role, &aim.name)).unwrap_or_default();
        for request in late.iter().filter(|request| request.writes) {
            let path = path_pattern(&request.path);
            let detail = format!("{} `{path}` was held back{CAUSE}taking back {by}", request.method);
            let (kind, state_id, url) =
                (IncidentKind::WriteHeld, Some(state_id.clone()), Some(url.to_owned()));
            self.incidents.push(Incident { kind, state_id, url, detail });
        }
    }

    /// What came late of something that nobody can name any more is told without its cause.
    fn tell_late(&mut self) {
        for (request, url) in self.late.drain(..) {
            let detail = format!("{} `{}` was held back", request.method, path_pattern(&request.path));
            let (kind, url) = (IncidentKind::WriteHeld, Some(url));
            self.incidents.push(Incident { kind, state_id: None, url, detail });
        }
    }
}

enum Astray {
    /// The ground failed.
    Ground(GroundError),
    /// No way led there any more.
    Lost { detail: String, expired: bool },
}

impl From<GroundError> for Astray {
    fn from(error: GroundError) -> Self {
        Self::Ground(error)
    }
}

/// Goes on a tour; each finding is sent as soon as there is one.
pub(crate) async fn go<G: Ground>(camp: Arc<Camp<G>>, tour: Tour, found: UnboundedSender<(u64, Finding)>) {
    let (place, ready) = match camp.gone_ahead(&tour).await {
        Some((place, went)) => (Some(place), Some(went)),
        None => (camp.unused(&tour.profile), None),
    };
    let (profile, idle) = (tour.profile.clone(), Arc::clone(&tour.idle));
    let mut scout = Scout {
        camp: Arc::clone(&camp),
        profile,
        idle,
        place,
        ready,
        trail: None,
        renewed: false,
        sealed: false,
        is_asked: false,
        spent: false,
        left: tour.len(),
    };
    'tour: for stop in &tour.stops {
        // What is done at one stop shall not show at the next.
        scout.renewed = scout.ready.is_some();
        for errand in &stop.errands {
            if camp.control.released().await == Rein::Cancel {
                break 'tour;
            }
            scout.left -= 1;
            let mut notes = Notes::default();
            let in_time = tokio::time::timeout(ERRAND, scout.run(stop, errand, &mut notes)).await;
            let outcome = in_time.unwrap_or_else(|_| {
                scout.forsake();
                let detail = format!("nothing came of it within {} seconds", ERRAND.as_secs());
                Outcome::Failed { kind: IncidentKind::NeverSettled, detail }
            });
            notes.tell_late();
            let Notes { replays, deep, incidents, self_writes, .. } = notes;
            let finding = Finding { replays, deep, incidents, self_writes, outcome };
            // On the disk before anything else is done: whoever goes on with the run does not do it again.
            match camp.store().result(errand.number, &finding) {
                Ok(()) => camp.note_shown(errand.number, &finding),
                Err(error) => tracing::error!(%error, "a finding could not be kept"),
            }
            // Nobody listens any more when the run was stopped.
            drop(found.send((errand.number, finding)));
        }
    }
    let is_spent = scout.sealed || scout.spent;
    if let Some(place) = scout.place.take() {
        if is_spent {
            return place.close().await;
        }
        camp.keep_place(&tour.profile, place);
    }
}

struct Scout<G: Ground> {
    camp: Arc<Camp<G>>,
    profile: CompactString,
    idle: Arc<BTreeSet<Traffic>>,
    place: Option<G::Place>,
    /// What its place found where the tour begins, if it went ahead.
    ready: Option<Result<Looked, GroundError>>,
    /// How its place came to where it stands.
    trail: Option<Trail>,
    renewed: bool,
    /// Whether nothing leaves its place any more.
    sealed: bool,
    /// Whether what was done led to a page that asks who somebody is.
    is_asked: bool,
    /// Whether something was held back in its place: what it was may lie there, to be sent by the next page.
    spent: bool,
    /// What there is to do after the present errand.
    left: usize,
}

impl<G: Ground> Scout<G> {
    async fn run(&mut self, stop: &Stop, errand: &Errand, notes: &mut Notes) -> Outcome {
        let number = errand.number;
        let (step, once) = match &errand.task {
            Task::Open(url) => {
                let opened = self.open(url, &stop.ways, number, notes).await;
                return opened.unwrap_or_else(Outcome::failed);
            }
            Task::Do { step, once } => (step, *once),
        };
        if once && self.camp.store().was_begun(number).unwrap_or(true) {
            return Outcome::Interrupted;
        }
        for _ in 0..MOST_SESSIONS {
            match self.reach(&stop.ways, notes).instrument(debug_span!("explore.go_to_state")).await {
                Ok(()) => {}
                Err(Astray::Ground(error)) => return Outcome::failed(error),
                Err(Astray::Lost { detail, expired }) => return Outcome::Lost { detail, expired },
            }
            if once && let Err(error) = self.camp.store().begin(number) {
                return Outcome::Missed(error.to_string());
            }
            let outcome = self.perform(step, number, notes).await.unwrap_or_else(Outcome::failed);
            let is_asked = std::mem::take(&mut self.is_asked);
            if step.sealed || !is_asked || !self.is_outside(&stop.ways).await {
                return outcome;
            }
            // The page that asks who somebody is says nothing of where the action leads.
            self.forsake();
            if once {
                let detail = "the session ended while it was done, and it must not be done twice".to_owned();
                return Outcome::Lost { detail, expired: true };
            }
        }
        let name = step.aim.as_ref().map(|aim| aim.name.as_str()).unwrap_or_default();
        Outcome::Lost { detail: format!("the session ended each time `{name}` was pressed"), expired: true }
    }

    /// Whether a state that this place had been in is behind a page that asks who somebody is.
    async fn is_outside(&mut self, ways: &[Way]) -> bool {
        self.trail = None;
        let gone = self.travel(ways, &mut Notes::default()).await;
        matches!(gone, Err(Astray::Lost { expired: true, .. }))
    }

    /// Does the step in the state that it stands in.
    async fn perform(&mut self, step: &Step, number: u64, notes: &mut Notes) -> Result<Outcome, GroundError> {
        let here = self.trail.as_ref().and_then(Trail::here).map(|(_, home)| Arc::clone(&home.graph));
        let Some(graph) = here else { return Ok(Outcome::Missed("it was not there".to_owned())) };
        let graph = self.fill_in(&step.drafts, graph, notes).await;
        let target =
            step.aim.as_ref().and_then(|aim| find(&graph, aim)).map(|element| element.instance_id.clone());
        if let (Some(aim), None) = (&step.aim, &target) {
            return Ok(Outcome::Missed(format!("`{}` is not there any more", aim.name)));
        }
        if let Some(target) = &target
            && self.leads_astray(step, target).await?
        {
            let name = step.aim.as_ref().map(|aim| aim.name.as_str()).unwrap_or_default();
            return Ok(Outcome::Missed(format!("`{name}` leads now where something would be done")));
        }
        if step.sealed {
            self.seal().await?;
        }
        notes.tell_late();
        let acted = self.act(&step.deed, target.as_ref()).instrument(debug_span!("explore.act")).await?;
        let Acted { looked, signals, mut requests } = acted;
        let (after, held) = notes.take(looked);
        if step.sealed && !opens_layer(&graph, &after) {
            // What it shows now is what it makes of an answer that never came: no state of the app.
            self.trail = None;
            return Ok(Outcome::Held(requests));
        }
        let (after, held) = match self.seen_anew(&graph, &requests, &after, notes).await {
            Some(anew) => (anew, false),
            None => (after, held),
        };
        if held && complains(&graph, &after) && !opens_layer(&graph, &after) {
            let mark = self.camp.fingerprint(&after);
            if !self.camp.is_shown(&mark.hash, number) {
                self.trail = None;
                return Ok(Outcome::Held(requests));
            }
        }
        let (after, arrival) = self.arrival(after, held, number, notes).await?;
        self.is_asked = !asks_for_credentials(&graph) && asks_for_credentials(&after);
        // What the page sends before anything else is done to it belongs to what was done.
        requests.extend(notes.late.drain(..).map(|(request, _)| request));
        let mark = &arrival.fingerprint;
        let consequence = consequence(step, &graph, &after, mark);
        let more = is_longer(&graph, &after) && self.camp.fingerprint(&graph).hash == *mark;
        let way_back = way_back(step, &graph, &after);
        if self.spent {
            self.trail = None;
        } else if let Some(trail) = &mut self.trail {
            trail.stray(step, &after);
        }
        Ok(Outcome::Done(Box::new(Deal { arrival, signals, requests, consequence, more, way_back })))
    }

    /// Where an action led that had something held back, its page shows what it makes of an answer that never came. Loaded by
    /// its address it asks by itself, and shows what the app shows. What may have made something is not asked again.
    async fn seen_anew(
        &mut self,
        before: &PageGraph,
        requests: &[RequestRecord],
        after: &PageGraph,
        notes: &mut Notes,
    ) -> Option<Arc<PageGraph>> {
        let is_held = may_only_ask(requests);
        let place = template::path_of(&after.route.url);
        if !is_held || self.sealed || place == template::path_of(&before.route.url) {
            return None;
        }
        self.trail = None;
        let looked = self.go(&after.route.url).instrument(debug_span!("explore.anew")).await.ok()?;
        let (anew, _) = notes.take(looked);
        (template::path_of(&anew.route.url) == place).then_some(anew)
    }

    /// Whether what was found again leads elsewhere than when it was judged, and there something would be done.
    async fn leads_astray(&mut self, step: &Step, target: &ElementInstanceId) -> Result<bool, GroundError> {
        let may_lead = matches!(step.deed, Deed::Follow | Deed::Activate | Deed::Open);
        if !may_lead {
            return Ok(false);
        }
        let leads = self.place().await?.leads(target).await.map_err(|error| self.spoiled(error))?;
        let judged = step.aim.as_ref().and_then(|aim| aim.href.as_deref()).map(path_pattern);
        Ok(leads.is_some_and(|now| address::acts(&now) && Some(path_pattern(&now)) != judged))
    }

    async fn act(&mut self, deed: &Deed, target: Option<&ElementInstanceId>) -> Result<Acted, GroundError> {
        let idle = Arc::clone(&self.idle);
        let acted = self.place().await?.act(deed, target, &idle).await;
        let acted = acted.map_err(|error| self.spoiled(error))?;
        self.note(&acted.looked);
        Ok(acted)
    }

    /// Opens an address that somebody proposed. `home` leads to where the profile came in.
    async fn open(
        &mut self,
        url: &str,
        home: &[Way],
        number: u64,
        notes: &mut Notes,
    ) -> Result<Outcome, GroundError> {
        for _ in 0..MOST_SESSIONS {
            self.trail = None;
            if self.ready.is_none() && !self.spent {
                self.place().await?.renew().await?;
            }
            let looked = self.go(url).await?;
            let (graph, held) = notes.take(looked);
            let (graph, arrival) = self.arrival(graph, held, number, notes).await?;
            let is_home = home.first().is_none_or(|way| way.first == arrival.fingerprint);
            if is_home || !asks_for_credentials(&graph) || !self.is_outside(home).await {
                return Ok(Outcome::Arrived(Box::new(arrival)));
            }
            self.forsake();
        }
        let detail = "the session had ended when the address was opened".to_owned();
        Ok(Outcome::Lost { detail, expired: true })
    }

    /// Goes to an address, or takes what its place found there that went ahead.
    async fn go(&mut self, url: &str) -> Result<Looked, GroundError> {
        if self.sealed || self.spent {
            self.forsake();
        }
        let went = match self.ready.take() {
            Some(went) => went,
            None => self.place().await?.go(url).await,
        };
        went.map_err(|error| self.spoiled(error))
    }

    /// Makes sure that it stands in the state. A place that cannot find it is given up once: a fresh one is logged in.
    async fn reach(&mut self, ways: &[Way], notes: &mut Notes) -> Result<(), Astray> {
        if !self.sealed
            && !self.spent
            && !std::mem::replace(&mut self.renewed, true)
            && self.place().await?.renew().await?
        {
            self.trail = None;
        }
        for way in ways {
            let resumed = self.resume(way, notes).instrument(debug_span!("explore.resume")).await;
            // What is held back meanwhile belongs to what was done before.
            if resumed && !self.spent {
                return Ok(());
            }
        }
        if self.travel(ways, notes).await.is_ok() {
            return Ok(());
        }
        self.forsake();
        self.travel(ways, notes).await
    }

    /// Goes on from where it stands, if that lies on the way.
    async fn resume(&mut self, way: &Way, notes: &mut Notes) -> bool {
        let Some(mut trail) = self.trail.take() else { return false };
        match self.along(&mut trail, way, notes).await {
            Ok(arrived) => {
                self.trail = Some(trail);
                arrived
            }
            Err(error) => {
                tracing::debug!(%error, "there is no quick way");
                false
            }
        }
    }

    async fn along(&mut self, trail: &mut Trail, way: &Way, notes: &mut Notes) -> Result<bool, GroundError> {
        let Some(shared) = trail.shared(way) else { return Ok(false) };
        if trail.here().is_none() {
            self.return_to(trail, notes).instrument(debug_span!("explore.return")).await?;
        }
        loop {
            let Some((level, _)) = trail.here() else { return Ok(false) };
            if level <= shared {
                break;
            }
            let Some(last) = trail.last_step(level) else { return Ok(false) };
            let looked = self.step_back(&last, notes).instrument(debug_span!("explore.descend")).await?;
            if trail.recognise(&looked.graph).is_none_or(|now| now >= level) {
                trail.lose();
            }
        }
        let Some((level, _)) = trail.here() else { return Ok(false) };
        let counted = notes.replays.len();
        for leg in way.legs.iter().skip(level) {
            if self.walk(trail, leg, notes).await.is_err() {
                // Only a way that began at its address says something against a transition.
                notes.replays.truncate(counted);
                trail.lose();
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn travel(&mut self, ways: &[Way], notes: &mut Notes) -> Result<(), Astray> {
        self.travel_all(ways, notes).instrument(debug_span!("explore.travel")).await
    }

    async fn travel_all(&mut self, ways: &[Way], notes: &mut Notes) -> Result<(), Astray> {
        let mut astray = Astray::Lost { detail: "no way is known".to_owned(), expired: false };
        for way in ways {
            let followed = self.follow(way, notes).await;
            if way.is_deep {
                notes.deep = Some(followed.is_ok());
            }
            match followed {
                Ok(trail) => {
                    self.trail = Some(trail);
                    return Ok(());
                }
                Err(error) => astray = error,
            }
        }
        Err(astray)
    }

    /// Goes a whole way, from its address on.
    async fn follow(&mut self, way: &Way, notes: &mut Notes) -> Result<Trail, Astray> {
        let mut looked = self.go(&way.url).await?;
        // What a page asks when it is left belongs to the page that was left; the rest was told when it was found.
        looked.incidents.retain(|each| each.kind == IncidentKind::BeforeUnload);
        let (graph, _) = notes.take(looked);
        let graph = self.expect(graph, &way.first, notes).await?;
        let mut trail = Trail::begin(way, graph);
        for leg in &way.legs {
            self.walk(&mut trail, leg, notes).await?;
        }
        Ok(trail)
    }

    /// Goes one leg from where it stands.
    async fn walk(&mut self, trail: &mut Trail, leg: &Leg, notes: &mut Notes) -> Result<(), Astray> {
        let gone = || Astray::Lost {
            detail: "something on the way is not there any more".to_owned(),
            expired: false,
        };
        let (_, home) = trail.here().ok_or_else(gone)?;
        let target = match &leg.step.aim {
            Some(aim) => Some(find(&home.graph, aim).ok_or_else(gone)?.instance_id.clone()),
            None => None,
        };
        if let Some(target) = &target
            && self.leads_astray(&leg.step, target).await?
        {
            return Err(gone());
        }
        if leg.step.sealed {
            self.seal().await?;
        }
        let walking = debug_span!("explore.walk");
        let acted = self.act(&leg.step.deed, target.as_ref()).instrument(walking).await?;
        let mut looked = acted.looked;
        looked.incidents.clear();
        let (graph, _) = notes.take(looked);
        let arrived = self.expect(graph, &leg.then, notes).await;
        notes.replays.push((leg.transition_id.clone(), arrived.is_ok()));
        trail.advance(leg, arrived?);
        Ok(())
    }

    /// Makes sure that a page shows a state. One that does not is looked at again: it may not have been ready.
    async fn expect(
        &mut self,
        mut graph: Arc<PageGraph>,
        fingerprint: &str,
        notes: &mut Notes,
    ) -> Result<Arc<PageGraph>, Astray> {
        for look in 0..=MOST_LOOKS {
            if look > 0 {
                (graph, _) = self.rest(notes).await?;
            }
            let found = self.camp.fingerprint(&graph);
            if found.hash == fingerprint {
                return Ok(graph);
            }
            tracing::debug!(url = %graph.route.url, expected = %fingerprint, found = %found.hash, "the way led elsewhere");
        }
        let detail = format!("the way led to `{}` in another state", graph.route.url);
        Err(Astray::Lost { detail, expired: asks_for_credentials(&graph) })
    }

    /// Tries the cheap ways back to the trail; only a page that is the same to the letter counts.
    async fn return_to(&mut self, trail: &mut Trail, notes: &mut Notes) -> Result<(), GroundError> {
        let Some(aside) = trail.aside() else { return Ok(()) };
        if trail.recognise(&aside.after).is_some() {
            return Ok(());
        }
        let looked = self.step_back(&aside, notes).await?;
        if trail.recognise(&looked.graph).is_none() {
            trail.lose();
            let what = super::compare::first_difference(&aside.home.graph, &looked.graph);
            let aim = aside.step.aim.as_ref().map(|aim| &aim.name);
            tracing::debug!(?aim, what, "there is no quick way back");
        }
        Ok(())
    }

    /// Takes back what was done.
    async fn step_back(&mut self, aside: &Aside, notes: &mut Notes) -> Result<Looked, GroundError> {
        let idle = Arc::clone(&self.idle);
        let Aside { home, step, after } = aside;
        let undone = undo(step, &home.graph, after);
        // Tabs and filters write themselves into the address without a step in the history.
        let moved = after.route.path != home.graph.route.path;
        let place = self.place().await?;
        let looked = if moved || (undone.is_none() && after.route.url != home.graph.route.url) {
            place.back().await
        } else {
            match place.undo(undone.as_ref().map(|(deed, target)| (deed, target)), &idle).await {
                // What was undone at once needs no rest: whatever comes next waits for its own.
                Ok(looked) if likeness(&looked.graph) == home.likeness => Ok(looked),
                Ok(first) => place.rest().await.map(|mut looked| {
                    looked.late.extend(first.late);
                    looked
                }),
                Err(error) => Err(error),
            }
        };
        let looked = looked.map_err(|error| self.spoiled(error))?;
        self.note(&looked);
        let state_id = self.camp.fingerprint(&home.graph).state_id();
        notes.taken_back(&looked.late, step, &state_id, &home.graph.route.url);
        Ok(looked)
    }

    /// What is known of the state that it stands in; evidence is taken of a new one. A page that shows something else once that
    /// is done was not ready yet: what it showed before is no state. Unless something was held back meanwhile: what it shows then
    /// is what it makes of that.
    async fn arrival(
        &mut self,
        mut graph: Arc<PageGraph>,
        held: bool,
        number: u64,
        notes: &mut Notes,
    ) -> Result<(Arc<PageGraph>, Arrival), GroundError> {
        let mut mark = self.camp.fingerprint(&graph);
        for _ in 0..MOST_LOOKS {
            if self.camp.is_shown(&mark.hash, number) {
                break;
            }
            let evidence = self.evidence().await?;
            let (now, late) = self.rest(notes).await?;
            let is_last = self.camp.fingerprint(&now);
            if is_last.hash == mark.hash || (late && !held) {
                return Ok(self.described(graph, held, &mark, evidence));
            }
            tracing::debug!(url = %now.route.url, before = %mark.hash, now = %is_last.hash, "the page was not ready");
            (graph, mark) = (now, is_last);
        }
        if self.camp.is_shown(&mark.hash, number) {
            let arrival = Arrival::at(&graph, &mark);
            return Ok((graph, arrival));
        }
        let evidence = self.evidence().await?;
        Ok(self.described(graph, held, &mark, evidence))
    }

    async fn evidence(&mut self) -> Result<Evidence, GroundError> {
        let evidence = self.place().await?.evidence().instrument(debug_span!("explore.evidence")).await;
        evidence.map_err(|error| self.spoiled(error))
    }

    /// What the page shows once it rests again, and whether something was held back.
    async fn rest(&mut self, notes: &mut Notes) -> Result<(Arc<PageGraph>, bool), GroundError> {
        let looked = self.place().await?.rest().instrument(debug_span!("explore.again")).await;
        let looked = looked.map_err(|error| self.spoiled(error))?;
        self.note(&looked);
        Ok(notes.take(looked))
    }

    fn described(
        &self,
        graph: Arc<PageGraph>,
        held: bool,
        mark: &Fingerprint,
        evidence: Evidence,
    ) -> (Arc<PageGraph>, Arrival) {
        let mut arrival = Arrival::at(&graph, mark);
        let Evidence { graph: richer, picture, accessibility, actions, routes, faults } = evidence;
        let richer = richer.unwrap_or_else(|| Arc::clone(&graph));
        arrival.faults = faults;
        arrival.faults.extend(warnings(&richer));
        let mut shown = Arc::unwrap_or_clone(richer);
        if held {
            let metadata = shown.metadata.get_or_insert_with(|| JsonObject(serde_json::Map::new()));
            metadata.0.insert(fact::HELD.to_owned(), true.into());
        }
        arrival.graph = Some(Box::new(shown));
        arrival.details = Details { accessibility, actions };
        arrival.routes = routes;
        if let Some(picture) = picture {
            arrival.screenshot = self.hang(&arrival.state_id, &picture);
        }
        (graph, arrival)
    }

    /// Stores a picture. Without one the state is still a state.
    fn hang(&self, state_id: &str, picture: &[u8]) -> Option<String> {
        let gallery = self.camp.gallery.as_ref()?;
        // One on which something was covered is exact, the others are small.
        let kind = if picture.starts_with(b"RIFF") { "webp" } else { "png" };
        let name = format_compact!("{state_id}.{kind}");
        let stored =
            std::fs::create_dir_all(gallery).and_then(|()| std::fs::write(gallery.join(&*name), picture));
        match stored {
            Ok(()) => Some(format!("screenshots/{name}")),
            Err(error) => {
                tracing::warn!(%error, "a picture could not be stored");
                None
            }
        }
    }

    async fn place(&mut self) -> Result<&mut G::Place, GroundError> {
        let place = if let Some(place) = self.place.take() {
            place
        } else {
            self.renewed = true;
            self.camp.open(&self.profile).await?
        };
        Ok(self.place.insert(place))
    }

    /// An error that makes the place useless ends it.
    fn spoiled(&mut self, error: GroundError) -> GroundError {
        self.trail = None;
        if error.is_lost {
            self.forsake();
        }
        error
    }

    /// Remembers that something was held back, and has another place opened for what comes next.
    fn note(&mut self, looked: &Looked) {
        if looked.held && !std::mem::replace(&mut self.spent, true) && self.left > 0 {
            self.camp.prepare(&self.profile);
        }
    }

    fn forsake(&mut self) {
        self.ready = None;
        self.trail = None;
        if let Some(place) = self.place.take() {
            // Nobody waits for it.
            tokio::spawn(place.close());
        }
        (self.sealed, self.spent) = (false, false);
    }

    async fn seal(&mut self) -> Result<(), GroundError> {
        if !self.sealed {
            let sealed = self.place().await?.seal().await;
            sealed.map_err(|error| self.spoiled(error))?;
            self.sealed = true;
            if self.left > 0 {
                self.camp.prepare(&self.profile);
            }
        }
        Ok(())
    }
}

/// Whether something was held back, and all of it may be questions: posted, to a path that does not say that it makes or changes
/// something.
fn may_only_ask(requests: &[RequestRecord]) -> bool {
    const MAKES: &[&str] = &["create", "new", "add", "insert", "draft", "drafts", "save", "store", "update"];
    let may_ask = |request: &RequestRecord| {
        let makes = lexicon::split(&request.path).iter().any(|word| MAKES.contains(&word.as_str()));
        request.method == "POST" && !makes && !address::acts(&request.path)
    };
    let mut held = requests.iter().filter(|request| request.held && request.writes).peekable();
    held.peek().is_some() && held.all(may_ask)
}

/// What the page was told wrongly by its annotations.
fn warnings(graph: &PageGraph) -> Vec<String> {
    let told = graph.metadata.as_ref().and_then(|metadata| metadata.0.get("warnings")?.as_array());
    told.into_iter().flatten().filter_map(|warning| warning.as_str().map(str::to_owned)).collect()
}

/// Whether a page wants to know who somebody is.
pub(super) fn asks_for_credentials(graph: &PageGraph) -> bool {
    graph.elements().any(|(.., element)| {
        let classes = element.data_classes.iter().flatten();
        classes.into_iter().any(|class| *class == DataClass::Credential)
            || element.state.sensitive == Some(true)
    })
}
