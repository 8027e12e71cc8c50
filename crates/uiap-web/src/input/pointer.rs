//! Mouse and touch: click, hover, hold, wheel, tap and pinch, each only where it really meets its target.

use std::time::Duration;

use serde_json::{Value, json};
use uiap_cdp::Session;
use uiap_cdp::protocol::input::{
    DispatchMouseEvent, DispatchTouchEvent, Modifiers, MouseButton, MouseEventType, TouchEventType,
    TouchPoint,
};
use uiap_model::names::ElementInstanceId;

use super::Input;
use super::aim::{self, Aiming, Delivery, HitTest, Point};
use super::error::InputError;
use super::target::Target;
use crate::error::PageError;
use crate::observe::Handled;
use crate::world::Kept;

/// How a click is made.
#[derive(Debug, Clone)]
pub struct Click {
    /// The button.
    pub button: MouseButton,
    /// How often, in quick succession.
    pub count: u32,
    /// Keys that are held: Alt 1, Control 2, Meta 4, Shift 8, added up.
    pub modifiers: Modifiers,
    /// A point of the element's box, from its top left corner; its middle where none is given.
    pub position: Option<(f64, f64)>,
    /// How long the button is held down.
    pub hold: Duration,
}

impl Default for Click {
    fn default() -> Self {
        Self { button: MouseButton::Left, count: 1, modifiers: 0, position: None, hold: Duration::ZERO }
    }
}

/// How often a pointer is moved over a frame that does not notice it.
const MOST_MOVES: u8 = 50;
/// With one of these a click is over.
const CLICKS: &[&str] = &["click", "auxclick", "contextmenu"];

impl Click {
    fn is_single(&self) -> bool {
        self.count <= 1 && self.hold.is_zero()
    }
}

/// What came of a gesture.
#[derive(Debug, Clone, PartialEq)]
pub struct Landed {
    /// Where it was made.
    pub point: Point,
    /// Whether that was on what stands for the target, such as its label.
    pub label: bool,
    /// The events that the page saw, in order. Empty when the document was left at once.
    pub events: Vec<String>,
    /// Whether the document was left before it could be asked.
    pub left: bool,
}

/// A point at which a target is hit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clear {
    pub(super) point: Point,
    label: bool,
    /// Left, top, width, height.
    bounds: [f64; 4],
}

impl Clear {
    fn of(found: HitTest) -> Result<Self, InputError> {
        match found {
            HitTest::Clear { point, label, bounds } => Ok(Self { point, label, bounds }),
            obstacle => Err(InputError::Unreachable(obstacle)),
        }
    }
}

/// Where the wheel left what it turned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scrolled {
    /// How far it went to the right.
    pub x: f64,
    /// How far it went down.
    pub y: f64,
}

/// Follows the scroll that comes next: resolves when it ends, or when two frames pass without one.
const FOLLOW: Kept = Kept { name: "follow", source: "function() {
    const view = this.ownerDocument.defaultView;
    const chain = [];
    for (let each = this; each; each = each.parentElement || (each.getRootNode() instanceof ShadowRoot ? each.getRootNode().host : null)) chain.push(each);
    const offset = () => chain.reduce(([x, y], each) => [x + each.scrollLeft, y + each.scrollTop], [0, 0]);
    const start = offset();
    const state = { done: null, moved: false };
    const changed = () => { const now = offset(); return now[0] !== start[0] || now[1] !== start[1]; };
    state.wait = () => new Promise((resolve) => {
        const tell = () => { view.removeEventListener('scrollend', end, true); const now = offset(); resolve(JSON.stringify([now[0] - start[0], now[1] - start[1]])); };
        const end = () => { if (changed()) tell(); };
        view.addEventListener('scrollend', end, true);
        let last = null, still = 0, frames = 0;
        const look = () => {
            const now = String(offset());
            still = now === last ? still + 1 : 0;
            last = now;
            if (still >= 3 || ++frames > 120) tell();
            else { let called = false; const once = () => { if (!called) { called = true; look(); } }; setTimeout(once, 50); view.requestAnimationFrame(once); }
        };
        look();
    });
    Object.defineProperty(view, Symbol.for('uiap.scroll'), { value: state, configurable: true });
    return 'following';
}" };
/// Whether the pointer came over the target, as soon as the page has noticed. A move is handled with the next frame.
const HOVERED: Kept = Kept { name: "hovered", source: "function(most) {
    return new Promise((resolve) => {
        let frames = 0;
        const look = () => {
            const guard = this.ownerDocument?.defaultView?.[Symbol.for('uiap.input')]?.guard;
            if (!guard || guard.over) resolve('over');
            else if (++frames > (most ?? 20)) resolve('elsewhere');
            else { let called = false; const once = () => { if (!called) { called = true; look(); } }; setTimeout(once, 50); requestAnimationFrame(once); }
        };
        look();
    });
}" };
const FOLLOWED: Kept = Kept {
    name: "followed",
    source: "function() { return this.ownerDocument.defaultView[Symbol.for('uiap.scroll')].wait(); }",
};

