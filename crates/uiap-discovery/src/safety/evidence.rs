//! What speaks for which consequence: what the app declares, then where an element stands and what it is, then its words.

pub(super) mod control;
mod declared;

pub(crate) use declared::{class_of_risk, gravity};

use uiap_model::capability::UIRole;
use uiap_model::policy::{DataClass, SideEffectClass};
use uiap_model::web::graph::{BoundaryAccess, SemanticSource};
use uiap_model::web::{ElementNode, ScopeKind, ScopeNode};

use super::Subject;
use super::address::{self, is_proven};
use super::decide::origin_of;
use super::lexicon::{self, Consequence};
use crate::record::fact;

/// Where an action takes place, where that alone decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// Nothing special.
    Plain,
    /// Behind a boundary.
    Opaque,
    /// Passwords, one-time codes, keys.
    Credential,
    /// Cards and accounts.
    Payment,
    /// Another origin, a mail program, a telephone.
    External,
    /// Harmless, and still nothing for a run: it would change what the run is looking at.
    Manual,
}

/// What an action would do, and what says so.
#[derive(Clone, Debug, PartialEq)]
pub struct Sign {
    /// The class.
    pub class: SideEffectClass,
    /// The area.
    pub area: Area,
    /// Whether the app itself says so.
    pub declared: bool,
    /// In plain words.
    pub because: String,
}

impl Sign {
    fn new(class: SideEffectClass, because: impl Into<String>) -> Self {
        Self { class, area: Area::Plain, declared: false, because: because.into() }
    }

    fn at(mut self, area: Area) -> Self {
        self.area = area;
        self
    }

    fn declared(mut self) -> Self {
        self.declared = true;
        self
    }
}

pub(super) fn weigh(subject: &Subject<'_>, origin: Option<&str>) -> Sign {
    let told = weigh_as_told(subject, origin);
    let Some(seen) = subject.element.and_then(as_seen) else { return told };
    // Whoever presses it presses what is seen, whatever the app calls it.
    let seen = weigh_as_told(&Subject { element: Some(&seen), ..*subject }, origin);
    let graver = gravity(&seen.class) > gravity(&told.class);
    if graver || (told.area == Area::Plain && seen.area != Area::Plain) { seen } else { told }
}

/// The element under the name and role that the DOM gives it, where those are others.
fn as_seen(element: &ElementNode) -> Option<ElementNode> {
    let (name, role) = (told(element, fact::SEEN_NAME), told(element, fact::SEEN_ROLE));
    if name.is_none() && role.is_none() {
        return None;
    }
    let mut seen = element.clone();
    seen.name = name.map(Into::into).or(seen.name);
    seen.role = role.and_then(UIRole::parse).unwrap_or(seen.role);
    Some(seen)
}

fn weigh_as_told(subject: &Subject<'_>, origin: Option<&str>) -> Sign {
    let declared = declared::sign(subject);
    let Some(element) = subject.element else {
        return declared.unwrap_or_else(|| of_words_alone(subject.action_id));
    };
    if let Some(sign) = boundary(subject, element) {
        return sign;
    }
    let guessed = guess(subject, element, origin);
    match declared {
        Some(declared) => settle(declared, &guessed),
        None => guessed,
    }
}

/// What is declared counts, unless it calls harmless what looks grave: then nobody knows.
fn settle(declared: Sign, guessed: &Sign) -> Sign {
    let contradicts = is_harmless(&declared) && is_grave(&guessed.class);
    if contradicts {
        let because = format!("{}, but {}", declared.because, guessed.because);
        return Sign::new(SideEffectClass::Unknown, because).declared();
    }
    let area = if declared.area == Area::Plain { guessed.area } else { declared.area };
    Sign { area, ..declared }
}

fn is_harmless(sign: &Sign) -> bool {
    matches!(sign.class, SideEffectClass::None | SideEffectClass::UiOnly | SideEffectClass::Navigation)
}

/// Whether a class is one that no safe exploration carries out.
pub(crate) fn is_grave(class: &SideEffectClass) -> bool {
    matches!(
        class,
        SideEffectClass::ExternalEffect
            | SideEffectClass::IdentityChange
            | SideEffectClass::SecurityChange
            | SideEffectClass::BillingChange
            | SideEffectClass::Destructive
            | SideEffectClass::Irreversible
    )
}

fn of_words_alone(action_id: &str) -> Sign {
    let class = match lexicon::consequence(action_id) {
        Some(found) if class_of(found) != SideEffectClass::UiOnly => class_of(found),
        _ => SideEffectClass::Unknown,
    };
    Sign::new(class, format!("`{action_id}` is not described"))
}

fn boundary(subject: &Subject<'_>, element: &ElementNode) -> Option<Sign> {
    let named = element.default_action.is_some() || element.supported_actions.is_some();
    if !named && (element.role == UIRole::Canvas || element.source == SemanticSource::Vision) {
        let because = "what is where on it can only be seen, and nothing is pressed by sight";
        return Some(Sign::new(SideEffectClass::Unknown, because).at(Area::Opaque));
    }
    if subject.scope.is_some_and(|scope| scope.access == Some(BoundaryAccess::Bridged)) {
        let because = "it lies in a frame of another origin, which is looked into and not acted in";
        return Some(Sign::new(SideEffectClass::Unknown, because).at(Area::Opaque));
    }
    let shut = subject.scope.is_some_and(|scope| scope.access == Some(BoundaryAccess::Opaque))
        || element.shadow.as_ref().is_some_and(|shadow| shadow.access == BoundaryAccess::Opaque)
        || told(element, "access") == Some("opaque");
    shut.then(|| {
        Sign::new(SideEffectClass::Unknown, "it lies behind a boundary that cannot be looked into")
            .at(Area::Opaque)
    })
}

