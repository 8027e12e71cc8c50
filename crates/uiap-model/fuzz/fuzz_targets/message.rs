//! Any bytes as a message: an answer, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use uiap_model::core::limits::Limits;
use uiap_model::core::registry;

fuzz_target!(|bytes: &[u8]| {
    let _ = registry::read(bytes, Limits::default());
});
