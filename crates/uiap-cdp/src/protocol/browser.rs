//! `Browser`: the process as a whole, its permissions and downloads.

use super::page::FrameId;
use super::target::TargetId;
use super::{Empty, command, event, exchanged, identifier, open_enum, received};

identifier!(BrowserContextId, DownloadId);

command! {
    GetVersion = "Browser.getVersion" -> Version {}
    Close = "Browser.close" -> Empty {}
    SetDownloadBehavior<'a> = "Browser.setDownloadBehavior" -> Empty {
        behavior: DownloadBehavior,
        browser_context_id: Option<BrowserContextId>,
        download_path: Option<&'a str>,
        events_enabled: bool,
    }
    CancelDownload = "Browser.cancelDownload" -> Empty {
        guid: DownloadId,
        browser_context_id: Option<BrowserContextId>,
    }
    GrantPermissions<'a> = "Browser.grantPermissions" -> Empty {
        permissions: Vec<&'a str>,
        origin: Option<&'a str>,
        browser_context_id: Option<BrowserContextId>,
    }
    SetPermission<'a> = "Browser.setPermission" -> Empty {
        permission: PermissionDescriptor,
        setting: PermissionSetting,
        origin: Option<&'a str>,
        browser_context_id: Option<BrowserContextId>,
    }
    ResetPermissions = "Browser.resetPermissions" -> Empty {
        browser_context_id: Option<BrowserContextId>,
    }
    GetWindowForTarget = "Browser.getWindowForTarget" -> WindowForTarget {
        target_id: Option<TargetId>,
    }
    SetWindowBounds = "Browser.setWindowBounds" -> Empty {
        window_id: i64,
        bounds: Bounds,
    }
}

event! {
    DownloadWillBegin = "Browser.downloadWillBegin" {
        frame_id: FrameId,
        guid: DownloadId,
        url: String,
        suggested_filename: String,
    }
    DownloadProgress = "Browser.downloadProgress" {
        guid: DownloadId,
        total_bytes: f64,
        received_bytes: f64,
        state: DownloadState,
        file_path: Option<String>,
    }
}

received! {
    Version {
        protocol_version: String,
        product: String,
        revision: String,
        user_agent: String,
        js_version: String,
    }
    WindowForTarget {
        window_id: i64,
        bounds: Bounds,
    }
}

exchanged! {
    PermissionDescriptor {
        name: String,
        sysex: Option<bool>,
        user_visible_only: Option<bool>,
        allow_without_sanitization: Option<bool>,
        allow_without_gesture: Option<bool>,
        pan_tilt_zoom: Option<bool>,
    }
    Bounds {
        left: Option<i64>,
        top: Option<i64>,
        width: Option<i64>,
        height: Option<i64>,
        window_state: Option<WindowState>,
    }
}

open_enum! {
    DownloadBehavior { Default = "default", Deny = "deny", Allow = "allow", AllowAndName = "allowAndName" }
    DownloadState { InProgress = "inProgress", Completed = "completed", Canceled = "canceled" }
    PermissionSetting { Prompt = "prompt", Granted = "granted", Denied = "denied" }
    WindowState { Normal = "normal", Minimized = "minimized", Maximized = "maximized", Fullscreen = "fullscreen" }
}
