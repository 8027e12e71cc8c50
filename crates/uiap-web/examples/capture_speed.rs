//! How long it takes to look at a page: medians of warm runs on generated pages. Run it with `--release`.

#![expect(clippy::print_stdout, reason = "the figures are the output")]

use std::error::Error;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use uiap_cdp::protocol::runtime::Evaluate;
use uiap_cdp::protocol::{ProtocolEvent as _, page, performance};
use uiap_cdp::{Browser, LaunchOptions, Session};
use uiap_web::{CaptureOptions, ObserveOptions, OpenOptions, Page, Revision};

const RUNS: usize = 21;

fn form() -> String {
    let field = |n: usize| format!("<p><label for=f{n}>Field {n}</label> <input id=f{n} type=text></p>");
    let (left, right): (Vec<_>, Vec<_>) = (0..30).map(field).enumerate().partition(|(n, _)| *n < 15);
    let join = |fields: Vec<(usize, String)>| fields.into_iter().map(|(_, field)| field).collect::<String>();
    format!(
        "<!doctype html><title>Order</title><h1>Order form</h1><form><fieldset><legend>Contact</legend>{}</fieldset>\
         <fieldset><legend>Delivery</legend>{}</fieldset><button type=button>Clear</button> <button>Send</button></form>\
         <p role=status>No order yet</p>",
        join(left),
        join(right)
    )
}

/// Nine elements in each row: the row, six cells, a link and a button.
fn table(rows: usize) -> String {
    let row = |n: usize| {
        format!(
            "<tr><td>{n}</td><td><a href='#o{n}'>Order {n}</a></td><td>Customer {}</td><td>paid</td><td>{n} EUR</td><td><button>Edit {n}</button></td></tr>\n",
            n * 7_919 % 9_973
        )
    };
    let rows: String = (1..=rows).map(row).collect();
    format!(
        "<!doctype html><title>Orders</title><style>td,th{{padding:2px 8px;border-bottom:1px solid #ccc}}</style><h1>Orders</h1>\
         <p><label for=q>Filter</label> <input id=q> <button>Refresh</button></p><p role=status>Ready</p>\
         <table><thead><tr><th>No</th><th>Order</th><th>Customer</th><th>Status</th><th>Total</th><th>Action</th></tr></thead>\
         <tbody>{rows}</tbody></table><p><button>Bottom</button></p>"
    )
}

async fn serve(html: String) -> Result<String, Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/", listener.local_addr()?);
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{html}",
        html.len()
    );
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = answer.clone();
            tokio::spawn(async move {
                let mut request = [0; 4096];
                if stream.read(&mut request).await.is_ok_and(|read| read > 0) {
                    drop(stream.write_all(answer.as_bytes()).await);
                }
            });
        }
    });
    Ok(url)
}

struct Figures {
    in_page: Vec<Duration>,
    whole: Vec<Duration>,
    note: String,
}

impl Figures {
    fn print(mut self, name: &str) {
        println!(
            "{name:<44} in page {:>8.2} ms (best {:.2})   call to graph {:>8.2} ms (best {:.2})   {}",
            median(&mut self.in_page),
            best(&self.in_page),
            median(&mut self.whole),
            best(&self.whole),
            self.note
        );
    }
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1_000.0)
}

/// On a machine that does other work too this is nearest to the truth.
fn best(times: &[Duration]) -> f64 {
    times.iter().min().map_or(0.0, |time| time.as_secs_f64() * 1_000.0)
}

async fn captures(page: &Page, options: &CaptureOptions, runs: usize) -> Result<Figures, Box<dyn Error>> {
    let mut figures = Figures { in_page: Vec::new(), whole: Vec::new(), note: String::new() };
    for _ in 0..3 {
        page.capture(options).await?;
    }
    for _ in 0..runs {
        let start = Instant::now();
        let captured = page.capture(options).await?;
        figures.whole.push(start.elapsed());
        figures.in_page.push(captured.in_page);
        let count = captured.graph.elements().count();
        figures.note = format!("{count} elements, {} kB", captured.bytes / 1_000);
    }
    Ok(figures)
}

