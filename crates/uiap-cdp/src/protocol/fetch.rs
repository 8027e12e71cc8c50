//! `Fetch`: holding requests before they leave, and answering, changing or failing them.

use super::network::{ErrorReason, Request, RequestId as NetworkRequestId, ResourceType};
use super::page::FrameId;
use super::{Empty, command, event, exchanged, identifier, open_enum, received};

identifier!(RequestId);

command! {
    Enable = "Fetch.enable" -> Empty {
        patterns: Option<Vec<RequestPattern>>,
        handle_auth_requests: bool,
    }
    Disable = "Fetch.disable" -> Empty {}
    ContinueRequest<'a> = "Fetch.continueRequest" -> Empty {
        request_id: RequestId,
        url: Option<&'a str>,
        method: Option<&'a str>,
        /// Base64.
        post_data: Option<&'a str>,
        headers: Option<Vec<HeaderEntry>>,
        intercept_response: Option<bool>,
    }
    ContinueResponse<'a> = "Fetch.continueResponse" -> Empty {
        request_id: RequestId,
        response_code: Option<u32>,
        response_phrase: Option<&'a str>,
        response_headers: Option<Vec<HeaderEntry>>,
    }
    FailRequest = "Fetch.failRequest" -> Empty {
        request_id: RequestId,
        error_reason: ErrorReason,
    }
    FulfillRequest<'a> = "Fetch.fulfillRequest" -> Empty {
        request_id: RequestId,
        response_code: u32,
        response_headers: Option<Vec<HeaderEntry>>,
        /// Base64.
        body: Option<&'a str>,
        response_phrase: Option<&'a str>,
    }
    ContinueWithAuth = "Fetch.continueWithAuth" -> Empty {
        request_id: RequestId,
        auth_challenge_response: AuthChallengeResponse,
    }
    GetResponseBody = "Fetch.getResponseBody" -> super::network::ResponseBody {
        request_id: RequestId,
    }
}

event! {
    RequestPaused = "Fetch.requestPaused" {
        request_id: RequestId,
        request: Request,
        frame_id: FrameId,
        resource_type: ResourceType,
        response_error_reason: Option<ErrorReason>,
        response_status_code: Option<u32>,
        response_status_text: Option<String>,
        #[serde(default)]
        response_headers: Vec<HeaderEntry>,
        network_id: Option<NetworkRequestId>,
        redirected_request_id: Option<RequestId>,
    }
    AuthRequired = "Fetch.authRequired" {
        request_id: RequestId,
        request: Request,
        frame_id: FrameId,
        resource_type: ResourceType,
        auth_challenge: AuthChallenge,
    }
}

received! {
    AuthChallenge {
        source: Option<String>,
        origin: String,
        scheme: String,
        realm: String,
    }
}

exchanged! {
    RequestPattern {
        url_pattern: Option<String>,
        resource_type: Option<ResourceType>,
        request_stage: Option<RequestStage>,
    }
    HeaderEntry {
        name: String,
        value: String,
    }
    AuthChallengeResponse {
        response: AuthAnswer,
        username: Option<String>,
        password: Option<String>,
    }
}

open_enum! {
    RequestStage { Request = "Request", Response = "Response" }
    AuthAnswer { Default = "Default", CancelAuth = "CancelAuth", ProvideCredentials = "ProvideCredentials" }
}
