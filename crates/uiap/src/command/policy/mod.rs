//! `uiap policy`: tables of cases, and single questions.

mod explain;
mod file;
mod test;

pub(crate) use self::file::{Refused, load_policies};
use uiap_model::authoring::BuildContext;

use crate::cli::{Policy, PolicyContext, PolicyVerb};
use crate::exit::Exit;
use crate::terminal::Terminal;

pub(crate) fn run(args: &Policy, terminal: &Terminal) -> anyhow::Result<Exit> {
    let outcome = match &args.verb {
        PolicyVerb::Test(args) => test::run(args, terminal)?,
        PolicyVerb::Explain(args) => explain::run(args, terminal)?,
    };
    match outcome {
        Ok(exit) => Ok(exit),
        Err(refused) => refused.print(terminal),
    }
}

fn build_context(context: &PolicyContext) -> BuildContext {
    let text = |value: &Option<String>| value.as_deref().map(Into::into);
    BuildContext {
        environment: text(&context.environment),
        channel: context.channel,
        locale: None,
        tenant_id: text(&context.tenant),
        principal_profile: text(&context.profile),
        app_version: None,
    }
}

/// The policies of some files; none when there are none.
pub(crate) fn in_force(files: &[std::path::PathBuf]) -> Result<Option<uiap_policy::Policies>, Refused> {
    if files.is_empty() {
        return Ok(None);
    }
    let context = BuildContext {
        environment: None,
        channel: None,
        locale: None,
        tenant_id: None,
        principal_profile: None,
        app_version: None,
    };
    load_policies(files, &context).map(Some)
}
