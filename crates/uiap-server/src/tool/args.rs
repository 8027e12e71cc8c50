//! The arguments of the tools. A name that is not among them is a mistake, and is told.

use serde::Deserialize;
use serde_json::{Map, Value};
use uiap_model::capability::UIRole;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Open {
    pub(super) url: String,
    pub(super) session: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Look {
    pub(super) session: Option<String>,
    pub(super) budget: Option<usize>,
    pub(super) scope: Option<String>,
    #[serde(default)]
    pub(super) full: bool,
    #[serde(default)]
    pub(super) changes: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Find {
    pub(super) session: Option<String>,
    pub(super) role: Option<UIRole>,
    pub(super) name: Option<String>,
    pub(super) text: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Act {
    pub(super) session: Option<String>,
    #[serde(rename = "do")]
    pub(super) action: String,
    pub(super) r#ref: Option<String>,
    pub(super) role: Option<UIRole>,
    pub(super) name: Option<String>,
    pub(super) text: Option<String>,
    #[serde(default)]
    pub(super) args: Map<String, Value>,
    #[serde(default)]
    pub(super) expect: Vec<String>,
    pub(super) timeout_ms: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wait {
    pub(super) session: Option<String>,
    #[serde(default)]
    pub(super) expect: Vec<String>,
    pub(super) timeout_ms: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Only {
    pub(super) session: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Screenshot {
    pub(super) session: Option<String>,
    #[serde(default)]
    pub(super) full: bool,
    #[serde(default)]
    pub(super) marks: bool,
    #[serde(default)]
    pub(super) link: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tabs {
    pub(super) session: Option<String>,
    pub(super) switch: Option<String>,
    pub(super) close: Option<String>,
}
