//! Carries out one action on a target that was checked: which commands, in which way, and what must be seen afterwards.

use std::time::Duration;

use serde_json::{Value, json};
use uiap_model::action::SideEffectState;
use uiap_model::action::result::{ResolvedTarget, RuntimeErrorCode};
use uiap_model::capability::{Checked, PrimitiveActionType as Action, UIRole, UIState};
use uiap_model::json::JsonObject;
use uiap_model::names::{ElementInstanceId, ScopeId};
use uiap_model::web::graph::ScopeKind;
use uiap_model::web::{ElementNode, PageGraph};

use super::ending::Stop;
use super::hands::Hands;
use crate::surface::{Command, Done, Press, Surface};
use crate::verify::Check;

/// What was done.
#[derive(Debug)]
pub(super) struct Performed {
    /// What must be seen of it.
    pub(super) check: Check,
    /// What is given back.
    pub(super) value: Option<JsonObject>,
    /// What the app's own function says of its effect.
    pub(super) side_effect: Option<SideEffectState>,
    /// Who is looked at, where it is not the target itself.
    pub(super) watched: Option<ElementInstanceId>,
}

impl Performed {
    pub(super) fn of(check: Check) -> Self {
        Self { check, value: None, side_effect: None, watched: None }
    }
}

/// The one that is acted on: as it was found, and as it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct On<'a> {
    pub(super) target: &'a ResolvedTarget,
    pub(super) element: &'a ElementNode,
    pub(super) graph: &'a PageGraph,
}

impl On<'_> {
    pub(super) fn id(&self) -> ElementInstanceId {
        self.target.instance_id.clone()
    }
}

/// Reads arguments; what is missing or wrong was refused before, what is left out has its usual value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Args<'a>(pub(super) &'a JsonObject);

impl<'a> Args<'a> {
    pub(super) fn text(self, name: &str) -> Option<&'a str> {
        self.0.0.get(name).and_then(Value::as_str)
    }

    pub(super) fn number(self, name: &str) -> Option<f64> {
        self.0.0.get(name).and_then(Value::as_f64)
    }

    pub(super) fn flag(self, name: &str) -> Option<bool> {
        self.0.0.get(name).and_then(Value::as_bool)
    }

    /// Words; one that is none is not passed over.
    pub(super) fn list(self, name: &str) -> Result<Vec<&'a str>, Stop> {
        let list = self.0.0.get(name).and_then(Value::as_array);
        let word = |(at, each): (usize, &'a Value)| {
            each.as_str().ok_or_else(|| invalid(format!("`/args/{name}/{at}` must be a text")))
        };
        list.into_iter().flatten().enumerate().map(word).collect()
    }

    /// A place in the target.
    fn position(self) -> Result<Option<(f64, f64)>, Stop> {
        match (self.number("x"), self.number("y")) {
            (Some(x), Some(y)) => Ok(Some((x, y))),
            (None, None) => Ok(None),
            _ => Err(invalid("`/args/x` and `/args/y` belong together")),
        }
    }

    pub(super) fn get(self, name: &str) -> Option<&'a Value> {
        self.0.0.get(name)
    }
}

pub(super) fn invalid(message: impl Into<String>) -> Stop {
    Stop::before(RuntimeErrorCode::InvalidArgs, message)
}

pub(super) fn unsuitable(message: impl Into<String>) -> Stop {
    Stop::before(RuntimeErrorCode::TargetNotInteractable, message)
}

/// Does it.
pub(super) async fn perform<S: Surface>(
    hands: &mut Hands<'_, S>,
    action: Action,
    on: On<'_>,
    args: Args<'_>,
) -> Result<Performed, Stop> {
    match action {
        Action::UiRead => Ok(read(on)),
        Action::UiHighlight => {
            hands.present(&Command::Highlight(on.id())).await;
            Ok(Performed::of(Check::Nothing))
        }
        Action::UiFocus => {
            hands.send(&Command::Focus(on.id())).await?;
            Ok(Performed::of(Check::Focus))
        }
        Action::UiHover => hover(hands, on).await,
        Action::UiActivate => activate(hands, on, args).await,
        Action::UiEnterText => enter(hands, on, args).await,
        Action::UiClearText => {
            hands.send(&typed(on.id(), String::new(), true, false)).await?;
            Ok(Performed::of(Check::Text(String::new())))
        }
        Action::UiSetValue => super::adjust::set_value(hands, on, args).await,
        Action::UiChoose => super::choose::choose(hands, on, args).await,
        Action::UiToggle => toggle(hands, on, args).await,
        Action::UiExpand => fold(hands, on, true).await,
        Action::UiCollapse => fold(hands, on, false).await,
        Action::UiOpen => open(hands, on).await,
        Action::UiClose => close(hands, on).await,
        Action::UiScrollIntoView => {
            hands.send(&Command::ScrollIntoView(on.id())).await?;
            Ok(Performed::of(Check::InView))
        }
        Action::UiScroll => scroll(hands, Some(on), args).await,
        Action::UiSubmit => submit(hands, on).await,
        Action::UiUpload => upload(hands, on, args).await,
        Action::NavNavigate | Action::AppInvoke => {
            Err(Stop::before(RuntimeErrorCode::InternalRuntimeError, "this action has no element"))
        }
    }
}

