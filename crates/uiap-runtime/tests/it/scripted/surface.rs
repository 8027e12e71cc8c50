//! The app as a surface: looks, and commands that do what a plain app would do unless the script says otherwise.

use std::time::Duration;

use serde_json::json;
use uiap_model::capability::{ActionDescriptor, Checked, ExecutionMode};
use uiap_model::names::{ActionHandle, ElementInstanceId};
use uiap_runtime::surface::{
    Command, DispatchError, DispatchErrorKind, Done, Found, Hint, Observer, Reach, Reading, Rest, Sight,
    Surface, SurfaceError,
};

use super::page::{Answer, Page};

/// In the order of the specification.
pub(crate) const EVERY_MODE: [ExecutionMode; 5] = [
    ExecutionMode::AppAction,
    ExecutionMode::SemanticUi,
    ExecutionMode::ExternalDriver,
    ExecutionMode::InputSynthesis,
    ExecutionMode::VisionAssist,
];

/// The surface of an app.
pub(crate) struct Scripted {
    pub(crate) page: Page,
    pub(crate) modes: Vec<ExecutionMode>,
}

pub(crate) struct Watcher(Page);

impl Observer for Watcher {
    async fn next(&mut self) -> Result<Vec<Sight>, SurfaceError> {
        loop {
            let told = self.0.0.told.notified();
            {
                let mut state = self.0.state();
                if !state.queue.is_empty() {
                    return Ok(state.queue.drain(..).collect());
                }
                if state.calling {
                    state.asked += 1;
                    assert!(state.asked < 1_000, "somebody listens to it without an end");
                    return Ok(Vec::new());
                }
            }
            told.await;
        }
    }

    async fn look(&mut self) -> Result<Vec<Sight>, SurfaceError> {
        self.0.looked();
        let mut state = self.0.state();
        state.calling = false;
        match state.fault.clone() {
            Some(fault) => Err(fault),
            None => Ok(state.queue.drain(..).collect()),
        }
    }
}

impl Surface for Scripted {
    type Observer = Watcher;

    async fn observe(&self) -> Result<Watcher, SurfaceError> {
        Ok(Watcher(self.page.clone()))
    }

    fn modes(&self) -> &[ExecutionMode] {
        &self.modes
    }

    fn can(&self, mode: ExecutionMode, command: &Command) -> bool {
        let state = self.page.state();
        let by_app = mode == ExecutionMode::AppAction;
        let fits = match command {
            Command::Invoke { action_id, .. } => by_app && state.app.iter().any(|each| each.id == *action_id),
            _ => !by_app,
        };
        fits && !state.cannot.contains(&(mode, command.name()))
    }

    async fn dispatch(
        &self,
        mode: ExecutionMode,
        command: &Command,
        _found: Option<Found<'_>>,
    ) -> Result<Done, DispatchError> {
        if matches!(command, Command::Highlight(_)) {
            self.page.state().shown.push(command.clone());
        } else {
            self.page.state().log.push((mode, command.clone()));
        }
        let answer = match self.page.reaction(mode, command) {
            Some(handler) => (*handler.lock().unwrap())(&self.page, command),
            None => plainly(&self.page, command),
        };
        match answer {
            Answer::Done(done) => Ok(done),
            Answer::Fails(error) => Err(error),
            Answer::After(time, done) => {
                tokio::time::sleep_until(tokio::time::Instant::now() + time).await;
                Ok(done)
            }
            Answer::Hangs => std::future::pending().await,
            Answer::Breaks => panic!("the handler broke"),
        }
    }

    async fn reach(&self, target: &ElementInstanceId) -> Result<Reach, SurfaceError> {
        Ok(self.page.reach(target.as_str()))
    }

    async fn read(&self, target: &ElementInstanceId) -> Result<Reading, SurfaceError> {
        let element = self.page.element(target.as_str()).ok_or(SurfaceError::Gone)?;
        Ok(Reading {
            text: Some(self.page.value(target.as_str())),
            number: element.state.numeric_value.map(|number| number.0),
            checked: element.state.checked,
        })
    }

