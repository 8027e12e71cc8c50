//! A server put together: browsers behind a gate, sessions in a house, doors in front of it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::net::TcpListener;
use uiap_model::authoring::{BindingsManifest, UIAPCompiledBundle};
use uiap_model::capability::{ActionKind, PrimitiveActionType};
use uiap_model::names::SessionId;
use uiap_policy::{Policies, PolicyStore, Refusal};
use uiap_runtime::action::primitive;
use uiap_runtime::journal::{AuditFileError, Interrupted, Journal, JournalError};

use crate::address::Reach;
use crate::audit::AuditBook;
use crate::browsers::{BrowserError, BrowserOptions, Browsers};
use crate::door::listen::loopback_hosts;
use crate::door::{Bounds, Door, Gatekeeper, GatekeeperError, Layout};
use crate::downloads::DownloadOptions;
use crate::explore::GroundOptions;
use crate::operator::{Operator, OperatorError};
use crate::pages::Pages;
use crate::protocol::{Contract, House, HouseError, HouseOptions, Keyring};

/// What is served, to whom, and where.
#[derive(Debug)]
pub struct ServeOptions {
    /// The socket.
    pub listen: SocketAddr,
    /// Whether it may be reached from other machines; a token is needed then.
    pub beyond_loopback: bool,
    /// Names, with their ports, under which it is reached beside those of loopback.
    pub hosts: Vec<String>,
    /// Pages that may connect.
    pub client_origins: Vec<String>,
    /// Who may connect; everybody on this machine when it is empty.
    pub keyring: Keyring,
    /// What pages may reach.
    pub reach: Reach,
    /// The contract of the app.
    pub bundle: Option<Box<UIAPCompiledBundle>>,
    /// Policies as they were read; those of the contract when there are none.
    pub policies: Vec<Value>,
    /// Browsers.
    pub browsers: BrowserOptions,
    /// Sessions.
    pub house: HouseOptions,
    /// Whether sessions may ask for discovery runs.
    pub discovery: bool,
    /// Whether such runs may write.
    pub discovery_writes: bool,
    /// Limits of connections.
    pub bounds: Bounds,
    /// Port of the operator's view on this machine, 0 for any; none without it.
    pub operator: Option<u16>,
    /// Where it is written down what was asked for and what was sent; in memory without it.
    pub journal: Option<PathBuf>,
    /// Where the audit chain is written.
    pub audit: Option<PathBuf>,
    /// Where downloads go.
    pub downloads: DownloadOptions,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            beyond_loopback: false,
            hosts: Vec::new(),
            client_origins: Vec::new(),
            keyring: Keyring::default(),
            reach: Reach::public(),
            bundle: None,
            policies: Vec::new(),
            browsers: BrowserOptions::default(),
            house: HouseOptions::default(),
            discovery: false,
            discovery_writes: false,
            bounds: Bounds::default(),
            operator: None,
            journal: None,
            audit: None,
            downloads: DownloadOptions::default(),
        }
    }
}

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Everybody could connect.
    #[error("`{0}` can be reached from other machines: that needs `--token-file` and `--beyond-loopback`")]
    Exposed(SocketAddr),
    /// The socket.
    #[error("cannot listen on `{address}`: {error}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why not.
        error: std::io::Error,
    },
    /// Who may connect.
    #[error(transparent)]
    Gatekeeper(#[from] GatekeeperError),
    /// The policy.
    #[error(transparent)]
    Policy(#[from] Refusal),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The audit chain.
    #[error(transparent)]
    Audit(#[from] AuditFileError),
    /// The operator's view.
    #[error(transparent)]
    Operator(#[from] OperatorError),
    /// A fault of this crate.
    #[error(transparent)]
    House(#[from] HouseError),
}

/// A running server.
#[derive(Debug)]
pub struct Server {
    door: Door,
    browsers: Browsers,
    operator: Option<Operator>,
    interrupted: Vec<Interrupted>,
}

impl Server {
    /// Starts to serve. Browsers start with the first session, or with [`warm`](Self::warm).
    pub fn start(options: ServeOptions) -> BoxFuture<'static, Result<Self, ServeError>> {
        Box::pin(async move {
            let private = options.listen.ip().is_loopback();
            let guarded = options.beyond_loopback && options.keyring.demands();
            if !private && !guarded {
                return Err(ServeError::Exposed(options.listen));
            }
            let contract = contract(options.bundle.as_deref())?;
            let policy = PolicyStore::new(policies(options.bundle.as_deref(), &options.policies)?);
            let (journal, interrupted) = journal(options.journal.as_deref())?;
            let audit = options.audit.as_deref().map(audit).transpose()?;
            let listen = |error| ServeError::Listen { address: options.listen, error };
            let listener = TcpListener::bind(options.listen).await.map_err(listen)?;
            let address = listener.local_addr().map_err(listen)?;
            let view = match options.operator {
                Some(port) => {
                    Some(TcpListener::bind(("127.0.0.1", port)).await.map_err(OperatorError::from)?)
                }
                None => None,
            };
            let mut hosts = options.hosts;
            hosts.extend(loopback_hosts(address).into_iter().filter(|_| private));
            let gatekeeper = Gatekeeper::new(hosts, options.client_origins)?;
            // No page of ours reaches us, whatever origins are allowed.
            let mut reach = options.reach.without(address);
            if let Some(view) = &view {
                reach = reach.without(view.local_addr().map_err(OperatorError::from)?);
            }
            let browsers = Browsers::new(options.browsers, reach.clone());
            let declared =
                contract.document().actions.iter().filter(|action| action.kind == ActionKind::Domain);
            let declared = declared.cloned().collect();
            let bindings = options.bundle.as_ref().and_then(|bundle| bundle.bindings.as_ref());
            let routes = bindings.into_iter().flat_map(BindingsManifest::paths);
            let routes = routes.map(|(id, path)| (id.to_owned(), path.to_owned())).collect();
            let pages = Pages::new(browsers.clone(), reach.clone(), journal, declared).with_audit(audit);
            let pages = pages.with_routes(routes);
            crate::downloads::sweep();
            let pages = pages.with_downloads(options.downloads);
            let mut house = options.house;
            if options.discovery {
                let writes = options.discovery_writes;
                house.discovery = Some(crate::explore::desk(GroundOptions::default(), reach, writes));
            }
            let house = House::new(house, contract, policy, options.keyring, Arc::new(pages))?;
            let operator = view.map(|view| Operator::open(view, Arc::clone(&house))).transpose()?;
            let door =
                Door::open(listener, house, gatekeeper, Layout::default(), options.bounds).map_err(listen)?;
            Ok(Self { door, browsers, operator, interrupted })
        })
    }

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        self.door.address()
    }

    /// Prepares a page ahead of the first session.
    pub fn warm(&self) -> BoxFuture<'_, Result<(), BrowserError>> {
        Box::pin(async move { self.browsers.warm().await })
    }

    /// The browsers.
    pub fn browsers(&self) -> &Browsers {
        &self.browsers
    }

    /// The operator's view, where there is one.
    pub fn operator(&self) -> Option<&Operator> {
        self.operator.as_ref()
    }

    /// What an earlier run left under way, with what is known of its effect.
    pub fn interrupted(&self) -> &[Interrupted] {
        &self.interrupted
    }

    /// The sessions.
    pub fn house(&self) -> &Arc<House> {
        self.door.house()
    }

    /// Says goodbye to everybody and ends every browser.
    pub fn close(self) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            self.door.close().await;
            if let Some(operator) = self.operator {
                operator.close().await;
            }
            self.browsers.close().await;
        })
    }
}

