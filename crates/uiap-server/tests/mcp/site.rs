//! A few pages on loopback, and sessions that may reach them.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, Sender, channel};

use serde_json::{Value, json};
use uiap_server::address::Reach;
use uiap_server::session::{Confirm, Handles, Nobody, Pool, SessionOptions, Sessions};
use uiap_server::tool::{Answer, Call, Outcome, perform};

/// Pages by path; everything else is empty.
pub(crate) fn site(pages: &'static [(&'static str, &'static str)]) -> String {
    site_telling(pages).0
}

/// The same, and the paths that were asked for.
pub(crate) fn site_telling(pages: &'static [(&'static str, &'static str)]) -> (String, Receiver<String>) {
    let (told, asked) = channel();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A connection that a browser opened ahead of time says nothing.
            let told = told.clone();
            std::thread::spawn(move || answer(stream, pages, &told));
        }
    });
    (origin, asked)
}

fn answer(mut stream: std::net::TcpStream, pages: &[(&str, &str)], told: &Sender<String>) {
    let mut head = [0; 8192];
    let read = stream.read(&mut head).unwrap_or(0);
    let text = String::from_utf8_lossy(&head[..read]).into_owned();
    let path = text.split(' ').nth(1).unwrap_or("/");
    let _ = told.send(path.to_owned());
    let body = pages.iter().find(|(at, _)| *at == path).map_or("", |(_, body)| *body);
    let _ = write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
}

pub(crate) fn options(origin: &str) -> SessionOptions {
    SessionOptions { reach: Reach::only([origin]).unwrap(), ..SessionOptions::default() }
}

pub(crate) fn sessions(options: SessionOptions) -> Sessions {
    Sessions::new(Pool::new(options), Handles::Short)
}

pub(crate) async fn call(sessions: &Sessions, tool: &str, arguments: Value) -> Answer {
    call_with(sessions, tool, arguments, &Nobody).await
}

pub(crate) async fn call_with(
    sessions: &Sessions,
    tool: &str,
    arguments: Value,
    confirm: &impl Confirm,
) -> Answer {
    let arguments = arguments.as_object().cloned().unwrap();
    let call = Call { name: tool.to_owned(), arguments, ..Call::default() };
    match perform(sessions, call, confirm).await.unwrap() {
        Outcome::Answer(answer) => answer,
        Outcome::Question { wording, .. } => panic!("it asks: {wording}"),
    }
}

pub(crate) async fn open(sessions: &Sessions, url: &str) -> Answer {
    let answer = call(sessions, "open", json!({ "url": url })).await;
    assert!(!answer.failed, "{}", answer.text);
    answer
}
