//! Step 1: what is known of a question. What the app side knows is sure; what page and agent claim may only tighten.

use uiap_model::capability::{ActionKind, PrimitiveActionType, RiskLevel, RiskTag, TargetRef, UIRole};
use uiap_model::json::JsonObject;
use uiap_model::policy::document::PolicyPhase;
use uiap_model::policy::{DataClass, PolicyRequest, SideEffectClass};

use crate::grant::Grants;
use crate::side_effect;
use crate::situation::{
    FactError, Limits, MOST_WORDS, Situation, check_identity, declared_effect, effect_text, is_password,
    is_registered,
};
use crate::word::{self, Known};

/// Names of one kind: those that are sure, then those that are claimed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Names<'a> {
    sure: [Option<&'a str>; 2],
    claimed: [Option<&'a str>; 2],
}

impl<'a> Names<'a> {
    /// Whether one of them fits; the claimed ones count only where asked.
    pub(crate) fn any(&self, claims: bool, fits: impl Fn(&str) -> bool) -> bool {
        self.sure.iter().flatten().any(|name| fits(name))
            || (claims && self.claimed.iter().flatten().any(|name| fits(name)))
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'a str> {
        self.sure.into_iter().chain(self.claimed).flatten()
    }
}

/// What is known of a question.
#[derive(Clone, Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) request: &'a PolicyRequest,
    pub(crate) declared: bool,
    pub(crate) limits: Limits,
    pub(crate) phase: PolicyPhase,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    /// The strictest level of all sources.
    pub(crate) risk: RiskLevel,
    /// Without what page and agent claim.
    pub(crate) sure_risk: RiskLevel,
    pub(crate) sure: Known<'a>,
    /// With it: a superset.
    pub(crate) all: Known<'a>,
    pub(crate) grants: Grants,
    pub(crate) routes: Names<'a>,
    pub(crate) scopes: Names<'a>,
    pub(crate) stable_ids: Names<'a>,
    pub(crate) workflows: Names<'a>,
    pub(crate) roles: [Option<&'a UIRole>; 3],
}

/// The role that the request claims is the last of three.
pub(crate) const SURE_ROLES: usize = 2;

const NO_EFFECT: SideEffectClass = SideEffectClass::None;
const UI_ONLY: SideEffectClass = SideEffectClass::UiOnly;
const NAVIGATION: SideEffectClass = SideEffectClass::Navigation;
const DRAFT: SideEffectClass = SideEffectClass::Draft;
const UNKNOWN: SideEffectClass = SideEffectClass::Unknown;

/// The same word with a life time that borrows from nothing.
fn constant(effect: &SideEffectClass) -> &'static SideEffectClass {
    match effect {
        SideEffectClass::None => &NO_EFFECT,
        SideEffectClass::UiOnly => &UI_ONLY,
        SideEffectClass::Navigation => &NAVIGATION,
        SideEffectClass::Draft => &DRAFT,
        _ => &UNKNOWN,
    }
}

impl<'a> Facts<'a> {
    /// Gathers the facts of all sources.
    pub(crate) fn collect(request: &'a PolicyRequest, situation: &Situation<'a>) -> Result<Self, FactError> {
        check_identity(request, situation)?;
        let primitive = PrimitiveActionType::parse(request.action_id.as_str());
        let reads = primitive == Some(PrimitiveActionType::UiRead);
        let mut facts = Self {
            request,
            declared: primitive.is_some() || situation.descriptor.is_some(),
            limits: situation.limits,
            phase: if reads { PolicyPhase::Observe } else { PolicyPhase::Act },
            reads,
            writes: false,
            risk: RiskLevel::Safe,
            sure_risk: RiskLevel::Safe,
            sure: Known::default(),
            all: Known::default(),
            grants: Grants::held(request.principal.grants.iter().flatten()),
            routes: Names { sure: [situation.route_id, None], claimed: [request.route_id.as_deref(), None] },
            scopes: Names {
                sure: [
                    situation.scope_id,
                    situation.binding.and_then(|binding| binding.scope_id.as_ref().map(AsRef::as_ref)),
                ],
                claimed: [request.scope_id.as_ref().map(AsRef::as_ref), claimed_scope(request)],
            },
            stable_ids: Names {
                sure: [
                    situation.element.and_then(|element| element.stable_id.as_ref().map(AsRef::as_ref)),
                    situation.binding.map(|binding| binding.id.as_str()),
                ],
                claimed: [claimed_stable_id(request), None],
            },
            workflows: Names {
                sure: [situation.workflow_id, None],
                claimed: [request.workflow_id.as_deref(), None],
            },
            roles: [
                situation.element.map(|element| &element.role),
                situation.binding.and_then(|binding| binding.role.as_ref()),
                claimed_role(request),
            ],
        };
        facts.collect_words(situation, primitive)?;
        Ok(facts)
    }

