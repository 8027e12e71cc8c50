//! What is captured of real pages, in a real Chromium that all tests of this file share.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests fail by panicking and tell on stderr, as tests do"
)]

mod acting;
mod agreement;
mod boundaries;
mod bridge;
mod budget;
mod bundle;
mod capability;
mod cause;
mod destination;
mod dialog;
mod early;
mod elements;
mod emulation;
mod graph_form;
mod greeting;
mod guard;
mod hostile;
mod inclusion;
mod input;
mod input_keys;
mod methods;
mod network;
mod observation;
mod passages;
mod permission;
mod presenter;
mod quiet;
mod replay;
mod resync;
mod scopes;
mod screenshot;
mod secrets;
mod shared;
mod signal;
mod signal_browser;
mod signal_site;
mod signal_stream;
mod signal_success;
mod storage;
mod visibility;
mod webmcp;
mod wpt;
