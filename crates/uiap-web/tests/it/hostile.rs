//! Pages that break things, by accident or on purpose.

use std::time::{Duration, Instant};

use tokio::time::timeout;
use uiap_cdp::protocol::page::Crash;
use uiap_web::{CaptureOptions, ObserveOptions, OpenOptions, PageErrorKind, Revision};

use crate::shared::{
    browser, element, evaluate, has, json, open, open_with, options, page, run, serve, serve_with, snapshot,
    snapshot_with,
};

#[test]
fn patched_built_ins_and_clobbered_names_change_nothing() {
    run(async {
        let page = page(
            "<form aria-label=F id=f><input name=parentNode aria-label=A><input name=firstElementChild><input name=getAttribute><button>Go</button></form>
             <img name=body><form name=querySelectorAll></form><script>
             for (const proto of [Array.prototype, Map.prototype, Set.prototype, String.prototype, Element.prototype, Node.prototype])
               for (const key of Object.getOwnPropertyNames(proto)) { if (key === 'constructor') continue;
                 try { Object.defineProperty(proto, key, { get() { throw new Error('patched') }, configurable: true }) } catch {} }
             JSON.stringify = () => 'evil'; globalThis.document = null;</script>",
        )
        .await;
        let graph = snapshot(&page).await;
        assert!(has(&graph, "A") && has(&graph, "Go"));
    });
}

#[test]
fn a_strict_policy_with_trusted_types_does_not_matter_and_no_global_is_left() {
    run(async {
        let headers = "Content-Security-Policy: default-src 'none'; require-trusted-types-for 'script'\r\n";
        let page = open(&serve_with(headers, "<button>Go</button>").await).await;
        let before = evaluate(&page, "Object.getOwnPropertyNames(globalThis).length").await;
        assert!(has(&snapshot(&page).await, "Go"));
        assert_eq!(evaluate(&page, "Object.getOwnPropertyNames(globalThis).length").await, before);
        assert_eq!(evaluate(&page, "typeof uiap + typeof page").await, "undefinedundefined");
    });
}

/// Boxes nested that deep crash the renderer by themselves, so the levels have none.
#[test]
fn ten_thousand_levels_are_walked() {
    run(async {
        let page = page(
            "<style>.w { display: contents }</style><body><script>const deep = (at, tag, levels) => { for (let i = 0; i < levels; i++) {
               const n = document.createElement(tag); n.className = 'w'; at.append(n); at = n } return at };
             const outer = document.createElement('div'); deep(outer, 'div', 10000).innerHTML = '<button>Deep</button>'; document.body.append(outer);
             const b = document.createElement('button'); b.append('Top '); deep(b, 'span', 10000).append('end'); document.body.prepend(b)</script>",
        )
        .await;
        let graph = snapshot(&page).await;
        element(&graph, "Deep");
        element(&graph, "Top end");
    });
}

/// The time in the page of the quickest of three whole looks at so many labelled fields.
async fn look_at_labels(count: u32) -> Duration {
    let page = page(&format!(
        "<body><script>const parts = []; for (let i = 0; i < {count}; i++)
         parts.push('<p><label for=i' + i + '>L' + i + '</label><input id=i' + i + '></p>'); document.body.innerHTML = parts.join('')</script>"
    ))
    .await;
    let mut quickest = Duration::MAX;
    for _ in 0..3 {
        let captured = page.capture(&CaptureOptions::default()).await.unwrap();
        element(&captured.graph, "L17");
        assert_eq!((captured.graph.elements().count(), captured.graph.truncated), (500, Some(true)));
        quickest = quickest.min(captured.in_page);
    }
    page.session().close().await.unwrap();
    quickest
}

/// A hundred thousand nodes against twenty thousand: five times the work, where a quadratic way has twenty-five times.
#[test]
fn a_hundred_thousand_nodes_with_labels_take_no_quadratic_time() {
    run(async {
        let (few, many) = (look_at_labels(5_000).await, look_at_labels(25_000).await);
        assert!(many < few * 13, "5,000: {few:?}, 25,000: {many:?}");
    });
}

