//! Things of the app that can be used, that tell how it stands, or that a task needs. Spec: discovery-mapper §15.3, §15.4.

mod found;

use compact_str::{CompactString, ToCompactString};
use uiap_model::capability::{RiskDescriptor, RiskLevel, RiskTag, UIAffordance, UIRole, UIStateKey};
use uiap_model::discovery::EvidenceSource;
use uiap_model::discovery::catalog::{DiscoveredElement, ElementCatalog, FindingReviewState};
use uiap_model::names::{ActionId, ScopeId, StableId};
use uiap_model::policy::{DataClass, SideEffectClass};
use uiap_model::web::{ElementNode, ScopeNode};

pub(crate) use found::Found;

use super::evidence::{Book, Support};
use super::item::ANY;
use super::item::{beginning, label_of};
use super::meaning;
use super::name::{is_lasting, scope_id};
use super::route::Routes;
use super::survey::Survey;
use super::transition::Edge;
use super::{filled, metadata};
use crate::fingerprint::normalised_name;
use crate::safety::{Sign, gravity};

/// What an element is, whatever the state it is seen in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ElementKey {
    /// By the id that the app gave it.
    Stable(CompactString),
    /// By where it is and what it is called.
    Named { place: String, scope: CompactString, role: CompactString, label: String, ordinal: u32 },
}

impl ElementKey {
    pub(crate) fn stable(id: &str) -> Self {
        Self::Stable(id.into())
    }

    pub(crate) fn named(place: &str, scope: &str, role: &str, label: &str) -> Self {
        Self::Named {
            place: place.to_owned(),
            scope: scope.into(),
            role: role.into(),
            label: label.to_owned(),
            ordinal: 0,
        }
    }

    pub(crate) fn of(scope: &ScopeNode, element: &ElementNode, place: &str, label: &str) -> Self {
        let duplicate =
            element.metadata.as_ref().is_some_and(|metadata| metadata.0.contains_key("duplicateStableId"));
        match &element.stable_id {
            Some(id) if is_lasting(id.as_str()) && !duplicate => Self::stable(id.as_str()),
            _ => Self::named(place, scope_id(scope.id.as_str()), element.role.as_str(), label),
        }
    }

    pub(crate) fn numbered(mut self, number: u32) -> Self {
        if let Self::Named { ordinal, .. } = &mut self {
            *ordinal = number;
        }
        self
    }

    /// The key that the package shows, with the route in the place of the address.
    pub(crate) fn semantic(&self, route: &str) -> CompactString {
        match self {
            Self::Stable(id) => id.clone(),
            Self::Named { scope, role, label, ordinal, .. } => {
                let label = if label.is_empty() { "unnamed" } else { label };
                let number = if *ordinal == 0 { String::new() } else { format!("~{}", ordinal + 1) };
                format!("{route}/{}/{role}/{label}{number}", scope.trim_start_matches('~')).into()
            }
        }
    }
}

/// What an entry of a collection could be called, best first. See [`Labels`](super::item::Labels).
pub(crate) fn possible_labels(name: &str) -> Vec<String> {
    let first = normalised_name(name).split(' ').next().unwrap_or_default().to_owned();
    vec![label_of(name), beginning(&first), ANY.to_owned()]
}

/// Whether an element gets an entry: it can be used, it tells something, or it is the source of a value.
pub(crate) fn matters(element: &ElementNode) -> bool {
    let used = element.affordances.iter().any(|affordance| {
        !matches!(affordance, UIAffordance::Read | UIAffordance::Focus | UIAffordance::Scroll)
    });
    let tells = matches!(
        element.role,
        UIRole::Status | UIRole::Alert | UIRole::Toast | UIRole::Progress | UIRole::Canvas
    );
    let entity = element
        .metadata
        .as_ref()
        .is_some_and(|metadata| metadata.0.contains_key("entity") || metadata.0.contains_key("opaqueReason"));
    let declared = element.stable_id.is_some() || element.meaning.is_some();
    used || tells || entity || declared
}

/// Whether something can be done to it.
pub(crate) fn is_used(found: &Found) -> bool {
    found.affordances.iter().any(|each| !matches!(each.as_str(), "read" | "focus" | "scroll"))
}

/// What is done to an element first of all.
pub(crate) fn main_action(element: &ElementNode) -> &'static str {
    match element.role {
        UIRole::Link => "nav.navigate",
        UIRole::Checkbox | UIRole::Switch | UIRole::Radio => "ui.toggle",
        UIRole::Textbox
        | UIRole::Textarea
        | UIRole::Searchbox
        | UIRole::Spinbutton
        | UIRole::Datepicker
        | UIRole::Timepicker => "ui.enterText",
        UIRole::Combobox | UIRole::Listbox | UIRole::Option => "ui.choose",
        UIRole::Fileinput => "ui.upload",
        _ => "ui.activate",
    }
}

