//! The same sessions from a shell: a daemon that starts with the first page, answers every command, and leaves nothing behind.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Run, command};
use crate::web::Demo;

/// A runtime directory of its own; its daemon is sent away in the end.
struct Shell {
    folder: tempfile::TempDir,
}

impl Shell {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = command();
        command.args(args).env("XDG_RUNTIME_DIR", self.folder.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Run {
        Run::of(self.command(args).output().unwrap())
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("uiap/daemon.sock")
    }

    /// Daemons that were started from here.
    fn daemons(&self) -> Vec<u32> {
        let wanted = format!("XDG_RUNTIME_DIR={}", self.folder.path().display());
        processes()
            .filter(|process| {
                let read = |file: &str| std::fs::read(format!("/proc/{process}/{file}")).unwrap_or_default();
                let environment = read("environ");
                let is_daemon = read("cmdline").split(|byte| *byte == 0).nth(1) == Some(&b"daemon"[..]);
                is_daemon && environment.split(|byte| *byte == 0).any(|each| each == wanted.as_bytes())
            })
            .collect()
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = self.command(&["close", "--all"]).output();
    }
}

fn processes() -> impl Iterator<Item = u32> {
    std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Everything that descends from a process, itself included.
fn family(of: u32) -> Vec<u32> {
    let parent = |process: u32| -> Option<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
    };
    let mut found = vec![of];
    loop {
        let before = found.len();
        for process in processes() {
            if !found.contains(&process) && parent(process).is_some_and(|parent| found.contains(&parent)) {
                found.push(process);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn lives(process: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn a_session_is_opened_read_used_and_closed_from_a_shell() {
    let demo = Demo::start();
    let shell = Shell::new();
    let none = shell.run(&["find", "--role", "button"]);
    assert_eq!(none.code, 3, "{}", none.err);
    assert!(none.err.contains("no session is open") && none.err.contains("uiap open"), "{}", none.err);
    let opened = shell.run(&["open", &demo.at("/videos/new"), "--session", "shop"]);
    assert_eq!(opened.code, 0, "{}", opened.err);
    assert!(opened.out.starts_with("session shop\n") && opened.out.contains("\n<page"), "{}", opened.out);
    let found = shell.run(&["find", "--role", "textbox", "--name", "title", "--session", "shop"]);
    let name = found.out.split("[ref=").nth(1).unwrap().split(']').next().unwrap().to_owned();
    let typed = shell.run(&["act", "type", "--target", &name, "--text", "Intro", "-s", "shop"]);
    assert_eq!(typed.code, 0, "{}{}", typed.out, typed.err);
    assert!(typed.out.starts_with("verified ui.enterText"), "{}", typed.out);
    let shown = shell.run(&["snapshot", "--session", "shop", "--budget", "2000"]);
    assert!(shown.out.contains("\"Intro\""), "{}", shown.out);
    let late = shell.run(&["wait", "--expect", "toast:never", "--within", "200"]);
    assert_eq!(late.code, 1, "{}{}", late.out, late.err);
    let picture = shell.folder.path().join("page.png");
    let taken = shell.run(&["screenshot", picture.to_str().unwrap()]);
    assert_eq!(taken.code, 0, "{}", taken.err);
    assert!(std::fs::read(&picture).unwrap().starts_with(b"\x89PNG"));
    let tabs = shell.run(&["--json", "tabs"]);
    assert_eq!(tabs.json()["facts"]["count"], 1);
    // Without a terminal nobody agrees.
    shell.run(&["act", "navigate", "--text", &demo.at("/team"), "-s", "shop"]);
    let invite =
        ["act", "team.invite", "--arg", "name=Ada", "--arg", "email=ada@videoland.example", "-s", "shop"];
    let refused = shell.run(&invite);
    assert_eq!(refused.code, 1, "{}{}", refused.out, refused.err);
    assert!(refused.err.contains("no terminal to ask at"), "{}", refused.err);
    let beyond = shell.run(&["open", "http://127.0.0.1:9/", "--session", "shop"]);
    assert_eq!(beyond.code, 3, "{}", beyond.out);
    assert!(beyond.err.contains("--allow-origin"), "{}", beyond.err);
    let closed = shell.run(&["close", "--session", "shop"]);
    assert_eq!(closed.out, "closed shop\n");
    assert_eq!(shell.run(&["snapshot", "--session", "shop"]).code, 3);
}

#[test]
fn two_that_start_at_once_end_with_one_daemon_that_only_its_owner_reaches() {
    use std::os::unix::fs::PermissionsExt;
    let demo = Demo::start();
    let shell = Shell::new();
    let address = demo.at("/videos");
    let both: Vec<_> = ["one", "two", "three"]
        .map(|name| {
            shell.command(&["open", &address, "--session", name]).stdout(Stdio::null()).spawn().unwrap()
        })
        .into_iter()
        .map(|mut child| child.wait().unwrap().code())
        .collect();
    assert_eq!(both, [Some(0); 3]);
    let daemons = shell.daemons();
    assert_eq!(daemons.len(), 1, "{daemons:?}");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&shell.socket()), 0o600);
    assert_eq!(mode(shell.socket().parent().unwrap()), 0o700);
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", daemons[0])).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    assert_eq!(fields[3], daemons[0].to_string(), "it leads a session of its own");
}

#[test]
fn a_daemon_that_is_killed_leaves_no_browser_and_another_one_takes_its_place() {
    let demo = Demo::start();
    let shell = Shell::new();
    assert_eq!(shell.run(&["open", &demo.at("/videos"), "--session", "shop"]).code, 0);
    let daemon = shell.daemons()[0];
    let family = family(daemon);
    assert!(family.len() > 2, "{family:?}");
    let id = rustix::process::Pid::from_raw(i32::try_from(daemon).unwrap()).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
    until("browsers live on", || family.iter().all(|process| !lives(*process)));
    assert!(shell.socket().exists(), "a killed daemon leaves its socket");
    assert_eq!(shell.run(&["snapshot", "--session", "shop"]).code, 3);
    assert_eq!(shell.run(&["open", &demo.at("/videos"), "--session", "shop"]).code, 0);
    assert_eq!(shell.daemons().len(), 1);
}

#[test]
fn a_daemon_of_another_build_is_replaced_and_one_with_other_settings_is_not_used() {
    let demo = Demo::start();
    let shell = Shell::new();
    let other = shell.folder.path().join("uiap-of-another-build");
    std::fs::copy(env!("CARGO_BIN_EXE_uiap"), &other).unwrap();
    let mut old = Command::new(&other);
    old.args(["open", &demo.at("/videos")]).env("XDG_RUNTIME_DIR", shell.folder.path()).stdin(Stdio::null());
    assert_eq!(Run::of(old.output().unwrap()).code, 0);
    let before = shell.daemons();
    assert_eq!(shell.run(&["open", &demo.at("/videos")]).code, 0);
    until("the old one lives on", || before.iter().all(|process| !lives(*process)));
    assert_eq!(shell.daemons().len(), 1);
    let settings =
        shell.run(&["open", &demo.at("/videos"), "--uploads", shell.folder.path().to_str().unwrap()]);
    assert_eq!(settings.code, 2, "{}", settings.err);
    assert!(
        settings.err.contains("other settings") && settings.err.contains("close --all"),
        "{}",
        settings.err
    );
    let daemon = shell.daemons()[0];
    assert_eq!(shell.run(&["close", "--all"]).code, 0);
    until("it lives on", || !lives(daemon));
    until("its socket is there", || !shell.socket().exists());
}

#[test]
fn a_command_is_for_an_address_or_for_a_session_and_says_so() {
    let shell = Shell::new();
    for args in [&["snapshot"][..], &["act", "click"], &["snapshot", "http://a.example", "--session", "s"]] {
        let run = shell.run(args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.err);
    }
    let run = shell.run(&["act", "click", "--session", "s", "--headed"]);
    assert!(run.code == 2 && run.err.contains("`--headed` is not for a running session"), "{}", run.err);
    for name in ["open", "find", "wait", "screenshot", "tabs", "close", "mcp"] {
        let run = shell.run(&[name, "--help"]);
        assert!(run.code == 0 && run.out.contains("Examples:"), "{name}: {}", run.out);
    }
}
