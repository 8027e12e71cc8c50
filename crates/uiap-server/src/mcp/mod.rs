//! The Model Context Protocol: over standard input and output, and over HTTP. Tools take explicit session handles; page text is marked
//! as such.
//!
//! | file | what it does |
//! |---|---|
//! | `tools` | tools and answers in the words of the protocol |
//! | `manner` | what a client makes of an answer |
//! | `consent` | how a person is reached |
//! | `http` | the same door on a socket, for several clients that know nothing of each other |

mod consent;
pub mod http;
mod manner;
mod tools;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use compact_str::CompactString;
use futures_util::future::BoxFuture;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, InitializeRequestParams, InitializeResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use self::consent::Consent;
pub use self::manner::Structured;
use crate::asking::Desk;
use crate::session::{Handles, Pool, Sessions};
use crate::tool::{self, Call, Misunderstood, Outcome, Reply, catalog};

/// A client that wants to know hears of what takes longer this often.
const BEAT: Duration = Duration::from_secs(1);

/// What is served.
#[derive(Debug, Clone, Default)]
pub struct McpOptions {
    /// When structured content is given.
    pub structured: Structured,
    /// Where a person is asked whom the client cannot ask.
    pub desk: Option<Desk>,
}

/// Serves one client over standard input and output until it is gone.
pub fn serve(pool: &Pool, options: McpOptions) -> BoxFuture<'_, Result<(), rmcp::RmcpError>> {
    Box::pin(async move {
        warm(pool);
        let sessions = Sessions::new(pool.clone(), Handles::Short);
        let service = Door::new(Rooms::Own(sessions), options).serve(rmcp::transport::stdio()).await?;
        service.waiting().await?;
        Ok(())
    })
}

/// The browser starts while the client is still introducing itself; a failure shows with the first page.
fn warm(pool: &Pool) {
    let ahead = pool.clone();
    tokio::spawn(async move {
        if let Err(error) = ahead.warm().await {
            tracing::warn!(%error, "the browser did not start");
        }
    });
}

/// Whose sessions a request is about.
#[derive(Debug, Clone)]
enum Rooms {
    /// Those of the client at the other end.
    Own(Sessions),
    /// Those of a connection over HTTP; requests without one share rooms by token.
    Http(Sessions, Arc<http::Commons>),
}

#[derive(Debug, Clone)]
struct Door {
    rooms: Rooms,
    options: McpOptions,
    /// Whose connection it is: the id of a connection proves nothing.
    holder: Arc<OnceLock<CompactString>>,
}

impl Door {
    fn new(rooms: Rooms, options: McpOptions) -> Self {
        Self { rooms, options, holder: Arc::default() }
    }

    fn sessions(&self, context: &RequestContext<RoleServer>) -> Result<Sessions, ErrorData> {
        match &self.rooms {
            Rooms::Own(sessions) => Ok(sessions.clone()),
            Rooms::Http(own, commons) => match commons.of(context) {
                Some(shared) => Ok(shared),
                None => self.check_holder(context).map(|()| own.clone()),
            },
        }
    }

    /// A connection belongs to the token that began it.
    fn check_holder(&self, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let sender = http::holder_of(context);
        if *self.holder.get_or_init(|| sender.clone()) == sender {
            return Ok(());
        }
        Err(ErrorData::invalid_request("this connection belongs to another token", None))
    }

    fn structured(&self, context: &RequestContext<RoleServer>) -> bool {
        self.options.structured.suits(context.client_info().as_ref())
    }

    /// The answer; meanwhile whoever wants to know hears how far it is. A client that lost interest ends it.
    async fn perform(&self, call: Call, context: &RequestContext<RoleServer>) -> Result<Outcome, ErrorData> {
        let sessions = self.sessions(context)?;
        let consent = Consent::new(context, self.options.desk.as_ref());
        let token = context.meta.get_progress_token();
        let begin = Instant::now();
        let mut beats = interval_at(begin + BEAT, BEAT);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let work = tool::perform(&sessions, call, &consent);
        tokio::pin!(work);
        loop {
            tokio::select! {
                biased;
                () = context.ct.cancelled() => {
                    return Err(ErrorData::internal_error("the request was cancelled", None));
                }
                outcome = work.as_mut() => return outcome.map_err(|error| misunderstood(&error)),
                _ = beats.tick() => if let Some(token) = token.clone() {
                    let told = ProgressNotificationParam::new(token, begin.elapsed().as_secs_f64())
                        .with_message(consent.stage());
                    if let Err(error) = context.peer.notify_progress(told).await {
                        tracing::debug!(%error, "the client did not hear how far it is");
                    }
                },
            }
        }
    }
}

fn misunderstood(error: &Misunderstood) -> ErrorData {
    ErrorData::invalid_params(error.to_string(), None)
}

impl ServerHandler for Door {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("uiap", env!("CARGO_PKG_VERSION")))
            .with_instructions(catalog::INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.check_holder(&context)?;
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list(self.structured(&context))))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let reply = request
            .request_state
            .map(|token| Reply { token, agreed: tools::agreed(request.input_responses.as_ref()) });
        let call = Call {
            name: request.name.into_owned(),
            arguments: request.arguments.unwrap_or_default(),
            reach: None,
            reply,
        };
        match self.perform(call, &context).await? {
            Outcome::Answer(answer) => Ok(tools::result(answer, self.structured(&context)).into()),
            Outcome::Question { token, wording } => tools::input(token, wording)
                .map(Into::into)
                .ok_or_else(|| ErrorData::internal_error("the question cannot be put", None)),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let links = self.sessions(&context)?.links();
        Ok(ListResourcesResult::with_all_items(links.into_iter().map(tools::resource).collect()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(tools::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let body = self.sessions(&context)?.read(&request.uri).await;
        let body = body.map_err(|error| ErrorData::resource_not_found(error.to_string(), None))?;
        Ok(ReadResourceResult::new(vec![tools::contents(request.uri, body)]).into())
    }
}
