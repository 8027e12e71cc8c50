//! A look at a long page that costs what the window shows.

use std::time::Duration;

use uiap_model::web::ScopeKind;
use uiap_web::{CaptureOptions, Captured, Page};

use crate::shared::{evaluate, has, options, page, run, scope_of};

fn table(rows: usize) -> String {
    let row = |n: usize| {
        format!("<tr><td>{n}</td><td><a href=#{n}>Order {n}</a></td><td><button>Edit {n}</button></td></tr>")
    };
    let rows: String = (1..=rows).map(row).collect();
    format!(
        "<h1>Orders</h1><input aria-label=Filter><table><tr><th>No</th><th>Order</th><th>Do</th></tr><tbody>{rows}</tbody></table>
         <button>Bottom</button><div role=dialog aria-modal=true aria-label=Sure id=d hidden style='position:fixed;top:30%;left:30%;background:white'>
         <button>Yes</button><button>No</button></div>"
    )
}

async fn budgeted(page: &Page, most: u32) -> Captured {
    let snapshot = Some(options(&format!(r#"{{"maxElements":{most}}}"#)));
    page.capture(&CaptureOptions { snapshot, viewport_only: true }).await.unwrap()
}

/// Requirement: WEB-G-09
/// Requirement: WEB-G-17
#[test]
fn a_long_collection_shows_some_items_and_tells_of_all() {
    run(async {
        let page = page(&table(3_000)).await;
        let captured = budgeted(&page, 400).await;
        let graph = &captured.graph;
        for shown in ["Filter", "Edit 1", "Bottom", "Edit 3000"] {
            assert!(has(graph, shown), "{shown}");
        }
        assert!(!has(graph, "Edit 1500"));
        assert!(graph.elements().count() <= 400);
        let collection = scope_of(graph, ScopeKind::Table).collection.as_ref().unwrap();
        assert_eq!(collection.loaded.as_ref().unwrap().0, 3_000);
        assert_eq!(graph.truncated, Some(true));
        let metadata = serde_json::to_value(&graph.metadata).unwrap();
        let left_out = metadata.pointer("/omitted/children").unwrap().as_u64().unwrap();
        let rows = graph.elements().filter(|(_, _, each)| crate::shared::role(each) == "row").count() - 1;
        assert_eq!(left_out + u64::try_from(rows).unwrap(), 3_000);
        evaluate(&page, "scrollTo(0, document.querySelectorAll('tr')[1501].offsetTop)").await;
        assert!(has(&budgeted(&page, 400).await.graph, "Edit 1505"), "what the window shows is shown");
        assert!(captured.in_page < Duration::from_secs(2), "{:?}", captured.in_page);
    });
}

#[test]
fn a_modal_comes_before_everything_else() {
    run(async {
        let page = page(&table(300)).await;
        evaluate(&page, "d.hidden = false").await;
        let graph = budgeted(&page, 2).await.graph;
        assert!(has(&graph, "Yes") && has(&graph, "No"));
        assert_eq!(graph.elements().count(), 2);
    });
}
