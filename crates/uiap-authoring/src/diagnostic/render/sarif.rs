//! SARIF 2.1.0 for code scanning services.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};

use super::super::finding::{Diagnostic, Edit, Label, Severity};
use super::super::registry::Code;
use super::{Diagnostics, positions, registry};

/// The kept findings as one SARIF log. Only the rules that occur are described.
pub fn render(diagnostics: &Diagnostics, tool_version: &str) -> String {
    let mut rules: BTreeMap<Code, usize> = diagnostics.iter().map(|d| (d.code, 0)).collect();
    rules.values_mut().enumerate().for_each(|(index, slot)| *slot = index);
    let results: Vec<Value> = diagnostics
        .iter()
        .map(|diagnostic| result(diagnostic, rules.get(&diagnostic.code).copied().unwrap_or_default()))
        .collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "uiap",
                "version": tool_version,
                "rules": rules.keys().map(|code| rule(*code)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn rule(code: Code) -> Value {
    let entry = registry::explain(code);
    json!({
        "id": code,
        "shortDescription": { "text": entry.map_or("", |entry| entry.title) },
        "fullDescription": { "text": entry.map_or("", |entry| entry.explanation) },
        "help": { "text": entry.map_or_else(String::new, |entry| {
            format!("{}\n\nExample:\n\n{}", entry.explanation, entry.example)
        })},
        "defaultConfiguration": { "level": level(code.severity()) },
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn result(diagnostic: &Diagnostic, rule_index: usize) -> Value {
    let mut message = diagnostic.message.clone();
    for line in diagnostic.notes.iter().chain(&diagnostic.help) {
        message.push('\n');
        message.push_str(line);
    }
    let mut result = json!({
        "ruleId": diagnostic.code,
        "ruleIndex": rule_index,
        "level": level(diagnostic.severity),
        "message": { "text": message },
        "locations": [location(&diagnostic.primary)],
    });
    if let Some(members) = result.as_object_mut() {
        if !diagnostic.secondary.is_empty() {
            let related: Vec<Value> = diagnostic.secondary.iter().enumerate().map(related).collect();
            members.insert("relatedLocations".to_owned(), related.into());
        }
        if let Some(fix) = &diagnostic.fix {
            let changes: Vec<Value> = changes(&fix.edits);
            let fix = json!({ "description": { "text": fix.description }, "artifactChanges": changes });
            members.insert("fixes".to_owned(), vec![fix].into());
        }
    }
    result
}

fn location(label: &Label) -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(label.file.name()) },
        "region": region(label),
    }})
}

fn related((id, label): (usize, &Label)) -> Value {
    let mut place = location(label);
    if let Some(members) = place.as_object_mut() {
        members.insert("id".to_owned(), id.into());
        members.insert("message".to_owned(), json!({ "text": label.text }));
    }
    place
}

fn region(label: &Label) -> Value {
    let (start, end) = positions(label);
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
        "byteOffset": label.span.start,
        "byteLength": label.span.len(),
    })
}

/// The edits by file; SARIF wants each file once.
fn changes(edits: &[Edit]) -> Vec<Value> {
    let mut files: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for edit in edits {
        let label = Label::new(&edit.file, edit.span, "");
        files.entry(edit.file.name()).or_default().push(json!({
            "deletedRegion": region(&label),
            "insertedContent": { "text": edit.replacement },
        }));
    }
    let change = |(name, replacements)| json!({ "artifactLocation": { "uri": uri(name) }, "replacements": replacements });
    files.into_iter().map(change).collect()
}

/// A relative reference with forward slashes; everything but unreserved characters is escaped.
fn uri(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.replace('\\', "/").bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'/') {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
