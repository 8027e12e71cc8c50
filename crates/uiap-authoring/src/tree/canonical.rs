//! Canonical JSON (RFC 8785) straight from the tree: no value is built in between.

use std::cmp::Ordering;
use std::io::Write;

use super::At;
use crate::source::{NodeKind, Number};

/// Writes a value in canonical form.
pub(crate) fn write_canonical(at: At<'_>, out: &mut Vec<u8>) {
    write_value(at, &mut Vec::new(), out);
}

/// Writes an object without some of its members, such as a selector that is decided.
pub(crate) fn write_canonical_without(at: At<'_>, without: &[&str], out: &mut Vec<u8>) {
    if without.iter().all(|member| at.get(member).is_none()) {
        return write_canonical(at, out);
    }
    let mut entries: Vec<(&str, At<'_>)> = at.entries().filter(|(key, _)| !without.contains(key)).collect();
    entries.sort_by(|a, b| utf16_order(a.0, b.0));
    out.push(b'{');
    for (index, (key, value)) in entries.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_key(key, out);
        write_canonical(value, out);
    }
    out.push(b'}');
}

/// `open` holds the members of all mappings on the way down, so that no mapping needs a list of its own.
fn write_value<'t>(at: At<'t>, open: &mut Vec<(&'t str, At<'t>)>, out: &mut Vec<u8>) {
    match at.kind() {
        NodeKind::Null => out.extend_from_slice(b"null"),
        NodeKind::Bool => out.extend_from_slice(if at.as_bool() == Some(true) { b"true" } else { b"false" }),
        NodeKind::Int | NodeKind::Float => write_number(at, out),
        NodeKind::Str => write_text(at.as_str().unwrap_or_default(), out),
        NodeKind::Seq => {
            out.push(b'[');
            for (index, item) in at.items().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_value(item, open, out);
            }
            out.push(b']');
        }
        NodeKind::Map => write_map(at, open, out),
    }
}

fn write_map<'t>(at: At<'t>, open: &mut Vec<(&'t str, At<'t>)>, out: &mut Vec<u8>) {
    let start = open.len();
    open.extend(at.entries());
    let own = open.get_mut(start..).unwrap_or_default();
    if !own.is_sorted_by(|a, b| utf16_order(a.0, b.0).is_lt()) {
        // Stable, so that of a key that was written twice the first wins; the error about it is out already.
        own.sort_by(|a, b| utf16_order(a.0, b.0));
    }
    out.push(b'{');
    let mut last = None;
    for index in start..open.len() {
        let Some(&(key, value)) = open.get(index) else { break };
        if last == Some(key) {
            continue;
        }
        if last.is_some() {
            out.push(b',');
        }
        last = Some(key);
        write_key(key, out);
        write_value(value, open, out);
    }
    open.truncate(start);
    out.push(b'}');
}

/// Writes `"key":`.
pub(crate) fn write_key(key: &str, out: &mut Vec<u8>) {
    write_text(key, out);
    out.push(b':');
}

/// RFC 8785 sorts by UTF-16 code units; for text below the surrogates that is the order of bytes.
fn utf16_order(a: &str, b: &str) -> Ordering {
    if a.is_ascii() || b.is_ascii() { a.cmp(b) } else { a.encode_utf16().cmp(b.encode_utf16()) }
}

/// Writes a string with the escapes that RFC 8785 asks for and no others.
pub(crate) fn write_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut done = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.extend_from_slice(bytes.get(done..at).unwrap_or_default());
        done = at + 1;
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x09 => out.extend_from_slice(b"\\t"),
            0x0A => out.extend_from_slice(b"\\n"),
            0x0C => out.extend_from_slice(b"\\f"),
            0x0D => out.extend_from_slice(b"\\r"),
            // Writing to a vector cannot fail.
            control => drop(write!(out, "\\u{control:04x}")),
        }
    }
    out.extend_from_slice(bytes.get(done..).unwrap_or_default());
    out.push(b'"');
}

/// Whole numbers that a double holds exactly are written as digits, everything else as ECMAScript writes it.
fn write_number(at: At<'_>, out: &mut Vec<u8>) {
    const EXACT: u64 = 1 << 53;
    match at.origin().as_number() {
        Some(Number::Int(n)) if n.unsigned_abs() <= EXACT => drop(write!(out, "{n}")),
        _ => match uiap_model::digest::canonical(&at.origin().as_f64()) {
            Ok(bytes) => out.extend_from_slice(&bytes),
            // Not finite: the parser has reported it as an error, so no bundle comes of this.
            Err(_) => out.extend_from_slice(b"null"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Limits, SourceFile, parse_source};
    use crate::tree::Tree;

    fn canonical(json: &str) -> String {
        let file = SourceFile::new("a.json", json);
        let doc = parse_source(&file, &Limits::DEFAULT).doc.unwrap();
        let mut out = Vec::new();
        write_canonical(Tree::Source(doc.root()).at(), &mut out);
        String::from_utf8(out).unwrap()
    }

    /// Case: AUTH-158
    #[test]
    fn the_writer_agrees_with_the_reference_on_escapes_numbers_and_order() {
        let cases = [
            r#"{"b":1,"a":{"z":null,"y":[true,false,""]},"ä":1,"Z":2}"#,
            r#"{"\ud83d\ude00":"smile","\uff21":"wide","a":"\u0000\u001f\b\f\n\r\t\"\\/"}"#,
            "[0,-0.0,1e21,1e-7,123456789012,0.1,1.5e300,-5,9007199254740992,4.50]",
            r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew","1":"One","\u0080":"Control"}"#,
        ];
        for json in cases {
            let value: serde_json::Value = serde_json::from_str(json).unwrap();
            let expected = String::from_utf8(uiap_model::digest::canonical(&value).unwrap()).unwrap();
            assert_eq!(canonical(json), expected);
        }
    }
}
