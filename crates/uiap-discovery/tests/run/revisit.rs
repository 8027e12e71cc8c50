//! Seeing a state again and again costs nothing.

use super::script::{Script, Setup, Stage, Thing, app, page};

/// So many pages that lead home, each by a control of its own, or nowhere.
fn star(leads_home: bool) -> Script {
    let names: Vec<String> =
        (0..50_u8).map(|at| format!("{}{}", (b'a' + at / 10) as char, (b'k' + at % 10) as char)).collect();
    let links = names.iter().map(|name| Thing::link(format!("Go {name}"), name.clone())).collect();
    let mut pages = vec![page("home", links)];
    for name in &names {
        let target = if leads_home { "home" } else { name };
        pages.push(page(name, vec![Thing::link(format!("Away from {name}"), target)]));
    }
    app(pages)
}

async fn stored(leads_home: bool) -> (u64, u32) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.sqlite");
    let store = uiap_discovery::store::Store::open(&path).unwrap();
    let record = Setup::default().run_in(&Stage::new(star(leads_home)), store).await;
    let visits = record.states.iter().find(|state| state.title == "home").unwrap().visits;
    assert_eq!(record.states.len(), 51);
    let files = std::fs::read_dir(directory.path()).unwrap().flatten();
    (files.map(|file| file.metadata().unwrap().len()).sum(), visits)
}

/// Requirement: DISC-17-11
#[tokio::test]
async fn a_state_that_is_seen_fifty_times_is_stored_once() {
    let ((often, visits), (once, _)) = (stored(true).await, stored(false).await);
    assert!(visits >= 50, "{visits}");
    assert!(often < once + once / 5, "{often} bytes against {once}");
}
