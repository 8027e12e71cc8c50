//! What two peers agree on, as pure functions.

use crate::core::error::{CoreErrorCode, ErrorPayload};
use crate::core::limits::{Limits, SessionLimits};
use crate::core::session::{
    ExtensionOffer, ExtensionSelection, SessionInitializePayload, SessionInitializedPayload,
};
use crate::names::{ExtensionId, ProfileId};
use crate::problem::{Code, Problem};
use crate::version::Version;

/// A peer selected what was never offered.
pub const NOT_OFFERED: Code = Code("UIAP-M022");
/// A name that is not the vendor's to give.
pub const RESERVED_NAME: Code = Code("UIAP-M023");

/// The former name of `uiap.policy`, still accepted and answered in kind.
pub const POLICY_ALIAS: &str = "uicp.policy";
/// The policy extension.
pub const POLICY: &str = "uiap.policy";

/// What the owner of a session can do.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Versions of the protocol.
    pub versions: Vec<Version>,
    /// Profiles.
    pub profiles: Vec<ProfileId>,
    /// Extensions with their versions.
    pub extensions: Vec<(ExtensionId, Vec<Version>)>,
    /// Limits, where the owner states any.
    pub limits: Option<SessionLimits>,
}

/// What both sides agreed on.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// Carried by every later envelope.
    pub version: Version,
    /// A subset of what was offered, never empty.
    pub profiles: Vec<ProfileId>,
    /// At most one entry for each extension, under the name that the peer offered.
    pub extensions: Vec<ExtensionSelection>,
    /// The smaller limits of both.
    pub limits: Limits,
}

impl Offer {
    /// Answers `session.initialize`, or tells why there is no session.
    pub fn negotiate(&self, asked: &SessionInitializePayload) -> Result<Agreement, ErrorPayload> {
        let problems = asked.check();
        if !problems.is_empty() {
            let placed: Vec<Problem> =
                problems.into_iter().map(|problem| problem.under("/payload")).collect();
            return Err(ErrorPayload::from_problems(CoreErrorCode::InvalidPayload, &placed));
        }
        Ok(Agreement {
            version: self.version(&asked.supported_versions)?,
            profiles: self.profiles(&asked.supported_profiles)?,
            extensions: self.extensions(asked.extensions.as_deref().unwrap_or_default())?,
            limits: Limits::agree(self.limits.as_ref(), asked.limits.as_ref()),
        })
    }

    fn version(&self, asked: &[Version]) -> Result<Version, ErrorPayload> {
        highest_common(&self.versions, asked).ok_or_else(|| {
            let supported: Vec<String> = self.versions.iter().map(Version::to_string).collect();
            ErrorPayload::new(
                CoreErrorCode::UnsupportedVersion,
                format!("no common version; supported: {}", supported.join(", ")),
            )
            .detail("supported", supported)
        })
    }

    fn profiles(&self, asked: &[ProfileId]) -> Result<Vec<ProfileId>, ErrorPayload> {
        let mut common: Vec<ProfileId> = Vec::new();
        for profile in asked {
            if self.profiles.contains(profile) && !common.contains(profile) {
                common.push(profile.clone());
            }
        }
        if common.is_empty() {
            let supported: Vec<&str> = self.profiles.iter().map(ProfileId::as_str).collect();
            return Err(ErrorPayload::new(
                CoreErrorCode::UnsupportedProfile,
                format!("no common profile; supported: {}", supported.join(", ")),
            )
            .detail("supported", supported));
        }
        Ok(common)
    }

