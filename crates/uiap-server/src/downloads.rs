//! Downloads of one session: into a folder of its own that nobody else may read, within bounds, under names that lead nowhere.
//!
//! The browser stores under names of its own choice; what is complete gets the name that the server of the file chose, made safe.
//! What is too large is stopped while it comes in.

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use uiap_cdp::protocol::browser::{
    BrowserContextId, CancelDownload, DownloadProgress, DownloadState, DownloadWillBegin,
};
use uiap_cdp::{Browser, BrowserEvent, BrowserEvents};
use uiap_model::json::JsonObject;
use uiap_model::names::SessionId;
use uiap_model::web::WebSignal;
use uiap_model::web::signal::{WebSignalBase, WebSignalBody};
use uiap_web::signal::Report;
use uiap_web::signal::browser::DOWNLOAD;

use crate::browsers::{BrowserError, Tab};

/// Begins the names of folders that go with their session; the process that made one follows.
const PREFIX: &str = "uiap-downloads-";
/// Characters of a name.
const MOST_NAME: usize = 120;
/// Names of downloads that are remembered until they are complete.
const MOST_NAMES: usize = 1_000;

/// Where downloads go, and how much of them.
#[derive(Clone, Debug)]
pub struct DownloadOptions {
    /// Folder in which every session gets one that stays; without it they go with the session.
    pub keep: Option<PathBuf>,
    /// Files of one session.
    pub files: usize,
    /// Bytes of one session.
    pub bytes: u64,
}

impl Default for DownloadOptions {
    fn default() -> Self {
        Self { keep: None, files: 20, bytes: 100 << 20 }
    }
}

/// Why a session has no place for downloads.
#[derive(Debug, thiserror::Error)]
pub enum DownloadError {
    /// The folder.
    #[error("there is no folder for downloads: {0}")]
    Folder(#[from] io::Error),
    /// The browser.
    #[error(transparent)]
    Browser(#[from] BrowserError),
}

/// The folder of one session, and who looks after it. Dropping it ends both, unless the folder stays.
#[derive(Debug)]
pub(crate) struct Jail {
    _folder: Option<TempDir>,
    task: JoinHandle<()>,
}

impl Drop for Jail {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Jail {
    /// Downloads of this page go here from now on; what becomes of them is told.
    pub(crate) async fn open(
        options: &DownloadOptions,
        session: &SessionId,
        tab: &Tab,
    ) -> Result<(Self, mpsc::UnboundedReceiver<WebSignal>), DownloadError> {
        let (folder, path) = if let Some(keep) = &options.keep {
            (None, kept(keep, session)?)
        } else {
            let prefix = format!("{PREFIX}{}.", std::process::id());
            let folder = tempfile::Builder::new().prefix(&prefix).tempdir()?;
            let path = folder.path().to_owned();
            (Some(folder), path)
        };
        let (browser, context, events) = tab.keep_downloads(path.clone()).await?;
        let (told, signals) = mpsc::unbounded_channel();
        let porter = Porter {
            browser,
            context,
            folder: path,
            limits: options.clone(),
            names: HashMap::new(),
            mine: HashSet::new(),
            files: 0,
            bytes: 0,
            told,
        };
        let task = tokio::spawn(porter.watch(events, tab.watch.signals()));
        Ok((Self { _folder: folder, task }, signals))
    }
}

/// A folder that stays; only its owner may look into it.
fn kept(keep: &Path, session: &SessionId) -> io::Result<PathBuf> {
    let folder = keep.join(safe(session.as_str()));
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700))?;
    folder.canonicalize()
}

/// Removes folders of processes that were killed.
pub(crate) fn sweep() {
    let Ok(entries) = std::fs::read_dir(std::env::temp_dir()) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner =
            name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('.').next()?.parse::<u32>().ok());
        let Some(owner) = owner else { continue };
        let gone = Path::new("/proc/self").exists() && !Path::new(&format!("/proc/{owner}")).exists();
        if gone && let Err(error) = std::fs::remove_dir_all(entry.path()) {
            tracing::debug!(%error, "a folder of an earlier run stays");
        }
    }
}

struct Porter {
    browser: Browser,
    context: BrowserContextId,
    folder: PathBuf,
    limits: DownloadOptions,
    /// Names of downloads of the whole browser, by id.
    names: HashMap<String, String>,
    /// Downloads of this page that are not complete.
    mine: HashSet<String>,
    files: usize,
    bytes: u64,
    told: mpsc::UnboundedSender<WebSignal>,
}

impl Porter {
    async fn watch(mut self, mut events: BrowserEvents, mut signals: broadcast::Receiver<Report>) {
        loop {
            tokio::select! {
                event = events.next() => match event {
                    Some(BrowserEvent::Event(event)) => {
                        if let Some(start) = event.read::<DownloadWillBegin>() {
                            self.named(start.guid.as_str(), &start.suggested_filename);
                        } else if let Some(progress) = event.read::<DownloadProgress>() {
                            self.progress(&progress).await;
                        }
                    }
                    Some(BrowserEvent::Disconnected(_)) | None => return,
                    Some(_) => {}
                },
                signal = signals.recv() => match signal {
                    Ok(report) => self.started(&report.body).await,
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                },
            }
        }
    }

    fn named(&mut self, id: &str, suggested: &str) {
        if self.names.len() >= MOST_NAMES {
            self.names.clear();
        }
        self.names.insert(id.to_owned(), safe(suggested));
    }

