//! Step 4: the grants that an effect, a kind of data or a tag needs. Spec: policy-extension, built-in grant table.

use uiap_model::capability::RiskTag;
use uiap_model::policy::document::{Access, GrantRequirement, PolicyPhase};
use uiap_model::policy::{DataClass, PolicyGrant, PolicyReason, SideEffectClass};

use crate::facts::Facts;
use crate::grant::Grants;
use crate::word::{self, Group, Word};

/// When a row applies: one of its occasions must hold.
mod occasion {
    pub(super) const READ: u8 = 1;
    pub(super) const WRITE: u8 = 1 << 1;
    /// `ui.read`.
    pub(super) const LOOK: u8 = 1 << 2;
    /// Anything else.
    pub(super) const DO: u8 = 1 << 3;
    pub(super) const ANY: u8 = READ | WRITE | LOOK | DO;
}

/// What a row asks for: a word of one vocabulary.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    bits: u64,
    extension: Option<(Group, compact_str::CompactString)>,
}

impl Condition {
    fn of<W: Word>(word: &W) -> Self {
        let extension = word.place().err().map(|name| (W::GROUP, name.into()));
        Self { bits: word.bit(), extension }
    }

    fn holds(&self, facts: &Facts<'_>) -> bool {
        match &self.extension {
            None => facts.all.has(self.bits),
            Some((group, name)) => facts.all.extensions_of(*group).any(|each| each == name.as_str()),
        }
    }

    fn is_for(&self, group: Group) -> bool {
        self.bits & group.all() != 0
    }
}

/// A row of the table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    conditions: Vec<Condition>,
    occasions: u8,
    requires: Grants,
}

impl Row {
    fn applies(&self, facts: &Facts<'_>, occasions: u8) -> bool {
        self.occasions & occasions != 0 && self.conditions.iter().all(|condition| condition.holds(facts))
    }

    /// Why a grant of this row is missed.
    fn reason(&self) -> PolicyReason {
        if self.conditions.iter().any(|condition| condition.is_for(word::CLASS)) {
            PolicyReason::DataClass
        } else {
            PolicyReason::SideEffect
        }
    }

    fn written(row: &GrantRequirement) -> Self {
        let conditions = [
            row.side_effect.as_ref().map(Condition::of),
            row.data_class.as_ref().map(Condition::of),
            row.risk_tag.as_ref().map(Condition::of),
        ];
        Self {
            conditions: conditions.into_iter().flatten().collect(),
            occasions: match row.access {
                None => occasion::ANY,
                Some(Access::Read) => occasion::READ,
                Some(Access::Write) => occasion::WRITE,
            },
            requires: Grants::listed(&row.requires),
        }
    }

    /// The occasions on which `row` of a document takes the place of this built-in one.
    fn replaced_by(&self, row: &GrantRequirement) -> u8 {
        match row.access {
            _ if Self::written(row).conditions != self.conditions => 0,
            None => occasion::ANY,
            Some(Access::Read) => occasion::READ | occasion::LOOK,
            Some(Access::Write) => occasion::WRITE | occasion::DO,
        }
    }
}

/// The grants that a document asks for.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    rows: Vec<Row>,
    named: Vec<String>,
}

/// What is missing, and why it is asked for.
#[derive(Default)]
pub(crate) struct Missing {
    pub(crate) grants: Grants,
    pub(crate) for_data: bool,
    pub(crate) for_effect: bool,
}

impl Table {
    /// The built-in table with the rows of a document in place of its own.
    pub(crate) fn compile(written: &[GrantRequirement]) -> Self {
        let kept = built_in().into_iter().filter_map(|mut row| {
            row.occasions &= !written.iter().fold(0, |gone, each| gone | row.replaced_by(each));
            (row.occasions != 0).then_some(row)
        });
        let named = written.iter().filter_map(|row| row.side_effect.as_ref()).map(ToString::to_string);
        let classes = written.iter().filter_map(|row| row.data_class.as_ref()).map(ToString::to_string);
        Self {
            named: named.chain(classes).collect(),
            rows: kept.chain(written.iter().map(Row::written)).collect(),
        }
    }

    /// What the principal lacks.
    pub(crate) fn missing(&self, facts: &Facts<'_>) -> Missing {
        let occasions = occasions(facts);
        let mut missing = Missing::default();
        for row in self.rows.iter().filter(|row| row.applies(facts, occasions)) {
            missing.note(&row.requires.without(&facts.grants), row.reason());
        }
        if !facts.all.extensions.is_empty() {
            self.missing_for_extensions(facts, &mut missing);
        }
        missing
    }

