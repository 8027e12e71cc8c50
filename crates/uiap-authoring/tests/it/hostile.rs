//! Packages that are meant to hurt: refused or built in a moment, never a panic, never a file outside.

use std::time::Duration;

use uiap_authoring::build::{BuildOptions, Built, build};
use uiap_authoring::diagnostic::codes;
use uiap_authoring::files::{DirectorySource, NoRegistry};

use crate::support::{ELEMENT, Look, PUBLISH, Pkg, Stopwatch, action, manifest, ok, only_errors};

/// Without optimisation everything takes some ten times as long as in a release, where the bound is a second.
const MOMENT: Duration = Duration::from_secs(8);

#[track_caller]
fn soon(pkg: &Pkg) -> Built {
    let start = Stopwatch::start();
    let built = pkg.build();
    assert!(start.elapsed() < MOMENT, "{:?}", start.elapsed());
    built
}

/// Case: AUTH-002
/// Case: AUTH-010
#[test]
fn bombs_in_manifests_are_defused() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..9 {
        let uses = vec![format!("*a{}", level - 1); 9].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{uses}]\n"));
    }
    let deep = format!("metadata: {}{}\n", "[".repeat(10_000), "]".repeat(10_000));
    let wide: String = (0..50_000).map(|index| format!("k{index}: {index}\n")).collect();
    let twice: String = (0..20_000).map(|_| "same: 1\n").collect();
    for body in [bomb, deep, wide, twice, "\"".repeat(100_000), "- ".repeat(50_000), "? ".repeat(50_000)] {
        let pkg = Pkg::new().with("b", "Bindings", ELEMENT);
        let source = pkg.source().with("b.uiap.yaml", manifest("b", "Bindings", "", &body));
        let start = Stopwatch::start();
        let built = build(&source, &NoRegistry, &pkg.options);
        assert!(start.elapsed() < MOMENT, "{:?}", start.elapsed());
        assert!(built.bundle.is_none() && built.diagnostics.has_errors());
    }
}

/// Every name in these packages is wrong, and a guess for each would cost a pass over all the others.
#[test]
fn thousands_of_wrong_names_are_told_without_thousands_of_searches() {
    let texts: String = (0..5_000).map(|at| format!("        k{at}: {{ default: T }}\n")).collect();
    let elements: String = (0..5_000)
        .map(|at| format!("  - {{ id: e{at}, name: {{ ref: n.x{at} }}, scopeId: s{at}, match: [ {{ by: text, text: T }} ] }}\n"))
        .collect();
    let pkg = Pkg::new().with("l", "LocalePack", &format!("namespaces:\n  n:\n    messages:\n{texts}")).with(
        "b",
        "Bindings",
        &format!("elements:\n{elements}"),
    );
    let built = soon(&pkg);
    assert_eq!(built.count(codes::UNKNOWN_REFERENCE), 5_000);
    assert_eq!(built.count(codes::TEXT_MISSING), 5_000);
    let patches: String =
        (0..5_000).map(|at| format!("  - {{ manifestId: m{at}, path: /spec, op: remove }}\n")).collect();
    let many = (0..200)
        .fold(Pkg::new().with("o", "Overlay", &format!("selector: {{}}\npatches:\n{patches}")), |pkg, at| {
            pkg.with(&format!("manifest.{at}"), "Actions", "actions: []")
        });
    assert_eq!(soon(&many).count(codes::UNKNOWN_MANIFEST), 5_000);
    let decisions: String = (0..5_000)
        .map(|at| format!("  - {{ target: {{ manifestId: b, itemId: x{at} }}, state: approved, by: a, at: \"2026-01-01T00:00:00Z\" }}\n"))
        .collect();
    let known: String =
        (0..5_000).map(|at| format!("  - {{ id: e{at}, match: [ {{ by: text, text: T }} ] }}\n")).collect();
    let known = format!("elements:\n{known}");
    let pkg =
        Pkg::new().with("b", "Bindings", &known).with("r", "ReviewSet", &format!("decisions:\n{decisions}"));
    assert_eq!(soon(&pkg).count(codes::UNKNOWN_REVIEW_TARGET), 5_000);
    let lost: String = (0..3_000)
        .map(|at| format!("  - {{ id: l{at}, kind: Actions, path: lost/{at}.uiap.yaml }}\n"))
        .collect();
    let pkg =
        Pkg::new().spec(&format!("manifests:\n  - {{ id: app, kind: App, path: app.uiap.yaml }}\n{lost}"));
    assert_eq!(soon(&pkg).count(codes::MANIFEST_MISSING), 3_000);
}

