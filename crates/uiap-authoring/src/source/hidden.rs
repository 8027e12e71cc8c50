//! Characters that cannot be seen: zero-width ones and controls for the writing direction.
//!
//! In a key they make two names differ that look equal; in a text they can show other words than the ones that
//! are read, or carry words that nobody sees. An escape such as `"\u200b"` in a value is visible and stays.

use std::fmt::Write;

use memchr::{memchr_iter, memchr2_iter, memchr3_iter};

use super::doc::{Form, SourceDoc, Tag};
use super::span::Span;
use crate::diagnostic::{Diagnostic, Diagnostics, Fix, codes, shown};

/// How many places are reported; a text full of them is one problem, not a thousand.
const REPORTED: usize = 100;

#[derive(Clone, Copy)]
enum Place {
    Key,
    Value,
    Outside,
}

/// Reports every hidden character of the text, and of the keys that were written with escapes.
pub(super) fn report(doc: &SourceDoc, diagnostics: &mut Diagnostics) {
    report_escaped_keys(doc, diagnostics);
    let hits = find(doc.file.text());
    if hits.is_empty() {
        return;
    }
    let places = attribute(doc, &hits);
    for (&(at, c), place) in hits.iter().zip(places) {
        if let Some(diagnostic) = judge(doc, at, c, place) {
            diagnostics.push(diagnostic);
        }
    }
}

/// A character that cannot be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// Byte offset in the text.
    pub offset: usize,
    /// The character.
    pub character: char,
    /// What it is called.
    pub name: &'static str,
}

/// The first hidden character of a text, for callers that know the text to be a name.
pub fn find_hidden(text: &str) -> Option<Hidden> {
    text.char_indices()
        .find_map(|(offset, character)| name_of(character).map(|name| Hidden { offset, character, name }))
}

/// The text with every hidden character spelled out, for messages.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if name_of(c).is_some() {
            // Writing to a string cannot fail.
            let _ = write!(out, "<U+{:04X}>", c as u32);
        } else {
            out.push(c);
        }
    }
    out
}

/// All hidden characters share eight lead bytes, so ordinary text is skipped at the speed of memory.
fn find(text: &str) -> Vec<(usize, char)> {
    let bytes = text.as_bytes();
    if bytes.is_ascii() {
        return memchr_iter(0x7F, bytes).map(|at| (at, '\u{7f}')).take(REPORTED).collect();
    }
    let body = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let rest = bytes.get(body..).unwrap_or_default();
    let at = |at: usize| {
        let c = text.get(body + at..)?.chars().next()?;
        name_of(c).map(|_| (body + at, c))
    };
    let mut hits: Vec<(usize, char)> =
        memchr3_iter(0xE2, 0xEF, 0xD8, rest).filter_map(at).take(REPORTED).collect();
    hits.extend(memchr3_iter(0xE1, 0xE3, 0xF3, rest).filter_map(at).take(REPORTED));
    hits.extend(memchr2_iter(0x7F, 0xC2, rest).filter_map(at).take(REPORTED));
    hits.sort_unstable();
    hits.truncate(REPORTED);
    hits
}

fn name_of(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' => "control character",
        '\u{061c}' => "arabic letter mark",
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => "hangul filler",
        '\u{180e}' => "mongolian vowel separator",
        '\u{200b}' => "zero width space",
        '\u{200c}' => "zero width non-joiner",
        '\u{200d}' => "zero width joiner",
        '\u{200e}' => "left-to-right mark",
        '\u{200f}' => "right-to-left mark",
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => "bidirectional control",
        '\u{2060}'..='\u{2064}' | '\u{206a}'..='\u{206f}' => "invisible format character",
        '\u{feff}' => "zero width no-break space",
        '\u{e0000}'..='\u{e007f}' => "invisible tag character",
        '\u{e0100}'..='\u{e01ef}' => "variation selector",
        _ => return None,
    })
}

/// For each hit the kind of place it lies in. An alias repeats spans, the first one counts.
fn attribute(doc: &SourceDoc, hits: &[(usize, char)]) -> Vec<Place> {
    let mut places = vec![Place::Outside; hits.len()];
    let mut mark = |span: Span, place: Place| {
        let first = hits.partition_point(|&(at, _)| at < span.start as usize);
        for (hit, slot) in hits.iter().zip(places.iter_mut()).skip(first) {
            if hit.0 >= span.end as usize {
                break;
            }
            *slot = place;
        }
    };
    for data in &doc.nodes {
        if data.tag == Tag::Str {
            mark(data.value, Place::Value);
        }
        if data.key_form != Form::Absent {
            mark(data.key, Place::Key);
        }
    }
    places
}

fn judge(doc: &SourceDoc, at: usize, c: char, place: Place) -> Option<Diagnostic> {
    let name = name_of(c)?;
    let (code, whereabouts) = match place {
        Place::Key => (codes::HIDDEN_IN_KEY, "a key"),
        Place::Value if joins_letters(doc.file.text(), at, c) => return None,
        Place::Value => (codes::HIDDEN_IN_TEXT, "a text"),
        Place::Outside => (codes::HIDDEN_IN_TEXT, "a comment"),
    };
    let span = Span::at(at, at + c.len_utf8());
    let message = format!("invisible character U+{:04X} ({name}) in {whereabouts}", c as u32);
    Some(
        Diagnostic::new(code, message, &doc.file, span)
            .label("it stands here")
            .help("remove the character; in a text it may be written as an escape inside double quotes")
            .fix(Fix::replace("remove the character", &doc.file, span, "")),
    )
}

/// Joiners belong to emoji and to several scripts, where they stand between characters beyond ASCII.
fn joins_letters(text: &str, at: usize, c: char) -> bool {
    if !matches!(c, '\u{200c}' | '\u{200d}') {
        return false;
    }
    let before = text.get(..at).and_then(|t| t.chars().next_back());
    let after = text.get(at + c.len_utf8()..).and_then(|t| t.chars().next());
    let is_letter = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && name_of(c).is_none());
    is_letter(before) && is_letter(after)
}

fn report_escaped_keys(doc: &SourceDoc, diagnostics: &mut Diagnostics) {
    for key in doc.decoded_keys.iter().take(REPORTED * REPORTED) {
        let text = doc.decoded.get(key.range.range()).unwrap_or_default();
        let Some((c, name)) = text.chars().find_map(|c| name_of(c).map(|name| (c, name))) else { continue };
        let span = doc.data(key.node).key;
        // Written as itself it is found in the text and reported there.
        if doc.file.slice(span).contains(c) {
            continue;
        }
        let message =
            format!("invisible character U+{:04X} ({name}) in the key `{}`", c as u32, shown(&visible(text)));
        diagnostics.push(
            Diagnostic::new(codes::HIDDEN_IN_KEY, message, &doc.file, span)
                .label("the escape stands in this key")
                .help("remove the escape"),
        );
    }
}
