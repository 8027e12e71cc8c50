//! Measures what users feel: how long a browser takes to start and to close, and what one call costs.
//!
//! `cargo run --release -p uiap-cdp --example latency [launches] [calls] [extra browser arguments…]`

#![expect(clippy::print_stdout, reason = "its figures are its output")]

use std::error::Error;
use std::time::{Duration, Instant};

use uiap_cdp::protocol::browser::GetVersion;
use uiap_cdp::protocol::runtime::Evaluate;
use uiap_cdp::{Browser, LaunchOptions, Session};

fn main() -> Result<(), Box<dyn Error>> {
    tokio::runtime::Runtime::new()?.block_on(measure())
}

async fn measure() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let launches = arguments.next().map_or(Ok(20), |text| text.parse())?;
    let calls = arguments.next().map_or(Ok(5000), |text| text.parse())?;
    let options = LaunchOptions { args: arguments.collect(), ..LaunchOptions::default() };
    measure_launches(launches, &options).await?;

    let browser = Browser::launch(options).await?;
    let page = browser.new_page("about:blank").await?;
    println!("browser: {}", browser.version().product);
    let mut times = Vec::with_capacity(calls);
    for _ in 0..calls {
        let begin = Instant::now();
        browser.call(GetVersion {}).await?;
        times.push(begin.elapsed());
    }
    report("Browser.getVersion", &mut times);
    for _ in 0..calls {
        let begin = Instant::now();
        evaluate(&page, "1").await?;
        times.push(begin.elapsed());
    }
    report("Runtime.evaluate(1)", &mut times);
    let begin = Instant::now();
    futures_util::future::try_join_all((0..calls).map(|_| evaluate(&page, "1"))).await?;
    let rate = f64::from(u32::try_from(calls)?) / begin.elapsed().as_secs_f64();
    println!("{:<30}{rate:.0} calls/s, all at once", "Runtime.evaluate(1)");
    println!("{:<30}{} kB", "resident memory", resident()?);
    measure_bulk(&page).await?;
    println!("{:<30}{} kB, after the bulk", "resident memory", resident()?);
    browser.close().await;
    Ok(())
}

async fn measure_launches(count: usize, options: &LaunchOptions) -> Result<(), Box<dyn Error>> {
    let [mut answered, mut usable, mut closed, mut killed] = [const { Vec::new() }; 4];
    for round in 0..count {
        let begin = Instant::now();
        let browser = Browser::launch(options.clone()).await?;
        answered.push(begin.elapsed());
        let page = browser.new_page("about:blank").await?;
        evaluate(&page, "1").await?;
        usable.push(begin.elapsed());
        let begin = Instant::now();
        if round % 2 == 0 {
            browser.close().await;
            closed.push(begin.elapsed());
        } else {
            drop((page, browser));
            killed.push(begin.elapsed());
        }
    }
    report("launch to Browser.getVersion", &mut answered);
    report("launch to first evaluate", &mut usable);
    report("close", &mut closed);
    report("drop", &mut killed);
    Ok(())
}

async fn measure_bulk(page: &Session) -> Result<(), Box<dyn Error>> {
    const SIZE: usize = 20 << 20;
    let begin = Instant::now();
    let expression = format!("'x'.repeat({SIZE})");
    let answer =
        page.call(Evaluate { expression: &expression, return_by_value: true, ..Default::default() }).await?;
    let length = answer.result.value_as::<String>()?.map_or(0, |text| text.len());
    println!("{:<30}{:?} for {length} bytes out of the page", "Runtime.evaluate", begin.elapsed());
    let begin = Instant::now();
    let expression = format!("'{}'.length", "x".repeat(SIZE));
    evaluate(page, &expression).await?;
    println!("{:<30}{:?} for {SIZE} bytes into the page", "Runtime.evaluate", begin.elapsed());
    Ok(())
}

async fn evaluate(page: &Session, expression: &str) -> Result<(), uiap_cdp::CallError> {
    page.call(Evaluate { expression, ..Default::default() }).await.map(drop)
}

fn report(what: &str, times: &mut Vec<Duration>) {
    times.sort_unstable();
    let at =
        |share: usize| times.get((times.len() * share / 100).min(times.len().saturating_sub(1))).copied();
    let [p50, p95, max] = [at(50), at(95), times.last().copied()].map(Option::unwrap_or_default);
    println!("{what:<30}p50 {p50:?}  p95 {p95:?}  max {max:?}  n {}", times.len());
    times.clear();
}

fn resident() -> std::io::Result<String> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    Ok(line.unwrap_or("unknown").trim().trim_end_matches(" kB").to_owned())
}
