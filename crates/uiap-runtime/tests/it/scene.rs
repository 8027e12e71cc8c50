//! Whoever looks at a page while it goes away gets an answer, whichever of both comes first.

use std::time::Duration;

use uiap_runtime::scene::Scene;
use uiap_runtime::surface::SurfaceError;

use crate::graph::graph;
use crate::scripted::{EVERY_MODE, Page, Scripted};

/// Several look at once while the page is lost: every one of them is told, however the threads take turns. A request that came
/// while the observing ended waited for ever once in 15,000 rounds.
#[test]
fn a_look_at_a_page_that_goes_away_is_answered_whoever_comes_first() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    runtime.block_on(async {
        for round in 0..40_000 {
            let app = Page::new(graph(Vec::new()));
            let surface = Scripted { page: app.clone(), modes: EVERY_MODE.to_vec() };
            let scene = Scene::of(&surface).await.unwrap();
            app.fail(SurfaceError::Closed("the browser was killed".to_owned()));
            let looks = (0..4).map(|_| {
                let scene = scene.clone();
                tokio::spawn(async move {
                    let mark = scene.mark();
                    // Whoever waits for a change is woken by the loss, and looks at once.
                    drop(scene.look().await);
                    drop(tokio::time::timeout(Duration::from_secs(5), scene.changed(mark)).await.unwrap());
                    scene.look().await
                })
            });
            for look in looks.collect::<Vec<_>>() {
                let answered = tokio::time::timeout(Duration::from_secs(5), look).await;
                let answer = answered.unwrap_or_else(|_| panic!("round {round}: nobody answered")).unwrap();
                assert!(matches!(answer, Err(SurfaceError::Closed(_))), "{answer:?}");
            }
        }
    });
}
