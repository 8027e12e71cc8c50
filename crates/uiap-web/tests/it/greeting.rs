//! Frames that greet their page: who is welcomed, who is not, and what is believed of those who are.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use uiap_cdp::protocol::runtime::Evaluate;
use uiap_model::action::result::ActionStatus;
use uiap_model::action::{ActionRequestPayload, ActionResultPayload, RuntimeErrorCode, SideEffectState};
use uiap_model::document::{kind, validate};
use uiap_model::names::ElementInstanceId;
use uiap_model::web::PageGraph;
use uiap_model::web::graph::{BoundaryAccess, DocumentKind};
use uiap_web::bridge::{Bridge, BridgeGrants};
use uiap_web::input::{Click, Input, InputError};
use uiap_web::{Page, PageErrorKind};

use crate::shared::{browser, element, evaluate, has, json, open, options, run};
use crate::signal_site::Site;

const FRAME: &str = include_str!("greeting_frame.html");
/// Answers pings, so that a frame knows that everything sent before was handled; keeps what frames report.
const KEEPER: &str = "<script>
    const reports = {}, waiting = {};
    addEventListener('message', ({ data, source }) => {
        if (data?.ping) source.postMessage({ pong: data.ping }, '*');
        if (data?.report) (waiting[data.report] ?? (() => {}))(JSON.stringify(reports[data.report] = data.heard));
    });
    var say = (frame, as, words) => new Promise((done) => { waiting[as] = done; frame.postMessage({ as, ...words }, '*'); });
    </script>";

/// A page with a frame of another site, and so of another process, and one of another port only.
struct Stage {
    page: Page,
    apart: Site,
    beside: Site,
    outer: Site,
}

impl Stage {
    async fn new() -> Self {
        Self::with(KEEPER, "/").await
    }

    async fn with(head: &str, path: &str) -> Self {
        let (apart, beside) = (Site::with(&[("/", FRAME)]).await, Site::with(&[("/", FRAME)]).await);
        let frames = format!(
            "{head}<button>Own</button><iframe title=Apart src='{}'></iframe><iframe title=Beside src='{}'></iframe>",
            apart.foreign(path),
            beside.url(path)
        );
        let outer = Site::with(&[("/", &frames)]).await;
        let page = open(&outer.url("/")).await;
        Self { page, apart, beside, outer }
    }

    fn grants(&self) -> BridgeGrants {
        BridgeGrants::new([self.apart.foreign_origin(), self.beside.url("")]).unwrap()
    }

    /// Only frames that greet are looked into. They get more time than they need, also where others are at work.
    async fn cooperative(&self) -> Bridge {
        self.cooperative_within(Duration::from_secs(30)).await
    }

    async fn cooperative_within(&self, patience: Duration) -> Bridge {
        let bridge = Bridge::cooperative(browser().await, &self.page, self.grants().within(patience));
        bridge.listen().await.unwrap();
        bridge
    }

    /// Has a frame say something to its page, and tells which welcomes it heard since it last spoke.
    async fn say(&self, frame: &str, words: Value) -> Vec<Value> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let as_ = format!("report{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let told = evaluate(&self.page, &format!("say({frame}, '{as_}', {words})")).await;
        serde_json::from_str(told.as_str().unwrap()).unwrap()
    }
}

fn hello() -> Value {
    json!({ "uiapFrame": "0.1", "type": "hello", "nonce": "nonce-4711" })
}

async fn look(bridge: &Bridge) -> PageGraph {
    let graph = bridge.snapshot(&options("{}")).await.unwrap();
    let problems = validate(&serde_json::to_value(&graph).unwrap(), kind("PageGraph").unwrap());
    assert!(problems.is_empty(), "{problems:#?}");
    graph
}

fn accesses(graph: &PageGraph) -> Vec<BoundaryAccess> {
    graph.documents.iter().skip(1).map(|document| document.access).collect()
}

const OPAQUE: [BoundaryAccess; 2] = [BoundaryAccess::Opaque; 2];