/// The primitives that an element makes possible. Spec: discovery-mapper §15.4.
pub(crate) fn primitives(role: &UIRole, found: &Found) -> Vec<&'static str> {
    let offers = |affordance: UIAffordance| found.affordances.contains(affordance.as_str());
    let mut out = Vec::new();
    if !found.ever_enabled {
        return out;
    }
    match role {
        UIRole::Link if found.leads_out => {}
        UIRole::Link => out.push("nav.navigate"),
        UIRole::Checkbox | UIRole::Switch => out.push("ui.toggle"),
        UIRole::Radio | UIRole::Option | UIRole::Combobox | UIRole::Listbox => out.push("ui.choose"),
        UIRole::Slider => out.push("ui.setValue"),
        UIRole::Fileinput => out.push("ui.upload"),
        _ => {}
    }
    let types = role.is_field() && offers(UIAffordance::Edit) && *role != UIRole::Slider;
    if types && found.ever_editable {
        out.extend(["ui.enterText", "ui.clearText"]);
    }
    if offers(UIAffordance::Activate) && !(*role == UIRole::Link && found.leads_out) {
        out.push("ui.activate");
    }
    if offers(UIAffordance::Expand) || offers(UIAffordance::Collapse) {
        out.extend(["ui.collapse", "ui.expand"]);
    }
    if offers(UIAffordance::Open) {
        out.push("ui.open");
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// An element with the key that the package shows.
pub(crate) struct Named<'a> {
    pub(crate) key: &'a ElementKey,
    pub(crate) semantic: CompactString,
    pub(crate) role: UIRole,
    pub(crate) found: Found,
}

/// Whatever a control says of itself: what was seen to write writes.
pub(crate) fn raise(named: &mut [Named<'_>], edges: &[Edge]) {
    for edge in edges {
        let Some((key, write)) = edge.element.as_ref().zip(edge.write()) else { continue };
        for named in named.iter_mut().filter(|named| named.key == key) {
            let because = format!("it was seen to send {} `{}`", write.method, write.path);
            let found = &mut named.found;
            if let Some(sign) = &mut found.sign
                && gravity(&sign.class) < gravity(&SideEffectClass::DataWrite)
            {
                (sign.class, sign.because) = (SideEffectClass::DataWrite, because.clone());
            }
            if let Some(risk) = &mut found.risk
                && risk.level == RiskLevel::Safe
            {
                (risk.level, risk.reason) = (RiskLevel::Confirm, Some(because.as_str().into()));
            }
        }
    }
}

/// Joins what was found: the frame around every page is one, whatever the page.
pub(crate) fn named<'a>(survey: &'a Survey, routes: &Routes) -> Vec<Named<'a>> {
    use std::collections::{BTreeMap, BTreeSet};
    let total = routes.count();
    let mut spread: BTreeMap<(&str, &str, &str, u32), BTreeSet<&str>> = BTreeMap::new();
    for key in survey.elements.keys() {
        if let ElementKey::Named { place, scope, role, label, ordinal } = key {
            let route = routes.id(place).unwrap_or(place);
            spread.entry((scope, role, label, *ordinal)).or_default().insert(route);
        }
    }
    let mut joined: BTreeMap<CompactString, Named<'a>> = BTreeMap::new();
    for (key, found) in &survey.elements {
        let route = match key {
            ElementKey::Stable(_) => "",
            ElementKey::Named { place, scope, role, label, ordinal } => {
                let seen = spread
                    .get(&(scope.as_str(), role.as_str(), label.as_str(), *ordinal))
                    .map_or(0, BTreeSet::len);
                let everywhere = seen >= 3 && seen * 2 >= total;
                if everywhere { ANY } else { routes.id(place).unwrap_or("nowhere") }
            }
        };
        let semantic = key.semantic(route);
        let Some(role) = found.role.as_deref().and_then(UIRole::parse) else { continue };
        match joined.entry(semantic.clone()) {
            std::collections::btree_map::Entry::Vacant(slot) => {
                slot.insert(Named { key, semantic, role, found: found.clone() });
            }
            std::collections::btree_map::Entry::Occupied(mut slot) => slot.get_mut().found.merge(found),
        }
    }
    joined.into_values().collect()
}

