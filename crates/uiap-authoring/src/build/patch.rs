//! The five patch operations on an edited tree. Spec: authoring §5.8; decisions D13–D16, D20.

use std::borrow::Cow;
use std::collections::HashMap;

use super::schema;
use crate::diagnostic::did_you_mean;
use crate::source::{Node, NodeKind, push_token};
use crate::tree::{At, Tree, array_index};
use uiap_model::authoring::AuthoringKind;

/// Why a patch cannot be applied: what is wrong, and what to do.
#[derive(Debug)]
pub(crate) struct PatchFault {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    /// Other places that matter, such as two items that match.
    pub(crate) places: Vec<(crate::tree::Place, String)>,
}

impl PatchFault {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, places: Vec::new() }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// What a patch did, in terms of paths whose value is new.
#[derive(Debug, Default)]
pub(crate) struct Effect {
    /// Paths that now hold a new value.
    pub(crate) written: Vec<Vec<String>>,
    /// Members that an upsert dropped.
    pub(crate) dropped: Vec<String>,
    /// Items that lack the match key.
    pub(crate) without_key: usize,
    /// Index that a removal freed.
    pub(crate) removed_index: Option<usize>,
}

/// Finds upsert targets without walking a long list for every patch.
#[derive(Default)]
pub(crate) struct KeyIndex {
    lists: HashMap<(Vec<String>, String), IndexedList>,
}

#[derive(Default)]
struct IndexedList {
    by_key: HashMap<String, Vec<usize>>,
    without_key: usize,
}

impl IndexedList {
    fn note(&mut self, key: Option<String>, index: usize) {
        match key {
            Some(found) => self.by_key.entry(found).or_default().push(index),
            None => self.without_key += 1,
        }
    }
}

impl KeyIndex {
    /// The keys of the list at a path.
    fn of(
        &mut self,
        path: &[String],
        key: &str,
        tree: &mut Tree<'_>,
    ) -> Result<&mut IndexedList, PatchFault> {
        let list = walk(tree, path)?.at();
        let slot = self.lists.entry((path.to_vec(), key.to_owned()));
        Ok(slot.or_insert_with(|| index_list(list, &key_path(key))))
    }

    /// Takes note of items at the end of a list.
    fn appended(&mut self, path: &[String], first: usize, new: &[Tree<'_>]) {
        for ((_, key), indexed) in self.lists.iter_mut().filter(|((list, _), _)| list == path) {
            let key = key_path(key);
            for (index, item) in new.iter().enumerate() {
                indexed.note(key_of(item.at(), &key), first + index);
            }
        }
    }

    /// Forgets lists whose keys a write below `path` may have changed.
    pub(crate) fn forget(&mut self, path: &[String]) {
        self.lists.retain(|(list, key), _| {
            if list.len() >= path.len() {
                return !list.starts_with(path);
            }
            if !path.starts_with(list) {
                return true;
            }
            let below: Vec<&str> = path.iter().skip(list.len() + 1).map(String::as_str).collect();
            let key = key_path(key);
            let overlaps = below.iter().zip(&key).all(|(a, b)| a == b);
            !overlaps
        });
    }
}

/// The members of a match key: dots separate, `\.` is a dot, a leading `/` makes it a JSON Pointer.
pub(crate) fn key_path(key: &str) -> Vec<String> {
    if key.starts_with('/') {
        return crate::source::parse_pointer(key).unwrap_or_default();
    }
    let mut parts = vec![String::new()];
    let mut chars = key.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'.') => {
                chars.next();
                if let Some(part) = parts.last_mut() {
                    part.push('.');
                }
            }
            '.' => parts.push(String::new()),
            c => {
                if let Some(part) = parts.last_mut() {
                    part.push(c);
                }
            }
        }
    }
    parts
}

/// The key of an item as text; numbers and booleans are told apart from strings.
fn key_of(item: At<'_>, key: &[String]) -> Option<String> {
    let found = key.iter().try_fold(item, |at, part| at.get(part))?;
    match found.kind() {
        NodeKind::Str => found.as_str().map(str::to_owned),
        NodeKind::Map | NodeKind::Seq | NodeKind::Null => None,
        _ => Some(format!("\0{}", found.to_value())),
    }
}

