//! Any JSON as any kind of document: three judges agree, none of them panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use uiap_model::document::{KINDS, detect};
use uiap_model::parse::parse_value;
use uiap_model::shape::{Strictness, inspect};

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, text)) = bytes.split_first() else { return };
    let Ok(value) = parse_value(text) else { return };
    let _ = detect(&value);
    let kind = &KINDS[usize::from(*choice) % KINDS.len()];
    let problems = inspect(&value, (kind.shape)(), Strictness::Wire);
    let decoded = (kind.round_trip)(&value);
    assert_eq!(problems.is_empty(), decoded.is_ok(), "{}: {problems:?} {decoded:?}", kind.name);
    if problems.is_empty() {
        let _ = (kind.check)(&value);
    }
});
