//! Pictures of a page: what is seen of it, all of it, or one element. What is secret is covered before a picture leaves.

mod paint;

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use futures_util::future::BoxFuture;
use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::Mutex;
use uiap_cdp::protocol::emulation::SetFocusEmulationEnabled;
use uiap_cdp::protocol::page::{
    BringToFront, CaptureScreenshot, GetLayoutMetrics, LayoutMetrics, ScreenshotFormat, Viewport,
};
use uiap_cdp::protocol::runtime::{CallArgument, CallFunctionOn, ReleaseObject};
use uiap_cdp::{CallError, CallErrorKind};
use uiap_model::names::ElementInstanceId;
use uiap_model::web::PageGraph;
use uiap_model::web::graph::BoundaryAccess;
use uiap_model::web::message::SnapshotOptions;

use self::paint::{Area, Picture};
use crate::error::PageError;
use crate::page::Page;

/// Elements that are looked through for secrets.
const MAX_ELEMENTS: u64 = 100_000;
/// How long the browser may take to draw what the window does not show.
const DRAWING: Duration = Duration::from_secs(6);
/// The longest side of a picture, in pixels.
const MAX_SIDE: f64 = 16_384.0;

/// What is pictured.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Subject {
    /// What the window shows.
    #[default]
    Window,
    /// The page from top to bottom.
    FullPage,
    /// One element.
    Element(ElementInstanceId),
}

/// The form of a picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    /// Exact.
    #[default]
    Png,
    /// Small, of this quality (0 to 100). A picture that something is painted on is a PNG all the same.
    Jpeg(u32),
    /// Smaller still, and slower to make; of this quality.
    Webp(u32),
}

/// A label for an element in the picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The element.
    pub element: ElementInstanceId,
    /// What is written at its box: letters and digits.
    pub label: String,
}

/// How a picture is taken.
#[derive(Debug, Clone)]
pub struct Shot {
    /// What is pictured.
    pub subject: Subject,
    /// Its form.
    pub format: Format,
    /// How large; 1 is a pixel of the screen for each of the page.
    pub scale: f64,
    /// The most pixels that it may have; a larger one is made smaller.
    pub max_pixels: f64,
    /// Elements with a frame and a label.
    pub marks: Vec<Mark>,
    /// Whether secret fields are covered.
    pub cover_secrets: bool,
    /// Elements that are covered besides.
    pub cover: Vec<ElementInstanceId>,
    /// Whether frames that cannot be looked into are covered: nobody knows what they show.
    pub cover_opaque: bool,
}

impl Default for Shot {
    fn default() -> Self {
        Self {
            subject: Subject::Window,
            format: Format::Png,
            scale: 1.0,
            max_pixels: 16.0e6,
            marks: Vec::new(),
            cover_secrets: true,
            cover: Vec::new(),
            cover_opaque: true,
        }
    }
}