fn guess(subject: &Subject<'_>, element: &ElementNode, origin: Option<&str>) -> Sign {
    if let Some(sign) = delicate(element) {
        return sign;
    }
    if let Some(sign) = of_address(element, origin) {
        return sign;
    }
    let sign = control::sign(subject, element);
    match sensitive_form(subject) {
        Some(area) if !is_harmless(&sign) && !is_grave(&sign.class) => {
            let kind = if area == Area::Payment { "payment data" } else { "a password or code" };
            Sign { because: format!("{}; the form holds {kind}", sign.because), ..sign }.at(area)
        }
        _ => sign,
    }
}

/// Fields that hold secrets or money.
fn delicate(element: &ElementNode) -> Option<Sign> {
    let area = delicate_area(element)?;
    let name = element.name.as_deref().unwrap_or("it");
    let class =
        if area == Area::Payment { SideEffectClass::BillingChange } else { SideEffectClass::SecurityChange };
    Some(Sign::new(class, format!("`{name}` holds delicate data")).at(area))
}

fn delicate_area(element: &ElementNode) -> Option<Area> {
    let classes = element.data_classes.as_deref().unwrap_or_default();
    if classes.contains(&DataClass::Payment) {
        return Some(Area::Payment);
    }
    let secret = classes.iter().any(|class| matches!(class, DataClass::Credential | DataClass::Secret));
    (secret || element.state.sensitive == Some(true) || told(element, fact::TYPE) == Some("password"))
        .then_some(Area::Credential)
}

/// What kind of secret the form around an element asks for.
fn sensitive_form(subject: &Subject<'_>) -> Option<Area> {
    let form = around(subject).find(|scope| matches!(scope.kind, ScopeKind::Form | ScopeKind::Dialog))?;
    let fields = || {
        subject
            .graph
            .elements()
            .filter(|(_, scope, _)| scope.id == form.id || scope.parent_scope_id.as_ref() == Some(&form.id))
            .filter_map(|(.., element)| delicate_area(element))
    };
    fields().find(|area| *area == Area::Payment).or_else(|| fields().next())
}

/// Addresses that leave the app, or that say by their words what they do.
fn of_address(element: &ElementNode, origin: Option<&str>) -> Option<Sign> {
    let href = told(element, fact::HREF)?;
    let lower = href.to_ascii_lowercase();
    if lower.starts_with("javascript:") {
        return None;
    }
    if let Some(scheme) =
        ["mailto:", "tel:", "sms:", "callto:", "whatsapp:"].iter().find(|scheme| lower.starts_with(**scheme))
    {
        let because = format!("the link starts another program (`{scheme}`)");
        return Some(Sign::new(SideEffectClass::ExternalEffect, because).at(Area::External));
    }
    if let (Some(there), Some(here)) = (origin_of(href), origin)
        && there != here
    {
        let because = format!("the link leads to another origin, `{there}`");
        return Some(Sign::new(SideEffectClass::ExternalEffect, because).at(Area::External));
    }
    if told(element, fact::DOWNLOAD).is_some() || is_file(&lower) {
        return Some(Sign::new(SideEffectClass::ExternalEffect, "the link offers a file"));
    }
    if let Some(found) = address::consequence(href) {
        let because = format!("its address says what it does: `{}`", path_only(href));
        return Some(Sign::new(class_of(found), because));
    }
    let because = "its address carries a proof that the app made it, as links do that write";
    is_proven(href).then(|| Sign::new(SideEffectClass::Unknown, because))
}

fn path_only(href: &str) -> &str {
    let rest = href
        .split_once("://")
        .map_or(href, |(_, rest)| rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/"));
    rest.split('?').next().unwrap_or(rest)
}

fn is_file(href: &str) -> bool {
    const ENDS: &[&str] = &[
        ".csv", ".doc", ".docx", ".dmg", ".exe", ".gz", ".ics", ".iso", ".json", ".mp3", ".mp4", ".ods",
        ".odt", ".pdf", ".ppt", ".pptx", ".rtf", ".tar", ".tgz", ".vcf", ".xls", ".xlsx", ".xml", ".zip",
    ];
    let path = href.split(['?', '#']).next().unwrap_or(href);
    ENDS.iter().any(|end| path.ends_with(end))
}

/// The class of what a word says.
pub(super) fn class_of(found: Consequence) -> SideEffectClass {
    match found {
        Consequence::Harmless | Consequence::Opens => SideEffectClass::UiOnly,
        Consequence::SignIn | Consequence::SignOut => SideEffectClass::IdentityChange,
        Consequence::Writes => SideEffectClass::DataWrite,
        Consequence::Export
        | Consequence::Invite
        | Consequence::Send
        | Consequence::Publish
        | Consequence::Upload => SideEffectClass::ExternalEffect,
        Consequence::Security => SideEffectClass::SecurityChange,
        Consequence::Pay => SideEffectClass::BillingChange,
        Consequence::Destroy => SideEffectClass::Destructive,
    }
}

/// The scope of the element and those around it, innermost first.
fn around<'a>(subject: &Subject<'a>) -> impl Iterator<Item = &'a ScopeNode> {
    let graph = subject.graph;
    std::iter::successors(subject.scope, move |scope| {
        scope.parent_scope_id.as_ref().and_then(|id| graph.scope(id))
    })
    .take(64)
}

/// What the surface told of an element beside its semantics.
pub(crate) fn told<'a>(element: &'a ElementNode, name: &str) -> Option<&'a str> {
    match element.metadata.as_ref()?.0.get(name)? {
        serde_json::Value::String(text) => Some(text),
        serde_json::Value::Bool(true) => Some("true"),
        _ => None,
    }
}
