//! Discovery Mapper: what a controlled exploration found, and how sure it is. Spec: discovery-mapper (08).

pub mod catalog;
pub mod environment;
pub mod evidence;
pub mod message;
pub mod package;
pub mod review;
pub mod transition;

pub use environment::{DiscoveryBudget, DiscoveryEnvironment, DiscoverySafetyPolicy, DiscoverySeed};
pub use evidence::{Confidence, EvidenceRef, EvidenceSource};
pub use package::{DiscoveryPackage, DiscoveryRunStatus, DiscoveryRunSummary};