pub(crate) fn pointer_of(tokens: &[String]) -> String {
    let mut out = String::new();
    for token in tokens {
        push_token(&mut out, token);
    }
    out
}

/// A manifest that patches are applied to.
pub(crate) struct Target<'a, 'd> {
    pub(crate) kind: AuthoringKind,
    pub(crate) tree: &'a mut Tree<'d>,
    pub(crate) keys: &'a mut KeyIndex,
}

impl<'d> Target<'_, 'd> {
    pub(crate) fn replace(&mut self, path: &[String], value: Node<'d>) -> Result<Effect, PatchFault> {
        let slot = walk(self.tree, path)?;
        *slot = Tree::Source(value);
        self.keys.forget(path);
        Ok(Effect { written: vec![path.to_vec()], ..Effect::default() })
    }

    pub(crate) fn remove(&mut self, path: &[String]) -> Result<Effect, PatchFault> {
        let Some((last, above)) = path.split_last() else {
            return Err(PatchFault::new("the root cannot be removed"));
        };
        let parent = walk(self.tree, above)?;
        let missing = missing_member(parent.at(), last, path);
        let removed_index = if let Some(map) = parent.map_mut() {
            map.remove(last).ok_or(missing)?;
            None
        } else if let Some(seq) = parent.seq_mut() {
            let index = array_index(last).filter(|index| *index < seq.items.len()).ok_or(missing)?;
            seq.items.remove(index);
            Some(index)
        } else {
            return Err(missing);
        };
        self.keys.forget(above);
        Ok(Effect { written: vec![path.to_vec()], removed_index, ..Effect::default() })
    }

    pub(crate) fn merge(&mut self, path: &[String], value: Node<'d>) -> Result<Effect, PatchFault> {
        if value.kind() != NodeKind::Map {
            return Err(PatchFault::new(format!("`merge` needs an object, found a {}", value.kind())));
        }
        if let Some(null) = find_null(value) {
            return Err(PatchFault::new(format!("`merge` cannot set `{null}` to null"))
                .help("use `remove` to take a member away"));
        }
        let mut effect = Effect::default();
        let exists = At::locate(self.tree.at(), &pointer_of(path)).1;
        if exists {
            let slot = walk(self.tree, path)?;
            if slot.at().kind() != NodeKind::Map {
                let found = slot.at().kind();
                return Err(PatchFault::new(format!(
                    "`merge` needs an object at `{}`, found a {found}",
                    pointer_of(path)
                ))
                .help("use `replace`, or `append` for a list"));
            }
            deep_merge(slot, value, path, &mut effect.written);
        } else {
            // Only the last member may be new: a typing mistake further up must not grow a second tree.
            let Some((last, above)) = path.split_last() else {
                return Err(PatchFault::new("the root cannot be merged"));
            };
            let parent = walk(self.tree, above)?;
            let missing = missing_member(parent.at(), last, path);
            parent.map_mut().ok_or(missing)?.set(last, Tree::Source(value));
            leaves(value, path, &mut effect.written);
        }
        self.keys.forget(path);
        Ok(effect)
    }

    pub(crate) fn append(&mut self, path: &[String], value: Node<'d>) -> Result<Effect, PatchFault> {
        let identity = schema::identity_of(path.last().map(String::as_str).unwrap_or_default());
        self.list(path, value, "append")?;
        let new: Vec<Tree<'d>> = match value.kind() {
            NodeKind::Seq => value.items().map(Tree::Source).collect(),
            _ => vec![Tree::Source(value)],
        };
        let known = self.keys.of(path, &identity.join("."), self.tree)?;
        let twins: Vec<Option<usize>> = new
            .iter()
            .map(|item| {
                let id = item.at().descend(identity).and_then(At::as_str)?;
                known.by_key.get(id)?.first().copied()
            })
            .collect();
        let list = walk(self.tree, path)?;
        let Some(seq) = list.seq_mut() else { return Err(PatchFault::new("not a list")) };
        for (item, twin) in new.iter().zip(twins) {
            let id = item.at().descend(identity).and_then(At::as_str).unwrap_or_default();
            if let Some(twin) = twin.and_then(|twin| seq.items.get(twin)) {
                let mut fault = PatchFault::new(format!("the list already has an item `{id}`"));
                fault.places.push((twin.at().place(), "the item that is there".to_owned()));
                return Err(fault.help("use `upsert` to change it"));
            }
        }
        let first = seq.items.len();
        let count = new.len();
        self.keys.appended(path, first, &new);
        seq.items.extend(new);
        let written = (first..first + count).map(|index| below(path, index)).collect();
        Ok(Effect { written, ..Effect::default() })
    }

    pub(crate) fn upsert(
        &mut self,
        path: &[String],
        value: Node<'d>,
        match_key: &str,
    ) -> Result<Effect, PatchFault> {
        let key = key_path(match_key);
        let Some(wanted) = key_of(At::Node(value), &key) else {
            return Err(PatchFault::new(format!("the value has no `{match_key}` to match by")));
        };
        self.list(path, value, "upsert")?;
        let indexed = self.keys.of(path, match_key, self.tree)?;
        let list = walk(self.tree, path)?;
        let Some(seq) = list.seq_mut() else { return Err(PatchFault::new("not a list")) };
        let mut effect = Effect { without_key: indexed.without_key, ..Effect::default() };
        let places = indexed.by_key.entry(wanted.clone()).or_default();
        let index = match places.as_slice() {
            [] => {
                places.push(seq.items.len());
                seq.items.push(Tree::Source(value));
                seq.items.len() - 1
            }
            [index] => {
                let index = *index;
                if let Some(slot) = seq.items.get_mut(index) {
                    effect.dropped = dropped(slot.at(), value);
                    *slot = Tree::Source(value);
                }
                index
            }
            several => {
                let mut fault =
                    PatchFault::new(format!("{} items have `{match_key}` `{wanted}`", several.len()));
                for item in several.iter().filter_map(|index| seq.items.get(*index)) {
                    fault.places.push((item.at().place(), "this one".to_owned()));
                }
                return Err(fault.help("make the key unique, or patch by index"));
            }
        };
        effect.written.push(below(path, index));
        Ok(effect)
    }

    /// The list at a path; made when its parent is there and the form says that it is a list.
    fn list(&mut self, path: &[String], origin: Node<'d>, op: &str) -> Result<&mut Tree<'d>, PatchFault> {
        let exists = At::locate(self.tree.at(), &pointer_of(path)).1;
        if !exists
            && schema::is_list(self.kind, path)
            && let Some((last, above)) = path.split_last()
            && let Some(map) = walk(self.tree, above)?.map_mut()
        {
            map.set(last, Tree::seq(origin, Vec::new()));
        }
        let slot = walk(self.tree, path)?;
        let kind = slot.at().kind();
        if kind != NodeKind::Seq {
            return Err(PatchFault::new(format!(
                "`{op}` needs a list at `{}`, found a {kind}",
                pointer_of(path)
            ))
            .help("use `merge` for objects and `replace` for single values"));
        }
        if op == "upsert" && slot.at().items().next().is_some_and(|item| item.kind() != NodeKind::Map) {
            return Err(PatchFault::new("`upsert` needs a list of objects").help("use `append` or `replace`"));
        }
        Ok(slot)
    }
}

