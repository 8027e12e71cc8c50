//! JUnit XML: the report that every build server understands.

use std::fmt::Write;

use super::super::finding::{Diagnostic, Severity};
use super::{Diagnostics, story};

/// Errors become failures; warnings and infos become passing cases with output. A clean run is one passing case.
pub fn render(diagnostics: &Diagnostics) -> String {
    let failures = diagnostics.count_of(Severity::Error);
    let tests = diagnostics.total().max(1);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<testsuites name=\"uiap\" tests=\"{tests}\" failures=\"{failures}\">");
    let _ =
        writeln!(out, "  <testsuite name=\"uiap\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">");
    if diagnostics.is_empty() {
        out.push_str("    <testcase name=\"no findings\" classname=\"uiap\"/>\n");
    }
    diagnostics.iter().for_each(|diagnostic| case(&mut out, diagnostic));
    let unlisted = diagnostics.total() - diagnostics.iter().len();
    if unlisted > 0 {
        let _ = writeln!(out, "    <system-out>{unlisted} more findings are not listed</system-out>");
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn case(out: &mut String, diagnostic: &Diagnostic) {
    let place = diagnostic.primary.place();
    let name = escape(&format!("{} {place}", diagnostic.code));
    let class = escape(diagnostic.primary.file.name());
    let story = escape(&story(diagnostic));
    let _ = writeln!(out, "    <testcase name=\"{name}\" classname=\"{class}\">");
    if diagnostic.severity == Severity::Error {
        let message = escape(&diagnostic.message);
        let _ = writeln!(
            out,
            "      <failure message=\"{message}\" type=\"{}\">{story}</failure>",
            diagnostic.code
        );
    } else {
        let _ = writeln!(out, "      <system-out>{}: {story}</system-out>", diagnostic.severity);
    }
    out.push_str("    </testcase>\n");
}

/// XML 1.0 has no form for most control characters, not even escaped; they become U+FFFD.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\r' => out.push_str("&#13;"),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}
