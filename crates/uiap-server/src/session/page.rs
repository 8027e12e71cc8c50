//! One page of a session, with what belongs to it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use uiap_cdp::{Browser, BrowserContext, ContextOptions};
use uiap_model::json::Positive;
use uiap_model::names::{ActionHandle, ElementInstanceId, ScopeId, SessionId};
use uiap_model::policy::{PolicyPrincipal, vocabulary::PrincipalType};
use uiap_model::web::PageGraph;
use uiap_model::web::message::SnapshotOptions;
use uiap_policy::confirmation::Party;
use uiap_policy::{Audience, Policies, Redactor};
use uiap_runtime::action::{Runtime, RuntimeOptions};
use uiap_runtime::journal::Journal;
use uiap_runtime::scene::Mark;
use uiap_runtime::text::{self, Found, Query, Refs, TextOptions};
use uiap_web::quiet::wait_quiet;
use uiap_web::screenshot::{self, Screenshot, Shot, Subject};
use uiap_web::signal::{Watch, WatchOptions};
use uiap_web::surface::WebSurface;
use uiap_web::{CaptureOptions, OpenOptions, Page};

use super::{Look, SessionError, SessionOptions};

/// Elements that are read for everything.
const FULL: u64 = 200_000;
/// A page that does not come to rest is shown as it is then.
const SETTLE: Duration = Duration::from_secs(1);
/// Tokens of a page, and of a change.
pub(super) const BUDGET: usize = 4_000;
/// Looks that are remembered: a ref stands for what it was when it was shown.
const LOOKS: usize = 8;

/// One page with what belongs to it.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) context: Option<BrowserContext>,
    pub(super) page: Page,
    watch: Watch,
    pub(super) refs: Refs,
    redactor: Mutex<Redactor>,
    /// Begins with the first action: looking alone needs none of it.
    hand: Option<Hand>,
    /// What the agent was shown, the latest last.
    shown: VecDeque<Arc<PageGraph>>,
    options: SessionOptions,
    id: SessionId,
    journal: Arc<Journal>,
    pub(super) last: Option<ActionHandle>,
}

/// What acts on the page.
#[derive(Debug, Clone)]
pub(super) struct Hand {
    pub(super) runtime: Runtime<WebSurface>,
    /// Everything until then was told.
    pub(super) told: Mark,
}

impl Session {
    pub(super) async fn new(
        browser: &Browser,
        handle: &str,
        options: &SessionOptions,
        journal: Arc<Journal>,
    ) -> Result<Self, SessionError> {
        let context = browser.new_context(ContextOptions::default()).await?;
        let tab = context.new_page("about:blank").await?;
        let watch = Watch::start(browser, &tab, WatchOptions::default()).await?;
        let page = Page::attach_with(tab, OpenOptions::default()).await?;
        // Handles of actions outlive the process in the journal.
        let started = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let id = SessionId::parse(&format!("{handle}-{:x}", started.as_millis()))
            .ok_or_else(|| SessionError::Unknown(handle.to_owned()))?;
        let policies = options.policies.clone().unwrap_or_else(|| Arc::new(Policies::off()));
        let principal = agent(&id).principal;
        let redactor =
            Redactor::new(policies, &principal, Audience::Principal, crate::secret::bytes::<32>()?);
        Ok(Self {
            context: Some(context),
            page,
            watch,
            refs: Refs::new(),
            redactor: Mutex::new(redactor),
            hand: None,
            shown: VecDeque::new(),
            options: options.clone(),
            id,
            journal,
            last: None,
        })
    }

    /// The runtime of this page; begun when it is needed first.
    pub(super) async fn hand(&mut self) -> Result<&mut Hand, SessionError> {
        if self.hand.is_none() {
            let surface = WebSurface::watched(&self.page, self.watch.clone()).await?;
            let mut options = RuntimeOptions::new(self.id.clone(), Arc::clone(&self.journal));
            if let Some(policies) = &self.options.policies {
                options.policies = Arc::clone(policies);
            }
            options.uploads.clone_from(&self.options.uploads);
            options.salt = crate::secret::bytes::<32>()?;
            let runtime = Runtime::start(surface, options, &agent(&self.id)).await?;
            let told = runtime.scene().mark();
            self.hand = Some(Hand { runtime, told });
        }
        self.hand.as_mut().ok_or(SessionError::NoTrace)
    }

