//! Areas of a page.

use uiap_model::web::ScopeKind;

use crate::shared::{
    element, evaluate, has, options, outline, page, run, scope_of, snapshot, snapshot_with, state, text,
};

/// Requirement: WEB-T-02
/// Requirement: WEB-N-08
/// Requirement: WEB-N-10
#[test]
fn every_kind_of_scope_is_found() {
    const CASES: &[(&str, ScopeKind)] = &[
        ("<button>N</button>", ScopeKind::Page),
        ("<section aria-label=S><button>N</button></section>", ScopeKind::Region),
        ("<nav><ul><li><a href=#>N</a></ul></nav>", ScopeKind::Navigation),
        ("<form><button>N</button></form>", ScopeKind::Form),
        ("<dialog open><button>N</button></dialog>", ScopeKind::Dialog),
        ("<div role=alertdialog><button>N</button></div>", ScopeKind::Dialog),
        (
            "<div role=dialog style='position:fixed;right:0;top:0;bottom:0;width:300px'><button>N</button></div>",
            ScopeKind::Drawer,
        ),
        ("<div role=menu><div role=menuitem>N</div></div>", ScopeKind::Menu),
        ("<div id=p popover><button>N</button></div>", ScopeKind::Popover),
        ("<div role=tabpanel><button>N</button></div>", ScopeKind::Tabpanel),
        ("<ul><li><button>N</button></ul>", ScopeKind::List),
        ("<table><tr><td><button>N</button></table>", ScopeKind::Table),
        ("<div role=toolbar><button>N</button></div>", ScopeKind::Toolbar),
        ("<div data-uiap-scope=mine><button>N</button></div>", ScopeKind::Custom),
        ("<iframe srcdoc='<button>N</button>'></iframe>", ScopeKind::Frame),
    ];
    run(async {
        for (html, wanted) in CASES {
            let page = page(&format!("{html}<script>globalThis.p?.showPopover?.()</script>")).await;
            let graph = snapshot(&page).await;
            let home = graph
                .elements()
                .find(|(_, _, each)| each.name.as_deref() == Some("N") && text(&each.role) != "row");
            let home = home.unwrap_or_else(|| panic!("{html}: {}", outline(&graph)));
            assert_eq!(home.1.kind, *wanted, "{html}");
            page.session().close().await.unwrap();
        }
    });
}

/// Requirement: WEB-G-07
/// Requirement: WEB-G-08
/// Requirement: WEB-C14-01
/// Requirement: WEB-C40-01
#[test]
fn scopes_are_flat_with_parents_and_stable_generated_ids() {
    const HTML: &str = "<main><div role=dialog aria-label='Edit video'><form aria-label=Details><button>Save</button></form></div>
        <form aria-label=Details><button>Send</button></form><div data-uiap-scope=videos data-uiap-scope-kind=list><button>X</button></div></main>";
    run(async {
        let (first, second) = (page(HTML).await, page(HTML).await);
        let graph = snapshot(&first).await;
        let ids: Vec<_> = graph.scopes().map(|(_, scope)| scope.id.as_str().to_owned()).collect();
        assert_eq!(
            ids,
            ["~page", "~region", "~dialog:edit-video", "~form:details", "~form:details~2", "videos"]
        );
        let parents: Vec<_> = graph
            .scopes()
            .map(|(_, scope)| scope.parent_scope_id.as_ref().map_or("", |id| id.as_str()))
            .collect();
        assert_eq!(parents, ["", "~page", "~region", "~dialog:edit-video", "~region", "~region"]);
        let again = snapshot(&second).await;
        assert_eq!(ids, again.scopes().map(|(_, scope)| scope.id.as_str().to_owned()).collect::<Vec<_>>());
    });
}

