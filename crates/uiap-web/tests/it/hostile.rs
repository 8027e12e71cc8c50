//! Pages that break things, by accident or on purpose.

use std::time::{Duration, Instant};

use uiap_web::PageErrorKind;

use crate::shared::{
    browser, element, evaluate, has, json, open, options, page, run, serve, serve_with, snapshot,
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

async fn timed(page: &uiap_web::Page, limit: Duration) -> uiap_model::web::PageGraph {
    let start = Instant::now();
    let graph = snapshot(page).await;
    let taken = start.elapsed();
    assert!(taken < limit, "{taken:?}");
    graph
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
        let graph = timed(&page, Duration::from_secs(20)).await;
        element(&graph, "Deep");
        element(&graph, "Top end");
    });
}

#[test]
fn a_hundred_thousand_nodes_with_labels_take_no_quadratic_time() {
    run(async {
        let page = page(
            "<body><script>const parts = []; for (let i = 0; i < 25000; i++)
             parts.push('<p><label for=i' + i + '>L' + i + '</label><input id=i' + i + '></p>'); document.body.innerHTML = parts.join('')</script>",
        )
        .await;
        let graph = timed(&page, Duration::from_secs(10)).await;
        assert_eq!((graph.elements().count(), graph.truncated), (500, Some(true)));
        element(&graph, "L17");
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
        let graph = timed(&page, Duration::from_secs(5)).await;
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
