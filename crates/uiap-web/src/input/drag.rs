//! Dragging: by the mouse alone, or with the browser's drag and drop where the page begins one.

use std::time::Duration;

use tokio::time::timeout;
use uiap_cdp::protocol::ProtocolEvent as _;
use uiap_cdp::protocol::input::{
    DispatchDragEvent, DispatchMouseEvent, DragData, DragEventType, DragIntercepted, MouseButton,
    MouseEventType, SetInterceptDrags,
};
use uiap_cdp::{SessionEvent, SessionEvents};
use uiap_model::names::ElementInstanceId;

use super::Input;
use super::aim::{self, Aiming, HitTest, Point};
use super::error::InputError;
use super::pointer::mouse;
use super::target::Target;

/// Moves on the way, so that whoever follows the pointer sees it come.
const STEPS: u32 = 8;
/// How long the browser may take to hand a drag over that the page has begun.
const HANDOVER: Duration = Duration::from_secs(2);

/// What came of a drag.
#[derive(Debug, Clone, PartialEq)]
pub struct Dragged {
    /// From where.
    pub from: Point,
    /// To where.
    pub to: Point,
    /// Whether the page used the browser's drag and drop.
    pub native: bool,
}

impl Input {
    /// Drags an element to another one.
    pub async fn drag(
        &self,
        source: &ElementInstanceId,
        target: &ElementInstanceId,
    ) -> Result<Dragged, InputError> {
        let goal = self.element(target).await?;
        // Looked at first: the source must be in view when the drag begins.
        self.clear(&goal, None).await?;
        aim::delivery(&goal, true).await?;
        let start = self.element(source).await?;
        let from = self.clear(&start, None).await?.point;
        self.session().call(SetInterceptDrags { enabled: true }).await?;
        let mut events = self.session().events_of(&[DragIntercepted::NAME]);
        let moved = async {
            self.session().call(mouse(MouseEventType::Moved, from)).await?;
            self.session().call(button(MouseEventType::Pressed, from)).await?;
            // Far enough that a press becomes a drag.
            for step in [4.0, 8.0] {
                self.session().call(held(Point { x: from.x + step, y: from.y })).await?;
            }
            let begun = aim::delivery(&start, false).await?;
            if let Some(other) = begun.as_ref().and_then(|begun| begun.wrong.clone()) {
                return Err(InputError::Intercepted(other));
            }
            let to = self.goal(&goal).await?;
            let native = begun.is_some_and(|begun| begun.dragging);
            if native {
                self.drop_natively(&mut events, to).await?;
            } else {
                self.glide(from, to).await?;
            }
            self.session().call(button(MouseEventType::Released, to)).await?;
            Ok(Dragged { from, to, native })
        };
        let dragged = moved.await;
        let calm = self.session().call(SetInterceptDrags { enabled: false }).await;
        aim::delivery(&start, true).await?;
        let dragged = dragged?;
        calm?;
        Ok(dragged)
    }

    /// Where the goal is, now that the drag may have changed the page. What is dragged may cover it.
    async fn goal(&self, goal: &Target) -> Result<Point, InputError> {
        let found = aim::aim(goal, Aiming { strict: false, ..self.aiming(None) }).await?;
        aim::delivery(goal, true).await?;
        match found {
            HitTest::Clear { point, .. } => Ok(point),
            HitTest::Covered { bounds: [left, top, width, height], .. } => {
                Ok(Point { x: left + width / 2.0, y: top + height / 2.0 })
            }
            other => Err(InputError::Unreachable(other)),
        }
    }

    async fn glide(&self, from: Point, to: Point) -> Result<(), InputError> {
        for step in 1..=STEPS {
            let part = f64::from(step) / f64::from(STEPS);
            let point = Point { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
            self.session().call(held(point)).await?;
        }
        Ok(())
    }

    async fn drop_natively(&self, events: &mut SessionEvents, to: Point) -> Result<(), InputError> {
        let data =
            timeout(HANDOVER, handed_over(events)).await.ok().flatten().ok_or(InputError::Undelivered)?;
        for kind in [DragEventType::Enter, DragEventType::Over, DragEventType::Drop] {
            let event = DispatchDragEvent { kind, x: to.x, y: to.y, data: data.clone(), modifiers: None };
            self.session().call(event).await?;
        }
        Ok(())
    }
}

async fn handed_over(events: &mut SessionEvents) -> Option<DragData> {
    while let Some(event) = events.next().await {
        if let SessionEvent::Event(event) = event
            && let Some(intercepted) = event.read::<DragIntercepted>()
        {
            return Some(intercepted.data);
        }
    }
    None
}

fn button(kind: MouseEventType, point: Point) -> DispatchMouseEvent {
    let down = kind == MouseEventType::Pressed;
    DispatchMouseEvent {
        button: Some(MouseButton::Left),
        buttons: Some(u32::from(down)),
        click_count: Some(1),
        ..mouse(kind, point)
    }
}

fn held(point: Point) -> DispatchMouseEvent {
    DispatchMouseEvent {
        button: Some(MouseButton::Left),
        buttons: Some(1),
        ..mouse(MouseEventType::Moved, point)
    }
}
