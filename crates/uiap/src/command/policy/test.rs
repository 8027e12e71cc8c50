//! `uiap policy test`.

use std::path::{Path, PathBuf};

use serde_json::json;
use uiap_policy::table::{CaseReport, PolicyTestTable, TableReport};

use super::build_context;
use super::file::{Refused, load, load_policies, refuse};
use crate::cli::PolicyTest;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

type Outcome<T> = anyhow::Result<Result<T, Refused>>;

pub(crate) fn run(args: &PolicyTest, terminal: &Terminal) -> Outcome<Exit> {
    let mut reports = Vec::new();
    for path in &args.files {
        match table(path, args)? {
            Ok(report) => reports.push((path, report)),
            Err(refused) => return Ok(Err(refused)),
        }
    }
    let passed: usize = reports.iter().map(|(_, report)| report.passed).sum();
    let failed: usize = reports.iter().map(|(_, report)| report.mismatches.len()).sum();
    if terminal.json {
        let tables: Vec<_> = reports
            .iter()
            .map(|(path, report)| json!({ "file": path, "cases": report.cases, "mismatches": report.mismatches }))
            .collect();
        Terminal::data(&format!("{:#}\n", json!({ "passed": passed, "failed": failed, "tables": tables })))?;
    } else {
        let mut text: String =
            reports.iter().map(|(path, report)| describe(path, report, terminal)).collect();
        text.push_str(&format!("{passed} passed, {failed} failed\n"));
        Terminal::data(&text)?;
    }
    Ok(Ok(if failed == 0 { Exit::Ok } else { Exit::Found }))
}

fn table(path: &Path, args: &PolicyTest) -> Outcome<TableReport> {
    let doc = match load(path) {
        Ok(doc) => doc,
        Err(refused) => return Ok(Err(refused)),
    };
    let table = match PolicyTestTable::from_value(&doc.root().to_value()) {
        Ok(table) => table,
        Err(problems) => return Ok(Err(refuse(&doc, problems))),
    };
    let policies = match load_policies(&policies_of(path, &table, args)?, &build_context(&args.context)) {
        Ok(policies) => policies,
        Err(refused) => return Ok(Err(refused)),
    };
    Ok(table.run(&policies).map_err(|problems| refuse(&doc, problems)))
}

fn policies_of(path: &Path, table: &PolicyTestTable, args: &PolicyTest) -> anyhow::Result<Vec<PathBuf>> {
    if !args.policies.is_empty() {
        return Ok(args.policies.clone());
    }
    if table.policies.is_empty() {
        return Err(Failure {
            exit: Exit::Usage,
            message: format!("`{}` names no policy to test", path.display()),
            hint: Some("add `policies: [FILE]` to the table, or give `--policy FILE`".to_owned()),
        }
        .into());
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    Ok(table.policies.iter().map(|file| folder.join(file)).collect())
}

fn describe(path: &Path, report: &TableReport, terminal: &Terminal) -> String {
    let width = |of: fn(&CaseReport) -> usize| report.cases.iter().map(of).max().unwrap_or_default();
    let (names, actions) =
        (width(|case| case.case.chars().count()), width(|case| case.action_id.chars().count()));
    let mut text = format!("{}\n", terminal.strong(&path.display().to_string()));
    for case in &report.cases {
        let mark = if case.passed { terminal.good("ok  ") } else { terminal.bad("FAIL") };
        text.push_str(&format!(
            "  {mark}  {:<names$}  {:<actions$}  {}\n",
            case.case, case.action_id, case.found
        ));
        let mismatch = report.mismatches.iter().find(|each| !case.passed && each.case == case.case);
        for line in mismatch.iter().flat_map(|each| &each.differences) {
            text.push_str(&format!("          {line}\n"));
        }
        for line in mismatch.iter().flat_map(|each| each.explanation.lines().into_iter().skip(1)) {
            text.push_str(&format!("        {}\n", terminal.dim(&line)));
        }
    }
    text
}
