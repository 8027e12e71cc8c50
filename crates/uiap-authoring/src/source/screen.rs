//! The first look at a text, before any grammar: size and characters that no grammar wants.

use std::sync::Arc;

use super::file::{SourceFile, too_large};
use super::limits::Limits;
use super::span::Span;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};

/// How many control characters are reported one by one.
const REPORTED: usize = 20;

/// Refuses a text that is too large or holds control characters.
pub(super) fn screen(file: &Arc<SourceFile>, limits: &Limits) -> Result<(), Diagnostics> {
    let text = file.text();
    // One offset is left free, so that the end of the text has an offset too.
    let limit = u64::from(limits.max_bytes.min(u32::MAX - 1));
    if text.len() as u64 > limit {
        return Err(too_large(file.name(), limit).into());
    }
    if !has_control(text.as_bytes()) {
        return Ok(());
    }
    let found = text.bytes().enumerate().filter(|&(_, byte)| is_control(byte));
    Err(found.take(REPORTED).map(|(at, byte)| control_character(file, at, byte)).collect())
}

/// Whole blocks are folded without a branch, which the compiler turns into vector code.
fn has_control(bytes: &[u8]) -> bool {
    bytes.chunks(4096).any(|block| block.iter().fold(false, |found, &byte| found | is_control(byte)))
}

fn is_control(byte: u8) -> bool {
    byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r')
}

fn control_character(file: &Arc<SourceFile>, at: usize, byte: u8) -> Diagnostic {
    let name = match byte {
        0 => " (NUL)",
        0x08 => " (backspace)",
        0x1B => " (escape)",
        _ => "",
    };
    Diagnostic::new(
        codes::FORBIDDEN_CHARACTER,
        format!("control character U+{byte:04X}{name} at byte offset {at}"),
        file,
        Span::at(at, at + 1),
    )
    .label("not allowed in a source")
    .help(format!("remove it, or write it as `\\u{byte:04x}` inside double quotes"))
}
