//! `Network`: requests and answers as a page sees them, cookies, headers, blocking.

use serde_json::{Map, Value};

use super::page::FrameId;
use super::runtime::StackTrace;
use super::{Empty, command, event, exchanged, identifier, open_enum, received};

identifier!(RequestId, LoaderId);

/// Header names and values as the browser joined them.
pub type Headers = Map<String, Value>;

command! {
    Enable = "Network.enable" -> Empty {
        max_total_buffer_size: Option<i64>,
        max_resource_buffer_size: Option<i64>,
        max_post_data_size: Option<i64>,
    }
    Disable = "Network.disable" -> Empty {}
    GetResponseBody = "Network.getResponseBody" -> ResponseBody {
        request_id: RequestId,
    }
    SetExtraHttpHeaders = "Network.setExtraHTTPHeaders" -> Empty {
        headers: Headers,
    }
    SetUserAgentOverride<'a> = "Network.setUserAgentOverride" -> Empty {
        user_agent: &'a str,
        accept_language: Option<&'a str>,
        platform: Option<&'a str>,
    }
    SetBlockedUrls = "Network.setBlockedURLs" -> Empty {
        url_patterns: Vec<BlockPattern>,
    }
    SetCacheDisabled = "Network.setCacheDisabled" -> Empty {
        cache_disabled: bool,
    }
    SetBypassServiceWorker = "Network.setBypassServiceWorker" -> Empty {
        bypass: bool,
    }
    GetCookies<'a> = "Network.getCookies" -> Cookies {
        urls: Option<Vec<&'a str>>,
    }
    SetCookies = "Network.setCookies" -> Empty {
        cookies: Vec<CookieParam>,
    }
    DeleteCookies<'a> = "Network.deleteCookies" -> Empty {
        name: &'a str,
        url: Option<&'a str>,
        domain: Option<&'a str>,
        path: Option<&'a str>,
    }
    ClearBrowserCookies = "Network.clearBrowserCookies" -> Empty {}
    EmulateNetworkConditions = "Network.emulateNetworkConditions" -> Empty {
        offline: bool,
        latency: f64,
        download_throughput: f64,
        upload_throughput: f64,
    }
}

event! {
    RequestWillBeSent = "Network.requestWillBeSent" {
        request_id: RequestId,
        loader_id: LoaderId,
        #[serde(rename = "documentURL")]
        document_url: String,
        request: Request,
        timestamp: f64,
        wall_time: f64,
        initiator: Initiator,
        redirect_response: Option<Response>,
        #[serde(rename = "type")]
        kind: Option<ResourceType>,
        frame_id: Option<FrameId>,
        has_user_gesture: Option<bool>,
    }
    ResponseReceived = "Network.responseReceived" {
        request_id: RequestId,
        loader_id: LoaderId,
        timestamp: f64,
        #[serde(rename = "type")]
        kind: ResourceType,
        response: Response,
        frame_id: Option<FrameId>,
    }
    RequestServedFromCache = "Network.requestServedFromCache" {
        request_id: RequestId,
    }
    DataReceived = "Network.dataReceived" {
        request_id: RequestId,
        timestamp: f64,
        data_length: i64,
        encoded_data_length: i64,
    }
    LoadingFinished = "Network.loadingFinished" {
        request_id: RequestId,
        timestamp: f64,
        encoded_data_length: f64,
    }
    LoadingFailed = "Network.loadingFailed" {
        request_id: RequestId,
        timestamp: f64,
        #[serde(rename = "type")]
        kind: ResourceType,
        error_text: String,
        canceled: Option<bool>,
        blocked_reason: Option<String>,
    }
    WebSocketCreated = "Network.webSocketCreated" {
        request_id: RequestId,
        url: String,
        initiator: Option<Initiator>,
    }
    WebSocketClosed = "Network.webSocketClosed" {
        request_id: RequestId,
        timestamp: f64,
    }
    WebSocketFrameSent = "Network.webSocketFrameSent" {
        request_id: RequestId,
        timestamp: f64,
        response: WebSocketFrame,
    }
    WebSocketFrameReceived = "Network.webSocketFrameReceived" {
        request_id: RequestId,
        timestamp: f64,
        response: WebSocketFrame,
    }
    EventSourceMessageReceived = "Network.eventSourceMessageReceived" {
        request_id: RequestId,
        timestamp: f64,
        event_name: String,
        event_id: String,
        data: String,
    }
}

received! {
    Request {
        url: String,
        url_fragment: Option<String>,
        method: String,
        headers: Headers,
        has_post_data: Option<bool>,
        post_data: Option<String>,
        referrer_policy: Option<String>,
        is_same_site: Option<bool>,
    }
    Response {
        url: String,
        status: u16,
        status_text: String,
        headers: Headers,
        mime_type: String,
        #[serde(default)]
        charset: String,
        #[serde(rename = "remoteIPAddress")]
        remote_ip_address: Option<String>,
        remote_port: Option<u32>,
        from_disk_cache: Option<bool>,
        from_service_worker: Option<bool>,
        from_prefetch_cache: Option<bool>,
        encoded_data_length: f64,
        protocol: Option<String>,
        security_state: Option<String>,
    }
    Initiator {
        #[serde(rename = "type")]
        kind: String,
        stack: Option<StackTrace>,
        url: Option<String>,
        line_number: Option<f64>,
        request_id: Option<RequestId>,
    }
    ResponseBody {
        body: String,
        base64_encoded: bool,
    }
    WebSocketFrame {
        opcode: f64,
        mask: bool,
        payload_data: String,
    }
    Cookies { cookies: Vec<Cookie> }
    Cookie {
        name: String,
        value: String,
        domain: String,
        path: String,
        /// Seconds since the epoch, -1 for a session cookie.
        expires: f64,
        size: i64,
        http_only: bool,
        secure: bool,
        session: bool,
        same_site: Option<CookieSameSite>,
    }
}

exchanged! {
    BlockPattern {
        url_pattern: String,
        block: bool,
    }
    CookieParam {
        name: String,
        value: String,
        url: Option<String>,
        domain: Option<String>,
        path: Option<String>,
        secure: Option<bool>,
        http_only: Option<bool>,
        same_site: Option<CookieSameSite>,
        expires: Option<f64>,
    }
}

open_enum! {
    CookieSameSite { Lax = "Lax", Strict = "Strict", None = "None" }
    ResourceType {
        Unspecified = "Other",
        Document = "Document",
        Stylesheet = "Stylesheet",
        Image = "Image",
        Media = "Media",
        Font = "Font",
        Script = "Script",
        TextTrack = "TextTrack",
        Xhr = "XHR",
        Fetch = "Fetch",
        Prefetch = "Prefetch",
        EventSource = "EventSource",
        WebSocket = "WebSocket",
        Manifest = "Manifest",
        SignedExchange = "SignedExchange",
        Ping = "Ping",
        CspViolationReport = "CSPViolationReport",
        Preflight = "Preflight",
    }
    ErrorReason {
        Failed = "Failed",
        Aborted = "Aborted",
        TimedOut = "TimedOut",
        AccessDenied = "AccessDenied",
        ConnectionClosed = "ConnectionClosed",
        ConnectionReset = "ConnectionReset",
        ConnectionRefused = "ConnectionRefused",
        ConnectionAborted = "ConnectionAborted",
        ConnectionFailed = "ConnectionFailed",
        NameNotResolved = "NameNotResolved",
        InternetDisconnected = "InternetDisconnected",
        AddressUnreachable = "AddressUnreachable",
        BlockedByClient = "BlockedByClient",
        BlockedByResponse = "BlockedByResponse",
    }
}
