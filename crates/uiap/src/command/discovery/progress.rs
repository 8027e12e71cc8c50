//! How far a run is: a view that is drawn over in a terminal, a line for each event elsewhere.

use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use uiap_discovery::run::{Progress, RunEvent};
use uiap_model::discovery::DiscoveryRunStatus;

use crate::terminal::Terminal;

/// The view is drawn at most so often.
const PACE: Duration = Duration::from_millis(100);
/// Lines of the view.
const LINES: usize = 3;

/// What the budgets allow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) states: u64,
    pub(super) transitions: u64,
    pub(super) seconds: u64,
}

/// Tells people how far a run is.
pub(super) struct View {
    limits: Limits,
    terminal: Terminal,
    is_live: bool,
    drawn: Mutex<Drawn>,
}

struct Drawn {
    status: Option<DiscoveryRunStatus>,
    progress: Progress,
    incidents: usize,
    at: Instant,
    began: Instant,
    lines: usize,
}

impl View {
    pub(super) fn new(terminal: &Terminal, limits: Limits) -> Self {
        let is_live = std::io::stderr().is_terminal() && !terminal.json;
        let now = Instant::now();
        let drawn = Drawn {
            status: None,
            progress: Progress::default(),
            incidents: 0,
            at: now,
            began: now,
            lines: 0,
        };
        Self { limits, terminal: terminal.for_people(), is_live, drawn: Mutex::new(drawn) }
    }

    pub(super) fn tell(&self, event: &RunEvent) {
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            RunEvent::Status(status) => drawn.status = Some(*status),
            RunEvent::Progress(progress) => drawn.progress = progress.clone(),
            RunEvent::Incident(_) => drawn.incidents += 1,
            _ => {}
        }
        if self.is_live {
            self.draw(&mut drawn, matches!(event, RunEvent::Status(_)));
        } else if let Some(line) = self.line(event) {
            let seconds = drawn.began.elapsed().as_secs_f64();
            Terminal::say(&format!("{} {line}", self.terminal.dim(&format!("{seconds:7.1}"))));
        }
    }

    /// Leaves the last view standing.
    pub(super) fn end(&self) {
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_live {
            self.draw(&mut drawn, true);
        }
    }

    fn line(&self, event: &RunEvent) -> Option<String> {
        match event {
            RunEvent::Status(status) => Some(format!("{status}")),
            RunEvent::SeedRejected { seed, reason } => {
                let seed = serde_json::to_string(seed).unwrap_or_default();
                Some(format!("seed {seed} is not used: {reason}"))
            }
            RunEvent::StateFound { state_id, url, title } => Some(format!("state {state_id} {url} {title}")),
            RunEvent::Acted { from, action_id, aim, to } => {
                let aim = aim.as_ref().map(|aim| format!(" {} `{}`", aim.role, aim.name)).unwrap_or_default();
                Some(format!("{from} {action_id}{aim} → {}", to.as_deref().unwrap_or("?")))
            }
            RunEvent::Incident(incident) => {
                let place = incident.url.as_deref().unwrap_or_default();
                Some(self.terminal.strong(&format!("note: {} {place}", incident.detail)))
            }
            _ => None,
        }
    }

    fn draw(&self, drawn: &mut Drawn, at_once: bool) {
        if !at_once && drawn.lines > 0 && drawn.at.elapsed() < PACE {
            return;
        }
        drawn.at = Instant::now();
        let text = self.text(drawn);
        let mut out = std::io::stderr().lock();
        let up = if drawn.lines > 0 { format!("\x1b[{}A", drawn.lines) } else { String::new() };
        // Nothing sensible can be done when stderr is gone.
        let _ = write!(out, "{up}{text}");
        let _ = out.flush();
        drawn.lines = LINES;
    }

    fn text(&self, drawn: &Drawn) -> String {
        let Progress { states, transitions, frontier, routes, doing, elapsed_ms, .. } = &drawn.progress;
        let status = drawn.status.map(|status| status.to_string()).unwrap_or_default();
        let a_minute = |count: usize| count as u64 * 60_000 / (*elapsed_ms).max(1);
        let rate = format!("{} states and {} actions a minute", a_minute(*states), a_minute(*transitions));
        let left = format!(
            "left: {} states, {} actions, {} s",
            self.limits.states.saturating_sub(*states as u64),
            self.limits.transitions.saturating_sub(*transitions as u64),
            self.limits.seconds.saturating_sub(elapsed_ms / 1_000),
        );
        let width = Terminal::width().saturating_sub(2);
        let cut = |text: String| -> String { text.chars().take(width).collect() };
        let first = cut(format!(
            "{status}: {states} states, {routes} routes, {frontier} to try, {} notes",
            drawn.incidents
        ));
        let second = cut(format!("{rate}; {left}"));
        let third = cut(doing.clone().unwrap_or_default());
        format!(
            "\x1b[2K{}\n\x1b[2K{}\n\x1b[2K{}\n",
            self.terminal.strong(&first),
            second,
            self.terminal.dim(&third)
        )
    }
}
