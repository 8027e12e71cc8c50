//! JSON: never panics, and agrees with `serde_json` on what is JSON and what it means.
//!
//! Known differences are excluded: duplicate keys, numbers that no double holds, control characters and nesting
//! beyond the limit are refused here and accepted there.
#![no_main]

use libfuzzer_sys::fuzz_target;
use uiap_authoring::diagnostic::render::human::Human;
use uiap_authoring::source::{Limits, SourceFile, parse_source};

fuzz_target!(|data: &[u8]| {
    let Ok(file) = SourceFile::from_bytes("fuzz.json", data.to_vec()) else { return };
    let parsed = parse_source(&file, &Limits::DEFAULT);
    // Rendering is the slowest part; a few findings show as much as all of them.
    let human = Human { limit: 2, ..Human::default() };
    let _ = human.render(&parsed.diagnostics);
    for diagnostic in &parsed.diagnostics {
        assert!(diagnostic.primary.span.end as usize <= data.len());
        if let Some(fix) = &diagnostic.fix {
            assert!(fix.apply_to(&file).is_some(), "fix does not fit: {diagnostic:?}");
        }
    }
    let text = file.text();
    let theirs = serde_json::from_str::<serde_json::Value>(text.strip_prefix('\u{feff}').unwrap_or(text));
    match (&parsed.doc, theirs) {
        (Some(doc), Ok(value)) if !parsed.diagnostics.has_errors() => {
            // `-0` is a whole number here and a double there.
            let negative_zero = text.contains("-0");
            assert!(negative_zero || doc.root().to_value() == value, "values differ");
        }
        (Some(_), Err(error)) if !parsed.diagnostics.has_errors() => panic!("only we accept it: {error}"),
        (None, Ok(_)) => {
            let ours_alone = ["UIAP-A004", "UIAP-A005", "UIAP-A041"];
            let known = parsed.diagnostics.iter().any(|d| ours_alone.contains(&d.code.to_string().as_str()));
            assert!(known, "only they accept it: {:?}", parsed.diagnostics);
        }
        _ => {}
    }
});