#[test]
fn cycles_lone_surrogates_and_huge_texts_are_survived() {
    run(async {
        let page = page(
            "<div role=listbox id=a aria-owns=b aria-label=A tabindex=0><div role=option>o</div></div><div role=listbox id=b aria-owns=a aria-label=B tabindex=0>
             <div role=option>p</div></div>
             <button id=x aria-labelledby='x y'>X</button><button id=y aria-labelledby='y x'>Y</button><button id=s></button><button id=h></button>
             <script>s.textContent = 'lone \\ud83d end'; s.setAttribute('aria-description', '\\udc00'); h.textContent = 'huge '.repeat(1024 * 1024)</script>",
        )
        .await;
        let graph = snapshot(&page).await;
        element(&graph, "X Y");
        element(&graph, "lone \u{fffd} end");
        assert!(json(&graph).len() < 20_000);
    });
}

#[test]
fn a_navigation_between_captures_is_noticed_and_failures_are_typed() {
    run(async {
        let page = page("<button>One</button>").await;
        assert!(has(&snapshot(&page).await, "One"));
        let next = serve("<button>Two</button>").await;
        evaluate(&page, &format!("location.href = '{next}'; 0")).await;
        // The old document may still be there when asked; the new one answers as soon as it is.
        let mut graph = snapshot(&page).await;
        while !has(&graph, "Two") {
            assert!(has(&graph, "One"));
            graph = snapshot(&page).await;
        }
        let refused = page.navigate("http://127.0.0.1:1/").await.unwrap_err();
        assert!(matches!(refused.kind(), PageErrorKind::Navigation { .. }), "{refused}");
        page.session().close().await.unwrap();
        assert!(page.snapshot(&options("{}")).await.is_err());
        assert!(browser().await.disconnected().is_none());
    });
}

#[test]
fn many_captures_at_once_agree() {
    run(async {
        let page = page("<button>One</button><input aria-label=Two>").await;
        let plain = options("{}");
        let (a, b) = tokio::join!(snapshot(&page), snapshot_with(&page, &plain));
        assert_eq!(element(&a, "One").instance_id, element(&b, "One").instance_id);
        assert_ne!(a.seq, b.seq);
    });
}

#[test]
fn a_million_nodes_are_cut_and_the_graph_says_so() {
    run(async {
        let page = page(
            "<style>i { display: contents }</style><button>First</button><div id=d></div><script>d.innerHTML = '<i></i>'.repeat(1e6)</script><button>Last</button>",
        )
        .await;
        let graph = snapshot(&page).await;
        assert!(has(&graph, "First"));
        assert_eq!(graph.truncated, Some(true));
        let budget = CaptureOptions { viewport_only: true, ..CaptureOptions::default() };
        let captured = page.capture(&budget).await.unwrap();
        assert!(captured.in_page < Duration::from_secs(2), "{:?}", captured.in_page);
        assert!(has(&captured.graph, "Last"));
        let metadata = serde_json::to_value(&captured.graph.metadata).unwrap();
        let children = metadata.pointer("/omitted/children").and_then(serde_json::Value::as_u64);
        assert!(children.is_some_and(|count| count > 999_000), "{metadata}");
        page.session().close().await.unwrap();
    });
}

#[test]
fn an_observer_survives_patched_built_ins_and_ten_thousand_mutations_a_second() {
    run(async {
        let page = page(
            "<p role=status id=s>0</p><button>Calm</button><div id=box></div><script>
             globalThis.MutationObserver = class { observe() { throw new Error('patched') } };
             Array.prototype.map = Array.prototype.push = () => { throw new Error('patched') }; JSON.stringify = () => 'evil';
             EventTarget.prototype.addEventListener = () => { throw new Error('patched') };
             let n = 0; setInterval(() => { for (let i = 0; i < 100; i++) { s.textContent = ++n; box.className = 'c' + n;
               if (n % 2) box.innerHTML = '<button>B' + n + '</button>'; } }, 10)</script>",
        )
        .await;
        let mut observation = page.observe(ObserveOptions::default());
        observation.next().await.unwrap();
        let (start, mut revisions, mut slowest) = (Instant::now(), 0, Duration::ZERO);
        while start.elapsed() < Duration::from_secs(2) {
            timeout(Duration::from_secs(10), observation.next()).await.expect("starved").unwrap();
            slowest = slowest.max(observation.in_page());
            revisions += 1;
        }
        eprintln!("{revisions} revisions in 2 s, the slowest {slowest:?} in the page");
        assert!(revisions > 5, "{revisions}");
        assert!(has(observation.graph().unwrap(), "Calm"));
        let answer = timeout(Duration::from_secs(10), snapshot(&page)).await.expect("no snapshot came");
        assert!(has(&answer, "Calm"));
        page.session().close().await.unwrap();
    });
}