/// Requirement: WEB-FB-01
/// Requirement: WEB-FB-03
/// Requirement: WEB-R9-02
#[test]
fn a_frame_of_a_granted_origin_that_greets_is_welcomed_with_a_port_and_publishes_itself() {
    run(async {
        let stage = Stage::new().await;
        let bridge = stage.cooperative().await;
        for frame in ["frames[0]", "frames[1]"] {
            let heard = stage.say(frame, json!({ "say": hello() })).await;
            let origin = stage.outer.url("");
            assert_eq!(
                heard,
                [json!({ "nonce": "nonce-4711", "ports": 1, "parent": true, "origin": origin })]
            );
        }
        let graph = look(&bridge).await;
        assert_eq!(accesses(&graph), [BoundaryAccess::Bridged; 2]);
        for (document, origin) in
            graph.documents.iter().skip(1).zip([stage.apart.foreign_origin(), stage.beside.url("")])
        {
            assert_eq!(document.kind, DocumentKind::Bridged);
            assert_eq!(document.origin.as_deref(), Some(&*origin), "the browser's word, not the frame's");
            assert_eq!(document.url, None, "an address of another origin is not believed");
            assert_eq!(document.title.as_deref(), Some("Pay"));
            let names: Vec<_> = document.scopes.iter().flat_map(|scope| &scope.elements).collect();
            let ids: Vec<_> = names.iter().map(|each| each.instance_id.to_string()).collect();
            assert_eq!(ids, ["e1", "e2"].map(|id| format!("{}:{id}", document.document_id)));
        }
        assert!(!has(&graph, "Drawn"), "the frame's own word goes before what it draws");
        assert!(!json(&graph).contains("canary"), "what a frame publishes as secret goes no further");
    });
}

/// Requirement: WEB-FB-01
/// Requirement: WEB-R9-02
#[test]
fn a_greeting_that_is_not_right_gets_no_answer_and_the_frame_stays_opaque() {
    run(async {
        let stage = Stage::new().await;
        let bridge = stage.cooperative().await;
        let with = |member: &str, value: Value| {
            let mut hello = hello();
            hello.as_object_mut().unwrap().insert(member.to_owned(), value);
            hello
        };
        let mut nameless = hello();
        nameless.as_object_mut().unwrap().remove("nonce");
        let wrong = [
            nameless,
            with("nonce", json!("short")),
            with("nonce", json!("x".repeat(129))),
            with("nonce", json!(12_345_678)),
            with("nonce", json!(["a", "b", "c", "d", "e", "f", "g", "h"])),
            with("uiapFrame", json!("0.2")),
            with("uiapFrame", json!(0.1)),
            with("type", json!("welcome")),
            with("origin", json!(stage.outer.url(""))),
            with("origin", json!(stage.beside.foreign_origin())),
            with("origin", Value::Null),
            json!(hello().to_string()),
            Value::Null,
        ];
        for words in wrong {
            assert_eq!(stage.say("frames[0]", json!({ "say": words })).await, Vec::<Value>::new(), "{words}");
        }
        assert_eq!(accesses(&look(&bridge).await), OPAQUE);
        // The same frame is welcomed as soon as it greets as it should.
        assert_eq!(stage.say("frames[0]", json!({ "say": hello() })).await.len(), 1);
        assert_eq!(accesses(&look(&bridge).await), [BoundaryAccess::Bridged, BoundaryAccess::Opaque]);
    });
}

/// Requirement: WEB-FB-01
/// Requirement: WEB-R9-02
#[test]
fn a_frame_of_an_origin_that_is_not_granted_gets_no_answer_and_stays_opaque() {
    run(async {
        let stage = Stage::new().await;
        let grants = BridgeGrants::new([stage.beside.url("")]).unwrap();
        let bridge = Bridge::cooperative(browser().await, &stage.page, grants);
        bridge.listen().await.unwrap();
        assert_eq!(stage.say("frames[0]", json!({ "say": hello() })).await, Vec::<Value>::new());
        assert_eq!(stage.say("frames[1]", json!({ "say": hello() })).await.len(), 1);
        assert_eq!(accesses(&look(&bridge).await), [BoundaryAccess::Opaque, BoundaryAccess::Bridged]);
        // What is granted last holds: the port of before is closed.
        let other = BridgeGrants::new([stage.apart.foreign_origin()]).unwrap();
        let other = Bridge::cooperative(browser().await, &stage.page, other);
        other.listen().await.unwrap();
        assert_eq!(stage.say("frames[1]", json!({ "say": hello() })).await, Vec::<Value>::new());
        assert_eq!(accesses(&look(&bridge).await), OPAQUE);
    });
}

