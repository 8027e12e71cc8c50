//! What a context remembers: whether earlier visits left something behind.

use std::collections::BTreeSet;

use uiap_cdp::protocol::runtime::Evaluate;
use uiap_cdp::protocol::storage::GetCookies;
use uiap_cdp::{Browser, CallError};
use uiap_web::Page;

const STORED: &str = "(() => { try { const all = (kept) => Object.keys(kept).sort().map((key) => [key, kept.getItem(key)]); \
                      return JSON.stringify([all(localStorage), all(sessionStorage)]); } catch { return ''; } })()";

/// Puts back what was stored when nobody had done anything yet.
const RESTORE: &str = "(([local, session]) => { const put = (kept, all) => { kept.clear(); for (const [key, value] of all) kept.setItem(key, value); }; \
                       put(localStorage, local); put(sessionStorage, session); })";

/// What a context remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Remembered {
    stored: String,
    cookies: BTreeSet<(String, String, String)>,
}

impl Remembered {
    pub(super) async fn of(browser: &Browser, page: &Page) -> Result<Self, CallError> {
        let session = page.session();
        let ask = Evaluate { expression: STORED, return_by_value: true, silent: true, ..Evaluate::default() };
        let browser_context_id = session.info().browser_context_id;
        let (stored, cookies) =
            tokio::try_join!(session.call(ask), browser.call(GetCookies { browser_context_id }))?;
        // A server that renews its session with every answer has not been changed by that.
        let cookies = cookies.cookies.into_iter().map(|cookie| {
            (cookie.domain, cookie.name, if cookie.http_only { String::new() } else { cookie.value })
        });
        let stored: Option<String> = stored.result.value_as().unwrap_or_default();
        Ok(Self { stored: stored.unwrap_or_default(), cookies: cookies.collect() })
    }

    /// Makes a context that remembers something else remember this again. Says whether that is so now: what lies in cookies is
    /// not put back, because nobody but a fresh context forgets all that belongs to a session.
    pub(super) async fn restore(
        &self,
        now: &Self,
        browser: &Browser,
        page: &Page,
    ) -> Result<bool, CallError> {
        if now.cookies != self.cookies || self.stored.is_empty() {
            return Ok(false);
        }
        let expression = format!("{RESTORE}({})", self.stored);
        let put = Evaluate { expression: &expression, silent: true, ..Evaluate::default() };
        page.session().call(put).await?;
        Ok(Self::of(browser, page).await? == *self)
    }

    /// Whether nothing was left behind.
    pub(super) fn is_like(&self, fresh: &Self) -> bool {
        self.stores_like(fresh) && self.cookies == fresh.cookies
    }

    /// Whether nothing was left behind in the storage of the page. A document that has none says nothing about it.
    pub(super) fn stores_like(&self, fresh: &Self) -> bool {
        self.stored == fresh.stored || self.stored.is_empty()
    }
}
