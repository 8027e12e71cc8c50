//! Which published area and element is which one that is seen: by the id that the app gave it, else by what it is and what it is called
//! where only one is so. What could be two things is neither.

use std::collections::HashMap;
use std::hash::Hash;

use uiap_model::capability::UIRole;
use uiap_model::names::{ElementInstanceId, ScopeId};
use uiap_model::web::{DocumentNode, ElementNode, ScopeKind, ScopeNode};

/// What belongs together in one document.
pub(super) struct Ties<'a> {
    /// Published areas by those that are seen.
    scopes: HashMap<&'a ScopeId, &'a ScopeId>,
    /// What is seen, with its area, by published elements.
    elements: HashMap<&'a ElementInstanceId, (&'a ScopeNode, &'a ElementNode)>,
}

type Placed<'a> = (&'a ScopeNode, &'a ElementNode);

impl<'a> Ties<'a> {
    pub(super) fn between(seen: &'a DocumentNode, told: &'a DocumentNode) -> Self {
        let mut ties = Self { scopes: HashMap::new(), elements: HashMap::new() };
        ties.tie_scopes(&seen.scopes, &told.scopes);
        ties.tie_elements(&placed(seen), &placed(told));
        ties
    }

    pub(super) fn told_scope(&self, seen: &ScopeId) -> Option<&'a ScopeId> {
        self.scopes.get(seen).copied()
    }

    pub(super) fn seen_scope<'b>(&self, told: &ScopeId, seen: &'b [ScopeNode]) -> Option<&'b ScopeNode> {
        seen.iter().find(|scope| self.scopes.get(&scope.id) == Some(&told))
    }

    pub(super) fn seen_element(&self, told: &ElementInstanceId) -> Option<Placed<'a>> {
        self.elements.get(told).copied()
    }

    fn tie_scopes(&mut self, seen: &'a [ScopeNode], told: &'a [ScopeNode]) {
        let whole = |scope: &'a ScopeNode| (scope.kind == ScopeKind::Page).then_some(());
        let named = |scope: &'a ScopeNode| Some((scope.kind, words(scope.name.as_deref())?));
        self.scopes_by(seen, told, |scope| Some(scope.id.as_str()));
        self.scopes_by(seen, told, |scope| scope.stable_id.as_ref());
        self.scopes_by(seen, told, whole);
        self.scopes_by(seen, told, named);
    }

    fn scopes_by<K: Hash + Eq>(
        &mut self,
        seen: &'a [ScopeNode],
        told: &'a [ScopeNode],
        key: impl Fn(&'a ScopeNode) -> Option<K>,
    ) {
        let taken: Vec<&ScopeId> = self.scopes.values().copied().collect();
        let seen = seen.iter().filter(|scope| !self.scopes.contains_key(&scope.id));
        let told = told.iter().filter(|scope| !taken.contains(&&scope.id));
        for (seen, told) in matched(seen, told, &key, &key) {
            self.scopes.insert(&seen.id, &told.id);
        }
    }

    fn tie_elements(&mut self, seen: &[Placed<'a>], told: &[Placed<'a>]) {
        let by_id = |(_, element): Placed<'a>| element.stable_id.as_ref();
        self.elements_by(seen, told, by_id, by_id);
        let called = |element: &'a ElementNode| Some((&element.role, words(element.name.as_deref())?));
        let scopes = self.scopes.clone();
        let seen_there = |(scope, element): Placed<'a>| {
            let (role, name): (&'a UIRole, String) = called(element)?;
            Some((*scopes.get(&scope.id)?, role, name))
        };
        let told_there = |(scope, element): Placed<'a>| {
            let (role, name) = called(element)?;
            Some((&scope.id, role, name))
        };
        self.elements_by(seen, told, seen_there, told_there);
        let anywhere = |(_, element): Placed<'a>| called(element);
        self.elements_by(seen, told, anywhere, anywhere);
    }

    fn elements_by<K: Hash + Eq>(
        &mut self,
        seen: &[Placed<'a>],
        told: &[Placed<'a>],
        seen_key: impl Fn(Placed<'a>) -> Option<K>,
        told_key: impl Fn(Placed<'a>) -> Option<K>,
    ) {
        let taken: std::collections::HashSet<_> =
            self.elements.values().map(|(_, element)| &element.instance_id).collect();
        let seen = seen.iter().copied().filter(|(_, element)| !taken.contains(&element.instance_id));
        let told = told.iter().copied().filter(|(_, each)| !self.elements.contains_key(&each.instance_id));
        for (seen, told) in matched(seen, told, seen_key, told_key) {
            let contradicts = matches!((&seen.1.stable_id, &told.1.stable_id), (Some(a), Some(b)) if a != b);
            if !contradicts {
                self.elements.insert(&told.1.instance_id, seen);
            }
        }
    }
}

/// Those of both sides that alone have the same key.
fn matched<T: Copy, K: Hash + Eq>(
    seen: impl Iterator<Item = T>,
    told: impl Iterator<Item = T>,
    seen_key: impl Fn(T) -> Option<K>,
    told_key: impl Fn(T) -> Option<K>,
) -> Vec<(T, T)> {
    let mut keyed: HashMap<K, (Vec<T>, Vec<T>)> = HashMap::new();
    for each in seen {
        if let Some(key) = seen_key(each) {
            keyed.entry(key).or_default().0.push(each);
        }
    }
    for each in told {
        if let Some(key) = told_key(each) {
            keyed.entry(key).or_default().1.push(each);
        }
    }
    let alone = |(seen, told): (Vec<T>, Vec<T>)| match (seen.as_slice(), told.as_slice()) {
        ([seen], [told]) => Some((*seen, *told)),
        _ => None,
    };
    keyed.into_values().filter_map(alone).collect()
}

fn placed(document: &DocumentNode) -> Vec<Placed<'_>> {
    document.scopes.iter().flat_map(|scope| scope.elements.iter().map(move |each| (scope, &**each))).collect()
}

/// A name in single words; none when there is none.
fn words(name: Option<&str>) -> Option<String> {
    let words: Vec<&str> = name?.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// An area and those around it, innermost first; longer than there are areas where they form a circle.
pub(super) fn chain<'a>(scopes: &'a [ScopeNode], from: &ScopeId) -> impl Iterator<Item = &'a ScopeNode> {
    let find = |id: &ScopeId| scopes.iter().find(|scope| scope.id == *id);
    let next = move |scope: &&'a ScopeNode| scope.parent_scope_id.as_ref().and_then(find);
    std::iter::successors(find(from), next).take(scopes.len() + 1)
}
