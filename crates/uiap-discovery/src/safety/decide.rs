//! From what an action would do to whether a run may do it.

use uiap_model::discovery::environment::SafetyMode;
use uiap_model::discovery::review::{DiscoveryActionEffect, DiscoveryActionReason};
use uiap_model::discovery::{DiscoveryEnvironment, DiscoverySafetyPolicy};
use uiap_model::policy::SideEffectClass;

use super::Verdict;
use super::evidence::{Area, Sign};

/// How bold a run is, and where it is at home.
#[derive(Clone, Debug, PartialEq)]
pub struct Stance {
    policy: DiscoverySafetyPolicy,
    controlled: bool,
    probes: bool,
    origin: Option<String>,
}

impl Stance {
    /// The member of an environment's metadata that says that the tenant may be written to.
    pub const CONTROLLED: &'static str = "controlledTenant";

    /// The member of an environment's metadata that says whether what looks dangerous is tried where nothing can come of it.
    pub const PROBES: &'static str = "probeOpeners";

    /// What an environment allows. Without a safety policy nothing is done.
    pub fn of(environment: &DiscoveryEnvironment) -> Self {
        let policy = environment.safety.clone().unwrap_or(DiscoverySafetyPolicy {
            default_mode: SafetyMode::ObserveOnly,
            allow_external_effects: None,
            allow_destructive_actions: None,
            allow_auth_flows: None,
            allow_payment_flows: None,
        });
        let told = |name: &str| environment.metadata.as_ref()?.0.get(name)?.as_bool();
        let controlled = told(Self::CONTROLLED).unwrap_or(false);
        let probes = told(Self::PROBES).unwrap_or(true);
        Self { policy, controlled, probes, origin: origin_of(&environment.base_url).map(str::to_owned) }
    }

    /// The mode.
    pub fn mode(&self) -> SafetyMode {
        self.policy.default_mode
    }

    /// The origin of the app.
    pub fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    /// Whether test data may be written: the mode allows it, and the tenant is there for it.
    pub fn may_write(&self) -> bool {
        self.policy.default_mode == SafetyMode::SandboxWrite && self.controlled
    }

    /// Whether what looks dangerous is tried where nothing can come of it.
    pub(super) fn probes(&self) -> bool {
        self.probes && self.policy.default_mode == SafetyMode::SafeExplore
    }

    /// Whether the flag that opens a class of its own is set. Flags count where writing is allowed at all.
    fn opens(&self, flag: Option<bool>) -> bool {
        self.may_write() && flag == Some(true)
    }
}

/// Scheme and authority of an address.
pub(super) fn origin_of(url: &str) -> Option<&str> {
    let at = url.find("://")? + 3;
    let end = url.get(at..)?.find(['/', '?', '#']).map_or(url.len(), |end| at + end);
    url.get(..end)
}

pub(super) fn decide(sign: &Sign, action_id: &str, stance: &Stance) -> Verdict {
    let (effect, reason, note) = rule(sign, stance);
    let because = match note {
        Some(note) => format!("{}; {note}", sign.because),
        None => sign.because.clone(),
    };
    let allowed = effect == DiscoveryActionEffect::Allow;
    if stance.mode() == SafetyMode::ObserveOnly && allowed {
        return Verdict {
            side_effect: sign.class.clone(),
            effect: DiscoveryActionEffect::Skip,
            reason: DiscoveryActionReason::ManualOnly,
            because: format!("nothing is done while only observing (`{action_id}`): {because}"),
        };
    }
    Verdict { side_effect: sign.class.clone(), effect, reason, because }
}

type Ruling = (DiscoveryActionEffect, DiscoveryActionReason, Option<&'static str>);

fn rule(sign: &Sign, stance: &Stance) -> Ruling {
    use DiscoveryActionEffect::{Allow, Deny, Review, Skip};
    use DiscoveryActionReason as Reason;
    let policy = &stance.policy;
    match sign.area {
        Area::Opaque => return (Deny, Reason::OpaqueBoundary, None),
        Area::Credential if !stance.opens(policy.allow_auth_flows) => {
            return (Review, Reason::Credential, None);
        }
        Area::Payment if !stance.opens(policy.allow_payment_flows) => return (Deny, Reason::Payment, None),
        Area::External => return (Deny, Reason::ExternalEffect, Some("it leaves the app")),
        Area::Manual => return (Skip, Reason::ManualOnly, None),
        _ => {}
    }
    let open = |flag: Option<bool>, reason: Reason| {
        if stance.opens(flag) {
            (Allow, Reason::Safe, Some("a flag of this run allows it"))
        } else {
            (Deny, reason, None)
        }
    };
    match &sign.class {
        SideEffectClass::None | SideEffectClass::UiOnly | SideEffectClass::Navigation => {
            (Allow, Reason::Safe, None)
        }
        SideEffectClass::Draft if stance.may_write() => {
            (Allow, Reason::Safe, Some("drafts are made in this sandbox"))
        }
        SideEffectClass::Draft => (Skip, Reason::ManualOnly, Some("forms are filled in sandboxes only")),
        SideEffectClass::DataWrite if stance.may_write() => {
            (Allow, Reason::Safe, Some("test data may be written in this sandbox"))
        }
        SideEffectClass::DataWrite if stance.mode() == SafetyMode::SandboxWrite => {
            (Deny, Reason::ManualOnly, Some("the tenant is not marked as controlled"))
        }
        SideEffectClass::DataWrite => {
            (Review, Reason::ManualOnly, Some("nothing is written while exploring safely"))
        }
        SideEffectClass::ExternalEffect => open(policy.allow_external_effects, Reason::ExternalEffect),
        SideEffectClass::Destructive | SideEffectClass::Irreversible => {
            open(policy.allow_destructive_actions, Reason::Destructive)
        }
        SideEffectClass::IdentityChange => open(policy.allow_auth_flows, Reason::Credential),
        SideEffectClass::SecurityChange => (Deny, Reason::SecuritySensitive, None),
        SideEffectClass::BillingChange => open(policy.allow_payment_flows, Reason::Payment),
        SideEffectClass::Unknown | SideEffectClass::X(_) => (Review, Reason::UnknownSideEffect, None),
    }
}
