//! Proofs that take too long for every change: safeguards are taken out and their tests must fail, and the numbers that the
//! usual run keeps small are large.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::repository::{execute_with, output, root};

/// A safeguard, how it is taken out, and the tests that must notice.
struct Mutant {
    safeguard: &'static str,
    package: &'static str,
    file: &'static str,
    /// Stands in the file once.
    from: &'static str,
    to: &'static str,
    tests: &'static [&'static str],
}

const MUTANTS: &[Mutant] = &[
    Mutant {
        safeguard: "identity: what is there counts as what was seen",
        package: "uiap-runtime",
        file: "crates/uiap-runtime/src/resolve/search.rs",
        from: "let same = known.as_ref().is_none_or(|known| known.is_still(graph, id));",
        to: "let same = known.is_some() || known.is_none();",
        tests: &[
            "a_recycled_row_is_not_taken_for_the_one_that_was_meant",
            "what_was_seen_is_found_again_or_refused_and_never_confused",
        ],
    },
    Mutant {
        safeguard: "identity: the row is not looked at again before the input",
        package: "uiap-runtime",
        file: "crates/uiap-runtime/src/action/drive.rs",
        from: "&& (Arc::ptr_eq(&graph, &prepared.graph) || row());",
        to: "&& (Arc::ptr_eq(&graph, &prepared.graph) || row() || true);",
        tests: &[
            "a_grant_for_one_row_does_not_run_on_the_row_that_took_its_place",
            "a_row_that_is_recycled_while_an_action_waits_its_turn_is_not_taken_for_the_one_that_was_meant",
        ],
    },
    Mutant {
        safeguard: "stabiliser: nothing has to stay",
        package: "uiap-runtime",
        file: "crates/uiap-runtime/src/verify/attempt.rs",
        from: "            let wait = hold(attempt);\n",
        to: "            let wait = hold(attempt) * 0;\n",
        tests: &[
            "a_value_that_the_app_takes_back_is_no_success",
            "a_route_that_the_app_takes_back_is_no_success",
            "what_is_seen_late_must_stay_so_too",
        ],
    },
    Mutant {
        safeguard: "stabiliser: whoever took something back is believed again",
        package: "uiap-runtime",
        file: "crates/uiap-runtime/src/action/trust.rs",
        from: "self.kept.retain(|kind| kind.place != place);",
        to: "self.kept.retain(|kind| kind.place != place || !place.is_empty());",
        tests: &["an_app_that_takes_back_is_not_believed_at_once_again"],
    },
    Mutant {
        safeguard: "verification: everything counts as seen",
        package: "uiap-runtime",
        file: "crates/uiap-runtime/src/verify/facts.rs",
        from: "expected && self.obliged.iter().all(Obliged::is_met)",
        to: "(expected || true) && self.obliged.iter().all(Obliged::is_met)",
        tests: &[
            "a_handler_that_says_ok_while_nothing_is_seen_is_no_success",
            "what_a_page_does_by_itself_proves_nothing",
            "a_driver_that_says_done_is_not_believed",
        ],
    },
    Mutant {
        safeguard: "write-ahead: nothing is written down before the input",
        package: "uiap-runtime",
        file: "crates/uiap-runtime/src/action/hands.rs",
        from: "if !self.harmless && !self.live.announced",
        to: "if !self.harmless && self.sent && !self.live.announced",
        tests: &["every_action_that_may_change_something_is_written_down_before_its_first_command"],
    },
    Mutant {
        safeguard: "repeat safety: the same is done again although its effect is unknown",
        package: "uiap-runtime",
        file: "crates/uiap-runtime/src/action/take_in.rs",
        from: "return Err(unsafe_retry(&earlier));",
        to: "drop(unsafe_retry(&earlier));",
        tests: &[
            "an_unknown_effect_forbids_the_same_again_until_it_is_acknowledged",
            "what_is_idempotent_under_conditions_only_is_not_repeated_blindly",
        ],
    },
    Mutant {
        safeguard: "redaction: typed secrets are not learned",
        package: "uiap-runtime",
        file: "crates/uiap-runtime/src/action/account.rs",
        from: "self.redactor().learn(secret);",
        to: "drop(secret.to_owned());",
        tests: &["a_trace_reads_as_a_story_and_holds_no_secret"],
    },
    Mutant {
        safeguard: "redaction: texts are passed on as they are",
        package: "uiap-policy",
        file: "crates/uiap-policy/src/redact/mod.rs",
        from: "        let scrubbed = self.secrets().scrub(text);\n        let shown = scrubbed.as_deref().unwrap_or(text);\n        url::within(shown)",
        to: "        let scrubbed = self.secrets().scrub(text).filter(|_| false);\n        let shown = scrubbed.as_deref().unwrap_or(text);\n        url::within(shown)",
        tests: &["a_typed_password_is_known_from_then_on"],
    },
];