/// Gates look at every item once, however many workflows, findings and decisions there are.
#[test]
fn gates_of_large_packages_are_quick() {
    let flows: String = (0..2_000)
        .map(|at| {
            format!(
                "  - {{ review: {{ level: approved }}, definition: {} }}\n",
                crate::support::definition(&format!("w{at}"), "0.1.0")
            )
        })
        .collect();
    let found: Vec<String> = (0..3_000).map(|at| crate::discovery::element(&format!("d{at}"))).collect();
    let pkg = Pkg::new()
        .with_metadata("app", "App", "reviewState: approved", crate::support::APP)
        .with_metadata("w", "WorkflowCatalog", "reviewState: approved", &format!("workflows:\n{flows}"))
        .with_metadata("b", "Bindings", "reviewState: approved", "elements: []")
        .with(
            "d",
            "DiscoveryImport",
            "source: { ref: d/run.json }\naccept: [ { kind: element, targetManifestId: b, mode: promote } ]",
        )
        .file("d/run.json", &crate::discovery::package(&found))
        .spec(PUBLISH)
        .channel("prod");
    let built = soon(&pkg);
    assert!(built.has(codes::GATE_FAILED));
}

/// Case: AUTH-027
#[cfg(unix)]
#[test]
fn links_that_leave_the_package_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("package");
    std::fs::create_dir(&root).unwrap();
    for (path, bytes) in Pkg::new().with("b", "Bindings", ELEMENT).source().iter() {
        std::fs::write(root.join(path), bytes).unwrap();
    }
    let build = || build(&DirectorySource::new(&root), &NoRegistry, &BuildOptions::default());
    ok(&build());
    let outside = folder.path().join("outside.uiap.yaml");
    std::fs::rename(root.join("b.uiap.yaml"), &outside).unwrap();
    for target in [outside.as_path(), "../outside.uiap.yaml".as_ref(), "/etc/passwd".as_ref()] {
        std::os::unix::fs::symlink(target, root.join("b.uiap.yaml")).unwrap();
        only_errors(&build(), &[codes::UNSAFE_PATH]);
        std::fs::remove_file(root.join("b.uiap.yaml")).unwrap();
    }
    std::os::unix::fs::symlink("b.uiap.yaml", root.join("b.uiap.yaml")).unwrap();
    assert!(build().bundle.is_none(), "a link to itself");
    std::fs::remove_file(root.join("b.uiap.yaml")).unwrap();
    std::fs::create_dir(root.join("loop")).unwrap();
    std::os::unix::fs::symlink("..", root.join("loop/up")).unwrap();
    assert!(build().bundle.is_none(), "a folder that holds itself");
}

/// Requirement: AUTH-SEC-03
#[test]
fn nothing_here_can_open_a_socket_or_start_a_program() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut open = vec![root.join("src")];
    let mut files = 0;
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        files += 1;
        let text = std::fs::read_to_string(&path).unwrap();
        for word in
            ["std::net", "TcpStream", "UdpSocket", "std::process::Command", "UnixStream", "reqwest", "hyper"]
        {
            assert!(!text.contains(word), "{} mentions {word}", path.display());
        }
    }
    assert!(files > 50, "{files} files");
    let known = [
        "annotate-snippets",
        "flate2",
        "foldhash",
        "memchr",
        "regex-syntax",
        "saphyr-parser",
        "serde",
        "serde_json",
        "strsim",
        "thiserror",
        "typed-arena",
        "uiap-model",
    ];
    let cargo = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let section = cargo.split("[dependencies]\n").nth(1).unwrap().split("\n\n").next().unwrap();
    for line in section.lines().filter(|line| !line.is_empty()) {
        let name = line.split(['.', ' ', '=']).next().unwrap();
        assert!(
            known.contains(&name),
            "`{name}` is new: make sure that it opens no socket, then add it here"
        );
    }
    ok(&Pkg::new().with("a", "Actions", &format!("actions: [ {} ]", action("x.do"))).build());
}
