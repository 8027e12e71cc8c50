//! An isolated context: what one user of the browser sees and stores, apart from all others.

use std::fmt;
use std::path::PathBuf;

use crate::connection::{Chore, Connection};
use crate::error::CallError;
use crate::protocol::browser::{BrowserContextId, DownloadBehavior, SetDownloadBehavior};
use crate::protocol::target::{CreateBrowserContext, DisposeBrowserContext};
use crate::session::Session;

/// What a context is created with.
#[derive(Debug, Clone, Default)]
pub struct ContextOptions {
    /// The proxy of all its requests, such as `http://127.0.0.1:3128`.
    pub proxy_server: Option<String>,
    /// Hosts that are reached without the proxy, in Chromium's syntax.
    pub proxy_bypass_list: Option<String>,
    /// What happens to downloads.
    pub downloads: Downloads,
}

/// What happens to downloads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Downloads {
    /// They are refused.
    #[default]
    Deny,
    /// They are stored in this directory under a name of the browser's choice, the id of the download.
    Into(PathBuf),
    /// The browser does what it does by itself.
    Unchanged,
}

/// An isolated context. Dropping it disposes of it and closes its pages. It does not keep the browser alive.
pub struct BrowserContext {
    connection: Connection,
    id: BrowserContextId,
    disposed: bool,
}

impl BrowserContext {
    pub(crate) async fn create(connection: Connection, options: ContextOptions) -> Result<Self, CallError> {
        let create = CreateBrowserContext {
            dispose_on_detach: true,
            proxy_server: options.proxy_server.as_deref(),
            proxy_bypass_list: options.proxy_bypass_list.as_deref(),
        };
        let id = connection.call(None, &create, None).await?.browser_context_id;
        let context = Self { connection, id, disposed: false };
        context.set_downloads(&options.downloads).await?;
        Ok(context)
    }

    /// The context.
    pub fn id(&self) -> &BrowserContextId {
        &self.id
    }

    /// Opens a page in this context.
    pub async fn new_page(&self, url: &str) -> Result<Session, CallError> {
        self.connection.open_page(url, Some(self.id.clone())).await
    }

    /// Decides about downloads from now on. Their beginning and progress are events of the browser.
    pub async fn set_downloads(&self, downloads: &Downloads) -> Result<(), CallError> {
        let path;
        let (behavior, download_path) = match downloads {
            Downloads::Unchanged => return Ok(()),
            Downloads::Deny => (DownloadBehavior::Deny, None),
            Downloads::Into(directory) => {
                path = directory.to_string_lossy();
                (DownloadBehavior::AllowAndName, Some(&*path))
            }
        };
        let browser_context_id = Some(self.id.clone());
        let set = SetDownloadBehavior { behavior, browser_context_id, download_path, events_enabled: true };
        self.connection.call(None, &set, None).await.map(drop)
    }

    /// Closes its pages and forgets what it stored.
    pub async fn dispose(mut self) -> Result<(), CallError> {
        self.disposed = true;
        let dispose = DisposeBrowserContext { browser_context_id: self.id.clone() };
        self.connection.call(None, &dispose, None).await.map(drop)
    }
}

impl Drop for BrowserContext {
    fn drop(&mut self) {
        if !self.disposed {
            self.connection.leave(Chore::Dispose(self.id.clone()));
        }
    }
}

impl fmt::Debug for BrowserContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BrowserContext({})", self.id)
    }
}
