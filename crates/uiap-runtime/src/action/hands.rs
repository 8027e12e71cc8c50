//! The hands of one action: they send commands in the ways that are allowed, and remember whether anything was sent.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use serde_json::{Value, json};
use tokio::time::Instant;
use uiap_model::action::SideEffectState;
use uiap_model::action::request::ActionTarget;
use uiap_model::action::result::{ActionStage, RuntimeErrorCode};
use uiap_model::capability::{ExecutionMode, UIState};
use uiap_model::json::JsonObject;
use uiap_model::names::ElementInstanceId;
use uiap_model::web::PageGraph;

use super::ending::Stop;
use super::live::Live;
use super::perform::{invalid, unsuitable};
use super::presenter::Moment;
use super::runtime::Core;
use crate::resolve::resolve;
use crate::surface::{Command, DispatchErrorKind, Done, Found, Surface};
use crate::trace::Step;
use crate::verify::find;

/// Sends what an action needs.
pub(super) struct Hands<'a, S> {
    pub(super) core: &'a Core<S>,
    pub(super) live: &'a Live,
    /// The ways that are allowed, the one to try first first.
    pub(super) modes: &'a [ExecutionMode],
    /// Whether it changes nothing, whatever comes of it.
    pub(super) harmless: bool,
    /// Whether the app must be what it was when the target was found.
    pub(super) unchanged: bool,
    /// Whether something was sent, or may have been.
    pub(super) sent: bool,
    /// Whether what was sent last is over for the app, as far as it does something at once.
    pub(super) settled: bool,
}

