//! Setting a value: by the control's own setter where it has one, by its keys where it has not, by a place on it where it has
//! neither; always read back, never in an endless loop.

use serde_json::{Value, json};
use uiap_model::action::result::RuntimeErrorCode;
use uiap_model::capability::{Orientation, UIRole, UIState};
use uiap_model::json::JsonObject;

use super::ending::Stop;
use super::hands::Hands;
use super::perform::{Args, On, Performed, invalid, toggle, typed, unsuitable};
use crate::surface::{Command, Press, Surface};
use crate::verify::Check;

/// Key presses that one adjustment may need.
const MOST_KEYS: usize = 400;
/// Presses that one adjustment may need.
const MOST_PRESSES: usize = 6;
/// Looks that one adjustment may need.
const MOST_TURNS: usize = 24;

/// How an adjustment ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Adjusted {
    Verified,
    WithinTolerance,
    NotConverged,
}

/// Sets a value of whatever kind the target takes.
pub(super) async fn set_value<S: Surface>(
    hands: &mut Hands<'_, S>,
    on: On<'_>,
    args: Args<'_>,
) -> Result<Performed, Stop> {
    let value = args.get("value").ok_or_else(|| invalid("argument `value` is missing"))?;
    let tolerance = args.number("tolerance").unwrap_or(0.0);
    if tolerance < 0.0 {
        return Err(invalid("`tolerance` must not be negative"));
    }
    match (&on.element.role, value) {
        (UIRole::Checkbox | UIRole::Switch | UIRole::Radio, Value::Bool(_)) => {
            let wanted = json!({ "checked": value });
            let wanted = JsonObject(wanted.as_object().cloned().unwrap_or_default());
            toggle(hands, on, Args(&wanted)).await
        }
        (UIRole::Combobox | UIRole::Listbox, Value::String(_)) => {
            super::choose::choose(hands, on, args).await
        }
        (UIRole::Slider | UIRole::Spinbutton, _) => {
            let wanted = number(value).ok_or_else(|| invalid("`value` must be a number for this control"))?;
            adjust(hands, on, wanted, tolerance).await
        }
        (UIRole::Datepicker | UIRole::Timepicker, Value::String(text)) => {
            hands.send(&Command::SetValue { target: on.id(), value: text.clone() }).await?;
            Ok(Performed::of(Check::Text(text.clone())))
        }
        (_, Value::String(_) | Value::Number(_)) if is_editable(&on.element.state, &on.element.role) => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            hands.send(&typed(on.id(), text.clone(), true, false)).await?;
            Ok(Performed::of(Check::Text(text)))
        }
        _ => Err(unsuitable("the target takes no value of this kind")
            .with(&json!({ "outcome": "not_adjustable" }))),
    }
}

fn is_editable(state: &UIState, role: &UIRole) -> bool {
    state.editable.unwrap_or(matches!(role, UIRole::Textbox | UIRole::Textarea | UIRole::Searchbox))
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()).filter(|number: &f64| number.is_finite())
}

async fn adjust<S: Surface>(
    hands: &mut Hands<'_, S>,
    on: On<'_>,
    wanted: f64,
    tolerance: f64,
) -> Result<Performed, Stop> {
    let state = &on.element.state;
    let (min, max) = (state.min.map(|min| min.0), state.max.map(|max| max.0));
    if min.is_some_and(|min| wanted < min) || max.is_some_and(|max| wanted > max) {
        let message = format!("`{wanted}` lies outside of what the control takes");
        return Err(invalid(message).with(&json!({ "outcome": "out_of_range", "min": min, "max": max })));
    }
    let before = hands.number_of(&on.id()).await?.or(state.numeric_value.map(|number| number.0));
    let mut path = Vec::new();
    let mut mode = "semantic";
    let set = Command::SetValue { target: on.id(), value: plain(wanted) };
    let by_setter = match hands.try_send(&set).await? {
        Some(_) => hands.number_of(&on.id()).await?,
        None => None,
    };
    path.extend(by_setter);
    let near = |found: f64| (found - wanted).abs() <= tolerance + 1e-9;
    // A control that took the value and snapped it to its step comes no nearer by keys; one that fell short by more does.
    let is_snapped = |found: f64| {
        let moved = before.is_none_or(|before| (found - before).abs() > 1e-9);
        moved && state.step.is_none_or(|step| (found - wanted).abs() < step.0.abs() - 1e-9)
    };
    let mut last = by_setter;
    if !last.is_some_and(|found| near(found) || is_snapped(found)) {
        mode = "keys";
        last = by_keys(hands, on, wanted, tolerance, &mut path).await?;
        // Neither its setter nor its keys bring it there: what is left is the place on it that stands for the value.
        if last.is_some_and(|found| !near(found))
            && let Some(track) = Track::of(on)
        {
            mode = "coordinates";
            last = by_place(hands, on, &track, wanted, tolerance, &mut path).await?;
        }
    }
    let outcome = match last {
        Some(found) if (found - wanted).abs() < 1e-9 => Adjusted::Verified,
        Some(found) if near(found) => Adjusted::WithinTolerance,
        _ => Adjusted::NotConverged,
    };
    let told = match outcome {
        Adjusted::Verified => "verified",
        Adjusted::WithinTolerance => "within_tolerance",
        Adjusted::NotConverged => "not_converged",
    };
    let value = json!({
        "outcome": told, "before": before, "value": last, "wanted": wanted, "tolerance": tolerance,
        "mode": mode, "attempts": path.len(), "path": path, "step": state.step.map(|step| step.0),
    });
    let check = if outcome == Adjusted::NotConverged {
        let nearest = last.map_or_else(|| "unknown".to_owned(), plain);
        Check::Unmoved(format!(
            "the control does not take `{}`; the nearest that was reached is {nearest}",
            plain(wanted)
        ))
    } else {
        Check::Value { wanted, tolerance }
    };
    Ok(Performed { value: value.as_object().cloned().map(JsonObject), ..Performed::of(check) })
}