fn below(path: &[String], index: usize) -> Vec<String> {
    let mut out = path.to_vec();
    out.push(index.to_string());
    out
}

fn index_list(list: At<'_>, key: &[String]) -> IndexedList {
    let mut indexed = IndexedList::default();
    for (index, item) in list.items().enumerate() {
        indexed.note(key_of(item, key), index);
    }
    indexed
}

fn dropped(old: At<'_>, new: Node<'_>) -> Vec<String> {
    old.entries().filter(|(key, _)| new.get(key).is_none()).map(|(key, _)| key.to_owned()).collect()
}

/// Down a path, or why not.
fn walk<'t, 'd>(tree: &'t mut Tree<'d>, path: &[String]) -> Result<&'t mut Tree<'d>, PatchFault> {
    let mut here = tree;
    for (depth, token) in path.iter().enumerate() {
        let fault = here
            .at()
            .step(token)
            .is_none()
            .then(|| missing_member(here.at(), token, path.get(..=depth).unwrap_or_default()));
        match (fault, here.step_mut(token)) {
            (None, Some(next)) => here = next,
            (Some(fault), _) => return Err(fault),
            (None, None) => return Err(PatchFault::new("the path leads nowhere")),
        }
    }
    Ok(here)
}

/// Says what is there instead.
fn missing_member(at: At<'_>, token: &str, path: &[String]) -> PatchFault {
    let pointer = pointer_of(path);
    let fault = PatchFault::new(format!("`{pointer}` does not exist"));
    match at.kind() {
        NodeKind::Seq if token == "-" => PatchFault::new(format!("`{pointer}` names the end of a list"))
            .help("use `append` to add to a list"),
        NodeKind::Seq if array_index(token).is_none() => PatchFault::new(format!("`{token}` is no index"))
            .help("an index has digits only and no leading zero"),
        NodeKind::Seq => match at.len() {
            0 => fault.help("the list is empty"),
            length => fault.help(format!("the list has {length} items, 0 to {}", length - 1)),
        },
        NodeKind::Map => {
            if let Some(near) = did_you_mean(token, at.entries().map(|(key, _)| key)) {
                let mut tokens = path.to_vec();
                if let Some(last) = tokens.last_mut() {
                    near.clone_into(last);
                }
                return fault.help(format!("did you mean `{}`?", pointer_of(&tokens)));
            }
            let keys: Vec<&str> = at.entries().map(|(key, _)| key).take(12).collect();
            fault.help(format!("there is: {}", keys.join(", ")))
        }
        kind => fault.help(format!("the value above it is a {kind}")),
    }
}

