//! What scouts share: places that stand ready, and what is known to be on the disk.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use compact_str::CompactString;
use tokio::task::JoinHandle;
use uiap_model::discovery::transition::StateFingerprintPolicy;
use uiap_model::web::PageGraph;

use super::control::{Control, Rein};
use super::finding::{Finding, Outcome};
use super::tour::Tour;
use crate::fingerprint::{self, Fingerprint};
use crate::ground::{Ground, GroundError, Looked, Place};
use crate::store::Store;

/// A place that is being opened.
pub(crate) type Spare<P> = JoinHandle<Result<P, GroundError>>;

/// A place that goes to where a tour begins while others are at work, and what it finds there.
pub(crate) type Ahead<P> = JoinHandle<Result<(P, Result<Looked, GroundError>), GroundError>>;

type Start = (CompactString, String);

/// How long places may take to close.
const PARTING: Duration = Duration::from_millis(300);

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
    /// Places that are being opened for whoever needs one next, by profile.
    pub(crate) spares: Mutex<HashMap<CompactString, Spare<G::Place>>>,
    /// Places that went ahead, by profile and address.
    pub(crate) ahead: Mutex<HashMap<Start, Ahead<G::Place>>>,
    /// States that were shown and not taken up yet, with the first errand that showed them.
    pub(crate) shown: Mutex<HashMap<CompactString, u64>>,
}

impl<G: Ground> Camp<G> {
    pub(crate) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn places(&self) -> MutexGuard<'_, HashMap<CompactString, Vec<G::Place>>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spares(&self) -> MutexGuard<'_, HashMap<CompactString, Spare<G::Place>>> {
        self.spares.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ahead(&self) -> MutexGuard<'_, HashMap<Start, Ahead<G::Place>>> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a place to where a tour begins, so that whoever goes on it finds the page loaded.
    pub(crate) fn send_ahead(self: &Arc<Self>, tour: &Tour) {
        let Some(url) = tour.start() else { return };
        if self.control.rein() != Rein::Go {
            return;
        }
        let (camp, profile) = (Arc::clone(self), tour.profile.clone());
        let start = (profile.clone(), url.to_owned());
        let url = start.1.clone();
        self.ahead().entry(start).or_insert_with(|| {
            let unused = self.unused(&profile);
            tokio::spawn(async move {
                let mut place = match unused {
                    Some(mut place) => {
                        place.renew().await?;
                        place
                    }
                    None => camp.open(&profile).await?,
                };
                let went = place.go(&url).await;
                Ok((place, went))
            })
        });
    }

    /// The place that went ahead of a tour.
    pub(super) async fn gone_ahead(&self, tour: &Tour) -> Option<(G::Place, Result<Looked, GroundError>)> {
        let start = (tour.profile.clone(), tour.start()?.to_owned());
        let ahead = self.ahead().remove(&start)?;
        ahead.await.ok().and_then(Result::ok)
    }

    /// A place that nobody uses at the moment.
    pub(super) fn unused(&self, profile: &str) -> Option<G::Place> {
        self.places().get_mut(profile).and_then(Vec::pop)
    }

    /// Begins to open a place while somebody is still at work in one that will be of no use afterwards.
    pub(super) fn prepare(&self, profile: &CompactString) {
        let opening = || {
            let (ground, profile) = (Arc::clone(&self.ground), profile.clone());
            tokio::spawn(async move { ground.open(&profile).await })
        };
        self.spares().entry(profile.clone()).or_insert_with(opening);
    }

    /// A place that nobody has used.
    pub(super) async fn open(&self, profile: &CompactString) -> Result<G::Place, GroundError> {
        let spare = self.spares().remove(profile);
        match spare {
            Some(spare) => match spare.await {
                Ok(opened) => opened,
                Err(_) => self.ground.open(profile).await,
            },
            None => self.ground.open(profile).await,
        }
    }

    /// Keeps a place for whoever needs one next.
    pub(crate) fn keep_place(&self, profile: &CompactString, place: G::Place) {
        self.places().entry(profile.clone()).or_default().push(place);
    }

    /// Ends every place. Nobody waits for one that is still on its way.
    pub(crate) async fn strike(&self) {
        let mut places: Vec<_> = self.places().drain().flat_map(|(_, places)| places).collect();
        let spares: Vec<_> = self.spares().drain().map(|(_, spare)| spare).collect();
        for spare in spares {
            spare.abort();
            places.extend(spare.await.ok().and_then(Result::ok));
        }
        let ahead: Vec<_> = self.ahead().drain().map(|(_, ahead)| ahead).collect();
        for ahead in ahead {
            ahead.abort();
            places.extend(ahead.await.ok().and_then(Result::ok).map(|(place, _)| place));
        }
        let closing = async {
            for place in places {
                place.close().await;
            }
        };
        // One that is dropped ends too, only nobody knows when.
        if tokio::time::timeout(PARTING, closing).await.is_err() {
            tracing::debug!("some places did not close in time");
        }
    }

    fn is_known(&self, fingerprint: &str) -> bool {
        self.known.read().unwrap_or_else(PoisonError::into_inner).contains(fingerprint)
    }

    /// Whether evidence of a state is on the disk already, or will be taken up before the turn of this errand comes. Whoever
    /// is asked later in time but earlier in turn takes its own: which one counts does not depend on who is quick.
    pub(super) fn is_shown(&self, fingerprint: &str, number: u64) -> bool {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_known(fingerprint) || shown.get(fingerprint).is_some_and(|first| *first < number)
    }

    /// Evidence of a state is on the disk.
    pub(super) fn note_shown(&self, number: u64, finding: &Finding) {
        let Outcome::Done(deal) = &finding.outcome else { return };
        if deal.arrival.graph.is_some() {
            let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
            let first = shown.entry(deal.arrival.fingerprint.clone()).or_insert(number);
            *first = number.min(*first);
        }
    }

    /// Everything that was shown is taken up.
    pub(crate) fn clear_shown(&self) {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(super) fn fingerprint(&self, graph: &PageGraph) -> Fingerprint {
        fingerprint::of(graph, &self.policy)
    }
}
