//! What is tested.

use compact_str::CompactString;
use uiap_model_derive::wire;

use crate::conformance::report::ConformanceRole;
use crate::json::{Count, JsonObject, JsonValue, Positive};
use crate::names::{Digest, ExtensionId, JsonPointer, MessageType};

/// A group of cases.
#[wire(case = "pascal")]
pub enum TestModuleId {
    CORE,
    CAP,
    WEB,
    ACTION,
    POLICY,
    SDK,
    WORKFLOW,
    DISCOVERY,
    AUTHORING,
    BINDING,
}

/// How binding a case is.
#[wire]
pub enum CaseLevel {
    Required,
    Recommended,
    Optional,
}

/// Whether a case shows what must work or what must fail.
#[wire]
pub enum Polarity {
    Positive,
    Negative,
}

/// How a value is compared.
#[wire]
pub enum AssertionOp {
    Eq,
    Ne,
    Exists,
    Absent,
    In,
    Matches,
    Count,
    Subset,
}

/// A comparison.
#[wire]
pub struct Assertion {
    pub path: JsonPointer,
    pub op: AssertionOp,
    pub value: Option<JsonValue>,
}

/// One step of a case.
#[wire(tag = "do")]
pub enum TestStep {
    Send {
        message: JsonObject,
        r#as: Option<CompactString>,
    },
    Expect {
        #[wire(name = "type")]
        message_type: MessageType,
        r#where: Option<Vec<Assertion>>,
        within_ms: Option<Positive>,
        r#as: Option<CompactString>,
    },
    ExpectNone {
        #[wire(name = "type")]
        message_type: MessageType,
        for_ms: Positive,
    },
    Harness {
        command: CompactString,
        args: Option<JsonObject>,
    },
    Compile {
        package: CompactString,
        context: Option<JsonObject>,
        r#as: Option<CompactString>,
    },
    Assert {
        on: CompactString,
        r#where: Vec<Assertion>,
    },
}

/// A case.
#[wire]
pub struct TestCase {
    pub id: CompactString,
    pub module: TestModuleId,
    pub title: CompactString,
    pub roles: Vec<ConformanceRole>,
    pub level: CaseLevel,
    pub polarity: Polarity,
    pub spec_ref: CompactString,
    pub requires: Option<Vec<CompactString>>,
    pub fixture: CompactString,
    pub steps: Vec<TestStep>,
    pub repeat: Option<Count>,
}

/// The version of the specification that is tested.
#[wire]
pub enum SpecVersion {
    #[wire(name = "0.1")]
    V01,
}

/// The cases of a module.
#[wire]
pub struct TestModule {
    pub id: TestModuleId,
    pub spec_version: SpecVersion,
    pub cases: Vec<TestCase>,
}

/// What a fixture is.
#[wire]
pub enum FixtureKind {
    Page,
    Messages,
    Capabilities,
    Policy,
    Workflow,
    Package,
    Discovery,
}

/// What a case works on.
#[wire]
pub struct Fixture {
    pub id: CompactString,
    pub kind: FixtureKind,
    pub files: Vec<CompactString>,
    pub digest: Digest,
}

/// Several roles under one name.
#[wire]
pub struct CompositeProfile {
    pub id: CompactString,
    pub roles: Vec<ConformanceRole>,
    pub extensions: Option<Vec<ExtensionId>>,
    pub min_cases: Option<Vec<CompactString>>,
}
