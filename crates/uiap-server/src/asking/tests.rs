//! Who may answer a question, and how often.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use super::*;

struct Stand {
    desk: Desk,
    announced: mpsc::UnboundedReceiver<String>,
}

fn stand(reach: Reach) -> Stand {
    let (sender, announced) = mpsc::unbounded_channel();
    let desk = Desk::new(reach, move |url| drop(sender.send(url.to_owned())));
    Stand { desk, announced }
}

/// Sends a request as it is written; gives the status and the whole answer.
async fn send(address: &str, text: String) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let status = answer.split(' ').nth(1).and_then(|text| text.parse().ok()).unwrap_or(0);
    (status, answer)
}

fn parts(url: &str) -> (String, String) {
    let rest = url.strip_prefix("http://").unwrap();
    let (address, path) = rest.split_at(rest.find('/').unwrap());
    (address.to_owned(), path.to_owned())
}

fn post(address: &str, path: &str, host: &str, origin: Option<&str>, body: &str) -> (String, String) {
    let origin = origin.map(|origin| format!("origin: {origin}\r\n")).unwrap_or_default();
    let length = body.len();
    let text = format!(
        "POST {path} HTTP/1.1\r\nhost: {host}\r\n{origin}content-type: application/x-www-form-urlencoded\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    (address.to_owned(), text)
}

#[tokio::test]
async fn a_person_reads_the_question_and_answers_once() {
    let mut stand = stand(Reach::public());
    let desk = stand.desk.clone();
    let asked = tokio::spawn(async move { desk.ask("delete <all> videos".to_owned()).await });
    let (address, path) = parts(&stand.announced.recv().await.unwrap());
    let get = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    let (status, page) = send(&address, get.clone()).await;
    assert!(status == 200 && page.contains("delete &lt;all&gt; videos"), "{page}");
    assert!(page.contains("frame-ancestors 'none'") && page.contains("no-store"), "{page}");
    let own = format!("http://{address}");
    let (to, text) = post(&address, &path, &address, Some(&own), "answer=grant");
    assert_eq!(send(&to, text.clone()).await.0, 200);
    assert!(asked.await.unwrap().unwrap());
    assert_eq!(send(&to, text).await.0, 404, "it holds once");
    assert_eq!(send(&address, get).await.0, 404);
}

#[tokio::test]
async fn nobody_else_answers() {
    let mut stand = stand(Reach::public());
    let desk = stand.desk.clone();
    let asked = tokio::spawn(async move { desk.ask("pay".to_owned()).await });
    let (address, path) = parts(&stand.announced.recv().await.unwrap());
    let own = format!("http://{address}");
    let port = address.split(':').nth(1).unwrap();
    let localhost = format!("localhost:{port}");
    let strangers = [
        (address.as_str(), None),
        (&address, Some("null")),
        (&address, Some("http://evil.example")),
        (&address, Some("http://127.0.0.1:1")),
        ("evil.example", Some(own.as_str())),
        (&localhost, Some(&own)),
    ];
    for (host, origin) in strangers {
        let (to, text) = post(&address, &path, host, origin, "answer=grant");
        assert_eq!(send(&to, text).await.0, 403, "{host} {origin:?}");
    }
    let (to, text) = post(&address, "/ask/guess", &address, Some(&own), "answer=grant");
    assert_eq!(send(&to, text).await.0, 404);
    let (to, text) = post(&address, &path, &address, Some(&own), "answer=maybe");
    assert_eq!(send(&to, text).await.0, 400);
    let framed = format!(
        "GET {path} HTTP/1.1\r\nhost: {address}\r\nsec-fetch-site: cross-site\r\nconnection: close\r\n\r\n"
    );
    assert_eq!(send(&address, framed).await.0, 403);
    let (to, text) = post(&address, &path, &address, Some(&own), "answer=deny");
    assert_eq!(send(&to, text).await.0, 200);
    assert!(!asked.await.unwrap().unwrap());
}

#[tokio::test]
async fn a_question_that_nobody_waits_for_is_gone() {
    let mut stand = stand(Reach::public());
    let late = stand.desk.ask_within("pay".to_owned(), Duration::from_millis(50)).await;
    assert!(matches!(late, Err(AskError::Late)));
    let (address, path) = parts(&stand.announced.recv().await.unwrap());
    let own = format!("http://{address}");
    let (to, text) = post(&address, &path, &address, Some(&own), "answer=grant");
    assert_eq!(send(&to, text).await.0, 404);
}

#[tokio::test]
async fn the_page_stands_where_no_page_of_an_agent_reaches() {
    let mut stand = stand(Reach::only(["public", "http://127.0.0.1:8080"]).unwrap());
    let desk = stand.desk.clone();
    let asked =
        tokio::spawn(async move { desk.ask_within("pay".to_owned(), Duration::from_millis(200)).await });
    let (address, _) = parts(&stand.announced.recv().await.unwrap());
    let reach = Reach::only(["public", "http://127.0.0.1:8080"]).unwrap();
    assert!(reach.check(&format!("http://{address}/")).is_err());
    asked.await.unwrap().unwrap_err();
}