fn find_null(value: Node<'_>) -> Option<String> {
    value.entries().find_map(|(key, member)| {
        if member.is_null() {
            Some(key.to_owned())
        } else {
            find_null(member).map(|rest| format!("{key}.{rest}"))
        }
    })
}

/// Alternatives that only make sense as a whole: texts, targets. Decision D14.
fn is_union(at: At<'_>) -> bool {
    at.get("by").is_some()
        || at.get("default").is_some()
        || (at.get("ref").is_some() && at.get("kind").is_none())
}

/// A merge claims the values it brings, not the objects around them: others may add members beside them.
fn leaves(value: Node<'_>, path: &[String], written: &mut Vec<Vec<String>>) {
    if value.kind() != NodeKind::Map || value.is_empty() || is_union(At::Node(value)) {
        written.push(path.to_vec());
        return;
    }
    for (key, member) in value.entries() {
        let mut here = path.to_vec();
        here.push(key.to_owned());
        leaves(member, &here, written);
    }
}

fn deep_merge<'d>(slot: &mut Tree<'d>, value: Node<'d>, path: &[String], written: &mut Vec<Vec<String>>) {
    let Some(map) = slot.map_mut() else { return };
    for (key, member) in value.entries() {
        let mut here = path.to_vec();
        here.push(key.to_owned());
        let merges = |old: &Tree<'_>| {
            old.at().kind() == NodeKind::Map
                && member.kind() == NodeKind::Map
                && !is_union(old.at())
                && !is_union(At::Node(member))
        };
        match map.get_mut(key) {
            Some(old) if merges(old) => deep_merge(old, member, &here, written),
            Some(old) => {
                *old = Tree::Source(member);
                written.push(here);
            }
            None => {
                map.entries.push((Cow::Borrowed(key), Tree::Source(member)));
                leaves(member, &here, written);
            }
        }
    }
}
