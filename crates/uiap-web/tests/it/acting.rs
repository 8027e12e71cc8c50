//! The surface at the moment of acting: nothing is sent to what became another thing, and what an input did is told apart from
//! what the page does by itself.

use uiap_model::action::result::{ResolvedBy, ResolvedTarget};
use uiap_model::capability::{ExecutionMode, UIRole};
use uiap_model::names::ElementInstanceId;
use uiap_model::web::PageGraph;
use uiap_runtime::surface::{
    Command, DispatchError, DispatchErrorKind, Done, Found, Observer as _, Press, Seen, Sight, Surface as _,
};
use uiap_web::Page;
use uiap_web::signal::WatchOptions;
use uiap_web::surface::{WebObserver, WebSurface};

use crate::shared::{browser, evaluate, page, run};

pub(crate) async fn surface(page: &Page) -> (WebSurface, WebObserver) {
    let surface = WebSurface::new(browser().await, page, WatchOptions::default()).await.unwrap();
    let observer = surface.observe().await.unwrap();
    (surface, observer)
}

pub(crate) async fn look(observer: &mut WebObserver) -> Option<Seen> {
    observer.look().await.unwrap().into_iter().rev().find_map(|sight| match sight {
        Sight::Revision(seen) => Some(seen),
        Sight::Signal(_) => None,
    })
}

pub(crate) fn found(graph: &PageGraph, role: &UIRole, name: &str) -> ResolvedTarget {
    let (document, scope, element) = graph
        .elements()
        .find(|(.., element)| element.role == *role && element.name.as_deref() == Some(name))
        .unwrap();
    ResolvedTarget {
        by: ResolvedBy::Semantic,
        document_id: document.document_id.clone(),
        scope_id: Some(scope.id.clone()),
        instance_id: element.instance_id.clone(),
        stable_id: element.stable_id.clone(),
        role: element.role.clone(),
        name: element.name.clone(),
        bbox: None,
    }
}

/// Sends input that the page cannot tell from a person's.
pub(crate) async fn send(
    surface: &WebSurface,
    command: &Command,
    found: Found<'_>,
) -> Result<Done, DispatchError> {
    surface.dispatch(ExecutionMode::ExternalDriver, command, Some(found)).await
}

pub(crate) fn click(id: &ElementInstanceId) -> Command {
    Command::Click(Press::on(id.clone()))
}

/// Requirement: ACT-8.2-01
#[test]
fn what_became_another_thing_after_the_last_look_gets_no_input() {
    run(async {
        let page = page(
            "<button id=b onclick='this.dataset.hit = 1'>Archive</button><ul><li id=row>Alpha <button onclick='row.dataset.hit = 1'>Remove</button></li></ul>",
        )
        .await;
        let (surface, mut observer) = surface(&page).await;
        let graph = look(&mut observer).await.unwrap().graph;
        let renamed = found(&graph, &UIRole::Button, "Archive");
        let in_row = found(&graph, &UIRole::Button, "Remove");
        evaluate(&page, "b.textContent = 'Delete all'; row.firstChild.data = 'Beta '; 1").await;
        for target in [&renamed, &in_row] {
            let command = click(&target.instance_id);
            let outcome = send(&surface, &command, Found { target, unchanged: false }).await;
            let error = outcome.unwrap_err();
            assert_eq!(error.kind, DispatchErrorKind::Gone, "{error}");
            assert!(error.without_effect);
        }
        assert_eq!(evaluate(&page, "String(b.dataset.hit) + row.dataset.hit").await, "undefinedundefined");
        let graph = look(&mut observer).await.unwrap().graph;
        let target = found(&graph, &UIRole::Button, "Delete all");
        let command = click(&target.instance_id);
        send(&surface, &command, Found { target: &target, unchanged: false }).await.unwrap();
        assert_eq!(evaluate(&page, "b.dataset.hit").await, "1");
    });
}

#[test]
fn what_a_handler_does_is_told_apart_from_what_the_page_does_by_itself() {
    run(async {
        let page = page(
            "<button onclick=\"told.textContent = 'Saved'; Promise.resolve().then(() => later.textContent = 'Filed')\">Save</button>
             <p id=told role=status aria-label=Told>-</p><p id=later role=status aria-label=Later>-</p><p id=clock role=status aria-label=Clock>0</p>
             <script>let n = 0; setInterval(() => { clock.textContent = ++n; }, 1);</script>",
        )
        .await;
        let (surface, mut observer) = surface(&page).await;
        let graph = look(&mut observer).await.unwrap().graph;
        let target = found(&graph, &UIRole::Button, "Save");
        let id = |name: &str| found(&graph, &UIRole::Status, name).instance_id;
        let (told, later, clock) = (id("Told"), id("Later"), id("Clock"));
        let mut times = 0;
        for _ in 0..20 {
            look(&mut observer).await;
            let command = click(&target.instance_id);
            send(&surface, &command, Found { target: &target, unchanged: false }).await.unwrap();
            let seen = look(&mut observer).await.unwrap();
            assert!(!seen.caused.contains(&clock), "the clock runs by itself");
            if seen
                .elements
                .iter()
                .any(|each| each.after.as_ref().is_some_and(|node| node.instance_id == told))
            {
                times += 1;
                assert!(seen.caused.contains(&told) && seen.caused.contains(&later), "{:?}", seen.caused);
            }
            evaluate(&page, "told.textContent = later.textContent = '-'; 1").await;
        }
        // Now and then the page is looked at by itself in between.
        assert!(times >= 10, "{times} of 20 answers were seen");
    });
}

#[test]
fn what_a_script_writes_into_a_field_is_seen_by_the_next_look() {
    run(async {
        let page = page("<input id=f aria-label=Name><input id=c type=checkbox aria-label=Agree><select id=s aria-label=Size><option>S<option>M</select>").await;
        let (_surface, mut observer) = surface(&page).await;
        look(&mut observer).await.unwrap();
        assert!(look(&mut observer).await.is_none(), "nothing changed");
        for script in ["f.value = 'Ada'", "c.checked = true", "c.indeterminate = true", "s.selectedIndex = 1"]
        {
            evaluate(&page, &format!("{script}; 1")).await;
            assert!(look(&mut observer).await.is_some(), "{script}");
        }
        evaluate(&page, "history.pushState(null, '', '/elsewhere'); 1").await;
        assert_eq!(look(&mut observer).await.unwrap().graph.route.path.as_deref(), Some("/elsewhere"));
    });
}
