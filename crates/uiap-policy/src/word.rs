//! The vocabularies of a match packed into 64 bits, so that most rules are decided by one `and`.

use uiap_model::capability::{ActionKind, ExecutionMode, RiskLevel, RiskTag};
use uiap_model::policy::document::PolicyPhase;
use uiap_model::policy::{DataClass, PrincipalType, SideEffectClass};
use uiap_model::workflow::InteractionMode;

/// A vocabulary's place in the 64 bits: its words, then the spare bits that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    start: u32,
    words: u32,
    spare: Spare,
}

/// What a vocabulary can say beside its own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spare {
    /// Nothing: one of its words always holds.
    No = 0,
    /// One bit for "nothing known".
    Nothing = 1,
    /// One bit for words under `x.`, one for "nothing known".
    Extension = 2,
}

pub(crate) const RISK: Group = Group { start: 0, words: 3, spare: Spare::No };
pub(crate) const KIND: Group = Group::after(RISK, 2, Spare::No);
pub(crate) const PHASE: Group = Group::after(KIND, 2, Spare::No);
pub(crate) const PRINCIPAL: Group = Group::after(PHASE, 5, Spare::No);
pub(crate) const EXECUTION: Group = Group::after(PRINCIPAL, 5, Spare::Nothing);
pub(crate) const INTERACTION: Group = Group::after(EXECUTION, 3, Spare::Nothing);
pub(crate) const SIDE: Group = Group::after(INTERACTION, 12, Spare::Extension);
pub(crate) const CLASS: Group = Group::after(SIDE, 9, Spare::Extension);
pub(crate) const TAG: Group = Group::after(CLASS, 9, Spare::Extension);

/// No data class is known.
pub(crate) const CLASS_NOTHING: u64 = CLASS.nothing();

/// A word under `x.` as [`Known`] keeps it.
pub(crate) fn named(group: Group, name: &str) -> (u32, &str) {
    (group.start, name)
}

const GROUPS: [u64; 9] = [
    RISK.all(),
    KIND.all(),
    PHASE.all(),
    PRINCIPAL.all(),
    EXECUTION.all(),
    INTERACTION.all(),
    SIDE.all(),
    CLASS.all(),
    TAG.all(),
];

/// The vocabularies that vendors may extend.
const OPEN: [Group; 3] = [SIDE, CLASS, TAG];
const ANY_EXTENSION: u64 = SIDE.extension() | CLASS.extension() | TAG.extension();

const _: () = assert!(TAG.start + TAG.width() <= 64, "nine vocabularies fit into 64 bits");

impl Group {
    const fn after(previous: Self, words: u32, spare: Spare) -> Self {
        Self { start: previous.start + previous.width(), words, spare }
    }

    const fn width(self) -> u32 {
        self.words + self.spare as u32
    }

    /// Every bit.
    pub(crate) const fn all(self) -> u64 {
        ((1 << self.width()) - 1) << self.start
    }

    /// Some word under `x.`.
    pub(crate) const fn extension(self) -> u64 {
        1 << (self.start + self.words)
    }

    /// Nothing known: fits rules that do not ask.
    const fn nothing(self) -> u64 {
        1 << (self.start + self.width() - 1)
    }

    const fn bit(self, index: u32) -> u64 {
        1 << (self.start + index)
    }
}

/// A word of one of the vocabularies.
pub(crate) trait Word {
    /// Where its vocabulary lies.
    const GROUP: Group;
    /// Its number, or its name under `x.`.
    fn place(&self) -> Result<u32, &str>;

    /// Its bit.
    fn bit(&self) -> u64 {
        match self.place() {
            Ok(index) => Self::GROUP.bit(index),
            Err(_) => Self::GROUP.extension(),
        }
    }
}

macro_rules! closed {
    ($($word:ty => $group:ident),+) => {$(
        impl Word for $word {
            const GROUP: Group = $group;
            fn place(&self) -> Result<u32, &str> {
                Ok(*self as u32)
            }
        }
    )+};
}

