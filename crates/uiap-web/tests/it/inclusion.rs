//! What of a page is published at all, and by which source it is called what.

use uiap_model::web::{ElementNode, PageGraph};

use crate::shared::{evaluate, json, page, role, run, snapshot};

/// Requirement: WEB-P-02
/// Requirement: WEB-C6-01
/// Requirement: WEB-C13-01
#[test]
fn the_graph_is_no_copy_of_the_document() {
    run(async {
        let controls: String = (0..20).map(|n| format!("<button class=secret-class>B{n}</button>")).collect();
        let wrappers = "<div class=wrapper><div>".repeat(2_500);
        let page = page(&format!("{}{controls}", wrappers.replace("<div>", "<div></div></div>"))).await;
        let graph = snapshot(&page).await;
        assert_eq!(graph.elements().count(), 20);
        let text = json(&graph);
        for leak in ["wrapper", "secret-class", "<div", "activatable"] {
            assert!(!text.contains(leak), "{leak}");
        }
        for (_, _, each) in graph.elements() {
            let state = serde_json::to_value(&each.state).unwrap();
            assert!(state.get("attached").is_none() && state.get("stable").is_none());
            assert!(each.web.attached);
        }
    });
}

/// Requirement: WEB-P-03
/// Requirement: WEB-R4-01
#[test]
fn what_can_be_operated_or_tells_something_is_in_and_decoration_is_not() {
    run(async {
        let page = page(
            "<h1>Title</h1><p>Prose</p><hr><img alt='' src=data:,><span>.</span><button>Act</button><p role=status>Saved</p><p role=alert>Failed</p>
             <input aria-label=Parameter><div style='height:9px'></div><button hidden>Hidden</button>",
        )
        .await;
        let graph = snapshot(&page).await;
        let found: Vec<_> = graph.elements().map(|(_, _, each)| role(each)).collect();
        assert_eq!(found, ["label", "label", "button", "status", "alert", "textbox"]);
    });
}

/// The one element that is no text.
fn field(graph: &PageGraph) -> &ElementNode {
    graph.elements().map(|(_, _, each)| each).find(|each| role(each) != "label").unwrap()
}

/// Requirement: WEB-NAME-01
/// Requirement: WEB-R5-01
#[test]
fn the_first_source_that_says_something_counts() {
    run(async {
        let page = page(
            "<span id=by>By</span><label for=f>Label</label><input id=f data-uiap-name=Annotated aria-labelledby='by gone' aria-label=Aria title=Title
              placeholder=Placeholder data-uiap-role=switch role=searchbox>",
        )
        .await;
        let steps = [
            ("0", "Annotated"),
            ("f.removeAttribute('data-uiap-name')", "By"),
            ("f.setAttribute('aria-labelledby', 'dead')", "Aria"),
            ("f.removeAttribute('aria-label')", "Label"),
            ("document.querySelector('label').remove()", "Title"),
            ("f.removeAttribute('title')", "Placeholder"),
        ];
        for (script, wanted) in steps {
            evaluate(&page, script).await;
            let graph = snapshot(&page).await;
            let field = field(&graph);
            assert_eq!(field.name.as_deref(), Some(wanted), "{script}");
        }
        for (script, wanted) in [
            ("0", "switch"),
            ("f.setAttribute('data-uiap-role', 'no-such-role')", "searchbox"),
            ("f.removeAttribute('role')", "textbox"),
        ] {
            evaluate(&page, script).await;
            let graph = snapshot(&page).await;
            assert_eq!(role(field(&graph)), wanted, "{script}");
        }
    });
}
