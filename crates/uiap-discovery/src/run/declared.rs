//! What an app says of itself in documents, read before anything else is done. Spec: discovery-mapper §11.1.

use std::time::Duration;

use compact_str::CompactString;
use serde_json::Value;
use uiap_model::discovery::DiscoverySeed;
use uiap_model::document::{kind, validate};

use super::event::RunEvent;
use super::{End, Run, RunError};
use crate::ground::{AppDocument, Ground, Place};
use crate::record::{Incident, IncidentKind};
use crate::seed::sitemap::Sitemaps;
use crate::seed::{MANIFEST, Offer, manifest};
use crate::store::{Chapter, StoreError};

/// How long a sitemap may take.
const PAPER: Duration = Duration::from_secs(10);

impl<G: Ground> Run<G> {
    /// Reads them as the first profile that gets in. An app that cannot be opened is told of by its seeds. Says how the run
    /// ended when it did.
    pub(super) async fn read_app(&mut self) -> Result<Option<End>, RunError> {
        let (documents, mut offers) = match self.in_time(Box::pin(self.papers())).await {
            Ok(papers) => papers,
            Err(end) => return Ok(Some(end)),
        };
        let mut chapter = Chapter::default();
        let mut news = Vec::new();
        let mut read: Vec<CompactString> = Vec::new();
        for document in documents {
            match fault(&document) {
                None => {
                    offers.extend(self.learn_workflows(&document));
                    read.push(document.name.into());
                }
                Some(detail) => {
                    let incident =
                        Incident { kind: IncidentKind::Malformed, state_id: None, url: None, detail };
                    news.extend(self.atlas.tell(incident, &mut chapter).map(RunEvent::Incident));
                }
            }
        }
        chapter.facts.push(("documents", serde_json::to_value(&read).map_err(StoreError::from)?));
        news.push(RunEvent::AppRead(read));
        self.take_offers(offers, &mut chapter, &mut news);
        self.publish(chapter, news)?;
        Ok(None)
    }

    /// The workflows that an app publishes are places to begin at.
    fn learn_workflows(&mut self, document: &AppDocument) -> Vec<Offer> {
        if document.name != "workflows" {
            return Vec::new();
        }
        let values = match serde_json::from_str(&document.text) {
            Ok(Value::Array(workflows)) => workflows,
            Ok(other) => vec![other],
            Err(_) => Vec::new(),
        };
        let workflows = values.iter().filter_map(|value| uiap_model::json::read(value).ok());
        let mut offers = Vec::new();
        for workflow in workflows {
            let (workflow_id, begins) = manifest::beginning(&workflow);
            self.plan.learn_workflow(&workflow_id, &begins);
            offers.push(Offer::new(DiscoverySeed::Workflow { workflow_id }, MANIFEST));
        }
        offers
    }

    /// What the app has written down, and what its sitemap proposes.
    async fn papers(&self) -> (Vec<AppDocument>, Vec<Offer>) {
        for profile in &self.plan.profiles {
            let Ok(mut place) = self.camp.ground.open(profile).await else { continue };
            let documents = place.documents().await;
            let offers = if self.plan.sitemap { self.sitemaps(&mut place).await } else { Vec::new() };
            self.camp.keep_place(profile, place);
            return (documents, offers);
        }
        (Vec::new(), Vec::new())
    }

    async fn sitemaps(&self, place: &mut impl Place) -> Vec<Offer> {
        let mut sitemaps = Sitemaps::default();
        while let Some((address, depth)) = sitemaps.turn() {
            let text = match tokio::time::timeout(PAPER, place.read(&address)).await {
                Ok(Ok(Some(text))) => Ok(text),
                Ok(Ok(None)) => Err("the app has none there".to_owned()),
                Ok(Err(error)) => Err(error.detail),
                Err(_) => Err(format!("it did not come within {} s", PAPER.as_secs())),
            };
            sitemaps.read(self.plan.base(), &address, depth, text);
        }
        sitemaps.offers()
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
