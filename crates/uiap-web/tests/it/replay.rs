//! Whoever applies every delta has the graph that a fresh look at the page would show.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use uiap_model::web::delta;
use uiap_model::web::{DocumentNode, PageGraph};
use uiap_web::{FreshReason, Observation, ObserveOptions, Page, Revision};
use videoland::{Options, Videoland};

use crate::shared::{evaluate, open, options, page, run};

const FORM: &str = "<h1>Form</h1><form aria-label=Order><fieldset><legend>Who</legend><label for=n>Name</label><input id=n value=Ann>
    <label>Mail <input id=m type=email required></label></fieldset><p id=hint>Two words</p><input aria-label=Note aria-describedby=hint>
    <label><input type=checkbox id=c> Gift</label><input type=radio name=r aria-label=A><input type=radio name=r aria-label=B>
    <select aria-label=Size><option>S<option selected>M</select><textarea aria-label=Text>t</textarea><button>Send</button></form>
    <p role=status id=s>Ready</p>";
const TABLE: &str = "<table aria-label=Orders><thead><tr><th>No</th><th>What</th></tr></thead><tbody id=t></tbody></table><script>
    for (let i = 0; i < 70; i++) t.insertAdjacentHTML('beforeend', `<tr><td>${i}</td><td><a href=#${i}>Order ${i}</a> <button>Edit ${i}</button></td></tr>`)</script>";
const VIRTUAL: &str = "<style>.v{height:200px;overflow:auto}</style><div class=v><ul id=l aria-label=Items></ul></div><script>
    globalThis.show = (from) => { l.innerHTML = ''; for (let i = from; i < from + 12; i++)
      l.insertAdjacentHTML('beforeend', `<li aria-setsize=500 aria-posinset=${i + 1} data-index=${i}>Item ${i} <button>Open</button></li>`) }; show(0)</script>";
const DIALOGS: &str = "<button>Under</button><a href=#x>Link</a><dialog id=d1 aria-label=One><h2>One</h2><button>In one</button></dialog>
    <dialog id=d2><h2>Second</h2><input aria-label=Field></dialog><div id=p popover><button>Pop</button></div>
    <div role=dialog aria-modal=true aria-label=Fake id=f hidden><button>Fake inside</button></div><details><summary>More</summary><button>Inner</button></details>";
const SHADOW: &str = "<x-card><span slot=t>Title</span><button>Light</button></x-card><x-card></x-card><div id=host></div><script>
    customElements.define('x-card', class extends HTMLElement { connectedCallback() { if (this.shadowRoot) return;
      this.attachShadow({mode:'open'}).innerHTML = '<button><slot name=t>None</slot></button><ul><li>Shadow item</li></ul><slot></slot>' } });
    host.attachShadow({mode:'open'}).innerHTML = '<nav aria-label=Side><a href=#1>One</a></nav>'</script>";
const FRAMES: &str = "<button>Outer</button><iframe title=Inner srcdoc='<h1>In</h1><form aria-label=F><input aria-label=Q><button>Go</button></form>'></iframe><p>End</p>";

