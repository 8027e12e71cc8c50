//! A session: a context of its own with one page or several, of which one is looked at.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use uiap_runtime::text::quoted;
use uiap_web::signal::Watch;

use super::SessionError;
use super::act::Acting;
use super::facts::{Facts, Told};
use super::leaf::{Leaf, Terms};
use super::pool::Seat;
use crate::browsers::{Arrivals, Tab};

/// Pictures that are put aside.
const PICTURES: usize = 4;
/// Actions that may wait for a person at once.
const WAITING: usize = 8;

/// What is wanted of the tabs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tabs {
    /// To see which there are.
    List,
    /// To look at another one.
    Switch(String),
    /// To close one.
    Close(String),
}

/// A context with its pages.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) handle: String,
    home: Tab,
    arrivals: mpsc::Receiver<Arrival>,
    porter: Porter,
    leaves: Vec<Leaf>,
    /// The name of the page that is looked at.
    current: String,
    named: u64,
    pub(super) terms: Arc<Terms>,
    notes: Vec<String>,
    waiting: VecDeque<Waiting>,
    pictures: VecDeque<(u64, Vec<u8>)>,
    pictured: u64,
    _seat: Seat,
}

/// A page that came by itself.
type Arrival = (uiap_cdp::Session, Watch);

/// An action that waits for a person's answer, and the call that asked for it.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) token: String,
    pub(super) call: Value,
    /// The page in which it is done.
    pub(super) leaf: String,
    pub(super) acting: Acting,
}

/// Receives pages as they come.
#[derive(Debug)]
struct Porter(JoinHandle<()>);

impl Drop for Porter {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Session {
    pub(super) fn new(
        handle: String,
        home: Tab,
        terms: Arc<Terms>,
        seat: Seat,
    ) -> Result<Self, SessionError> {
        let (sender, arrivals) = mpsc::channel(terms.options.most_tabs.max(1));
        let porter = Porter(tokio::spawn(receive(home.arrivals(), sender)));
        let (page, watch) = (home.page.clone(), home.watch.clone());
        let first = Leaf::new("t1".to_owned(), page.session().clone(), Some(page), watch, &terms)?;
        Ok(Self {
            handle,
            home,
            arrivals,
            porter,
            current: first.name.clone(),
            leaves: vec![first],
            named: 1,
            terms,
            notes: Vec::new(),
            waiting: VecDeque::new(),
            pictures: VecDeque::new(),
            pictured: 0,
            _seat: seat,
        })
    }

    pub(super) fn is_alive(&self) -> bool {
        self.home.is_alive()
    }

    /// Begins anew in another context: the browser is gone.
    pub(super) fn begin_anew(&mut self, home: Tab) -> Result<(), SessionError> {
        let (sender, arrivals) = mpsc::channel(self.terms.options.most_tabs.max(1));
        drop(std::mem::replace(&mut self.porter, Porter(tokio::spawn(receive(home.arrivals(), sender)))));
        self.arrivals = arrivals;
        self.home = home;
        self.waiting.clear();
        self.leaves.clear();
        let (page, watch) = (self.home.page.clone(), self.home.watch.clone());
        self.add(page.session().clone(), Some(page), watch)?;
        self.current.clone_from(&self.newest());
        Ok(())
    }

    fn newest(&self) -> String {
        self.leaves.last().map(|leaf| leaf.name.clone()).unwrap_or_default()
    }

    /// Names are never given twice: a ref or a name of a closed page must not mean another one.
    fn add(
        &mut self,
        session: uiap_cdp::Session,
        page: Option<uiap_web::Page>,
        watch: Watch,
    ) -> Result<(), SessionError> {
        self.named += 1;
        let name = format!("t{}", self.named);
        self.leaves.push(Leaf::new(name, session, page, watch, &self.terms)?);
        Ok(())
    }

    /// Takes in the pages that came, and lets go of those that were closed.
    pub(super) async fn gather(&mut self) -> Result<(), SessionError> {
        self.leaves.retain(Leaf::is_open);
        while let Ok((session, watch)) = self.arrivals.try_recv() {
            self.welcome(session, watch).await?;
        }
        if self.leaves.iter().any(|leaf| leaf.name == self.current) {
            return Ok(());
        }
        if self.leaves.is_empty() {
            self.home.blank().await?;
            let (session, watch) = self.arrivals.recv().await.ok_or(SessionError::Lost)?;
            self.welcome(session, watch).await?;
        }
        let newest = self.newest();
        self.notes.retain(|note| !note.contains(&format!("`{newest}`")));
        self.notes.push(format!("tab `{}` was closed; this is `{newest}`", self.current));
        self.current = newest;
        Ok(())
    }

