//! Names and roles against the web platform's own tests.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::shared::{evaluate, open, run, serve};

/// Cases whose outcome is known to differ, each with its reason.
const KNOWN_MISSES: &str = include_str!("known-misses.txt");

/// The corpus carries no scripts; these stand in for what the pages' own would do.
const SCRIPTS: &[(&str, &str)] = &[
    (
        "comp_name_from_content_alt_counter_invalidation.html",
        "document.styleSheets[0].cssRules[0].style.counterSet = 'cnt 228'",
    ),
    ("basic.html", "host1.attachShadow({mode:'open'}).innerHTML='foo';
        host2.attachShadow({mode:'open'}).innerHTML='<div aria-label=\"bar\"></div>'"),
    ("slot.html", "for (const [id, html] of [['host1','foo <slot></slot> bar'],['host2','foo <slot>default</slot> bar'],
        ['host3','foo <slot aria-label=\"label\"></slot> bar'],['host4','foo <slot aria-label=\"label\">default</slot> bar']])
        document.getElementById(id).attachShadow({mode:'open'}).innerHTML=html"),
];

const SELECTOR: &str = "[data-expectedlabel],[data-expectedrole],.ex-generic";

#[derive(Deserialize)]
struct Case {
    title: String,
    label: Option<String>,
    role: Option<String>,
}

struct Tally {
    right: u32,
    wrong: Vec<String>,
}

fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/wpt");
    path.is_dir().then_some(path)
}

fn pages_in(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages_in(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "html") {
            pages.push(path);
        }
    }
    pages.sort();
}

async fn measure(folder: &Path) -> Tally {
    let mut tally = Tally { right: 0, wrong: Vec::new() };
    let mut pages = Vec::new();
    pages_in(folder, &mut pages);
    for path in pages {
        let file = path.file_name().unwrap().to_str().unwrap();
        let page = open(&serve(&fs::read_to_string(&path).unwrap()).await).await;
        if let Some((_, script)) = SCRIPTS.iter().find(|(name, _)| *name == file) {
            evaluate(&page, &format!("{script};0")).await;
        }
        let cases = evaluate(&page, &format!(
            "Array.from(document.querySelectorAll('{SELECTOR}'), e => ({{title: e.dataset.testname || e.id,
                label: e.dataset.expectedlabel, role: e.classList.contains('ex-generic') ? 'generic' : e.dataset.expectedrole}}))"
        ))
        .await;
        let cases: Vec<Case> = serde_json::from_value(cases).unwrap();
        let found = page.accessible(SELECTOR).await.unwrap();
        assert_eq!(cases.len(), found.len());
        for (case, found) in cases.into_iter().zip(found) {
            let title = &case.title;
            if let Some(label) = case.label {
                tally.note(&label, &found.name, &format!("{file}: {title}: name"));
            }
            if let Some(role) = case.role.filter(|role| role != "SPEC_AMBIGUOUS_LOG_VALUE") {
                // Both say that there is no meaning.
                let role = if found.role == "none" && role == "generic" { "none".to_owned() } else { role };
                tally.note(&role, &found.role, &format!("{file}: {title}: role"));
            }
        }
        page.session().close().await.unwrap();
    }
    tally
}

impl Tally {
    /// White space is normalised as the pages' own script does; the first differences of a case are kept.
    fn note(&mut self, wanted: &str, found: &str, what: &str) {
        let blank = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}');
        let normal =
            |text: &str| text.split(blank).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        if normal(wanted) == normal(found) {
            self.right += 1;
        } else {
            self.wrong.push(format!("{what}: wanted `{wanted}`, found `{found}`"));
        }
    }

    fn judge(&self, what: &str) {
        let total = self.right + u32::try_from(self.wrong.len()).unwrap();
        let share = 100.0 * f64::from(self.right) / f64::from(total);
        eprintln!("{what}: {} of {total} right, {share:.1} %", self.right);
        let known =
            |miss: &String| KNOWN_MISSES.lines().any(|line| !line.is_empty() && miss.starts_with(line));
        let news: Vec<_> = self.wrong.iter().filter(|miss| !known(miss)).collect();
        for miss in &self.wrong {
            eprintln!("  {miss}");
        }
        assert!(news.is_empty(), "not known to differ: {news:#?}");
        assert!(share >= 97.0, "{share:.1} %");
    }
}

#[test]
fn names_are_those_of_the_web_platform_tests() {
    let Some(corpus) = corpus() else {
        eprintln!("skipped: no corpus");
        return;
    };
    run(measure(&corpus.join("accname"))).judge("names");
}

#[test]
fn roles_are_those_of_the_web_platform_tests() {
    let Some(corpus) = corpus() else {
        eprintln!("skipped: no corpus");
        return;
    };
    run(measure(&corpus.join("wai-aria"))).judge("roles");
}