/// Requirement: WEB-FB-01
#[test]
fn a_greeting_from_a_window_that_is_no_frame_of_the_page_gets_no_answer() {
    run(async {
        // A frame in a frame greets the page over the head of its parent.
        let stage = Stage::with(KEEPER, "/?nested").await;
        let bridge = stage.cooperative().await;
        for frame in ["frames[0][0]", "frames[1][0]"] {
            let words = json!({ "say": hello(), "to": "top" });
            assert_eq!(stage.say(frame, words).await, Vec::<Value>::new(), "{frame}");
        }
        // It greets its parent, which has our script where it shares the page's process, and is not the page.
        let words = json!({ "say": hello() });
        assert_eq!(stage.say("frames[1][0]", words).await, Vec::<Value>::new(), "a frame of a frame");
        // A window of a granted origin that the page opened. It has no parent: it is its own.
        let open = format!(
            "new Promise((done) => {{ window.other = open('{}'); addEventListener('message', ({{ data }}) => data === 'here' && done(1)); }})",
            stage.apart.foreign("/#popup")
        );
        let gesture =
            Evaluate { expression: &open, user_gesture: true, await_promise: true, ..Evaluate::default() };
        stage.page.session().call(gesture).await.unwrap();
        let words = json!({ "say": hello(), "to": "opener" });
        assert_eq!(stage.say("other", words).await, Vec::<Value>::new(), "a window beside the page");
        // An event of the page's own making, in the name of its frame.
        let forged = format!(
            "dispatchEvent(new MessageEvent('message', {{ source: frames[0], origin: '{origin}', data: {{ ...{hello}, origin: '{origin}' }} }}))",
            origin = stage.apart.foreign_origin(),
            hello = hello()
        );
        evaluate(&stage.page, &forged).await;
        assert_eq!(stage.say("frames[0]", json!({ "say": "nothing" })).await, Vec::<Value>::new());
        assert_eq!(accesses(&look(&bridge).await), OPAQUE);
    });
}

#[test]
fn a_page_that_replaced_its_built_ins_changes_nothing_and_sees_nothing() {
    run(async {
        let head = format!(
            "{KEEPER}<script>
                const trap = (name) => function () {{ window.trapped = (window.trapped ?? '') + name; throw new Error(name); }};
                for (const kind of [Map, Set, Promise, MessagePort, EventTarget]) for (const name of Object.getOwnPropertyNames(kind.prototype)) {{
                    if (typeof Object.getOwnPropertyDescriptor(kind.prototype, name).value === 'function' && name !== 'constructor' && name !== 'then') kind.prototype[name] = trap(name);
                }}
                for (const name of ['MessageChannel', 'MessagePort', 'Map', 'Set', 'addEventListener', 'postMessage', 'setTimeout']) window[name] = trap(name);
                JSON.stringify = ((real) => (value) => (value?.modelVersion ? trap('stringify')() : real(value)))(JSON.stringify);
                Symbol.for = trap('symbol');
            </script><img name=defaultView><img name=querySelectorAll><form id=top><input name=parent></form>"
        );
        let stage = Stage::with(&head, "/").await;
        let bridge = stage.cooperative().await;
        assert_eq!(stage.say("frames[0]", json!({ "say": hello() })).await.len(), 1);
        assert!(has(&look(&bridge).await, "Published"));
        let traces = "[typeof trapped, Object.getOwnPropertySymbols(window).filter((each) => `${each.description}`.startsWith('uiap')).length,
            Object.getOwnPropertyNames(window).filter((name) => name.startsWith('uiap')).length]";
        assert_eq!(evaluate(&stage.page, traces).await, json!(["undefined", 0, 0]));
    });
}

/// The page's own origin may be granted too; that makes it no frame of itself.
///
/// Requirement: WEB-FB-01
#[test]
fn a_page_that_greets_itself_gets_no_answer() {
    run(async {
        let stage = Stage::new().await;
        let grants = BridgeGrants::new([stage.outer.url("")]).unwrap();
        Bridge::cooperative(browser().await, &stage.page, grants).listen().await.unwrap();
        let greet = format!(
            "new Promise((done) => {{
                const heard = [];
                addEventListener('message', ({{ data }}) => {{
                    if (data === 'over') postMessage('heard', '*');
                    else if (data === 'heard') done(heard);
                    else heard.push(data.type);
                }});
                postMessage({{ ...{}, origin: location.origin }}, '*');
                postMessage('over', '*');
            }})",
            hello()
        );
        // What answers comes after the first word and before the last.
        assert_eq!(evaluate(&stage.page, &greet).await, json!(["hello"]));
    });
}