    async fn welcome(&mut self, session: uiap_cdp::Session, watch: Watch) -> Result<(), SessionError> {
        if !session.is_attached() || self.leaves.iter().any(|leaf| leaf.target() == session.target_id()) {
            return Ok(());
        }
        if self.leaves.len() >= self.terms.options.most_tabs {
            self.notes.push(format!("a new tab was closed: there are {} already", self.leaves.len()));
            return Ok(session.close().await?);
        }
        self.add(session, None, watch)?;
        self.notes.push(format!("new tab `{}`; `tabs` switches to it", self.newest()));
        Ok(())
    }

    /// The page that is looked at.
    pub(super) fn leaf(&mut self) -> Result<&mut Leaf, SessionError> {
        let current = &self.current;
        self.leaves.iter_mut().find(|leaf| leaf.name == *current).ok_or(SessionError::Lost)
    }

    /// The page of this name.
    pub(super) fn leaf_named(&mut self, name: &str) -> Result<&mut Leaf, SessionError> {
        let found = self.leaves.iter_mut().find(|leaf| leaf.name == name);
        found.ok_or_else(|| SessionError::Tab(name.to_owned()))
    }

    /// Completes what is told: which session and page it is about, and what else happened meanwhile.
    pub(super) fn complete(&mut self, mut told: Told) -> Told {
        told.facts.session.clone_from(&self.handle);
        told.facts.tab = (self.leaves.len() > 1).then(|| self.current.clone());
        let notes: String = self.notes.drain(..).map(|note| format!("{note}\n")).collect();
        told.text.insert_str(0, &notes);
        told.text = self.cover(&told.text);
        told
    }

    /// Takes out what any page has learned to hide.
    pub(super) fn cover(&self, text: &str) -> String {
        self.leaves.first().map_or_else(|| text.to_owned(), |leaf| leaf.redactor().text(text))
    }

    /// Which pages there are.
    pub(super) async fn list(&self) -> Told {
        let mut lines = Vec::new();
        for leaf in &self.leaves {
            let (url, title) = leaf.label().await;
            let mark = if leaf.name == self.current { " (current)" } else { "" };
            lines.push(format!("- {}{mark} {} {}", leaf.name, quoted(&title, 80), quoted(&url, 200)));
        }
        let facts = Facts { count: Some(lines.len()), ..Facts::default() };
        Told { text: format!("<page>\n{}\n</page>", lines.join("\n")), facts, links: Vec::new() }
    }

    pub(super) fn switch(&mut self, name: &str) -> Result<(), SessionError> {
        if !self.leaves.iter().any(|leaf| leaf.name == name) {
            return Err(SessionError::Tab(name.to_owned()));
        }
        name.clone_into(&mut self.current);
        Ok(())
    }

    /// Closes a page; another one is looked at when it was the current one.
    pub(super) async fn close_tab(&mut self, name: &str) -> Result<(), SessionError> {
        let at = self.leaves.iter().position(|leaf| leaf.name == name);
        let leaf = at.map(|at| self.leaves.remove(at)).ok_or_else(|| SessionError::Tab(name.to_owned()))?;
        leaf.close().await?;
        self.gather().await
    }

    /// Keeps an action until its answer comes. The oldest is given up when there are too many.
    pub(super) fn keep_waiting(&mut self, waiting: Waiting) {
        while self.waiting.len() >= WAITING {
            self.waiting.pop_front();
        }
        self.waiting.push_back(waiting);
    }

    /// The action that this token was given for, when the same is asked for again. A token holds once.
    pub(super) fn take_waiting(&mut self, token: &str, call: &Value) -> Option<(Acting, String)> {
        let at = self.waiting.iter().position(|waiting| waiting.token == token)?;
        let waiting = self.waiting.remove(at)?;
        (waiting.call == *call).then_some((waiting.acting, waiting.leaf))
    }

    /// Puts a picture aside; the oldest goes when there are too many.
    pub(super) fn keep_picture(&mut self, bytes: Vec<u8>) -> u64 {
        while self.pictures.len() >= PICTURES {
            self.pictures.pop_front();
        }
        self.pictured += 1;
        self.pictures.push_back((self.pictured, bytes));
        self.pictured
    }

    pub(super) fn picture(&self, number: u64) -> Option<Vec<u8>> {
        self.pictures.iter().find(|(kept, _)| *kept == number).map(|(_, bytes)| bytes.clone())
    }

    /// Closes its pages and forgets what they stored.
    pub(super) async fn end(self) {
        let Self { home, leaves, waiting, .. } = self;
        drop((leaves, waiting));
        home.close().await;
    }
}

/// A page that nobody takes in is closed.
async fn receive(mut arrivals: Arrivals, sender: mpsc::Sender<Arrival>) {
    while let Some((session, watch)) = arrivals.next().await {
        if sender.try_send((session.clone(), watch)).is_err()
            && let Err(error) = session.close().await
        {
            tracing::debug!(%error, "a page was gone before it was closed");
        }
    }
}