    /// Whether no decision is needed: nothing is changed and nothing delicate is read.
    pub(crate) fn is_trivial(&self) -> bool {
        let beyond = word::SIDE.all() & !(bit(&NO_EFFECT) | bit(&UI_ONLY));
        let plain = bit(&DataClass::Public) | bit(&DataClass::Internal);
        let delicate = word::CLASS.all() & !plain & !word::CLASS_NOTHING;
        let reads_delicate = self.reads && self.all.has(delicate);
        !self.all.has(beyond) && !reads_delicate
    }

    fn collect_words(
        &mut self,
        situation: &Situation<'a>,
        primitive: Option<PrimitiveActionType>,
    ) -> Result<(), FactError> {
        const PRIMITIVE: ActionKind = ActionKind::Primitive;
        const DOMAIN: ActionKind = ActionKind::Domain;
        self.both(if primitive.is_some() { &PRIMITIVE } else { &DOMAIN });
        self.both(match self.phase {
            PolicyPhase::Observe => &PolicyPhase::Observe,
            PolicyPhase::Act => &PolicyPhase::Act,
        });
        self.both(&self.request.principal.principal_type);
        if let Some(mode) = situation.execution_mode {
            self.sure.bits |= bit(&mode);
            self.all.bits |= bit(&mode);
        }
        self.collect_contract(situation)?;
        self.collect_element(situation)?;
        self.collect_side_effects(situation, primitive)?;
        self.collect_claims()?;
        self.settle_risk();
        self.settle_access(primitive);
        self.sure.seal();
        self.all.seal();
        Ok(())
    }

    fn both<W: word::Word>(&mut self, word: &'a W) {
        self.sure.add(word);
        self.all.add(word);
    }

    fn add<W: word::Word>(
        &mut self,
        sure: bool,
        words: Option<&'a Vec<W>>,
        place: &'static str,
    ) -> Result<(), FactError> {
        let words = words.map(Vec::as_slice).unwrap_or_default();
        if words.len() > MOST_WORDS {
            return Err(FactError::TooMany { place, count: words.len() });
        }
        for word in words {
            if sure {
                self.sure.add(word);
            }
            self.all.add(word);
        }
        Ok(())
    }

    fn level(&mut self, sure: bool, level: RiskLevel) {
        self.risk = self.risk.max(level);
        if sure {
            self.sure_risk = self.sure_risk.max(level);
        }
    }

    fn collect_contract(&mut self, situation: &Situation<'a>) -> Result<(), FactError> {
        if let Some(descriptor) = situation.descriptor {
            self.level(true, descriptor.risk.level);
            self.add(true, descriptor.risk.tags.as_ref(), "descriptor")?;
        }
        if let Some(binding) = situation.binding {
            self.level(true, binding.risk.unwrap_or(RiskLevel::Safe));
            self.add(true, binding.data_classes.as_ref(), "binding")?;
        }
        Ok(())
    }

    fn collect_element(&mut self, situation: &Situation<'a>) -> Result<(), FactError> {
        const SENSITIVE: DataClass = DataClass::Sensitive;
        const CREDENTIAL: DataClass = DataClass::Credential;
        let Some(element) = situation.element else { return Ok(()) };
        let sure = is_registered(element);
        if let Some(risk) = &element.risk {
            self.level(sure, risk.level);
            self.add(sure, risk.tags.as_ref(), "element")?;
        }
        self.add(sure, element.data_classes.as_ref(), "element")?;
        if element.state.sensitive == Some(true) {
            self.all.add(&SENSITIVE);
        }
        if is_password(element) {
            self.all.add(&CREDENTIAL);
        }
        Ok(())
    }

