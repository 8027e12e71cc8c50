//! `DOMDebugger`: who listens to what.

use super::runtime::{RemoteObjectId, ScriptId};
use super::{command, received};

command! {
    GetEventListeners = "DOMDebugger.getEventListeners" -> EventListeners {
        object_id: RemoteObjectId,
        /// 1 for the node alone, -1 for everything below it.
        depth: Option<i64>,
        pierce: bool,
    }
}

received! {
    EventListeners { listeners: Vec<EventListener> }
    EventListener {
        #[serde(rename = "type")]
        kind: String,
        use_capture: bool,
        passive: bool,
        once: bool,
        script_id: ScriptId,
        line_number: i64,
        column_number: i64,
    }
}
