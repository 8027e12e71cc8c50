//! YAML: never panics, and whatever the fast reader accepts the complete one reads the same way.
#![no_main]

use libfuzzer_sys::fuzz_target;
use uiap_authoring::diagnostic::render::human::Human;
use uiap_authoring::source::yaml::{Agreement, compare_readers};
use uiap_authoring::source::{Limits, SourceFile, parse_source};

fuzz_target!(|data: &[u8]| {
    let Ok(file) = SourceFile::from_bytes("fuzz.yaml", data.to_vec()) else { return };
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
    assert!(parsed.doc.is_some() || parsed.diagnostics.has_errors(), "refused without a word");
    if let Agreement::Different(words) = compare_readers(&file, &Limits::DEFAULT) {
        panic!("{words}");
    }
});
