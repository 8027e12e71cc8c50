//! `Accessibility`: the browser's own accessibility tree.

use serde_json::Value;

use super::dom::BackendNodeId;
use super::page::FrameId;
use super::runtime::RemoteObjectId;
use super::{Empty, command, identifier, received};

identifier!(AxNodeId);

command! {
    Enable = "Accessibility.enable" -> Empty {}
    Disable = "Accessibility.disable" -> Empty {}
    GetFullAxTree = "Accessibility.getFullAXTree" -> AxNodes {
        depth: Option<i64>,
        frame_id: Option<FrameId>,
    }
    GetPartialAxTree = "Accessibility.getPartialAXTree" -> AxNodes {
        backend_node_id: Option<BackendNodeId>,
        object_id: Option<RemoteObjectId>,
        fetch_relatives: Option<bool>,
    }
}

received! {
    AxNodes { nodes: Vec<AxNode> }
    AxNode {
        node_id: AxNodeId,
        ignored: bool,
        role: Option<AxValue>,
        chrome_role: Option<AxValue>,
        name: Option<AxValue>,
        description: Option<AxValue>,
        value: Option<AxValue>,
        #[serde(default)]
        properties: Vec<AxProperty>,
        parent_id: Option<AxNodeId>,
        #[serde(default)]
        child_ids: Vec<AxNodeId>,
        #[serde(rename = "backendDOMNodeId")]
        backend_dom_node_id: Option<BackendNodeId>,
        frame_id: Option<FrameId>,
    }
    AxProperty {
        name: String,
        value: AxValue,
    }
    AxValue {
        #[serde(rename = "type")]
        kind: String,
        value: Option<Value>,
        #[serde(default)]
        related_nodes: Vec<AxRelatedNode>,
    }
    AxRelatedNode {
        #[serde(rename = "backendDOMNodeId")]
        backend_dom_node_id: BackendNodeId,
        idref: Option<String>,
        text: Option<String>,
    }
}