/// Requirement: WEB-FB-01
#[test]
fn a_frame_in_a_frame_of_the_page_s_own_origin_is_welcomed_there() {
    run(async {
        let apart = Site::with(&[("/", FRAME)]).await;
        let inner = format!("{KEEPER}<iframe title=Apart src='{}'></iframe>", apart.foreign("/"));
        let site = Site::with(&[
            ("/", &format!("{KEEPER}<iframe title=Inner src=/inner></iframe>")),
            ("/inner", &inner),
        ])
        .await;
        let page = open(&site.url("/")).await;
        let grants = BridgeGrants::new([apart.foreign_origin()]).unwrap().within(Duration::from_secs(30));
        let bridge = Bridge::cooperative(browser().await, &page, grants);
        bridge.listen().await.unwrap();
        let said = format!("say(frames[0][0], 'inner', {{ say: {} }})", hello());
        assert!(evaluate(&page, &said).await.as_str().unwrap().contains("nonce-4711"));
        assert!(has(&look(&bridge).await, "Published"));
    });
}

/// Requirement: WEB-FB-04
#[test]
fn a_silent_frame_is_opaque_after_two_seconds_and_may_greet_later() {
    run(async {
        let stage = Stage::new().await;
        let bridge = Bridge::cooperative(browser().await, &stage.page, stage.grants());
        bridge.listen().await.unwrap();
        let started = Instant::now();
        assert_eq!(accesses(&look(&bridge).await), OPAQUE);
        let first = started.elapsed();
        assert!(first >= Duration::from_millis(1_900), "it waited {first:?}");
        assert!(first < Duration::from_millis(3_900), "two frames are waited for at once: {first:?}");
        // The next look waits for nobody.
        let started = Instant::now();
        assert_eq!(accesses(&look(&bridge).await), OPAQUE);
        assert!(started.elapsed() < Duration::from_millis(1_900), "{:?}", started.elapsed());
        assert_eq!(stage.say("frames[1]", json!({ "say": hello() })).await.len(), 1);
        assert_eq!(accesses(&look(&bridge).await), [BoundaryAccess::Opaque, BoundaryAccess::Bridged]);
        // A bridge that is new to the page is not too late for one that greets while it waits.
        let stage = Stage::new().await;
        let bridge = stage.cooperative().await;
        let (graph, _) =
            tokio::join!(look(&bridge), async { stage.say("frames[0]", json!({ "say": hello() })).await });
        assert_eq!(accesses(&graph), [BoundaryAccess::Bridged, BoundaryAccess::Opaque]);
    });
}

#[test]
fn a_greeting_while_the_page_loads_is_heard() {
    run(async {
        let stage = Stage::new().await;
        let bridge = stage.cooperative().await;
        let again = format!("{KEEPER}<iframe title=Apart src='{}'></iframe>", stage.apart.foreign("/#early"));
        let again = Site::with(&[("/", &again)]).await;
        stage.page.navigate(&again.url("/")).await.unwrap();
        assert!(has(&look(&bridge).await, "Published"));
    });
}

#[test]
fn a_frame_that_answers_wrongly_is_as_if_it_had_not_greeted() {
    const PATIENCE: Duration = Duration::from_secs(6);
    run(async {
        let stage = Stage::new().await;
        for manner in ["garbage", "text", "twins", "many", "large", "opaque", "misnamed", "leaves", "silent"]
        {
            let bridge = stage.cooperative_within(PATIENCE).await;
            let words = json!({ "say": hello(), "manner": manner });
            assert_eq!(stage.say("frames[0]", words.clone()).await.len(), 1, "{manner}");
            assert_eq!(accesses(&look(&bridge).await), OPAQUE, "{manner}");
            // By a bridge that does without greetings it is looked into.
            let grants = BridgeGrants::new([stage.apart.foreign_origin()]).unwrap().within(PATIENCE);
            let bridge = Bridge::new(browser().await, &stage.page, grants);
            bridge.listen().await.unwrap();
            stage.say("frames[0]", words).await;
            let graph = look(&bridge).await;
            assert!(has(&graph, "Drawn") && !has(&graph, "Published"), "{manner}");
        }
        let grants = stage.grants().within(Duration::from_secs(30));
        let bridge = Bridge::new(browser().await, &stage.page, grants);
        bridge.listen().await.unwrap();
        stage.say("frames[0]", json!({ "say": hello(), "manner": "right" })).await;
        let graph = look(&bridge).await;
        assert!(has(&graph, "Published") && has(&graph, "Drawn"), "one that greets, one that does not");
    });
}

