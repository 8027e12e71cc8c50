//! A browser: the process or connection as a whole, its pages and its contexts.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::connection::Connection;
use crate::context::{BrowserContext, ContextOptions};
use crate::error::{CallError, DisconnectReason};
use crate::event::{BrowserEvent, BrowserEvents};
use crate::protocol::Method;
use crate::protocol::browser::{Close, GetVersion, Version};
use crate::protocol::target::{SetDiscoverTargets, TargetId};
use crate::session::Session;
use crate::subscription::Capacity;

/// A browser. Cheap to clone; when the last clone is dropped, the connection ends, and a browser that was launched here dies.
#[derive(Clone)]
pub struct Browser {
    inner: Arc<Inner>,
}

struct Inner {
    connection: Connection,
    version: Version,
    #[cfg(unix)]
    process: Option<crate::launch::Process>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.connection.shut_down(&DisconnectReason::Closed);
    }
}

/// How long a browser may take to close by itself before it is killed.
#[cfg(unix)]
const CLOSING: Duration = Duration::from_secs(3);

impl Browser {
    /// Asks the browser who it is and turns on what sessions need. All at once: it is one round trip.
    pub(crate) async fn introduce(connection: Connection, limit: Duration) -> Result<Self, CallError> {
        // Given up half-way, the connection must not live on by itself.
        let guard = connection.end_guard();
        let limit = Some(limit);
        let discover = SetDiscoverTargets { discover: true, filter: None };
        let attach = async {
            match connection.auto_attach() {
                Some(attach) => connection.call(None, &attach, limit).await.map(drop),
                None => Ok(()),
            }
        };
        let (_, (), version) = tokio::try_join!(
            connection.call(None, &discover, limit),
            attach,
            connection.call(None, &GetVersion {}, limit),
        )?;
        guard.disarm();
        let inner = Inner {
            connection,
            version,
            #[cfg(unix)]
            process: None,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    #[cfg(unix)]
    pub(crate) fn owning(mut self, process: crate::launch::Process) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.process = Some(process);
        }
        self
    }

    /// Which browser it is.
    pub fn version(&self) -> &Version {
        &self.inner.version
    }

    /// Calls a method of the browser itself.
    pub async fn call<M: Method>(&self, method: M) -> Result<M::Result, CallError> {
        self.inner.connection.call(None, &method, None).await
    }

    /// Calls a method of the browser itself with a limit of its own.
    pub async fn call_within<M: Method>(&self, method: M, limit: Duration) -> Result<M::Result, CallError> {
        self.inner.connection.call(None, &method, Some(limit)).await
    }

    /// Calls a method that has no type here.
    pub async fn call_raw(&self, method: &str, params: &impl Serialize) -> Result<Box<RawValue>, CallError> {
        self.inner.connection.call_named(None, method, params, None).await
    }

    /// What happens to the browser and its targets from now on.
    pub fn events(&self) -> BrowserEvents {
        self.events_within(Capacity::default())
    }

    /// The same, with a queue of another size.
    pub fn events_within(&self, capacity: Capacity) -> BrowserEvents {
        self.inner.connection.registry().events.subscribe(capacity, None)
    }

    /// The sessions that are ready now.
    pub fn sessions(&self) -> Vec<Session> {
        let connection = &self.inner.connection;
        connection.registry().sessions().into_iter().map(|core| connection.session(core)).collect()
    }

    /// Opens a page in the context that every browser has.
    pub async fn new_page(&self, url: &str) -> Result<Session, CallError> {
        self.inner.connection.open_page(url, None).await
    }

    /// A context that shares nothing with the others: cookies, storage, cache.
    pub async fn new_context(&self, options: ContextOptions) -> Result<BrowserContext, CallError> {
        BrowserContext::create(self.inner.connection.clone(), options).await
    }

    /// A session for a target that has none yet.
    pub async fn attach(&self, target_id: TargetId) -> Result<Session, CallError> {
        self.inner.connection.attach(target_id).await
    }

    /// Why the connection ended, if it did.
    pub fn disconnected(&self) -> Option<DisconnectReason> {
        self.inner.connection.registry().ended()
    }

    /// Waits until the connection ends.
    pub async fn wait_disconnected(&self) -> DisconnectReason {
        let mut events = self.events();
        while let Some(event) = events.next().await {
            if let BrowserEvent::Disconnected(reason) = event {
                return reason;
            }
        }
        self.disconnected().unwrap_or(DisconnectReason::Closed)
    }

    /// The id of the process, when it was launched here.
    #[cfg(unix)]
    pub fn process_id(&self) -> Option<u32> {
        self.inner.process.as_ref().map(crate::launch::Process::id)
    }

    /// The last of what the process wrote on its standard error, when it was launched here.
    #[cfg(unix)]
    pub fn stderr(&self) -> Option<String> {
        self.inner.process.as_ref().map(crate::launch::Process::stderr)
    }

    /// Ends the connection. A browser that was launched here is closed, or killed when it does not close in time;
    /// afterwards its processes and its temporary profile are gone. A browser of others stays.
    pub async fn close(&self) {
        #[cfg(unix)]
        if let Some(process) = &self.inner.process {
            process.close(self.call_within(Close {}, CLOSING), CLOSING).await;
        }
        self.inner.connection.shut_down(&DisconnectReason::Closed);
    }

    /// Kills a browser that was launched here, at once, and waits until it is gone.
    #[cfg(unix)]
    pub async fn kill(&self) {
        if let Some(process) = &self.inner.process {
            process.kill();
            process.gone().await;
        }
        self.inner.connection.shut_down(&DisconnectReason::Closed);
    }
}

impl std::fmt::Debug for Browser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Browser({})", self.inner.version.product)
    }
}
