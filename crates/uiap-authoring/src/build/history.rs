//! What each patch did, in the coordinates of its moment, so that a value can be followed back.

use super::conflict::Op;
use super::patch::Effect;
use crate::source::Node;
use crate::tree::{Place, array_index};

/// One applied patch.
#[derive(Clone)]
pub(crate) struct Step<'d> {
    pub(crate) manifest: usize,
    pub(crate) overlay: String,
    /// The patch.
    pub(crate) place: Place,
    /// Paths that got a new value, with the value; without one where something was taken away.
    writes: Vec<(Vec<String>, Option<Node<'d>>)>,
    /// The list and the position that a removal closed.
    closed: Option<(Vec<String>, usize)>,
}

impl<'d> Step<'d> {
    pub(crate) fn new(
        (manifest, overlay, place): (usize, &str, Place),
        op: Op,
        path: &[String],
        value: Option<Node<'d>>,
        effect: &Effect,
    ) -> Self {
        let several =
            op == Op::Append && value.is_some_and(|value| value.kind() == crate::source::NodeKind::Seq);
        let value_of = |position: usize, written: &[String]| match op {
            Op::Remove => None,
            Op::Merge => {
                let below = written.get(path.len()..).unwrap_or_default();
                below.iter().try_fold(value?, |node, token| node.get(token))
            }
            Op::Append if several => value?.item(position),
            Op::Replace | Op::Append | Op::Upsert => value,
        };
        let written = effect.written.iter().enumerate();
        let writes = written.map(|(position, path)| (path.clone(), value_of(position, path))).collect();
        let closed =
            effect.removed_index.and_then(|index| path.split_last().map(|(_, list)| (list.to_vec(), index)));
        Self { manifest, overlay: overlay.to_owned(), place, writes, closed }
    }

    /// The same patch in a larger set of manifests.
    pub(crate) fn moved(mut self, place: impl Fn(usize) -> usize) -> Self {
        self.manifest = place(self.manifest);
        self
    }

    /// Turns a path of the state after the patch into one of the state before it.
    pub(crate) fn undo_shift(&self, way: &mut [String]) {
        let Some((list, closed)) = &self.closed else { return };
        if way.starts_with(list)
            && let Some(token) = way.get_mut(list.len())
            && let Some(index) = array_index(token).filter(|index| index >= closed)
        {
            *token = (index + 1).to_string();
        }
    }

    /// The write that made the value at a path, or a part of it.
    pub(crate) fn met(&self, way: &[String]) -> Option<(&[String], Option<Node<'d>>)> {
        // A closed position is gone: what stands there now came after it.
        if self.closed.is_some() {
            return None;
        }
        let found = self.writes.iter().find(|(path, _)| way.starts_with(path) || path.starts_with(way));
        found.map(|(path, node)| (path.as_slice(), *node))
    }
}
