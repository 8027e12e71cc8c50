//! An app that is only a script: states with controls that lead to other states, shown by a ground without a browser.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use compact_str::CompactString;
use serde_json::{Value, json};
use uiap_discovery::ground::{
    Acted, AppDocument, Deed, Evidence, Ground, GroundError, Looked, Place, Traffic,
};
use uiap_discovery::plan::{Known, Plan};
use uiap_discovery::record::{IncidentKind, RunRecord};
use uiap_discovery::run::{Control, Explored, RunError, RunEvent, RunOptions, explore};
use uiap_discovery::seed::Offer;
use uiap_discovery::store::Store;
use uiap_model::capability::ActionDescriptor;
use uiap_model::names::{ElementInstanceId, Timestamp};
use uiap_model::web::PageGraph;

pub(crate) const BASE: &str = "http://app.test";

/// Something that can be operated.
#[derive(Clone, Debug)]
pub(crate) struct Thing {
    pub(crate) role: &'static str,
    pub(crate) name: String,
    pub(crate) to: Option<String>,
    pub(crate) extra: Value,
    pub(crate) scope: &'static str,
}

impl Thing {
    pub(crate) fn link(name: impl Into<String>, to: impl Into<String>) -> Self {
        Self { role: "link", name: name.into(), to: Some(to.into()), extra: json!({}), scope: "main" }
    }

    pub(crate) fn button(name: impl Into<String>, to: impl Into<String>) -> Self {
        let extra = json!({ "state": { "visible": true, "enabled": true, "hasPopup": "dialog" } });
        Self { role: "button", name: name.into(), to: Some(to.into()), extra, scope: "main" }
    }

    pub(crate) fn within(mut self, scope: &'static str) -> Self {
        self.scope = scope;
        self
    }

    pub(crate) fn with(mut self, extra: Value) -> Self {
        self.extra = extra;
        self
    }
}

/// What is shown, and what it leads to.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) name: String,
    pub(crate) path: String,
    pub(crate) things: Vec<Thing>,
    /// Whether its address leads to it.
    pub(crate) is_addressable: bool,
}

/// Makes what is shown under a name: an app may have more states than fit into memory.
pub(crate) type Script = Arc<dyn Fn(&str) -> Option<Shown> + Send + Sync>;

/// A page of the app at its own address.
pub(crate) fn page(name: &str, things: Vec<Thing>) -> Shown {
    Shown { name: name.to_owned(), path: format!("/{name}"), things, is_addressable: true }
}

/// Something over a page, at the page's address.
pub(crate) fn overlay(name: &str, path: &str, things: Vec<Thing>) -> Shown {
    Shown { name: name.to_owned(), path: path.to_owned(), things, is_addressable: false }
}

/// An app of a few states.
pub(crate) fn app(states: Vec<Shown>) -> Script {
    Arc::new(move |name| states.iter().find(|state| state.name == name).cloned())
}

#[derive(Clone)]
pub(crate) struct Stage {
    pub(crate) script: Script,
    pub(crate) latency: Duration,
    /// Whether nobody is ever let in, and nobody is told so.
    pub(crate) never_opens: bool,
    /// Everything that was pressed, in the order in which it was.
    pub(crate) pressed: Arc<Mutex<Vec<String>>>,
    /// Everything that was pressed where nothing could come of it.
    pub(crate) tried: Arc<Mutex<Vec<String>>>,
    /// Every address that was opened.
    pub(crate) opened: Arc<Mutex<Vec<String>>>,
    pub(crate) actions: Vec<ActionDescriptor>,
    /// The routes that the app says it has.
    pub(crate) routes: Vec<(CompactString, String)>,
    /// What the app has written down, by the address.
    pub(crate) papers: Arc<HashMap<String, String>>,
    pub(crate) on_press: Arc<dyn Fn(&str) + Send + Sync>,
    /// Whether a session ends with what is pressed (`state|name`) or opened (`name`).
    pub(crate) ends_session: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    /// Whether somebody who comes in is logged in.
    pub(crate) logs_in: Arc<AtomicBool>,
    /// What a profile is shown instead of a page; nobody is shown anything else by default.
    pub(crate) shows: Shows,
}