/// One random change after the other, decided in the page by a seeded generator.
const MUTATE: &str = r##"(() => {
  let state = SEED >>> 0;
  const random = (n) => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return Math.floor((state / 4294967296) * n) };
  const pick = (list) => list[random(list.length)];
  const roots = () => { const found = [document]; for (const root of found) for (const el of root.querySelectorAll('*')) {
    if (el.shadowRoot) found.push(el.shadowRoot); if (el.localName === 'iframe' && el.contentDocument?.body) found.push(el.contentDocument) } return found };
  const all = () => roots().flatMap((root) => [...root.querySelectorAll('*')]).filter((el) => !['HTML','HEAD','BODY','SCRIPT','STYLE','TITLE','META','IFRAME'].includes(el.tagName) && !el.closest('svg'));
  let n = 0;
  const snippet = () => pick([`<button>New ${++n}</button>`, `<p>Text ${++n}</p>`, `<a href="#${++n}">Link ${n}</a>`, `<input aria-label="Field ${++n}" value=v>`,
    `<section aria-label="Area ${++n}"><button>In area</button></section>`, `<ul><li>Item ${++n}</li><li>Other</li></ul>`, `<div role=alert>Alarm ${++n}</div>`,
    `<form aria-label="Form ${++n}"><input aria-label=X required><button>Send it</button></form>`, `<table><tr><td>Cell ${++n}</td></tr></table>`,
    `<div onclick="1">Click ${++n}</div>`, `<label for=n>Label ${++n}</label>`, `<div data-uiap-id="s${random(3)}">Stable ${++n}</div>`,
    `<p>Words <b>strong ${++n}</b> and <a href="#x">more</a></p>`, `<ul><li><p>Long ${++n} ${'words '.repeat(40)}</p><p>Rest</p></li></ul>`]);
  const steps = [
    (el) => { const t = [...el.childNodes].find((c) => c.nodeType === 3); if (t) t.data = 'changed ' + ++n; else el.append('text ' + ++n); return 'text' },
    (el) => { el.insertAdjacentHTML(pick(['beforebegin', 'afterbegin', 'beforeend', 'afterend']), snippet()); return 'insert' },
    (el) => { el.insertAdjacentHTML(pick(['beforebegin', 'afterend']), snippet()); return 'insert beside' },
    (el) => { if (document.querySelectorAll('*').length > 60) el.remove(); return 'remove' },
    (el) => { const to = pick(all()); if (!el.contains(to)) to.append(el); return 'move into' },
    (el) => { if (el.nextElementSibling) el.nextElementSibling.after(el); return 'swap' },
    (el) => { if (el.parentNode) el.parentNode.prepend(el); return 'to front' },
    (el) => { el.hidden = !el.hidden; return 'hidden' },
    (el) => { el.style.display = el.style.display ? '' : 'none'; return 'display' },
    (el) => { el.style.visibility = el.style.visibility ? '' : 'hidden'; return 'visibility' },
    (el) => { el.toggleAttribute('inert'); return 'inert' },
    (el) => { el.setAttribute('aria-hidden', el.getAttribute('aria-hidden') === 'true' ? 'false' : 'true'); return 'aria-hidden' },
    (el) => { el.setAttribute('aria-label', 'Named ' + ++n); return 'aria-label' },
    (el) => { if (el.hasAttribute('aria-label')) el.removeAttribute('aria-label'); return 'no aria-label' },
    (el) => { const to = pick(all()); to.id ||= 'i' + ++n; el.setAttribute('aria-labelledby', to.id); return 'aria-labelledby' },
    (el) => { const to = pick(all()); to.id ||= 'i' + ++n; el.setAttribute('aria-describedby', to.id); return 'aria-describedby' },
    (el) => { el.setAttribute('role', pick(['button', 'link', 'region', 'status', 'none', 'list', 'checkbox', 'group', 'heading'])); return 'role' },
    (el) => { el.removeAttribute('role'); return 'no role' },
    (el) => { el.toggleAttribute('disabled'); return 'disabled' },
    (el) => { el.setAttribute('aria-expanded', pick(['true', 'false'])); return 'aria-expanded' },
    (el) => { el.setAttribute('aria-invalid', pick(['true', 'false'])); return 'aria-invalid' },
    (el) => { el.id = pick(['n', 'm', 'i' + ++n]); return 'id' },
    (el) => { el.setAttribute('data-uiap-id', 's' + random(3)); return 'stable id' },
    (el) => { el.toggleAttribute('data-uiap-ignore'); return 'ignore' },
    (el) => { el.setAttribute('data-uiap-scope', pick(['one', 'two'])); return 'scope' },
    (el) => { el.removeAttribute('data-uiap-scope'); return 'no scope' },
    () => { const f = pick([...document.querySelectorAll('input,textarea,select')]); if (f) { if (f.type === 'checkbox' || f.type === 'radio') f.checked = !f.checked; else f.value = pick(['a', 'b', '']); f.dispatchEvent(new Event('input', {bubbles: true})) } return 'input' },
    () => { const f = pick(all().filter((el) => el.tabIndex >= 0)); f?.focus(); return 'focus' },
    () => { document.activeElement?.blur(); return 'blur' },
    () => { const d = pick([...document.querySelectorAll('dialog')]); if (d?.isConnected) { if (d.open) d.close(); else d.showModal() } return 'dialog' },
    () => { const d = pick([...document.querySelectorAll('[popover]')]); if (d?.isConnected) d.togglePopover(); return 'popover' },
    () => { const d = pick([...document.querySelectorAll('details')]); if (d) d.open = !d.open; return 'details' },
    () => { if (globalThis.show) show(random(400)); return 'window of a list' },
    () => { scrollTo(0, random(800)); return 'scroll' },
    () => { document.title = 'Title ' + ++n; return 'title' },
    () => { history.pushState(null, '', '?' + ++n); return 'route' },
    (el) => { el.className = 'k' + random(3); return 'class' },
  ];
  globalThis.step = () => { const elements = all(); if (elements.length === 0) { document.body.insertAdjacentHTML('beforeend', snippet()); return 'refill' }
    try { return pick(steps)(pick(elements)) } catch (error) { return 'refused ' + error.message } };
})()"##;

