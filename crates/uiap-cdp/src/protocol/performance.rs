//! `Performance`: counters of a renderer.

use super::{Empty, command, received};

command! {
    Enable = "Performance.enable" -> Empty {}
    Disable = "Performance.disable" -> Empty {}
    GetMetrics = "Performance.getMetrics" -> Metrics {}
}

received! {
    Metrics { metrics: Vec<Metric> }
    Metric {
        name: String,
        value: f64,
    }
}
