//! `Log`: what the browser itself says about a page (blocked requests, violations, deprecations).

use super::network::RequestId;
use super::runtime::StackTrace;
use super::{Empty, command, event, open_enum, received};

command! {
    Enable = "Log.enable" -> Empty {}
    Disable = "Log.disable" -> Empty {}
    Clear = "Log.clear" -> Empty {}
}

event! {
    EntryAdded = "Log.entryAdded" {
        entry: LogEntry,
    }
}

received! {
    LogEntry {
        source: String,
        level: LogLevel,
        text: String,
        timestamp: f64,
        url: Option<String>,
        line_number: Option<i64>,
        stack_trace: Option<StackTrace>,
        network_request_id: Option<RequestId>,
        worker_id: Option<String>,
    }
}

open_enum! {
    LogLevel { Verbose = "verbose", Info = "info", Warning = "warning", Error = "error" }
}
