//! How a browser starts, and how it says that it cannot.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use uiap_cdp::find::{self, FindError, Origin};
use uiap_cdp::protocol::runtime::Evaluate;
use uiap_cdp::{Browser, LaunchError, LaunchOptions};

use crate::bystander::{Place, signal};

/// Written by another process: a file that is open for writing in this one, however briefly, could be inherited by the child of
/// another test, and the system runs no file that somebody writes.
fn script(place: &Place, text: &str) -> PathBuf {
    let path = place.root().parent().unwrap().join("program");
    let write = "printf %s \"$2\" > \"$1\" && chmod 755 \"$1\"";
    let status = Command::new("/bin/sh").args(["-c", write, "sh"]).arg(&path).arg(text).status().unwrap();
    assert!(status.success());
    path
}

async fn refused(place: &Place, executable: impl AsRef<Path>, timeout: Duration) -> LaunchError {
    let options =
        LaunchOptions { executable: Some(executable.as_ref().to_owned()), timeout, ..place.options() };
    let begin = Instant::now();
    let error = Browser::launch(options).await.unwrap_err();
    assert!(
        begin.elapsed() < timeout.min(Duration::from_secs(3)) + Duration::from_secs(2),
        "{:?}",
        begin.elapsed()
    );
    place.wait_clean();
    error
}

const LONG: Duration = Duration::from_secs(20);

#[tokio::test]
async fn programs_that_are_no_browsers_are_refused_quickly_and_clearly() {
    let place = Place::new();
    let error = refused(&place, "/bin/true", LONG).await;
    assert_eq!(error.to_string(), "`/bin/true` exited with code 0 before it answered");
    let error = refused(&place, "/bin/cat", LONG).await.to_string();
    assert!(error.starts_with("`/bin/cat` exited with code 1 before it answered; it said:\n"), "{error}");
    assert!(error.contains("hint: the program does not look like Chromium"), "{error}");
    let error = refused(&place, "/nowhere/chromium", LONG).await;
    assert_eq!(error.to_string(), "`/nowhere/chromium` does not exist");
    let error = refused(&place, "/etc/passwd", LONG).await;
    assert!(
        matches!(error, LaunchError::Find(FindError::Unusable { origin: Origin::Explicit, .. })),
        "{error}"
    );
    assert_eq!(error.to_string(), "`/etc/passwd` is not a program that can be run");
}

#[tokio::test]
async fn noise_on_the_pipe_is_refused_at_once() {
    let place = Place::new();
    let noisy = script(&place, "#!/bin/sh\nprintf 'hello\\0' >&4\nexec sleep 60\n");
    let error = refused(&place, noisy, LONG).await;
    assert!(matches!(error, LaunchError::NotABrowser { .. }), "{error}");
    assert!(error.to_string().contains("`hello`"), "{error}");
    let closing = script(&place, "#!/bin/sh\nexec 3<&- 4>&-\nexec sleep 60\n");
    let error = refused(&place, closing, LONG).await;
    assert!(matches!(error, LaunchError::NotABrowser { .. }), "{error}");
}

#[tokio::test]
async fn a_program_that_says_nothing_is_refused_at_the_limit() {
    let place = Place::new();
    let silent = script(&place, "#!/bin/sh\nsleep 60 &\nexec sleep 61\n");
    let error = refused(&place, silent, Duration::from_millis(300)).await;
    assert!(matches!(error, LaunchError::TimedOut { .. }), "{error}");
}

#[tokio::test]
async fn a_file_that_the_system_cannot_run_is_refused() {
    let place = Place::new();
    let broken = script(&place, "#!/nowhere/interpreter\n");
    let error = refused(&place, &broken, LONG).await;
    assert!(matches!(error, LaunchError::Start { .. }), "{error}");
    assert!(
        error.to_string().starts_with(&format!("cannot start `{}`: No such file", broken.display())),
        "{error}"
    );
}