    pub(super) fn runtime(&self) -> Option<&Runtime<WebSurface>> {
        self.hand.as_ref().map(|hand| &hand.runtime)
    }

    pub(super) fn agent(&self) -> Party {
        agent(&self.id)
    }

    pub(super) fn show(&mut self, graph: Arc<PageGraph>) {
        self.shown.push_back(graph);
        if self.shown.len() > LOOKS {
            self.shown.pop_front();
        }
    }

    /// The page in which an element was shown last.
    pub(super) fn seen(&self, id: &ElementInstanceId) -> Option<&Arc<PageGraph>> {
        let holds =
            |graph: &&Arc<PageGraph>| graph.elements().any(|(.., element)| element.instance_id == *id);
        self.shown.iter().rev().find(holds)
    }

    pub(super) async fn go(&mut self, url: &str) -> Result<(), SessionError> {
        self.page.navigate(url).await?;
        wait_quiet(self.page.session(), self.watch.network(), SETTLE).await?;
        Ok(())
    }

    pub(super) async fn look(&mut self, look: &Look) -> Result<String, SessionError> {
        if look.changes {
            return self.changes(look.budget.unwrap_or(BUDGET)).await;
        }
        let scope = match &look.scope {
            Some(text) => Some(ScopeId::parse(text).ok_or_else(|| SessionError::Scope(text.clone()))?),
            None => None,
        };
        let snapshot = SnapshotOptions {
            max_elements: look.full.then_some(Positive(FULL)),
            scopes: scope.clone().map(|scope| vec![scope]),
            ..SnapshotOptions::default()
        };
        let options = CaptureOptions { snapshot: Some(snapshot), viewport_only: !look.full };
        let captured = self.page.capture(&options).await?;
        let budget = (!look.full).then(|| look.budget.unwrap_or(BUDGET));
        let shown = self.covered(&captured.graph);
        let text = text::page(&shown, &mut self.refs, &TextOptions { budget, scope }).text;
        self.show(Arc::new(captured.graph));
        Ok(self.redactor().text(&text))
    }

    /// What may be seen of a page. Passwords stay in the page in any case; here goes what their owner calls delicate.
    pub(super) fn covered(&self, graph: &PageGraph) -> PageGraph {
        self.redactor().graph(graph)
    }

    /// Who knows what must not be shown: once there is a runtime, it has learned more.
    pub(super) fn redactor(&self) -> MutexGuard<'_, Redactor> {
        match self.runtime() {
            Some(runtime) => runtime.redactor(),
            None => self.redactor.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    pub(super) async fn seek(&mut self, query: &Query) -> Result<Found, SessionError> {
        let snapshot = SnapshotOptions { max_elements: Some(Positive(FULL)), ..SnapshotOptions::default() };
        let graph = self.page.snapshot(&snapshot).await?;
        let found = text::find(&self.covered(&graph), &mut self.refs, query);
        self.show(Arc::new(graph));
        Ok(found)
    }

    pub(super) async fn picture(&mut self, full: bool, marks: bool) -> Result<Screenshot, SessionError> {
        let subject = if full { Subject::FullPage } else { Subject::Window };
        let mut shot = Shot { subject, ..Shot::default() };
        if marks {
            let graph = self.page.snapshot(&SnapshotOptions::default()).await?;
            text::page(&graph, &mut self.refs, &TextOptions { budget: None, scope: None });
            shot.marks = graph
                .elements()
                .filter_map(|(.., element)| {
                    let label = self.refs.get(&element.instance_id)?.to_owned();
                    Some(screenshot::Mark { element: element.instance_id.clone(), label })
                })
                .collect();
        }
        Ok(screenshot::take(&self.page, &shot).await?)
    }
}

/// Who acts through this door. It may do everything that no policy forbids, and never answers its own questions.
fn agent(session: &SessionId) -> Party {
    use uiap_model::policy::PolicyGrant as Grant;
    Party {
        principal: PolicyPrincipal {
            principal_type: PrincipalType::Agent,
            id: "mcp".into(),
            roles: None,
            grants: Some(vec![Grant::Observe, Grant::Guide, Grant::Draft, Grant::Act]),
        },
        connection: session.as_str().into(),
    }
}
