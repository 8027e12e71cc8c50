//! Help, versions, colours, completions, the manual.

use crate::support::{Run, command, uiap};

#[test]
fn every_command_has_help_with_an_example() {
    let run = uiap(&["--help"]);
    assert_eq!(run.code, 0);
    assert!(run.out.contains("Exit codes:"), "{}", run.out);
    for name in ["validate", "schema", "explain", "doctor", "demo", "completions", "man"] {
        let run = uiap(&[name, "--help"]);
        assert_eq!(run.code, 0, "{name}");
        assert!(run.out.contains("Examples:"), "{name}: {}", run.out);
    }
}

/// Every command line that README and guides show is one that the program understands.
#[test]
fn commands_of_the_documentation_are_understood() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let guides = std::fs::read_dir(format!("{root}/docs/guides")).unwrap().map(|file| file.unwrap().path());
    let mut seen = 0;
    for file in guides.chain([format!("{root}/README.md").into()]) {
        let text = std::fs::read_to_string(&file).unwrap();
        for line in shown_commands(&text) {
            let words = words(&line);
            // What is wrong is told before help is.
            let run = Run::of(command().args(&words[1..]).arg("--help").output().unwrap());
            assert_eq!(run.code, 0, "{}: {line}\n{}", file.display(), run.err);
            seen += 1;
        }
    }
    assert!(seen > 40, "only {seen} commands were found");
}

/// Lines of shell blocks that call the program, without what comes before and after them in a pipe.
fn shown_commands(text: &str) -> Vec<String> {
    let mut shell = false;
    let mut found = Vec::new();
    let joined = text.replace("\\\n", " ");
    for line in joined.lines() {
        if let Some(kind) = line.trim_start().strip_prefix("```") {
            shell = !shell && ["sh", "bash", "shell", "console"].contains(&kind.trim());
            continue;
        }
        let line = line.trim_start().trim_start_matches("$ ");
        for part in line.split(" && ").filter(|_| shell) {
            let part = part.split([';', '|', '<', '>']).next().unwrap_or_default();
            let part = part.split(" #").next().unwrap_or_default().trim().trim_end_matches(" &");
            if part.starts_with("uiap ") {
                found.push(part.to_owned());
            }
        }
    }
    found
}

/// Words as a shell reads them.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for letter in line.chars() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, ' ') => words.push(String::new()),
            (_, letter) => words.last_mut().unwrap().push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn the_version_is_told_and_a_wrong_command_line_is_refused_with_a_suggestion() {
    assert_eq!(uiap(&["--version"]).out, format!("uiap {}\n", env!("CARGO_PKG_VERSION")));
    let run = uiap(&["validat"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("validate"), "{}", run.err);
    assert_eq!(uiap(&[]).code, 2);
}

#[test]
fn completions_and_manual_are_printed() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(uiap(&["completions", shell]).out.contains("validate"), "{shell}");
    }
    let manual = uiap(&["man"]).out;
    assert!(manual.contains(".TH") && manual.contains("UIAP VALIDATE"), "{manual}");
}

#[test]
fn a_code_is_explained_and_an_unknown_one_refused() {
    let run = uiap(&["explain", "m004"]);
    assert!(run.out.starts_with("UIAP-M004 (error): word outside of its vocabulary"), "{}", run.out);
    assert_eq!(uiap(&["--json", "explain", "UIAP-M004"]).json()["code"], "UIAP-M004");
    let unknown = uiap(&["explain", "UIAP-Z999"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("--all"), "{}", unknown.err);
    assert!(uiap(&["explain", "--all"]).out.lines().count() > 50);
}

#[test]
fn schemas_are_listed_printed_and_written() {
    let list = uiap(&["schema"]).out;
    assert!(list.contains("PageGraph") && list.contains("action.request"), "{list}");
    let schema = uiap(&["schema", "pagegraph"]).json();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(uiap(&["schema", "uicp.policy.get"]).json()["title"], "Payload of the message");
    let wrong = uiap(&["schema", "PageGrap"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("did you mean `PageGraph`?"), "{}", wrong.err);
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(uiap(&["schema", "--all", "--out", folder.path().to_str().unwrap()]).code, 0);
    assert!(folder.path().join("documents/PageGraph.json").is_file());
    assert!(folder.path().join("messages/action.request.json").is_file());
}

#[test]
fn colour_is_used_where_it_is_wanted() {
    let paint = |args: &[&str], no_color: Option<&str>| {
        let mut command = command();
        if let Some(value) = no_color {
            command.env("NO_COLOR", value);
        }
        Run::of(command.args(args).output().unwrap()).err
    };
    let args = ["explain", "nonsense"];
    assert!(!paint(&args, None).contains('\u{1b}'), "no terminal, no colour");
    assert!(paint(&["--color", "always", "explain", "nonsense"], None).contains('\u{1b}'));
    assert!(!paint(&["--color", "auto", "explain", "nonsense"], Some("1")).contains('\u{1b}'));
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    use std::process::Stdio;
    let mut child =
        command().args(["explain", "--all"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A file that holds something else is told of in words of the domain.
#[test]
fn no_type_of_the_program_is_named_in_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("else.json");
    std::fs::write(&file, "12").unwrap();
    let file = file.to_str().unwrap();
    let site = "http://127.0.0.1:1/";
    for arguments in [
        &["trace", file][..],
        &["policy", "test", file],
        &["discover", site, "--storage-state", file],
        &["discover", site, "--login", file],
        &["act", site, "click", "--bundle", file],
        &["act", site, "click", "--policy", file],
        &["diff", file, file],
        &["import", file, "--into", "nowhere"],
        &["validate", file],
        &["audit", "verify", file],
    ] {
        let run = Run::of(command().current_dir(folder.path()).args(arguments).output().unwrap());
        assert_ne!(run.code, 0, "{arguments:?}");
        assert!(!run.err.is_empty() || !run.out.is_empty(), "{arguments:?} says nothing");
        for word in ["struct", "enum ", "variant", "tuple", "Error {", "::"] {
            assert!(!run.err.contains(word), "{arguments:?}: {}", run.err);
        }
    }
}
