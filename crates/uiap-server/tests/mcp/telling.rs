//! What an agent is told when something is not as it thought: enough to do the right thing next.

use serde_json::json;

use crate::site::{call, open, options, sessions, site, site_telling};

const PAGES: &[(&str, &str)] = &[(
    "/",
    "<!doctype html><title>Shop</title><h1>Shop</h1>
     <ul aria-label=Cart><li>Lamp <button>Remove</button></li><li>Chair <button>Remove</button></li></ul>
     <select aria-label=Size><option>Small<option>Large</select>
     <button onclick=\"told.textContent = 'soon'; setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<button>Done</button>'), 50)\">Later</button>
     <button onclick=\"told.textContent = 'no'; document.body.insertAdjacentHTML('beforeend', '<div role=alert>Out of stock</div>')\">Buy</button>
     <button onclick=\"this.remove(); told.textContent = 'left'\">Leave</button><p id=told role=status></p><button onclick=\"fetch('/pressed')\">Dead</button>",
)];

#[tokio::test(flavor = "multi_thread")]
async fn whoever_could_have_meant_several_is_given_a_ref_of_each() {
    let origin = site(PAGES);
    let sessions = sessions(options(&origin));
    open(&sessions, &origin).await;
    let order = json!({ "do": "click", "role": "button", "name": "Remove" });
    let told = call(&sessions, "act", order).await;
    assert!(told.failed && told.text.contains("target_ambiguous"), "{}", told.text);
    let refs: Vec<&str> = told
        .text
        .lines()
        .filter(|line| line.starts_with("- button \"Remove\" in "))
        .filter_map(|line| line.split("[ref=").nth(1)?.split(']').next())
        .collect();
    assert_eq!(refs.len(), 2, "{}", told.text);
    let meant = call(&sessions, "act", json!({ "do": "hover", "ref": refs[1] })).await;
    assert!(!meant.failed, "{}", meant.text);
    let missing =
        call(&sessions, "act", json!({ "do": "choose", "role": "combobox", "name": "Size", "text": "Huge" }))
            .await;
    assert!(missing.failed && missing.text.contains("there is: \"Small\", \"Large\""), "{}", missing.text);
    sessions.pool().end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_speaks_against_a_success_is_told_with_it() {
    let origin = site(PAGES);
    let sessions = sessions(options(&origin));
    open(&sessions, &origin).await;
    let order = json!({ "do": "click", "role": "button", "name": "Buy", "expect": ["status:no"] });
    let told = call(&sessions, "act", order).await;
    assert!(!told.failed, "{}", told.text);
    assert!(told.text.contains("against it: alert \"Out of stock\""), "{}", told.text);
    sessions.pool().end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_sees_what_came_between_two_calls() {
    let origin = site(PAGES);
    let sessions = sessions(options(&origin));
    open(&sessions, &origin).await;
    let order = json!({ "do": "click", "role": "button", "name": "Later", "expect": ["status:soon"] });
    assert!(!call(&sessions, "act", order).await.failed);
    // It is there before anybody waits for it.
    while !call(&sessions, "find", json!({ "name": "Done" })).await.text.contains("\"Done\"") {}
    for (expected, seen) in [
        ("appears:button \"Done\"", true),
        ("gone:button \"Nobody\"", true),
        ("appears:button \"Nobody\"", false),
        ("gone:button \"Done\"", false),
    ] {
        let told = call(&sessions, "wait", json!({ "expect": [expected], "timeout_ms": 300 })).await;
        assert_eq!(told.failed, !seen, "{expected}: {}", told.text);
        assert_eq!(told.text.starts_with("seen\n"), seen, "{expected}: {}", told.text);
    }
    let none = call(&sessions, "wait", json!({ "expect": ["toast:never"], "timeout_ms": 200 })).await;
    assert!(none.failed && none.text.starts_with("not seen in time; the page is quiet"), "{}", none.text);
    sessions.pool().end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_is_killed_during_an_action_is_told_in_plain_words() {
    let (origin, asked) = site_telling(PAGES);
    let sessions = sessions(options(&origin));
    open(&sessions, &origin).await;
    let order = json!({ "do": "click", "role": "button", "name": "Dead", "expect": ["toast:never"], "timeout_ms": 20_000 });
    let acting = tokio::spawn({
        let sessions = sessions.clone();
        async move { call(&sessions, "act", order).await }
    });
    tokio::task::spawn_blocking(move || while asked.recv().unwrap() != "/pressed" {}).await.unwrap();
    for process in sessions.pool().process_ids() {
        let id = rustix::process::Pid::from_raw(i32::try_from(process).unwrap()).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
    }
    let told = acting.await.unwrap();
    assert!(told.failed, "{}", told.text);
    for word in ["`", "Runtime.", "Input.", "session "] {
        assert!(!told.text.contains(word), "{word} in {}", told.text);
    }
    assert!(told.text.contains("open its address again"), "{}", told.text);
    sessions.pool().end().await;
}

/// What an element was is remembered for some looks only; after that nobody guesses.
#[tokio::test(flavor = "multi_thread")]
async fn a_ref_that_nobody_remembers_is_refused() {
    let origin = site(PAGES);
    let sessions = sessions(options(&origin));
    let page = open(&sessions, &origin).await.text;
    let line = page.lines().find(|line| line.contains("button \"Leave\"")).unwrap();
    let leave = line.split("[ref=").nth(1).and_then(|rest| rest.split(']').next()).unwrap().to_owned();
    let order = json!({ "do": "click", "ref": leave });
    assert!(!call(&sessions, "act", order.clone()).await.failed);
    let soon = call(&sessions, "act", order.clone()).await;
    assert!(soon.failed && soon.text.contains("stale_target"), "{}", soon.text);
    for _ in 0..8 {
        call(&sessions, "snapshot", json!({})).await;
    }
    let late = call(&sessions, "act", order).await;
    assert!(late.failed && late.text.contains("shown too long ago"), "{}", late.text);
    sessions.pool().end().await;
}
