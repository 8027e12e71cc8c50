//! One file as the user named it: text, format, and positions on demand.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::limits::Limits;
use super::lines::LineIndex;
pub use super::lines::Position;
use super::span::Span;
use crate::diagnostic::{Diagnostic, codes};

/// Which grammar a source follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// RFC 8259, strictly.
    Json,
    /// YAML 1.2, core schema, one document.
    Yaml,
}

impl Format {
    /// JSON for names that end in `.json`, else YAML.
    pub fn of_name(name: &str) -> Self {
        let is_json =
            Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        if is_json { Self::Json } else { Self::Yaml }
    }
}

/// The text of one source, shared by its tree and by every diagnostic about it.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    format: Format,
    lines: OnceLock<LineIndex>,
}

impl SourceFile {
    /// A source whose format follows from its name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        let name = name.into();
        let format = Format::of_name(&name);
        Self::with_format(name, text, format)
    }

    /// A source of a known format, whatever its name says.
    pub fn with_format(name: impl Into<String>, text: impl Into<String>, format: Format) -> Arc<Self> {
        Arc::new(Self { name: name.into(), text: text.into(), format, lines: OnceLock::new() })
    }

    /// A place to hang a diagnostic on when there is no text: a missing file, a directory.
    pub fn without_text(name: impl Into<String>) -> Arc<Self> {
        Self::new(name, "")
    }

    /// Checks the encoding; the error says at which byte it breaks.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Arc<Self>, Box<Diagnostic>> {
        let name = name.into();
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self::new(name, text)),
            Err(error) => Err(Box::new(invalid_utf8(name, &error))),
        }
    }

    /// Reads a file. A file beyond the limit is refused before more than the limit has been read.
    pub fn load(path: &Path, limits: &Limits) -> Result<Arc<Self>, Box<Diagnostic>> {
        Self::load_as(path, &path.to_string_lossy(), limits)
    }

    /// Like [`SourceFile::load`], under the name that messages shall show.
    pub fn load_as(path: &Path, name: &str, limits: &Limits) -> Result<Arc<Self>, Box<Diagnostic>> {
        let limit = u64::from(limits.max_bytes);
        match read_up_to(path, limit) {
            Ok(bytes) if bytes.len() as u64 > limit => Err(Box::new(too_large(name, limit))),
            Ok(bytes) => Self::from_bytes(name, bytes),
            Err(error) => Err(Box::new(unreadable(name, &error))),
        }
    }

    /// The name as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text, a byte order mark included.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The grammar.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The text inside a range; empty when the range does not fit.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// Line and column of a byte offset.
    pub fn position(&self, at: u32) -> Position {
        self.lines().position(&self.text, at)
    }

    /// Text of a line, counted from 1, without its line break.
    pub fn line(&self, line: u32) -> Option<&str> {
        self.text.get(self.line_range(line)?)
    }

    /// Number of lines; a final line break opens one more, empty line.
    pub fn line_count(&self) -> u32 {
        self.lines().line_count()
    }

    pub(crate) fn line_range(&self, line: u32) -> Option<std::ops::Range<usize>> {
        self.lines().line_range(&self.text, line)
    }

    fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.text))
    }
}

/// One byte more than the limit is enough to know that the file is too large.
fn read_up_to(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    let expected = metadata.len().min(limit.saturating_add(1));
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or_default());
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(name: &str, error: &io::Error) -> Diagnostic {
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => error.to_string(),
    };
    Diagnostic::new(
        codes::UNREADABLE,
        format!("cannot read `{name}`: {reason}"),
        &SourceFile::without_text(name),
        Span::default(),
    )
}

pub(super) fn too_large(name: &str, limit: u64) -> Diagnostic {
    Diagnostic::new(
        codes::TOO_LARGE,
        format!("`{name}` is larger than {}", human_bytes(limit)),
        &SourceFile::without_text(name),
        Span::default(),
    )
    .help("split the manifest into several files, or raise the size limit")
}

fn human_bytes(n: u64) -> String {
    const MIB: u64 = 1024 * 1024;
    if n >= MIB && n.is_multiple_of(MIB) { format!("{} MiB", n / MIB) } else { format!("{n} bytes") }
}

/// The text up to the bad byte is the same in the repaired copy, so the offset points at the right place.
fn invalid_utf8(name: String, error: &std::string::FromUtf8Error) -> Diagnostic {
    let at = error.utf8_error().valid_up_to();
    let byte = error.as_bytes().get(at).copied().unwrap_or_default();
    let file = SourceFile::new(name, String::from_utf8_lossy(error.as_bytes()));
    let help = if error.as_bytes().starts_with(&[0xFF, 0xFE]) || error.as_bytes().starts_with(&[0xFE, 0xFF]) {
        "the file looks like UTF-16; save it as UTF-8"
    } else {
        "save the file as UTF-8"
    };
    let end = at + char::REPLACEMENT_CHARACTER.len_utf8();
    Diagnostic::new(
        codes::INVALID_UTF8,
        format!("not valid UTF-8: byte 0x{byte:02X} at offset {at}"),
        &file,
        Span::at(at, end),
    )
    .label("this is not UTF-8")
    .help(help)
}
