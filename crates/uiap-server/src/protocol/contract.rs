//! What the app can do, as a session is told: the built contract where there is one, on top of what every page can do.

use compact_str::CompactString;
use uiap_model::authoring::UIAPCompiledBundle;
use uiap_model::capability::document::ModelVersion;
use uiap_model::capability::{
    ActionDescriptor, CapabilityDocument, RiskLevel, SignalKind, UIAffordance, UIRole, UIStateKey,
};
use uiap_model::names::{ActionId, ProfileId};
use uiap_model::shape::{Shape, Wire};

/// The profile that is served.
pub const PROFILE: &str = "web@0.1";

/// Capabilities with the name of their state.
#[derive(Clone, Debug)]
pub struct Contract {
    document: CapabilityDocument,
    revision: CompactString,
}

impl Contract {
    /// What every page can do, with the actions that are carried out here.
    pub fn of_pages(actions: Vec<ActionDescriptor>) -> Option<Self> {
        let document = CapabilityDocument {
            model_version: ModelVersion::V01,
            profile: ProfileId::parse(PROFILE)?,
            roles: words::<UIRole>(),
            state_keys: words::<UIStateKey>(),
            affordances: words::<UIAffordance>(),
            actions,
            risk_levels: words::<RiskLevel>(),
            risk_tags: Some(words()),
            success_signal_kinds: words::<SignalKind>(),
            metadata: None,
        };
        Some(Self::of(document))
    }

    /// The same with the contract of an app: what it declares replaces what is built in.
    #[must_use]
    pub fn with_bundle(self, bundle: &UIAPCompiledBundle) -> Self {
        let Some(declared) = &bundle.capabilities else { return self };
        let mut document = self.document;
        union(&mut document.roles, &declared.roles);
        union(&mut document.state_keys, &declared.state_keys);
        union(&mut document.affordances, &declared.affordances);
        union(document.risk_tags.get_or_insert_default(), declared.risk_tags.as_deref().unwrap_or_default());
        document.actions.retain(|action| declared.actions.iter().all(|other| other.id != action.id));
        document.actions.extend(declared.actions.iter().cloned());
        document.metadata.clone_from(&declared.metadata);
        Self::of(document)
    }

    /// The same with actions that a page offers by itself; what was declared before stays as it was declared.
    #[must_use]
    pub fn with_offered(&self, offered: Vec<ActionDescriptor>) -> std::borrow::Cow<'_, Self> {
        let fresh: Vec<_> = offered.into_iter().filter(|action| self.action(&action.id).is_none()).collect();
        if fresh.is_empty() {
            return std::borrow::Cow::Borrowed(self);
        }
        let mut document = self.document.clone();
        document.actions.extend(fresh);
        std::borrow::Cow::Owned(Self::of(document))
    }

    fn of(document: CapabilityDocument) -> Self {
        let digest = uiap_model::digest::digest(&document);
        let hex = digest.as_ref().map_or("", |digest| digest.as_str().trim_start_matches("sha256:"));
        let revision = compact_str::format_compact!("cap_{}", hex.get(..16).unwrap_or(hex));
        Self { document, revision }
    }

    /// The document.
    pub fn document(&self) -> &CapabilityDocument {
        &self.document
    }

    /// Names this state; changes with the content.
    pub fn revision(&self) -> &str {
        &self.revision
    }

    /// An action as declared.
    pub fn action(&self, id: &ActionId) -> Option<&ActionDescriptor> {
        self.document.actions.iter().find(|action| action.id == *id)
    }
}

/// Every word of a vocabulary.
fn words<T: Wire + serde::de::DeserializeOwned>() -> Vec<T> {
    let Shape::Words(words) = T::shape() else { return Vec::new() };
    words.values.iter().filter_map(|word| serde_json::from_value((*word).into()).ok()).collect()
}

fn union<T: Clone + PartialEq>(all: &mut Vec<T>, more: &[T]) {
    for each in more {
        if !all.contains(each) {
            all.push(each.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_page_can_do_is_a_valid_document() {
        let contract = Contract::of_pages(Vec::new()).unwrap();
        let problems = uiap_model::capability::check::check(contract.document());
        assert!(uiap_model::problem::acceptable(&problems), "{problems:?}");
        assert!(contract.document().roles.len() > 40);
        assert!(contract.revision().starts_with("cap_"));
    }
}