#[test]
fn a_document_that_is_written_anew_is_observed_anew() {
    run(async {
        let page = page("<button>Old</button>").await;
        let mut observation = page.observe(ObserveOptions::default());
        observation.next().await.unwrap();
        evaluate(&page, "document.open(); document.write('<button>Written</button>'); document.close(); 0")
            .await;
        while !observation.graph().is_some_and(|graph| has(graph, "Written")) {
            timeout(Duration::from_secs(10), observation.next()).await.expect("not told").unwrap();
        }
        assert!(!has(observation.graph().unwrap(), "Old"));
        assert!(has(&snapshot(&page).await, "Written"));
    });
}

#[test]
fn a_crash_is_an_error_and_the_next_document_is_observed() {
    run(async {
        let page = page("<button>Doomed</button>").await;
        let mut observation = page.observe(ObserveOptions::default());
        observation.next().await.unwrap();
        // The renderer dies before it can answer.
        drop(timeout(Duration::from_millis(500), page.session().call(Crash {})).await);
        let crashed = timeout(Duration::from_secs(10), observation.next()).await.expect("a stuck await");
        assert!(matches!(crashed.unwrap_err().kind(), PageErrorKind::Crashed));
        let again = timeout(Duration::from_millis(300), observation.next()).await;
        assert!(again.is_err(), "a page that is dead is not asked without end: {again:?}");
        page.navigate(&serve("<button>Alive</button>").await).await.unwrap();
        while !observation.graph().is_some_and(|graph| has(graph, "Alive")) {
            timeout(Duration::from_secs(10), observation.next()).await.expect("not told").unwrap();
        }
        assert!(browser().await.disconnected().is_none());
    });
}

#[test]
fn a_busy_page_and_one_that_navigates_without_end_are_waited_for_with_a_limit() {
    run(async {
        let impatient = OpenOptions { load_timeout: Duration::from_secs(2) };
        let url = serve("<button>Busy</button>").await;
        let page = open_with(&url, impatient).await;
        let mut observation = page.observe(ObserveOptions::default());
        observation.next().await.unwrap();
        evaluate(
            &page,
            "setTimeout(() => { const end = Date.now() + 700; while (Date.now() < end); }, 0); 0",
        )
        .await;
        let start = Instant::now();
        assert!(has(&snapshot(&page).await, "Busy"));
        assert!(start.elapsed() < Duration::from_secs(20));
        let restless =
            serve("<script>location.href = '/' + Math.random()</script><button>Gone</button>").await;
        evaluate(&page, &format!("location.href = '{restless}'; 0")).await;
        // Whatever it shows or fails with, it answers, and so does the observer.
        let answer = timeout(Duration::from_secs(20), page.snapshot(&options("{}"))).await;
        drop(answer.expect("a stuck await"));
        drop(timeout(Duration::from_secs(2), observation.next()).await);
        page.session().close().await.unwrap();
        let closed = timeout(Duration::from_secs(20), async {
            loop {
                match observation.next().await {
                    Ok(Revision::Change(_) | Revision::Snapshot(_)) => {}
                    Err(error) => break error,
                }
            }
        });
        closed.await.expect("a stuck await");
    });
}

#[test]
fn text_that_runs_backwards_stays_as_it_is_written() {
    run(async {
        let page = page("<meta charset=utf-8><button>\u{202e}evil\u{202c} \u{05d0}\u{05d1}</button>").await;
        element(&snapshot(&page).await, "\u{202e}evil\u{202c} \u{05d0}\u{05d1}");
    });
}
