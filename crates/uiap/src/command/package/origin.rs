//! `uiap explain PATH`: where a value of the bundle comes from.

use uiap_authoring::build::Cache;

use super::{check, open};
use crate::cli::{Explain, Format};
use crate::command::findings;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

pub(crate) fn run(pointer: &str, args: &Explain, terminal: &Terminal) -> anyhow::Result<Exit> {
    let mut opened = open(&args.package.dir, &args.package.sources, Some(&args.context))?;
    opened.options.explain = Some(pointer.to_owned());
    opened.options.keep_going = true;
    let built = check::build(&mut Cache::new(), opened);
    let Some(explanation) = &built.report.explanation else {
        if built.diagnostics.has_errors() {
            findings::print(&built.diagnostics, Format::Human, terminal, "")?;
            return Ok(Exit::Found);
        }
        return Err(Failure {
            exit: Exit::Usage,
            message: format!("the bundle has nothing at `{pointer}`"),
            hint: Some("items go by id, such as /bindings/elements/video.delete/risk".to_owned()),
        }
        .into());
    };
    if terminal.json {
        Terminal::data(&format!("{}\n", serde_json::to_string_pretty(explanation)?))?;
        return Ok(Exit::Ok);
    }
    let mut out = format!("{} = {}\n", explanation.pointer, explanation.value);
    for origin in &explanation.origins {
        let by = if origin.manifest.is_empty() { String::new() } else { format!(" ({})", origin.manifest) };
        let value = if origin.value.is_empty() { String::new() } else { format!(" = {}", origin.value) };
        out.push_str(&format!("  {:<10} {}{by}{value}\n", origin.what, origin.place));
    }
    Terminal::data(&out)?;
    Ok(Exit::Ok)
}
