//! Finds overlays that contradict each other, exactly: same path, above and below, removed and used, shifted lists.
//!
//! Decisions D18, D19.

use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;

use super::patch::Effect;
use crate::tree::Place;

/// A patch that was applied.
#[derive(Clone)]
pub(crate) struct Write {
    pub(crate) overlay: usize,
    pub(crate) op: Op,
    /// The patch.
    pub(crate) place: Place,
    /// What it wrote, in short.
    pub(crate) shown: String,
}

/// The operation of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Replace,
    Merge,
    Append,
    Remove,
    Upsert,
}

impl Op {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "replace" => Self::Replace,
            "merge" => Self::Merge,
            "append" => Self::Append,
            "remove" => Self::Remove,
            "upsert" => Self::Upsert,
            _ => return None,
        })
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Merge => "merge",
            Self::Append => "append",
            Self::Remove => "remove",
            Self::Upsert => "upsert",
        }
    }
}

/// How two patches relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clash {
    /// They write the same value to the same place.
    Same,
    /// They write different values to the same place.
    Different,
    /// One writes inside what the other writes.
    Nested,
    /// One removes what the other changes.
    Removed,
    /// One removes an item of a list in which the other counts.
    Shifted,
    /// Both append: the order of the overlays decides.
    Appended,
    /// The second works on what the first of the same overlay made.
    BuiltOn,
}

#[derive(Default)]
struct TrieNode {
    write: Option<Rc<Write>>,
    children: HashMap<String, TrieNode, RandomState>,
    /// Removals of items of this list, and uses of an index in it.
    removals: Vec<(usize, Rc<Write>)>,
    index_uses: Vec<(usize, Rc<Write>)>,
    appended: Option<Rc<Write>>,
}

/// Everything that was written to one manifest.
#[derive(Default)]
pub(crate) struct Writes {
    root: TrieNode,
}

impl Writes {
    /// What an intended patch runs into, before it is applied.
    pub(crate) fn before(&self, path: &[String], new: &Write) -> Option<(Clash, Rc<Write>)> {
        let mut node = &self.root;
        for (depth, token) in path.iter().enumerate() {
            if let Some(index) = crate::tree::array_index(token) {
                let foreign =
                    |(at, write): &&(usize, Rc<Write>)| write.overlay != new.overlay && *at <= index;
                if let Some((_, write)) = node.removals.iter().find(foreign) {
                    return Some((Clash::Shifted, write.clone()));
                }
            }
            let Some(next) = node.children.get(token) else { return list_clash(node, path, depth, new) };
            node = next;
            let is_last = depth + 1 == path.len();
            if let Some(write) = &node.write
                && !is_last
            {
                return Some((nested(write, new), write.clone()));
            }
        }
        at_node(node, new)
    }

    /// Notes what a patch wrote; says where that meets an earlier write (upserts and merges show it only now).
    pub(crate) fn after(
        &mut self,
        path: &[String],
        effect: &Effect,
        new: &Rc<Write>,
        value_at: impl Fn(&[String]) -> Option<String>,
    ) -> Option<(Clash, Rc<Write>)> {
        if new.op == Op::Append {
            self.node(path).appended = Some(new.clone());
        }
        self.note_indices(path, new);
        if let Some(index) = effect.removed_index {
            let (list, _) = path.split_at_checked(path.len().saturating_sub(1)).unwrap_or_default();
            self.node(list).removals.push((index, new.clone()));
            return None;
        }
        let mut clash = None;
        for written in &effect.written {
            let mut write = Rc::clone(new);
            if matches!(new.op, Op::Merge | Op::Upsert) {
                Rc::make_mut(&mut write).shown = value_at(written).unwrap_or_default();
            }
            let node = self.node(written);
            if matches!(new.op, Op::Merge | Op::Upsert) && clash.is_none() {
                clash = match &node.write {
                    Some(old) if old.overlay != new.overlay || new.op == Op::Upsert => {
                        let same = old.shown == write.shown;
                        Some((if same { Clash::Same } else { Clash::Different }, old.clone()))
                    }
                    Some(_) => None,
                    None => first_write(node)
                        .filter(|old| old.overlay != new.overlay)
                        .map(|old| (Clash::Nested, old)),
                };
            }
            node.write = Some(write);
            node.children.clear();
        }
        clash
    }

    fn note_indices(&mut self, path: &[String], new: &Rc<Write>) {
        for (depth, token) in path.iter().enumerate() {
            if let Some(index) = crate::tree::array_index(token) {
                let list = path.get(..depth).unwrap_or_default();
                self.node(list).index_uses.push((index, new.clone()));
            }
        }
    }

    fn node(&mut self, path: &[String]) -> &mut TrieNode {
        path.iter().fold(&mut self.root, |node, token| node.children.entry(token.clone()).or_default())
    }
}

fn list_clash(node: &TrieNode, path: &[String], depth: usize, new: &Write) -> Option<(Clash, Rc<Write>)> {
    let is_last = depth + 1 == path.len();
    let index = path.get(depth).and_then(|token| crate::tree::array_index(token))?;
    let foreign = |(at, write): &&(usize, Rc<Write>)| write.overlay != new.overlay && *at >= index;
    (is_last && new.op == Op::Remove)
        .then(|| node.index_uses.iter().find(foreign).map(|(_, write)| (Clash::Shifted, write.clone())))
        .flatten()
}

fn at_node(node: &TrieNode, new: &Write) -> Option<(Clash, Rc<Write>)> {
    match new.op {
        Op::Append => {
            if let Some(write) = &node.write {
                return Some((nested(write, new), write.clone()));
            }
            node.appended.as_ref().filter(|w| w.overlay != new.overlay).map(|w| (Clash::Appended, w.clone()))
        }
        Op::Upsert | Op::Merge => node.write.as_ref().map(|write| (nested(write, new), write.clone())),
        Op::Replace | Op::Remove => {
            if let Some(write) = &node.write {
                return Some((same_place(write, new), write.clone()));
            }
            let below = first_write(node)?;
            let clash = if new.op == Op::Remove { Clash::Removed } else { Clash::Nested };
            Some((clash, below))
        }
    }
}

fn nested(old: &Write, new: &Write) -> Clash {
    match () {
        () if old.overlay == new.overlay => Clash::BuiltOn,
        () if old.op == Op::Remove => Clash::Removed,
        () => Clash::Nested,
    }
}

fn same_place(old: &Write, new: &Write) -> Clash {
    match (old.op, new.op) {
        (Op::Remove, Op::Remove) => Clash::Same,
        (Op::Merge | Op::Append | Op::Upsert, _) if old.overlay == new.overlay => Clash::BuiltOn,
        (Op::Remove, _) | (_, Op::Remove) => Clash::Removed,
        _ if old.shown == new.shown => Clash::Same,
        _ => Clash::Different,
    }
}

/// Some write at or below a node; the lowest place first, so that the answer does not depend on hashing.
fn first_write(node: &TrieNode) -> Option<Rc<Write>> {
    if let Some(write) = &node.write {
        return Some(write.clone());
    }
    let below = node.children.values().filter_map(first_write).chain(node.appended.clone());
    below.min_by_key(|write| (write.overlay, write.place.span.start))
}