fn contract(bundle: Option<&UIAPCompiledBundle>) -> Result<Contract, HouseError> {
    let primitives =
        PrimitiveActionType::ALL.iter().filter_map(|action| primitive::descriptor(*action)).collect();
    let contract = Contract::of_pages(primitives).ok_or(HouseError)?;
    Ok(match bundle {
        Some(bundle) => contract.with_bundle(bundle),
        None => contract,
    })
}

/// The policies that were given, else those of the contract, else risk levels alone.
pub fn policies(bundle: Option<&UIAPCompiledBundle>, given: &[Value]) -> Result<Policies, Refusal> {
    let context = bundle.map(|bundle| bundle.build_context.clone()).unwrap_or_default();
    let of_bundle = bundle.and_then(|bundle| bundle.policies.clone()).unwrap_or_default();
    match (given.is_empty(), of_bundle.is_empty()) {
        (false, _) => Policies::from_values(given, &context),
        (true, false) => Policies::compile(of_bundle, &context),
        (true, true) => Ok(Policies::off()),
    }
}

/// A journal in which everything of earlier runs has come to an end.
fn journal(path: Option<&Path>) -> Result<(Arc<Journal>, Vec<Interrupted>), JournalError> {
    let journal = match path {
        Some(path) => Journal::open(path)?,
        None => Journal::in_memory()?,
    };
    let interrupted = journal.recover()?;
    Ok((Arc::new(journal), interrupted))
}

fn audit(path: &Path) -> Result<Arc<AuditBook>, ServeError> {
    let server = SessionId::parse("serve").ok_or(HouseError)?;
    Ok(AuditBook::open(path, server)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_server_that_others_can_reach_needs_a_token_and_a_word() {
        let token = || Keyring::parse("0123456789abcdef0123456789").unwrap();
        let open = |address: &str, beyond_loopback, keyring| ServeOptions {
            listen: address.parse().unwrap(),
            beyond_loopback,
            keyring,
            ..ServeOptions::default()
        };
        for options in [
            open("0.0.0.0:0", false, Keyring::default()),
            open("0.0.0.0:0", true, Keyring::default()),
            open("0.0.0.0:0", false, token()),
            open("[::]:0", false, token()),
            open("192.0.2.1:0", false, token()),
        ] {
            let refused = Server::start(options).await.unwrap_err();
            assert!(refused.to_string().contains("--token-file"), "{refused}");
        }
        let server = Server::start(open("127.0.0.1:0", false, Keyring::default())).await.unwrap();
        assert!(server.address().ip().is_loopback());
        server.close().await;
        Server::start(open("0.0.0.0:0", true, token())).await.unwrap().close().await;
    }

    #[test]
    fn every_primitive_is_declared() {
        let contract = contract(None).unwrap();
        assert_eq!(contract.document().actions.len(), PrimitiveActionType::ALL.len());
        let problems = uiap_model::capability::check::check(contract.document());
        assert!(uiap_model::problem::acceptable(&problems), "{problems:?}");
    }

    #[test]
    fn a_policy_that_cannot_be_read_stops_the_start() {
        assert!(policies(None, &[serde_json::json!({ "defaults": 7 })]).is_err());
        assert!(policies(None, &[]).is_ok());
    }
}
