//! A real browser as the ground of a discovery run: a context of its own for each place, a guard before its network.

mod evidence;
mod guests;
mod incident;
mod place;
mod published;
mod signal;
mod storage;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use uiap_cdp::{Browser, LaunchError, LaunchOptions};
use uiap_discovery::desk::{Desk, OpenGround};
use uiap_discovery::ground::{Ground, GroundError};
use uiap_discovery::login::Script;
use uiap_discovery::plan::Plan;
use uiap_discovery::record::IncidentKind;
use uiap_discovery::run::{Explored, RunError, RunOptions, explore};
use uiap_discovery::seed::address::Base;
use uiap_discovery::store::Store;
use uiap_web::Page;
use uiap_web::storage::StorageState;

pub use self::place::WebPlace;
use crate::address::Reach;

/// How a profile becomes who it is.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// What its browser remembers.
    pub storage: Option<StorageState>,
    /// What it does to log in.
    pub login: Option<Arc<Script>>,
    /// Name and password for a server that asks by itself.
    pub credentials: Option<(String, String)>,
}

/// How pages are opened.
#[derive(Clone, Debug)]
pub struct GroundOptions {
    /// The browser; found when it is not given.
    pub executable: Option<PathBuf>,
    /// Whether its windows are shown.
    pub headed: bool,
    /// Size of the window.
    pub viewport: (u32, u32),
    /// The language that pages are asked for.
    pub locale: Option<String>,
    /// How long a document may take.
    pub load: Duration,
    /// How long a page may take to come to rest before it is looked at all the same.
    pub settle: Duration,
    /// Whether what an action would write is held back.
    pub hold_writes: bool,
    /// Whether pictures are taken.
    pub pictures: bool,
    /// Whether e-mail addresses, card numbers and tokens are kept as the app shows them, in pictures too.
    pub keeps_private: bool,
    /// Origins whose frames may load and be looked into. What is in them is mapped, and nothing is done there.
    pub bridges: BTreeSet<String>,
    /// Who is who; a profile that is not named here is nobody.
    pub access: BTreeMap<String, Access>,
}

impl Default for GroundOptions {
    fn default() -> Self {
        Self {
            executable: None,
            headed: false,
            viewport: (1280, 800),
            locale: None,
            load: Duration::from_secs(15),
            settle: Duration::from_secs(3),
            hold_writes: true,
            pictures: true,
            keeps_private: false,
            bridges: BTreeSet::new(),
            access: BTreeMap::new(),
        }
    }
}

/// A browser that shows one app. Cheap to clone.
#[derive(Clone, Debug)]
pub struct WebGround {
    inner: Arc<Inner>,
}

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) browser: Browser,
    pub(super) base: Base,
    pub(super) origins: BTreeSet<String>,
    pub(super) options: GroundOptions,
    silent: published::Silent,
    guests: guests::Guests,
}

impl WebGround {
    /// Starts a browser for an app.
    pub fn launch(base: Base, options: GroundOptions) -> BoxFuture<'static, Result<Self, LaunchError>> {
        Box::pin(async move {
            let guests = guests::Guests::default();
            let launch = LaunchOptions {
                auto_attach: guests.attach(),
                executable: options.executable.clone(),
                headless: !options.headed,
                window_size: options.viewport,
                ..LaunchOptions::default()
            };
            let browser = Browser::launch(launch).await?;
            let origin = base.origin().to_owned();
            let socket = origin.replacen("http", "ws", 1);
            let origins = [origin, socket].into();
            Ok(Self {
                inner: Arc::new(Inner {
                    browser,
                    base,
                    origins,
                    options,
                    silent: published::Silent::default(),
                    guests,
                }),
            })
        })
    }

    /// Opens the app and lets somebody log in by hand; gives what the browser remembers when they say that they are done.
    pub async fn log_in_by_hand<F: Future<Output = ()>>(
        &self,
        person: impl FnOnce(Page) -> F,
    ) -> Result<StorageState, GroundError> {
        place::by_hand(&self.inner, person).await
    }

    /// The process of the browser.
    pub fn process_id(&self) -> Option<u32> {
        self.inner.browser.process_id()
    }

    /// Ends the browser.
    pub async fn close(&self) {
        self.inner.browser.close().await;
    }
}

/// Explores an app. In one place, so that the engine is compiled for pages only once.
pub fn run(
    ground: &WebGround,
    plan: Plan,
    store: Store,
    options: RunOptions,
) -> BoxFuture<'static, Result<Explored, RunError>> {
    Box::pin(explore(Arc::new(ground.clone()), plan, store, options))
}

/// A desk for runs in browsers of their own, on addresses within reach.
pub fn desk(options: GroundOptions, reach: Reach) -> Desk<WebGround> {
    let open: OpenGround<WebGround> = Arc::new(move |base| {
        let options = options.clone();
        Box::pin(async move {
            let ground = WebGround::launch(base, options).await.map_err(|error| error.to_string())?;
            Ok(Arc::new(ground))
        })
    });
    let refuse = move |base: &Base| reach.check(base.url()).err().map(|refusal| refusal.to_string());
    Desk::new(open, Arc::new(refuse), uiap_runtime::clock::now)
}

impl Ground for WebGround {
    type Place = WebPlace;

    async fn open(&self, profile: &str) -> Result<WebPlace, GroundError> {
        if let Some(reason) = self.inner.browser.disconnected() {
            return Err(GroundError::lost(IncidentKind::Crash, format!("the browser is gone: {reason}")));
        }
        WebPlace::open(Arc::clone(&self.inner), profile).await
    }

    fn keeps_private(&self) -> bool {
        self.inner.options.keeps_private
    }
}
