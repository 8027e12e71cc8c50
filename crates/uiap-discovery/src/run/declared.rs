//! What an app says of itself in documents, read before anything else is done. Spec: discovery-mapper §11.1.

use compact_str::CompactString;
use serde_json::Value;
use uiap_model::document::{kind, validate};

use super::event::RunEvent;
use super::{End, Run, RunError};
use crate::ground::{AppDocument, Ground, Place as _};
use crate::record::{Incident, IncidentKind};
use crate::store::{Chapter, StoreError};

impl<G: Ground> Run<G> {
    /// Reads them as the first profile that gets in. An app that cannot be opened is told of by its seeds. Says how the run
    /// ended when it did.
    pub(super) async fn read_app(&mut self) -> Result<Option<End>, RunError> {
        let documents = match self.in_time(self.documents()).await {
            Ok(documents) => documents,
            Err(end) => return Ok(Some(end)),
        };
        let mut chapter = Chapter::default();
        let mut news = Vec::new();
        let mut read: Vec<CompactString> = Vec::new();
        for document in documents {
            match fault(&document) {
                None => read.push(document.name.into()),
                Some(detail) => {
                    let incident =
                        Incident { kind: IncidentKind::Malformed, state_id: None, url: None, detail };
                    news.extend(self.atlas.tell(incident, &mut chapter).map(RunEvent::Incident));
                }
            }
        }
        chapter.facts.push(("documents", serde_json::to_value(&read).map_err(StoreError::from)?));
        news.push(RunEvent::AppRead(read));
        self.publish(chapter, news)?;
        Ok(None)
    }

    async fn documents(&self) -> Vec<AppDocument> {
        for profile in &self.plan.profiles {
            let Ok(mut place) = self.camp.ground.open(profile).await else { continue };
            let documents = place.documents().await;
            self.camp.keep_place(profile, place);
            return documents;
        }
        Vec::new()
    }
}

/// What is wrong with a document.
fn fault(document: &AppDocument) -> Option<String> {
    let AppDocument { name, text } = document;
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => return Some(format!("the document `{name}` is no JSON: {error}")),
    };
    let (kind_name, values) = match *name {
        "capabilities" => ("CapabilityDocument", vec![value]),
        "policy" => ("PolicyDocument", vec![value]),
        _ => match value {
            Value::Array(workflows) => ("WorkflowDefinition", workflows),
            other => ("WorkflowDefinition", vec![other]),
        },
    };
    let kind = kind(kind_name)?;
    let problem = values.iter().flat_map(|value| validate(value, kind)).next()?;
    Some(format!("the document `{name}` is wrong at `{}`: {}", problem.pointer, problem.message))
}
