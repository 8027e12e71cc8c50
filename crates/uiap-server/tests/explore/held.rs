//! What must not leave the page does not: by sockets, beacons, workers, forms; and what looks dangerous is only tried where nothing
//! can come of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocketUpgrade};
use axum::http::header;
use axum::routing::{get, post};
use uiap_discovery::record::{IncidentKind, RunRecord};
use uiap_model::discovery::review::DiscoveryActionEffect as Effect;

use super::harness::assert_told;
use super::served::{explored, home};

/// A socket that counts what it is told to do.
fn socket(
    routes: Router<Arc<AtomicUsize>>,
) -> (Router<Arc<AtomicUsize>>, Arc<AtomicUsize>, Arc<AtomicUsize>) {
    let (written, asked) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counters = (Arc::clone(&written), Arc::clone(&asked));
    let open = move |upgrade: WebSocketUpgrade| async move {
        upgrade.on_upgrade(async move |mut socket| {
            while let Some(Ok(Message::Text(text))) = socket.recv().await {
                let counter = if text.contains("delete") { &counters.0 } else { &counters.1 };
                counter.fetch_add(1, Ordering::SeqCst);
            }
        })
    };
    (routes.route("/socket", get(open)), written, asked)
}

fn pressed(record: &RunRecord, name: &str) -> usize {
    let is_it = |aim: &uiap_discovery::record::Aim| aim.name == name;
    record.transitions.iter().filter(|each| each.aim.as_ref().is_some_and(is_it)).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_through_an_open_socket_is_held_back_and_a_question_passes() {
    let body = "<script>const socket = new WebSocket('ws://' + location.host + '/socket')</script>\
                <button type=button aria-expanded=false onclick=\"socket.send(JSON.stringify({ type: 'item.delete', id: 3 }))\">More details</button>\
                <button type=button aria-expanded=false onclick=\"socket.send(JSON.stringify({ type: 'list', id: 3 }))\">Overview</button>";
    let (routes, written, asked) = socket(home(body));
    let (record, _) = explored(routes).await;
    assert!(pressed(&record, "More details") > 0 && pressed(&record, "Overview") > 0);
    assert_eq!(written.load(Ordering::SeqCst), 0, "the message reached the server");
    assert!(asked.load(Ordering::SeqCst) > 0, "what asks passes");
    assert_told(&record, &[IncidentKind::WriteHeld]);
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_by_beacons_workers_forms_and_late_requests_are_held_back() {
    let worker = || async {
        let script = "onmessage = () => fetch('/api/write', { method: 'POST' })";
        ([(header::CONTENT_TYPE, "text/javascript")], script)
    };
    let body = "<script>const worker = new Worker('/worker.js')</script>\
                <button type=button aria-expanded=false onclick=\"navigator.sendBeacon('/api/write', 'x')\">Details</button>\
                <button type=button aria-expanded=false onclick=\"worker.postMessage(1)\">Summary</button>\
                <button type=button aria-expanded=false onclick=\"fetch('/api/write', { method: 'POST', keepalive: true })\">Overview</button>\
                <form id=f method=post action=/api/write></form>\
                <button type=button aria-expanded=false onclick=\"f.submit()\">Preview</button>";
    let (record, writes) = explored(home(body).route("/worker.js", get(worker))).await;
    for name in ["Details", "Summary", "Overview", "Preview"] {
        assert!(pressed(&record, name) > 0, "`{name}` was pressed");
    }
    assert_eq!(writes, 0, "something was written: {:?}", record.incidents);
    assert_told(&record, &[IncidentKind::WriteHeld]);
}

/// What sockets say in forms that nobody knows: once something was pressed only questions pass, and what was said before.
///
/// Requirement: DISC-2-04
#[tokio::test(flavor = "multi_thread")]
async fn what_a_socket_says_that_nobody_understands_is_held_back() {
    let body = "<script>const socket = new WebSocket('ws://' + location.host + '/socket');\
                const beat = () => socket.send(JSON.stringify({ kind: 'presence', at: Date.now() }));\
                socket.onopen = () => { beat(); document.querySelector('h1').textContent = 'Ready'; };\
                const say = (what) => socket.send(typeof what === 'string' || what instanceof Uint8Array ? what : JSON.stringify(what));</script>\
                <button type=button aria-expanded=false onclick=\"say({ type: 'call_service', domain: 'delete', service: 'turn_on' })\">Details</button>\
                <button type=button aria-expanded=false onclick=\"say({ type: 1, target: 'SwitchDelete', arguments: [] })\">Summary</button>\
                <button type=button aria-expanded=false onclick=\"say({ command: 'message', data: JSON.stringify({ action: 'speak', text: 'delete' }) })\">Overview</button>\
                <button type=button aria-expanded=false onclick=\"say('SEND\\ndestination:/delete\\n\\nx')\">Preview</button>\
                <button type=button aria-expanded=false onclick=\"say('42/room,' + JSON.stringify(['vote', 'delete']))\">More details</button>\
                <button type=button aria-expanded=false onclick=\"say(['4', '7', 'lv:x', 'event', { type: 'click', event: 'delete' }])\">Show all</button>\
                <button type=button aria-expanded=false onclick=\"say({ type: 'config/things/list' }); say({ command: 'subscribe' }); beat()\">Info</button>";
    let (routes, written, asked) = socket(home(body));
    let (record, _) = explored(routes).await;
    for name in ["Details", "Summary", "Overview", "Preview", "More details", "Show all", "Info"] {
        assert!(pressed(&record, name) > 0, "`{name}` was pressed");
    }
    assert_eq!(written.load(Ordering::SeqCst), 0, "something was said: {:?}", record.incidents);
    assert!(asked.load(Ordering::SeqCst) > 3, "what asks passes");
    let held = record.incidents.iter().filter(|each| each.kind == IncidentKind::WriteHeld);
    assert_eq!(held.count(), 6, "{:?}", record.incidents);
}

/// Workers that outlive their page, and windows that open by themselves.
///
/// Requirement: DISC-2-04
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_written_by_workers_that_outlive_a_page_nor_through_windows() {
    let worker = || async {
        let script = "const write = () => fetch('/api/write', { method: 'POST' }); onconnect = write; onmessage = write;";
        ([(header::CONTENT_TYPE, "text/javascript")], script)
    };
    let body = "<form id=f method=post action=/api/write target=_blank></form>\
                <button type=button aria-expanded=false onclick=\"new SharedWorker('/worker.js')\">Details</button>\
                <button type=button aria-expanded=false onclick=\"navigator.serviceWorker.register('/worker.js').then((made) => (made.installing ?? made.active).postMessage(1))\">Summary</button>\
                <button type=button aria-expanded=false onclick=\"f.submit()\">Overview</button>\
                <button type=button aria-expanded=false onclick=\"f.requestSubmit()\">Preview</button>\
                <button type=button aria-expanded=false onclick=\"Object.assign(document.createElement('a'), { href: '/items/3/delete', target: 'other' }).click()\">More details</button>\
                <button type=button aria-expanded=false onclick=\"f.dispatchEvent(new Event('x')); Object.assign(document.createElement('a'), { href: '/items/3/delete', target: '_blank' }).dispatchEvent(new MouseEvent('click'))\">Show all</button>";
    let counted = |State(writes): State<Arc<AtomicUsize>>| async move {
        writes.fetch_add(1, Ordering::SeqCst);
        ""
    };
    let routes = home(body).route("/worker.js", get(worker)).route("/items/3/delete", get(counted));
    let (record, writes) = explored(routes).await;
    for name in ["Details", "Summary", "Overview", "Preview", "More details", "Show all"] {
        assert!(pressed(&record, name) > 0, "`{name}` was pressed");
    }
    assert_eq!(writes, 0, "something was written: {:?}", record.incidents);
    assert_told(&record, &[IncidentKind::WriteHeld]);
}

/// A page that is another one when it is loaded again.
#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_leads_elsewhere_than_when_it_was_judged_is_not_followed() {
    let served = Arc::new(AtomicUsize::new(0));
    let show = move || {
        let to = if served.fetch_add(1, Ordering::SeqCst) < 2 { "/fine" } else { "/items/3/delete" };
        async move { super::served::page("Home", &format!("<a href={to}>Next page</a>")) }
    };
    let counted = |State(writes): State<Arc<AtomicUsize>>| async move {
        writes.fetch_add(1, Ordering::SeqCst);
        ""
    };
    let routes = Router::new().route("/", get(show)).route("/items/3/delete", get(counted));
    let (record, writes) = explored(routes).await;
    assert_eq!((pressed(&record, "Next page"), writes), (0, 0), "{:?}", record.incidents);
    assert_told(&record, &[IncidentKind::NotReproducible]);
}

/// What acts although it is only fetched, by whatever asks for it.
///
/// Requirement: DISC-2-04
/// Requirement: DISC-8-16
#[tokio::test(flavor = "multi_thread")]
async fn addresses_that_act_are_not_fetched_by_requests_pictures_scripts_or_documents() {
    let body = "<button type=button aria-expanded=false onclick=\"fetch('/items/3/delete.php')\">Details</button>\
                <button type=button aria-expanded=false onclick=\"new Image().src = '/cart/add/3'\">Summary</button>\
                <button type=button aria-expanded=false onclick=\"document.head.append(Object.assign(document.createElement('script'), { src: '/vote?id=3' }))\">Overview</button>\
                <button type=button aria-expanded=false onclick=\"location = '/items?action=trash'\">Preview</button>\
                <a href='/posts/3/like'><img alt=''></a> <a href=/fine>Fine</a>";
    let counted = |State(writes): State<Arc<AtomicUsize>>| async move {
        writes.fetch_add(1, Ordering::SeqCst);
        ""
    };
    let mut routes = home(body).route("/fine", get(|| async { super::served::page("Fine", "") }));
    for path in ["/items/3/delete.php", "/cart/add/3", "/vote", "/items", "/posts/3/like"] {
        routes = routes.route(path, get(counted));
    }
    let (record, writes) = explored(routes).await;
    for name in ["Details", "Summary", "Overview", "Preview", "Fine"] {
        assert!(pressed(&record, name) > 0, "`{name}` was pressed");
    }
    assert_eq!(writes, 0, "something was written: {:?}", record.incidents);
    assert_told(&record, &[IncidentKind::WriteHeld]);
    let held = record.incidents.iter().filter(|each| each.kind == IncidentKind::WriteHeld).count();
    assert_eq!(held, 4, "{:?}", record.incidents);
}

/// Requirement: DISC-2-04
/// Requirement: DISC-8-16
#[tokio::test(flavor = "multi_thread")]
async fn a_dangerous_opener_shows_its_question_and_one_that_acts_at_once_does_nothing() {
    let body = "<dialog id=sure aria-label='Delete it?'><button type=button onclick='sure.close()'>Cancel</button>\
                <button type=button onclick=\"fetch('/api/write', { method: 'POST' })\">Delete for ever</button></dialog>\
                <button type=button onclick='sure.showModal()'>Delete project</button>\
                <button type=button onclick=\"fetch('/api/write', { method: 'DELETE' }).then(() => document.title = 'Gone')\">Delete account</button>\
                <button type=button onclick=\"fetch('/api/write?by=get')\">Remove member</button>\
                <button type=button onclick=\"new Image().src = '/api/write?by=image'\">Erase history</button>\
                <button type=button onclick=\"location = '/api/write'\">Destroy everything</button>\
                <button type=button onclick=\"document.head.append(Object.assign(document.createElement('script'), { src: '/api/write?callback=done' }))\">Wipe disk</button>\
                <button type=button onclick=\"socket.send('anything')\">Purge cache</button>\
                <form method=post action=/api/write><button>Delete team</button></form>\
                <script>const socket = new WebSocket('ws://' + location.host + '/socket')</script>";
    let (routes, written, asked) = socket(home(body));
    let (record, writes) = explored(routes).await;
    let told = |name: &str| {
        let by_name = |aim: &uiap_discovery::record::Aim| aim.name == name;
        record.decisions.iter().filter(move |each| each.aim.as_ref().is_some_and(by_name)).collect::<Vec<_>>()
    };
    assert_eq!(writes, 0, "{:?}", record.transitions);
    assert_eq!((written.load(Ordering::SeqCst), asked.load(Ordering::SeqCst)), (0, 0), "nothing was said");
    let layers = |state: &uiap_discovery::record::StateRecord| {
        state.graph.scopes().any(|(_, scope)| scope.name.as_deref() == Some("Delete it?"))
    };
    assert!(record.states.iter().any(layers), "the question is a state");
    assert_eq!(pressed(&record, "Delete for ever"), 0, "the answer is not given");
    assert_eq!(pressed(&record, "Delete team"), 0, "a form is not sent");
    for name in [
        "Delete project",
        "Delete account",
        "Remove member",
        "Erase history",
        "Destroy everything",
        "Purge cache",
        "Wipe disk",
    ] {
        let decisions = told(name);
        assert_eq!(decisions.first().map(|each| each.effect), Some(Effect::Deny), "{name}");
        let tried =
            record.transitions.iter().filter(|each| each.aim.as_ref().is_some_and(|aim| aim.name == name));
        assert!(
            tried.clone().count() == 1 && tried.clone().all(|each| each.sealed),
            "`{name}` was tried once, sealed"
        );
        let leads = tried.filter(|each| each.to.is_some()).count();
        assert_eq!(leads == 1, name == "Delete project", "only a question is a state: `{name}`");
    }
    assert!(!record.states.iter().any(|state| state.title == "Gone"));
    assert_told(&record, &[IncidentKind::WriteHeld]);
    let package = uiap_discovery::package::derive(&record);
    let items: Vec<&str> = package.review_queue.items.iter().map(|item| item.description.as_str()).collect();
    let about = |name: &str| {
        items.iter().find(|text| text.contains(&format!("`{name}`")) && text.contains("left alone"))
    };
    assert!(about("Delete project").is_some_and(|text| text.contains("opens a question first")), "{items:?}");
    assert!(
        about("Delete account").is_some_and(|text| !text.contains("opens a question first")),
        "{items:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_sent_later_after_a_trial_never_arrives() {
    // An app that shows the effect at once, waits for a change of mind, and sends then, or when it is opened the next time.
    let body = "<button type=button onclick=\"localStorage.box = 1; setTimeout(send, 300)\">Delete entry</button>\
                <button type=button aria-expanded=false>Overview</button>\
                <script>const send = () => fetch('/api/write', { method: 'POST' }); if (localStorage.box) send()</script>";
    let (record, writes) = explored(home(body).route("/other", post(|| async { "" }))).await;
    assert_eq!(pressed(&record, "Delete entry"), 1);
    assert_eq!(writes, 0, "{:?}", record.incidents);
}

/// A page that saves a draft on Escape or when it is left, tries again what failed, and says by socket what it did before.
///
/// Requirement: DISC-2-04
#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_writes_when_an_action_seems_to_be_over_is_held_back() {
    let body = "<script>\
                const socket = new WebSocket('ws://' + location.host + '/socket');\
                let dirty = '';\
                const save = () => fetch('/api/write', { method: 'POST' });\
                addEventListener('keydown', (event) => { if (event.key === 'Escape' && dirty === 'draft') save(); });\
                addEventListener('keydown', (event) => { if (event.key === 'Escape' && dirty === 'told') socket.send(JSON.stringify({ type: 'delete' })); });\
                addEventListener('pagehide', () => { if (dirty) navigator.sendBeacon('/api/write', dirty); });\
                const again = () => save().catch(() => setTimeout(again, 30));\
                </script>\
                <button type=button aria-expanded=false onclick=\"dirty = 'draft'\">Details</button>\
                <button type=button aria-expanded=false onclick=\"dirty = 'told'\">Summary</button>\
                <button type=button aria-expanded=false onclick=\"dirty = 'left'; this.textContent = 'Seen'\">Overview</button>\
                <button type=button aria-expanded=false onclick=\"again(); this.textContent = 'Tried'\">Preview</button>";
    let (routes, written, _) = socket(home(body));
    let (record, writes) = explored(routes).await;
    for name in ["Details", "Summary", "Overview", "Preview"] {
        assert!(pressed(&record, name) > 0, "`{name}` was pressed");
    }
    assert_eq!(writes, 0, "something was written: {:?}", record.incidents);
    assert_eq!(written.load(Ordering::SeqCst), 0, "something was said");
    assert!(
        !record.incidents.iter().any(|each| each.kind == IncidentKind::SelfWrite),
        "{:?}",
        record.incidents
    );
    assert_told(&record, &[IncidentKind::WriteHeld]);
}

fn names(record: &RunRecord) -> Vec<Vec<String>> {
    let of = |state: &uiap_discovery::record::StateRecord| {
        state.graph.elements().filter_map(|(.., each)| each.name.as_deref().map(str::to_owned)).collect()
    };
    record.states.iter().map(of).collect()
}

/// An app that saves a moment after a press, with `fetch` or with the older way, and shows a sign of trouble when that fails.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_does_not_learn_that_its_write_was_held_back() {
    let body = "<main id=m></main><script>\
                const fail = () => { m.innerHTML += '<section><h2>Network trouble</h2><button type=button>Try it now</button></section>'; };\
                const reveal = (name) => { m.innerHTML = `<h2>${name}</h2><button type=button aria-expanded=false>Inside of ${name}</button>`; };\
                const late = () => setTimeout(() => fetch('/api/write', { method: 'POST' }).then((answer) => answer.ok || fail(), fail), 1000);\
                const older = () => { const request = new XMLHttpRequest(); request.open('PUT', '/api/write');\
                request.onreadystatechange = () => { if (request.readyState === 4 && request.status !== 200) fail(); };\
                request.onerror = fail; request.onloadend = () => request.status === 200 || fail(); request.send('x'); };\
                </script>\
                <button type=button aria-expanded=false onclick=\"reveal('first'); late()\">Details</button>\
                <button type=button aria-expanded=false onclick=\"reveal('second'); older()\">Summary</button>\
                <button type=button aria-expanded=false onclick=\"reveal('fourth'); fetch('/api/write', { method: 'POST' }).then((answer) => answer.ok || fail(), fail)\">Preview</button>\
                <form method=post action=/api/write id=f></form>\
                <button type=button aria-expanded=false onclick=\"reveal('third'); f.submit()\">Overview</button>";
    let (record, writes) = explored(home(body)).await;
    assert_eq!(writes, 0, "something was written: {:?}", record.incidents);
    let told = names(&record);
    for name in ["Inside of first", "Inside of second", "Inside of third", "Inside of fourth"] {
        assert!(told.iter().flatten().any(|each| each == name), "`{name}` is missing in {told:?}");
    }
    assert!(!told.iter().flatten().any(|name| name == "Network trouble"), "{told:?}");
    assert!(
        record.states.iter().all(|state| state.url.starts_with("http://127.0.0.1")),
        "no page of the browser"
    );
    assert_told(&record, &[IncidentKind::WriteHeld]);
    // Whoever reads of it knows which control to look at.
    for name in ["Summary", "Overview", "Preview"] {
        let named = |each: &uiap_discovery::record::Incident| {
            each.kind == IncidentKind::WriteHeld && each.detail.contains(&format!("`{name}`"))
        };
        assert!(record.incidents.iter().any(named), "`{name}` is named in none of {:?}", record.incidents);
    }
}

