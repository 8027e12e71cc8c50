//! When a rule applies, in a form that is quick to ask.

use compact_str::CompactString;
use uiap_model::capability::UIRole;
use uiap_model::policy::PolicyMatch;
use uiap_model::policy::document::PrincipalMatch;
use uiap_model::problem::{Code, Problem};

use crate::facts::{Facts, Names, SURE_ROLES};
use crate::grant::Grants;
use crate::pattern::Pattern;
use crate::word::Wanted;

/// A star in an id stands elsewhere than at the end behind a dot.
pub const BAD_PATTERN: Code = Code("UIAP-P001");
/// A list without entries: the rule could never match, and nobody would notice.
pub const EMPTY_LIST: Code = Code("UIAP-P002");

/// A compiled [`PolicyMatch`].
#[derive(Clone, Debug)]
pub(crate) struct Matcher {
    pub(crate) wanted: Wanted,
    pub(crate) actions: Option<Vec<Pattern>>,
    names: Option<Box<WantedNames>>,
}

/// A key of a match by which it can be found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Selective<'a> {
    Actions(&'a [Pattern]),
    StableIds(&'a [CompactString]),
    Routes(&'a [Pattern]),
    Scopes(&'a [CompactString]),
    Workflows(&'a [CompactString]),
    Principals(&'a [CompactString]),
    Roles(&'a [UIRole]),
    PrincipalRoles(&'a [CompactString]),
    Nothing,
}

/// What a match asks for beyond the vocabularies; most rules do not.
#[derive(Clone, Debug, Default)]
struct WantedNames {
    routes: Option<Vec<Pattern>>,
    scopes: Option<Vec<CompactString>>,
    stable_ids: Option<Vec<CompactString>>,
    workflows: Option<Vec<CompactString>>,
    roles: Option<Vec<UIRole>>,
    principal_ids: Option<Vec<CompactString>>,
    principal_roles: Option<Vec<CompactString>>,
    principal_grants: Option<Grants>,
}

impl Matcher {
    /// Compiles a match that was checked.
    pub(crate) fn compile(source: &PolicyMatch) -> Self {
        let principal = source.principal.as_ref();
        let mut wanted = Wanted::default();
        wanted.key(source.risk_levels.as_deref());
        wanted.key(source.action_kinds.as_deref());
        wanted.key(source.phase.as_deref());
        wanted.key(principal.and_then(|principal| principal.types.as_deref()));
        wanted.key(source.execution_modes.as_deref());
        wanted.key(source.interaction_modes.as_deref());
        wanted.key(source.side_effects.as_deref());
        wanted.key(source.data_classes.as_deref());
        wanted.key(source.risk_tags.as_deref());
        Self { wanted, actions: patterns(source.actions.as_ref()), names: WantedNames::compile(source) }
    }

    /// The key that tells it apart best: the fewer questions name a thing, the better.
    pub(crate) fn selective(&self) -> Selective<'_> {
        match (&self.actions, &self.names) {
            (Some(actions), _) => Selective::Actions(actions),
            (None, Some(names)) => names.selective(),
            (None, None) => Selective::Nothing,
        }
    }

    /// Whether everything but the action fits; what is claimed counts only where asked.
    pub(crate) fn fits(&self, facts: &Facts<'_>, claims: bool) -> bool {
        let known = if claims { &facts.all } else { &facts.sure };
        self.wanted.admits(known) && self.names.as_ref().is_none_or(|names| names.fit(facts, claims))
    }

    /// Whether everything fits, the action too.
    pub(crate) fn matches(&self, facts: &Facts<'_>) -> bool {
        let action = facts.request.action_id.as_str();
        self.actions.as_ref().is_none_or(|actions| actions.iter().any(|pattern| pattern.matches(action)))
            && self.fits(facts, true)
    }
}

impl WantedNames {
    fn compile(source: &PolicyMatch) -> Option<Box<Self>> {
        let no_principal = PrincipalMatch { types: None, ids: None, roles: None, grants: None };
        let principal = source.principal.as_ref().unwrap_or(&no_principal);
        let asks = source.routes.is_some()
            || source.scopes.is_some()
            || source.stable_ids.is_some()
            || source.workflow_ids.is_some()
            || source.roles.is_some()
            || principal.ids.is_some()
            || principal.roles.is_some()
            || principal.grants.is_some();
        asks.then(|| {
            Box::new(Self {
                routes: patterns(source.routes.as_ref()),
                scopes: texts(source.scopes.as_deref()),
                stable_ids: texts(source.stable_ids.as_deref()),
                workflows: source.workflow_ids.clone(),
                roles: source.roles.clone(),
                principal_ids: principal.ids.clone(),
                principal_roles: principal.roles.clone(),
                principal_grants: principal.grants.as_ref().map(Grants::listed),
            })
        })
    }

    fn selective(&self) -> Selective<'_> {
        let stable_ids = self.stable_ids.as_deref().map(Selective::StableIds);
        stable_ids
            .or_else(|| self.routes.as_deref().map(Selective::Routes))
            .or_else(|| self.scopes.as_deref().map(Selective::Scopes))
            .or_else(|| self.workflows.as_deref().map(Selective::Workflows))
            .or_else(|| self.principal_ids.as_deref().map(Selective::Principals))
            .or_else(|| self.roles.as_deref().map(Selective::Roles))
            .or_else(|| self.principal_roles.as_deref().map(Selective::PrincipalRoles))
            .unwrap_or(Selective::Nothing)
    }

    fn fit(&self, facts: &Facts<'_>, claims: bool) -> bool {
        let principal = &facts.request.principal;
        let roles = principal.roles.as_deref().unwrap_or_default();
        one_of(self.stable_ids.as_deref(), &facts.stable_ids, claims)
            && one_of(self.scopes.as_deref(), &facts.scopes, claims)
            && one_of(self.workflows.as_deref(), &facts.workflows, claims)
            && self.routes.as_ref().is_none_or(|routes| {
                facts.routes.any(claims, |route| routes.iter().any(|pattern| pattern.matches(route)))
            })
            && self.fits_role(facts, claims)
            && self.principal_ids.as_ref().is_none_or(|ids| ids.contains(&principal.id))
            && self
                .principal_roles
                .as_ref()
                .is_none_or(|wanted| roles.iter().any(|role| wanted.contains(role)))
            && self.principal_grants.as_ref().is_none_or(|grants| grants.meets(&facts.grants))
    }

    fn fits_role(&self, facts: &Facts<'_>, claims: bool) -> bool {
        let Some(wanted) = &self.roles else { return true };
        let count = if claims { facts.roles.len() } else { SURE_ROLES };
        facts.roles.iter().take(count).flatten().any(|role| wanted.contains(role))
    }
}

fn one_of(wanted: Option<&[CompactString]>, names: &Names<'_>, claims: bool) -> bool {
    wanted.is_none_or(|wanted| names.any(claims, |name| wanted.iter().any(|each| each == name)))
}

fn texts<T: AsRef<str>>(names: Option<&[T]>) -> Option<Vec<CompactString>> {
    names.map(|names| names.iter().map(|name| CompactString::new(name.as_ref())).collect())
}

fn patterns(texts: Option<&Vec<CompactString>>) -> Option<Vec<Pattern>> {
    texts.map(|texts| texts.iter().filter_map(|text| Pattern::parse(text)).collect())
}

/// What is wrong with a match whose form is right; pointers are relative to it.
pub(crate) fn check(source: &PolicyMatch) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (key, list) in [("actions", &source.actions), ("routes", &source.routes)] {
        for (index, text) in list.iter().flatten().enumerate() {
            if Pattern::parse(text).is_none() {
                let message = format!("`{text}` is neither an id nor `prefix.*`");
                problems.push(
                    Problem::error(BAD_PATTERN, format!("/{key}/{index}"), message).help(
                        "a star stands at the end, behind a dot; leave the key out to match everything",
                    ),
                );
            }
        }
    }
    let principal = source.principal.as_ref();
    let lists = [
        ("actions", source.actions.as_ref().map(Vec::len)),
        ("actionKinds", source.action_kinds.as_ref().map(Vec::len)),
        ("riskLevels", source.risk_levels.as_ref().map(Vec::len)),
        ("riskTags", source.risk_tags.as_ref().map(Vec::len)),
        ("sideEffects", source.side_effects.as_ref().map(Vec::len)),
        ("dataClasses", source.data_classes.as_ref().map(Vec::len)),
        ("routes", source.routes.as_ref().map(Vec::len)),
        ("scopes", source.scopes.as_ref().map(Vec::len)),
        ("stableIds", source.stable_ids.as_ref().map(Vec::len)),
        ("roles", source.roles.as_ref().map(Vec::len)),
        ("executionModes", source.execution_modes.as_ref().map(Vec::len)),
        ("workflowIds", source.workflow_ids.as_ref().map(Vec::len)),
        ("interactionModes", source.interaction_modes.as_ref().map(Vec::len)),
        ("phase", source.phase.as_ref().map(Vec::len)),
        ("principal/types", principal.and_then(|each| each.types.as_ref()).map(Vec::len)),
        ("principal/ids", principal.and_then(|each| each.ids.as_ref()).map(Vec::len)),
        ("principal/roles", principal.and_then(|each| each.roles.as_ref()).map(Vec::len)),
        ("principal/grants", principal.and_then(|each| each.grants.as_ref()).map(Vec::len)),
    ];
    problems.extend(lists.into_iter().filter(|(_, length)| *length == Some(0)).map(|(key, _)| {
        Problem::error(EMPTY_LIST, format!("/{key}"), "an empty list never matches")
            .help("name at least one value, or leave the key out to match everything")
    }));
    problems
}