/// A change of one row, as an observer is told of it.
async fn changes(page: &Page, script: fn(usize) -> String, runs: usize) -> Result<Figures, Box<dyn Error>> {
    let mut figures = Figures { in_page: Vec::new(), whole: Vec::new(), note: String::new() };
    let mut observation = page.observe(ObserveOptions::default());
    observation.next().await?;
    for run in 0..runs + 3 {
        let expression = script(run);
        page.session().call(Evaluate { expression: &expression, ..Evaluate::default() }).await?;
        // What the page still owed from the change before comes first.
        let (ops, whole) = loop {
            let start = Instant::now();
            match observation.next().await? {
                Revision::Change(change) if change.delta.ops.is_empty() => {}
                Revision::Change(change) => break (change.delta.ops.len(), start.elapsed()),
                Revision::Snapshot(fresh) => return Err(format!("a snapshot: {:?}", fresh.reason).into()),
            }
        };
        if run >= 3 {
            figures.in_page.push(observation.in_page());
            figures.whole.push(whole);
            figures.note = format!("{ops} operations; the time from the call includes the page's own frame");
        }
    }
    Ok(figures)
}

fn text_change(run: usize) -> String {
    let row = 3 + run * 37 % 400;
    format!("document.querySelectorAll('tbody tr')[{row}].children[3].firstChild.data = 'changed {run}'; 0")
}

fn new_row(run: usize) -> String {
    let row = 3 + run * 37 % 400;
    format!(
        "document.querySelectorAll('tbody tr')[{row}].insertAdjacentHTML('afterend', '<tr><td>n</td><td><a href=#n>New {run}</a></td><td>c</td><td>paid</td><td>1 EUR</td><td><button>Edit new {run}</button></td></tr>'); 0"
    )
}

/// A page that adds and removes a message 50 times a second.
fn chat() -> String {
    "<!doctype html><title>Chat</title><h1>Chat</h1><p><label for=m>Message</label> <input id=m> <button>Send</button></p>\
     <div id=log aria-label=Messages style='height:300px;overflow:auto'></div><script>let n = 0; const add = () => {\
     const d = document.createElement('div'); const i = ++n; d.innerHTML = '<span>user' + (i % 7) + '</span>: <span>message ' + i +\
     '</span> <button>Like ' + i + '</button>'; log.append(d); if (log.children.length > 100) log.firstChild.remove() };\
     for (let i = 0; i < 100; i++) add(); setInterval(add, 20)</script>"
        .to_owned()
}

/// What observing costs a page that never rests.
async fn restless(page: &Page, full: &CaptureOptions) -> Result<(), Box<dyn Error>> {
    captures(page, full, RUNS).await?.print("50 mutations a second: everything");
    let mut observation = page.observe(ObserveOptions::default());
    observation.next().await?;
    let (mut in_page, start) = (Vec::new(), Instant::now());
    while start.elapsed() < Duration::from_secs(5) {
        observation.next().await?;
        in_page.push(observation.in_page());
    }
    let busy: Duration = in_page.iter().sum();
    println!(
        "{:<44} in page {:>8.2} ms   {} revisions in 5 s, {:.1} % of a core",
        "50 mutations a second: observed",
        median(&mut in_page),
        in_page.len(),
        busy.as_secs_f64() * 100.0 / start.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Milliseconds of work that a renderer has done so far.
async fn work(page: &Session) -> Result<f64, Box<dyn Error>> {
    let metrics = page.call(performance::GetMetrics {}).await?.metrics;
    let spent = metrics.iter().find(|metric| metric.name == "TaskDuration");
    Ok(spent.map_or(0.0, |metric| metric.value * 1_000.0))
}

/// A walk over all elements with what nobody can do without: a name, whether it shows, and its box. The yardstick for a whole look on this machine.
const BARE: &str = "(() => { const begin = performance.now(); let bytes = 0; const stack = [document.body];
    while (stack.length > 0) { const at = stack.pop(); const style = getComputedStyle(at); const box = at.getBoundingClientRect();
      const name = at.getAttribute('aria-label') ?? (at.children.length === 0 ? at.textContent : '');
      if (style.display === 'none' || style.visibility === 'hidden') continue;
      bytes += JSON.stringify([at.localName, name, at.getAttribute('role'), box.x | 0, box.y | 0, box.width | 0, box.height | 0]).length;
      for (let child = at.lastElementChild; child; child = child.previousElementSibling) stack.push(child) }
    return performance.now() - begin + 0 * bytes })()";

