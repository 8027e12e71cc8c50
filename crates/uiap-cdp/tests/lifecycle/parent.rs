//! The death of the owner: a process of our own kind is killed, and its browsers must follow.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use uiap_cdp::{Browser, LaunchOptions};

use crate::bystander::{Place, SOON, signal};

const ROOT: &str = "UIAP_CDP_TEST_PROFILE_ROOT";

/// Not a test by itself: the owner that is killed by the tests below.
#[test]
// tidy: started by other tests as a process of its own
#[ignore = "run by other tests as a process of its own"]
fn owner() {
    let root = std::env::var_os(ROOT).expect("started by a test");
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let options = LaunchOptions { scratch_root: Some(root.into()), ..LaunchOptions::default() };
        let (one, two) = tokio::join!(Browser::launch(options.clone()), Browser::launch(options));
        let (one, two) = (one.unwrap(), two.unwrap());
        one.new_page("about:blank").await.unwrap();
        println!("ready");
        std::future::pending::<()>().await;
        drop((one, two));
    });
}

fn start_owner(place: &Place) -> std::process::Child {
    let mut owner = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "parent::owner", "--ignored", "--nocapture"])
        .env(ROOT, place.root())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(owner.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("ready")), "the owner did not start");
    owner
}

fn wait_dead(place: &Place) {
    let begin = Instant::now();
    while !place.processes().is_empty() {
        assert!(begin.elapsed() < SOON, "left: {:?}", place.processes());
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_follow_a_killed_owner_and_the_next_launch_sweeps_their_profiles() {
    let place = Place::new();
    let mut owner = start_owner(&place);
    assert_eq!(place.browsers().len(), 2, "{:?}", place.describe());
    owner.kill().unwrap();
    owner.wait().unwrap();
    wait_dead(&place);
    assert_eq!(place.profiles().len(), 2, "nobody was there to remove them");
    let next = Browser::launch(place.options()).await.unwrap();
    let begin = Instant::now();
    while place.profiles().len() > 1 {
        assert!(begin.elapsed() < SOON, "{:?}", place.profiles());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    next.close().await;
    place.wait_clean();
}

/// A browser that stands still cannot notice that its owner is gone.
#[tokio::test(flavor = "multi_thread")]
async fn a_standing_browser_of_a_killed_owner_falls_to_the_next_launch() {
    let place = Place::new();
    let mut owner = start_owner(&place);
    for browser in place.browsers() {
        signal(browser, Signal::STOP);
    }
    owner.kill().unwrap();
    owner.wait().unwrap();
    assert_eq!(place.browsers().len(), 2, "{:?}", place.describe());
    let next = Browser::launch(place.options()).await.unwrap();
    let begin = Instant::now();
    while place.browsers().len() > 1 || place.profiles().len() > 1 {
        assert!(begin.elapsed() < 3 * SOON, "{:?} {:?}", place.browsers(), place.profiles());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    next.close().await;
    place.wait_clean();
}
