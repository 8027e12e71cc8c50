//! `Overlay`: drawing over a page without touching it.

use super::{Empty, command, exchanged};

exchanged! {
    /// A colour; parts from 0 to 255, how opaque from 0 to 1.
    Rgba {
        r: i64,
        g: i64,
        b: i64,
        a: f64,
    }
}

command! {
    Enable = "Overlay.enable" -> Empty {}
    Disable = "Overlay.disable" -> Empty {}
    HideHighlight = "Overlay.hideHighlight" -> Empty {}
    HighlightRect = "Overlay.highlightRect" -> Empty {
        x: i64,
        y: i64,
        width: i64,
        height: i64,
        color: Option<Rgba>,
        outline_color: Option<Rgba>,
    }
}
