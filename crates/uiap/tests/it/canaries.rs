//! Two hundred secrets in forty kinds of places, and everything that leaves the process: none of them is in it.

use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::json;

use crate::mcp::Client;
use crate::support::uiap;

const KINDS: usize = 40;
const OF_EACH: usize = 5;

fn secret(kind: usize, number: usize) -> String {
    let mixed = (kind * OF_EACH + number + 1).wrapping_mul(0x9e37_79b9) & 0xffff_ffff;
    format!("cnry{kind:02}x{number}{mixed:08x}")
}

/// One place with a secret in it. What is typed by the agent is not in the page before.
fn place(kind: usize, number: usize) -> String {
    let it = secret(kind, number);
    let name = format!("f{kind}n{number}");
    let field = |attributes: &str| format!("<input {attributes} aria-label={name} value={it}>");
    match kind {
        0 => field("type=password"),
        1 => field("autocomplete=current-password"),
        2 => field("autocomplete=new-password"),
        3 => field("autocomplete=one-time-code inputmode=numeric"),
        4 => field("autocomplete='section-a cc-number'"),
        5 => field("autocomplete=cc-csc"),
        6 => field("autocomplete=cc-exp"),
        7 => field("data-uiap-data-class=payment"),
        8 => format!("<textarea data-uiap-data-class=secret aria-label={name}>{it}</textarea>"),
        9 => format!("<div contenteditable data-uiap-data-class=credential aria-label={name}>{it}</div>"),
        10 => format!("<button data-uiap-data-class=secret>{it}</button>"),
        11 => format!("<div data-uiap-data-class=credential><p role=status>{it}</p></div>"),
        12 => format!("<div data-uiap-data-class=credential>{}</div>", field("")),
        13 => {
            format!("<select data-uiap-data-class=payment aria-label={name}><option value={it}>{it}</select>")
        }
        14 => format!("<table><tr><th>Key<td data-uiap-data-class=secret>{it}</table>"),
        15 => format!("<ul><li>Token <span data-uiap-data-class=secret>{it}</span></ul>"),
        16 => format!("<a href=#x data-uiap-data-class=secret>{it}</a>"),
        17 => format!("<img data-uiap-data-class=secret alt={it} width=20 height=20>"),
        18 => format!("<h2 data-uiap-data-class=health>{it}</h2>"),
        19 => format!("<button data-uiap-data-class=secret aria-label={it}>Show</button>"),
        20 => field("autocomplete=cc-exp-month"),
        21 => format!(
            "<input aria-label={name} aria-describedby=d{number}><p id=d{number} data-uiap-data-class=secret>{it}</p>"
        ),
        22 => format!(
            "<h2 id=h{number}><input type=password value={it}></h2><button aria-labelledby=h{number}>L</button>"
        ),
        23 => format!("<label>Repeat <input type=password value={it}> here</label>"),
        24 => format!(
            "<div id=s{number}></div><script>s{number}.attachShadow({{mode:'open'}}).innerHTML = '<input type=password aria-label={name} value={it}>'</script>"
        ),
        25 => format!("<iframe srcdoc='<input type=password aria-label={name} value={it}>'></iframe>"),
        26 => format!("<dialog open><input type=password aria-label={name} value={it}></dialog>"),
        27 => format!(
            "<input id=t{number} type=password aria-label={name} value={it}><script>addEventListener('click', () => {{ t{number}.type = 'text' }})</script>"
        ),
        28 => format!("<form><input type=hidden name=csrf value={it}><button type=button>Go</button></form>"),
        29 => format!("<input type=password style='display:none' value={it}>"),
        30 => format!("<fieldset data-uiap-data-class=legal><legend>Case</legend>{}</fieldset>", field("")),
        31 => format!(
            "<input aria-label={name} aria-invalid=true aria-errormessage=e{number}><p id=e{number} data-uiap-data-class=secret>{it}</p>"
        ),
        32 => format!("<iframe src='http://localhost:1/?access_token={it}'></iframe>"),
        33 => format!("<a href='/?api_key={it}'>Feed</a>"),
        34 => format!(
            "<script>addEventListener('click', () => console.error('refused /x?session={it}'))</script>"
        ),
        35 => {
            format!("<script>addEventListener('click', () => fetch('/api?apikey={it}&token={it}'))</script>")
        }
        36 => format!(
            "<script>addEventListener('click', () => history.replaceState(null, '', '?sid={it}&code={it}'))</script>"
        ),
        // Typed by the agent; what the page makes of it is below.
        _ => format!(
            "<label>Key {kind} {number} <input type=password oninput='echo{kind}(this.value)'></label>"
        ),
    }
}

