//! The process is killed at any moment of an action: whoever asks again with the same key gets a true answer, and nothing is done
//! twice. `KILLS=200` kills more often than the usual run does.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::support::{Run, command};

const PAGE: &str = "<!doctype html><title>Orders</title><script>
    const order = () => fetch('/order', { method: 'POST' }).then(() => {
        const line = document.createElement('p'); line.setAttribute('role', 'status'); line.textContent = 'Ordered'; document.body.append(line);
    });
    </script><button onclick=\"order()\">Order</button> <label>Wish <input oninput=\"order()\"></label>
    <label><input type=checkbox onchange=\"order()\"> Subscribe</label>";

/// A shop that counts its orders.
fn shop() -> (String, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let orders = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&orders);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let counted = Arc::clone(&counted);
            // A connection that a browser opened ahead of time says nothing.
            std::thread::spawn(move || {
                let mut head = [0; 8192];
                let read = stream.read(&mut head).unwrap_or(0);
                let ordered = head[..read].starts_with(b"POST /order");
                if ordered {
                    counted.fetch_add(1, Ordering::SeqCst);
                }
                let body = if ordered { "{}" } else { PAGE };
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
            });
        }
    });
    (address, orders)
}

/// Requirement: ACT-SEC-02
#[test]
fn a_process_that_is_killed_while_it_acts_makes_nothing_happen_twice() {
    let kills: u64 = std::env::var("KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    for round in 0..kills {
        let (address, orders) = shop();
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal");
        let what: &[&str] = match round % 3 {
            0 => &["click", "--target", "button \"Order\""],
            1 => &["type", "--target", "textbox \"Wish\"", "--text", "a lamp"],
            _ => &["check", "--target", "checkbox \"Subscribe\""],
        };
        let act = || {
            let mut act = command();
            act.args(["--json", "act", &address])
                .args(what)
                .args(["--expect", "status:Ordered"])
                .args(["--within", "3000", "--key", "order-1", "--journal", journal.to_str().unwrap()])
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            act
        };
        let mut first = act().spawn().unwrap();
        // Somewhere between the start of the browser and the answer of the shop; the same moments every time.
        let moment = Duration::from_millis(300 + round.wrapping_mul(7_919) % 1_500);
        // tidy: the moment of death is what is tried out here
        std::thread::sleep(moment);
        first.kill().unwrap();
        first.wait().unwrap();
        let after_death = orders.load(Ordering::SeqCst);
        let second = Run::of(act().output().unwrap());
        // An action whose effect nobody knows is refused, if it must not be done twice.
        let told: serde_json::Value = second.json();
        let state = told["sideEffectState"].as_str().or(told["error"]["code"].as_str()).unwrap().to_owned();
        let total = orders.load(Ordering::SeqCst);
        println!("{} killed after {moment:?}: {after_death} orders, then {state}, {total} in all", what[0]);
        assert!(total <= 1, "ordered {total} times: {}{}", second.out, second.err);
        match state.as_str() {
            "none" => assert_eq!((total, after_death), (0, 0), "{}", second.out),
            "applied" => assert_eq!(total, 1, "{}", second.out),
            "unknown" => {}
            refused => assert_eq!(refused, "unsafe_retry_refused"),
        }
    }
}
