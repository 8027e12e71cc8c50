//! A package in a tar archive, plain or gzipped, as `tar` and `git archive` write it.
//!
//! Nothing is unpacked to disk. Whatever could reach outside of the package or cost more than it should is refused: links,
//! devices, paths that leave the root, names that stand twice, archives that swell.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use flate2::read::MultiGzDecoder;

use super::{MemorySource, PackageSource, PathFault, ReadError, check_path, plain_path};
use crate::source::{Limits, SourceFile};

/// Size of a block; everything in a tar is padded to it.
const BLOCK: usize = 512;

/// What an archive may ask for in all.
const MOST_BYTES: u64 = 512 * 1024 * 1024;

/// How many entries an archive may have.
const MOST_ENTRIES: usize = 100_000;

/// Why an archive is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The file system, or broken compression.
    #[error("cannot read the archive: {0}")]
    Io(#[from] io::Error),
    /// Not a tar, or a damaged one.
    #[error("this is no tar archive: {0}")]
    NotATar(&'static str),
    /// A name that could reach outside.
    #[error("`{path}` in the archive is not allowed: {fault}")]
    Path {
        /// The name.
        path: String,
        /// What is wrong with it.
        fault: PathFault,
    },
    /// A link or a device.
    #[error("`{0}` in the archive is no plain file or folder")]
    Special(String),
    /// One name for two files.
    #[error("`{0}` stands in the archive twice")]
    Twice(String),
    /// Larger than any package.
    #[error("the archive holds more than {0}")]
    TooLarge(&'static str),
}

/// The files of an archive, in memory.
#[derive(Clone, Debug)]
pub struct ArchiveSource {
    files: MemorySource,
}

impl ArchiveSource {
    /// Reads `.tar`, `.tar.gz` or `.tgz`; the content decides, not the name.
    pub fn open(path: &Path, limits: &Limits) -> Result<Self, ArchiveError> {
        Self::read(File::open(path)?, &path.to_string_lossy(), limits)
    }

    /// Reads an archive from anywhere; messages show its files under `name`.
    pub fn read(mut input: impl Read, name: &str, limits: &Limits) -> Result<Self, ArchiveError> {
        let mut start = [0; 2];
        let count = fill(&mut input, &mut start)?;
        let whole = io::Cursor::new(start.get(..count).unwrap_or_default().to_vec()).chain(input);
        let files = if start == [0x1F, 0x8B] {
            unpack(MultiGzDecoder::new(whole), limits)?
        } else {
            unpack(whole, limits)?
        };
        Ok(Self { files: at_root(files).shown_under(name) })
    }
}

impl PackageSource for ArchiveSource {
    fn read(&self, path: &str, limits: &Limits) -> Result<Arc<SourceFile>, ReadError> {
        self.files.read(path, limits)
    }

    fn holds(&self, path: &str, text: &str) -> bool {
        self.files.holds(path, text)
    }

    fn list(&self) -> Vec<String> {
        self.files.list()
    }

    fn display_name(&self, path: &str) -> String {
        self.files.display_name(path)
    }
}

/// Archives often hold one folder with everything in it; its name means nothing.
fn at_root(files: MemorySource) -> MemorySource {
    let is_package = |path: &str| path.starts_with("package.uiap.");
    let first = files
        .iter()
        .next()
        .and_then(|(path, _)| path.split_once('/'))
        .map(|(folder, _)| format!("{folder}/"));
    let Some(folder) = first.filter(|_| !files.iter().any(|(path, _)| is_package(path))) else {
        return files;
    };
    if !files.iter().all(|(path, _)| path.starts_with(&folder)) {
        return files;
    }
    let mut out = MemorySource::new();
    for (path, bytes) in files.iter() {
        out.insert(path.strip_prefix(&folder).unwrap_or(path), bytes);
    }
    out
}

/// Reads until the buffer is full or the input ends.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while let Some(rest) = buffer.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match input.read(rest) {
            Ok(0) => break,
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

fn unpack(input: impl Read, limits: &Limits) -> Result<MemorySource, ArchiveError> {
    let mut input = input.take(MOST_BYTES + 1);
    let mut files = MemorySource::new();
    let mut long_name: Option<String> = None;
    let mut entries = 0;
    loop {
        let mut block = [0; BLOCK];
        match fill(&mut input, &mut block)? {
            0 if entries > 0 => break,
            BLOCK => {}
            _ if input.limit() == 0 => return Err(ArchiveError::TooLarge("512 MiB")),
            _ => return Err(ArchiveError::NotATar("it ends inside of a header")),
        }
        if block.iter().all(|byte| *byte == 0) {
            break;
        }
        entries += 1;
        if entries > MOST_ENTRIES {
            return Err(ArchiveError::TooLarge("100,000 entries"));
        }
        let header = Header::parse(&block)?;
        if header.size > u64::from(limits.max_bytes) {
            return Err(ArchiveError::TooLarge("a manifest may have"));
        }
        let body = body(&mut input, header.size)?;
        match header.kind {
            b'L' => long_name = Some(text(&body)?),
            b'x' => long_name = pax_path(&body)?.or(long_name),
            b'g' => {}
            b'5' => drop(long_name.take()),
            b'0' | 0 | b'7' => add(&mut files, long_name.take().unwrap_or(header.name), body)?,
            _ => return Err(ArchiveError::Special(long_name.take().unwrap_or(header.name))),
        }
    }
    Ok(files)
}

fn add(files: &mut MemorySource, path: String, body: Vec<u8>) -> Result<(), ArchiveError> {
    if let Err(fault) = check_path(&path) {
        return Err(ArchiveError::Path { path, fault });
    }
    let path = plain_path(&path);
    if files.contains(&path) {
        return Err(ArchiveError::Twice(path));
    }
    files.insert(&path, body);
    Ok(())
}

/// The content of an entry, without its padding. Memory is taken as the bytes come, not as the header promises.
fn body(input: &mut impl Read, size: u64) -> Result<Vec<u8>, ArchiveError> {
    let mut body = Vec::new();
    input.by_ref().take(size).read_to_end(&mut body)?;
    if body.len() as u64 != size {
        return Err(ArchiveError::NotATar("it ends inside of a file"));
    }
    let mut padding = [0; BLOCK];
    let rest = (BLOCK - body.len() % BLOCK) % BLOCK;
    fill(input, padding.get_mut(..rest).unwrap_or_default())?;
    Ok(body)
}

struct Header {
    name: String,
    size: u64,
    kind: u8,
}

impl Header {
    fn parse(block: &[u8; BLOCK]) -> Result<Self, ArchiveError> {
        let field = |start: usize, length: usize| block.get(start..start + length).unwrap_or_default();
        let stated = octal(field(148, 8)).ok_or(ArchiveError::NotATar("a header is damaged"))?;
        let sum: u64 = block
            .iter()
            .enumerate()
            .map(|(at, byte)| u64::from(if (148..156).contains(&at) { b' ' } else { *byte }))
            .sum();
        if sum != stated {
            return Err(ArchiveError::NotATar("a header is damaged"));
        }
        let size = octal(field(124, 12)).ok_or(ArchiveError::NotATar("a size is no number"))?;
        let mut name = text(field(0, 100))?;
        let prefix = text(field(345, 155))?;
        if field(257, 5) == b"ustar" && field(263, 2) == b"00" && !prefix.is_empty() {
            name = format!("{prefix}/{name}");
        }
        let kind = block.get(156).copied().unwrap_or_default();
        Ok(Self { name, size, kind })
    }
}

fn octal(field: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(field).ok()?.trim_matches(['\0', ' ']);
    u64::from_str_radix(digits, 8).ok()
}

/// Up to the first zero byte.
fn text(bytes: &[u8]) -> Result<String, ArchiveError> {
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8(bytes.to_vec()).map_err(|_| ArchiveError::NotATar("a name is not UTF-8"))
}

/// `length key=value` lines; only the path matters.
fn pax_path(body: &[u8]) -> Result<Option<String>, ArchiveError> {
    let body = text(body)?;
    let records = body.lines().filter_map(|line| line.split_once(' ')).map(|(_, record)| record);
    Ok(records.filter_map(|record| record.strip_prefix("path=")).next_back().map(str::to_owned))
}