#[test]
fn a_frame_that_was_too_busy_to_answer_is_told_and_may_greet_anew() {
    run(async {
        let stage = Stage::new().await;
        let bridge = stage.cooperative_within(Duration::from_secs(2)).await;
        stage.say("frames[0]", json!({ "say": hello(), "manner": "busy" })).await;
        assert_eq!(accesses(&look(&bridge).await), OPAQUE);
        while !has(&look(&bridge).await, "Published") {}
    });
}

/// The frame of the guide, word for word.
#[test]
fn a_frame_that_does_as_the_guide_says_is_bridged() {
    run(async {
        let guide = include_str!("../../../../docs/guides/snapshot.md");
        let (_, rest) = guide.split_once("```html\n").unwrap();
        let (snippet, _) = rest.split_once("```").unwrap();
        let grown = "<script>
            const publish = ({ maxElements }) => ({
                modelVersion: '0.1', profile: 'web@0.1', revision: 'r1', seq: 1, ts: '2026-01-01T00:00:00Z', rootDocumentId: 'd', route: { url: location.href },
                documents: [{ documentId: 'd', kind: 'root', access: 'open', url: location.href, scopes: [{ id: 's', kind: 'page', elements: [{
                    instanceId: 'pay', role: 'button', name: `Pay, one of ${maxElements}`, affordances: ['activate'], state: {}, web: { attached: true }, source: 'registry' }] }] }],
            });
            const perform = async ({ actionId }) => ({ actionHandle: 'h', actionId, status: 'succeeded', sideEffectState: 'applied', verification: { passed: true, policy: 'none', observed: [] } });
        </script>";
        let outer = Site::with(&[("/", "<iframe title=Pay></iframe>")]).await;
        let snippet = snippet.replace("https://shop.example.com", &outer.url(""));
        let apart = Site::with(&[("/", &format!("<body>{grown}{snippet}"))]).await;
        let page = open(&outer.url("/")).await;
        let grants = BridgeGrants::new([apart.foreign_origin()]).unwrap().within(Duration::from_secs(30));
        let bridge = Bridge::cooperative(browser().await, &page, grants);
        bridge.listen().await.unwrap();
        evaluate(&page, &format!("document.querySelector('iframe').src = '{}'", apart.foreign("/"))).await;
        let graph = loop {
            let graph = look(&bridge).await;
            if has(&graph, "Pay, one of 500") {
                break graph;
            }
        };
        assert_eq!(graph.documents.get(1).unwrap().url.as_deref(), Some(&*apart.foreign("/")));
        let pay = element(&graph, "Pay, one of 500").instance_id.clone();
        assert_eq!(bridge.act(&activate(&pay)).await.unwrap().status, ActionStatus::Succeeded);
    });
}

/// Requirement: WEB-FB-03
#[test]
fn a_frame_that_goes_elsewhere_is_opaque_until_it_greets_anew() {
    run(async {
        let stage = Stage::new().await;
        let bridge = stage.cooperative().await;
        stage.say("frames[0]", json!({ "say": hello() })).await;
        assert!(has(&look(&bridge).await, "Published"));
        // A second greeting of the same frame is a port of its own.
        assert_eq!(stage.say("frames[0]", json!({ "say": hello() })).await.len(), 1);
        assert!(has(&look(&bridge).await, "Published"));
        let reload = format!(
            "new Promise((done) => {{ const frame = document.querySelector('[title=Apart]'); frame.onload = () => done(1); frame.src = '{}' }})",
            stage.apart.foreign("/?again")
        );
        evaluate(&stage.page, &reload).await;
        assert_eq!(accesses(&look(&bridge).await), OPAQUE);
        stage.say("frames[0]", json!({ "say": hello() })).await;
        let graph = look(&bridge).await;
        assert_eq!(element(&graph, "Published").role, element(&graph, "Own").role);
    });
}