/// A picture.
#[derive(Debug, Clone)]
pub struct Screenshot {
    /// The file.
    pub bytes: Vec<u8>,
    /// Its form, which may differ from what was asked for.
    pub format: Format,
    /// The part of the page that it shows: left, top, width, height in CSS pixels from the top of the page.
    pub area: [f64; 4],
    /// Whether it was made smaller, or cut, to keep the limits.
    pub reduced: bool,
    /// How many elements were covered.
    pub covered: usize,
    /// The marks whose elements are in the picture.
    pub marked: usize,
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScreenshotError {
    /// The page could not be asked.
    #[error(transparent)]
    Page(#[from] PageError),
    /// The element has no box.
    #[error("the element `{0}` has no box to picture")]
    NoBox(ElementInstanceId),
    /// What the browser sent is no picture.
    #[error("the picture could not be made: {0}")]
    Picture(String),
    /// A scale or limit that makes no sense.
    #[error("`{0}` is out of range")]
    OutOfRange(&'static str),
}

impl From<CallError> for ScreenshotError {
    fn from(error: CallError) -> Self {
        Self::Page(error.into())
    }
}

/// The box of an element in the viewport of the whole page, with what scrolls away cut off.
const BOX: &str = "function() {
    const rect = this.getBoundingClientRect();
    let [left, top, right, bottom] = [rect.left, rect.top, rect.right, rect.bottom];
    for (let view = this.ownerDocument.defaultView; view && view.frameElement; view = view.frameElement.ownerDocument.defaultView) {
        const frame = view.frameElement, box = frame.getBoundingClientRect();
        const style = frame.ownerDocument.defaultView.getComputedStyle(frame);
        const sx = frame.offsetWidth ? box.width / frame.offsetWidth : 1, sy = frame.offsetHeight ? box.height / frame.offsetHeight : 1;
        const x = box.left + (frame.clientLeft + (parseFloat(style.paddingLeft) || 0)) * sx;
        const y = box.top + (frame.clientTop + (parseFloat(style.paddingTop) || 0)) * sy;
        [left, right] = [Math.max(x + left * sx, box.left), Math.min(x + right * sx, box.right)];
        [top, bottom] = [Math.max(y + top * sy, box.top), Math.min(y + bottom * sy, box.bottom)];
    }
    const { scrollX, scrollY } = window;
    return JSON.stringify([left + scrollX, top + scrollY, right + scrollX, bottom + scrollY]);
}";

/// A box on the page: left, top, right, bottom from the top of the page.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
struct PageBox(f64, f64, f64, f64);

impl PageBox {
    fn is_empty(self) -> bool {
        self.2 - self.0 < 0.5 || self.3 - self.1 < 0.5
    }

    fn holds(self, other: Self) -> bool {
        self.0 <= other.0 && self.1 <= other.1 && self.2 >= other.2 && self.3 >= other.3
    }

    fn meets(self, other: Self) -> bool {
        self.0 < other.2 && other.0 < self.2 && self.1 < other.3 && other.1 < self.3
    }

    fn union(self, other: Self) -> Self {
        Self(self.0.min(other.0), self.1.min(other.1), self.2.max(other.2), self.3.max(other.3))
    }
}

/// Takes a picture.
pub fn take<'a>(page: &'a Page, shot: &'a Shot) -> BoxFuture<'a, Result<Screenshot, ScreenshotError>> {
    Box::pin(async move {
        if !(shot.scale.is_finite() && shot.scale > 0.0 && shot.scale <= 4.0) {
            return Err(ScreenshotError::OutOfRange("scale"));
        }
        if shot.max_pixels.is_nan() || shot.max_pixels < 1.0 {
            return Err(ScreenshotError::OutOfRange("max_pixels"));
        }
        // A page in the background draws no frame, and a picture would wait for one.
        page.session().call(SetFocusEmulationEnabled { enabled: true }).await?;
        let mut secrets = secrets(page, shot).await?;
        secrets.extend(shot.cover.iter().cloned());
        let metrics = page.session().call(GetLayoutMetrics {}).await?;
        let whole = subject(page, shot, &metrics).await?;
        let (area, scale, reduced) = fit(whole, shot);
        // Twice, before and after: what moves in between is covered along its way.
        let before = boxes(page, &secrets).await;
        let marked: Vec<_> = shot.marks.iter().map(|mark| mark.element.clone()).collect();
        let marks = boxes(page, &marked).await;
        let painted = |boxes: &[Option<PageBox>]| boxes.iter().flatten().any(|each| each.meets(area));
        let paints = painted(&before) || painted(&marks);
        let format = if paints { Format::Png } else { shot.format };
        let bytes = capture(page, area, scale, format, !window(&metrics).holds(area)).await?;
        let after = boxes(page, &secrets).await;
        if !paints && !painted(&after) {
            let area = [area.0, area.1, area.2 - area.0, area.3 - area.1];
            return Ok(Screenshot { bytes, format, area, reduced, covered: 0, marked: 0 });
        }
        let canvas = Canvas { bytes, format, area, reduced };
        canvas.paint(&before, &after, &marks, &shot.marks)
    })
}

struct Canvas {
    bytes: Vec<u8>,
    format: Format,
    area: PageBox,
    reduced: bool,
}

impl Canvas {
    fn paint(
        self,
        before: &[Option<PageBox>],
        after: &[Option<PageBox>],
        marks: &[Option<PageBox>],
        labels: &[Mark],
    ) -> Result<Screenshot, ScreenshotError> {
        let failed = |error: paint::PictureError| ScreenshotError::Picture(error.to_string());
        if self.format != Format::Png {
            // A secret that came into the picture while it was taken: better none.
            return Err(ScreenshotError::Picture("the page changed while it was pictured".to_owned()));
        }
        let area = self.area;
        let mut picture = Picture::read(&self.bytes).map_err(failed)?;
        #[expect(clippy::cast_precision_loss, reason = "a picture is not that large")]
        let (across, down) =
            (picture.width as f64 / (area.2 - area.0), picture.height as f64 / (area.3 - area.1));
        let pixels = |each: PageBox| Area {
            left: (each.0 - area.0) * across,
            top: (each.1 - area.1) * down,
            right: (each.2 - area.0) * across,
            bottom: (each.3 - area.1) * down,
        };
        let mut marked = 0;
        for (at, (found, mark)) in marks.iter().zip(labels).enumerate() {
            if let Some(found) = found.filter(|found| found.meets(area)) {
                picture.mark(pixels(found), &mark.label, at);
                marked += 1;
            }
        }
        let mut covered = 0;
        for (before, after) in before.iter().zip(after) {
            let way = match (before, after) {
                (Some(before), Some(after)) => Some(before.union(*after)),
                (one, other) => one.or(*other),
            };
            if let Some(way) = way.filter(|way| way.meets(area)) {
                picture.cover(pixels(way));
                covered += 1;
            }
        }
        let bytes = picture.write().map_err(failed)?;
        let area = [area.0, area.1, area.2 - area.0, area.3 - area.1];
        Ok(Screenshot { bytes, format: Format::Png, area, reduced: self.reduced, covered, marked })
    }
}

/// What must not be seen.
async fn secrets(page: &Page, shot: &Shot) -> Result<Vec<ElementInstanceId>, PageError> {
    if !shot.cover_secrets && !shot.cover_opaque {
        return Ok(Vec::new());
    }
    let options: SnapshotOptions = serde_json::from_value(
        json!({ "maxElements": MAX_ELEMENTS, "includeOptions": false, "includeHidden": true }),
    )?;
    Ok(secret_elements(&page.snapshot(&options).await?, shot))
}

fn secret_elements(graph: &PageGraph, shot: &Shot) -> Vec<ElementInstanceId> {
    let fields = graph.elements().filter(|(_, _, each)| each.state.sensitive == Some(true));
    let fields = fields.map(|(_, _, each)| each.instance_id.clone()).filter(|_| shot.cover_secrets);
    let frames = graph.documents.iter().filter(|document| document.access == BoundaryAccess::Opaque);
    let frames =
        frames.filter_map(|document| document.host_instance_id.clone()).filter(|_| shot.cover_opaque);
    fields.chain(frames).collect()
}

async fn subject(page: &Page, shot: &Shot, metrics: &LayoutMetrics) -> Result<PageBox, ScreenshotError> {
    let content = &metrics.css_content_size;
    Ok(match &shot.subject {
        Subject::Window => window(metrics),
        Subject::FullPage => {
            PageBox(content.x, content.y, content.x + content.width, content.y + content.height)
        }
        Subject::Element(id) => {
            page.element(id).await?;
            let found = boxes(page, std::slice::from_ref(id)).await;
            let found = found.first().copied().flatten().filter(|found| !found.is_empty());
            found.ok_or_else(|| ScreenshotError::NoBox(id.clone()))?
        }
    })
}

fn window(metrics: &LayoutMetrics) -> PageBox {
    let view = &metrics.css_visual_viewport;
    PageBox(view.page_x, view.page_y, view.page_x + view.client_width, view.page_y + view.client_height)
}

/// A picture of more than the window shows is drawn anew, and the browser draws only the page in front: one after the other.
async fn in_front(page: &Page, call: CaptureScreenshot) -> Result<String, CallError> {
    static FRONT: Mutex<()> = Mutex::const_new(());
    let _front = FRONT.lock().await;
    let mut attempt = 1;
    loop {
        page.session().call(BringToFront {}).await?;
        match page.session().call_within(call.clone(), DRAWING).await {
            // Another page came to the front meanwhile.
            Err(error) if matches!(error.kind(), CallErrorKind::TimedOut(_)) && attempt < 3 => attempt += 1,
            other => return Ok(other?.data),
        }
    }
}

/// The area and scale that keep the limits.
fn fit(whole: PageBox, shot: &Shot) -> (PageBox, f64, bool) {
    let (width, height) = ((whole.2 - whole.0).max(1.0), (whole.3 - whole.1).max(1.0));
    // A page without an end is cut; everything else is only made smaller.
    let bottom = whole.3.min(whole.1 + MAX_SIDE);
    let right = whole.2.min(whole.0 + MAX_SIDE);
    let pixels = (right - whole.0) * (bottom - whole.1);
    let scale =
        shot.scale.min((shot.max_pixels / pixels).sqrt()).min(MAX_SIDE / width.max(height).min(MAX_SIDE));
    let reduced = scale < shot.scale || bottom < whole.3 || right < whole.2;
    (PageBox(whole.0, whole.1, right, bottom), scale, reduced)
}

async fn capture(
    page: &Page,
    area: PageBox,
    scale: f64,
    format: Format,
    beyond: bool,
) -> Result<Vec<u8>, ScreenshotError> {
    let (kind, quality) = match format {
        Format::Png => (ScreenshotFormat::Png, None),
        Format::Jpeg(quality) => (ScreenshotFormat::Jpeg, Some(quality.min(100))),
        Format::Webp(quality) => (ScreenshotFormat::Webp, Some(quality.min(100))),
    };
    let clip = Viewport { x: area.0, y: area.1, width: area.2 - area.0, height: area.3 - area.1, scale };
    let call = CaptureScreenshot {
        format: kind,
        quality,
        clip: Some(clip),
        from_surface: Some(true),
        capture_beyond_viewport: beyond,
        optimize_for_speed: true,
    };
    let data = if beyond { in_front(page, call).await? } else { page.session().call(call).await?.data };
    BASE64_STANDARD.decode(data).map_err(|error| ScreenshotError::Picture(error.to_string()))
}

/// Where elements are now; none for those that are gone or have no box.
async fn boxes(page: &Page, ids: &[ElementInstanceId]) -> Vec<Option<PageBox>> {
    join_all(ids.iter().map(|id| async move {
        let target = page.element(id).await.ok()?;
        let call = CallFunctionOn {
            function_declaration: BOX,
            object_id: Some(target.clone()),
            arguments: Some(Vec::<CallArgument>::new()),
            silent: true,
            return_by_value: true,
            ..CallFunctionOn::default()
        };
        let asked = page.session().call(call);
        let (answer, _) =
            tokio::join!(asked, page.session().call(ReleaseObject { object_id: target.clone() }));
        let text: Option<String> = answer.ok()?.result.value_as().ok()?;
        serde_json::from_str::<PageBox>(&text?).ok().filter(|found| !found.is_empty())
    }))
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_an_end_is_cut_and_a_large_one_made_smaller() {
        let shot = Shot { max_pixels: 1.0e6, ..Shot::default() };
        let (area, scale, reduced) = fit(PageBox(0.0, 0.0, 1_000.0, 1_000_000.0), &shot);
        assert!(reduced && (area.3 - MAX_SIDE).abs() < 1e-9);
        assert!(1_000.0 * MAX_SIDE * scale * scale <= 1.0e6 + 1.0);
        let (_, scale, reduced) = fit(PageBox(0.0, 0.0, 800.0, 600.0), &shot);
        assert!(!reduced && (scale - 1.0).abs() < 1e-9);
    }
}
