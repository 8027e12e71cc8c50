//! Commands, each in the ways that can carry it out.

use std::time::Duration;

use serde_json::{Value, json};
use uiap_cdp::protocol::input::MouseButton;
use uiap_cdp::protocol::runtime::Evaluate;
use uiap_model::capability::ExecutionMode;
use uiap_model::names::ElementInstanceId;
use uiap_runtime::surface::{Command, DispatchError, DispatchErrorKind as Kind, Done, Press};

use super::{Meant, WebSurface, app, manner};
use crate::error::{PageError, PageErrorKind};
use crate::input::{Click, HitTest, InputError, Landed, Typing};

/// Whether a way can carry a command out.
pub(super) fn can(mode: ExecutionMode, command: &Command) -> bool {
    match mode {
        ExecutionMode::AppAction => matches!(command, Command::Invoke { .. }),
        ExecutionMode::ExternalDriver => matches!(
            command,
            Command::Click(_)
                | Command::Hover(_)
                | Command::Tap { .. }
                | Command::Pinch { .. }
                | Command::Drag { .. }
                | Command::Type { .. }
                | Command::Keys { .. }
                | Command::Focus(_)
                | Command::Scroll { .. }
                | Command::Upload { .. }
                | Command::Navigate(_)
                | Command::Travel(_)
        ),
        ExecutionMode::SemanticUi => match command {
            Command::Click(press) => is_plain(press),
            Command::Focus(_)
            | Command::ScrollIntoView(_)
            | Command::Select { .. }
            | Command::SetValue { .. }
            | Command::Submit(_)
            | Command::Highlight(_) => true,
            Command::Type { replace, by_keys, .. } => *replace && !by_keys,
            _ => false,
        },
        ExecutionMode::InputSynthesis => match command {
            Command::Click(press) => is_plain(press),
            Command::Hover(_) => true,
            _ => false,
        },
        ExecutionMode::VisionAssist => false,
    }
}

fn is_plain(press: &Press) -> bool {
    *press == Press::on(press.target.clone())
}

pub(super) async fn send(
    surface: &WebSurface,
    meant: &Meant,
    mode: ExecutionMode,
    command: &Command,
) -> Result<Done, DispatchError> {
    match mode {
        ExecutionMode::AppAction => match command {
            Command::Invoke { action_id, args, .. } => app::invoke(&surface.page, action_id, args).await,
            _ => Err(no_way(command)),
        },
        ExecutionMode::ExternalDriver => drive(surface, meant, command).await,
        ExecutionMode::SemanticUi => by_methods(surface, meant, command).await,
        ExecutionMode::InputSynthesis => match command {
            Command::Click(Press { target, .. }) => {
                own(surface, meant, target, "synthesize", json!("click")).await
            }
            Command::Hover(target) => own(surface, meant, target, "synthesize", json!("hover")).await,
            _ => Err(no_way(command)),
        },
        ExecutionMode::VisionAssist => Err(no_way(command)),
    }
}

fn no_way(command: &Command) -> DispatchError {
    DispatchError::unsent(Kind::Unsuitable, format!("there is no such way to {}", command.name()))
}

/// Input that the page cannot tell from a person's.
async fn drive(surface: &WebSurface, meant: &Meant, command: &Command) -> Result<Done, DispatchError> {
    let input = &meant.input;
    match command {
        Command::Click(press) => match input.click(&press.target, &click(press)).await {
            // What was there is gone, and something else came into its place: it may have an heir.
            Err(InputError::Intercepted(other)) if is_gone(surface, &press.target).await => {
                let reason = format!("the target went away, and {other} came into its place");
                return Err(DispatchError::unsent(Kind::Gone, reason));
            }
            clicked => clicked.map(landed),
        },
        Command::Hover(target) => input.hover(target).await.map(landed),
        Command::Tap { target, hold } => input.tap(target, *hold).await.map(landed),
        Command::Pinch { target, scale } => input.pinch(target, *scale).await.map(landed),
        Command::Drag { source, target } => input.drag(source, target).await.map(|_| Done::default()),
        Command::Type { target, text, replace, by_keys } => {
            let typing = if *by_keys { Typing::Keys } else { Typing::default() };
            let typed = if *replace {
                input.replace_text(target, text, typing).await
            } else {
                input.type_text(target, text, typing).await
            };
            typed.map(|()| Done::default())
        }
        Command::Keys { target, chord } => {
            if let Some(target) = target {
                input.focus(target).await.map_err(|error| input_error(&error))?;
            }
            input.press(chord).await.map(|()| Done::default())
        }
        Command::Focus(target) => input.focus(target).await.map(|()| Done::default()),
        Command::Scroll { target, x, y } => return scroll(surface, target.as_ref(), *x, *y).await,
        Command::Upload { target, files } => match input.set_files(target, files).await {
            Err(InputError::Page(error)) if is_refused(&error) => input.choose_files(target, files).await,
            other => other,
        }
        .map(|files| Done { files: Some(files), ..Done::default() }),
        Command::Navigate(url) => return navigate(surface, url).await,
        Command::Travel(steps) => {
            let expression = format!("history.go({steps})");
            let evaluate = Evaluate { expression: &expression, silent: true, ..Evaluate::default() };
            let outcome = surface.page.session().call(evaluate).await;
            return outcome.map(|_| Done::default()).map_err(|error| page_error(&error.into()));
        }
        _ => return Err(no_way(command)),
    }
    .map_err(|error| input_error(&error))
}

async fn is_gone(surface: &WebSurface, target: &ElementInstanceId) -> bool {
    let found = surface.page.element(target).await;
    matches!(found, Err(error) if matches!(error.kind(), PageErrorKind::Gone(_)))
}

