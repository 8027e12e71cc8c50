//! Before a pointer is used: into view, at rest, and really hit. Afterwards: what the page saw of it.

use std::fmt;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use super::error::InputError;
use super::target::Target;
use crate::error::PageError;
use crate::world::Kept;

pub(crate) const AIM: Kept = Kept { name: "aim", source: include_str!("../../page/functions/aim.js") };
pub(crate) const FINISH: Kept =
    Kept { name: "finish", source: include_str!("../../page/functions/finish.js") };
const THROUGH: Kept = Kept { name: "through", source: include_str!("../../page/functions/through.js") };

/// A point in the viewport of the page, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// An element as a person would point it out.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Described {
    /// Its tag.
    pub tag: String,
    /// Its `id`.
    pub id: Option<String>,
    /// Its `role` attribute.
    pub role: Option<String>,
    /// The beginning of its text.
    pub text: Option<String>,
}

impl fmt::Display for Described {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}", self.tag)?;
        if let Some(id) = &self.id {
            write!(f, " id={id}")?;
        }
        if let Some(role) = &self.role {
            write!(f, " role={role}")?;
        }
        f.write_str(">")?;
        self.text.as_ref().map_or(Ok(()), |text| write!(f, " `{text}`"))
    }
}

/// Whether a pointer reaches an element.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[non_exhaustive]
pub enum HitTest {
    /// It does, here.
    Clear {
        /// The point to use.
        #[serde(flatten)]
        point: Point,
        /// The box of the element: left, top, width, height.
        #[serde(rename = "box")]
        bounds: [f64; 4],
        /// Whether the point lies on what stands for the element, such as its label.
        label: bool,
    },
    /// Something else lies over it.
    Covered {
        /// What.
        by: Option<Described>,
        /// The box of the element.
        #[serde(rename = "box")]
        bounds: [f64; 4],
    },
    /// It cannot be brought into the window.
    Outside {
        /// The box of the element.
        #[serde(rename = "box")]
        bounds: [f64; 4],
    },
    /// It has no box.
    Hidden,
    /// It did not come to rest in time.
    Moving,
    /// It is not in the page any more.
    Gone,
}

impl fmt::Display for HitTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clear { point, .. } => write!(f, "clear at {}, {}", point.x, point.y),
            Self::Covered { by: Some(by), .. } => write!(f, "it is covered by {by}"),
            Self::Covered { by: None, .. } => f.write_str("it is covered"),
            Self::Outside { .. } => f.write_str("it cannot be brought into the window"),
            Self::Hidden => f.write_str("it has no box"),
            Self::Moving => f.write_str("it does not come to rest"),
            Self::Gone => f.write_str("it is not in the page any more"),
        }
    }
}

/// How it is aimed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Aiming {
    /// A point of the element's box, from its top left corner.
    pub(super) position: Option<(f64, f64)>,
    /// How long a target may move, or something that covers it may take to go.
    pub(super) patience: Duration,
    /// Whether events that meet something else are held back.
    pub(super) strict: bool,
    /// Whether moves are told too.
    pub(super) hover: bool,
}

/// What the page saw of a gesture.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Delivery {
    pub(super) delivered: Vec<String>,
    pub(super) wrong: Option<Described>,
    pub(super) dragging: bool,
}

/// Looks for a point at which the element is hit, and guards the gesture that follows.
pub(super) async fn aim(target: &Target, how: Aiming) -> Result<HitTest, InputError> {
    let options = json!({
        "position": how.position.map(|(x, y)| [x, y]),
        "patience": u64::try_from(how.patience.as_millis()).unwrap_or(u64::MAX),
        "strict": how.strict,
        "hover": how.hover,
    });
    let answer = target.ask(&AIM, options).await?;
    let found = serde_json::from_str(&answer).map_err(PageError::from)?;
    match (&target.host, found) {
        (Some(host), HitTest::Clear { point, bounds, label }) => through(host, point, bounds, label).await,
        (_, found) => Ok(found),
    }
}

/// The same point and box as the page sees them, when nothing covers the frame there.
async fn through(host: &Target, point: Point, bounds: [f64; 4], label: bool) -> Result<HitTest, InputError> {
    let [left, top, width, height] = bounds;
    let inner = json!({ "x": point.x, "y": point.y, "box": [left, top, width, height], "label": label });
    Ok(serde_json::from_str(&host.ask(&THROUGH, inner).await?).map_err(PageError::from)?)
}

/// What the guard saw so far; `end` takes it away. None when the document is gone: the gesture led elsewhere.
pub(super) async fn delivery(target: &Target, end: bool) -> Result<Option<Delivery>, InputError> {
    match target.ask_beside(&FINISH, json!(end)).await {
        Ok(text) => Ok(Some(serde_json::from_str(&text).map_err(PageError::from)?)),
        Err(error) if error.is_document_gone() => Ok(None),
        Err(error) => Err(error.into()),
    }
}