    async fn holds(&self, target: &ElementInstanceId, text: &str) -> Result<bool, SurfaceError> {
        self.page.element(target.as_str()).ok_or(SurfaceError::Gone)?;
        Ok(self.page.value(target.as_str()) == text)
    }

    async fn locate(&self, hint: &Hint) -> Result<Option<ElementInstanceId>, SurfaceError> {
        let (Hint::Css(selector) | Hint::XPath(selector)) = hint;
        Ok(self.page.state().hints.get(selector).and_then(|id| ElementInstanceId::parse(id)))
    }

    async fn app_actions(&self) -> Result<Vec<ActionDescriptor>, SurfaceError> {
        Ok(self.page.state().app.clone())
    }

    fn pending(&self) -> Vec<String> {
        self.page.state().pending.clone()
    }

    async fn settle(&self, limit: Duration) -> Result<Rest, SurfaceError> {
        let rest = self.page.state().rest.clone();
        if !rest.quiet {
            tokio::time::sleep_until(tokio::time::Instant::now() + limit).await;
        }
        Ok(rest)
    }

    fn acting(&self, _action: Option<ActionHandle>) {}
}

/// What a plain app does.
fn plainly(page: &Page, command: &Command) -> Answer {
    match command {
        Command::Type { target, text, replace, .. } => {
            let before = if *replace { String::new() } else { page.value(target.as_str()) };
            page.set_value(target.as_str(), &format!("{before}{text}"));
        }
        Command::SetValue { target, value } => set(page, target.as_str(), value),
        Command::Select { target, values } => select(page, target.as_str(), values),
        Command::Focus(id) => page.focus(id.as_str()),
        Command::ScrollIntoView(id) => page.set(id.as_str(), json!({ "web": { "inViewport": true } })),
        Command::Scroll { x, y, .. } => {
            return Answer::Done(Done { scrolled: Some((*x, *y)), ..Done::default() });
        }
        Command::Click(press) => switch(page, press.target.as_str()),
        Command::Upload { files, .. } => {
            let name = |file: &std::path::PathBuf| file.file_name().unwrap().to_string_lossy().into_owned();
            return Answer::Done(Done { files: Some(files.iter().map(name).collect()), ..Done::default() });
        }
        Command::Navigate(url) => {
            let path = url.strip_prefix("http://127.0.0.1").unwrap_or(url).to_owned();
            page.go(&path);
        }
        Command::Invoke { .. } => {
            return Answer::Fails(DispatchError::unsent(
                DispatchErrorKind::Unsuitable,
                "nobody registered it",
            ));
        }
        _ => {}
    }
    Answer::Done(Done::default())
}

fn set(page: &Page, id: &str, value: &str) {
    match value.parse::<f64>() {
        Ok(number) => page.set_state(id, json!({ "numericValue": number })),
        Err(_) => page.set_value(id, value),
    }
}

fn select(page: &Page, id: &str, values: &[String]) {
    let mut options = page.element(id).unwrap().options.clone().unwrap_or_default();
    for option in &mut options {
        option.selected = Some(values.iter().any(|value| option.value == *value));
    }
    page.set(id, json!({ "options": options }));
}

/// Check boxes and what unfolds switch; everything else needs a script.
fn switch(page: &Page, id: &str) {
    let state = page.element(id).unwrap().state;
    if let Some(checked) = state.checked {
        page.set_state(id, json!({ "checked": checked != Checked::On }));
    } else if let Some(pressed) = state.pressed {
        page.set_state(id, json!({ "pressed": !pressed }));
    } else if let Some(expanded) = state.expanded {
        page.set_state(id, json!({ "expanded": !expanded }));
    } else if state.selected == Some(false) {
        page.set_state(id, json!({ "selected": true }));
    }
}
