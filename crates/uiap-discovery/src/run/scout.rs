//! Goes to a state, does what it was sent for, and brings home what it saw. Knows nothing of the other scouts.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use compact_str::{CompactString, format_compact};
use tokio::sync::mpsc::UnboundedSender;
use tracing::{Instrument as _, debug_span};
use uiap_model::discovery::transition::StateFingerprintPolicy;
use uiap_model::policy::DataClass;
use uiap_model::web::PageGraph;

use super::compare::{consequence, is_longer, likeness, opens_layer};
use super::control::{Control, Rein};
use super::finding::{Arrival, Deal, Finding, Outcome};
use super::node::{Details, Way};
use super::undo::undo;
use crate::candidate::find;
use crate::fingerprint::{self, Fingerprint};
use crate::ground::{Acted, Evidence, Ground, GroundError, Looked, Place, Step, Traffic};
use crate::record::{Incident, IncidentKind};
use crate::store::Store;

/// Longest time for one errand with its way.
const ERRAND: Duration = Duration::from_mins(1);

/// What scouts share.
pub(crate) struct Camp<G: Ground> {
    pub(crate) ground: Arc<G>,
    pub(crate) policy: StateFingerprintPolicy,
    pub(crate) store: Arc<Mutex<Store>>,
    pub(crate) control: Control,
    /// Where pictures go.
    pub(crate) gallery: Option<PathBuf>,
    /// States that are on the disk already.
    pub(crate) known: RwLock<HashSet<CompactString>>,
    /// Places that nobody uses at the moment, by profile.
    pub(crate) places: Mutex<HashMap<CompactString, Vec<G::Place>>>,
}

/// What a scout is sent for: a state, and things to do there one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Visit {
    pub(crate) profile: CompactString,
    /// Ways to the state, the first that works is taken; none for seeds.
    pub(crate) ways: Vec<Way>,
    pub(crate) errands: Vec<Errand>,
    pub(crate) idle: Arc<BTreeSet<Traffic>>,
}

/// One thing to do.
#[derive(Clone, Debug)]
pub(crate) struct Errand {
    pub(crate) number: u64,
    pub(crate) task: Task,
}

/// What is to be done.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// Open an address.
    Open(String),
    /// Do something in the state.
    Do { step: Box<Step>, once: bool },
}

/// The state as the scout found it.
struct Home {
    graph: Arc<PageGraph>,
    likeness: u64,
}

#[derive(Default)]
struct Notes {
    replays: Vec<(CompactString, bool)>,
    deep: Option<bool>,
    incidents: Vec<Incident>,
    self_writes: Vec<Traffic>,
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

impl<G: Ground> Camp<G> {
    pub(crate) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn places(&self) -> MutexGuard<'_, HashMap<CompactString, Vec<G::Place>>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a place for whoever needs one next.
    pub(crate) fn keep_place(&self, profile: &CompactString, place: G::Place) {
        self.places().entry(profile.clone()).or_default().push(place);
    }

    /// Ends every place.
    pub(crate) async fn strike(&self) {
        let places: Vec<_> = self.places().drain().flat_map(|(_, places)| places).collect();
        for place in places {
            place.close().await;
        }
    }

    fn is_known(&self, fingerprint: &str) -> bool {
        self.known.read().unwrap_or_else(PoisonError::into_inner).contains(fingerprint)
    }

