//! Asking for capabilities and answering.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::capability::CapabilityDocument;
use crate::core::error::{CoreErrorCode, ErrorPayload};
use crate::names::ProfileId;

/// Payload of the request `capabilities.get`.
#[wire]
pub struct CapabilitiesGetPayload {
    pub profile: Option<ProfileId>,
    pub if_revision_not: Option<CompactString>,
}

/// Payload of the response `capabilities.list`.
#[wire]
pub struct CapabilitiesListPayload {
    pub revision: CompactString,
    pub not_modified: Option<bool>,
    /// One for each selected profile.
    pub documents: Vec<CapabilityDocument>,
}

/// Payload of the event `capabilities.changed`.
#[wire]
pub struct CapabilitiesChangedPayload {
    pub revision: CompactString,
    pub reason: Option<CompactString>,
}

/// What a session may be told.
#[derive(Clone, Debug)]
pub struct Disclosure<'a> {
    /// The present revision.
    pub revision: &'a str,
    /// One document for each selected profile.
    pub documents: &'a [CapabilityDocument],
    /// Whether the asking peer was authorised; capability documents tell which privileged actions exist.
    pub authorised: bool,
}

impl Disclosure<'_> {
    /// Answers `capabilities.get`.
    pub fn answer(&self, asked: &CapabilitiesGetPayload) -> Result<CapabilitiesListPayload, ErrorPayload> {
        if !self.authorised {
            return Err(ErrorPayload::new(CoreErrorCode::Forbidden, "not authorised to read capabilities"));
        }
        let documents: Vec<_> = match &asked.profile {
            None => self.documents.to_vec(),
            Some(profile) => {
                let found = self.documents.iter().find(|document| document.profile == *profile);
                vec![found.ok_or_else(|| unselected(profile))?.clone()]
            }
        };
        let not_modified = asked.if_revision_not.as_deref() == Some(self.revision);
        Ok(CapabilitiesListPayload {
            revision: self.revision.into(),
            not_modified: not_modified.then_some(true),
            documents: if not_modified { Vec::new() } else { documents },
        })
    }
}

fn unselected(profile: &ProfileId) -> ErrorPayload {
    ErrorPayload::new(
        CoreErrorCode::UnsupportedProfile,
        format!("profile `{profile}` was not selected for this session"),
    )
}