/// Takes every safeguard out of a copy of the repository, one at a time, and runs the tests that must notice.
pub(crate) fn mutants() -> Result<()> {
    let copy = root().join("target/mutants");
    take_over(&copy)?;
    let mut survived = Vec::new();
    for mutant in MUTANTS {
        let path = copy.join(mutant.file);
        let text = std::fs::read_to_string(&path).with_context(|| mutant.file.to_owned())?;
        let found = text.matches(mutant.from).count();
        ensure!(
            found == 1,
            "`{}` stands {found} times in {}: mend xtask/src/proof.rs",
            mutant.from,
            mutant.file
        );
        std::fs::write(&path, text.replace(mutant.from, mutant.to))?;
        let outcome = noticed(&copy, mutant);
        std::fs::write(&path, text)?;
        let unnoticed = outcome?;
        println!("{} {}", if unnoticed.is_empty() { "noticed " } else { "SURVIVED" }, mutant.safeguard);
        for test in &unnoticed {
            println!("         {test} does not fail");
        }
        survived.extend(unnoticed);
    }
    ensure!(survived.is_empty(), "{} tests do not notice what they are for", survived.len());
    Ok(())
}

/// The tests that do not fail although they should.
fn noticed(copy: &Path, mutant: &Mutant) -> Result<Vec<&'static str>> {
    let wanted: Vec<String> = mutant.tests.iter().map(|test| format!("test({test})")).collect();
    let run = Command::new("cargo")
        .args(["nextest", "run", "--no-fail-fast", "--color", "never", "-p", mutant.package, "-E"])
        .arg(wanted.join(" or "))
        .env("CARGO_TARGET_DIR", root().join("target/mutants-target"))
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .current_dir(copy)
        .output()
        .context("cargo nextest")?;
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    if !told.contains("Summary") {
        bail!("the mutant `{}` does not compile:\n{told}", mutant.safeguard);
    }
    let failed = |test: &&&str| told.lines().any(|line| line.contains("FAIL") && line.contains(**test));
    Ok(mutant.tests.iter().filter(|test| !failed(test)).copied().collect())
}

/// Copies what git knows; what did not change keeps its time, so that it is not compiled again.
fn take_over(copy: &Path) -> Result<()> {
    let listed = output("git", &["ls-files", "--cached", "--others", "--exclude-standard"])?;
    for name in listed.lines() {
        let (from, to): (PathBuf, PathBuf) = (root().join(name), copy.join(name));
        if !from.is_file() {
            continue;
        }
        let bytes = std::fs::read(&from).with_context(|| name.to_owned())?;
        if std::fs::read(&to).is_ok_and(|there| there == bytes) {
            continue;
        }
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&to, bytes).with_context(|| name.to_owned())?;
    }
    Ok(())
}

/// A test that the usual run asks with small numbers.
struct Large {
    what: &'static str,
    numbers: &'static [(&'static str, &'static str)],
    cargo: &'static [&'static str],
}

const LARGE: &[Large] = &[
    Large {
        what: "policy against the naive evaluator, 1,000,000 questions",
        numbers: &[("UIAP_POLICY_CASES", "1000000")],
        cargo: &["test", "--release", "-p", "uiap-policy", "differential"],
    },
    Large {
        what: "browser killed 200 times",
        numbers: &[("CRASH_KILLS", "200")],
        cargo: &["test", "-p", "uiap-web", "--test", "crash", "--", "--nocapture"],
    },
    Large {
        what: "`uiap act` killed 200 times",
        numbers: &[("KILLS", "200")],
        cargo: &["test", "-p", "uiap", "--test", "it", "killed::", "--", "--nocapture"],
    },
    Large {
        what: "`uiap discover` killed 50 times",
        numbers: &[("DISCOVER_KILLS", "50")],
        cargo: &["test", "-p", "uiap", "--test", "it", "killed_run", "--", "--nocapture"],
    },
    Large {
        what: "the whole demo app explored with 1, 2, 2 and 4 pages",
        numbers: &[("EXPLORE_PAGES", "1,2,2,4")],
        cargo: &["test", "-p", "uiap-server", "--test", "explore", "the_whole_app", "--", "--nocapture"],
    },
];

/// The same tests as always, with the numbers that prove something.
pub(crate) fn large() -> Result<()> {
    for proof in LARGE {
        println!("{}", proof.what);
        execute_with("cargo", proof.cargo, proof.numbers)?;
    }
    Ok(())
}
