//! `uiap validate`.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use uiap_authoring::contract;
use uiap_authoring::diagnostic::{Diagnostic, Diagnostics, Severity, codes, did_you_mean};
use uiap_authoring::source::{Limits, SourceDoc, SourceFile, Span, parse_source};
use uiap_model::authoring::AuthoringKind;
use uiap_model::document::detect;

use crate::cli::Validate;
use crate::command::findings;
use crate::command::kind::Kind;
use crate::exit::Exit;
use crate::terminal::Terminal;

pub(crate) fn run(args: &Validate, terminal: &Terminal) -> anyhow::Result<Exit> {
    let wanted = args.kind.as_deref().map(Kind::named).transpose()?;
    let mut findings = Diagnostics::new();
    let mut unreadable = false;
    let mut checked = Vec::new();
    for path in &args.files {
        match load(path) {
            Err(finding) => {
                unreadable |= matches!(finding.code, codes::UNREADABLE);
                findings.push(*finding);
            }
            Ok(file) => {
                let kind = check(&file, wanted, &mut findings);
                checked.push((file.name().to_owned(), kind));
            }
        }
    }
    if args.strict {
        findings = findings.iter().cloned().map(sharpen).fold(Diagnostics::new(), |mut all, each| {
            all.push(each);
            all
        });
    }
    findings.sort();
    let fine: String = checked
        .iter()
        .map(|(name, kind)| format!("{name}: valid {}\n", kind.unwrap_or("document")))
        .collect();
    findings::print(&findings, args.format, terminal, &fine)?;
    Ok(match (unreadable, findings.has_errors()) {
        (true, _) => Exit::File,
        (false, true) => Exit::Found,
        (false, false) => Exit::Ok,
    })
}

fn sharpen(finding: Diagnostic) -> Diagnostic {
    if finding.severity == Severity::Warning { finding.severity(Severity::Error) } else { finding }
}

fn load(path: &Path) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    if path != Path::new("-") {
        return SourceFile::load(path, &Limits::DEFAULT);
    }
    let mut bytes = Vec::new();
    let most = u64::from(Limits::DEFAULT.max_bytes);
    let read = std::io::stdin().lock().take(most + 1).read_to_end(&mut bytes);
    let name = "<stdin>";
    if let Err(error) = read {
        let file = SourceFile::without_text(name);
        return Err(Box::new(Diagnostic::new(codes::UNREADABLE, error.to_string(), &file, Span::empty(0))));
    }
    if bytes.len() as u64 > most {
        let file = SourceFile::without_text(name);
        let message = format!("more than {most} bytes on standard input");
        return Err(Box::new(Diagnostic::new(codes::TOO_LARGE, message, &file, Span::empty(0))));
    }
    SourceFile::from_bytes(name, bytes)
}

/// Checks one file; tells what it was taken for.
fn check(file: &Arc<SourceFile>, wanted: Option<Kind>, findings: &mut Diagnostics) -> Option<&'static str> {
    let parsed = parse_source(file, &Limits::DEFAULT);
    let broken = parsed.diagnostics.has_errors();
    findings.append(parsed.diagnostics);
    let doc = parsed.doc.filter(|_| !broken)?;
    let Some(kind) = wanted.or_else(|| detect(doc.root()).map(Kind::of_document)) else {
        findings.push(unknown_kind(&doc));
        return None;
    };
    for problem in kind.validate(&doc.root().to_value()) {
        findings.push(contract::diagnostic(&problem, &doc));
    }
    Some(kind.name)
}

fn unknown_kind(doc: &SourceDoc) -> Diagnostic {
    let root = doc.root();
    let kind = root.get("apiVersion").and_then(|_| root.get("kind"));
    if let Some((node, name)) = kind.and_then(|node| Some((node, node.as_str()?))) {
        let finding = Diagnostic::new(
            codes::UNKNOWN_VALUE,
            format!("`{name}` is not a kind of manifest"),
            doc.file(),
            node.span(),
        );
        return match did_you_mean(name, AuthoringKind::NAMES.iter().copied()) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding.help(format!("expected one of {}", AuthoringKind::NAMES.join(", "))),
        };
    }
    Diagnostic::new(
        codes::UNKNOWN_KIND,
        "cannot tell what kind of document this is",
        doc.file(),
        Span::new(root.span().start, root.span().start),
    )
    .help("say it with `--as KIND`; `uiap schema` lists the kinds")
}
