//! Files that tell what people did: for their owner's eyes.

use std::fs::OpenOptions;

/// Opens for reading and writing; a file that is not there is made so that nobody else can read it.
pub(super) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
