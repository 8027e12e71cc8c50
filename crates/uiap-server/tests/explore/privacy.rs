//! What a page shows of people and of doors is in nothing that is stored, unless somebody asked for it.

use std::path::Path;

use axum::routing::get;

use super::harness::Setup;
use super::served::{home, page, serve};

const TOKEN: &str = "sk_live_9aZ81kQ02mPq7";
const CARD: &str = "4111 1111 1111 1111";

/// A person in a text, a field, a link, a toast and a request; everything has a size of its own, whatever it says.
fn body(person: &str) -> &'static str {
    let sized = "style='display:block;width:600px;height:40px;overflow:hidden'";
    let body = format!(
        "<p {sized}>Write to {person}</p><p {sized}>Paid by {CARD}</p><p {sized}>Your key is {TOKEN}</p>\
         <input {sized} aria-label=Contact value='{person}'>\
         <nav><a {sized} href='/people?of={person}'>Page of {person}</a></nav>\
         <button type=button aria-expanded=false onclick=\"fetch('/log/{person}', {{ method: 'POST' }}); told.textContent = 'Hello {person}'\">Details</button>\
         <p {sized} id=told role=status></p>"
    );
    Box::leak(body.into_boxed_str())
}

/// Everything that a run leaves on the disk, the packed store unpacked.
async fn stored(person: &str, keeps: bool) -> (String, Vec<Vec<u8>>) {
    let people = || async { page("People", "<h2>Somebody</h2>") };
    let (address, _) = serve(home(body(person)).route("/people", get(people))).await;
    let folder = tempfile::tempdir().unwrap();
    let mut setup = Setup::of(&format!("{address}/"));
    setup.folder = Some(folder.path().to_owned());
    setup.ground.keeps_private = keeps;
    let explored = setup.run().await;
    assert!(
        explored.record.states.iter().any(|state| state.title == "People"),
        "a covered link still leads somewhere"
    );
    assert!(explored.record.states.iter().all(|state| state.screenshot.is_some()));
    let mut text = serde_json::to_string(&explored.record).unwrap();
    text.push_str(&serde_json::to_string(&uiap_discovery::package::derive(&explored.record)).unwrap());
    for file in ["run.sqlite", "run.sqlite-wal"] {
        text.push_str(&String::from_utf8_lossy(&std::fs::read(folder.path().join(file)).unwrap_or_default()));
    }
    (text.replace(&address, ""), pictures(&folder.path().join("screenshots")))
}

fn pictures(gallery: &Path) -> Vec<Vec<u8>> {
    let mut pictures: Vec<_> = std::fs::read_dir(gallery)
        .unwrap()
        .map(|entry| std::fs::read(entry.unwrap().path()).unwrap())
        .collect();
    pictures.sort();
    pictures
}

/// Requirement: DISC-SEC-03
#[tokio::test(flavor = "multi_thread")]
async fn addresses_cards_and_tokens_are_stored_nowhere_unless_asked_for() {
    let (anna, otto) = ("anna@example.org", "otto@example.net");
    let private = [anna, "anna%40example", "1111 1111", TOKEN];
    let (text, shown) = stored(anna, false).await;
    for each in private {
        assert!(!text.contains(each), "`{each}` is stored: {}", around(&text, each));
    }
    assert!(text.contains("[address]") && text.contains("[card]") && text.contains("[secret]"));
    let (_, other) = stored(otto, false).await;
    assert!(shown == other, "nobody can tell from a picture whose it is");
    let (text, shown) = stored(anna, true).await;
    assert!(text.contains(anna) && text.contains(CARD) && text.contains(TOKEN), "kept when asked to");
    let (_, other) = stored(otto, true).await;
    assert!(shown != other, "a picture that is not covered shows who it is");
}

fn around<'a>(text: &'a str, found: &str) -> &'a str {
    let at = text.find(found).unwrap_or_default();
    text.get(at.saturating_sub(200)..(at + 100).min(text.len())).unwrap_or_default()
}