    /// A word that nobody gave a row counts as the worst of its kind.
    fn missing_for_extensions(&self, facts: &Facts<'_>, missing: &mut Missing) {
        let strange =
            |group| facts.all.extensions_of(group).any(|name| !self.named.iter().any(|each| each == name));
        if strange(word::SIDE) {
            let needed = Grants::listed(&[PolicyGrant::Admin]);
            missing.note(&needed.without(&facts.grants), PolicyReason::SideEffect);
        }
        if strange(word::CLASS) {
            let read = facts.reads.then_some(PolicyGrant::ReadSensitive);
            let write = facts.writes.then_some(PolicyGrant::WriteSensitive);
            let needed = Grants::listed(read.iter().chain(&write));
            missing.note(&needed.without(&facts.grants), PolicyReason::DataClass);
        }
    }
}

impl Missing {
    fn note(&mut self, lacking: &Grants, reason: PolicyReason) {
        if lacking.is_empty() {
            return;
        }
        self.grants.unite(lacking);
        self.for_data |= reason == PolicyReason::DataClass;
        self.for_effect |= reason == PolicyReason::SideEffect;
    }
}

fn occasions(facts: &Facts<'_>) -> u8 {
    let read = if facts.reads { occasion::READ } else { 0 };
    let write = if facts.writes { occasion::WRITE } else { 0 };
    let look = if facts.phase == PolicyPhase::Observe { occasion::LOOK } else { occasion::DO };
    read | write | look
}

fn row<W: Word>(word: &W, occasions: u8, requires: &[PolicyGrant]) -> Row {
    Row { conditions: vec![Condition::of(word)], occasions, requires: Grants::listed(requires) }
}

fn built_in() -> Vec<Row> {
    use PolicyGrant::{
        Act, Admin, Billing, Draft, Guide, Identity, Observe, ReadSecret, ReadSensitive, Security,
        WriteSensitive,
    };
    let any = occasion::ANY;
    let mut rows = Vec::new();
    for effect in [SideEffectClass::None, SideEffectClass::UiOnly] {
        rows.push(row(&effect, occasion::LOOK, &[Observe]));
        rows.push(row(&effect, occasion::DO, &[Guide]));
    }
    rows.extend([
        row(&SideEffectClass::Navigation, any, &[Guide]),
        row(&SideEffectClass::Draft, any, &[Draft]),
        row(&SideEffectClass::DataWrite, any, &[Act]),
        row(&SideEffectClass::ExternalEffect, any, &[Act]),
        row(&SideEffectClass::IdentityChange, any, &[Act, Identity]),
        row(&SideEffectClass::SecurityChange, any, &[Admin, Security]),
        row(&SideEffectClass::BillingChange, any, &[Act, Billing]),
        row(&SideEffectClass::Destructive, any, &[Admin]),
        row(&SideEffectClass::Irreversible, any, &[Admin]),
        row(&SideEffectClass::Unknown, any, &[Admin]),
        // Tags say the same as side effects in other words: the stricter of both counts.
        row(&RiskTag::Destructive, any, &[Admin]),
        row(&RiskTag::Irreversible, any, &[Admin]),
        row(&RiskTag::Privileged, any, &[Admin]),
        row(&RiskTag::ExternalEffect, any, &[Act]),
        row(&RiskTag::Billing, any, &[Act, Billing]),
        row(&RiskTag::Security, any, &[Admin, Security]),
        row(&RiskTag::Identity, any, &[Act, Identity]),
    ]);
    for class in [DataClass::Sensitive, DataClass::Payment, DataClass::Health, DataClass::Legal] {
        rows.push(row(&class, occasion::READ, &[ReadSensitive]));
        rows.push(row(&class, occasion::WRITE, &[WriteSensitive]));
    }
    for class in [DataClass::Credential, DataClass::Secret] {
        rows.push(row(&class, occasion::READ, &[ReadSecret]));
        rows.push(row(&class, occasion::WRITE, &[WriteSensitive]));
    }
    for tag in [RiskTag::SensitiveData, RiskTag::Legal] {
        rows.push(row(&tag, occasion::READ, &[ReadSensitive]));
        rows.push(row(&tag, occasion::WRITE, &[WriteSensitive]));
    }
    rows
}
