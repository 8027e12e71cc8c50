//! `Input`: trusted mouse, keyboard, touch and drag events.

use super::{Empty, command, event, exchanged, open_enum};

/// Alt 1, Ctrl 2, Meta 4, Shift 8, added up.
pub type Modifiers = u32;

command! {
    DispatchMouseEvent = "Input.dispatchMouseEvent" -> Empty {
        #[serde(rename = "type")]
        kind: MouseEventType,
        x: f64,
        y: f64,
        modifiers: Option<Modifiers>,
        button: Option<MouseButton>,
        /// The buttons that are down: left 1, right 2, middle 4, back 8, forward 16, added up.
        buttons: Option<u32>,
        click_count: Option<u32>,
        force: Option<f64>,
        delta_x: Option<f64>,
        delta_y: Option<f64>,
        pointer_type: Option<PointerType>,
    }
    DispatchKeyEvent<'a> = "Input.dispatchKeyEvent" -> Empty {
        #[serde(rename = "type")]
        kind: KeyEventType,
        modifiers: Option<Modifiers>,
        text: Option<&'a str>,
        unmodified_text: Option<&'a str>,
        code: Option<&'a str>,
        key: Option<&'a str>,
        windows_virtual_key_code: Option<i64>,
        native_virtual_key_code: Option<i64>,
        auto_repeat: bool,
        is_keypad: bool,
        is_system_key: bool,
        location: Option<i64>,
        commands: Option<Vec<&'a str>>,
    }
    InsertText<'a> = "Input.insertText" -> Empty {
        text: &'a str,
    }
    ImeSetComposition<'a> = "Input.imeSetComposition" -> Empty {
        text: &'a str,
        selection_start: i64,
        selection_end: i64,
    }
    DispatchTouchEvent = "Input.dispatchTouchEvent" -> Empty {
        #[serde(rename = "type")]
        kind: TouchEventType,
        touch_points: Vec<TouchPoint>,
        modifiers: Option<Modifiers>,
    }
    DispatchDragEvent = "Input.dispatchDragEvent" -> Empty {
        #[serde(rename = "type")]
        kind: DragEventType,
        x: f64,
        y: f64,
        data: DragData,
        modifiers: Option<Modifiers>,
    }
    SetInterceptDrags = "Input.setInterceptDrags" -> Empty {
        enabled: bool,
    }
    SetIgnoreInputEvents = "Input.setIgnoreInputEvents" -> Empty {
        ignore: bool,
    }
    CancelDragging = "Input.cancelDragging" -> Empty {}
}

event! {
    DragIntercepted = "Input.dragIntercepted" {
        data: DragData,
    }
}

exchanged! {
    TouchPoint {
        x: f64,
        y: f64,
        radius_x: Option<f64>,
        radius_y: Option<f64>,
        force: Option<f64>,
        id: Option<f64>,
    }
    DragData {
        items: Vec<DragDataItem>,
        files: Option<Vec<String>>,
        drag_operations_mask: i64,
    }
    DragDataItem {
        mime_type: String,
        data: String,
        title: Option<String>,
        #[serde(rename = "baseURL")]
        base_url: Option<String>,
    }
}

open_enum! {
    MouseEventType { Moved = "mouseMoved", Pressed = "mousePressed", Released = "mouseReleased", Wheel = "mouseWheel" }
    MouseButton { None = "none", Left = "left", Middle = "middle", Right = "right", Back = "back", Forward = "forward" }
    PointerType { Mouse = "mouse", Pen = "pen" }
    KeyEventType { KeyDown = "keyDown", KeyUp = "keyUp", RawKeyDown = "rawKeyDown", Char = "char" }
    TouchEventType { Start = "touchStart", End = "touchEnd", Move = "touchMove", Cancel = "touchCancel" }
    DragEventType { Enter = "dragEnter", Over = "dragOver", Drop = "drop", Cancel = "dragCancel" }
}
