//! A run in a real browser, as a test needs it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use compact_str::CompactString;
use serde_json::{Value, json};
use uiap_discovery::plan::{Known, Plan};
use uiap_discovery::record::{IncidentKind, RunRecord};
use uiap_discovery::run::{Control, RunEvent, RunOptions, explore};
use uiap_discovery::seed::Offer;
use uiap_discovery::store::Store;
use uiap_server::explore::{GroundOptions, WebGround};

/// Who hears what a run tells.
pub(crate) type Ear = Arc<dyn Fn(&RunEvent) + Send + Sync>;

pub(crate) struct Setup {
    pub(crate) environment: Value,
    pub(crate) ground: GroundOptions,
    pub(crate) workers: usize,
    pub(crate) offers: Vec<Offer>,
    pub(crate) known: Known,
    pub(crate) sitemap: bool,
    /// Where everything is stored; nowhere when there is none.
    pub(crate) folder: Option<PathBuf>,
    /// Told everything.
    pub(crate) on_event: Option<Ear>,
    /// Told the process of the browser.
    pub(crate) on_launch: Option<Arc<dyn Fn(u32) + Send + Sync>>,
}

impl Setup {
    pub(crate) fn of(base: &str) -> Self {
        Self {
            environment: json!({
                "environmentId": "test", "baseUrl": base, "safety": { "defaultMode": "safe_explore" }
            }),
            ground: GroundOptions { viewport: (1280, 1000), ..GroundOptions::default() },
            workers: 1,
            offers: Vec::new(),
            known: Known::default(),
            sitemap: false,
            folder: None,
            on_event: None,
            on_launch: None,
        }
    }

    pub(crate) fn mode(mut self, mode: &str) -> Self {
        self.environment["safety"]["defaultMode"] = mode.into();
        self
    }

    pub(crate) fn budget(mut self, name: &str, value: u64) -> Self {
        self.environment["budgets"][name] = value.into();
        self
    }

    pub(crate) async fn run(&self) -> Explored {
        let environment = serde_json::from_value(self.environment.clone()).unwrap();
        let mut plan = Plan::new(environment, self.offers.clone(), self.known.clone()).unwrap();
        plan.sitemap = self.sitemap;
        let ground = WebGround::launch(plan.base().clone(), self.ground.clone()).await.unwrap();
        if let (Some(tell), Some(id)) = (&self.on_launch, ground.process_id()) {
            tell(id);
        }
        let loud = std::env::var_os("UIAP_LOUD").is_some();
        let on_event = self.on_event.clone();
        let began = Instant::now();
        let options = RunOptions {
            run_id: CompactString::from("run_1"),
            workers: self.workers,
            gallery: self.folder.as_ref().map(|folder| folder.join("screenshots")),
            policy: uiap_discovery::fingerprint::default_policy(),
            control: Control::default(),
            listener: Arc::new(move |event| {
                if let Some(tell) = &on_event {
                    tell(&event);
                }
                if loud {
                    tell(began.elapsed().as_secs_f64(), &event);
                }
            }),
            clock: uiap_runtime::clock::now,
        };
        let store = match &self.folder {
            Some(folder) => Store::open(&folder.join("run.sqlite")).unwrap(),
            None => Store::in_memory().unwrap(),
        };
        let record = explore(Arc::new(ground.clone()), plan, store, options).await.unwrap();
        let seconds = began.elapsed().as_secs_f64();
        let record = record.record().unwrap();
        ground.close().await;
        Explored { record, seconds }
    }
}

fn tell(at: f64, event: &RunEvent) {
    match event {
        RunEvent::StateFound { state_id, url, title } => println!("{at:6.2} + {state_id} {url} {title}"),
        RunEvent::Acted { from, action_id, aim, to } => {
            let aim = aim.as_ref().map(|aim| format!("{} `{}`", aim.role, aim.name)).unwrap_or_default();
            println!("{at:6.2}   {from} {action_id} {aim} -> {}", to.as_deref().unwrap_or("?"));
        }
        RunEvent::Incident(incident) => {
            println!(
                "{at:6.2} ! {:?} {} {}",
                incident.kind,
                incident.url.as_deref().unwrap_or(""),
                incident.detail
            );
        }
        RunEvent::Status(status) => println!("{at:6.2} = {status:?}"),
        _ => {}
    }
}

pub(crate) struct Explored {
    pub(crate) record: RunRecord,
    pub(crate) seconds: f64,
}

/// The package of a record is valid, and a person finds a word about each of these incidents in it.
pub(crate) fn assert_told(record: &RunRecord, kinds: &[IncidentKind]) {
    let package = uiap_discovery::package::derive(record);
    assert_eq!(package.check(), [], "the package is valid");
    for kind in kinds {
        let told: Vec<_> = record.incidents.iter().filter(|incident| incident.kind == *kind).collect();
        assert!(!told.is_empty(), "{kind:?} is missing in {:?}", record.incidents);
        for incident in told {
            let items = &package.review_queue.items;
            // What several controls did is told once, and each of them is named apart from it.
            let what = incident.detail.split("; it came of ").next().unwrap_or_default();
            let found = items.iter().any(|item| item.description.contains(what));
            assert!(found, "nobody is told of {incident:?}");
        }
    }
}
