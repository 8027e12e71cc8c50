//! What a principal may do, as a set; the general grants imply the weaker ones.

use compact_str::CompactString;
use uiap_model::names::Extension;
use uiap_model::policy::PolicyGrant;

/// A set of grants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    bits: u16,
    extensions: Vec<CompactString>,
}

/// From the strongest to the weakest: each implies the next.
const LADDER: [PolicyGrant; 5] =
    [PolicyGrant::Admin, PolicyGrant::Act, PolicyGrant::Draft, PolicyGrant::Guide, PolicyGrant::Observe];

fn bit(grant: &PolicyGrant) -> u16 {
    match grant {
        PolicyGrant::Observe => 1,
        PolicyGrant::Guide => 1 << 1,
        PolicyGrant::Draft => 1 << 2,
        PolicyGrant::Act => 1 << 3,
        PolicyGrant::Admin => 1 << 4,
        PolicyGrant::ReadSensitive => 1 << 5,
        PolicyGrant::ReadSecret => 1 << 6,
        PolicyGrant::WriteSensitive => 1 << 7,
        PolicyGrant::Billing => 1 << 8,
        PolicyGrant::Identity => 1 << 9,
        PolicyGrant::Security => 1 << 10,
        PolicyGrant::X(_) => 0,
    }
}

impl Grants {
    /// Exactly these, without what they imply.
    pub fn listed<'a>(grants: impl IntoIterator<Item = &'a PolicyGrant>) -> Self {
        let mut set = Self::default();
        for grant in grants {
            set.bits |= bit(grant);
            if let PolicyGrant::X(name) = grant {
                set.extensions.push(name.as_str().into());
            }
        }
        set.extensions.sort_unstable();
        set.extensions.dedup();
        set
    }

    /// These and what they imply. Grants of a domain imply nothing.
    pub fn held<'a>(grants: impl IntoIterator<Item = &'a PolicyGrant>) -> Self {
        let mut set = Self::listed(grants);
        let mut implied = false;
        for step in &LADDER {
            implied |= set.bits & bit(step) != 0;
            if implied {
                set.bits |= bit(step);
            }
        }
        set
    }

    /// Whether the grant is in the set.
    pub fn has(&self, grant: &PolicyGrant) -> bool {
        match grant {
            PolicyGrant::X(name) => self.extensions.iter().any(|each| each == name.as_str()),
            known => self.bits & bit(known) != 0,
        }
    }

    /// Whether the sets share a grant.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.bits & other.bits != 0 || self.extensions.iter().any(|name| other.extensions.contains(name))
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.bits == 0 && self.extensions.is_empty()
    }

    /// What this set has and `held` lacks.
    pub(crate) fn without(&self, held: &Self) -> Self {
        let extensions = if self.extensions.is_empty() {
            Vec::new()
        } else {
            self.extensions.iter().filter(|name| !held.extensions.contains(name)).cloned().collect()
        };
        Self { bits: self.bits & !held.bits, extensions }
    }

    /// Adds everything of `other`.
    pub(crate) fn unite(&mut self, other: &Self) {
        self.bits |= other.bits;
        for name in &other.extensions {
            if !self.extensions.contains(name) {
                self.extensions.push(name.clone());
            }
        }
        self.extensions.sort_unstable();
    }

    /// The grants in the order of the vocabulary.
    pub fn list(&self) -> Vec<PolicyGrant> {
        let known = PolicyGrant::ALL.iter().filter(|grant| self.bits & bit(grant) != 0).cloned();
        let extensions = self.extensions.iter().filter_map(|name| Extension::parse(name).map(PolicyGrant::X));
        known.chain(extensions).collect()
    }
}
