//! Which states an app was seen to keep: the first of a kind is watched for a while, and where one was taken back the next of every
//! kind is watched again.

use std::collections::HashSet;

use compact_str::CompactString;
use uiap_model::capability::UIRole;
use uiap_model::names::ScopeId;
use uiap_model::web::PageGraph;

use crate::verify::Check;

/// Kinds that are remembered.
const MOST: usize = 1_000;

/// What was learned of the apps of one session.
#[derive(Debug, Default)]
pub(super) struct Trust {
    kept: HashSet<Kind>,
}

/// States of one kind: of such controls, in such a part of such a page.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Kind {
    place: CompactString,
    scope: Option<ScopeId>,
    role: Option<UIRole>,
    state: &'static str,
}

impl Trust {
    /// Whether the app was not seen to keep such a state yet.
    pub(super) fn is_new(
        &mut self,
        graph: &PageGraph,
        control: Option<(&UIRole, Option<&ScopeId>)>,
        check: &Check,
    ) -> bool {
        let state = match check {
            Check::Text(_) => "text",
            Check::Value { .. } => "value",
            Check::State(_) | Check::Other { .. } => "state",
            Check::Chosen(_) => "choice",
            _ => return false,
        };
        let place = place(graph);
        if self.kept.len() >= MOST {
            self.kept.clear();
        }
        let (role, scope) = control.unzip();
        self.kept.insert(Kind { place, scope: scope.flatten().cloned(), role: role.cloned(), state })
    }

    /// The app took back what it had been believed to keep.
    pub(super) fn is_broken(&mut self, graph: &PageGraph) {
        let place = place(graph);
        self.kept.retain(|kind| kind.place != place);
    }
}

fn place(graph: &PageGraph) -> CompactString {
    graph.route.path.clone().unwrap_or_else(|| graph.route.url.clone())
}
