//! What comes of an input is asked for together with it: nothing of it is lost, and nothing is sent on the strength of an old look.

use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use uiap_model::capability::UIRole;
use uiap_model::web::PageGraph;
use uiap_runtime::surface::{Command, DispatchErrorKind, Found, Observer as _};

use crate::acting::{click, found, look, send, surface};
use crate::shared::{evaluate, open, page, run};

fn text(id: &uiap_model::names::ElementInstanceId, text: &str) -> Command {
    Command::Type { target: id.clone(), text: text.to_owned(), replace: true, by_keys: false }
}

/// What a field shows in what the observer was told.
fn shown(graph: &PageGraph) -> Option<String> {
    graph.elements().find_map(|(.., each)| each.state.text_value.as_deref().map(str::to_owned))
}

#[test]
fn on_the_strength_of_an_old_look_nothing_is_sent_once_anything_changed() {
    run(async {
        let page = page("<button onclick='this.dataset.hit = 1' id=b>Go</button><p id=other role=status>1</p><input id=f aria-label=Name>").await;
        let (surface, mut observer) = surface(&page).await;
        let graph = look(&mut observer).await.unwrap().graph;
        let target = found(&graph, &UIRole::Button, "Go");
        for change in
            ["other.textContent = '2'", "f.value = 'x'", "f.focus()", "history.pushState(null, '', '#x')"]
        {
            evaluate(&page, &format!("{change}; 1")).await;
            let error =
                send(&surface, &click(&target.instance_id), Found { target: &target, unchanged: true })
                    .await
                    .unwrap_err();
            assert!(error.kind == DispatchErrorKind::Gone && error.without_effect, "{change}: {error}");
            observer.look().await.unwrap();
        }
        assert_eq!(evaluate(&page, "String(b.dataset.hit)").await, "undefined");
        send(&surface, &click(&target.instance_id), Found { target: &target, unchanged: true })
            .await
            .unwrap();
        assert_eq!(evaluate(&page, "b.dataset.hit").await, "1", "nothing changed since");
    });
}

#[test]
fn what_an_app_takes_back_at_once_is_not_told_as_done() {
    run(async {
        let page = page("<input aria-label=Name oninput=\"setTimeout(() => this.value = 'no', 0)\">").await;
        let (surface, mut observer) = surface(&page).await;
        let graph = look(&mut observer).await.unwrap().graph;
        let target = found(&graph, &UIRole::Textbox, "Name");
        let done =
            send(&surface, &text(&target.instance_id, "yes"), Found { target: &target, unchanged: false })
                .await
                .unwrap();
        assert!(done.settled);
        let seen = look(&mut observer).await.unwrap();
        assert_eq!(shown(&seen.graph).as_deref(), Some("no"));
    });
}

/// No click comes of it: what there is, is told all the same.
#[test]
fn a_press_that_is_no_click_in_the_end_is_told_too() {
    run(async {
        let page = page("<button onpointerdown=\"this.replaceWith('gone')\">Go</button>").await;
        let (surface, mut observer) = surface(&page).await;
        let graph = look(&mut observer).await.unwrap().graph;
        let target = found(&graph, &UIRole::Button, "Go");
        let done =
            send(&surface, &click(&target.instance_id), Found { target: &target, unchanged: false }).await;
        assert!(done.is_ok_and(|done| done.events.contains(&"pointerdown".to_owned())));
        let seen = look(&mut observer).await.unwrap();
        assert!(!seen.graph.elements().any(|(.., each)| each.role == UIRole::Button));
    });
}

/// A page whose field asks its server about every letter and waits for the answer; tells when it asks, and answers when it may.
async fn asking() -> (String, Arc<Notify>, Arc<Notify>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (asked, may) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (ask, answer) = (Arc::clone(&asked), Arc::clone(&may));
    let page = "<input aria-label=Name oninput=\"const ask = new XMLHttpRequest(); ask.open('GET', '/ask', false); ask.send()\">";
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = vec![0; 4_096];
            let read = stream.read(&mut head).await.unwrap_or(0);
            if read > 0 && head.starts_with(b"GET /ask") {
                ask.notify_one();
                answer.notified().await;
            }
            let length = page.len();
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{page}"
            );
            drop(stream.write_all(answer.as_bytes()).await);
        }
    });
    (url, asked, may)
}

/// Whoever gives up while the page answers loses the answer; the next look shows the page all the same.
#[test]
fn an_answer_that_nobody_heard_is_made_up_for() {
    run(async {
        let (url, asked, may) = asking().await;
        let page = open(&url).await;
        let (surface, mut observer) = surface(&page).await;
        let graph = look(&mut observer).await.unwrap().graph;
        let target = found(&graph, &UIRole::Textbox, "Name");
        let command = text(&target.instance_id, "Ada");
        tokio::select! {
            done = send(&surface, &command, Found { target: &target, unchanged: false }) => panic!("{done:?}"),
            () = asked.notified() => {}
        }
        may.notify_one();
        let seen = look(&mut observer).await.unwrap();
        assert_eq!(shown(&seen.graph).as_deref(), Some("Ada"));
    });
}
