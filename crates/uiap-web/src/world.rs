//! The isolated world in which the in-page script lives, for as long as its document does.

use serde_json::{Value, json};
use uiap_cdp::Session;
use uiap_cdp::protocol::page::{
    AddScriptToEvaluateOnNewDocument, CreateIsolatedWorld, FrameId, GetFrameTree, ScriptIdentifier,
};
use uiap_cdp::protocol::runtime::{AddBinding, CallArgument, CallFunctionOn, Evaluation, RemoteObjectId};

use crate::bundle::SCRIPT;
use crate::error::{PageError, PageErrorKind};
use crate::input::aim::{AIM, FINISH};
use crate::vocabulary::Vocabulary;

const NAME: &str = "uiap";
/// The function by which the script calls the host; only the isolated worlds have it.
pub(crate) const BINDING: &str = "uiapCall";
/// What the script calls with when the task of an input begins, and when it is over; everything else is an observer's id.
pub(crate) const INPUT_BEGINS: &str = "input+";
pub(crate) const INPUT_ENDS: &str = "input-";

/// Has the script put into every frame before the page's own scripts run, and into those that are there already.
pub(crate) async fn install(session: &Session) -> Result<(), PageError> {
    add(session, &from_the_start()).await?;
    Ok(())
}

/// What every document has before its own scripts run: the script itself, who watches what moves, and what each gesture needs.
fn from_the_start() -> String {
    let mut source = format!("globalThis.uiapCreate ??= {SCRIPT};");
    for Kept { name, source: function } in [&MOTION, &AIM, &FINISH] {
        source.push_str(&format!("globalThis[Symbol.for('uiap.{name}')] ??= ({function});"));
    }
    source.push_str("globalThis[Symbol.for('uiap.motion')](document);");
    source
}

/// The same with any script.
pub(crate) async fn add(session: &Session, source: &str) -> Result<ScriptIdentifier, PageError> {
    let add = AddScriptToEvaluateOnNewDocument { source, world_name: Some(NAME), run_immediately: true };
    Ok(session.call(add).await?.identifier)
}

/// One object for each document, made when it is asked for the first time.
const MAKE: &str = "function(vocabulary){return globalThis.uiapPage ??= globalThis.uiapCreate(vocabulary, (id) => globalThis.uiapCall(id))}";

/// A function that stays in the isolated world of a document, so that it is sent and compiled once.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) name: &'static str,
    /// A function expression; `this` is the element.
    pub(crate) source: &'static str,
}

/// Calls one of them on the element that is meant.
const ON: &str = "function(target, name, value) {
    const element = target === null ? globalThis : this.take(target);
    if (typeof element === 'string') return element;
    const kept = globalThis[Symbol.for('uiap.' + name)];
    return kept ? kept.call(element, value) : 'uiap:absent';
}";
const ABSENT: &str = "uiap:absent";

/// Remembers when a script last moved something.
const MOTION: Kept = Kept { name: "motion", source: include_str!("../page/functions/motion.js") };

/// The script's object in one document.
#[derive(Debug, Clone)]
pub(crate) struct World {
    object: RemoteObjectId,
}

impl World {
    /// Creates the world in the main frame's present document and puts the script into it.
    pub(crate) async fn create(session: &Session, first_id: u64) -> Result<Self, PageError> {
        let tree = session.call(GetFrameTree {}).await?;
        Self::create_in(session, tree.frame_tree.frame.id, first_id).await
    }

    /// The same in any frame of the session.
    pub(crate) async fn create_in(
        session: &Session,
        frame_id: FrameId,
        first_id: u64,
    ) -> Result<Self, PageError> {
        let create = CreateIsolatedWorld { frame_id, world_name: Some(NAME), grant_universal_access: false };
        let context = session.call(create).await?.execution_context_id;
        // Without the noise of an enabled domain a binding reaches only the worlds that are there already.
        session.call(AddBinding { name: BINDING, execution_context_name: Some(NAME) }).await?;
        let vocabulary = serde_json::to_value(Vocabulary::starting_at(first_id))?;
        let install = CallFunctionOn {
            function_declaration: MAKE,
            execution_context_id: Some(context),
            arguments: Some(vec![argument(vocabulary)]),
            silent: true,
            ..CallFunctionOn::default()
        };
        let evaluation = checked(session.call(install).await?)?;
        let object = evaluation
            .result
            .object_id
            .ok_or_else(|| PageError::new(PageErrorKind::Script("it returned no object".to_owned())))?;
        Ok(Self { object })
    }

    /// Calls a function of the script that answers with text.
    pub(crate) async fn ask(
        &self,
        session: &Session,
        function: &str,
        argument: Value,
    ) -> Result<String, PageError> {
        let evaluation = self.call(session, function, argument, true).await?;
        let text: Option<String> = evaluation.result.value_as()?;
        text.ok_or_else(|| PageError::new(PageErrorKind::Script(format!("`{function}` answered nothing"))))
    }

    /// Calls a function of the script and keeps a handle to what it returns, such as an element.
    pub(crate) async fn handle(
        &self,
        session: &Session,
        function: &str,
        argument: Value,
    ) -> Result<Option<RemoteObjectId>, PageError> {
        Ok(self.call(session, function, argument, false).await?.result.object_id)
    }

    /// Calls a kept function on an element.
    pub(crate) async fn on(
        &self,
        session: &Session,
        target: Value,
        function: &Kept,
        value: Value,
    ) -> Result<String, PageError> {
        let arguments = [target, json!(function.name), value];
        let answer = self.text(session, ON, &arguments).await?;
        if answer != ABSENT {
            return Ok(answer);
        }
        let keep = format!(
            "function() {{ globalThis[Symbol.for('uiap.{}')] = ({}); return 'kept'; }}",
            function.name, function.source
        );
        self.text(session, &keep, &[]).await?;
        self.text(session, ON, &arguments).await
    }

    pub(crate) async fn text(
        &self,
        session: &Session,
        declaration: &str,
        values: &[Value],
    ) -> Result<String, PageError> {
        let call = CallFunctionOn {
            function_declaration: declaration,
            object_id: Some(self.object.clone()),
            arguments: Some(values.iter().cloned().map(argument).collect()),
            silent: true,
            return_by_value: true,
            await_promise: true,
            ..CallFunctionOn::default()
        };
        let text: Option<String> = checked(session.call(call).await?)?.result.value_as()?;
        text.ok_or_else(|| PageError::new(PageErrorKind::Silent))
    }

    async fn call(
        &self,
        session: &Session,
        function: &str,
        value: Value,
        return_by_value: bool,
    ) -> Result<Evaluation, PageError> {
        let call = CallFunctionOn {
            function_declaration: "function(name, argument){return this[name](argument)}",
            object_id: Some(self.object.clone()),
            arguments: Some(vec![argument(json!(function)), argument(value)]),
            silent: true,
            return_by_value,
            // Some answer later; what answers at once loses nothing by it.
            await_promise: return_by_value,
            ..CallFunctionOn::default()
        };
        checked(session.call(call).await?)
    }
}

fn argument(value: Value) -> CallArgument {
    CallArgument { value: Some(value), ..CallArgument::default() }
}

fn checked(evaluation: Evaluation) -> Result<Evaluation, PageError> {
    let Some(details) = evaluation.exception_details else { return Ok(evaluation) };
    let thrown = details.exception.and_then(|exception| exception.description);
    Err(PageError::new(PageErrorKind::Script(thrown.unwrap_or(details.text))))
}