fn activate(id: &ElementInstanceId) -> ActionRequestPayload {
    let request =
        json!({ "actionId": "ui.activate", "target": { "ref": { "by": "instanceId", "value": id } } });
    serde_json::from_value(request).unwrap()
}

/// Requirement: WEB-FB-03
#[test]
fn an_action_on_what_a_frame_published_runs_there_and_reports_back_until_the_frame_goes() {
    run(async {
        let stage = Stage::new().await;
        let bridge = stage.cooperative().await;
        for frame in ["frames[0]", "frames[1]"] {
            stage.say(frame, json!({ "say": hello() })).await;
        }
        let graph = look(&bridge).await;
        let document = graph.documents.get(2).unwrap();
        let pay = document.scopes.first().unwrap().elements.first().unwrap().instance_id.clone();
        let result: ActionResultPayload = bridge.act(&activate(&pay)).await.unwrap();
        assert_eq!(
            (result.status, result.side_effect()),
            (ActionStatus::Succeeded, SideEffectState::Applied)
        );
        assert_eq!(result.state_revision, None, "a revision of the frame is none of the page");
        let target = result.resolved_target.unwrap();
        let (scope, place) = (document.scopes.first().unwrap().id.clone(), document.document_id.clone());
        assert_eq!(
            (target.instance_id, target.scope_id, target.document_id),
            (pay.clone(), Some(scope), place)
        );
        let graph = look(&bridge).await;
        assert_eq!(element(&graph, "Paid 1").instance_id, pay, "in the one frame");
        assert!(has(&graph, "Published"), "and not in the other");

        // What the frame refuses is told as it tells it.
        let unknown = ElementInstanceId::parse(&pay.as_str().replace(":e1", ":e9")).unwrap();
        let refused = bridge.act(&activate(&unknown)).await.unwrap();
        assert_eq!(refused.error.unwrap().code, RuntimeErrorCode::TargetNotFound);
        // No pointer is sent at what nobody but the frame has seen.
        let input = Input::new(&stage.page).await.unwrap().across(&bridge);
        let error = input.click(&pay, &Click::default()).await.unwrap_err();
        assert!(
            matches!(&error, InputError::Page(error) if matches!(error.kind(), PageErrorKind::Published(_))),
            "{error}"
        );
        // What is the page's own is no frame's.
        let own = element(&graph, "Own").instance_id.clone();
        let error = bridge.act(&activate(&own)).await.unwrap_err();
        assert!(matches!(error.kind(), PageErrorKind::Gone(_)), "{error}");
        for (manner, words) in [("another", "another action"), ("silent", "did not answer")] {
            stage.say("frames[1]", json!({ "say": "nothing", "manner": manner })).await;
            let error = bridge.act(&activate(&pay)).await.unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
        }

        // It goes to another document of the same origin, and greets there: what was published before is gone.
        let reload = format!(
            "new Promise((done) => {{ const frame = document.querySelector('[title=Beside]'); frame.onload = () => done(1); frame.src = '{}' }})",
            stage.beside.url("/?again")
        );
        evaluate(&stage.page, &reload).await;
        let error = bridge.act(&activate(&pay)).await.unwrap_err();
        assert!(matches!(error.kind(), PageErrorKind::Gone(id) if *id == pay.to_string()), "{error}");
        assert_eq!(stage.say("frames[1]", json!({ "say": hello() })).await.len(), 1);
        let error = bridge.act(&activate(&pay)).await.unwrap_err();
        assert!(matches!(error.kind(), PageErrorKind::Gone(_)), "{error}");
        look(&bridge).await;
        assert_eq!(bridge.act(&activate(&pay)).await.unwrap().status, ActionStatus::Succeeded);
        // It closes its port in the middle: nobody knows what it did, and the next look finds nobody there.
        stage.say("frames[1]", json!({ "say": "nothing", "manner": "leaves" })).await;
        let error = bridge.act(&activate(&pay)).await.unwrap_err();
        assert!(error.to_string().contains("did not answer"), "{error}");
        assert_eq!(accesses(&look(&bridge).await), [BoundaryAccess::Bridged, BoundaryAccess::Opaque]);
    });
}