/// A graph without what differs between two looks at the same page, and with scopes in an order of their own: which comes first
/// in the list says nothing.
fn comparable(graph: &PageGraph) -> BTreeMap<String, Value> {
    let mut graph = serde_json::to_value(graph).unwrap();
    for key in ["revision", "seq", "ts", "metadata"] {
        graph.as_object_mut().unwrap().remove(key);
    }
    let viewport = graph.get_mut("viewport").unwrap().as_object_mut().unwrap();
    viewport.remove("scrollX");
    viewport.remove("scrollY");
    let mut flat = BTreeMap::new();
    let documents = graph.get_mut("documents").map(Value::take).unwrap();
    for (place, document) in documents.as_array().unwrap().iter().enumerate() {
        let mut document = document.clone();
        let id = document.get("documentId").unwrap().as_str().unwrap().to_owned();
        let scopes = document.get_mut("scopes").map(Value::take).unwrap();
        if place == 0 {
            document.as_object_mut().unwrap().remove("url");
            document.as_object_mut().unwrap().remove("title");
        }
        flat.insert(format!("{place} {id}"), document);
        for scope in scopes.as_array().unwrap() {
            let mut scope = scope.clone();
            let scope_id = scope.get("id").unwrap().as_str().unwrap().to_owned();
            let elements = scope.get_mut("elements").map(Value::take).unwrap();
            flat.insert(format!("{id} {scope_id}"), scope);
            let order: Vec<_> = elements
                .as_array()
                .unwrap()
                .iter()
                .map(|each| each.get("instanceId").unwrap().clone())
                .collect();
            flat.insert(format!("{id} {scope_id} order"), json!(order));
            for element in elements.as_array().unwrap() {
                let key = element.get("instanceId").unwrap().as_str().unwrap();
                flat.insert(format!("{id} {scope_id} {key}"), element.clone());
            }
        }
    }
    flat.insert("head".to_owned(), graph);
    flat
}

/// The same as the comparison member by member, without writing both graphs down: most looks agree.
fn agree(mirror: &PageGraph, fresh: &PageGraph) -> bool {
    let head = |graph: &PageGraph| PageGraph {
        revision: fresh.revision.clone(),
        seq: fresh.seq,
        ts: fresh.ts.clone(),
        viewport: None,
        documents: Vec::new(),
        metadata: None,
        ..graph.clone()
    };
    let bare = |place: usize, document: &DocumentNode| {
        let mut bare = DocumentNode { scopes: Vec::new(), ..document.clone() };
        if place == 0 {
            (bare.url, bare.title) = (None, None);
        }
        bare
    };
    let scopes = |document: &DocumentNode| -> BTreeMap<_, _> {
        document.scopes.iter().map(|scope| (scope.id.clone(), scope.clone())).collect()
    };
    let size = |graph: &PageGraph| graph.viewport.as_ref().map(|viewport| (viewport.width, viewport.height));
    size(mirror) == size(fresh)
        && head(mirror) == head(fresh)
        && mirror.documents.len() == fresh.documents.len()
        && mirror.documents.iter().zip(&fresh.documents).enumerate().all(|(place, (ours, theirs))| {
            bare(place, ours) == bare(place, theirs) && scopes(ours) == scopes(theirs)
        })
}

fn differences(mirror: &PageGraph, fresh: &PageGraph) -> Vec<String> {
    if agree(mirror, fresh) {
        return Vec::new();
    }
    let (ours, theirs) = (comparable(mirror), comparable(fresh));
    let keys: std::collections::BTreeSet<_> = ours.keys().chain(theirs.keys()).collect();
    keys.into_iter()
        .filter(|key| ours.get(*key) != theirs.get(*key))
        .map(|key| {
            format!(
                "{key}\n    by deltas {:?}\n    afresh    {:?}",
                ours.get(key).map(Value::to_string),
                theirs.get(key).map(Value::to_string)
            )
        })
        .collect()
}

struct Walker {
    page: Page,
    observation: Observation,
    /// The graph by the model's own rules.
    consumer: Option<PageGraph>,
    deltas: usize,
    snapshots: usize,
}

impl Walker {
    async fn begin(page: Page, seed: u64) -> Self {
        evaluate(&page, &MUTATE.replace("SEED", &seed.to_string())).await;
        let observation = page.observe(ObserveOptions::default());
        Self { page, observation, consumer: None, deltas: 0, snapshots: 0 }
    }