pub(super) fn typed(target: ElementInstanceId, text: String, replace: bool, by_keys: bool) -> Command {
    Command::Type { target, text, replace, by_keys }
}

/// What can be known of an element. What is secret stays where it is.
fn read(on: On<'_>) -> Performed {
    let element = on.element;
    let mut state = serde_json::to_value(&element.state).unwrap_or_default();
    if element.state.sensitive == Some(true)
        && let Some(members) = state.as_object_mut()
    {
        members.remove("textValue");
        members.remove("numericValue");
    }
    let mut told = json!({ "role": element.role, "name": element.name, "state": state });
    let extras = [
        ("description", json!(element.description)),
        ("options", json!(element.options)),
        ("meaning", json!(element.meaning)),
        ("text", json!(words_inside(on))),
    ];
    if let Some(members) = told.as_object_mut() {
        for (name, value) in extras.into_iter().filter(|(_, value)| !value.is_null()) {
            members.insert(name.to_owned(), value);
        }
    }
    let value = told.as_object().cloned().map(JsonObject);
    Performed { value, ..Performed::of(Check::Nothing) }
}

/// The texts that lie in an element.
fn words_inside(on: On<'_>) -> Option<String> {
    let inside = on
        .graph
        .elements()
        .filter(|(.., each)| each.parent_instance_id.as_ref() == Some(&on.target.instance_id));
    let words: Vec<&str> = inside.filter_map(|(.., each)| each.name.as_deref()).take(200).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

async fn hover<S: Surface>(hands: &mut Hands<'_, S>, on: On<'_>) -> Result<Performed, Stop> {
    hands.send(&Command::Hover(on.id())).await?;
    // The page itself told that the pointer came over the target.
    let seen = UIState { hovered: Some(true), ..UIState::default() };
    let target = uiap_model::capability::TargetRef::Semantic {
        role: on.element.role.clone(),
        name: on.element.name.clone(),
        scope: on.target.scope_id.clone(),
    };
    let signal = uiap_model::capability::SuccessSignal::ElementState { target, state: seen };
    Ok(Performed::of(Check::Told(signal)))
}

async fn activate<S: Surface>(
    hands: &mut Hands<'_, S>,
    on: On<'_>,
    args: Args<'_>,
) -> Result<Performed, Stop> {
    let hold = args.number("holdMs").unwrap_or(0.0);
    if !(0.0..=10_000.0).contains(&hold) {
        return Err(invalid("`holdMs` must lie between 0 and 10000"));
    }
    let hold = Duration::from_secs_f64(hold / 1_000.0);
    if let Some(chord) = args.text("keys") {
        hands.send(&Command::Keys { target: Some(on.id()), chord: chord.to_owned() }).await?;
    } else if let Some(scale) = args.number("pinch") {
        if scale <= 0.0 {
            return Err(invalid("`pinch` must be more than 0"));
        }
        hands.send(&Command::Pinch { target: on.id(), scale }).await?;
    } else if let Some(to) = args.get("dragTo") {
        let target = hands.find_other(to)?;
        hands.send(&Command::Drag { source: on.id(), target }).await?;
    } else if args.text("pointer") == Some("touch") {
        hands.send(&Command::Tap { target: on.id(), hold }).await?;
    } else {
        let press = press(on.id(), args, hold)?;
        hands.send(&Command::Click(press)).await?;
    }
    Ok(Performed::of(Check::Change))
}

fn press(target: ElementInstanceId, args: Args<'_>, hold: Duration) -> Result<Press, Stop> {
    let button = match args.text("button") {
        None | Some("left") => 0,
        Some("middle") => 1,
        Some("right") => 2,
        Some(other) => {
            return Err(invalid(format!("`{other}` is no button, expected left, middle or right")));
        }
    };
    let count = args.number("count").unwrap_or(1.0);
    if ![1.0, 2.0, 3.0].contains(&count) {
        return Err(invalid("`count` must be 1, 2 or 3"));
    }
    let modifiers: Vec<String> = args.list("modifiers")?.into_iter().map(str::to_owned).collect();
    if let Some(other) =
        modifiers.iter().find(|each| !["Alt", "Control", "Meta", "Shift"].contains(&each.as_str()))
    {
        return Err(invalid(format!("`{other}` is no modifier, expected Alt, Control, Meta or Shift")));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is 1, 2 or 3")]
    let count = count as u32;
    Ok(Press { target, button, count, modifiers, position: args.position()?, hold })
}

async fn enter<S: Surface>(hands: &mut Hands<'_, S>, on: On<'_>, args: Args<'_>) -> Result<Performed, Stop> {
    let text = args.text("text").ok_or_else(|| invalid("argument `text` is missing"))?;
    let append = args.flag("append").unwrap_or(false);
    let before = on.element.state.text_value.as_deref().unwrap_or_default();
    let expected = if append { format!("{before}{text}") } else { text.to_owned() };
    hands.send(&typed(on.id(), text.to_owned(), !append, args.flag("byKeys").unwrap_or(false))).await?;
    Ok(Performed::of(Check::Text(expected)))
}

pub(super) async fn toggle<S: Surface>(
    hands: &mut Hands<'_, S>,
    on: On<'_>,
    args: Args<'_>,
) -> Result<Performed, Stop> {
    let UIState { checked, pressed, selected, .. } = (*on.element.state).clone();
    if checked.is_none() && pressed.is_none() && selected.is_none() {
        return Err(unsuitable("the target has no state that could be switched"));
    }
    let Some(wanted) = args.flag("checked") else {
        hands.send(&Command::Click(Press::on(on.id()))).await?;
        return Ok(Performed::of(Check::Other { checked, pressed, selected }));
    };
    let goal = match (checked, pressed) {
        (Some(_), _) => {
            let checked = if wanted { Checked::On } else { Checked::Off };
            UIState { checked: Some(checked), ..UIState::default() }
        }
        (None, Some(_)) => UIState { pressed: Some(wanted), ..UIState::default() },
        (None, None) => UIState { selected: Some(wanted), ..UIState::default() },
    };
    let before = &on.element.state;
    if !before.satisfies(&goal) {
        hands.send(&Command::Click(Press::on(on.id()))).await?;
        // A control with three states may need two steps. The second one is made only from a state that the first one led to: a
        // control that reacts late must not be switched back.
        let now = moved(hands, on, before.checked).await?;
        if now.is_some_and(|now| now.checked != before.checked && !now.satisfies(&goal)) {
            hands.send(&Command::Click(Press::on(on.id()))).await?;
        }
    }
    Ok(Performed::of(Check::State(Box::new(goal))))
}

/// The state after a click; one that was mixed is waited for, because only its next state tells whether one more step is needed.
async fn moved<S: Surface>(
    hands: &mut Hands<'_, S>,
    on: On<'_>,
    before: Option<Checked>,
) -> Result<Option<UIState>, Stop> {
    const PATIENCE: Duration = Duration::from_secs(1);
    let end = tokio::time::Instant::now() + PATIENCE;
    loop {
        let now = hands.state_of(&on.id()).await?;
        let is_late = before == Some(Checked::Mixed) && now.as_ref().is_some_and(|now| now.checked == before);
        if !is_late || !hands.changed_before(end).await? {
            return Ok(now);
        }
    }
}

async fn fold<S: Surface>(hands: &mut Hands<'_, S>, on: On<'_>, open: bool) -> Result<Performed, Stop> {
    let state = &on.element.state;
    let known = state.expanded.or(state.open);
    let Some(is_open) = known else {
        return Err(unsuitable("the target can be neither opened nor closed"));
    };
    let goal = if state.expanded.is_some() {
        UIState { expanded: Some(open), ..UIState::default() }
    } else {
        UIState { open: Some(open), ..UIState::default() }
    };
    if is_open != open {
        hands.send(&Command::Click(Press::on(on.id()))).await?;
    }
    Ok(Performed::of(Check::State(Box::new(goal))))
}

async fn open<S: Surface>(hands: &mut Hands<'_, S>, on: On<'_>) -> Result<Performed, Stop> {
    let state = &on.element.state;
    if state.expanded == Some(true) || state.open == Some(true) {
        return Ok(Performed::of(Check::Opened));
    }
    hands.send(&Command::Click(Press::on(on.id()))).await?;
    Ok(Performed::of(Check::Opened))
}

async fn close<S: Surface>(hands: &mut Hands<'_, S>, on: On<'_>) -> Result<Performed, Stop> {
    let state = &on.element.state;
    if state.expanded == Some(true) && state.open.is_none() {
        return fold(hands, on, false).await;
    }
    let Some(scope) = surface_of(on) else {
        return Err(unsuitable("the target lies in nothing that could be closed"));
    };
    match closer(on, &scope) {
        Some(button) => {
            hands.send(&Command::Click(Press::on(button))).await?;
        }
        None => {
            hands.send(&Command::Keys { target: None, chord: "Escape".to_owned() }).await?;
        }
    }
    Ok(Performed::of(Check::Closed(scope)))
}

/// The temporary surface that the target is or lies in.
fn surface_of(on: On<'_>) -> Option<ScopeId> {
    let temporary = |kind: &ScopeKind| {
        matches!(kind, ScopeKind::Dialog | ScopeKind::Drawer | ScopeKind::Menu | ScopeKind::Popover)
    };
    let mut at = on.target.scope_id.clone();
    for _ in 0..32 {
        let scope = on.graph.scope(at.as_ref()?)?;
        if temporary(&scope.kind) {
            return Some(scope.id.clone());
        }
        at = scope.parent_scope_id.clone();
    }
    None
}

/// The button that closes a surface: the target itself if it does, else one that says so.
fn closer(on: On<'_>, scope: &ScopeId) -> Option<ElementInstanceId> {
    use uiap_model::capability::UIAffordance;
    const WORDS: [&str; 8] = ["close", "cancel", "dismiss", "schließen", "abbrechen", "×", "✕", "x"];
    let closes = |element: &ElementNode| {
        let named =
            element.name.as_deref().is_some_and(|name| WORDS.contains(&name.trim().to_lowercase().as_str()));
        let offers = element
            .affordances
            .iter()
            .any(|each| matches!(each, UIAffordance::Close | UIAffordance::Dismiss));
        element.role == UIRole::Button && (named || offers) && element.state.enabled != Some(false)
    };
    if closes(on.element) {
        return Some(on.id());
    }
    let scope = on.graph.scope(scope)?;
    scope.elements.iter().find(|element| closes(element)).map(|element| element.instance_id.clone())
}

pub(super) async fn scroll<S: Surface>(
    hands: &mut Hands<'_, S>,
    on: Option<On<'_>>,
    args: Args<'_>,
) -> Result<Performed, Stop> {
    let height = hands.graph().viewport.as_ref().map_or(600.0, |viewport| viewport.height.0);
    let x = args.number("x").unwrap_or(0.0);
    let y =
        args.number("y").or_else(|| args.number("pages").map(|pages| pages * height * 0.9)).unwrap_or(0.0);
    if x == 0.0 && y == 0.0 {
        return Err(invalid("one of `x`, `y` and `pages` must be there and not 0"));
    }
    let Done { scrolled, .. } = hands.send(&Command::Scroll { target: on.map(|on| on.id()), x, y }).await?;
    let (dx, dy) = scrolled.unwrap_or_default();
    let value = json!({ "x": dx, "y": dy });
    let check = if dx == 0.0 && dy == 0.0 {
        Check::Unmoved(
            "nothing moved: the end of the range is reached, or there is nothing to scroll".to_owned(),
        )
    } else {
        Check::Told(crate::verify::custom_signal("uiap.scrolled", &value))
    };
    Ok(Performed { value: value.as_object().cloned().map(JsonObject), ..Performed::of(check) })
}

async fn submit<S: Surface>(hands: &mut Hands<'_, S>, on: On<'_>) -> Result<Performed, Stop> {
    let form = form_of(on).ok_or_else(|| unsuitable("the target is no form and lies in none"))?;
    let scope = on.graph.scope(&form);
    let button = scope.and_then(|scope| scope.submit_target.clone());
    match button {
        Some(button) => hands.send(&Command::Click(Press::on(button))).await?,
        None => hands.send(&Command::Submit(on.id())).await?,
    };
    Ok(Performed::of(Check::Submitted))
}

fn form_of(on: On<'_>) -> Option<ScopeId> {
    let mut at = on.target.scope_id.clone();
    for _ in 0..32 {
        let scope = on.graph.scope(at.as_ref()?)?;
        if scope.kind == ScopeKind::Form || scope.submit_target.is_some() {
            return Some(scope.id.clone());
        }
        at = scope.parent_scope_id.clone();
    }
    None
}

async fn upload<S: Surface>(hands: &mut Hands<'_, S>, on: On<'_>, args: Args<'_>) -> Result<Performed, Stop> {
    let files = hands.uploads(&args.list("files")?)?;
    let names: Vec<String> = files
        .iter()
        .filter_map(|file| file.file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    let opens = matches!(on.element.role, UIRole::Button | UIRole::Link | UIRole::Label | UIRole::Custom);
    if on.element.role != UIRole::Fileinput && !opens {
        return Err(unsuitable("the target takes no files"));
    }
    let done = hands.send(&Command::Upload { target: on.id(), files }).await?;
    // An app may take files away at once, to send them or because it does not want them: then something must be seen of that.
    if done.files.as_deref() != Some(&names) {
        return Ok(Performed::of(Check::Change));
    }
    let signal = crate::verify::custom_signal("uiap.filesChosen", &json!({ "files": names }));
    Ok(Performed::of(Check::Told(signal)))
}
