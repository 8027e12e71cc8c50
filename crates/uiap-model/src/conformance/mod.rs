//! Conformance: claims, cases and reports. Spec: conformance-suite (10).

pub mod case;
pub mod report;

pub use case::{Assertion, Fixture, TestCase, TestModule, TestStep};
pub use report::{CaseResult, ConformanceClaim, ConformanceReport, ConformanceRole, Verdict};