fn html() -> String {
    let places: String =
        (0..KINDS).flat_map(|kind| (0..OF_EACH).map(move |number| place(kind, number))).collect();
    format!(
        "<!doctype html><title>Vault</title><script>
           const echo37 = (it) => {{ told.textContent = 'You typed ' + it }}, echo38 = (it) => {{ document.title = 'Vault ' + it }},
                 echo39 = (it) => {{ console.error('refused ' + it); list.append(Object.assign(document.createElement('li'), {{ textContent: 'Tried ' + it }})) }};
         </script><button>Touch</button><p id=told role=status></p><ul id=list></ul>{places}"
    )
}

/// Serves the page at every path until the process ends.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let mut head = [0; 4096];
            let _ = stream.read(&mut head);
            let body = html();
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    address
}

/// Every secret that is somewhere in a text, with the place where it was found.
fn hits(exit: &str, text: &str) -> Vec<String> {
    let all = (0..KINDS).flat_map(|kind| (0..OF_EACH).map(move |number| secret(kind, number)));
    all.filter(|it| text.contains(it.as_str()))
        .map(|it| {
            let at = text.find(&it).unwrap();
            let start = text.floor_char_boundary(at.saturating_sub(120));
            format!("{exit}: {it} in …{}", &text[start..at])
        })
        .collect()
}

/// Requirement: POL-RED-03
/// Requirement: POL-RED-04
/// Requirement: POL-RED-05
#[test]
fn no_secret_of_a_page_or_an_agent_leaves_the_process() {
    let address = serve();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut client = Client::logging(&address, &log);
    let (failed, page) = client.tool("open", json!({ "url": address }));
    assert!(!failed, "{page}");
    client.tool("snapshot", json!({ "budget": 40_000 }));
    for role in ["textbox", "button", "link", "status", "cell", "label"] {
        client.tool("find", json!({ "role": role }));
    }
    for kind in [37, 38, 39] {
        for number in 0..OF_EACH {
            let text = secret(kind, number);
            let name = format!("Key {kind} {number}");
            let (_, told) =
                client.tool("act", json!({ "do": "type", "role": "textbox", "name": name, "text": text }));
            assert!(told.contains("ui.enterText"), "{told}");
            client.tool("trace", json!({}));
        }
    }
    let (failed, told) = client.tool("act", json!({ "do": "click", "role": "button", "name": "Touch" }));
    assert!(!failed && told.starts_with("verified"), "{told}");
    let (_, told) = client.tool("trace", json!({}));
    assert!(told.contains("VERIFYING"), "{told}");
    client.tool("snapshot", json!({ "changes": true }));
    client.tool("snapshot", json!({ "budget": 40_000 }));
    client.tool("act", json!({ "do": "click", "role": "button", "name": "No such thing" }));
    // What the agent said itself is no leak.
    let mut found = hits("mcp", &client.heard);
    drop(client);
    found.extend(hits("log", &std::fs::read_to_string(&log).unwrap()));
    for args in [&["snapshot", "--json"][..], &["snapshot", "--text", "--budget", "40000"]] {
        let run = uiap(&[args, &[&address]].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        found.extend(hits(&args.join(" "), &run.out));
        found.extend(hits("stderr", &run.err));
    }
    let [trace, audit, journal] = ["trace", "audit", "journal"].map(|name| folder.path().join(name));
    let run = uiap(&[
        "-vvv",
        "act",
        &address,
        "click",
        "--target",
        "button \"Touch\"",
        "--trace",
        trace.to_str().unwrap(),
        "--audit",
        audit.to_str().unwrap(),
        "--journal",
        journal.to_str().unwrap(),
        "--json",
    ]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    found.extend(hits("act", &run.out));
    found.extend(hits("act's log", &run.err));
    for path in [&trace, &audit, &journal] {
        let bytes = std::fs::read(path).unwrap();
        assert!(bytes.len() > 100, "{}", path.display());
        found.extend(hits(&path.display().to_string(), &String::from_utf8_lossy(&bytes)));
    }
    assert!(found.is_empty(), "{} secrets came out:\n{}", found.len(), found.join("\n"));
}
