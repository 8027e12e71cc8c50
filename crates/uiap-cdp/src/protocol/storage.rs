//! `Storage`: cookies of a whole context, and forgetting what an origin stored.

use super::browser::BrowserContextId;
use super::network::{CookieParam, Cookies};
use super::{Empty, command};

command! {
    GetCookies = "Storage.getCookies" -> Cookies {
        browser_context_id: Option<BrowserContextId>,
    }
    SetCookies = "Storage.setCookies" -> Empty {
        cookies: Vec<CookieParam>,
        browser_context_id: Option<BrowserContextId>,
    }
    ClearCookies = "Storage.clearCookies" -> Empty {
        browser_context_id: Option<BrowserContextId>,
    }
    ClearDataForOrigin<'a> = "Storage.clearDataForOrigin" -> Empty {
        origin: &'a str,
        /// Comma-separated, `all` for everything.
        storage_types: &'a str,
    }
}
