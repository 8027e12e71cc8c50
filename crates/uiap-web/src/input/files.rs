//! Files for file inputs: given directly, or through the chooser that a button opens.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::timeout;
use uiap_cdp::SessionEvent;
use uiap_cdp::protocol::ProtocolEvent as _;
use uiap_cdp::protocol::dom::{BackendNodeId, SetFileInputFiles};
use uiap_cdp::protocol::page::{FileChooserOpened, SetInterceptFileChooserDialog};
use uiap_model::names::ElementInstanceId;

use super::error::InputError;
use super::{Click, Input};

/// How long after a click its chooser may open.
const CHOOSER: Duration = Duration::from_secs(3);

impl Input {
    /// Gives files to a file input, hidden or not.
    pub async fn set_files(&self, target: &ElementInstanceId, files: &[PathBuf]) -> Result<(), InputError> {
        let handle = self.element(target).await?.handle().await?;
        let object_id = Some(handle.object.clone());
        let names = names(files);
        let files = names.iter().map(String::as_str).collect();
        let set = SetFileInputFiles { files, object_id, ..SetFileInputFiles::default() };
        let outcome = handle.session.call(set).await;
        handle.release();
        outcome?;
        Ok(())
    }

    /// Clicks on what opens a file chooser and chooses the files in it.
    pub async fn choose_files(
        &self,
        trigger: &ElementInstanceId,
        files: &[PathBuf],
    ) -> Result<(), InputError> {
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
            Ok(())
        };
        let chosen = chosen.await;
        session.call(SetInterceptFileChooserDialog { enabled: false, cancel: false }).await?;
        chosen
    }
}

fn names(files: &[PathBuf]) -> Vec<String> {
    files.iter().map(|file| Path::to_string_lossy(file).into_owned()).collect()
}
