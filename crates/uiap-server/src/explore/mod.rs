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
use uiap_model::discovery::DiscoveryEnvironment;
use uiap_model::discovery::environment::SafetyMode;
use uiap_web::Page;
use uiap_web::storage::StorageState;

pub use self::place::WebPlace;
use crate::address::Reach;

/// Longest side of a window that somebody may ask for.
const MOST_PIXELS: u32 = 4_096;

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
    /// Origins that belong to the app beside its own, such as that of its API: pages may ask them, and nobody goes there.
    pub origins: BTreeSet<String>,
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
            origins: BTreeSet::new(),
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
    pub(super) supplies: BTreeSet<String>,
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
            let origins = with_sockets([base.origin()]);
            let supplies = with_sockets(options.origins.iter().map(String::as_str));
            Ok(Self {
                inner: Arc::new(Inner {
                    browser,
                    base,
                    origins,
                    supplies,
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

/// Origins, and the same for sockets.
fn with_sockets<'a>(origins: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    let both = |origin: &str| [origin.to_owned(), origin.replacen("http", "ws", 1)];
    origins.into_iter().flat_map(both).collect()
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

/// A desk for runs in browsers of their own, on addresses within reach. What writes is carried out only where `writes` says that
/// the owner of the server lets it.
pub fn desk(options: GroundOptions, reach: Reach, writes: bool) -> Desk<WebGround> {
    let has_access = !options.access.is_empty();
    let open: OpenGround<WebGround> = Arc::new(move |base, environment| {
        let options = asked(options.clone(), environment);
        Box::pin(async move {
            let ground = WebGround::launch(base, options).await.map_err(|error| error.to_string())?;
            Ok(Arc::new(ground))
        })
    });
    let refuse = move |plan: &Plan| {
        let unreachable = reach.check(plan.base().url()).err().map(|refusal| refusal.to_string());
        unreachable
            .or_else(|| (!writes).then(|| too_bold(plan)).flatten())
            .or_else(|| (!has_access).then(|| no_access(plan)).flatten())
    };
    Desk::new(open, Arc::new(refuse), uiap_runtime::clock::now)
}

/// How pages are opened for an environment.
fn asked(mut options: GroundOptions, environment: &DiscoveryEnvironment) -> GroundOptions {
    let side = |length: u64| u32::try_from(length).unwrap_or(u32::MAX).clamp(1, MOST_PIXELS);
    if let Some(viewport) = &environment.viewport {
        options.viewport = (side(viewport.width.0), side(viewport.height.0));
    }
    if let Some(locale) = &environment.locale {
        options.locale = Some(locale.to_string());
    }
    let mode = environment.safety.as_ref().map(|safety| safety.default_mode);
    options.hold_writes &= mode != Some(SafetyMode::SandboxWrite);
    options
}

/// Whoever asks does not grant: what only the owner of a server may allow.
fn too_bold(plan: &Plan) -> Option<String> {
    let safety = &plan.safety;
    let flags = [
        ("allowExternalEffects", safety.allow_external_effects),
        ("allowDestructiveActions", safety.allow_destructive_actions),
        ("allowAuthFlows", safety.allow_auth_flows),
        ("allowPaymentFlows", safety.allow_payment_flows),
    ];
    let what = if safety.default_mode == SafetyMode::SandboxWrite {
        "sandbox_write"
    } else {
        flags.iter().find(|(_, flag)| *flag == Some(true)).map(|(name, _)| *name)?
    };
    Some(format!("`{what}` lets a run write; the owner of this server has not allowed that"))
}

/// Nobody can be asked to log in here, and what is not there cannot be reused.
fn no_access(plan: &Plan) -> Option<String> {
    let mode = plan.environment.auth_mode?;
    Some(format!(
        "`authMode` `{mode}` needs a login that this server was not given; leave it out to explore as nobody"
    ))
}

impl Ground for WebGround {
    type Place = WebPlace;

    async fn open(&self, profile: &str) -> Result<WebPlace, GroundError> {
        if let Some(reason) = self.inner.browser.disconnected() {
            return Err(GroundError::lost(IncidentKind::Crash, format!("the browser is gone: {reason}")));
        }
        WebPlace::open(Arc::clone(&self.inner), profile).await
    }

    fn is_somebody(&self, profile: &str) -> bool {
        let access = self.inner.options.access.get(profile);
        access.is_some_and(|access| access.login.is_some() || access.storage.is_some())
    }

    fn keeps_private(&self) -> bool {
        self.inner.options.keeps_private
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_and_a_language_that_are_asked_for_are_given() {
        let environment = |more: serde_json::Value| -> DiscoveryEnvironment {
            let mut text = serde_json::json!({ "environmentId": "e", "baseUrl": "http://127.0.0.1/" });
            for (name, value) in more.as_object().into_iter().flatten() {
                text[name] = value.clone();
            }
            serde_json::from_value(text).unwrap()
        };
        let usual = asked(GroundOptions::default(), &environment(serde_json::json!({})));
        assert_eq!((usual.viewport, usual.locale, usual.hold_writes), ((1280, 800), None, true));
        let more = serde_json::json!({
            "viewport": { "width": 390, "height": 99_999 }, "locale": "fr-CH", "safety": { "defaultMode": "sandbox_write" }
        });
        let asked = asked(GroundOptions::default(), &environment(more));
        assert_eq!(asked.viewport, (390, MOST_PIXELS), "within reason");
        assert_eq!(asked.locale.as_deref(), Some("fr-CH"));
        assert!(!asked.hold_writes);
    }
}
