//! The isolated world in which the in-page script lives, for as long as its document does.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use uiap_cdp::Session;
use uiap_cdp::protocol::page::{CreateIsolatedWorld, GetFrameTree};
use uiap_cdp::protocol::runtime::{CallArgument, CallFunctionOn, Evaluation, RemoteObjectId};

use crate::bundle::SCRIPT;
use crate::error::{PageError, PageErrorKind};
use crate::vocabulary::Vocabulary;

const NAME: &str = "uiap";

/// The script's object in one document.
#[derive(Debug, Clone)]
pub(crate) struct World {
    object: RemoteObjectId,
}

impl World {
    /// Creates the world in the main frame's present document and puts the script into it.
    pub(crate) async fn create(session: &Session, first_id: u64) -> Result<Self, PageError> {
        let tree = session.call(GetFrameTree {}).await?;
        let create = CreateIsolatedWorld {
            frame_id: tree.frame_tree.frame.id,
            world_name: Some(NAME),
            grant_universal_access: false,
        };
        let context = session.call(create).await?.execution_context_id;
        let vocabulary = serde_json::to_value(Vocabulary::starting_at(first_id))?;
        let install = CallFunctionOn {
            function_declaration: &format!(
                "function(vocabulary){{return ({})(vocabulary)}}",
                SCRIPT.trim_end().trim_end_matches(';')
            ),
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

    /// Calls a function of the script that answers with JSON text.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        session: &Session,
        function: &str,
        argument: Value,
    ) -> Result<T, PageError> {
        let evaluation = self.call(session, function, argument, true).await?;
        let text: Option<String> = evaluation.result.value_as()?;
        let text = text
            .ok_or_else(|| PageError::new(PageErrorKind::Script(format!("`{function}` answered nothing"))))?;
        Ok(serde_json::from_str(&text)?)
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
