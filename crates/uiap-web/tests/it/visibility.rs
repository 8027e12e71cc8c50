//! What a person can see and reach.

use crate::shared::{element, evaluate, has, options, page, run, snapshot, snapshot_with, state};

/// Requirement: WEB-R4-02
#[test]
fn what_nobody_can_see_is_left_out_unless_asked_for() {
    const HIDDEN: &[&str] = &[
        "<button style=display:none>N</button>",
        "<div hidden><button>N</button></div>",
        "<button style=visibility:hidden>N</button>",
        "<div style=opacity:0><button>N</button></div>",
        "<button style='width:0;height:0;padding:0;border:0;overflow:hidden'>N</button>",
        "<button style='position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0);padding:0;border:0'>N</button>",
        "<button style='position:absolute;clip-path:inset(50%)'>N</button>",
        "<button style='position:absolute;left:-9999px'>N</button>",
        "<div aria-hidden=true><button>N</button></div>",
        "<div inert><button>N</button></div>",
        "<details><summary>S</summary><button>N</button></details>",
        "<div style=content-visibility:hidden><button>N</button></div>",
        "<dialog><button>N</button></dialog>",
        "<div popover><button>N</button></div>",
    ];
    run(async {
        let page = page("").await;
        for html in HIDDEN {
            evaluate(&page, &format!("document.body.innerHTML = {}", serde_json::json!(html))).await;
            assert!(!has(&snapshot(&page).await, "N"), "{html}");
            let all = snapshot_with(&page, &options(r#"{"includeHidden":true}"#)).await;
            let each = element(&all, "N");
            let inert = html.contains("inert");
            assert_eq!(
                (state(each, "visible"), state(each, "blocked")),
                (inert.into(), if inert { true.into() } else { serde_json::Value::Null }),
                "{html}"
            );
        }
    });
}

#[test]
fn unusual_ways_to_be_seen_count() {
    const SEEN: &[&str] = &[
        "<div style=display:contents><button>N</button></div>",
        "<div style=visibility:hidden><button style=visibility:visible>N</button></div>",
        "<label style='display:inline-block'><input type=checkbox style='opacity:0;position:absolute'>N</label>",
        "<label style='display:inline-block'><input type=file style='position:absolute;clip-path:inset(50%)'>N</label>",
        "<a href=# style='display:inline;font-size:0'><span style='float:left;font-size:16px'>N</span></a>",
        "<div style='height:3000px'></div><button>N</button>",
        "<style>@keyframes in { from { opacity: 0 } to { opacity: 0.01 } }</style><div style='animation: in 600s'><button>N</button></div>",
    ];
    run(async {
        let page = page("").await;
        for html in SEEN {
            evaluate(&page, &format!("document.body.innerHTML = {}", serde_json::json!(html))).await;
            assert_eq!(state(element(&snapshot(&page).await, "N"), "visible"), true, "{html}");
        }
    });
}

/// Requirement: WEB-G-11
#[test]
fn viewport_and_covering_are_told() {
    run(async {
        let page = page(
            "<button>Free</button><button id=c>Covered</button><div style='height:3000px'></div><button>Below</button>
             <div id=banner style='position:fixed;background:red'></div><script>const r = c.getBoundingClientRect();
             Object.assign(banner.style, {left: r.x + 'px', top: r.y + 'px', width: r.width + 'px', height: r.height + 'px'})</script>",
        )
        .await;
        let graph = snapshot(&page).await;
        let seen = |name: &str| element(&graph, name).web.clone();
        assert_eq!((seen("Free").in_viewport, seen("Free").receives_events), (Some(true), Some(true)));
        assert_eq!((seen("Covered").in_viewport, seen("Covered").receives_events), (Some(true), Some(false)));
        assert_eq!((seen("Below").in_viewport, seen("Below").receives_events), (Some(false), None));
        assert_eq!(state(element(&graph, "Covered"), "obscured"), true);
    });
}

/// Requirement: WEB-T-06
#[test]
fn boxes_are_those_of_the_layout_at_any_scroll_position() {
    run(async {
        let page =
            page("<div style='height:900px'></div><button id=b>N</button><div style='height:3000px'></div>")
                .await;
        for scroll in [0, 450] {
            let wanted = evaluate(&page, &format!("scrollTo(0,{scroll}), b.getBoundingClientRect().y")).await;
            let graph = snapshot_with(&page, &options(r#"{"includeBBox":true}"#)).await;
            let found = element(&graph, "N").bbox.as_ref().unwrap().y.0;
            assert!((found - wanted.as_f64().unwrap()).abs() < 1.0, "{found} {wanted}");
        }
    });
}

#[test]
fn what_was_scrolled_away_within_the_page_is_still_there() {
    run(async {
        let page = page(
            "<body style='margin:0'><div id=s style='width:200px;height:60px;overflow:auto'><div style='width:2000px;height:900px'><button style='width:50px'>Inner</button></div></div>
             <button style='position:absolute;left:-500px'>Outside</button>",
        )
        .await;
        evaluate(&page, "s.scrollTo(600, 400); 1").await;
        let graph = snapshot(&page).await;
        let names: Vec<_> = graph.elements().filter_map(|(.., each)| each.name.as_deref()).collect();
        assert!(names.contains(&"Inner"), "{names:?}");
        assert!(!names.contains(&"Outside"), "{names:?}");
    });
}
