//! One page of a session, with what belongs to it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use uiap_cdp::protocol::target::{GetTargetInfo, TargetId};
use uiap_model::json::Positive;
use uiap_model::names::{ActionHandle, ElementInstanceId, ScopeId, SessionId};
use uiap_model::policy::{PolicyPrincipal, vocabulary::PrincipalType};
use uiap_model::web::PageGraph;
use uiap_model::web::message::SnapshotOptions;
use uiap_policy::confirmation::Party;
use uiap_policy::{Audience, Policies, Redactor, SharedSecrets};
use uiap_runtime::action::{Runtime, RuntimeOptions};
use uiap_runtime::journal::Journal;
use uiap_runtime::scene::Mark;
use uiap_runtime::text::{self, Found, Query, Refs, TextOptions};
use uiap_web::quiet::{Patience, wait_quiet};
use uiap_web::screenshot::{self, Screenshot, Shot, Subject};
use uiap_web::signal::Watch;
use uiap_web::surface::WebSurface;
use uiap_web::{CaptureOptions, OpenOptions, Page};

use super::facts::{Facts, Told};
use super::{Look, SessionError, SessionOptions};
use crate::address::Reach;

/// Elements that are read for everything.
const FULL: u64 = 200_000;
/// A page that does not come to rest is shown as it is then; one that only goes on changing, sooner.
const SETTLE: Patience = Patience { limit: Duration::from_secs(1), restless: Duration::from_millis(300) };
/// Tokens of a page, and of a change.
pub(super) const BUDGET: usize = 4_000;
/// Looks that are remembered: a ref stands for what it was when it was shown.
const LOOKS: usize = 8;
/// Elements of all of them; the last look is remembered whatever it holds.
const MOST_SHOWN: usize = 20_000;

/// What holds for all pages of a session.
#[derive(Debug)]
pub(super) struct Terms {
    /// Names the session in the journal: handles of actions outlive the process there.
    pub(super) id: String,
    pub(super) options: SessionOptions,
    pub(super) reach: Arc<Reach>,
    /// Whether its pages go through a gate of their own.
    pub(super) own_reach: bool,
    pub(super) journal: Arc<Journal>,
    /// Goes on from page to page: no two actions have one handle.
    pub(super) next_action: Arc<AtomicU64>,
    /// What one page has learned to hide is hidden in what is told of the others too.
    pub(super) secrets: SharedSecrets,
}

/// One page with what belongs to it.
#[derive(Debug)]
pub(super) struct Leaf {
    /// `t1`, `t2`, …
    pub(super) name: String,
    session: uiap_cdp::Session,
    /// Looked into when it is needed first.
    page: Option<Page>,
    watch: Watch,
    pub(super) refs: Refs,
    redactor: Redactor,
    /// Begins with the first action: looking alone needs none of it.
    hand: Option<Hand>,
    /// What the agent was shown, the latest last.
    shown: VecDeque<Arc<PageGraph>>,
    terms: Arc<Terms>,
    id: SessionId,
    pub(super) last: Option<ActionHandle>,
}

/// What acts on the page.
#[derive(Debug, Clone)]
pub(super) struct Hand {
    pub(super) runtime: Runtime<WebSurface>,
    /// Everything until then was told.
    pub(super) told: Mark,
}

impl Leaf {
    pub(super) fn new(
        name: String,
        session: uiap_cdp::Session,
        page: Option<Page>,
        watch: Watch,
        terms: &Arc<Terms>,
    ) -> Result<Self, SessionError> {
        let id = SessionId::parse(&format!("{}-{name}", terms.id))
            .ok_or_else(|| SessionError::Unknown(terms.id.clone()))?;
        let policies = terms.options.policies.clone().unwrap_or_else(|| Arc::new(Policies::off()));
        let principal = agent(&id).principal;
        let redactor =
            Redactor::new(policies, &principal, Audience::Principal, crate::secret::bytes::<32>()?)
                .knowing(Arc::clone(&terms.secrets));
        Ok(Self {
            name,
            session,
            page,
            watch,
            refs: Refs::new(),
            redactor,
            hand: None,
            shown: VecDeque::new(),
            terms: Arc::clone(terms),
            id,
            last: None,
        })
    }

    /// Whether the page is still open.
    pub(super) fn is_open(&self) -> bool {
        self.session.is_attached()
    }

    pub(super) fn target(&self) -> &TargetId {
        self.session.target_id()
    }

    /// Address and title as the browser tells them, safe to be shown. Titles are not among what it tells by itself.
    pub(super) async fn label(&self) -> (String, String) {
        let asked = self.session.call(GetTargetInfo { target_id: None }).await;
        let info = asked.map_or_else(|_| self.session.info(), |answer| answer.target_info);
        let redactor = self.redactor();
        (redactor.url(&info.url), redactor.text(&info.title))
    }

    pub(super) async fn close(&self) -> Result<(), SessionError> {
        Ok(self.session.close().await?)
    }

    async fn page(&mut self) -> Result<Page, SessionError> {
        if let Some(page) = &self.page {
            return Ok(page.clone());
        }
        let page = Page::attach_with(self.session.clone(), OpenOptions::default()).await?;
        self.page = Some(page.clone());
        Ok(page)
    }

