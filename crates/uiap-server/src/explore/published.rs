//! The graph that an app publishes of its page: preferred as the structure of a state, never instead of what is seen.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use tracing::{Instrument as _, debug_span};
use uiap_discovery::structure::{plain, woven};
use uiap_discovery::template::path_of;
use uiap_model::web::PageGraph;
use uiap_model::web::message::SnapshotOptions;
use uiap_runtime::surface::SurfaceError;
use uiap_web::surface::{Published, WebSurface};

use super::Inner;

/// Pages whose graph did not come in time: they are not waited for again.
#[derive(Debug, Default)]
pub(super) struct Silent(Mutex<HashSet<String>>);

impl Silent {
    fn has(&self, page: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(page)
    }

    fn note(&self, page: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(page);
    }
}

/// What a page shows.
pub(super) struct Shown {
    pub(super) graph: PageGraph,
    /// What is wrong with the graph that the app publishes.
    pub(super) fault: Option<String>,
}

impl Shown {
    /// What is seen, in the structure that the app publishes of it where it does.
    pub(super) async fn of(
        seen: PageGraph,
        surface: &WebSurface,
        ground: &Inner,
        options: &SnapshotOptions,
    ) -> Self {
        let page = path_of(&seen.route.url);
        let told =
            if ground.silent.has(&page) { Ok(Published::Silence) } else { ask(surface, options).await };
        let fault = match told {
            Ok(Published::Nothing) => None,
            Ok(Published::Graph(told)) => match woven(&seen, &told) {
                Ok(graph) => return Self { graph, fault: None },
                Err(fault) => Some(format!("the app's own page graph {fault}")),
            },
            Ok(Published::Fault(fault)) => Some(format!("the app's own page graph is not used: {fault}")),
            Ok(Published::Silence) => {
                ground.silent.note(page);
                Some("the app's own page graph did not come in time".to_owned())
            }
            Err(fault) => Some(format!("the app's own page graph could not be asked for: {fault}")),
        };
        Self { graph: plain(seen), fault }
    }
}

/// Asks the app; once more where a document went away meanwhile.
async fn ask(surface: &WebSurface, options: &SnapshotOptions) -> Result<Published, SurfaceError> {
    let asked = surface.published(options).instrument(debug_span!("explore.published"));
    match asked.await {
        Err(_) => surface.published(options).await,
        answer => answer,
    }
}