/// Arrow keys, as many at once as the distance needs by what one of them does. Which key is more, and how much, is found out by
/// what the first one did; whoever goes too far takes half as many back, until a single step goes too far.
async fn by_keys<S: Surface>(
    hands: &mut Hands<'_, S>,
    on: On<'_>,
    wanted: f64,
    tolerance: f64,
    path: &mut Vec<f64>,
) -> Result<Option<f64>, Stop> {
    let Some(at) = hands.number_of(&on.id()).await? else {
        return Err(Stop::before(RuntimeErrorCode::TargetNotInteractable, "the control tells no value")
            .with(&json!({ "outcome": "not_adjustable" })));
    };
    let mut search = Search::from(at, on.element.state.step.map_or(1.0, |step| step.0));
    let mut keys = 0;
    for _ in 0..MOST_TURNS {
        let Some((more, presses)) = search.next(wanted, tolerance) else { break };
        if keys + presses > MOST_KEYS {
            break;
        }
        let chord = if more { "ArrowUp" } else { "ArrowDown" };
        for _ in 0..presses {
            hands.send(&Command::Keys { target: Some(on.id()), chord: chord.to_owned() }).await?;
        }
        keys += presses;
        let Some(now) = hands.number_of(&on.id()).await? else { break };
        path.push(now);
        search.came_to(now, wanted, presses);
    }
    Ok(Some(search.at))
}

/// Where a control stands and what its keys do.
#[derive(Debug)]
struct Search {
    at: f64,
    step: f64,
    /// Whether the key for more makes it less.
    inverted: bool,
    most: usize,
    known: bool,
    over: bool,
}

impl Search {
    fn from(at: f64, step: f64) -> Self {
        Self { at, step: step.abs().max(1e-9), inverted: false, most: 50, known: false, over: false }
    }

    /// Which key, and how often; none when it is near enough or comes no nearer.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is small and not negative"
    )]
    fn next(&self, wanted: f64, tolerance: f64) -> Option<(bool, usize)> {
        let distance = wanted - self.at;
        if self.over || distance.abs() <= tolerance + 1e-9 {
            return None;
        }
        let presses = ((distance.abs() / self.step).round() as usize).clamp(1, self.most);
        // The step that a control declares is not always the one that it takes: one key tells.
        Some(((distance > 0.0) != self.inverted, if self.known { presses } else { 1 }))
    }

    fn came_to(&mut self, now: f64, wanted: f64, presses: usize) {
        let (moved, distance, left) = (now - self.at, wanted - self.at, wanted - now);
        self.at = now;
        if moved.abs() < 1e-9 {
            self.over = true;
            return;
        }
        if moved * distance < 0.0 {
            // The first key went the wrong way: the other one is meant. Later that is no control to be trusted.
            self.over = self.known;
            self.inverted = !self.inverted;
        }
        #[expect(clippy::cast_precision_loss, reason = "at most 50")]
        let learned = (moved / presses as f64).abs();
        self.step = learned.max(1e-9);
        self.known = true;
        if moved * distance > 0.0 && left * distance < 0.0 {
            // Too far by a single step, and not for the first time: what is wanted lies between two steps.
            self.over |= self.most == 1 && left.abs() <= distance.abs();
            self.most = (presses / 2).max(1);
        }
    }
}

/// A bar on which a place stands for a value.
struct Track {
    min: f64,
    max: f64,
    width: f64,
    height: f64,
    is_vertical: bool,
}

impl Track {
    /// None where the control does not tell its limits or its box.
    fn of(on: On<'_>) -> Option<Self> {
        let state = &on.element.state;
        let (min, max, size) = (state.min?.0, state.max?.0, on.element.bbox.as_ref()?);
        let (width, height) = (size.width.0, size.height.0);
        let is_vertical = match state.orientation {
            Some(Orientation::Vertical) => true,
            Some(Orientation::Horizontal) => false,
            _ => height > width,
        };
        (max > min && width > 0.0 && height > 0.0).then_some(Self { min, max, width, height, is_vertical })
    }

    /// The place that stands for a value, up being more.
    fn place(&self, value: f64) -> (f64, f64) {
        let share = ((value - self.min) / (self.max - self.min)).clamp(0.0, 1.0);
        if self.is_vertical {
            (self.width / 2.0, self.height * (1.0 - share))
        } else {
            (self.width * share, self.height / 2.0)
        }
    }
}

/// Presses the place that stands for the value, and corrects it by how far it missed; each turn must come nearer.
async fn by_place<S: Surface>(
    hands: &mut Hands<'_, S>,
    on: On<'_>,
    track: &Track,
    wanted: f64,
    tolerance: f64,
    path: &mut Vec<f64>,
) -> Result<Option<f64>, Stop> {
    let (mut aim, mut nearest, mut last) = (wanted, f64::INFINITY, None);
    for _ in 0..MOST_PRESSES {
        let press = Press { position: Some(track.place(aim)), ..Press::on(on.id()) };
        hands.send(&Command::Click(press)).await?;
        let Some(now) = hands.number_of(&on.id()).await? else { break };
        path.push(now);
        last = Some(now);
        let missed = wanted - now;
        if missed.abs() <= tolerance + 1e-9 || missed.abs() >= nearest - 1e-9 {
            break;
        }
        nearest = missed.abs();
        aim += missed;
    }
    Ok(last)
}

/// A number as a control writes it.
fn plain(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 { format!("{number:.0}") } else { number.to_string() }
}