impl Input {
    /// Whether a pointer reaches the element now, after it was brought into view and came to rest. Sends nothing.
    pub async fn hit_test(&self, target: &ElementInstanceId) -> Result<HitTest, InputError> {
        let target = self.element(target).await?;
        let found = aim::aim(&target, self.aiming(None)).await?;
        aim::delivery(&target, true).await?;
        Ok(found)
    }

    /// Clicks on an element.
    pub async fn click(&self, target: &ElementInstanceId, click: &Click) -> Result<Landed, InputError> {
        let target = self.element(target).await?;
        let clear = self.clear(&target, click.position).await?;
        if target.host.is_some() {
            self.come_over(&target, clear.point).await?;
        }
        let press = press(self.session(), clear.point, click);
        let Some(early) = self.early.as_ref().filter(|_| click.is_single() && target.host.is_none()) else {
            return self.landed(&target, clear, press.await, true).await;
        };
        match early.beside(CLICKS, press).await {
            (sent, Ok(Handled::Seen(seen))) if !seen.is_empty() => {
                sent?;
                let seen = serde_json::from_str(&seen).map_err(PageError::from)?;
                told(clear, Some(seen), true)
            }
            (sent, Ok(Handled::Left)) => sent.and_then(|()| told(clear, None, true)),
            (sent, _) => self.landed(&target, clear, sent, true).await,
        }
    }

    /// Puts the pointer over an element.
    pub async fn hover(&self, target: &ElementInstanceId) -> Result<Landed, InputError> {
        let target = self.element(target).await?;
        let how = Aiming { hover: true, ..self.aiming(None) };
        let clear = Clear::of(aim::aim(&target, how).await?)?;
        let sent = async {
            // A pointer that is there already would not be seen to come.
            let beside = Point { x: clear.point.x + 1.0, y: clear.point.y };
            tokio::try_join!(
                self.session().call(mouse(MouseEventType::Moved, beside)),
                self.session().call(mouse(MouseEventType::Moved, clear.point))
            )?;
            let over = target.ask(&HOVERED, Value::Null).await?;
            if over == "over" { Ok(()) } else { Err(InputError::Undelivered) }
        };
        let sent = sent.await;
        self.landed(&target, clear, sent, false).await
    }

    /// Moves the pointer until a frame in a process of its own notices it: the browser learns a while after such a frame was drawn
    /// where it lies, and what is pressed before reaches nobody.
    async fn come_over(&self, target: &Target, point: Point) -> Result<(), InputError> {
        for at in 0..MOST_MOVES {
            let beside = Point { x: point.x + f64::from(at % 2), y: point.y };
            self.session().call(mouse(MouseEventType::Moved, beside)).await?;
            if target.ask(&HOVERED, json!(2)).await? == "over" {
                return Ok(());
            }
        }
        Err(InputError::Undelivered)
    }

