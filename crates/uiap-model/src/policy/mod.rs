//! Policy Extension: who may do what, what is hidden, what is written down. Spec: policy-extension (05).

pub mod audit;
pub mod decision;
pub mod document;
pub mod message;
pub mod vocabulary;

pub use audit::{AuditPolicy, AuditRecord};
pub use decision::{PolicyDecision, PolicyObligation, PolicyRequest};
pub use document::{PolicyDefaults, PolicyDocument, PolicyMatch, PolicyRule, RedactionRule};
pub use vocabulary::{
    AuditLevel, DataClass, PolicyEffect, PolicyGrant, PolicyPrincipal, PolicyReason, PrincipalType,
    RedactionMode, SideEffectClass,
};
