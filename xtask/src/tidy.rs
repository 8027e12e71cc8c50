//! House rules that no compiler checks.

use std::path::Path;

use anyhow::{Result, bail};

use crate::repository::{root, text_files};
use crate::{requirements, roadmap};

/// A source file is never longer than this.
const LONGEST: usize = 900;

/// Fails with every breach of the rules.
pub(crate) fn run() -> Result<()> {
    let mut breaches = Vec::new();
    let sources =
        text_files(&[".rs", ".ts", ".js", ".mjs", ".css", ".html", ".sh", ".toml", ".yaml", ".yml"])?;
    let prose = text_files(&[".md"])?;
    let mut lengths = Vec::new();
    for (name, text) in &sources {
        check_text(name, text, &mut breaches);
        if name.ends_with(".rs") {
            lengths.push(text.lines().count());
            check_rust(name, text, &mut breaches);
        }
    }
    for (name, text) in &prose {
        check_text(name, text, &mut breaches);
        check_links(name, text, &mut breaches);
    }
    for needed in [
        "README.md",
        "ARCHITECTURE.md",
        "STYLE.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "CHANGELOG.md",
        "LICENSE",
    ] {
        if !root().join(needed).is_file() {
            breaches.push(format!("{needed} is missing"));
        }
    }
    let roadmap = std::fs::read_to_string(root().join("docs/roadmap.md"))?;
    breaches.extend(roadmap::check(&roadmap, &requirements::named_by_tests()?.requirements));
    if !breaches.is_empty() {
        bail!("{} breaches of the house rules:\n{}", breaches.len(), breaches.join("\n"));
    }
    lengths.sort_unstable();
    let median = lengths.get(lengths.len() / 2).copied().unwrap_or(0);
    println!(
        "   {} Rust files, median {median} lines, longest {}",
        lengths.len(),
        lengths.last().copied().unwrap_or(0)
    );
    Ok(())
}

fn check_text(name: &str, text: &str, breaches: &mut Vec<String>) {
    if !text.is_empty() && !text.ends_with('\n') {
        breaches.push(format!("{name}: no line break at the end"));
    }
    // Put together here, so that this file does not match itself.
    let machine = [["/wo", "rk/"], ["/ro", "ot/"]].map(|parts| parts.concat());
    let hosts = [["crates", ".io/"], ["npmjs", ".org"], ["pypi", ".org"], ["deb.debian", ".org"]]
        .map(|parts| parts.concat());
    for (at, line) in text.lines().enumerate() {
        let place = format!("{name}:{}", at + 1);
        if line.ends_with([' ', '\t']) && !name.ends_with(".md") && !name.contains("corpus") {
            breaches.push(format!("{place}: white space at the end of the line"));
        }
        if machine.iter().any(|path| line.contains(path.as_str())) && !line.contains("http") {
            breaches.push(format!("{place}: a path of one machine"));
        }
        if hosts.iter().any(|host| line.contains(host.as_str())) {
            breaches.push(format!("{place}: the host of a package registry"));
        }
    }
}

fn check_rust(name: &str, text: &str, breaches: &mut Vec<String>) {
    if !text.lines().take(5).any(|line| line.starts_with("//!")) {
        breaches.push(format!("{name}: does not open with `//!`"));
    }
    let count = text.lines().count();
    if count > LONGEST {
        breaches.push(format!("{name}: {count} lines, at most {LONGEST}"));
    }
    let forbidden = [["todo", "!("], ["unimplemented", "!("], ["#[ign", "ore"], ["FIX", "ME"], ["TO", "DO:"]]
        .map(|parts| parts.concat());
    let wait = ["sle", "ep("].concat();
    let mut before = "";
    for (at, line) in text.lines().enumerate() {
        // A reason in the line before makes an exception: `// tidy: nothing tells when a stranger's process ends`.
        let excused = before.contains("// tidy: ");
        before = line;
        for word in forbidden.iter().filter(|word| line.contains(word.as_str()) && !excused) {
            breaches.push(format!("{name}:{}: `{word}` does not belong here", at + 1));
        }
        if line.contains(&wait) && !excused && !may_wait(name) && !line.trim_start().starts_with("//") {
            breaches.push(format!("{name}:{}: a fixed wait where an event can wake", at + 1));
        }
    }
}

/// The demo app's back end plays a slow one, and tests may play slow peers.
fn may_wait(name: &str) -> bool {
    name.starts_with("fixtures/apps/") || name.contains("/tests/") || name.contains("/examples/")
}

/// Relative links lead to files.
fn check_links(name: &str, text: &str, breaches: &mut Vec<String>) {
    let folder = root().join(name).parent().map(Path::to_path_buf).unwrap_or_default();
    for (at, line) in text.lines().enumerate() {
        for target in line.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or_default();
            let external = target.contains("://") || target.starts_with("mailto:") || file.is_empty();
            if !external && !folder.join(file).exists() {
                breaches.push(format!("{name}:{}: the link `{target}` leads nowhere", at + 1));
            }
        }
    }
}
