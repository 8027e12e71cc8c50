//! Options of the commands that work on policies and on what was written down.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use uiap_model::authoring::ReleaseChannel;

/// Test a policy, or ask it why
#[derive(Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Policy {
    #[command(subcommand)]
    pub(crate) verb: PolicyVerb,
}

/// What to do with policies.
#[derive(Subcommand)]
pub(crate) enum PolicyVerb {
    Test(PolicyTest),
    Explain(Box<PolicyExplain>),
}

/// Where a policy is asked; its selectors decide whether it is active there.
#[derive(Args)]
pub(crate) struct PolicyContext {
    /// Environment of the app, such as staging
    #[arg(long, value_name = "ID")]
    pub(crate) environment: Option<String>,
    /// Release channel: dev, staging or prod
    #[arg(long, value_name = "CHANNEL", value_parser = super::package::channel)]
    pub(crate) channel: Option<ReleaseChannel>,
    /// Tenant
    #[arg(long, value_name = "ID")]
    pub(crate) tenant: Option<String>,
    /// Profile of the person, such as admin
    #[arg(long, value_name = "ID")]
    pub(crate) profile: Option<String>,
}

/// Ask a policy a table of questions and compare the answers
///
/// A table is YAML or JSON: `policies` names the files to test, `base` what all requests share, `cases` the questions with
/// what must come out. Only what is written under `expect` is compared.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap policy test policy-tests.yaml
  uiap policy test tests/*.yaml --policy policies/default.uiap.yaml
  uiap policy test policy-tests.yaml --json | jq '.tables[].mismatches'

A table:
  policies: [policies/default.uiap.yaml]
  base:
    principal: { type: agent, id: helper, grants: [act] }
  cases:
    - name: typing is fine
      request: { actionId: ui.enterText }
      expect: { effect: allow }
    - name: deleting is not
      request: { actionId: video.delete }
      situation: { routeId: library }
      expect: { effect: deny, missingGrants: [admin] }

Exit code: 0 all came out as expected, 1 one did not or a file is wrong, 6 a file cannot be read.")]
pub(crate) struct PolicyTest {
    /// Tables of questions and expected answers
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Ask this policy instead of those that the tables name; may be given several times
    #[arg(long = "policy", value_name = "FILE")]
    pub(crate) policies: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) context: PolicyContext,
}

/// Ask a policy one question and see what led to the answer
///
/// Reads policy documents, PolicySet manifests, or several of both. What you say of the action and its target counts as declared
/// by the app. An action that is no primitive and has neither `--risk` nor `--side-effect` is one that nobody declared.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap policy explain policies/default.uiap.yaml --action ui.activate --grant act
  uiap policy explain policy.yaml --action video.delete --risk confirm --side-effect destructive --grant admin
  uiap policy explain policy.yaml --action ui.enterText --grant act --role textbox --data-class payment --route billing
  uiap policy explain policy.yaml --action ui.read --opaque --json | jq .arguments

Exit code: 0 whatever the answer, 1 a policy is wrong, 2 the question is wrong, 6 a file cannot be read.")]
pub(crate) struct PolicyExplain {
    /// Policies
    #[arg(required = true, value_name = "POLICY")]
    pub(crate) policies: Vec<PathBuf>,
    /// The action that is asked for
    #[arg(long, value_name = "ID")]
    pub(crate) action: String,
    /// Who asks, as TYPE:ID; the type is user, agent, bridge, observer or system
    #[arg(long, value_name = "TYPE:ID", default_value = "agent:agent")]
    pub(crate) principal: String,
    /// A grant of the one who asks; may be given several times
    #[arg(long = "grant", value_name = "GRANT", value_delimiter = ',')]
    pub(crate) grants: Vec<String>,
    /// A role of the one who asks; may be given several times
    #[arg(long = "principal-role", value_name = "ROLE", value_delimiter = ',')]
    pub(crate) principal_roles: Vec<String>,
    /// Risk level that the app declares: safe, confirm or blocked
    #[arg(long, value_name = "LEVEL")]
    pub(crate) risk: Option<String>,
    /// Risk tag that the app declares; may be given several times
    #[arg(long = "risk-tag", value_name = "TAG", value_delimiter = ',')]
    pub(crate) risk_tags: Vec<String>,
    /// Side effect that the app declares, such as data_write
    #[arg(long, value_name = "CLASS")]
    pub(crate) side_effect: Option<String>,
    /// Role of the target, such as button
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    /// Stable id of the target
    #[arg(long, value_name = "ID")]
    pub(crate) stable_id: Option<String>,
    /// Data class of the target; may be given several times
    #[arg(long = "data-class", value_name = "CLASS", value_delimiter = ',')]
    pub(crate) data_classes: Vec<String>,
    /// Route on which it happens
    #[arg(long, value_name = "ID")]
    pub(crate) route: Option<String>,
    /// Scope in which it happens
    #[arg(long, value_name = "ID")]
    pub(crate) scope: Option<String>,
    /// Workflow that it belongs to
    #[arg(long, value_name = "ID")]
    pub(crate) workflow: Option<String>,
    /// How people take part: guide, assist or auto
    #[arg(long, value_name = "MODE")]
    pub(crate) interaction_mode: Option<String>,
    /// How it would be carried out, such as appAction
    #[arg(long, value_name = "MODE")]
    pub(crate) execution_mode: Option<String>,
    /// The target lies behind a boundary that nobody can look through
    #[arg(long)]
    pub(crate) opaque: bool,
    #[command(flatten)]
    pub(crate) context: PolicyContext,
}

/// Check what was written down
#[derive(Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Audit {
    #[command(subcommand)]
    pub(crate) verb: AuditVerb,
}

/// What to do with audit files.
#[derive(Subcommand)]
pub(crate) enum AuditVerb {
    Verify(AuditVerify),
}

/// Check the chain of an audit file from its first record on
///
/// Every record holds the digest of the one before, so that a record that was changed, removed, doubled or moved is found. The end of
/// the chain is printed: keep it elsewhere, and give it with `--head` later to see that nothing was cut off either.
#[derive(Args)]
#[command(after_help = "Examples:
  uiap audit verify audit.jsonl
  uiap audit verify audit.jsonl --head 1024:sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
  uiap audit verify audit.jsonl --json | jq .head

Exit code: 0 the chain holds, 1 it does not, 6 the file cannot be read.")]
pub(crate) struct AuditVerify {
    /// The file, one record per line
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Where the chain must end, as SEQ:DIGEST
    #[arg(long, value_name = "SEQ:DIGEST")]
    pub(crate) head: Option<String>,
}