    fn fingerprint(&self, graph: &PageGraph) -> Fingerprint {
        fingerprint::of(graph, &self.policy)
    }
}

/// Runs a visit; each finding is sent as soon as there is one.
pub(crate) async fn visit<G: Ground>(
    camp: Arc<Camp<G>>,
    visit: Visit,
    found: UnboundedSender<(u64, Finding)>,
) {
    let place = camp.places().get_mut(&visit.profile).and_then(Vec::pop);
    let mut scout =
        Scout { camp: Arc::clone(&camp), visit: &visit, place, home: None, renewed: false, sealed: false };
    for (at, errand) in visit.errands.iter().enumerate() {
        if camp.control.released().await == Rein::Cancel {
            break;
        }
        let last = at + 1 == visit.errands.len();
        let mut notes = Notes::default();
        let in_time = tokio::time::timeout(ERRAND, scout.run(errand, last, &mut notes)).await;
        let outcome = in_time.unwrap_or_else(|_| {
            scout.forsake();
            let detail = format!("nothing came of it within {} seconds", ERRAND.as_secs());
            Outcome::Failed { kind: IncidentKind::NeverSettled, detail }
        });
        let Notes { replays, deep, incidents, self_writes } = notes;
        let finding = Finding { replays, deep, incidents, self_writes, outcome };
        // On the disk before anything else is done: whoever goes on with the run does not do it again.
        if let Err(error) = camp.store().result(errand.number, &finding) {
            tracing::error!(%error, "a finding could not be kept");
        }
        // Nobody listens any more when the run was stopped.
        drop(found.send((errand.number, finding)));
    }
    let sealed = scout.sealed;
    if let Some(place) = scout.place.take() {
        if sealed {
            return place.close().await;
        }
        camp.keep_place(&visit.profile, place);
    }
}

struct Scout<'a, G: Ground> {
    camp: Arc<Camp<G>>,
    visit: &'a Visit,
    place: Option<G::Place>,
    /// Where it is, when it is in the state that it was sent to.
    home: Option<Home>,
    renewed: bool,
    /// Whether nothing leaves its place any more.
    sealed: bool,
}