pub(crate) fn catalog(
    named: &[Named<'_>],
    routes: &Routes,
    kept: &std::collections::BTreeSet<CompactString>,
    book: &mut Book,
) -> ElementCatalog {
    let elements = named.iter().map(|each| entry(each, routes, kept, book)).collect();
    ElementCatalog { elements }
}

fn entry(
    named: &Named<'_>,
    routes: &Routes,
    kept: &std::collections::BTreeSet<CompactString>,
    book: &mut Book,
) -> DiscoveredElement {
    let found = &named.found;
    let mut discovered_by = book.all(&found.seen);
    if discovered_by.is_empty() {
        discovered_by.push(book.told(EvidenceSource::Inferred, "element"));
    }
    let confidence = support(found).confidence();
    let stable_id = match named.key {
        ElementKey::Stable(id) => StableId::parse(id),
        ElementKey::Named { .. } => None,
    };
    let actions: std::collections::BTreeSet<&str> = primitives(&named.role, found)
        .into_iter()
        .chain(found.actions.iter().map(CompactString::as_str))
        .collect();
    let doubtful = confidence == uiap_model::discovery::Confidence::Low || found.twins > 1;
    DiscoveredElement {
        stable_id,
        semantic_key: named.semantic.clone(),
        routes: filled(routes.ids(&found.places)),
        scopes: filled(
            found.scopes.iter().filter(|id| kept.contains(*id)).filter_map(|id| ScopeId::parse(id)).collect(),
        ),
        role: named.role.clone(),
        names: filled(found.names.iter().map(ToCompactString::to_compact_string).collect()),
        meanings: filled(meanings(&named.role, found)),
        state_keys: filled(found.state_keys.iter().filter_map(|key| UIStateKey::parse(key)).collect()),
        affordances: filled(found.affordances.iter().filter_map(|each| UIAffordance::parse(each)).collect()),
        supported_actions: filled(actions.into_iter().filter_map(ActionId::parse).collect()),
        risk: found
            .risk
            .clone()
            .or_else(|| risk_of(found.sign.as_ref().filter(|_| is_used(found))?, &named.role)),
        data_classes: filled(data_classes(found)),
        discovered_by,
        confidence,
        review_state: Some(if doubtful {
            FindingReviewState::NeedsReview
        } else {
            FindingReviewState::Candidate
        }),
        metadata: metadata([
            ("repeats", found.repeats.into()),
            ("href", found.hrefs.iter().next().cloned().unwrap_or_default().into()),
            ("disabled", (!found.ever_enabled).into()),
            ("unseen", (!found.ever_seen).into()),
            ("required", found.required.into()),
            ("visionAssisted", (named.role == UIRole::Canvas).into()),
            ("documents", found.documents.iter().map(String::as_str).collect::<Vec<_>>().into()),
            ("options", found.options.iter().map(String::as_str).collect::<Vec<_>>().into()),
        ]),
    }
}

pub(crate) fn support(found: &Found) -> Support {
    if !found.ever_seen {
        // The app's word alone: nobody could tie it to anything on the page.
        return Support::default();
    }
    let declared = found.seen.has(EvidenceSource::Annotation) || found.seen.has(EvidenceSource::AppRegistry);
    if found.only_pixels {
        return Support { declared, ..Support::default() };
    }
    let semantic = found.seen.has(EvidenceSource::Dom) || found.seen.has(EvidenceSource::Accessibility);
    let indicators = usize::from(semantic)
        + usize::from(!found.names.is_empty() && semantic)
        + usize::from(found.seen.has(EvidenceSource::Accessibility));
    Support { declared, indicators, ..Support::default() }
}

fn meanings(role: &UIRole, found: &Found) -> Vec<CompactString> {
    if !found.meanings.is_empty() {
        return found.meanings.iter().cloned().collect();
    }
    if !role.is_field() || found.repeats {
        return Vec::new();
    }
    found
        .names
        .iter()
        .next()
        .and_then(|name| meaning::of_field(name))
        .map(CompactString::from)
        .into_iter()
        .collect()
}

pub(crate) fn data_classes(found: &Found) -> Vec<DataClass> {
    let mut classes: Vec<DataClass> =
        found.data_classes.iter().filter_map(|class| DataClass::parse(class)).collect();
    if classes.is_empty() && found.role.as_deref().and_then(UIRole::parse).is_some_and(|role| role.is_field())
    {
        classes.extend(found.names.iter().find_map(|name| meaning::of_label(name).1));
    }
    if classes.is_empty() && found.sensitive {
        classes.push(DataClass::Credential);
    }
    classes
}

/// The risk of what nobody rated: the class of its consequences, with the strictest level that fits. What is harmless has none.
pub(crate) fn risk_of(sign: &Sign, role: &UIRole) -> Option<RiskDescriptor> {
    let (level, tags) = match &sign.class {
        SideEffectClass::Destructive => (RiskLevel::Blocked, vec![RiskTag::Destructive]),
        SideEffectClass::Irreversible => (RiskLevel::Blocked, vec![RiskTag::Irreversible]),
        SideEffectClass::BillingChange => (RiskLevel::Blocked, vec![RiskTag::Billing]),
        SideEffectClass::SecurityChange if role.is_field() => {
            (RiskLevel::Confirm, vec![RiskTag::SensitiveData])
        }
        SideEffectClass::SecurityChange => (RiskLevel::Blocked, vec![RiskTag::Security]),
        SideEffectClass::IdentityChange => (RiskLevel::Blocked, vec![RiskTag::Identity]),
        SideEffectClass::ExternalEffect => (RiskLevel::Confirm, vec![RiskTag::ExternalEffect]),
        SideEffectClass::DataWrite => (RiskLevel::Confirm, Vec::new()),
        SideEffectClass::Unknown if !role.is_field() => (RiskLevel::Confirm, Vec::new()),
        _ => return None,
    };
    Some(RiskDescriptor { level, tags: filled(tags), reason: Some(sign.because.as_str().into()) })
}