    fn extensions(&self, asked: &[ExtensionOffer]) -> Result<Vec<ExtensionSelection>, ErrorPayload> {
        let mut selected: Vec<ExtensionSelection> = Vec::new();
        // Whoever offers both names of one extension gets it once, under the name of today.
        let today = |offer: &&ExtensionOffer| canonical(offer.id.as_str()) == offer.id.as_str();
        let in_order = asked.iter().filter(today).chain(asked.iter().filter(|offer| !today(offer)));
        for offer in in_order {
            if selected.iter().any(|each| each.id.as_str() == canonical(offer.id.as_str())) {
                continue;
            }
            let ours = self
                .extensions
                .iter()
                .find(|(id, _)| canonical(id.as_str()) == canonical(offer.id.as_str()))
                .map(|(_, versions)| versions.as_slice())
                .unwrap_or_default();
            match highest_common(ours, &offer.versions) {
                Some(version) => {
                    selected.push(ExtensionSelection { id: offer.id.clone(), version, config: None });
                }
                None if offer.required == Some(true) => {
                    return Err(ErrorPayload::new(
                        CoreErrorCode::ExtensionRequired,
                        format!("extension `{}` is required and not available", offer.id),
                    )
                    .detail("id", offer.id.as_str()));
                }
                None => {}
            }
        }
        Ok(selected)
    }
}

/// The highest version in both lists. Equal versions have equal majors, so different majors never match.
fn highest_common(ours: &[Version], theirs: &[Version]) -> Option<Version> {
    ours.iter().filter(|version| theirs.contains(version)).max().copied()
}

/// The name under which an extension is known today.
pub fn canonical(id: &str) -> &str {
    if id == POLICY_ALIAS { POLICY } else { id }
}

/// A message type under today's name: `uicp.policy.get` is `uiap.policy.get`.
pub fn canonical_type(message_type: &str) -> String {
    match message_type.strip_prefix(POLICY_ALIAS) {
        Some(rest) if rest.starts_with('.') => format!("{POLICY}{rest}"),
        _ => message_type.to_owned(),
    }
}

/// What the initiator refuses in an answer: anything that it never offered.
pub fn check_answer(asked: &SessionInitializePayload, answer: &SessionInitializedPayload) -> Vec<Problem> {
    let mut problems = Vec::new();
    if !asked.supported_versions.contains(&answer.selected_version) {
        problems.push(Problem::error(
            NOT_OFFERED,
            "/selectedVersion",
            format!("version `{}` was never offered", answer.selected_version),
        ));
    }
    for (index, profile) in answer.selected_profiles.iter().enumerate() {
        if !asked.supported_profiles.contains(profile) {
            problems.push(Problem::error(
                NOT_OFFERED,
                format!("/selectedProfiles/{index}"),
                format!("profile `{profile}` was never offered"),
            ));
        }
    }
    for (index, selection) in answer.extensions.iter().flatten().enumerate() {
        let offers = asked.extensions.as_deref().unwrap_or_default();
        let offered = offers
            .iter()
            .any(|offer| offer.id == selection.id && offer.versions.contains(&selection.version));
        if !offered {
            problems.push(Problem::error(
                NOT_OFFERED,
                format!("/extensions/{index}"),
                format!("extension `{}` {} was never offered", selection.id, selection.version),
            ));
        }
    }
    problems
}

/// Whether a vendor may call its extension `id`: names without `x.` belong to the protocol.
pub fn check_vendor_extension(id: &str) -> Result<ExtensionId, Problem> {
    let refused = |message: String| {
        Problem::error(RESERVED_NAME, "", message)
            .help("vendors use `x.<vendor>.<name>`, such as `x.acme.foo`")
    };
    match ExtensionId::parse(id) {
        Some(name) if id.starts_with("x.") => Ok(name),
        Some(_) => Err(refused(format!("`{id}` is reserved for the protocol"))),
        None => Err(refused(format!("`{id}` is not an extension id"))),
    }
}

/// Whether `message_type` may be added by `owner`, an extension id or a profile id.
pub fn check_message_type(owner: &str, message_type: &str) -> Result<(), Problem> {
    let prefix = owner.split_once('@').map_or(owner, |(name, _)| name);
    let inside =
        message_type.strip_prefix(prefix).is_some_and(|rest| rest.len() > 1 && rest.starts_with('.'));
    if inside {
        return Ok(());
    }
    Err(Problem::error(
        RESERVED_NAME,
        "",
        format!("message type `{message_type}` does not begin with `{prefix}.`"),
    ))
}