impl<S: Surface> Hands<'_, S> {
    /// Sends a command in the first way that can do it. Another way is tried only when the one before did certainly nothing.
    pub(super) async fn send(&mut self, command: &Command) -> Result<Done, Stop> {
        self.try_send(command).await?.ok_or_else(|| {
            let message = format!("there is no way to {} here", command.name());
            Stop::before(RuntimeErrorCode::ExecutionModeUnavailable, message)
        })
    }

    /// The same; none when no way can do it.
    pub(super) async fn try_send(&mut self, command: &Command) -> Result<Option<Done>, Stop> {
        self.live.control.check()?;
        let mut passed = Vec::new();
        for mode in self.modes {
            if !self.core.surface.can(*mode, command) {
                // Functions of the app are for its own actions only; that is nothing to speak of.
                if *mode != ExecutionMode::AppAction {
                    passed.push(format!("{mode} has no way to do it"));
                }
                continue;
            }
            self.announce()?;
            self.live.chose(*mode);
            // What was sent already may have changed the target itself.
            let found = if self.sent { None } else { self.live.target() };
            let found = found.as_ref().map(|target| Found { target, unchanged: self.unchanged });
            let dispatch = self.core.surface.dispatch(*mode, command, found);
            let sent = self.live.control.through(dispatch).await;
            let outcome = match sent {
                Ok(outcome) => outcome,
                Err(late) => {
                    self.sent = true;
                    let error = Some("the page did not answer".to_owned());
                    self.note(*mode, command, &json!({}), error);
                    return Err(Stop { side_effect: SideEffectState::Unknown, ..late });
                }
            };
            match outcome {
                Ok(done) => {
                    self.sent = true;
                    self.settled = done.settled;
                    self.note(*mode, command, &json!(done), None);
                    self.tell(*mode, command, &done, &passed);
                    self.acknowledge()?;
                    return Ok(Some(done));
                }
                Err(error) => {
                    self.note(*mode, command, &json!({}), Some(error.reason.clone()));
                    if error.without_effect && error.kind == DispatchErrorKind::Unsuitable {
                        passed.push(format!(
                            "{mode} did nothing, {}",
                            self.core.redactor().text(&error.reason)
                        ));
                        continue;
                    }
                    self.sent |= !error.without_effect;
                    let mut stop = Stop::from(error);
                    if self.sent {
                        stop.side_effect = SideEffectState::Unknown;
                    }
                    return Err(stop);
                }
            }
        }
        Ok(None)
    }

    /// Shows something to a person; whether that works changes nothing.
    pub(super) async fn present(&self, command: &Command) {
        for mode in self.modes.iter().filter(|mode| self.core.surface.can(**mode, command)) {
            match self.core.surface.dispatch(*mode, command, None).await {
                Ok(_) => return,
                Err(error) => tracing::debug!(%error, "nothing was shown"),
            }
        }
    }

    /// Written down before anything is sent that may change something; on the disk where it must not be done twice.
    fn announce(&self) -> Result<(), Stop> {
        self.core.is_accounted_for()?;
        if !self.harmless && !self.live.announced.swap(true, Ordering::SeqCst) {
            self.core
                .options
                .journal
                .dispatching(&self.live.handle, SystemTime::now())
                .map_err(|error| journal(&error))?;
        }
        Ok(())
    }

    /// Written down once, after the first command that was taken. Later ones of the same action change nothing.
    fn acknowledge(&self) -> Result<(), Stop> {
        let first = self.live.announced.load(Ordering::SeqCst)
            && !self.live.acknowledged.swap(true, Ordering::SeqCst);
        if first {
            let written = self.core.options.journal.acknowledged(&self.live.handle);
            written.map_err(|error| Stop { side_effect: SideEffectState::Unknown, ..journal(&error) })?;
        }
        Ok(())
    }

    /// Another way had to be taken, or a place was chosen by looking at a picture: both are told.
    fn tell(&self, mode: ExecutionMode, command: &Command, done: &Done, passed: &[String]) {
        if let Some((x, y)) = done.point {
            self.core.cue(self.live, Moment::Point(x, y), None);
        }
        let point = done.point.filter(|_| mode == ExecutionMode::VisionAssist);
        if point.is_none() && passed.is_empty() {
            return;
        }
        let note =
            (!passed.is_empty()).then(|| format!("{} by {mode}: {}", command.name(), passed.join("; ")));
        let point = point.map(|(x, y)| json!({ "x": x, "y": y }));
        let detail = json!({ "command": command.name(), "mode": mode, "point": point, "passedOver": passed });
        self.live.progress(ActionStage::Executing, note, Some(detail));
    }

    fn note(&self, mode: ExecutionMode, command: &Command, outcome: &Value, error: Option<String>) {
        let outcome = JsonObject(outcome.as_object().cloned().unwrap_or_default());
        let error = error.map(|error| self.core.redactor().text(&error));
        self.live.trace.note(Step::Input { mode, command: command.name().to_owned(), outcome, error });
    }

    pub(super) fn graph(&self) -> Arc<PageGraph> {
        self.core.scene.graph()
    }

    pub(super) async fn look(&self) -> Result<Arc<PageGraph>, Stop> {
        let mut stop = match self.live.control.until(self.core.scene.look()).await? {
            Ok(graph) => return Ok(graph),
            Err(error) => Stop::from(error),
        };
        if self.sent {
            stop.side_effect = SideEffectState::Unknown;
        }
        Err(stop)
    }

    /// Waits until something is seen; false when the time is over before.
    pub(super) async fn changed_before(&self, end: Instant) -> Result<bool, Stop> {
        let mark = self.core.scene.mark();
        let waited = tokio::time::timeout_at(end, self.core.scene.changed(mark));
        match self.live.control.until(waited).await? {
            Err(_) => Ok(false),
            Ok(outcome) => Ok(outcome.map(|()| true)?),
        }
    }

    pub(super) async fn state_of(&self, id: &ElementInstanceId) -> Result<Option<UIState>, Stop> {
        let graph = self.look().await?;
        Ok(find(&graph, id).map(|(_, element)| (*element.state).clone()))
    }

    pub(super) async fn number_of(&self, id: &ElementInstanceId) -> Result<Option<f64>, Stop> {
        let reading = self.live.control.until(self.core.surface.read(id)).await??;
        Ok(reading.number)
    }

    /// Another element that an argument speaks of.
    pub(super) fn find_other(&self, target: &Value) -> Result<ElementInstanceId, Stop> {
        let target = if target.get("by").is_some() { json!({ "ref": target }) } else { target.clone() };
        let target: ActionTarget =
            uiap_model::json::read(&target).map_err(|error| invalid(format!("`dragTo`: {error}")))?;
        let graph = self.graph();
        let found =
            resolve(&graph, &self.live.request.action_id, &target, None, |id| self.core.scene.departed(id))?;
        Ok(found.chosen.target.instance_id)
    }

    /// Files that may be handed to a page: in the directory that was allowed, and nowhere else by way of links.
    pub(super) fn uploads(&self, names: &[&str]) -> Result<Vec<PathBuf>, Stop> {
        let Some(allowed) = &self.core.options.uploads else {
            return Err(Stop::before(RuntimeErrorCode::PolicyDenied, "no directory was allowed for uploads"));
        };
        if names.is_empty() {
            return Err(invalid("`files` names no file"));
        }
        let real = |path: &Path| {
            path.canonicalize().map_err(|error| unsuitable(format!("`{}`: {error}", path.display())))
        };
        let allowed = real(allowed)?;
        names
            .iter()
            .map(|name| {
                let path = real(&allowed.join(name))?;
                if path.starts_with(&allowed) && path.is_file() {
                    return Ok(path);
                }
                Err(Stop::before(
                    RuntimeErrorCode::PolicyDenied,
                    format!("`{name}` does not lie in the directory that was allowed for uploads"),
                ))
            })
            .collect()
    }
}

pub(super) fn journal(error: &crate::journal::JournalError) -> Stop {
    Stop::before(RuntimeErrorCode::InternalRuntimeError, error.to_string())
}