    /// Whether there was a revision.
    async fn sync(&mut self) -> bool {
        match self.observation.sync().await.unwrap() {
            None => return false,
            Some(Revision::Snapshot(fresh)) => {
                assert_ne!(fresh.reason, FreshReason::OutOfStep, "the page told what does not fit");
                self.snapshots += 1;
                self.consumer = self.observation.graph().cloned();
            }
            Some(Revision::Change(change)) => {
                self.deltas += 1;
                let before = self.consumer.as_ref().unwrap();
                let after = delta::apply(before, &change.delta).unwrap();
                assert_eq!(Some(&after), self.observation.graph(), "the mirror applies as the model does");
                self.consumer = Some(after);
            }
        }
        true
    }

    async fn walk(&mut self, name: &str, seed: u64, steps: usize) {
        self.sync().await;
        let everything = options(r#"{"maxElements":100000}"#);
        let mut history = Vec::new();
        for step in 0..steps {
            let done = evaluate(&self.page, "step()").await;
            history.push(done.as_str().unwrap_or_default().to_owned());
            // What the browser does after a change, such as telling of a toggled popover, it does before the next frame; a
            // page behind another has no frames.
            evaluate(&self.page, "new Promise(done => { requestAnimationFrame(() => setTimeout(() => done(1))); setTimeout(() => done(2), 50) })").await;
            // What the page does by itself between two looks, such as the end of an animation, is no difference of theirs.
            let mut rounds = 0;
            let fresh = loop {
                rounds += 1;
                assert!(
                    rounds < 40,
                    "{name}, seed {seed}, step {step}: the page does not come to rest after {history:?}"
                );
                self.sync().await;
                let fresh = self.page.snapshot(&everything).await.unwrap();
                if !self.sync().await {
                    break fresh;
                }
            };
            let different = differences(self.observation.graph().unwrap(), &fresh);
            let last = history.get(history.len().saturating_sub(6)..).unwrap_or_default();
            assert!(
                different.is_empty(),
                "{name}, seed {seed}, step {step}, after {last:?}:\n{}",
                different.join("\n")
            );
        }
        eprintln!(
            "{name}, seed {seed}: {steps} mutations, {} deltas, {} snapshots",
            self.deltas, self.snapshots
        );
    }
}

/// The same walk every time, so that who changed nothing sees nothing new; another one for whoever goes looking.
fn seed() -> u64 {
    match std::env::var("UIAP_SEED").as_deref() {
        Ok("random") => u64::from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos()),
        Ok(given) => given.parse().expect("UIAP_SEED is a number or `random`"),
        Err(_) => 20_261,
    }
}

async fn replay(name: &str, html: &str, steps: usize) {
    let seed = seed();
    let mut walker = Walker::begin(page(html).await, seed).await;
    walker.walk(name, seed, steps).await;
    assert!(walker.deltas > 0, "{name} told no delta");
    walker.page.session().close().await.unwrap();
}

/// Requirement: WEB-R2-02
#[test]
fn deltas_of_a_form_replay_to_what_a_fresh_look_shows() {
    run(replay("form", FORM, 400));
}

/// Requirement: WEB-R2-02
#[test]
fn deltas_of_a_table_replay_to_what_a_fresh_look_shows() {
    run(replay("table", TABLE, 250));
}

/// Requirement: WEB-R2-02
#[test]
fn deltas_of_a_virtual_list_replay_to_what_a_fresh_look_shows() {
    run(replay("virtual list", VIRTUAL, 300));
}

/// Requirement: WEB-R2-02
#[test]
fn deltas_of_dialogs_replay_to_what_a_fresh_look_shows() {
    run(replay("dialogs", DIALOGS, 400));
}

/// Requirement: WEB-R2-02
#[test]
fn deltas_of_shadow_roots_replay_to_what_a_fresh_look_shows() {
    run(replay("shadow roots", SHADOW, 300));
}

/// Requirement: WEB-R2-02
#[test]
fn deltas_of_frames_replay_to_what_a_fresh_look_shows() {
    run(replay("frames", FRAMES, 300));
}

/// Requirement: WEB-R2-02
#[test]
fn deltas_of_the_demo_application_replay_to_what_a_fresh_look_shows() {
    run(async {
        let app = Videoland::start(Options { quiet: true, ..Options::default() }).await.unwrap();
        let page = open(&format!("{}/videos", app.base_url().trim_end_matches('/'))).await;
        // The walk is the same every time only in a page that is the same: its rows come after it.
        let rows = "new Promise((go) => { const look = () => document.querySelectorAll('tr').length > 20 ? go(1) : setTimeout(look, 10); look() })";
        evaluate(&page, rows).await;
        let seed = seed();
        let mut walker = Walker::begin(page, seed).await;
        walker.walk("demo application", seed, 150).await;
        app.shutdown().await;
    });
}