impl<G: Ground> Scout<'_, G> {
    async fn run(&mut self, errand: &Errand, last: bool, notes: &mut Notes) -> Outcome {
        let (step, once) = match &errand.task {
            Task::Open(url) => return self.open(url, notes).await.unwrap_or_else(Outcome::failed),
            Task::Do { step, once } => (step, *once),
        };
        if once && self.camp.store().was_begun(errand.number).unwrap_or(true) {
            return Outcome::Interrupted;
        }
        match self.reach(notes).instrument(debug_span!("explore.go_to_state")).await {
            Ok(()) => {}
            Err(Astray::Ground(error)) => return Outcome::failed(error),
            Err(Astray::Lost { detail, expired }) => return Outcome::Lost { detail, expired },
        }
        if once && let Err(error) = self.camp.store().begin(errand.number) {
            return Outcome::Missed(error.to_string());
        }
        self.perform(step, last, notes).await.unwrap_or_else(Outcome::failed)
    }

    /// Does the step in the state that it stands in.
    async fn perform(&mut self, step: &Step, last: bool, notes: &mut Notes) -> Result<Outcome, GroundError> {
        let Some(home) = self.home.take() else { return Ok(Outcome::Missed("it was not there".to_owned())) };
        let (graph, likeness) = (home.graph, home.likeness);
        let target =
            step.aim.as_ref().and_then(|aim| find(&graph, aim)).map(|element| element.instance_id.clone());
        if let (Some(aim), None) = (&step.aim, &target) {
            self.home = Some(Home { graph, likeness });
            return Ok(Outcome::Missed(format!("`{}` is not there any more", aim.name)));
        }
        if step.sealed {
            self.seal().await?;
        }
        let idle = Arc::clone(&self.visit.idle);
        let acting = debug_span!("explore.act");
        let acted = match self.place().await?.act(&step.deed, target.as_ref(), &idle).instrument(acting).await
        {
            Ok(acted) => acted,
            Err(error) => return Err(self.spoiled(error)),
        };
        let Acted { looked, signals, requests } = acted;
        let Looked { graph: after, incidents, self_writes } = looked;
        notes.incidents.extend(incidents);
        notes.self_writes.extend(self_writes);
        if step.sealed && !opens_layer(&graph, &after) {
            // What it shows now is what it makes of an answer that never came: no state of the app.
            return Ok(Outcome::Held(requests));
        }
        let mark = self.camp.fingerprint(&after);
        let consequence = consequence(step, &graph, &after, &mark.hash);
        let more = is_longer(&graph, &after) && self.camp.fingerprint(&graph).hash == mark.hash;
        let arrival = self.arrival(&after, &mark).await?;
        if !last {
            self.return_quickly(step, Home { graph, likeness }, &after)
                .instrument(debug_span!("explore.return"))
                .await;
        }
        Ok(Outcome::Done(Box::new(Deal { arrival, signals, requests, consequence, more })))
    }

    /// Opens an address that somebody proposed.
    async fn open(&mut self, url: &str, notes: &mut Notes) -> Result<Outcome, GroundError> {
        self.home = None;
        let place = self.place().await?;
        place.renew().await?;
        let looked = place.go(url).await;
        let looked = looked.map_err(|error| self.spoiled(error))?;
        notes.incidents.extend(looked.incidents);
        notes.self_writes.extend(looked.self_writes);
        let mark = self.camp.fingerprint(&looked.graph);
        Ok(Outcome::Arrived(Box::new(self.arrival(&looked.graph, &mark).await?)))
    }

    /// Makes sure that it stands in the state. A place that cannot find it is given up once: a fresh one is logged in.
    async fn reach(&mut self, notes: &mut Notes) -> Result<(), Astray> {
        if self.home.is_some() {
            return Ok(());
        }
        if self.travel(notes).await.is_ok() {
            return Ok(());
        }
        self.forsake();
        self.travel(notes).await
    }

    async fn travel(&mut self, notes: &mut Notes) -> Result<(), Astray> {
        self.travel_all(notes).instrument(debug_span!("explore.travel")).await
    }

    async fn travel_all(&mut self, notes: &mut Notes) -> Result<(), Astray> {
        if self.sealed {
            self.forsake();
        }
        let mut astray = Astray::Lost { detail: "no way is known".to_owned(), expired: false };
        for way in &self.visit.ways {
            if !std::mem::replace(&mut self.renewed, true) {
                self.place().await?.renew().await?;
            }
            match self.follow(way, notes).await {
                Ok(graph) => {
                    if way.is_deep {
                        notes.deep = Some(true);
                    }
                    let likeness = likeness(&graph);
                    self.home = Some(Home { graph, likeness });
                    return Ok(());
                }
                Err(error) => {
                    if way.is_deep {
                        notes.deep = Some(false);
                    }
                    astray = error;
                }
            }
        }
        Err(astray)
    }

    async fn follow(&mut self, way: &Way, notes: &mut Notes) -> Result<Arc<PageGraph>, Astray> {
        let looked = match self.place().await?.go(&way.url).await {
            Ok(looked) => looked,
            Err(error) => return Err(self.spoiled(error).into()),
        };
        // What a page asks when it is left belongs to the page that was left; the rest was told when it was found.
        let asked = |each: &Incident| each.kind == IncidentKind::BeforeUnload;
        notes.incidents.extend(looked.incidents.into_iter().filter(asked));
        notes.self_writes.extend(looked.self_writes);
        let mut graph = looked.graph;
        self.expect(&graph, &way.first)?;
        for leg in &way.legs {
            let gone = || Astray::Lost {
                detail: "something on the way is not there any more".to_owned(),
                expired: false,
            };
            let target = match &leg.step.aim {
                Some(aim) => Some(find(&graph, aim).ok_or_else(gone)?.instance_id.clone()),
                None => None,
            };
            if leg.step.sealed {
                self.seal().await?;
            }
            let idle = Arc::clone(&self.visit.idle);
            let acted = match self.place().await?.act(&leg.step.deed, target.as_ref(), &idle).await {
                Ok(acted) => acted,
                Err(error) => return Err(self.spoiled(error).into()),
            };
            notes.self_writes.extend(acted.looked.self_writes);
            graph = acted.looked.graph;
            let arrived = self.expect(&graph, &leg.then);
            notes.replays.push((leg.transition_id.clone(), arrived.is_ok()));
            arrived?;
        }
        Ok(graph)
    }

    fn expect(&self, graph: &PageGraph, fingerprint: &str) -> Result<(), Astray> {
        let found = self.camp.fingerprint(graph);
        if found.hash == fingerprint {
            return Ok(());
        }
        tracing::debug!(url = %graph.route.url, expected = %fingerprint, found = %found.hash, "the way led elsewhere");
        let detail = format!("the way led to `{}` in another state", graph.route.url);
        Err(Astray::Lost { detail, expired: asks_for_credentials(graph) })
    }

    /// Tries the cheap ways back; only a page that is the same to the letter counts.
    async fn return_quickly(&mut self, step: &Step, home: Home, after: &PageGraph) {
        if likeness(after) == home.likeness {
            self.home = Some(home);
            return;
        }
        match self.step_back(step, &home, after).await {
            Ok(looked) if likeness(&looked.graph) == home.likeness => {
                self.home = Some(Home { graph: looked.graph, likeness: home.likeness });
            }
            Ok(looked) => {
                let what = super::compare::first_difference(&home.graph, &looked.graph);
                tracing::debug!(aim = ?step.aim.as_ref().map(|aim| &aim.name), what, "there is no quick way back");
            }
            Err(error) => {
                self.spoiled(error);
            }
        }
    }

    async fn step_back(
        &mut self,
        step: &Step,
        home: &Home,
        after: &PageGraph,
    ) -> Result<Looked, GroundError> {
        let idle = Arc::clone(&self.visit.idle);
        let place = self.place().await?;
        let undone = undo(step, &home.graph, after);
        // Tabs and filters write themselves into the address without a step in the history.
        let moved = after.route.path != home.graph.route.path;
        if moved || (undone.is_none() && after.route.url != home.graph.route.url) {
            return place.back().await;
        }
        let looked = place.undo(undone.as_ref().map(|(deed, target)| (deed, target)), &idle).await?;
        // What was undone at once needs no rest: whatever comes next waits for its own.
        if likeness(&looked.graph) == home.likeness { Ok(looked) } else { place.rest().await }
    }

    /// What is known of the state that it stands in; evidence is taken of a new one.
    async fn arrival(&mut self, graph: &Arc<PageGraph>, mark: &Fingerprint) -> Result<Arrival, GroundError> {
        let mut arrival = Arrival {
            state_id: mark.state_id(),
            fingerprint: mark.hash.clone(),
            url: graph.route.url.to_string(),
            title: graph.route.title.as_deref().unwrap_or_default().to_owned(),
            locale: graph.locale.clone(),
            graph: None,
            details: Details::default(),
            screenshot: None,
            routes: Vec::new(),
            faults: Vec::new(),
        };
        if self.camp.is_known(&mark.hash) {
            return Ok(arrival);
        }
        let evidence = self.place().await?.evidence().instrument(debug_span!("explore.evidence")).await;
        let Evidence { graph: richer, picture, accessibility, actions, routes, faults } =
            evidence.map_err(|error| self.spoiled(error))?;
        let richer = richer.unwrap_or_else(|| Arc::clone(graph));
        arrival.faults = faults;
        arrival.faults.extend(warnings(&richer));
        arrival.graph = Some(Box::new(Arc::unwrap_or_clone(richer)));
        arrival.details = Details { accessibility, actions };
        arrival.routes = routes;
        if let Some(picture) = picture {
            arrival.screenshot = self.hang(&arrival.state_id, &picture);
        }
        Ok(arrival)
    }

    /// Stores a picture. Without one the state is still a state.
    fn hang(&self, state_id: &str, picture: &[u8]) -> Option<String> {
        let gallery = self.camp.gallery.as_ref()?;
        let name = format_compact!("{state_id}.png");
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
            self.camp.ground.open(&self.visit.profile).await?
        };
        Ok(self.place.insert(place))
    }

    /// An error that makes the place useless ends it.
    fn spoiled(&mut self, error: GroundError) -> GroundError {
        self.home = None;
        if error.is_lost {
            self.forsake();
        }
        error
    }

    fn forsake(&mut self) {
        self.home = None;
        self.place = None;
        self.sealed = false;
    }

    async fn seal(&mut self) -> Result<(), GroundError> {
        if !self.sealed {
            let sealed = self.place().await?.seal().await;
            sealed.map_err(|error| self.spoiled(error))?;
            self.sealed = true;
        }
        Ok(())
    }
}

/// What the page was told wrongly by its annotations.
fn warnings(graph: &PageGraph) -> Vec<String> {
    let told = graph.metadata.as_ref().and_then(|metadata| metadata.0.get("warnings")?.as_array());
    told.into_iter().flatten().filter_map(|warning| warning.as_str().map(str::to_owned)).collect()
}

/// Whether a page wants to know who somebody is.
fn asks_for_credentials(graph: &PageGraph) -> bool {
    graph.elements().any(|(.., element)| {
        let classes = element.data_classes.iter().flatten();
        classes.into_iter().any(|class| *class == DataClass::Credential)
            || element.state.sensitive == Some(true)
    })
}