#[tokio::test]
async fn a_window_without_a_display_brings_a_hint() {
    let place = Place::new();
    let nothing = |name: &str| (name.into(), "".into());
    let options = LaunchOptions {
        headless: false,
        env: vec![nothing("DISPLAY"), nothing("WAYLAND_DISPLAY")],
        ..place.options()
    };
    let error = Browser::launch(options).await.unwrap_err().to_string();
    assert!(error.contains("hint: there is no display"), "{error}");
    place.wait_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fresh_browser_is_quiet_and_keeps_to_its_profile() {
    let place = Place::new();
    let browser = Browser::launch(place.options()).await.unwrap();
    let page = browser.new_page("about:blank").await.unwrap();
    page.call(Evaluate { expression: "1", ..Default::default() }).await.unwrap();
    let said = browser.stderr().unwrap();
    assert!(!said.contains("crashed or was terminated"), "a helper process crashes at start: {said}");
    let profile = &place.profiles()[0];
    let socket = fs::read_link(profile.join("d/SingletonSocket")).unwrap();
    assert!(socket.starts_with(profile), "temporary files lie elsewhere: {}", socket.display());
    assert_eq!(fs::metadata(profile).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::metadata(place.root()).unwrap().permissions().mode() & 0o777, 0o700);
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_popup_does_not_hold_its_opener_up() {
    let place = Place::new();
    let browser = Browser::launch(place.options()).await.unwrap();
    let page = browser.new_page("about:blank").await.unwrap();
    let open = Evaluate {
        expression: "void window.open('about:blank#popup')",
        user_gesture: true,
        ..Default::default()
    };
    page.call_within(open, LONG).await.unwrap();
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrapper_that_stays_does_not_shield_its_browser() {
    let place = Place::new();
    let real = find::candidates(None, &find::ThisMachine)[0].path.clone();
    let wrapper = script(&place, &format!("#!/bin/sh\n{} \"$@\"\nsleep 60\n", real.display()));
    for end in ["drop", "kill the browser behind it"] {
        let options = LaunchOptions { executable: Some(wrapper.clone()), ..place.options() };
        let browser = Browser::launch(options).await.unwrap();
        if end == "drop" {
            drop(browser);
        } else {
            let behind = place.started_by(browser.process_id().unwrap());
            assert_eq!(behind.len(), 1, "{:?}", place.describe());
            signal(behind[0], Signal::KILL);
            tokio::time::timeout(Duration::from_secs(2), browser.close()).await.ok();
            drop(browser);
        }
        place.wait_clean();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_profile_of_the_user_is_kept_and_cannot_be_shared() {
    let place = Place::new();
    let data = place.root().join("mine");
    fs::create_dir_all(&data).unwrap();
    let options = LaunchOptions { user_data_dir: Some(data.clone()), ..place.options() };
    let browser = Browser::launch(options.clone()).await.unwrap();
    browser.new_page("about:blank").await.unwrap();
    let error = Browser::launch(options).await.unwrap_err().to_string();
    assert!(error.contains("hint: another browser uses this profile"), "{error}");
    browser.close().await;
    place.wait_clean_but(1);
    assert!(fs::read_dir(&data).unwrap().count() > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_launch_removes_what_a_dead_owner_left() {
    let place = Place::new();
    let first = Browser::launch(place.options()).await.unwrap();
    let stale = place.root().join("s-1-1-stale");
    fs::create_dir_all(stale.join("Default")).unwrap();
    let second = Browser::launch(place.options()).await.unwrap();
    let begin = Instant::now();
    while stale.exists() {
        assert!(begin.elapsed() < Duration::from_secs(20), "the stale profile stays");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(place.profiles().len(), 2, "profiles of the living stay");
    first.new_page("about:blank").await.unwrap();
    tokio::join!(first.close(), second.close());
    place.wait_clean();
}

#[tokio::test]
async fn every_browser_of_this_machine_is_found_with_its_version() {
    let found = find::find_all(None).await;
    let first = found.first().expect("a browser is installed");
    assert!(first.version.is_some_and(|version| version.0[0] > 100), "{first:?}");
}
