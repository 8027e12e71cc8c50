//! A form is filled in before it is sent.

use std::sync::Arc;

use uiap_model::web::PageGraph;

use super::{Notes, Scout};
use crate::candidate::find;
use crate::ground::{Acted, Draft, Ground};

impl<G: Ground> Scout<G> {
    /// Writes into the fields of a form; shows the page afterwards. What cannot be written is left, and the app says so.
    pub(super) async fn fill_in(
        &mut self,
        drafts: &[Draft],
        mut graph: Arc<PageGraph>,
        notes: &mut Notes,
    ) -> Arc<PageGraph> {
        for draft in drafts {
            let Some(field) = find(&graph, &draft.aim).map(|element| element.instance_id.clone()) else {
                continue;
            };
            match self.act(&draft.deed, Some(&field)).await {
                Ok(Acted { looked, .. }) => (graph, _) = notes.take(looked),
                Err(error) => tracing::debug!(%error, "a field could not be written into"),
            }
        }
        graph
    }
}
