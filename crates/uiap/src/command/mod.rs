//! One file for each command.

pub(crate) mod audit;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod discovery;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod findings;
pub(crate) mod kind;
pub(crate) mod man;
pub(crate) mod package;
pub(crate) mod policy;
pub(crate) mod reference;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod session;
pub(crate) mod validate;
pub(crate) mod web;
