//! `uiap audit verify`.

use serde_json::json;
use uiap_model::names::Digest;
use uiap_policy::audit::{Chain, Head, read_lines};

use crate::cli::{Audit, AuditVerb, AuditVerify};
use crate::command::package::read;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

pub(crate) fn run(args: &Audit, terminal: &Terminal) -> anyhow::Result<Exit> {
    let AuditVerb::Verify(args) = &args.verb;
    let head = args.head.as_deref().map(parse_head).transpose()?;
    let bytes = read(&args.file)?;
    match check(&bytes, head.as_ref()) {
        Ok(chain) => holds(args, &chain, terminal),
        Err(fault) => breaks(args, &fault, terminal),
    }
}

/// Where a chain breaks and why.
struct Broken {
    seq: u64,
    why: String,
}

fn check(bytes: &[u8], head: Option<&Head>) -> Result<Chain, Broken> {
    let told = |link: uiap_policy::audit::BrokenLink| Broken { seq: link.seq, why: link.fault.to_string() };
    let chain = read_lines(bytes).map_err(told)?;
    if chain.is_torn {
        let why = format!("the record is cut off; {} whole ones stand before it", chain.records);
        return Err(Broken { seq: chain.records + 1, why });
    }
    if let Some(head) = head {
        chain.ends_at(head).map_err(told)?;
    }
    Ok(chain)
}

fn holds(args: &AuditVerify, chain: &Chain, terminal: &Terminal) -> anyhow::Result<Exit> {
    let head = chain.head.as_ref().map(|head| format!("{}:{}", head.seq, head.digest));
    if terminal.json {
        let report = json!({ "holds": true, "records": chain.records, "head": head });
        Terminal::data(&format!("{report:#}\n"))?;
        return Ok(Exit::Ok);
    }
    let noun = if chain.records == 1 { "record" } else { "records" };
    let mut text = format!("{}: {} {noun}, the chain holds\n", args.file.display(), chain.records);
    if let Some(head) = &head {
        text.push_str(&format!("head {head}\n"));
    }
    Terminal::data(&text)?;
    if let (None, Some(head)) = (&args.head, &head) {
        terminal.hint(&format!(
            "the last record and what may be missing after it cannot be judged without `--head`; keep `{head}` elsewhere"
        ));
    }
    Ok(Exit::Ok)
}

fn breaks(args: &AuditVerify, fault: &Broken, terminal: &Terminal) -> anyhow::Result<Exit> {
    let Broken { seq, why } = fault;
    if terminal.json {
        let report = json!({ "holds": false, "seq": seq, "fault": why });
        Terminal::data(&format!("{report:#}\n"))?;
    } else {
        let mark = terminal.bad("the chain breaks");
        Terminal::data(&format!("{}: {mark} at record {seq}: {why}\n", args.file.display()))?;
    }
    Ok(Exit::Found)
}

fn parse_head(text: &str) -> Result<Head, Failure> {
    let parts =
        text.split_once(':').and_then(|(seq, digest)| Some((seq.parse().ok()?, Digest::parse(digest)?)));
    parts.map(|(seq, digest)| Head { seq, digest }).ok_or_else(|| Failure {
        exit: Exit::Usage,
        message: format!("`{text}` is not SEQ:DIGEST"),
        hint: Some("`uiap audit verify FILE` prints it behind `head`".to_owned()),
    })
}
