//! Tools: a name and arguments in, an answer out, whoever carries them. MCP and the daemon both call this and nothing else.

mod args;
pub mod catalog;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uiap_runtime::text::Query;

use self::args::{Act, Find, Look, Only, Open, Screenshot, Tabs, Wait};
use crate::address::Reach;
use crate::session::{
    self, Acted, Confirm, Deed, Facts, Link, Opening, Pointing, SessionError, Sessions, Told,
};

/// A call that is not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misunderstood {
    /// No such tool.
    #[error("there is no tool `{0}`")]
    Tool(String),
    /// Wrong arguments.
    #[error("{0}")]
    Arguments(String),
}

/// A call of a tool.
#[derive(Debug, Clone, Default)]
pub struct Call {
    /// Which tool.
    pub name: String,
    /// With what.
    pub arguments: Map<String, Value>,
    /// What pages of a new session may reach; for whoever may say so, which is never the agent.
    pub reach: Option<Reach>,
    /// A person's answer to the question of an earlier call.
    pub reply: Option<Reply>,
}

/// A person's answer, brought by whoever asked the person.
#[derive(Debug, Clone)]
pub struct Reply {
    /// What the question was given with.
    pub token: String,
    /// What the person said.
    pub agreed: bool,
}

/// What came of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Whether it did not do what it was called for.
    pub failed: bool,
    /// For whoever reads; what a page says stands between marks.
    pub text: String,
    /// For machines; none when there was no session to tell of.
    pub facts: Option<Box<Facts>>,
    /// Where there is more.
    pub links: Vec<Link>,
    /// A picture.
    #[serde(skip)]
    pub png: Option<Vec<u8>>,
}

/// An answer, or a question that comes before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is done.
    Answer(Answer),
    /// A person is asked; the answer comes with the same call and the token.
    Question {
        /// Holds once.
        token: String,
        /// What the person is asked.
        wording: String,
    },
}

impl Answer {
    fn of(told: Told) -> Self {
        Self {
            failed: false,
            text: told.text,
            facts: Some(Box::new(told.facts)),
            links: told.links,
            png: None,
        }
    }

    fn unless(succeeded: bool, told: Told) -> Self {
        Self { failed: !succeeded, ..Self::of(told) }
    }

    fn refusal(error: &SessionError) -> Self {
        Self { failed: true, text: error.to_string(), ..Self::default() }
    }
}

/// Does what a call asks for. What goes wrong is an answer too; only what is not understood is not.
pub async fn perform(
    sessions: &Sessions,
    call: Call,
    confirm: &impl Confirm,
) -> Result<Outcome, Misunderstood> {
    // One place of many callers: without the box each of them gets a copy of all of it.
    Box::pin(dispatch(sessions, call, confirm)).await
}

async fn dispatch(sessions: &Sessions, call: Call, confirm: &impl Confirm) -> Result<Outcome, Misunderstood> {
    let done = match call.name.as_str() {
        "open" => open(sessions, read(call.arguments)?, call.reach).await,
        "snapshot" => snapshot(sessions, read(call.arguments)?).await,
        "find" => find(sessions, read(call.arguments)?).await,
        "act" => return act(sessions, call, confirm).await,
        "wait" => wait(sessions, read(call.arguments)?).await,
        "actions" => {
            let only: Only = read(call.arguments)?;
            sessions.actions(only.session.as_deref()).await.map(Answer::of)
        }
        "trace" => {
            let only: Only = read(call.arguments)?;
            sessions.trace(only.session.as_deref()).await.map(Answer::of)
        }
        "screenshot" => screenshot(sessions, read(call.arguments)?).await,
        "tabs" => tabs(sessions, read(call.arguments)?).await,
        "close" => {
            let only: Only = read(call.arguments)?;
            sessions.close(only.session.as_deref()).await.map(Answer::of)
        }
        other => return Err(Misunderstood::Tool(other.to_owned())),
    };
    Ok(Outcome::Answer(done.unwrap_or_else(|error| Answer::refusal(&error))))
}

/// Reads arguments; a mistake is told with its name.
fn read<T: serde::de::DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, Misunderstood> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Misunderstood::Arguments(error.to_string()))
}

type Done = Result<Answer, SessionError>;

async fn open(sessions: &Sessions, args: Open, reach: Option<Reach>) -> Done {
    let opening = Opening { session: args.session, reach };
    let mut told = sessions.open(&args.url, &opening).await?;
    told.text.insert_str(0, &format!("session {}\n", told.facts.session));
    Ok(Answer::of(told))
}

async fn snapshot(sessions: &Sessions, args: Look) -> Done {
    let look =
        session::Look { budget: args.budget, full: args.full, scope: args.scope, changes: args.changes };
    sessions.look(args.session.as_deref(), &look).await.map(Answer::of)
}

async fn find(sessions: &Sessions, args: Find) -> Done {
    let query = Query { role: args.role, name: args.name, text: args.text, limit: 20 };
    sessions.seek(args.session.as_deref(), &query).await.map(Answer::of)
}

async fn act(sessions: &Sessions, call: Call, confirm: &impl Confirm) -> Result<Outcome, Misunderstood> {
    let asked = Value::Object(call.arguments.clone());
    let args: Act = read(call.arguments)?;
    let handle = args.session.clone();
    let acted = match call.reply {
        Some(reply) => sessions.resume(handle.as_deref(), &reply.token, reply.agreed, &asked, confirm).await,
        None => sessions.act(handle.as_deref(), deed(args), &asked, confirm).await,
    };
    Ok(match acted {
        Ok(Acted::Over { succeeded, told }) => Outcome::Answer(Answer::unless(succeeded, told)),
        Ok(Acted::Question { token, wording }) => Outcome::Question { token, wording },
        Err(error) => Outcome::Answer(Answer::refusal(&error)),
    })
}

fn deed(args: Act) -> Deed {
    let to = match (args.r#ref, args.role) {
        (Some(name), _) => Some(Pointing::Ref(name)),
        (None, Some(role)) => Some(Pointing::Named { role, name: args.name }),
        (None, None) => None,
    };
    Deed {
        action: args.action,
        to,
        text: args.text,
        args: args.args,
        expect: args.expect,
        timeout_ms: args.timeout_ms,
    }
}

async fn wait(sessions: &Sessions, args: Wait) -> Done {
    let (seen, told) = sessions.wait(args.session.as_deref(), &args.expect, args.timeout_ms).await?;
    Ok(Answer::unless(seen, told))
}

async fn screenshot(sessions: &Sessions, args: Screenshot) -> Done {
    let picture = sessions.picture(args.session.as_deref(), args.full, args.marks, args.link).await?;
    let png = Some(picture.png).filter(|png| !png.is_empty());
    Ok(Answer { png, ..Answer::of(picture.told) })
}

async fn tabs(sessions: &Sessions, args: Tabs) -> Done {
    let wanted = match (args.switch, args.close) {
        (Some(name), _) => session::Tabs::Switch(name),
        (None, Some(name)) => session::Tabs::Close(name),
        (None, None) => session::Tabs::List,
    };
    sessions.tabs(args.session.as_deref(), &wanted).await.map(Answer::of)
}