closed!(RiskLevel => RISK, ActionKind => KIND, PolicyPhase => PHASE, PrincipalType => PRINCIPAL);
closed!(ExecutionMode => EXECUTION, InteractionMode => INTERACTION);

macro_rules! open {
    ($($word:ident => $group:ident [$($name:ident),+]),+) => {$(
        impl Word for $word {
            const GROUP: Group = $group;
            fn place(&self) -> Result<u32, &str> {
                #[derive(Clone, Copy)]
                enum Place { $($name),+ }
                Ok(match self {
                    $(Self::$name => Place::$name as u32,)+
                    Self::X(name) => return Err(name.as_str()),
                })
            }
        }
    )+};
}

open!(
    SideEffectClass => SIDE [
        None, UiOnly, Navigation, Draft, DataWrite, ExternalEffect, IdentityChange, SecurityChange, BillingChange,
        Destructive, Irreversible, Unknown
    ],
    DataClass => CLASS [Public, Internal, Personal, Sensitive, Credential, Secret, Payment, Health, Legal],
    RiskTag => TAG [
        SensitiveData, Destructive, ExternalEffect, Privileged, Billing, Security, Identity, Legal, Irreversible
    ]
);

/// What a match asks of the vocabularies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) bits: u64,
    /// Words under `x.`, with the start of their vocabulary.
    pub(crate) extensions: Vec<(u32, compact_str::CompactString)>,
}

impl Wanted {
    /// Adds what one key asks; every word will do where the key is absent.
    pub(crate) fn key<W: Word>(&mut self, words: Option<&[W]>) {
        let Some(words) = words else {
            self.bits |= W::GROUP.all();
            return;
        };
        for word in words {
            self.bits |= word.bit();
            if let Err(name) = word.place() {
                self.extensions.push((W::GROUP.start, name.into()));
            }
        }
    }

    /// Whether every vocabulary has a word in common with what is known.
    pub(crate) fn admits(&self, known: &Known<'_>) -> bool {
        let hits = self.bits & known.bits;
        may_admit(self.bits, known.bits)
            && (hits & ANY_EXTENSION == 0
                || OPEN.iter().all(|group| self.extension_fits(*group, hits, known)))
    }

    fn extension_fits(&self, group: Group, hits: u64, known: &Known<'_>) -> bool {
        hits & group.all() != group.extension()
            || self.bits & group.all() == group.all()
            || self.extensions.iter().any(|(start, name)| {
                *start == group.start
                    && known.extensions.iter().any(|each| *each == (group.start, name.as_str()))
            })
    }
}

/// The quick look: false means that no rule with these bits can match.
pub(crate) fn may_admit(wanted: u64, known: u64) -> bool {
    let hits = wanted & known;
    GROUPS.iter().all(|group| hits & group != 0)
}

/// What is known of a question, in the same bits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known<'a> {
    pub(crate) bits: u64,
    pub(crate) extensions: Vec<(u32, &'a str)>,
}

impl<'a> Known<'a> {
    /// Adds a word.
    pub(crate) fn add<W: Word>(&mut self, word: &'a W) {
        self.bits |= word.bit();
        if let Err(name) = word.place() {
            self.extensions.push((W::GROUP.start, name));
        }
    }

    /// Marks the vocabularies of which nothing is known.
    pub(crate) fn seal(&mut self) {
        for group in [EXECUTION, INTERACTION, SIDE, CLASS, TAG] {
            if self.bits & group.all() == 0 {
                self.bits |= group.nothing();
            }
        }
    }

    /// Whether any of the bits is there.
    pub(crate) fn has(&self, bits: u64) -> bool {
        self.bits & bits != 0
    }

    /// The names under `x.` of one vocabulary.
    pub(crate) fn extensions_of(&self, group: Group) -> impl Iterator<Item = &'a str> {
        self.extensions.iter().filter(move |(start, _)| *start == group.start).map(|(_, name)| *name)
    }
}