/// The time of the bare walk: median and best.
async fn bare_walk(page: &Page) -> Result<(f64, f64), Box<dyn Error>> {
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let took = page
            .session()
            .call(Evaluate { expression: BARE, return_by_value: true, ..Evaluate::default() })
            .await?;
        let took = took
            .result
            .value
            .and_then(|value| value.get().parse::<f64>().ok())
            .ok_or("the walk tells no time")?;
        times.push(Duration::from_secs_f64(took / 1_000.0));
    }
    Ok((median(&mut times), best(&times)))
}

/// What the script costs a page that nobody looks at: when it loads, and while it changes itself 50 times a second. Pages in the background
/// draw nothing, so each is brought to the front for its turn.
async fn unobserved(browser: &Browser) -> Result<(), Box<dyn Error>> {
    let (form, chat) = (serve(form()).await?, serve(chat()).await?);
    let plain = browser.new_page("about:blank").await?;
    plain.call(page::Enable {}).await?;
    let ours = Page::open(browser, "about:blank", OpenOptions::default()).await?;
    let ours = ours.session();
    for session in [&plain, ours] {
        session.call(performance::Enable {}).await?;
    }
    let (mut loads, mut with) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        for (session, times) in [(&plain, &mut loads), (ours, &mut with)] {
            let mut events = session.events_of(&[page::LoadEventFired::NAME]);
            session.call(page::BringToFront {}).await?;
            session.call(page::Navigate { url: &form, ..Default::default() }).await?;
            events.next().await;
            // The count begins anew with each document.
            times.push(Duration::from_secs_f64(work(session).await? / 1_000.0));
        }
    }
    println!(
        "a page load: {:.2} ms of work, with the script {:.2} ms",
        median(&mut loads),
        median(&mut with)
    );
    let mut spent = [0.0; 2];
    for (session, spent) in [&plain, ours].into_iter().zip(&mut spent) {
        session.call(page::BringToFront {}).await?;
        session.call(page::Navigate { url: &chat, ..Default::default() }).await?;
        let before = work(session).await?;
        tokio::time::sleep(Duration::from_secs(5)).await;
        *spent = work(session).await? - before;
    }
    println!("50 mutations a second for 5 s: {:.0} ms of work, with the script {:.0} ms", spent[0], spent[1]);
    Ok(())
}

/// Resident memory of this process in megabytes, where the system tells it.
fn memory() -> Option<(u64, u64)> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    };
    Some((line("VmRSS:")? / 1_000, line("VmHWM:")? / 1_000))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let browser = Browser::launch(LaunchOptions::default()).await?;
    let full = CaptureOptions {
        snapshot: Some(serde_json::from_str(r#"{"maxElements":1000000}"#)?),
        ..CaptureOptions::default()
    };
    let budget = CaptureOptions {
        snapshot: Some(serde_json::from_str(r#"{"maxElements":300}"#)?),
        viewport_only: true,
    };
    if std::env::args().any(|word| word == "--unobserved") {
        return unobserved(&browser).await;
    }
    for (name, html, runs) in [
        ("30 fields", form(), RUNS),
        ("1,000 rows", table(1_000), RUNS),
        ("10,000 rows", table(10_000), RUNS),
    ] {
        let page = Page::open(&browser, &serve(html).await?, OpenOptions::default()).await?;
        captures(&page, &budget, runs).await?.print(&format!("{name}: window and 300 elements"));
        captures(&page, &full, runs).await?.print(&format!("{name}: everything"));
        let (usual, quickest) = bare_walk(&page).await?;
        println!("{name}: a bare walk{:<27} in page {usual:>8.2} ms (best {quickest:.2})", "");
        if let Some((now, peak)) = memory() {
            println!("{name:<44} this process {now} MB, at most {peak} MB");
        }
        if name.ends_with("rows") {
            changes(&page, text_change, runs).await?.print(&format!("{name}: the text of a cell changes"));
            changes(&page, new_row, runs).await?.print(&format!("{name}: a row is added"));
        }
        page.session().close().await?;
    }
    unobserved(&browser).await?;
    let page = Page::open(&browser, &serve(chat()).await?, OpenOptions::default()).await?;
    restless(&page, &full).await?;
    Ok(())
}
