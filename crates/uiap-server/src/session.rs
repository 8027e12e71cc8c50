//! Pages that agents look at and act on: a context of its own for each session, taken from one pool of browsers behind the gate.
//!
//! | file | what it holds |
//! |---|---|
//! | `pool` | where sessions of all clients come from, and how many there may be |
//! | `tabs` | one session: its context, its pages, what waits in it |
//! | `leaf` | one page: looked at, searched, pictured |
//! | `act` | doing something in a page, and waiting for something |
//! | `confirm` | who is asked when a person has to agree |
//! | `telling` | what came of an action, in few words |
//! | `error` | why a session could not do what it was asked for |
//! | `facts` | what is told, and links to what is too big to be told |
//! | `idle` | sessions that nobody uses any more |

mod act;
pub(crate) mod confirm;
mod error;
mod evidence;
mod facts;
mod idle;
mod leaf;
mod pool;
mod tabs;
mod telling;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde_json::Value;
use uiap_model::capability::ActionDescriptor;
use uiap_policy::SharedSecrets;
use uiap_runtime::text::{Query, estimate, harmless};

use self::act::Followed;
pub use self::act::{Deed, Pointing};
pub use self::confirm::{Asked, Confirm, Nobody};
pub use self::error::SessionError;
use self::facts::Place;
pub use self::facts::{Body, Facts, Link, Told};
use self::idle::{Reaper, Slot, Visit};
use self::leaf::Terms;
pub use self::pool::{Pool, SessionOptions};
pub use self::tabs::Tabs;
use self::tabs::{Session, Waiting};
use crate::address::{Origin, Reach};

/// Tokens of a trace that stand in an answer; the rest is behind a link.
const TRACE: usize = 1_500;
/// Bytes of a page behind a link.
const WHOLE: usize = 4 << 20;

/// How sessions are called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Handles {
    /// `s1`, `s2`, … for one client alone; the only one need not be named.
    #[default]
    Short,
    /// Names that nobody can guess, for clients that share a door and cannot be told apart; each must be named.
    Secret,
    /// Names that people choose.
    Chosen,
}

/// The sessions of one client. Cheap to clone; they end with the last clone.
#[derive(Debug, Clone, Default)]
pub struct Sessions {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    pool: Pool,
    handles: Handles,
    open: Mutex<BTreeMap<String, Arc<Slot>>>,
    last: AtomicU64,
    reaper: OnceLock<Reaper>,
}

/// Where a page is opened.
#[derive(Debug, Clone, Default)]
pub struct Opening {
    /// The session; the only one, or a new one, when it is left out.
    pub session: Option<String>,
    /// What pages of a new session may reach in the place of what holds for the others.
    pub reach: Option<Reach>,
}

/// What a snapshot shall show.
#[derive(Debug, Clone, Default)]
pub struct Look {
    /// Tokens at most; 4,000 when left out.
    pub budget: Option<usize>,
    /// Everything, whatever it costs.
    pub full: bool,
    /// Only this scope.
    pub scope: Option<String>,
    /// Only what changed since the last look of this kind.
    pub changes: bool,
}

/// How far an action came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Acted {
    /// It ended.
    Over {
        /// Whether it was seen to work.
        succeeded: bool,
        /// What came of it.
        told: Told,
    },
    /// A person's answer is due: it is brought with the same call and this token.
    Question {
        /// Holds once.
        token: String,
        /// What the person is asked.
        wording: String,
    },
}

/// A picture of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The file; empty when it was put aside.
    pub png: Vec<u8>,
    /// What is told of it.
    pub told: Told,
}

impl Sessions {
    /// None open yet; the browser starts with the first call or with [`Pool::warm`].
    pub fn new(pool: Pool, handles: Handles) -> Self {
        Self { inner: Arc::new(Inner { pool, handles, ..Inner::default() }) }
    }

    /// Where they come from.
    pub fn pool(&self) -> &Pool {
        &self.inner.pool
    }

