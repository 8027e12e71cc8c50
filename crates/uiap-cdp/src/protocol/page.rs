//! `Page`: documents, navigation, scripts that run before the page's own, dialogs, screenshots.

use super::dom::{BackendNodeId, Rect};
use super::network::LoaderId;
use super::runtime::ExecutionContextId;
use super::{Empty, command, event, exchanged, identifier, open_enum, received};

identifier!(FrameId, ScriptIdentifier);

command! {
    Enable = "Page.enable" -> Empty {}
    Disable = "Page.disable" -> Empty {}
    Navigate<'a> = "Page.navigate" -> Navigation {
        url: &'a str,
        referrer: Option<&'a str>,
        frame_id: Option<FrameId>,
    }
    Reload<'a> = "Page.reload" -> Empty {
        ignore_cache: bool,
        script_to_evaluate_on_load: Option<&'a str>,
    }
    StopLoading = "Page.stopLoading" -> Empty {}
    GetNavigationHistory = "Page.getNavigationHistory" -> NavigationHistory {}
    NavigateToHistoryEntry = "Page.navigateToHistoryEntry" -> Empty {
        entry_id: i64,
    }
    ResetNavigationHistory = "Page.resetNavigationHistory" -> Empty {}
    AddScriptToEvaluateOnNewDocument<'a> = "Page.addScriptToEvaluateOnNewDocument" -> AddedScript {
        source: &'a str,
        world_name: Option<&'a str>,
        run_immediately: bool,
    }
    RemoveScriptToEvaluateOnNewDocument = "Page.removeScriptToEvaluateOnNewDocument" -> Empty {
        identifier: ScriptIdentifier,
    }
    CreateIsolatedWorld<'a> = "Page.createIsolatedWorld" -> IsolatedWorld {
        frame_id: FrameId,
        world_name: Option<&'a str>,
        /// The missing letter is the protocol's.
        #[serde(rename = "grantUniveralAccess")]
        grant_universal_access: bool,
    }
    CaptureScreenshot = "Page.captureScreenshot" -> Screenshot {
        format: ScreenshotFormat,
        quality: Option<u32>,
        clip: Option<Viewport>,
        from_surface: Option<bool>,
        capture_beyond_viewport: bool,
        optimize_for_speed: bool,
    }
    HandleJavaScriptDialog<'a> = "Page.handleJavaScriptDialog" -> Empty {
        accept: bool,
        prompt_text: Option<&'a str>,
    }
    GetFrameTree = "Page.getFrameTree" -> FrameTreeResult {}
    GetLayoutMetrics = "Page.getLayoutMetrics" -> LayoutMetrics {}
    SetLifecycleEventsEnabled = "Page.setLifecycleEventsEnabled" -> Empty {
        enabled: bool,
    }
    SetInterceptFileChooserDialog = "Page.setInterceptFileChooserDialog" -> Empty {
        enabled: bool,
        cancel: bool,
    }
    SetBypassCsp = "Page.setBypassCSP" -> Empty {
        enabled: bool,
    }
    SetDocumentContent<'a> = "Page.setDocumentContent" -> Empty {
        frame_id: FrameId,
        html: &'a str,
    }
    BringToFront = "Page.bringToFront" -> Empty {}
    Close = "Page.close" -> Empty {}
    Crash = "Page.crash" -> Empty {}
}