    /// A download of this very page began.
    async fn started(&mut self, body: &WebSignalBody) {
        let WebSignalBody::Custom { name, payload: Some(payload) } = body else { return };
        let word = |key: &str| payload.0.get(key).and_then(Value::as_str);
        let (true, Some("started"), Some(id)) = (*name == DOWNLOAD, word("state"), word("downloadId")) else {
            return;
        };
        self.files += 1;
        self.mine.insert(id.to_owned());
        if self.files > self.limits.files {
            let reason = format!("a session may download {} files", self.limits.files);
            self.stop(id, &reason).await;
        }
    }

    async fn progress(&mut self, progress: &DownloadProgress) {
        let id = progress.guid.as_str().to_owned();
        match progress.state {
            DownloadState::Completed => self.complete(&id),
            DownloadState::Canceled => {
                self.mine.remove(&id);
            }
            _ if self.mine.contains(&id) && self.is_too_much(progress.received_bytes) => {
                let reason = format!("a session may download {} bytes", self.limits.bytes);
                self.stop(&id, &reason).await;
            }
            _ => {}
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a limit of bytes is far below 2^53")]
    fn is_too_much(&self, received: f64) -> bool {
        self.bytes as f64 + received > self.limits.bytes as f64
    }

    async fn stop(&mut self, id: &str, reason: &str) {
        self.mine.remove(id);
        let cancel =
            CancelDownload { guid: id.to_owned().into(), browser_context_id: Some(self.context.clone()) };
        if let Err(error) = self.browser.call(cancel).await {
            tracing::debug!(%error, "a download could not be stopped");
        }
        self.tell(&json!({ "state": "refused", "downloadId": id, "reason": reason }));
    }

    /// A file that is complete gets its name; whose it is, its folder tells.
    fn complete(&mut self, id: &str) {
        let stored = self.folder.join(safe(id));
        let Ok(bytes) = std::fs::metadata(&stored).map(|file| file.len()) else { return };
        self.mine.remove(id);
        if self.bytes + bytes > self.limits.bytes {
            drop(std::fs::remove_file(&stored));
            let reason = format!("a session may download {} bytes", self.limits.bytes);
            return self.tell(&json!({ "state": "refused", "downloadId": id, "reason": reason }));
        }
        let name = self.names.remove(id).unwrap_or_else(|| "download".to_owned());
        match self.rename(&stored, &name) {
            Ok(name) => {
                self.bytes += bytes;
                self.tell(&json!({ "state": "stored", "downloadId": id, "name": name, "bytes": bytes }));
            }
            Err(error) => {
                tracing::warn!(%error, "a download could not be stored");
                self.tell(
                    &json!({ "state": "refused", "downloadId": id, "reason": "it could not be stored" }),
                );
            }
        }
    }

    /// Under its name, or with a number where there is such a file already. Never run, never read by others.
    fn rename(&self, stored: &Path, name: &str) -> io::Result<String> {
        std::fs::set_permissions(stored, std::fs::Permissions::from_mode(0o600))?;
        let (stem, end) =
            name.rsplit_once('.').map_or((name, String::new()), |(stem, end)| (stem, format!(".{end}")));
        for number in 1..=self.limits.files + 1 {
            let name = if number == 1 { name.to_owned() } else { format!("{stem} ({number}){end}") };
            let place = self.folder.join(&name);
            if !place.exists() {
                std::fs::rename(stored, place)?;
                return Ok(name);
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    fn tell(&self, payload: &Value) {
        let payload = payload.as_object().cloned().map(JsonObject);
        let body = WebSignalBody::Custom { name: DOWNLOAD.into(), payload };
        // A session that ended needs no word.
        drop(self.told.send(WebSignal { base: WebSignalBase::default(), body }));
    }
}

/// A name that stays in its folder, shows, and means nothing to a shell or another system.
fn safe(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain = |each: char| if each.is_alphanumeric() || " ._-()".contains(each) { each } else { '_' };
    let clean: String = last.chars().map(plain).take(MOST_NAME).collect();
    let clean = clean.split('.').filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
    let clean = clean.trim().trim_start_matches('-');
    if clean.is_empty() { "download".to_owned() } else { clean.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_in_its_folder() {
        let cases = [
            ("report.csv", "report.csv"),
            ("../../etc/passwd", "passwd"),
            ("..\\..\\boot.ini", "boot.ini"),
            ("/etc/shadow", "shadow"),
            (".bashrc", "bashrc"),
            ("..", "download"),
            ("", "download"),
            ("-rf", "rf"),
            ("a\0b\n.txt", "a_b_.txt"),
            ("$(reboot).sh", "_(reboot).sh"),
            ("Grüße 2026.pdf", "Grüße 2026.pdf"),
            ("CON:", "CON_"),
        ];
        for (name, expected) in cases {
            assert_eq!(safe(name), expected, "{name:?}");
        }
        assert!(safe(&"x".repeat(5_000)).len() <= MOST_NAME);
    }

    #[test]
    fn folders_of_the_dead_are_swept_and_those_of_the_living_are_not() {
        let dead = std::env::temp_dir().join(format!("{PREFIX}4194999.test"));
        let living = std::env::temp_dir().join(format!("{PREFIX}{}.test", std::process::id()));
        for folder in [&dead, &living] {
            std::fs::create_dir_all(folder).unwrap();
        }
        sweep();
        assert!(!dead.exists() && living.exists());
        std::fs::remove_dir(living).unwrap();
    }
}
