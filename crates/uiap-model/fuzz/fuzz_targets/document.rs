//! Any JSON as any kind of document: three judges agree, none of them panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use uiap_model::document::{KINDS, detect, round_trip};
use uiap_model::parse::parse_value;
use uiap_model::shape::{Strictness, inspect};

macro_rules! round_trips {
    ($($name:literal $module:literal $title:literal $strictness:ident $type:ty
        $(, check $check:expr)? $(, check_value $raw:expr)? $(, marks [$($mark:expr),+])?;)+) => {
        /// In the order of `KINDS`.
        const ROUND_TRIPS: &[fn(&serde_json::Value) -> Result<serde_json::Value, String>] = &[$(round_trip::<$type>),+];
    };
}
uiap_model::every_kind!(round_trips);

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, text)) = bytes.split_first() else { return };
    let Ok(value) = parse_value(text) else { return };
    let _ = detect(&value);
    let at = usize::from(*choice) % KINDS.len();
    let kind = &KINDS[at];
    let problems = inspect(&value, (kind.shape)(), Strictness::Wire);
    let decoded = ROUND_TRIPS[at](&value);
    assert_eq!(problems.is_empty(), decoded.is_ok(), "{}: {problems:?} {decoded:?}", kind.name);
    if problems.is_empty() {
        let _ = (kind.check)(&value);
    }
});
