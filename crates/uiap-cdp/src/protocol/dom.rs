//! `DOM`: from script objects to nodes and back, boxes on the screen, files for file inputs.

use super::page::FrameId;
use super::runtime::{ExecutionContextId, RemoteObject, RemoteObjectId};
use super::{Empty, command, event, exchanged, open_enum, received};

/// The number of a node for one session, valid while that session has the document open.
pub type NodeId = i64;
/// The number of a node within its renderer, valid for every session.
pub type BackendNodeId = i64;
/// Four corners, clockwise: x1, y1, … x4, y4.
pub type Quad = [f64; 8];

command! {
    Enable = "DOM.enable" -> Empty {}
    Disable = "DOM.disable" -> Empty {}
    DescribeNode = "DOM.describeNode" -> NodeResult {
        node_id: Option<NodeId>,
        backend_node_id: Option<BackendNodeId>,
        object_id: Option<RemoteObjectId>,
        /// -1 for the whole subtree.
        depth: Option<i64>,
        pierce: bool,
    }
    ResolveNode<'a> = "DOM.resolveNode" -> ResolvedNode {
        node_id: Option<NodeId>,
        backend_node_id: Option<BackendNodeId>,
        object_group: Option<&'a str>,
        execution_context_id: Option<ExecutionContextId>,
    }
    RequestNode = "DOM.requestNode" -> RequestedNode {
        object_id: RemoteObjectId,
    }
    GetDocument = "DOM.getDocument" -> Document {
        depth: Option<i64>,
        pierce: bool,
    }
    QuerySelector<'a> = "DOM.querySelector" -> RequestedNode {
        node_id: NodeId,
        selector: &'a str,
    }
    GetContentQuads = "DOM.getContentQuads" -> ContentQuads {
        node_id: Option<NodeId>,
        backend_node_id: Option<BackendNodeId>,
        object_id: Option<RemoteObjectId>,
    }
    GetBoxModel = "DOM.getBoxModel" -> BoxModelResult {
        node_id: Option<NodeId>,
        backend_node_id: Option<BackendNodeId>,
        object_id: Option<RemoteObjectId>,
    }
    GetNodeForLocation = "DOM.getNodeForLocation" -> NodeForLocation {
        x: i64,
        y: i64,
        #[serde(rename = "includeUserAgentShadowDOM")]
        include_user_agent_shadow_dom: bool,
        ignore_pointer_events_none: bool,
    }
    GetFrameOwner = "DOM.getFrameOwner" -> FrameOwner {
        frame_id: FrameId,
    }
    GetOuterHtml = "DOM.getOuterHTML" -> OuterHtml {
        node_id: Option<NodeId>,
        backend_node_id: Option<BackendNodeId>,
        object_id: Option<RemoteObjectId>,
    }
    ScrollIntoViewIfNeeded = "DOM.scrollIntoViewIfNeeded" -> Empty {
        node_id: Option<NodeId>,
        backend_node_id: Option<BackendNodeId>,
        object_id: Option<RemoteObjectId>,
        rect: Option<Rect>,
    }
    Focus = "DOM.focus" -> Empty {
        node_id: Option<NodeId>,
        backend_node_id: Option<BackendNodeId>,
        object_id: Option<RemoteObjectId>,
    }
    SetFileInputFiles<'a> = "DOM.setFileInputFiles" -> Empty {
        files: Vec<&'a str>,
        node_id: Option<NodeId>,
        backend_node_id: Option<BackendNodeId>,
        object_id: Option<RemoteObjectId>,
    }
}

event! {
    DocumentUpdated = "DOM.documentUpdated" {}
}

received! {
    NodeResult { node: Node }
    Document { root: Node }
    ResolvedNode { object: RemoteObject }
    RequestedNode { node_id: NodeId }
    ContentQuads { quads: Vec<Quad> }
    BoxModelResult { model: BoxModel }
    BoxModel {
        content: Quad,
        padding: Quad,
        border: Quad,
        margin: Quad,
        width: f64,
        height: f64,
    }
    NodeForLocation {
        backend_node_id: BackendNodeId,
        frame_id: FrameId,
        node_id: Option<NodeId>,
    }
    FrameOwner {
        backend_node_id: BackendNodeId,
        node_id: Option<NodeId>,
    }
    OuterHtml {
        #[serde(rename = "outerHTML")]
        outer_html: String,
    }
    Node {
        node_id: NodeId,
        parent_id: Option<NodeId>,
        backend_node_id: BackendNodeId,
        node_type: i64,
        node_name: String,
        local_name: String,
        node_value: String,
        child_node_count: Option<i64>,
        #[serde(default)]
        children: Vec<Node>,
        /// Name, value, name, value, …
        #[serde(default)]
        attributes: Vec<String>,
        #[serde(rename = "documentURL")]
        document_url: Option<String>,
        #[serde(rename = "baseURL")]
        base_url: Option<String>,
        pseudo_type: Option<String>,
        shadow_root_type: Option<ShadowRootType>,
        frame_id: Option<FrameId>,
        content_document: Option<Box<Node>>,
        #[serde(default)]
        shadow_roots: Vec<Node>,
    }
}

exchanged! {
    Rect {
        x: f64,
        y: f64,
        width: f64,
        height: f64,
    }
}

open_enum! {
    ShadowRootType { UserAgent = "user-agent", Open = "open", Closed = "closed" }
}