fn is_refused(error: &PageError) -> bool {
    matches!(error.kind(), PageErrorKind::Call(call) if matches!(call.kind(), uiap_cdp::CallErrorKind::Refused { .. }))
}

async fn navigate(surface: &WebSurface, url: &str) -> Result<Done, DispatchError> {
    match surface.page.navigate(url).await {
        Ok(()) => Ok(Done { left: true, ..Done::default() }),
        Err(error) if matches!(error.kind(), PageErrorKind::Navigation { .. }) => {
            Err(DispatchError::unsent(Kind::Absent, error.to_string()))
        }
        Err(error) => Err(page_error(&error)),
    }
}

async fn scroll(
    surface: &WebSurface,
    target: Option<&ElementInstanceId>,
    x: f64,
    y: f64,
) -> Result<Done, DispatchError> {
    if let Some(target) = target {
        let moved = surface.input.wheel(target, x, y).await.map_err(|error| input_error(&error))?;
        return Ok(Done { scrolled: Some((moved.x, moved.y)), ..Done::default() });
    }
    let expression = format!(
        "(() => {{ const at = [scrollX, scrollY]; scrollBy({{ left: {x}, top: {y}, behavior: 'instant' }}); return JSON.stringify([scrollX - at[0], scrollY - at[1]]); }})()"
    );
    let evaluate =
        Evaluate { expression: &expression, silent: true, return_by_value: true, ..Evaluate::default() };
    let outcome = surface.page.session().call(evaluate).await.map_err(|error| page_error(&error.into()))?;
    let text: Option<String> = outcome.result.value_as().unwrap_or_default();
    let scrolled = text.and_then(|text| serde_json::from_str(&text).ok());
    Ok(Done { scrolled, ..Done::default() })
}

/// By the element's own methods.
async fn by_methods(surface: &WebSurface, meant: &Meant, command: &Command) -> Result<Done, DispatchError> {
    match command {
        Command::Click(Press { target, .. }) => own(surface, meant, target, "click", Value::Null).await,
        Command::Focus(target) => own(surface, meant, target, "focus", Value::Null).await,
        Command::ScrollIntoView(target) => own(surface, meant, target, "scroll", Value::Null).await,
        Command::Type { target, text, .. } => own(surface, meant, target, "set", json!(text)).await,
        Command::SetValue { target, value } => own(surface, meant, target, "set", json!(value)).await,
        Command::Select { target, values } => own(surface, meant, target, "select", json!(values)).await,
        Command::Submit(target) => own(surface, meant, target, "submit", Value::Null).await,
        Command::Highlight(target) => own(surface, meant, target, "show", Value::Null).await,
        _ => Err(no_way(command)),
    }
}

async fn own(
    surface: &WebSurface,
    meant: &Meant,
    target: &ElementInstanceId,
    op: &str,
    value: Value,
) -> Result<Done, DispatchError> {
    match manner::ask(&surface.page, target, meant.found(target), op, value).await {
        Ok(done) if done == "done" => Ok(Done::default()),
        Ok(why) => Err(DispatchError::unsent(Kind::Unsuitable, why)),
        Err(error) => Err(page_error(&error)),
    }
}

fn click(press: &Press) -> Click {
    let bit = |name: &String| match name.as_str() {
        "Alt" => 1,
        "Control" => 2,
        "Meta" => 4,
        "Shift" => 8,
        _ => 0,
    };
    Click {
        button: match press.button {
            1 => MouseButton::Middle,
            2 => MouseButton::Right,
            _ => MouseButton::Left,
        },
        count: press.count,
        modifiers: press.modifiers.iter().map(bit).sum(),
        position: press.position,
        hold: press.hold.min(Duration::from_secs(10)),
    }
}

fn landed(landed: Landed) -> Done {
    Done {
        point: Some((landed.point.x, landed.point.y)),
        events: landed.events,
        left: landed.left,
        ..Done::default()
    }
}

pub(super) fn page_error(error: &PageError) -> DispatchError {
    if let Some(loss) = error.loss() {
        return DispatchError::uncertain(Kind::Lost, format!("the page is gone: {loss}"));
    }
    match error.kind() {
        PageErrorKind::Gone(_) => DispatchError::unsent(Kind::Gone, "the target is not in the page any more"),
        PageErrorKind::Changed(_) => DispatchError::unsent(Kind::Gone, "the target became something else"),
        PageErrorKind::Outdated => {
            DispatchError::unsent(Kind::Gone, "the page changed after it was looked at")
        }
        _ => DispatchError::uncertain(Kind::Fault, error.to_string()),
    }
}

fn input_error(error: &InputError) -> DispatchError {
    match error {
        InputError::Page(error) => page_error(error),
        InputError::Unaimed(error) if error.is_document_gone() => {
            DispatchError::unsent(Kind::Gone, "the page went elsewhere before anything was sent")
        }
        InputError::Unaimed(error) => DispatchError { without_effect: true, ..page_error(error) },
        InputError::Unreachable(HitTest::Gone) => DispatchError::unsent(Kind::Gone, error.to_string()),
        InputError::Unreachable(_) | InputError::Intercepted(_) | InputError::Unfocused => {
            DispatchError::unsent(Kind::Unreachable, error.to_string())
        }
        // The click that was to open one has reached the page.
        InputError::NoChooser => DispatchError::uncertain(Kind::Unreachable, error.to_string()),
        InputError::UnknownKey(_) | InputError::OutOfRange(_) => {
            DispatchError::unsent(Kind::Invalid, error.to_string())
        }
        InputError::Undelivered => DispatchError::uncertain(Kind::Fault, error.to_string()),
    }
}