/// Who hears of a failure all the same shows nothing that is a state of the app.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_shows_because_its_write_failed_is_no_state() {
    let body = "<main id=m></main><script>\
                const fail = () => { m.innerHTML = '<div role=alert>It failed</div><button type=button>Try it now</button>'; };\
                const blocking = () => { const request = new XMLHttpRequest(); request.open('POST', '/api/write', false);\
                request.send('x'); if (request.status !== 200) fail(); };\
                </script>\
                <button type=button aria-expanded=false onclick=\"blocking()\">Details</button>";
    let (record, writes) = explored(home(body)).await;
    assert_eq!(writes, 0, "something was written: {:?}", record.incidents);
    assert!(!names(&record).iter().flatten().any(|name| name == "Try it now"), "{:?}", names(&record));
    assert!(pressed(&record, "Details") > 0);
    assert_told(&record, &[IncidentKind::WriteHeld]);
}

/// An app that keeps what it could not send, here or there, and sends it when it is loaded again.
///
/// Requirement: DISC-2-04
#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_keeps_to_send_it_later_is_never_sent() {
    let body = "<script>\
                const send = (what) => fetch('/api/write', { method: 'POST', body: what });\
                const box = new Promise((done) => { const open = indexedDB.open('box', 1);\
                open.onupgradeneeded = () => open.result.createObjectStore('kept');\
                open.onsuccess = () => done(open.result); });\
                const kept = (mode) => box.then((all) => all.transaction('kept', mode).objectStore('kept'));\
                if (localStorage.box) send('local');\
                kept('readonly').then((all) => { const found = all.getAll(); found.onsuccess = () => found.result.length && send('kept'); });\
                </script>\
                <button type=button aria-expanded=false onclick=\"localStorage.box = 1; send('now')\">Details</button>\
                <button type=button aria-expanded=false onclick=\"localStorage.box = 1; this.textContent = 'Kept'\">Summary</button>\
                <button type=button aria-expanded=false onclick=\"kept('readwrite').then((all) => all.put(1, 1)); this.textContent = 'Put'\">Overview</button>\
                <button type=button aria-expanded=false onclick=\"this.textContent = 'Seen'\">Preview</button>";
    let (record, writes) = explored(home(body)).await;
    for name in ["Details", "Summary", "Overview", "Preview"] {
        assert!(pressed(&record, name) > 0, "`{name}` was pressed");
    }
    assert_eq!(writes, 0, "something was written: {:?}", record.incidents);
}

/// An app that asks with a POST whose name says nothing, and complains when it gets no answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_whose_question_was_held_back_is_seen_as_it_shows_itself() {
    let body = "<nav><a href=/>Start</a> </nav><button type=button onclick=\"history.pushState(0, '', '/sales'); show()\">Show sales</button>\
                <main id=m></main><script>\
                const fill = (html) => { m.innerHTML = html; };\
                const ask = () => fetch('/api/sales/rows', { method: 'POST' });\
                const fail = () => fill('<h2>Oops</h2><button type=button>Try it now</button>');\
                const show = () => location.pathname === '/sales' ? ask().then(() => fill('<h2>Sales of the week</h2>'), fail) : fill('');\
                show()</script>";
    let routes = home(body)
        .route("/sales", get(move || async move { super::served::page("Home", body) }))
        .route("/api/sales/rows", post(|| async { "[]" }));
    let (record, _) = explored(routes).await;
    let told = names(&record);
    assert!(told.iter().any(|state| state.iter().any(|name| name == "Sales of the week")), "{told:?}");
    assert!(!told.iter().flatten().any(|name| name == "Try it now"), "{told:?}");
    assert_told(&record, &[IncidentKind::WriteHeld, IncidentKind::SelfWrite]);
}