    fn collect_side_effects(
        &mut self,
        situation: &Situation<'a>,
        primitive: Option<PrimitiveActionType>,
    ) -> Result<(), FactError> {
        let descriptor = situation.descriptor.and_then(|each| each.metadata.as_ref());
        let binding = situation.binding.and_then(|each| each.metadata.as_ref());
        let element = situation.element.and_then(|each| each.metadata.as_deref());
        let registered = situation.element.is_some_and(is_registered);
        let mut known = false;
        for (place, metadata, sure) in
            [("descriptor", descriptor, true), ("binding", binding, true), ("element", element, registered)]
        {
            let Some(effect) = declared_effect(place, metadata)? else { continue };
            known |= sure;
            self.add_effect(sure, &effect, metadata);
        }
        let by_itself = primitive.map_or(UNKNOWN, side_effect::of_primitive);
        if !known || by_itself != UNKNOWN {
            self.both(constant(&by_itself));
        }
        Ok(())
    }

    /// Adds a word that was read out of metadata, borrowed from there where it is one under `x.`.
    fn add_effect(&mut self, sure: bool, effect: &SideEffectClass, metadata: Option<&'a JsonObject>) {
        let bits = word::Word::bit(effect);
        self.all.bits |= bits;
        if sure {
            self.sure.bits |= bits;
        }
        if let (SideEffectClass::X(_), Some(name)) = (effect, effect_text(metadata)) {
            self.all.extensions.push(word::named(word::SIDE, name));
            if sure {
                self.sure.extensions.push(word::named(word::SIDE, name));
            }
        }
    }

    fn collect_claims(&mut self) -> Result<(), FactError> {
        let request = self.request;
        if let Some(risk) = &request.risk {
            self.level(false, risk.level);
            self.add(false, risk.tags.as_ref(), "request")?;
        }
        self.add(false, request.data_classes.as_ref(), "request")?;
        if let Some(effect) = &request.side_effect {
            self.all.add(effect);
        }
        if let Some(mode) = &request.execution_mode {
            self.all.add(mode);
        }
        if let Some(mode) = &request.interaction_mode {
            // Sure or not: a mode never loosens, so it is only ever a claim.
            self.all.add(mode);
        }
        Ok(())
    }

    /// Tags that never go with `safe` lift the level; both levels stay known, so that a claim cannot dodge a rule.
    fn settle_risk(&mut self) {
        let lifting =
            RiskTag::ALL.iter().filter(|tag| tag.excludes_safe()).fold(0, |bits, tag| bits | bit(tag));
        if self.sure.has(lifting) {
            self.level(true, RiskLevel::Confirm);
        }
        if self.all.has(lifting) {
            self.level(false, RiskLevel::Confirm);
        }
        self.sure.bits |= bit(&self.sure_risk);
        self.all.bits |= bit(&self.sure_risk) | bit(&self.risk);
    }

    /// Reading is what `ui.read` does, and a domain action that changes nothing and may return data. A claim adds
    /// writing and never takes reading away.
    fn settle_access(&mut self, primitive: Option<PrimitiveActionType>) {
        let changing = word::SIDE.all() & !(bit(&NO_EFFECT) | bit(&UI_ONLY) | bit(&NAVIGATION));
        self.writes = self.all.has(changing);
        self.reads |= primitive.is_none() && !self.sure.has(changing);
    }
}

fn bit<W: word::Word>(word: &W) -> u64 {
    word.bit()
}

fn claimed_stable_id(request: &PolicyRequest) -> Option<&str> {
    match request.target.as_ref()? {
        TargetRef::StableId { value } => Some(value.as_str()),
        _ => None,
    }
}

fn claimed_scope(request: &PolicyRequest) -> Option<&str> {
    match request.target.as_ref()? {
        TargetRef::Scope { value } => Some(value.as_str()),
        TargetRef::Semantic { scope, .. } => scope.as_ref().map(AsRef::as_ref),
        _ => None,
    }
}

fn claimed_role(request: &PolicyRequest) -> Option<&UIRole> {
    match request.target.as_ref()? {
        TargetRef::Semantic { role, .. } => Some(role),
        _ => None,
    }
}