/// What a profile is shown where the script has a page.
pub(crate) type Shows = Arc<dyn Fn(&str, Shown) -> Result<Shown, GroundError> + Send + Sync>;

impl Stage {
    pub(crate) fn new(script: Script) -> Self {
        Self {
            script,
            latency: Duration::ZERO,
            never_opens: false,
            pressed: Arc::default(),
            tried: Arc::default(),
            opened: Arc::default(),
            actions: Vec::new(),
            routes: Vec::new(),
            papers: Arc::default(),
            on_press: Arc::new(|_| {}),
            ends_session: Arc::new(|_| false),
            logs_in: Arc::new(AtomicBool::new(true)),
            shows: Arc::new(|_, shown| Ok(shown)),
        }
    }

    /// What stands at a name, for a profile.
    fn shown(&self, profile: &str, name: &str) -> Result<Shown, GroundError> {
        let shown = (self.script)(name);
        let shown =
            shown.ok_or_else(|| GroundError::new(IncidentKind::Unreachable, "there is no such page"))?;
        (self.shows)(profile, shown)
    }

    pub(crate) fn pressed(&self) -> Vec<String> {
        self.pressed.lock().unwrap().clone()
    }
}

impl Ground for Stage {
    type Place = Spot;

    async fn open(&self, profile: &str) -> Result<Spot, GroundError> {
        if self.never_opens {
            std::future::pending::<()>().await;
        }
        let (stage, profile) = (self.clone(), profile.to_owned());
        let is_inside = self.logs_in.load(Ordering::SeqCst);
        Ok(Spot { stage, profile, at: String::new(), before: Vec::new(), sealed: false, is_inside })
    }

    fn is_somebody(&self, profile: &str) -> bool {
        profile != "nobody"
    }
}

pub(crate) struct Spot {
    stage: Stage,
    profile: String,
    at: String,
    before: Vec<String>,
    sealed: bool,
    is_inside: bool,
}

impl Spot {
    async fn look(&self) -> Result<Looked, GroundError> {
        if !self.stage.latency.is_zero() {
            tokio::time::sleep(self.stage.latency).await;
        }
        let mut shown = self.stage.shown(&self.profile, &self.at)?;
        if !self.is_inside {
            let state = json!({ "state": { "visible": true, "enabled": true, "sensitive": true } });
            let field = Thing { role: "textbox", to: None, ..Thing::link("Password", "") }.with(state);
            shown = page("login", vec![field]);
        }
        Ok(Looked {
            graph: Arc::new(graph(&shown)),
            incidents: Vec::new(),
            self_writes: Vec::new(),
            held: false,
            late: Vec::new(),
        })
    }
}

impl Place for Spot {
    async fn renew(&mut self) -> Result<bool, GroundError> {
        Ok(false)
    }

    async fn go(&mut self, url: &str) -> Result<Looked, GroundError> {
        self.stage.opened.lock().unwrap().push(url.to_owned());
        let path = url.strip_prefix(BASE).unwrap_or_default().trim_start_matches('/');
        self.at = if path.is_empty() { "home".to_owned() } else { path.to_owned() };
        self.before.clear();
        self.is_inside &= !(self.stage.ends_session)(&self.at);
        self.look().await
    }

