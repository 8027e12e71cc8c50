//! Showing what happens in a window: the target, the place of the pointer, and a line for each step. It is drawn over the page by
//! the browser itself, so that neither the page nor an observer of it sees any of it.

use tokio::sync::mpsc;
use uiap_cdp::protocol::{dom, overlay};
use uiap_cdp::{CallError, Session};
use uiap_runtime::action::{Cue, Moment, Presenter};

use crate::page::Page;

/// Cues that may wait to be shown.
const WAITING: usize = 64;
/// How large the pointer is drawn.
const POINTER: f64 = 14.0;

/// Begins to show what a runtime tells; `say` gets the lines. It ends with the runtime.
pub async fn present(page: &Page, say: impl Fn(&str) + Send + 'static) -> Result<Presenter, CallError> {
    let session = page.session().clone();
    session.call(dom::Enable {}).await?;
    session.call(overlay::Enable {}).await?;
    let (cues, mut told) = mpsc::channel::<Cue>(WAITING);
    tokio::spawn(async move {
        while let Some(cue) = told.recv().await {
            if let Some(line) = line(&cue) {
                say(&line);
            }
            if let Err(error) = draw(&session, &cue).await {
                tracing::debug!(%error, "nothing was drawn");
            }
            // Whoever waits for it goes on; nobody may wait at all.
            drop(cue.shown);
        }
    });
    Ok(cues)
}

fn line(cue: &Cue) -> Option<String> {
    let target = cue.target.as_ref();
    match &cue.moment {
        Moment::Aim => {
            let narration = cue.hints.as_ref().and_then(|hints| hints.narration.as_deref());
            let name = target.and_then(|target| target.name.as_deref()).unwrap_or_default();
            let role = target.map_or_else(String::new, |target| format!(" {} “{name}”", target.role));
            Some(narration.map_or_else(|| format!("{}{role}", cue.action_id), str::to_owned))
        }
        Moment::Notice(text) => Some(text.clone()),
        Moment::End(status) => Some(format!("{}: {status}", cue.action_id)),
        Moment::Point(..) => None,
    }
}

async fn draw(session: &Session, cue: &Cue) -> Result<(), CallError> {
    match &cue.moment {
        Moment::Aim => {
            let Some(area) = cue.target.as_ref().and_then(|target| target.bbox.as_ref()) else {
                return Ok(());
            };
            session.call(highlight([area.x.0, area.y.0, area.width.0, area.height.0], 0.15)).await?;
        }
        Moment::Point(x, y) => {
            let (left, top) = (x - POINTER / 2.0, y - POINTER / 2.0);
            let area = [left, top, POINTER, POINTER];
            session.call(highlight(area, 0.8)).await?;
        }
        Moment::End(_) => {
            session.call(overlay::HideHighlight {}).await?;
        }
        Moment::Notice(_) => {}
    }
    Ok(())
}

#[expect(clippy::cast_possible_truncation, reason = "places on a screen")]
fn highlight([x, y, width, height]: [f64; 4], opaque: f64) -> overlay::HighlightRect {
    let orange = |a: f64| Some(overlay::Rgba { r: 232, g: 89, b: 12, a });
    let whole = |part: f64| part.round() as i64;
    overlay::HighlightRect {
        x: whole(x),
        y: whole(y),
        width: whole(width),
        height: whole(height),
        color: orange(opaque),
        outline_color: orange(1.0),
    }
}
