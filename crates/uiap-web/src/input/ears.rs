//! What the scripts of a page listen to. Where nobody listens to keys, text may be put in at once; where nobody listens to a
//! value, nobody takes it back.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use uiap_cdp::protocol::dom::{DescribeNode, ResolveNode};
use uiap_cdp::protocol::dom_debugger::GetEventListeners;
use uiap_cdp::protocol::runtime::{
    CallFunctionOn, Evaluate, GetProperties, ReleaseObjectGroup, RemoteObjectId,
};
use uiap_cdp::{CallError, Session};

use super::target::Handle;

/// How long what was heard of a whole document is believed.
const BELIEVED: Duration = Duration::from_millis(250);
/// In a larger document only the path of a target is asked about.
const MOST_ELEMENTS: u64 = 5_000;
const GROUP: &str = "uiap-ears";

/// The element and everything that its events pass.
const PATH: &str = "function() {
    const path = [];
    for (let each = this; each; each = each.parentNode || each.host) path.push(each);
    return path;
}";

/// Kinds of events; none where nobody could find out.
pub(super) type Heard = Option<Arc<BTreeSet<String>>>;

/// The kinds of events that somebody in a document listens to, outside of shadow trees and frames, and when that was found out.
/// None in a document that is too large. To ask beyond shadow roots would tell of listeners in our own world too.
#[derive(Debug, Clone, Default)]
pub(super) struct Ears {
    heard: Arc<Mutex<Option<(Instant, Heard)>>>,
}

impl Ears {
    /// The kinds of events that some script of the document listens to; none when the document is too large to be asked.
    pub(super) async fn of_document(&self, session: &Session) -> Result<Heard, CallError> {
        if let Some((at, heard)) = &*self.heard.lock().unwrap_or_else(PoisonError::into_inner)
            && at.elapsed() < BELIEVED
        {
            return Ok(heard.clone());
        }
        let heard = document(session).await?.map(Arc::new);
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), heard.clone()));
        Ok(heard)
    }
}

pub(super) fn is_key(kind: &str) -> bool {
    kind.starts_with("key")
}

/// Whether a script that listens to this may take back what a field was given.
pub(super) fn is_of_value(kind: &str) -> bool {
    matches!(
        kind,
        "input" | "change" | "beforeinput" | "click" | "blur" | "focusout" | "paste" | "submit" | "reset"
    ) || is_key(kind)
        || kind.starts_with("pointer")
        || kind.starts_with("mouse")
        || kind.starts_with("composition")
}

async fn document(session: &Session) -> Result<Option<BTreeSet<String>>, CallError> {
    let get = |expression, return_by_value| {
        session.call(Evaluate {
            expression,
            return_by_value,
            silent: true,
            object_group: Some(GROUP),
            ..Evaluate::default()
        })
    };
    let (size, document, window) = tokio::try_join!(
        get("document.getElementsByTagName('*').length", true),
        get("document", false),
        get("window", false)
    )?;
    let size: Option<u64> = size.result.value_as().ok().flatten();
    let heard = async {
        if size.is_none_or(|size| size > MOST_ELEMENTS) {
            return Ok(None);
        }
        let (Some(document), Some(window)) = (document.result.object_id, window.result.object_id) else {
            return Ok(None);
        };
        let (inside, outside) = tokio::try_join!(
            session.call(GetEventListeners { object_id: document, depth: Some(-1), pierce: false }),
            session.call(GetEventListeners { object_id: window, depth: Some(1), pierce: false })
        )?;
        let all = inside.listeners.into_iter().chain(outside.listeners);
        Ok(Some(all.map(|each| each.kind).collect()))
    };
    let heard = heard.await;
    let session = session.clone();
    tokio::spawn(async move { drop(session.call(ReleaseObjectGroup { object_group: GROUP }).await) });
    heard
}

/// Whether somebody listens to keys at an element or at what it lies in.
pub(super) async fn hears_keys(target: &Handle) -> Result<bool, CallError> {
    const GROUP: &str = "uiap-typing";
    let session = &target.session;
    let path = CallFunctionOn {
        function_declaration: PATH,
        object_id: Some(target.object.clone()),
        silent: true,
        object_group: Some(GROUP),
        ..CallFunctionOn::default()
    };
    let listens = async {
        let Some(object_id) = session.call(path).await?.result.object_id else { return Ok(false) };
        let own = GetProperties { object_id, own_properties: true, accessor_properties_only: false };
        let values = session.call(own).await?.result.into_iter().filter_map(|each| each.value?.object_id);
        let asked = join_all(values.map(|node| node_hears_keys(session, node, GROUP))).await;
        // A node that went away meanwhile hears nothing.
        Ok::<_, CallError>(asked.into_iter().any(|heard| heard.unwrap_or(false)))
    };
    let listens = listens.await;
    session.call(ReleaseObjectGroup { object_group: GROUP }).await?;
    listens
}

/// Listeners are told for the world of the handle, and the page's are in its own; no script runs there.
async fn node_hears_keys(
    session: &Session,
    object_id: RemoteObjectId,
    group: &str,
) -> Result<bool, CallError> {
    let describe = DescribeNode { object_id: Some(object_id), ..DescribeNode::default() };
    let backend_node_id = Some(session.call(describe).await?.node.backend_node_id);
    let resolve = ResolveNode { backend_node_id, object_group: Some(group), ..ResolveNode::default() };
    let Some(object_id) = session.call(resolve).await?.object.object_id else { return Ok(false) };
    let listeners =
        session.call(GetEventListeners { object_id, depth: Some(1), pierce: false }).await?.listeners;
    Ok(listeners.iter().any(|each| is_key(&each.kind)))
}
