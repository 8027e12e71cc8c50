//! A small app of six topics on loopback, each with something to open, to unfold and to send, that notes what is written to it.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// What was written to the app: method and path.
pub(crate) type Writes = Arc<Mutex<Vec<String>>>;

const TOPICS: [&str; 6] = ["Invoices", "Orders", "Plants", "Ships", "Songs", "Trains"];

/// A page for a topic: something to open, to unfold and to choose, and two things that write.
fn page(topic: &str) -> String {
    let links = TOPICS.iter().fold(String::new(), |mut links, topic| {
        let _ = write!(links, "<a href='/{topic}'>{topic}</a> ");
        links
    });
    let body = if topic.is_empty() {
        "<h1>Start</h1>".to_owned()
    } else {
        format!(
            "<h1>{topic}</h1>
            <button aria-haspopup=dialog onclick=\"document.querySelector('dialog').showModal()\">Filter {topic}</button>
            <dialog aria-label='Filter for {topic}'><p>Which {topic}?</p>
              <button onclick=\"this.closest('dialog').close()\">Close</button></dialog>
            <button aria-expanded=false aria-controls=more onclick=\"more.hidden = !more.hidden;
              this.setAttribute('aria-expanded', !more.hidden)\">More about {topic}</button>
            <section id=more aria-label='About {topic}' hidden><a href='/{topic}/help'>Help with {topic}</a></section>
            <button onclick=\"fetch('/api/{topic}', {{ method: 'DELETE' }})\">Delete all {topic}</button>
            <form method=post action='/{topic}'><label>Name of {topic} <input name=name></label><button>Save {topic}</button></form>"
        )
    };
    format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>{topic}</title><nav aria-label=Main>{links}</nav>{body}</html>"
    )
}

/// Starts the app; gives its address and what was written to it.
pub(crate) fn app() -> (String, Writes) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let writes = Writes::default();
    let noted = Arc::clone(&writes);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let noted = Arc::clone(&noted);
            // A connection that a browser opened ahead of time says nothing.
            std::thread::spawn(move || {
                let mut head = [0; 8192];
                let read = stream.read(&mut head).unwrap_or(0);
                let head = String::from_utf8_lossy(&head[..read]).into_owned();
                let mut words = head.split(' ');
                let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
                let topic = path.trim_start_matches('/');
                if !["GET", "HEAD", ""].contains(&method) {
                    noted.lock().unwrap().push(format!("{method} {path}"));
                }
                let (status, body) = if let Some(topic) = topic.strip_suffix("/help") {
                    (
                        "200 OK",
                        format!(
                            "<!doctype html><html lang=en><title>Help</title><h1>Help with {topic}</h1></html>"
                        ),
                    )
                } else if topic.is_empty() || TOPICS.contains(&topic) {
                    ("200 OK", page(topic))
                } else {
                    ("404 Not Found", String::new())
                };
                let _ = write!(
                    stream,
                    "HTTP/1.1 {status}\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
            });
        }
    });
    (address, writes)
}