    async fn act(
        &mut self,
        deed: &Deed,
        target: Option<&ElementInstanceId>,
        _idle: &BTreeSet<Traffic>,
    ) -> Result<Acted, GroundError> {
        let shown = self.stage.shown(&self.profile, &self.at)?;
        let (name, to) = match (deed, target) {
            (Deed::Invoke { action_id, .. }, _) => (action_id.to_string(), None),
            (_, Some(id)) => {
                let at: usize = id.as_str().trim_start_matches('e').parse().unwrap();
                (shown.things[at].name.clone(), shown.things[at].to.clone())
            }
            (_, None) => panic!("there is nothing to press"),
        };
        (self.stage.on_press)(&format!("{}|{name}", self.at));
        self.is_inside &= !(self.stage.ends_session)(&format!("{}|{name}", self.at));
        let log = if self.sealed { &self.stage.tried } else { &self.stage.pressed };
        log.lock().unwrap().push(format!("{}|{name}", self.at));
        if let Some(to) = to {
            self.before.push(std::mem::replace(&mut self.at, to));
        }
        Ok(Acted { looked: self.look().await?, signals: Vec::new(), requests: Vec::new() })
    }

    async fn leads(&mut self, _target: &ElementInstanceId) -> Result<Option<String>, GroundError> {
        Ok(None)
    }

    async fn back(&mut self) -> Result<Looked, GroundError> {
        if let Some(before) = self.before.pop() {
            self.at = before;
        }
        self.look().await
    }

    async fn rest(&mut self) -> Result<Looked, GroundError> {
        self.look().await
    }

    async fn undo(
        &mut self,
        _deed: Option<(&Deed, &ElementInstanceId)>,
        _idle: &BTreeSet<Traffic>,
    ) -> Result<Looked, GroundError> {
        self.look().await
    }

    async fn seal(&mut self) -> Result<(), GroundError> {
        self.sealed = true;
        Ok(())
    }

    async fn documents(&mut self) -> Vec<AppDocument> {
        let of = |name: &'static str| {
            let text = self.stage.papers.get(name)?.clone();
            Some(AppDocument { name, text })
        };
        ["capabilities", "policy", "workflows"].into_iter().filter_map(of).collect()
    }

    async fn read(&mut self, address: &str) -> Result<Option<String>, GroundError> {
        let path = address.strip_prefix(BASE).unwrap_or(address);
        Ok(self.stage.papers.get(path).cloned())
    }

    async fn evidence(&mut self) -> Result<Evidence, GroundError> {
        let (actions, routes) = (self.stage.actions.clone(), self.stage.routes.clone());
        Ok(Evidence { actions, routes, ..Evidence::default() })
    }

    async fn close(self) {}
}

fn graph(shown: &Shown) -> PageGraph {
    let url = format!("{BASE}{}", shown.path);
    let mut scopes: Vec<Value> = Vec::new();
    for (at, thing) in shown.things.iter().enumerate() {
        let mut element = json!({
            "instanceId": format!("e{at}"),
            "role": thing.role,
            "name": thing.name,
            "affordances": ["read", "focus", "activate"],
            "state": { "visible": true, "enabled": true },
            "web": { "attached": true },
            "source": "native",
        });
        for (name, value) in thing.extra.as_object().unwrap() {
            element[name] = value.clone();
        }
        if thing.role == "link" && element.get("metadata").is_none() {
            let to = thing.to.clone().unwrap_or_default();
            element["metadata"] = json!({ "href": format!("{BASE}/{to}") });
        }
        let known = scopes.iter_mut().find(|scope| scope["id"] == thing.scope);
        if let Some(scope) = known {
            scope["elements"].as_array_mut().unwrap().push(element);
        } else {
            let kind = match thing.scope {
                "nav" => "navigation",
                "dialog" => "dialog",
                _ => "region",
            };
            scopes
                .push(json!({ "id": thing.scope, "kind": kind, "name": shown.name, "elements": [element] }));
        }
    }
    // What is shown is told apart by its heading, as pages are.
    scopes.push(
        json!({ "id": format!("area.{}", shown.name), "kind": "region", "name": shown.name, "elements": [] }),
    );
    serde_json::from_value(json!({
        "modelVersion": "0.1", "profile": "web@0.1", "revision": "rev_1", "seq": 1, "ts": "2026-01-01T00:00:00.000Z",
        "route": { "url": url, "path": shown.path, "title": shown.name },
        "rootDocumentId": "doc_root",
        "documents": [{
            "documentId": "doc_root", "kind": "root", "url": url, "origin": BASE, "access": "open", "scopes": scopes
        }],
        "modalStack": [],
    }))
    .unwrap()
}

