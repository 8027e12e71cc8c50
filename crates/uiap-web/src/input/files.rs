//! Files for file inputs: given directly, or through the chooser that a button opens.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::timeout;
use uiap_cdp::protocol::ProtocolEvent as _;
use uiap_cdp::protocol::dom::{BackendNodeId, ResolveNode, SetFileInputFiles};
use uiap_cdp::protocol::page::{FileChooserOpened, SetInterceptFileChooserDialog};
use uiap_cdp::protocol::runtime::{CallFunctionOn, ReleaseObjectGroup, RemoteObjectId};
use uiap_cdp::{Session, SessionEvent};
use uiap_model::names::ElementInstanceId;

use super::error::InputError;
use super::{Click, Input};

/// How long after a click its chooser may open.
const CHOOSER: Duration = Duration::from_secs(3);
/// What is asked of a chooser's input.
const GROUP: &str = "uiap-files";

impl Input {
    /// Gives files to a file input, hidden or not. Tells the names that it holds afterwards: an app may refuse or take them at once.
    pub async fn set_files(
        &self,
        target: &ElementInstanceId,
        files: &[PathBuf],
    ) -> Result<Vec<String>, InputError> {
        let handle = self.element(target).await?.handle().await?;
        let object_id = Some(handle.object.clone());
        let names = names(files);
        let files = names.iter().map(String::as_str).collect();
        let set = SetFileInputFiles { files, object_id, ..SetFileInputFiles::default() };
        let outcome = match handle.session.call(set).await {
            Ok(_) => held(&handle.session, handle.object.clone()).await,
            Err(error) => Err(error.into()),
        };
        handle.release();
        outcome
    }

    /// Clicks on what opens a file chooser and chooses the files in it. Tells the names that are held afterwards.
    pub async fn choose_files(
        &self,
        trigger: &ElementInstanceId,
        files: &[PathBuf],
    ) -> Result<Vec<String>, InputError> {
        let session = self.session();
        let mut events = session.events_of(&[FileChooserOpened::NAME]);
        session.call(SetInterceptFileChooserDialog { enabled: true, cancel: false }).await?;
        let chosen = async {
            self.click(trigger, &Click::default()).await?;
            let opened = async {
                loop {
                    match events.next().await? {
                        SessionEvent::Event(event) => {
                            if let Some(opened) = event.read::<FileChooserOpened>() {
                                return opened.backend_node_id;
                            }
                        }
                        SessionEvent::Detached(_) => return None,
                        _ => {}
                    }
                }
            };
            let node: Option<BackendNodeId> = timeout(CHOOSER, opened).await.ok().flatten();
            let backend_node_id = Some(node.ok_or(InputError::NoChooser)?);
            let names = names(files);
            let files = names.iter().map(String::as_str).collect();
            session
                .call(SetFileInputFiles { files, backend_node_id, ..SetFileInputFiles::default() })
                .await?;
            let resolve =
                ResolveNode { backend_node_id, object_group: Some(GROUP), ..ResolveNode::default() };
            let resolved = session.call(resolve).await?;
            match resolved.object.object_id {
                Some(object) => held(session, object).await,
                None => Ok(Vec::new()),
            }
        };
        let chosen = chosen.await;
        session.call(SetInterceptFileChooserDialog { enabled: false, cancel: false }).await?;
        session.call(ReleaseObjectGroup { object_group: GROUP }).await?;
        chosen
    }
}

/// The names of the files that an input holds.
async fn held(session: &Session, object: RemoteObjectId) -> Result<Vec<String>, InputError> {
    let read = CallFunctionOn {
        function_declaration: "function() { return JSON.stringify(Array.from(this.files ?? [], (each) => each.name)); }",
        object_id: Some(object),
        silent: true,
        return_by_value: true,
        ..CallFunctionOn::default()
    };
    let text: Option<String> = session.call(read).await?.result.value_as().unwrap_or_default();
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

fn names(files: &[PathBuf]) -> Vec<String> {
    files.iter().map(|file| Path::to_string_lossy(file).into_owned()).collect()
}