    /// Moves the pointer, whatever is there.
    pub async fn move_to(&self, point: Point) -> Result<(), InputError> {
        self.session().call(mouse(MouseEventType::Moved, point)).await?;
        Ok(())
    }

    /// Turns the wheel over an element and waits until what it moves has come to rest.
    pub async fn wheel(&self, target: &ElementInstanceId, x: f64, y: f64) -> Result<Scrolled, InputError> {
        if !(x.is_finite() && y.is_finite()) {
            return Err(InputError::OutOfRange("distance"));
        }
        let target = self.element(target).await?;
        let clear = self.clear(&target, None).await?;
        target.ask(&FOLLOW, Value::Null).await?;
        let turn = DispatchMouseEvent {
            delta_x: Some(x),
            delta_y: Some(y),
            ..mouse(MouseEventType::Wheel, clear.point)
        };
        self.session().call(turn).await?;
        let text = target.ask(&FOLLOWED, Value::Null).await?;
        let (x, y) = serde_json::from_str(&text).map_err(PageError::from)?;
        aim::delivery(&target, true).await?;
        Ok(Scrolled { x, y })
    }

    /// Touches an element, for as long as asked.
    pub async fn tap(&self, target: &ElementInstanceId, hold: Duration) -> Result<Landed, InputError> {
        let target = self.element(target).await?;
        let clear = self.clear(&target, None).await?;
        let sent = async {
            let down = touch(TouchEventType::Start, &[clear.point]);
            let up = touch(TouchEventType::End, &[]);
            if hold.is_zero() {
                tokio::try_join!(self.session().call(down), self.session().call(up))?;
            } else {
                self.session().call(down).await?;
                // tidy: the caller asked for this long a touch
                tokio::time::sleep(hold).await;
                self.session().call(up).await?;
            }
            Ok(())
        };
        let sent = sent.await;
        self.landed(&target, clear, sent, true).await
    }

    /// Moves two fingers on an element apart (`scale` above 1) or together.
    pub async fn pinch(&self, target: &ElementInstanceId, scale: f64) -> Result<Landed, InputError> {
        if !(scale.is_finite() && scale > 0.0 && scale <= 100.0) {
            return Err(InputError::OutOfRange("scale"));
        }
        let target = self.element(target).await?;
        let clear = self.clear(&target, None).await?;
        let [.., width, height] = clear.bounds;
        let path = pinch_path(clear.point, width.min(height) / 2.0, scale);
        let sent = async {
            for (at, fingers) in path.iter().enumerate() {
                let kind = if at == 0 { TouchEventType::Start } else { TouchEventType::Move };
                self.session().call(touch(kind, fingers)).await?;
            }
            self.session().call(touch(TouchEventType::End, &[])).await?;
            Ok(())
        };
        let sent = sent.await;
        self.landed(&target, clear, sent, true).await
    }

    pub(super) fn aiming(&self, position: Option<(f64, f64)>) -> Aiming {
        Aiming { position, patience: self.patience(), strict: true, hover: false }
    }

    /// A point where the target is hit; otherwise what is in the way.
    pub(super) async fn clear(
        &self,
        target: &Target,
        position: Option<(f64, f64)>,
    ) -> Result<Clear, InputError> {
        Clear::of(aim::aim(target, self.aiming(position)).await.map_err(InputError::unaimed)?)
    }

    /// Takes the guard away and says what the page saw. A failure to send is told after that.
    pub(super) async fn landed(
        &self,
        target: &Target,
        clear: Clear,
        sent: Result<(), InputError>,
        wanted: bool,
    ) -> Result<Landed, InputError> {
        let seen = aim::delivery(target, true).await;
        sent?;
        told(clear, seen?, wanted)
    }
}

