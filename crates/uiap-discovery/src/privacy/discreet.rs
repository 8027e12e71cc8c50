//! A ground that shows another one without what is private. What was taken out is remembered as long as the run lives, and nowhere
//! else: an address that is asked for without its secret still leads somewhere.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use uiap_model::names::ElementInstanceId;

use super::{covered, without_private};
use crate::ground::{Acted, AppDocument, Deed, Evidence, Ground, GroundError, Looked, Place, Traffic};

/// What stood where something was covered.
#[derive(Debug, Default)]
struct Vault(Mutex<HashMap<String, String>>);

impl Vault {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn real(&self, shown: &str) -> String {
        self.lock().get(shown).map_or_else(|| shown.to_owned(), Clone::clone)
    }

    fn cover<T: Serialize + DeserializeOwned>(&self, value: &mut T) {
        let mut told = |shown: &str, real: &str| {
            self.lock().entry(shown.to_owned()).or_insert_with(|| real.to_owned());
        };
        if let Some(without) = without_private(value, &mut told) {
            *value = without;
        }
    }
}

/// A ground without what is private.
pub(crate) struct Discreet<G> {
    ground: Arc<G>,
    vault: Option<Arc<Vault>>,
}

impl<G: Ground> Discreet<G> {
    pub(crate) fn new(ground: Arc<G>) -> Self {
        let vault = (!ground.keeps_private()).then(Arc::default);
        Self { ground, vault }
    }
}

impl<G: Ground> Ground for Discreet<G> {
    type Place = Covered<G::Place>;

    async fn open(&self, profile: &str) -> Result<Self::Place, GroundError> {
        let place = self.ground.open(profile).await;
        let vault = self.vault.clone();
        place
            .map(|place| Covered { place, vault: vault.clone() })
            .map_err(|error| cover_error(vault.as_deref(), error))
    }
}

fn cover_error(vault: Option<&Vault>, mut error: GroundError) -> GroundError {
    if vault.is_some()
        && let Some(shown) = covered(&error.detail)
    {
        error.detail = shown;
    }
    error
}

/// A place without what is private.
pub(crate) struct Covered<P> {
    place: P,
    vault: Option<Arc<Vault>>,
}

impl<P> Covered<P> {
    fn real(&self, shown: &str) -> String {
        self.vault.as_ref().map_or_else(|| shown.to_owned(), |vault| vault.real(shown))
    }

    /// The deed with what stood in its place.
    fn meant(&self, deed: &Deed) -> Deed {
        match deed {
            Deed::Go { url } => Deed::Go { url: self.real(url) },
            Deed::Choose { value } => Deed::Choose { value: self.real(value) },
            other => other.clone(),
        }
    }

    fn known(&self, idle: &BTreeSet<Traffic>) -> BTreeSet<Traffic> {
        let real = |each: &Traffic| Traffic { method: each.method.clone(), path: self.real(&each.path) };
        idle.iter().map(real).collect()
    }

    fn looked(&self, looked: Result<Looked, GroundError>) -> Result<Looked, GroundError> {
        let Some(vault) = &self.vault else { return looked };
        let mut looked = looked.map_err(|error| cover_error(Some(vault), error))?;
        vault.cover(&mut looked.graph);
        vault.cover(&mut looked.incidents);
        vault.cover(&mut looked.self_writes);
        Ok(looked)
    }
}

impl<P: Place> Place for Covered<P> {
    async fn renew(&mut self) -> Result<bool, GroundError> {
        self.place.renew().await.map_err(|error| cover_error(self.vault.as_deref(), error))
    }

    async fn go(&mut self, url: &str) -> Result<Looked, GroundError> {
        let looked = self.place.go(&self.real(url)).await;
        self.looked(looked)
    }

    async fn act(
        &mut self,
        deed: &Deed,
        target: Option<&ElementInstanceId>,
        idle: &BTreeSet<Traffic>,
    ) -> Result<Acted, GroundError> {
        let acted = self.place.act(&self.meant(deed), target, &self.known(idle)).await;
        let Acted { looked, mut signals, mut requests } =
            acted.map_err(|error| cover_error(self.vault.as_deref(), error))?;
        if let Some(vault) = &self.vault {
            vault.cover(&mut signals);
            vault.cover(&mut requests);
        }
        Ok(Acted { looked: self.looked(Ok(looked))?, signals, requests })
    }

    async fn rest(&mut self) -> Result<Looked, GroundError> {
        let looked = self.place.rest().await;
        self.looked(looked)
    }

    async fn back(&mut self) -> Result<Looked, GroundError> {
        let looked = self.place.back().await;
        self.looked(looked)
    }

    async fn undo(
        &mut self,
        deed: Option<(&Deed, &ElementInstanceId)>,
        idle: &BTreeSet<Traffic>,
    ) -> Result<Looked, GroundError> {
        let meant = deed.map(|(deed, target)| (self.meant(deed), target));
        let known = self.known(idle);
        let looked = self.place.undo(meant.as_ref().map(|(deed, target)| (deed, *target)), &known).await;
        self.looked(looked)
    }

    async fn seal(&mut self) -> Result<(), GroundError> {
        self.place.seal().await.map_err(|error| cover_error(self.vault.as_deref(), error))
    }

    async fn documents(&mut self) -> Vec<AppDocument> {
        let mut documents = self.place.documents().await;
        // What is wrong with one is told with the words that stand there.
        for document in documents.iter_mut().filter(|_| self.vault.is_some()) {
            if let Some(shown) = covered(&document.text) {
                document.text = shown;
            }
        }
        documents
    }

    async fn evidence(&mut self) -> Result<Evidence, GroundError> {
        let mut evidence =
            self.place.evidence().await.map_err(|error| cover_error(self.vault.as_deref(), error))?;
        if let Some(vault) = &self.vault {
            vault.cover(&mut evidence.graph);
            vault.cover(&mut evidence.accessibility);
            vault.cover(&mut evidence.actions);
            vault.cover(&mut evidence.routes);
            vault.cover(&mut evidence.faults);
        }
        Ok(evidence)
    }

    async fn close(self) {
        self.place.close().await;
    }
}
