//! A ground that shows another one without what is private. What was taken out is remembered as long as the run lives, and nowhere
//! else: an address that is asked for without its secret still leads somewhere.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use uiap_model::names::ElementInstanceId;

use super::{Uncoverable, covered, without_private};
use crate::ground::{Acted, AppDocument, Deed, Evidence, Ground, GroundError, Looked, Place, Traffic};
use crate::record::{Incident, IncidentKind};

/// What stood where something was covered.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Real {
    /// This.
    One(String),
    /// More than one thing, which look alike now.
    Several,
}

/// What was covered, by what is shown in its place.
#[derive(Debug, Default)]
struct Vault(Mutex<HashMap<String, Real>>);

impl Vault {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Real>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, shown: &str, real: &str) {
        let mut known = self.lock();
        let first = known.entry(shown.to_owned()).or_insert_with(|| Real::One(real.to_owned()));
        if !matches!(first, Real::One(before) if before == real) {
            *first = Real::Several;
        }
    }

    /// What is meant by what is shown; an error where nobody can say.
    fn real(&self, shown: &str) -> Result<String, GroundError> {
        match self.lock().get(shown) {
            None => Ok(shown.to_owned()),
            Some(Real::One(real)) => Ok(real.clone()),
            Some(Real::Several) => {
                let detail =
                    format!("`{shown}` stands for more than one, which look alike once they are covered");
                Err(GroundError::new(IncidentKind::NotReproducible, detail))
            }
        }
    }

    fn cover<T: Serialize + DeserializeOwned>(&self, value: &mut T) -> Result<(), Uncoverable> {
        if let Some(without) = without_private(value, &mut |shown, real| self.note(shown, real))? {
            *value = without;
        }
        Ok(())
    }

    /// Covers what can be done without: what cannot be covered is dropped, with a word.
    fn cover_or_drop<T: Serialize + DeserializeOwned + Default>(&self, value: &mut T) -> Option<String> {
        let error = self.cover(value).err()?;
        *value = T::default();
        Some(error.to_string())
    }
}