/// A run that a test can look into.
pub(crate) struct Setup {
    pub(crate) environment: Value,
    pub(crate) offers: Vec<Offer>,
    pub(crate) known: Known,
    pub(crate) sitemap: bool,
    pub(crate) workers: usize,
    pub(crate) control: Control,
    pub(crate) events: Arc<Mutex<Vec<RunEvent>>>,
    pub(crate) on_event: Arc<dyn Fn(&RunEvent) + Send + Sync>,
    pub(crate) keeps_events: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            environment: json!({
                "environmentId": "test", "baseUrl": format!("{BASE}/home"),
                "safety": { "defaultMode": "safe_explore" }
            }),
            offers: Vec::new(),
            known: Known::default(),
            sitemap: false,
            workers: 1,
            control: Control::default(),
            events: Arc::default(),
            on_event: Arc::new(|_| {}),
            keeps_events: true,
        }
    }
}

impl Setup {
    pub(crate) fn budget(mut self, name: &str, value: u64) -> Self {
        self.environment["budgets"][name] = value.into();
        self
    }

    pub(crate) fn mode(mut self, mode: &str) -> Self {
        self.environment["safety"]["defaultMode"] = mode.into();
        self
    }

    pub(crate) fn profiles(mut self, ids: &[&str]) -> Self {
        let profiles: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
        self.environment["principalProfiles"] = profiles.into();
        self
    }

    pub(crate) fn workers(mut self, workers: usize) -> Self {
        self.workers = workers;
        self
    }

    pub(crate) fn plan(&self) -> Plan {
        let environment = serde_json::from_value(self.environment.clone()).unwrap();
        let mut plan = Plan::new(environment, self.offers.clone(), self.known.clone()).unwrap();
        plan.sitemap = self.sitemap;
        plan
    }

    pub(crate) async fn run(&self, stage: &Stage) -> RunRecord {
        self.run_in(stage, Store::in_memory().unwrap()).await
    }

    pub(crate) async fn run_in(&self, stage: &Stage, store: Store) -> RunRecord {
        self.explore(stage, store).await.record().unwrap()
    }

    pub(crate) async fn explore(&self, stage: &Stage, store: Store) -> Explored {
        self.try_explore(stage, store).await.unwrap()
    }

    pub(crate) async fn try_explore(&self, stage: &Stage, store: Store) -> Result<Explored, RunError> {
        let (events, on_event) = (Arc::clone(&self.events), Arc::clone(&self.on_event));
        let keeps = self.keeps_events;
        let options = RunOptions {
            run_id: CompactString::from("run_1"),
            workers: self.workers,
            gallery: None,
            policy: uiap_discovery::fingerprint::default_policy(),
            control: self.control.clone(),
            listener: Arc::new(move |event| {
                on_event(&event);
                if keeps {
                    events.lock().unwrap().push(event);
                }
            }),
            clock: || Timestamp::parse("2026-01-01T00:00:00.000Z"),
        };
        explore(Arc::new(stage.clone()), self.plan(), store, options).await
    }
}

/// A record without what may differ between two runs: nothing but times.
pub(crate) fn canonical(record: &RunRecord) -> String {
    serde_json::to_string_pretty(record).unwrap()
}

/// The states of a record by their titles, sorted.
pub(crate) fn titles(record: &RunRecord) -> Vec<String> {
    let mut titles: Vec<String> = record.states.iter().map(|state| state.title.clone()).collect();
    titles.sort();
    titles
}