event! {
    FrameAttached = "Page.frameAttached" {
        frame_id: FrameId,
        parent_frame_id: FrameId,
    }
    FrameDetached = "Page.frameDetached" {
        frame_id: FrameId,
        #[serde(default)]
        reason: FrameDetachReason,
    }
    FrameNavigated = "Page.frameNavigated" {
        frame: Frame,
        #[serde(rename = "type", default)]
        kind: NavigationType,
    }
    DocumentOpened = "Page.documentOpened" {
        frame: Frame,
    }
    NavigatedWithinDocument = "Page.navigatedWithinDocument" {
        frame_id: FrameId,
        url: String,
        #[serde(default)]
        navigation_type: WithinDocumentType,
    }
    FrameStartedNavigating = "Page.frameStartedNavigating" {
        frame_id: FrameId,
        url: String,
        loader_id: LoaderId,
        navigation_type: String,
    }
    FrameRequestedNavigation = "Page.frameRequestedNavigation" {
        frame_id: FrameId,
        reason: String,
        url: String,
        disposition: String,
    }
    FrameStartedLoading = "Page.frameStartedLoading" {
        frame_id: FrameId,
    }
    FrameStoppedLoading = "Page.frameStoppedLoading" {
        frame_id: FrameId,
    }
    LifecycleEvent = "Page.lifecycleEvent" {
        frame_id: FrameId,
        loader_id: LoaderId,
        name: String,
        timestamp: f64,
    }
    DomContentEventFired = "Page.domContentEventFired" {
        timestamp: f64,
    }
    LoadEventFired = "Page.loadEventFired" {
        timestamp: f64,
    }
    JavascriptDialogOpening = "Page.javascriptDialogOpening" {
        url: String,
        frame_id: Option<FrameId>,
        message: String,
        #[serde(rename = "type")]
        kind: DialogType,
        #[serde(default)]
        has_browser_handler: bool,
        default_prompt: Option<String>,
    }
    JavascriptDialogClosed = "Page.javascriptDialogClosed" {
        frame_id: Option<FrameId>,
        result: bool,
        user_input: String,
    }
    FileChooserOpened = "Page.fileChooserOpened" {
        frame_id: FrameId,
        mode: FileChooserMode,
        backend_node_id: Option<BackendNodeId>,
    }
    WindowOpen = "Page.windowOpen" {
        url: String,
        window_name: String,
        #[serde(default)]
        window_features: Vec<String>,
        user_gesture: bool,
    }
}

received! {
    Navigation {
        frame_id: FrameId,
        loader_id: Option<LoaderId>,
        error_text: Option<String>,
        is_download: Option<bool>,
    }
    NavigationHistory {
        current_index: usize,
        entries: Vec<NavigationEntry>,
    }
    NavigationEntry {
        id: i64,
        url: String,
        #[serde(rename = "userTypedURL")]
        user_typed_url: String,
        title: String,
        transition_type: String,
    }
    AddedScript { identifier: ScriptIdentifier }
    IsolatedWorld { execution_context_id: ExecutionContextId }
    Screenshot {
        /// Base64.
        data: String,
    }
    FrameTreeResult { frame_tree: FrameTree }
    FrameTree {
        frame: Frame,
        #[serde(default)]
        child_frames: Vec<FrameTree>,
    }
    Frame {
        id: FrameId,
        parent_id: Option<FrameId>,
        loader_id: LoaderId,
        name: Option<String>,
        url: String,
        url_fragment: Option<String>,
        #[serde(default)]
        security_origin: String,
        #[serde(default)]
        mime_type: String,
        unreachable_url: Option<String>,
    }
    LayoutMetrics {
        css_layout_viewport: LayoutViewport,
        css_visual_viewport: VisualViewport,
        css_content_size: Rect,
    }
    LayoutViewport {
        page_x: f64,
        page_y: f64,
        client_width: f64,
        client_height: f64,
    }
    VisualViewport {
        offset_x: f64,
        offset_y: f64,
        page_x: f64,
        page_y: f64,
        client_width: f64,
        client_height: f64,
        scale: f64,
        zoom: Option<f64>,
    }
}

exchanged! {
    Viewport {
        x: f64,
        y: f64,
        width: f64,
        height: f64,
        scale: f64,
    }
}

open_enum! {
    ScreenshotFormat { Png = "png", Jpeg = "jpeg", Webp = "webp" }
    DialogType { Alert = "alert", Confirm = "confirm", Prompt = "prompt", Beforeunload = "beforeunload" }
    FileChooserMode { SelectSingle = "selectSingle", SelectMultiple = "selectMultiple" }
    FrameDetachReason { Remove = "remove", Swap = "swap" }
    NavigationType { Navigation = "Navigation", BackForwardCacheRestore = "BackForwardCacheRestore" }
    WithinDocumentType { Unspecified = "other", Fragment = "fragment", HistoryApi = "historyApi" }
}