    /// The runtime of this page; begun when it is needed first.
    pub(super) async fn hand(&mut self) -> Result<&mut Hand, SessionError> {
        if self.hand.is_none() {
            let page = self.page().await?;
            let surface = WebSurface::watched(&page, self.watch.clone()).await?;
            let mut options = RuntimeOptions::new(self.id.clone(), Arc::clone(&self.terms.journal));
            if let Some(policies) = &self.terms.options.policies {
                options.policies = Arc::clone(policies);
            }
            options.uploads.clone_from(&self.terms.options.uploads);
            let reach = Arc::clone(&self.terms.reach);
            options.may_visit =
                Arc::new(move |url| reach.check(url).map(drop).map_err(|refusal| refusal.to_string()));
            options.salt = crate::secret::bytes::<32>()?;
            options.secrets = Arc::clone(&self.terms.secrets);
            options.next_action = Arc::clone(&self.terms.next_action);
            let runtime = Runtime::start(surface, options, &agent(&self.id)).await?;
            let told = runtime.scene().mark();
            self.hand = Some(Hand { runtime, told });
        }
        self.hand.as_mut().ok_or(SessionError::NoTrace)
    }

    /// What an action needs is begun before there is one.
    pub(super) async fn look_ahead(&mut self) -> Result<(), SessionError> {
        self.hand().await.map(drop)
    }

    pub(super) fn runtime(&self) -> Option<&Runtime<WebSurface>> {
        self.hand.as_ref().map(|hand| &hand.runtime)
    }

    pub(super) fn agent(&self) -> Party {
        agent(&self.id)
    }

    pub(super) fn show(&mut self, graph: Arc<PageGraph>) {
        self.shown.push_back(graph);
        let mut elements: usize = self.shown.iter().map(|graph| graph.elements().count()).sum();
        while self.shown.len() > LOOKS || (self.shown.len() > 1 && elements > MOST_SHOWN) {
            let Some(oldest) = self.shown.pop_front() else { return };
            elements -= oldest.elements().count();
        }
    }

    /// The page as it was shown last.
    pub(super) fn last_shown(&self) -> Option<Arc<PageGraph>> {
        self.shown.back().cloned()
    }

    /// The page in which an element was shown last.
    pub(super) fn seen(&self, id: &ElementInstanceId) -> Option<&Arc<PageGraph>> {
        let holds =
            |graph: &&Arc<PageGraph>| graph.elements().any(|(.., element)| element.instance_id == *id);
        self.shown.iter().rev().find(holds)
    }

    /// Goes to an address; tells why the page had not come to rest when it was to be shown.
    pub(super) async fn go(&mut self, url: &str) -> Result<Option<String>, SessionError> {
        let page = self.page().await?.clone();
        page.navigate(url).await?;
        let rest = wait_quiet(&page, self.watch.network(), SETTLE).await?;
        Ok((!rest.quiet).then(|| self.unrest(rest.unrest)))
    }

    /// Why a page does not rest, safe to be shown: addresses are chosen by the page.
    pub(super) fn unrest(&self, unrest: impl IntoIterator<Item = impl ToString>) -> String {
        let told: Vec<String> = unrest.into_iter().map(|each| each.to_string()).collect();
        self.redactor().text(&text::harmless(&told.join(", "), 200))
    }

    pub(super) async fn look(&mut self, look: &Look) -> Result<Told, SessionError> {
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
        let captured = self.page().await?.capture(&options).await?;
        let budget = (!look.full).then(|| look.budget.unwrap_or(BUDGET));
        let shown = self.covered(&captured.graph);
        let page = text::page(&shown, &mut self.refs, &TextOptions { budget, scope });
        let facts = Facts {
            revision: Some(captured.graph.revision.to_string()),
            count: Some(page.shown),
            left_out: Some(page.left_out).filter(|count| *count > 0),
            ..Facts::default()
        };
        self.show(Arc::new(captured.graph));
        Ok(Told { text: self.redactor().text(&page.text), facts, links: Vec::new() })
    }

    /// What may be seen of a page. Passwords stay in the page in any case; here goes what their owner calls delicate.
    pub(super) fn covered(&self, graph: &PageGraph) -> PageGraph {
        self.redactor().graph(graph)
    }

    /// Who knows what must not be shown.
    pub(super) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    pub(super) async fn seek(&mut self, query: &Query) -> Result<Found, SessionError> {
        let snapshot = SnapshotOptions { max_elements: Some(Positive(FULL)), ..SnapshotOptions::default() };
        let graph = self.page().await?.snapshot(&snapshot).await?;
        let found = text::find(&self.covered(&graph), &mut self.refs, query);
        self.show(Arc::new(graph));
        Ok(found)
    }

    pub(super) async fn picture(&mut self, full: bool, marks: bool) -> Result<Screenshot, SessionError> {
        let subject = if full { Subject::FullPage } else { Subject::Window };
        let mut shot = Shot { subject, ..Shot::default() };
        let page = self.page().await?;
        if marks {
            let graph = page.snapshot(&SnapshotOptions::default()).await?;
            text::page(&graph, &mut self.refs, &TextOptions { budget: None, scope: None });
            shot.marks = graph
                .elements()
                .filter_map(|(.., element)| {
                    let label = self.refs.get(&element.instance_id)?.to_owned();
                    Some(screenshot::Mark { element: element.instance_id.clone(), label })
                })
                .collect();
            self.show(Arc::new(graph));
        }
        Ok(screenshot::take(&page, &shot).await?)
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