fn malformed(detail: String) -> Incident {
    Incident { kind: IncidentKind::Malformed, state_id: None, url: None, detail }
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

    fn is_somebody(&self, profile: &str) -> bool {
        self.ground.is_somebody(profile)
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
    fn real(&self, shown: &str) -> Result<String, GroundError> {
        self.vault.as_ref().map_or_else(|| Ok(shown.to_owned()), |vault| vault.real(shown))
    }

    /// The deed with what stood in its place.
    fn meant(&self, deed: &Deed) -> Result<Deed, GroundError> {
        Ok(match deed {
            Deed::Go { url } => Deed::Go { url: self.real(url)? },
            Deed::Choose { value } => Deed::Choose { value: self.real(value)? },
            other => other.clone(),
        })
    }

    /// What a page is known to write by itself. What nobody can tell apart is not known.
    fn known(&self, idle: &BTreeSet<Traffic>) -> BTreeSet<Traffic> {
        let real = |each: &Traffic| {
            let (path, page) = (self.real(&each.path).ok()?, self.real(&each.page).ok()?);
            Some(Traffic { method: each.method.clone(), path, page, gist: each.gist.clone() })
        };
        idle.iter().filter_map(real).collect()
    }

    fn looked(&self, looked: Result<Looked, GroundError>) -> Result<Looked, GroundError> {
        let Some(vault) = &self.vault else { return looked };
        let mut looked = looked.map_err(|error| cover_error(Some(vault), error))?;
        // A page that cannot be covered is not looked at.
        let uncovered = |error: Uncoverable| GroundError::new(IncidentKind::Malformed, error.to_string());
        vault.cover(&mut looked.graph).map_err(uncovered)?;
        let dropped = [
            vault.cover_or_drop(&mut looked.incidents),
            vault.cover_or_drop(&mut looked.self_writes),
            vault.cover_or_drop(&mut looked.late),
        ];
        looked.incidents.extend(dropped.into_iter().flatten().map(malformed));
        Ok(looked)
    }
}

impl<P: Place> Place for Covered<P> {
    async fn renew(&mut self) -> Result<bool, GroundError> {
        self.place.renew().await.map_err(|error| cover_error(self.vault.as_deref(), error))
    }

    async fn go(&mut self, url: &str) -> Result<Looked, GroundError> {
        let looked = self.place.go(&self.real(url)?).await;
        self.looked(looked)
    }

    async fn act(
        &mut self,
        deed: &Deed,
        target: Option<&ElementInstanceId>,
        idle: &BTreeSet<Traffic>,
    ) -> Result<Acted, GroundError> {
        let acted = self.place.act(&self.meant(deed)?, target, &self.known(idle)).await;
        let Acted { looked, mut signals, mut requests } =
            acted.map_err(|error| cover_error(self.vault.as_deref(), error))?;
        let mut looked = self.looked(Ok(looked))?;
        if let Some(vault) = &self.vault {
            let dropped = [vault.cover_or_drop(&mut signals), vault.cover_or_drop(&mut requests)];
            looked.incidents.extend(dropped.into_iter().flatten().map(malformed));
        }
        Ok(Acted { looked, signals, requests })
    }

    async fn leads(&mut self, target: &ElementInstanceId) -> Result<Option<String>, GroundError> {
        self.place.leads(target).await.map_err(|error| cover_error(self.vault.as_deref(), error))
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
        let meant = match deed {
            Some((deed, target)) => Some((self.meant(deed)?, target)),
            None => None,
        };
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

    async fn read(&mut self, address: &str) -> Result<Option<String>, GroundError> {
        self.place.read(address).await.map_err(|error| cover_error(self.vault.as_deref(), error))
    }

    async fn evidence(&mut self) -> Result<Evidence, GroundError> {
        let mut evidence =
            self.place.evidence().await.map_err(|error| cover_error(self.vault.as_deref(), error))?;
        if let Some(vault) = &self.vault {
            // Without a richer graph the one stands that was looked at, which is covered.
            let dropped = [
                vault.cover_or_drop(&mut evidence.graph),
                vault.cover_or_drop(&mut evidence.accessibility),
                vault.cover_or_drop(&mut evidence.actions),
                vault.cover_or_drop(&mut evidence.routes),
                vault.cover_or_drop(&mut evidence.faults),
            ];
            evidence.faults.extend(dropped.into_iter().flatten());
        }
        Ok(evidence)
    }

    async fn close(self) {
        self.place.close().await;
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[test]
    fn two_addresses_that_look_alike_once_covered_are_never_confused() {
        let vault = Vault::default();
        let mut first = vec!["http://app.test/join?mail=one@example.com".to_owned()];
        vault.cover(&mut first).unwrap();
        let shown = first.pop().unwrap();
        assert_eq!(vault.real(&shown).unwrap(), "http://app.test/join?mail=one@example.com");
        let mut second = vec!["http://app.test/join?mail=two@example.com".to_owned()];
        vault.cover(&mut second).unwrap();
        assert_eq!(second.first(), Some(&shown), "they look alike");
        assert!(vault.real(&shown).unwrap_err().detail.contains("more than one"));
        assert_eq!(vault.real("http://app.test/").unwrap(), "http://app.test/");
    }

    /// A text that has to be an address of somebody.
    #[derive(Debug, Default, Clone, Serialize, Deserialize)]
    #[serde(try_from = "String", into = "String")]
    struct Strict(String);

    impl TryFrom<String> for Strict {
        type Error = &'static str;

        fn try_from(text: String) -> Result<Self, Self::Error> {
            if text.is_empty() || text.contains('@') { Ok(Self(text)) } else { Err("that is nobody's") }
        }
    }

    impl From<Strict> for String {
        fn from(strict: Strict) -> Self {
            strict.0
        }
    }

    #[test]
    fn what_cannot_be_covered_is_dropped_and_told() {
        let vault = Vault::default();
        let mut value = Strict("somebody@example.com".to_owned());
        assert!(vault.cover(&mut value.clone()).is_err());
        let told = vault.cover_or_drop(&mut value).unwrap();
        assert!(told.contains("could not be covered") && !told.contains("somebody"), "{told}");
        assert_eq!(value.0, "");
    }
}
