//! Puts bundles into an OCI image layout on disk: content-addressed, and a version never changes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::diff::{self, BumpTooSmall};
use crate::release::{BundleError, open_bundle, write_atomically};
use crate::semver::Version;
use crate::tree::{At, write_canonical};

/// The type of a bundle as an artifact.
pub const ARTIFACT_TYPE: &str = "application/vnd.uiap.bundle.v0.1+json";

const MANIFEST_TYPE: &str = "application/vnd.oci.image.manifest.v1+json";
const EMPTY_TYPE: &str = "application/vnd.oci.empty.v1+json";

/// What publishing did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Published {
    /// The bundle is new.
    Added {
        /// Digest of the manifest.
        manifest: String,
    },
    /// The same bundle was there already.
    Unchanged,
}

/// Why a bundle was not published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The bundle is not whole.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A version that was published with other content.
    #[error("version `{version}` was published on `{channel}` with other content; raise the version")]
    Republished {
        /// The version.
        version: String,
        /// The channel.
        channel: String,
    },
    /// An older version than the latest.
    #[error("version `{version}` is older than `{latest}`, which was published on `{channel}`")]
    Older {
        /// The version.
        version: String,
        /// The latest one.
        latest: String,
        /// The channel.
        channel: String,
    },
    /// The changes ask for more.
    #[error(transparent)]
    Bump(#[from] BumpTooSmall),
    /// Not a layout, or a broken one.
    #[error("`{0}` is no OCI layout")]
    Layout(String),
    /// The file system.
    #[error("cannot write the layout: {0}")]
    Io(#[from] io::Error),
}

/// How to publish.
#[derive(Clone, Copy, Debug, Default)]
pub struct PublishOptions {
    /// Accept a version below the latest one.
    pub allow_backport: bool,
    /// Compare with the latest version and demand a version that rose far enough.
    pub require_bump: bool,
}

/// Publishes a bundle into the layout at `root`, which is made when it is not there.
pub fn publish(root: &Path, bytes: &[u8], options: PublishOptions) -> Result<Published, PublishError> {
    let bundle = open_bundle(bytes)?;
    let text = |pointer: &str| bundle.text(pointer).unwrap_or_default().to_owned();
    let (version, digest) = (text("/version"), text("/digest"));
    let channel = bundle.text("/buildContext/channel").unwrap_or("none").to_owned();
    let context = bundle.root().get("buildContext").map(|context| {
        let mut canonical = Vec::new();
        write_canonical(At::Node(context), &mut canonical);
        uiap_model::digest::sha256(&canonical).to_string()
    });
    let context = context.unwrap_or_default();
    let layout = Layout { root: root.to_owned() };
    let mut index = layout.index()?;
    let entries: Vec<Entry> = index
        .get("manifests")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Entry::read)
        .filter(|entry| entry.package == text("/packageId") && entry.context == context)
        .collect();
    if let Some(known) = entries.iter().find(|entry| entry.version == version) {
        if known.digest == digest {
            return Ok(Published::Unchanged);
        }
        return Err(PublishError::Republished { version, channel });
    }
    let latest = entries.iter().max_by(|a, b| compare(&a.version, &b.version));
    if let Some(latest) = latest {
        if compare(&version, &latest.version).is_lt() && !options.allow_backport {
            return Err(PublishError::Older { version, latest: latest.version.clone(), channel });
        }
        if options.require_bump {
            let old = open_bundle(&layout.blob(&latest.layer)?)?;
            diff::require_bump(&latest.version, &version, &diff::diff_opened(&old, &bundle))?;
        }
    }
    let manifest = layout.store(bytes, [&text("/packageId"), &version, &digest, &context])?;
    let reference = json!({
        "mediaType": MANIFEST_TYPE,
        "artifactType": ARTIFACT_TYPE,
        "digest": manifest.0,
        "size": manifest.1,
        "annotations": {
            "org.opencontainers.image.ref.name": format!("{}:{version}-{channel}", text("/packageId")),
            "org.opencontainers.image.version": version,
            "dev.uiap.package": text("/packageId"),
            "dev.uiap.bundle.digest": digest,
            "dev.uiap.context": context,
            "dev.uiap.layer": uiap_model::digest::sha256(bytes).as_str(),
        }
    });
    if let Some(list) = index.get_mut("manifests").and_then(Value::as_array_mut) {
        list.push(reference);
    }
    // The index goes last: until then nobody can see the new version.
    layout.write("index.json", index.to_string().as_bytes())?;
    Ok(Published::Added { manifest: manifest.0 })
}

fn compare(a: &str, b: &str) -> std::cmp::Ordering {
    match (Version::parse(a), Version::parse(b)) {
        (Some(a), Some(b)) => a.cmp_precedence(&b),
        _ => a.cmp(b),
    }
}

/// One published bundle.
struct Entry {
    package: String,
    version: String,
    digest: String,
    context: String,
    layer: String,
}

impl Entry {
    fn read(value: &Value) -> Option<Self> {
        let annotation = |name: &str| value.get("annotations")?.get(name)?.as_str().map(str::to_owned);
        Some(Self {
            package: annotation("dev.uiap.package")?,
            version: annotation("org.opencontainers.image.version")?,
            digest: annotation("dev.uiap.bundle.digest")?,
            context: annotation("dev.uiap.context")?,
            layer: annotation("dev.uiap.layer")?,
        })
    }
}

struct Layout {
    root: PathBuf,
}

impl Layout {
    fn index(&self) -> Result<Value, PublishError> {
        let path = self.root.join("index.json");
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .ok()
                .filter(|index: &Value| index.get("manifests").is_some_and(Value::is_array))
                .ok_or_else(|| PublishError::Layout(path.to_string_lossy().into_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(
                json!({ "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [] }),
            ),
            Err(error) => Err(error.into()),
        }
    }

    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        write_atomically(&self.root.join(path), bytes)
    }

    fn blob_path(digest: &str) -> String {
        format!("blobs/sha256/{}", digest.trim_start_matches("sha256:"))
    }

    fn blob(&self, digest: &str) -> io::Result<Vec<u8>> {
        let name = digest.strip_prefix("sha256:").unwrap_or_default();
        if name.len() != 64 || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("`{digest}` is no digest")));
        }
        fs::read(self.root.join(Self::blob_path(digest)))
    }

    fn put(&self, bytes: &[u8]) -> io::Result<(String, usize)> {
        let digest = uiap_model::digest::sha256(bytes).to_string();
        self.write(&Self::blob_path(&digest), bytes)?;
        Ok((digest, bytes.len()))
    }

    fn store(
        &self,
        bytes: &[u8],
        [package, version, digest, context]: [&str; 4],
    ) -> io::Result<(String, usize)> {
        self.write("oci-layout", br#"{"imageLayoutVersion":"1.0.0"}"#)?;
        let layer = self.put(bytes)?;
        let empty = self.put(b"{}")?;
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": MANIFEST_TYPE,
            "artifactType": ARTIFACT_TYPE,
            "config": { "mediaType": EMPTY_TYPE, "digest": empty.0, "size": empty.1 },
            "layers": [ { "mediaType": ARTIFACT_TYPE, "digest": layer.0, "size": layer.1 } ],
            "annotations": {
                "org.opencontainers.image.version": version,
                "dev.uiap.package": package,
                "dev.uiap.bundle.digest": digest,
                "dev.uiap.context": context,
            }
        });
        self.put(manifest.to_string().as_bytes())
    }
}