    /// Their handles.
    pub fn handles(&self) -> Vec<String> {
        self.slots().keys().cloned().collect()
    }

    fn slots(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Slot>>> {
        self.inner.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens an address in a session, or in a new one; gives the handle and the page as text.
    pub async fn open(&self, url: &str, opening: &Opening) -> Result<Told, SessionError> {
        if !(url.starts_with("http://") || url.starts_with("https://")) {
            return Err(SessionError::Address(url.to_owned()));
        }
        let (mut visit, lost) = match self.find(opening.session.as_deref()) {
            Ok(slot) => self.enter(slot).await?,
            Err(error) if self.may_create(&error) => {
                let opening = &self.located(url, opening);
                let reach = opening.reach.as_ref().unwrap_or(&self.inner.pool.options().reach);
                check(reach, url)?;
                (self.create(opening).await?, false)
            }
            Err(error) => return Err(error),
        };
        check(&visit.terms.reach, url)?;
        let unrest = visit.leaf()?.go(url).await?;
        let mut told = visit.leaf()?.look(&Look::default()).await?;
        if let Some(unrest) = unrest {
            told.text.insert_str(0, &format!("shown before it came to rest: {unrest}\n"));
        }
        if lost {
            told.text.insert_str(
                0,
                "the browser had crashed; this is a new one, and what pages had stored is gone\n",
            );
        }
        visit.gather().await?;
        let told = with_whole(visit.complete(told));
        begin_to_watch(visit);
        Ok(told)
    }

    /// A session that begins on this machine belongs there, where that is allowed; one that begins elsewhere never comes here.
    fn located(&self, url: &str, opening: &Opening) -> Opening {
        let options = self.inner.pool.options();
        let here = options.local && Origin::of(url).is_ok_and(|origin| origin.is_this_machine());
        match &opening.reach {
            None if here => {
                Opening { reach: Some(options.reach.clone().and_this_machine()), ..opening.clone() }
            }
            _ => opening.clone(),
        }
    }

    /// Whether a session that is not there is made.
    fn may_create(&self, error: &SessionError) -> bool {
        matches!(
            (self.inner.handles, error),
            (Handles::Chosen, SessionError::Unknown(_) | SessionError::NoneOpen)
                | (Handles::Short, SessionError::NoneOpen)
                | (Handles::Secret, SessionError::Unnamed)
        )
    }

    async fn create(&self, opening: &Opening) -> Result<Visit, SessionError> {
        let pool = &self.inner.pool;
        let seat = pool.seat()?;
        let handle = match (self.inner.handles, &opening.session) {
            (Handles::Chosen, Some(name)) => chosen(name)?,
            (Handles::Secret, _) => crate::secret::name("s_")?,
            _ => {
                let last = &self.inner.last;
                format!("s{}", last.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1)
            }
        };
        let started = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let reach = opening.reach.clone().unwrap_or_else(|| pool.options().reach.clone());
        let terms = Terms {
            id: format!("{handle}-{:x}", started.as_micros()),
            options: pool.options().clone(),
            reach: Arc::new(reach),
            own_reach: opening.reach.is_some(),
            journal: Arc::clone(pool.journal().await?),
            next_action: Arc::new(AtomicU64::new(1)),
            secrets: SharedSecrets::default(),
        };
        let home = pool.tab(opening.reach.clone()).await?;
        let session = Session::new(handle.clone(), home, Arc::new(terms), seat)?;
        // Whoever asked for the same name at the same time gets the same session.
        let slot = Arc::clone(self.slots().entry(handle).or_insert_with(|| Arc::new(Slot::new(session))));
        self.inner.reaper.get_or_init(|| Reaper::start(Arc::downgrade(&self.inner)));
        slot.enter().await.ok_or(SessionError::Unnamed)
    }

    /// The session of a handle; without one, the only session there is.
    fn find(&self, handle: Option<&str>) -> Result<Arc<Slot>, SessionError> {
        let open = self.slots();
        let found = match (handle, self.inner.handles) {
            (Some(handle), _) => open.get(handle),
            (None, Handles::Secret) => return Err(SessionError::Unnamed),
            (None, _) if open.len() > 1 => {
                return Err(SessionError::Several(open.keys().cloned().collect::<Vec<_>>().join(", ")));
            }
            (None, _) => open.values().next(),
        };
        let missing =
            || handle.map_or(SessionError::NoneOpen, |handle| SessionError::Unknown(handle.to_owned()));
        found.map(Arc::clone).ok_or_else(missing)
    }

    /// Enters a session; tells whether its browser was gone and another one had to be taken.
    async fn enter(&self, slot: Arc<Slot>) -> Result<(Visit, bool), SessionError> {
        let mut visit = slot.enter().await.ok_or_else(|| SessionError::Unknown("closed".to_owned()))?;
        let lost = !visit.is_alive();
        if lost {
            let reach = visit.terms.own_reach.then(|| (*visit.terms.reach).clone());
            let home = self.inner.pool.tab(reach).await?;
            visit.begin_anew(home)?;
        } else {
            visit.gather().await?;
        }
        Ok((visit, lost))
    }

    /// Enters a session that still has its pages.
    async fn visit(&self, handle: Option<&str>) -> Result<Visit, SessionError> {
        match self.enter(self.find(handle)?).await? {
            (visit, false) => Ok(visit),
            (_, true) => Err(SessionError::Lost),
        }
    }

    /// The page of a session as text.
    pub async fn look(&self, handle: Option<&str>, look: &Look) -> Result<Told, SessionError> {
        let mut visit = self.visit(handle).await?;
        let told = visit.leaf()?.look(look).await?;
        Ok(with_whole(visit.complete(told)))
    }

    /// Elements of a session's page.
    pub async fn seek(&self, handle: Option<&str>, query: &Query) -> Result<Told, SessionError> {
        let mut visit = self.visit(handle).await?;
        let found = visit.leaf()?.seek(query).await?;
        let left_out = found.total.saturating_sub(found.lines.len());
        let facts = Facts {
            count: Some(found.lines.len()),
            left_out: Some(left_out).filter(|count| *count > 0),
            ..Facts::default()
        };
        let mut lines = found.lines;
        if left_out > 0 {
            lines.push(format!("… {left_out} more"));
        }
        let text = listed(&lines, "nothing found");
        Ok(visit.complete(Told { text, facts, links: Vec::new() }))
    }

    /// Does something in a session's page and tells what came of it. Whoever has to agree is asked by `confirm`. `call` is what was
    /// asked for: a later answer counts only when the same is asked for again.
    pub async fn act(
        &self,
        handle: Option<&str>,
        deed: Deed,
        call: &Value,
        confirm: &impl Confirm,
    ) -> Result<Acted, SessionError> {
        let mut visit = self.visit(handle).await?;
        let leaf = visit.leaf()?;
        let name = leaf.name.clone();
        let acting = leaf.begin(deed).await?;
        let followed = leaf.follow(acting, confirm).await?;
        visit.acted(followed, name, call).await
    }

    /// Goes on with an action that waited for a person's answer.
    pub async fn resume(
        &self,
        handle: Option<&str>,
        token: &str,
        agreed: bool,
        call: &Value,
        confirm: &impl Confirm,
    ) -> Result<Acted, SessionError> {
        let mut visit = self.visit(handle).await?;
        let (mut acting, name) = visit.take_waiting(token, call).ok_or(SessionError::Stale)?;
        acting.settle(agreed, "input");
        let followed = visit.leaf_named(&name)?.follow(acting, confirm).await?;
        visit.acted(followed, name, call).await
    }

    /// Waits until something is seen, from the last look on.
    pub async fn wait(
        &self,
        handle: Option<&str>,
        expect: &[String],
        timeout_ms: Option<u64>,
    ) -> Result<(bool, Told), SessionError> {
        let mut visit = self.visit(handle).await?;
        let (seen, told) = visit.leaf()?.wait(expect, timeout_ms).await?;
        visit.gather().await?;
        Ok((seen, visit.complete(told)))
    }

    /// What the app itself offers to do.
    pub async fn actions(&self, handle: Option<&str>) -> Result<Told, SessionError> {
        let mut visit = self.visit(handle).await?;
        let lines: Vec<String> = visit.leaf()?.actions().await?.iter().map(offer).collect();
        let facts = Facts { count: Some(lines.len()), ..Facts::default() };
        let text = listed(&lines, "the app offers no actions of its own");
        Ok(visit.complete(Told { text, facts, links: Vec::new() }))
    }

    /// What happened to the last action, step by step.
    pub async fn trace(&self, handle: Option<&str>) -> Result<Told, SessionError> {
        let mut visit = self.visit(handle).await?;
        let story = visit.leaf()?.trace()?;
        let (text, left_out) = first_lines(&story, TRACE);
        let links = if left_out > 0 { vec![Place::Trace.link(&visit.handle)] } else { Vec::new() };
        let facts = Facts { left_out: Some(left_out).filter(|count| *count > 0), ..Facts::default() };
        Ok(visit.complete(Told { text, facts, links }))
    }

    /// A picture of a session's page; put aside behind a link when that is wanted.
    pub async fn picture(
        &self,
        handle: Option<&str>,
        full: bool,
        marks: bool,
        link: bool,
    ) -> Result<Picture, SessionError> {
        let mut visit = self.visit(handle).await?;
        let shot = visit.leaf()?.picture(full, marks).await?;
        let text = format!("{} secret or opaque areas are covered", shot.covered);
        let facts = Facts { count: Some(shot.marked).filter(|_| marks), ..Facts::default() };
        let (png, links) = if link {
            let number = visit.keep_picture(shot.bytes);
            (Vec::new(), vec![Place::Picture(number).link(&visit.handle)])
        } else {
            (shot.bytes, Vec::new())
        };
        Ok(Picture { png, told: visit.complete(Told { text, facts, links }) })
    }

    /// The pages of a session: listed, another one looked at, or one closed.
    pub async fn tabs(&self, handle: Option<&str>, wanted: &Tabs) -> Result<Told, SessionError> {
        let mut visit = self.visit(handle).await?;
        let told = match wanted {
            Tabs::List => visit.list().await,
            Tabs::Switch(name) => {
                visit.switch(name)?;
                let told = visit.leaf()?.look(&Look::default()).await?;
                return Ok(with_whole(visit.complete(told)));
            }
            Tabs::Close(name) => {
                visit.close_tab(name).await?;
                visit.list().await
            }
        };
        Ok(visit.complete(told))
    }

    /// What a link leads to.
    pub async fn read(&self, uri: &str) -> Result<Body, SessionError> {
        let nothing = || SessionError::Nothing(uri.to_owned());
        let (handle, place) = Place::parse(uri).ok_or_else(nothing)?;
        let mut visit = self.visit(Some(handle)).await?;
        let text = match place {
            Place::Page => visit.leaf()?.look(&Look { full: true, ..Look::default() }).await?.text,
            Place::Trace => visit.leaf()?.trace()?,
            Place::Picture(number) => return visit.picture(number).map(Body::Png).ok_or_else(nothing),
        };
        let mut text = visit.cover(&text);
        if text.len() > WHOLE {
            let end = (0..=WHOLE).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
            text.truncate(end);
            text.push_str("\n… cut here\n</page>\n");
        }
        Ok(Body::Text(text))
    }

    /// Links into the sessions of this client; none where handles are secrets.
    pub fn links(&self) -> Vec<Link> {
        if self.inner.handles == Handles::Secret {
            return Vec::new();
        }
        let of = |handle: &String| [Place::Page.link(handle), Place::Trace.link(handle)];
        self.slots().keys().flat_map(of).collect()
    }

    /// Closes a session with everything in it.
    pub async fn close(&self, handle: Option<&str>) -> Result<Told, SessionError> {
        let slot = self.find(handle)?;
        let session = slot.leave().await.ok_or_else(|| SessionError::Unknown("closed".to_owned()))?;
        let handle = session.handle.clone();
        self.slots().remove(&handle);
        session.end().await;
        let facts = Facts { session: handle.clone(), ..Facts::default() };
        Ok(Told { text: format!("closed {handle}"), facts, links: Vec::new() })
    }

    /// Closes all of them.
    pub async fn end(&self) {
        let open = std::mem::take(&mut *self.slots());
        for slot in open.into_values() {
            if let Some(session) = slot.leave().await {
                session.end().await;
            }
        }
    }
}

impl Session {
    /// What is told of an action, or kept of it.
    async fn acted(&mut self, followed: Followed, leaf: String, call: &Value) -> Result<Acted, SessionError> {
        match followed {
            Followed::Over { succeeded, told } => {
                // What went wrong may be that the browser went away; the next call tells of it.
                if self.is_alive() {
                    self.gather().await?;
                }
                Ok(Acted::Over { succeeded, told: self.complete(*told) })
            }
            Followed::Waiting(acting) => {
                let (token, wording) = (crate::secret::name("ask_")?, acting.wording());
                self.keep_waiting(Waiting {
                    token: token.clone(),
                    call: call.clone(),
                    leaf,
                    acting: *acting,
                });
                Ok(Acted::Question { token, wording })
            }
        }
    }
}

fn check(reach: &Reach, url: &str) -> Result<Origin, SessionError> {
    reach.check(url).map_err(|refusal| SessionError::Refusal { refusal })
}

/// Offers the whole page where something was left out.
fn with_whole(mut told: Told) -> Told {
    if told.facts.left_out.is_some() {
        told.links.push(Place::Page.link(&told.facts.session));
    }
    told
}

fn listed(lines: &[String], none: &str) -> String {
    if lines.is_empty() { none.to_owned() } else { format!("<page>\n{}\n</page>", lines.join("\n")) }
}

fn offer(action: &ActionDescriptor) -> String {
    let args: Vec<String> = action
        .args
        .iter()
        .flatten()
        .map(|arg| {
            format!("{}{}: {}", arg.name, if arg.required == Some(true) { "" } else { "?" }, arg.arg_type)
        })
        .collect();
    let id = harmless(action.id.as_str(), 80);
    format!("- {id}({}) [{}]", harmless(&args.join(", "), 300), action.risk.level)
}

/// As many lines as a budget allows, and how many more there are.
fn first_lines(text: &str, budget: usize) -> (String, usize) {
    let mut left = budget;
    let mut lines = text.lines();
    let mut shown = String::new();
    for line in lines.by_ref() {
        let cost = estimate(line) + 1;
        if cost > left {
            return (format!("{shown}… {} more lines\n", lines.count() + 1), 1);
        }
        left -= cost;
        shown.push_str(line);
        shown.push('\n');
    }
    (shown, 0)
}

fn chosen(name: &str) -> Result<String, SessionError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if (1..=40).contains(&name.len()) && name.bytes().all(plain) {
        return Ok(name.to_owned());
    }
    Err(SessionError::Name(name.to_owned()))
}

/// The page is observed from now on, so that the first action need not wait for that and a wait knows what came since. Whoever
/// comes meanwhile waits at the door.
fn begin_to_watch(mut visit: Visit) {
    tokio::spawn(async move {
        let begun = match visit.leaf() {
            Ok(leaf) => leaf.look_ahead().await,
            Err(error) => Err(error),
        };
        if let Err(error) = begun {
            tracing::debug!(%error, "the page is observed when it is used first");
        }
    });
}