/// Requirement: WEB-G-16
/// Requirement: WEB-R4-03
#[test]
fn modals_stack_up_and_block_what_lies_under_them() {
    run(async {
        let page = page(
            "<button>Under</button><dialog id=a aria-label=A><button>In A</button></dialog><dialog id=b aria-label=B><button>In B</button></dialog>",
        )
        .await;
        let stack = async || {
            let graph = snapshot(&page).await;
            graph.modal_stack.unwrap().iter().map(|id| id.as_str().to_owned()).collect::<Vec<_>>()
        };
        let before = element(&snapshot(&page).await, "Under").instance_id.clone();
        evaluate(&page, "b.showModal()").await;
        assert_eq!(stack().await, ["~dialog:b"]);
        evaluate(&page, "a.showModal()").await;
        assert_eq!(stack().await, ["~dialog:b", "~dialog:a"]);
        let graph = snapshot(&page).await;
        let under = element(&graph, "Under");
        assert_eq!((&under.instance_id, state(under, "blocked")), (&before, true.into()));
        assert_eq!(state(element(&graph, "In A"), "blocked"), serde_json::Value::Null);
        evaluate(&page, "a.close(); b.close()").await;
        assert!(stack().await.is_empty());
        assert!(!has(&snapshot(&page).await, "In A"));
    });
}

/// Requirement: WEB-G-09
#[test]
fn collections_tell_what_is_loaded_and_what_there_is() {
    run(async {
        let rows = "<tr><td>a</td><td>b</td></tr>".repeat(20);
        let page = page(&format!(
            "<table aria-rowcount=301><tr><th>h</th><th>i</th></tr>{rows}</table><ul><li aria-setsize=9>x</li><li>y</li></ul>"
        ))
        .await;
        let graph = snapshot(&page).await;
        let table = scope_of(&graph, ScopeKind::Table).collection.as_ref().unwrap();
        assert_eq!((table.total.as_ref().unwrap().0, table.loaded.as_ref().unwrap().0), (300, 20));
        assert_eq!(text(table.item_role.as_ref().unwrap()), "row");
        let list = scope_of(&graph, ScopeKind::List).collection.as_ref().unwrap();
        assert_eq!((list.total.as_ref().unwrap().0, list.loaded.as_ref().unwrap().0), (9, 2));
    });
}

/// Requirement: WEB-N-09
#[test]
fn tables_and_lists_have_their_parts_unless_they_are_presentational() {
    run(async {
        let page = page(
            "<table><tr><th>Head</th></tr><tr><td>Data</td></tr></table><ul><li>Item</li></ul>
             <table role=presentation><tr><td>Layout</td></tr></table><ul role=none><li>Loose</li></ul>",
        )
        .await;
        let graph = snapshot(&page).await;
        let roles: Vec<_> = graph
            .elements()
            .map(|(_, _, each)| (text(&each.role), each.name.clone().unwrap_or_default()))
            .collect();
        let of = |role: &str| {
            roles.iter().filter(|(each, _)| each == role).map(|(_, name)| name.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(of("row"), ["Head", "Data"]);
        assert_eq!(of("cell"), ["Head", "Data"]);
        assert_eq!(of("listitem"), ["Item"]);
        assert_eq!(graph.scopes().count(), 3, "{}", outline(&graph));
    });
}

/// Requirement: WEB-G-17
#[test]
fn options_and_budget_choose_what_is_shown() {
    run(async {
        let buttons = (0..600)
            .map(|n| format!("<div><div><button>B{n}</button></div></div>"))
            .collect::<Vec<_>>()
            .concat();
        let page = page(&format!("<form aria-label=F><button>Send</button></form>{buttons}")).await;
        let graph = snapshot(&page).await;
        assert_eq!((graph.elements().count(), graph.truncated), (500, Some(true)));
        let all = snapshot_with(&page, &options(r#"{"maxElements":601}"#)).await;
        assert_eq!((all.elements().count(), all.truncated), (601, None));
        let one = snapshot_with(&page, &options(r#"{"scopes":["~form:f"]}"#)).await;
        assert_eq!(
            one.elements().filter_map(|(_, _, each)| each.name.as_deref()).collect::<Vec<_>>(),
            ["Send"]
        );
        let none = snapshot_with(&page, &options(r#"{"scopes":["no-such"]}"#)).await;
        assert_eq!((none.scopes().count(), none.documents.len()), (0, 1));
        assert!(element(&graph, "Send").bbox.is_none());
        let boxes = snapshot_with(&page, &options(r#"{"includeBBox":true}"#)).await;
        assert!(element(&boxes, "Send").bbox.is_some());
    });
}