/// What came of a gesture by what its guard saw; none when the document is gone.
fn told(clear: Clear, seen: Option<Delivery>, wanted: bool) -> Result<Landed, InputError> {
    let Clear { point, label, .. } = clear;
    let Some(seen) = seen else { return Ok(Landed { point, label, events: Vec::new(), left: true }) };
    match seen.wrong {
        Some(other) => Err(InputError::Intercepted(other)),
        None if wanted && seen.delivered.is_empty() => Err(InputError::Undelivered),
        None => Ok(Landed { point, label, events: seen.delivered, left: false }),
    }
}

pub(super) fn mouse(kind: MouseEventType, point: Point) -> DispatchMouseEvent {
    DispatchMouseEvent { kind, x: point.x, y: point.y, ..DispatchMouseEvent::default() }
}

fn touch(kind: TouchEventType, fingers: &[Point]) -> DispatchTouchEvent {
    let finger = |(at, point): (usize, &Point)| {
        #[expect(clippy::cast_precision_loss, reason = "there are two fingers")]
        TouchPoint { x: point.x, y: point.y, id: Some(at as f64), ..TouchPoint::default() }
    };
    DispatchTouchEvent {
        kind,
        touch_points: fingers.iter().enumerate().map(finger).collect(),
        modifiers: None,
    }
}

fn buttons(button: &MouseButton) -> u32 {
    match button {
        MouseButton::Left => 1,
        MouseButton::Right => 2,
        MouseButton::Middle => 4,
        MouseButton::Back => 8,
        MouseButton::Forward => 16,
        _ => 0,
    }
}

/// Moves there and clicks. All events of a click leave at once: a move alone would wait for the next frame, a press does not.
async fn press(session: &Session, point: Point, click: &Click) -> Result<(), InputError> {
    let event = |kind: MouseEventType, count: u32| {
        let down = kind == MouseEventType::Pressed;
        DispatchMouseEvent {
            button: Some(click.button.clone()),
            buttons: Some(if down { buttons(&click.button) } else { 0 }),
            click_count: Some(count),
            modifiers: Some(click.modifiers),
            ..mouse(kind, point)
        }
    };
    let moved =
        DispatchMouseEvent { modifiers: Some(click.modifiers), ..mouse(MouseEventType::Moved, point) };
    if !click.hold.is_zero() {
        tokio::try_join!(session.call(moved), session.call(event(MouseEventType::Pressed, 1)))?;
        // tidy: the caller asked for this long a press
        tokio::time::sleep(click.hold).await;
        session.call(event(MouseEventType::Released, 1)).await?;
        return Ok(());
    }
    let mut events = vec![moved];
    for count in 1..=click.count.clamp(1, 3) {
        events.push(event(MouseEventType::Pressed, count));
        events.push(event(MouseEventType::Released, count));
    }
    futures_util::future::try_join_all(events.into_iter().map(|event| session.call(event))).await?;
    Ok(())
}

/// The way of two fingers around a point, within a radius: from there to `scale` times as far, or as far as fits.
fn pinch_path(center: Point, radius: f64, scale: f64) -> Vec<[Point; 2]> {
    const STEPS: u32 = 10;
    let reach = (radius * 0.9).max(2.0);
    let (from, to) = if scale >= 1.0 { (reach / scale, reach) } else { (reach, reach * scale) };
    let at = |distance: f64| {
        [Point { x: center.x - distance, y: center.y }, Point { x: center.x + distance, y: center.y }]
    };
    (0..=STEPS).map(|step| at(from + (to - from) * f64::from(step) / f64::from(STEPS))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingers_stay_in_reach_and_end_at_the_scale() {
        let center = Point { x: 50.0, y: 40.0 };
        for scale in [0.25, 0.5, 1.0, 2.0, 8.0] {
            let path = pinch_path(center, 40.0, scale);
            let distance = |fingers: &[Point; 2]| fingers[1].x - fingers[0].x;
            let (first, last) = (distance(path.first().unwrap()), distance(path.last().unwrap()));
            assert!((last / first - scale).abs() < 1e-9, "{scale}");
            assert!(path.iter().flatten().all(|point| (10.0..=90.0).contains(&point.x)));
        }
    }
}
