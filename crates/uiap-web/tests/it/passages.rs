//! The plain text of a page: what there is to read between the controls.

use uiap_model::web::graph::SemanticSource;
use uiap_model::web::{ElementNode, PageGraph};
use uiap_web::{CaptureOptions, ObserveOptions, Revision};

use crate::shared::{evaluate, has, json, named, options, page, role, run, snapshot};

fn passages(graph: &PageGraph) -> Vec<&ElementNode> {
    graph.elements().map(|(_, _, each)| each).filter(|each| each.source == SemanticSource::Text).collect()
}

fn texts(graph: &PageGraph) -> Vec<&str> {
    passages(graph).iter().filter_map(|each| each.name.as_deref()).collect()
}

fn level(element: &ElementNode) -> Option<u64> {
    element.metadata.as_ref()?.0.get("heading")?.as_u64()
}

/// Requirement: WEB-T-05
#[test]
fn headings_and_paragraphs_can_be_read_one_for_each_block() {
    run(async {
        let page = page(
            "<h1>Order received</h1><p>Thank you, <b>Ann</b>. We <i>write</i> soon.</p><div>loose<div>block</div>words</div>
             <div role=heading aria-level=3>Next</div><dl><dt>Total</dt><dd>12 EUR</dd></dl><pre>a\n  b</pre>",
        )
        .await;
        let graph = snapshot(&page).await;
        let wanted = [
            "Order received",
            "Thank you, Ann. We write soon.",
            "loose words",
            "block",
            "Next",
            "Total",
            "12 EUR",
            "a b",
        ];
        assert_eq!(texts(&graph), wanted);
        let levels: Vec<_> = passages(&graph).into_iter().filter_map(level).collect();
        assert_eq!(levels, [1, 3]);
        assert!(passages(&graph).iter().all(|each| role(each) == "label"));
    });
}

#[test]
fn what_an_element_says_already_is_not_said_again() {
    run(async {
        let page = page(
            "<label for=n>Name</label><input id=n><label>Around <input></label><button><p>Press</p></button>
             <ul><li><p>Short item</p></li></ul><table><caption>Prices</caption><tr><td><div>In a cell</div></td></tr></table>
             <p role=status><span>Ready</span></p><fieldset><legend>Group</legend><button>x</button></fieldset>
             <div><a href=#a>Home</a> | <a href=#b>About</a></div><div onclick=0><p>Card</p></div>",
        )
        .await;
        assert_eq!(texts(&snapshot(&page).await), Vec::<&str>::new());
        evaluate(&page, "document.querySelector('#n').remove()").await;
        assert_eq!(texts(&snapshot(&page).await), ["Name"], "a label without a control is text");
    });
}

#[test]
fn an_item_that_says_more_than_a_name_holds_speaks_by_its_blocks() {
    run(async {
        let page = page("<ul><li><p id=p>One</p><p>Two</p></li></ul>").await;
        let mut observation = page.observe(ObserveOptions::default());
        observation.next().await.unwrap();
        assert_eq!(texts(observation.graph().unwrap()), Vec::<&str>::new());
        evaluate(&page, "p.firstChild.data = 'many words '.repeat(30); 0").await;
        observation.sync().await.unwrap();
        let graph = observation.graph().unwrap();
        assert_eq!(texts(graph).len(), 2, "{:?}", texts(graph));
        assert_eq!(named(graph, "Two").len(), 1);
        evaluate(&page, "p.firstChild.data = 'One'; 0").await;
        observation.sync().await.unwrap();
        assert_eq!(texts(observation.graph().unwrap()), Vec::<&str>::new());
    });
}

/// Requirement: WEB-P-03
#[test]
fn what_nobody_sees_and_what_is_secret_is_not_read() {
    run(async {
        let page = page(
            "<p hidden>No</p><p style=display:none>No</p><p style=visibility:hidden>No</p><p style=opacity:0>No</p><p aria-hidden=true>No</p>
             <p style='position:absolute;width:1px;height:1px;overflow:hidden'>No</p><p>Yes <span hidden>no</span><i aria-hidden=true>no</i></p>
             <div data-uiap-data-class=credential><p>hush-1</p></div><p>Code <b data-uiap-data-class=secret>hush-2</b></p>",
        )
        .await;
        let graph = snapshot(&page).await;
        assert_eq!(texts(&graph), ["Yes", "Code"]);
        assert!(!json(&graph).contains("hush"));
    });
}

#[test]
fn links_in_a_sentence_stand_in_it_and_blocks_between_its_lines_do_not() {
    run(async {
        let page =
            page("<div>Read the <a href=#t>terms</a> now.<section aria-label=S><button>Go</button></section></div>")
                .await;
        let graph = snapshot(&page).await;
        let sentence = passages(&graph)[0];
        assert_eq!(sentence.name.as_deref(), Some("Read the terms now."));
        let parent = |name: &str| named(&graph, name)[0].parent_instance_id.clone();
        assert_eq!(parent("terms"), Some(sentence.instance_id.clone()));
        assert_eq!(parent("Go"), None);
    });
}

#[test]
fn a_text_that_changes_comes_and_goes_is_told_by_itself() {
    run(async {
        let page = page("<h1 id=h>Cart</h1><p id=p>Empty</p><div id=d></div><button>Buy</button>").await;
        let mut observation = page.observe(ObserveOptions::default());
        observation.next().await.unwrap();
        let steps = [
            ("p.firstChild.data = 'One thing'; 0", vec!["Cart", "One thing"]),
            ("d.append('First words'); 0", vec!["Cart", "One thing", "First words"]),
            ("d.firstChild.remove(); 0", vec!["Cart", "One thing"]),
            ("p.innerHTML = '<b>Two</b> <i>things</i>'; 0", vec!["Cart", "Two things"]),
            ("p.lastChild.hidden = true; 0", vec!["Cart", "Two"]),
            ("h.remove(); 0", vec!["Two"]),
        ];
        for (script, wanted) in steps {
            evaluate(&page, script).await;
            let told = observation.sync().await.unwrap();
            assert!(matches!(told, Some(Revision::Change(_))), "{script}: {told:?}");
            assert_eq!(texts(observation.graph().unwrap()), wanted, "{script}");
        }
    });
}

#[test]
fn long_text_is_cut_and_a_budget_takes_headings_then_controls_then_text() {
    run(async {
        let prose: String = (0..50).map(|n| format!("<p>Prose {n}</p>")).collect();
        let page =
            page(&format!("<p>{}</p>{prose}<h2>Heading</h2><button>Act</button>", "x".repeat(9_000))).await;
        let graph = snapshot(&page).await;
        assert_eq!(texts(&graph).iter().map(|text| text.len()).max(), Some(1_000));
        evaluate(&page, "scrollTo(0, 9e9)").await;
        for (most, wanted) in [(1, vec!["Heading"]), (2, vec!["Heading", "Act"])] {
            let snapshot = Some(options(&format!(r#"{{"maxElements":{most}}}"#)));
            let budget = CaptureOptions { snapshot, viewport_only: true };
            let graph = page.capture(&budget).await.unwrap().graph;
            assert!(wanted.iter().all(|name| has(&graph, name)), "{most}: {:?}", texts(&graph));
        }
    });
}
