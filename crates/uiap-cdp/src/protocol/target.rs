//! `Target`: what can be attached to (pages, frames, workers), and the sessions that result.

use super::browser::BrowserContextId;
use super::page::FrameId;
use super::{Empty, command, event, exchanged, identifier, open_enum, received};

identifier!(TargetId, SessionId);

command! {
    ActivateTarget = "Target.activateTarget" -> Empty {
        target_id: TargetId,
    }
    AttachToTarget = "Target.attachToTarget" -> Attachment {
        target_id: TargetId,
        flatten: bool,
    }
    CloseTarget = "Target.closeTarget" -> Empty {
        target_id: TargetId,
    }
    CreateBrowserContext<'a> = "Target.createBrowserContext" -> CreatedBrowserContext {
        dispose_on_detach: bool,
        proxy_server: Option<&'a str>,
        proxy_bypass_list: Option<&'a str>,
    }
    GetBrowserContexts = "Target.getBrowserContexts" -> BrowserContexts {}
    DisposeBrowserContext = "Target.disposeBrowserContext" -> Empty {
        browser_context_id: BrowserContextId,
    }
    CreateTarget<'a> = "Target.createTarget" -> CreatedTarget {
        url: &'a str,
        width: Option<u32>,
        height: Option<u32>,
        browser_context_id: Option<BrowserContextId>,
        new_window: Option<bool>,
        background: Option<bool>,
    }
    DetachFromTarget = "Target.detachFromTarget" -> Empty {
        session_id: SessionId,
    }
    GetTargetInfo = "Target.getTargetInfo" -> TargetInfoResult {
        target_id: Option<TargetId>,
    }
    GetTargets = "Target.getTargets" -> Targets {
        filter: Option<Vec<FilterEntry>>,
    }
    SetAutoAttach = "Target.setAutoAttach" -> Empty {
        auto_attach: bool,
        wait_for_debugger_on_start: bool,
        flatten: bool,
        filter: Option<Vec<FilterEntry>>,
    }
    SetDiscoverTargets = "Target.setDiscoverTargets" -> Empty {
        discover: bool,
        filter: Option<Vec<FilterEntry>>,
    }
}

event! {
    AttachedToTarget = "Target.attachedToTarget" {
        session_id: SessionId,
        target_info: TargetInfo,
        waiting_for_debugger: bool,
    }
    DetachedFromTarget = "Target.detachedFromTarget" {
        session_id: SessionId,
    }
    TargetCreated = "Target.targetCreated" {
        target_info: TargetInfo,
    }
    TargetInfoChanged = "Target.targetInfoChanged" {
        target_info: TargetInfo,
    }
    TargetDestroyed = "Target.targetDestroyed" {
        target_id: TargetId,
    }
    TargetCrashed = "Target.targetCrashed" {
        target_id: TargetId,
        status: String,
        error_code: i64,
    }
}

received! {
    Attachment { session_id: SessionId }
    CreatedBrowserContext { browser_context_id: BrowserContextId }
    BrowserContexts {
        browser_context_ids: Vec<BrowserContextId>,
        default_browser_context_id: Option<BrowserContextId>,
    }
    CreatedTarget { target_id: TargetId }
    TargetInfoResult { target_info: TargetInfo }
    Targets { target_infos: Vec<TargetInfo> }
    TargetInfo {
        target_id: TargetId,
        #[serde(rename = "type")]
        kind: TargetKind,
        #[serde(default)]
        title: String,
        url: String,
        #[serde(default)]
        attached: bool,
        parent_id: Option<TargetId>,
        opener_id: Option<TargetId>,
        opener_frame_id: Option<FrameId>,
        parent_frame_id: Option<FrameId>,
        browser_context_id: Option<BrowserContextId>,
        subtype: Option<String>,
    }
}

exchanged! {
    FilterEntry {
        exclude: bool,
        #[serde(rename = "type")]
        kind: Option<TargetKind>,
    }
}

open_enum! {
    TargetKind {
        Page = "page",
        Iframe = "iframe",
        Worker = "worker",
        SharedWorker = "shared_worker",
        ServiceWorker = "service_worker",
        Worklet = "worklet",
        Tab = "tab",
        Browser = "browser",
        BackgroundPage = "background_page",
        Webview = "webview",
    }
}
