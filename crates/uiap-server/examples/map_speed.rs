//! How fast Videoland or another app is mapped, and where the time goes.
//!
//! `cargo run --release -p uiap-server --example map_speed -- [--pictures] [URL] [PAGES]…`
#![expect(clippy::print_stdout, reason = "a measurement prints what it measured")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use uiap_discovery::ground::{Ground as _, Place as _};
use uiap_discovery::plan::{Known, Plan};
use uiap_discovery::run::{Control, RunOptions, explore};
use uiap_discovery::store::Store;
use uiap_server::explore::{GroundOptions, WebGround};
use videoland::{Options, Videoland};

type Failure = Box<dyn std::error::Error + Send + Sync>;
/// By the part of which a part is a part, and its name.
type Parts = Arc<Mutex<BTreeMap<(&'static str, &'static str), (u32, Duration)>>>;

/// Adds up how long the parts of exploring take, from their beginning to their end.
struct Stopwatch(Parts);

struct Began(Instant);

impl<S: tracing::Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Stopwatch {
    fn on_new_span(
        &self,
        _: &tracing::span::Attributes<'_>,
        id: &tracing::span::Id,
        context: Context<'_, S>,
    ) {
        if let Some(span) = context.span(id).filter(|span| span.name().starts_with("explore.")) {
            span.extensions_mut().insert(Began(Instant::now()));
        }
    }

    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        if std::env::var_os("UIAP_WHY").is_some() && event.metadata().target().starts_with("uiap_discovery") {
            let mut text = String::new();
            event.record(&mut |field: &tracing::field::Field, value: &dyn std::fmt::Debug| {
                text.push_str(&format!(" {field}={value:?}"));
            });
            println!("  {text}");
        }
    }

    fn on_close(&self, id: tracing::span::Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(took) = span.extensions().get::<Began>().map(|began| began.0.elapsed()) else { return };
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let whole = span.parent().map(|whole| whole.name()).unwrap_or_default();
        let part = parts.entry((whole, span.name())).or_default();
        *part = (part.0 + 1, part.1 + took);
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let pictures = arguments.iter().any(|argument| argument == "--pictures");
    let mut pages: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    if pages.is_empty() {
        pages = vec![1, 2];
    }
    let parts: Parts = Arc::default();
    let level = tracing_subscriber::filter::LevelFilter::DEBUG;
    let watching = tracing_subscriber::registry().with(Stopwatch(Arc::clone(&parts)).with_filter(level));
    tracing::subscriber::set_global_default(watching)?;
    let url = arguments.iter().find(|argument| argument.starts_with("http"));
    let mut first = None;
    for workers in pages {
        let app = Videoland::start(Options::default()).await?;
        let own = format!("{}/dashboard?quiet=1&latency=0", app.base_url());
        let speed = measure(url.unwrap_or(&own), workers, pictures, &parts).await?;
        println!("effects in Videoland {}", app.counts().caused());
        let base = *first.get_or_insert(speed);
        println!("{:.2} x of the first\n", speed / base);
    }
    Ok(())
}

/// Maps once; gives the transitions of a minute.
async fn measure(base: &str, workers: usize, pictures: bool, parts: &Parts) -> Result<f64, Failure> {
    let environment = serde_json::from_value(json!({
        "environmentId": "speed", "baseUrl": base, "safety": { "defaultMode": "safe_explore" },
        "budgets": { "maxRuntimeMs": 180_000 }
    }))?;
    let plan = Plan::new(environment, Vec::new(), Known::default())?;
    let options = GroundOptions { viewport: (1280, 1000), pictures, ..GroundOptions::default() };
    let ground = WebGround::launch(plan.base().clone(), options).await?;
    let bare = bare_loads(&ground, base).await?;
    parts.lock().unwrap_or_else(PoisonError::into_inner).clear();
    let options = RunOptions {
        run_id: "speed".into(),
        workers,
        gallery: None,
        policy: uiap_discovery::fingerprint::default_policy(),
        control: Control::default(),
        listener: Arc::new(|_| {}),
        clock: uiap_runtime::clock::now,
    };
    let began = Instant::now();
    let explored = explore(Arc::new(ground.clone()), plan, Store::in_memory()?, options).await?;
    let seconds = began.elapsed().as_secs_f64();
    let record = explored.record()?;
    ground.close().await;
    #[expect(clippy::cast_precision_loss, reason = "there are some hundred")]
    let (states, transitions) = (record.states.len() as f64, record.transitions.len() as f64);
    let speed = transitions * 60.0 / seconds;
    println!("{workers} pages: {states} states, {transitions} transitions in {seconds:.1} s");
    println!(
        "{speed:.0} transitions and {:.0} states a minute; {bare:.0} bare loads",
        states * 60.0 / seconds
    );
    println!("peak memory {}", peak().unwrap_or_default());
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    for incident in &record.incidents {
        *told.entry(format!("{:?}", incident.kind)).or_default() += 1;
    }
    let mut deeds: BTreeMap<&str, usize> = BTreeMap::new();
    for transition in &record.transitions {
        *deeds.entry(transition.action_id.as_str()).or_default() += 1;
    }
    println!("{deeds:?}");
    let places: std::collections::BTreeSet<_> =
        record.states.iter().map(|state| uiap_discovery::candidate::path_pattern(&state.url)).collect();
    println!("{} places; incidents {told:?}", places.len());
    for ((whole, name), (count, took)) in &*parts.lock().unwrap_or_else(PoisonError::into_inner) {
        let (took, each) = (took.as_secs_f64(), took.as_secs_f64() * 1_000.0 / f64::from((*count).max(1)));
        let name = format!("{whole} {name}").replace("explore.", "");
        println!("  {name:<30} {count:>5} × {each:>7.1} ms = {took:>6.2} s");
    }
    Ok(speed)
}

/// Loads of a page a minute with nothing but looking at it: what this machine can do at most.
async fn bare_loads(ground: &WebGround, url: &str) -> Result<f64, Failure> {
    let mut place = ground.open("default").await?;
    let began = Instant::now();
    for _ in 0..10 {
        place.go(url).await?;
    }
    let seconds = began.elapsed().as_secs_f64();
    place.close().await;
    Ok(600.0 / seconds)
}

/// The most memory that this process had.
fn peak() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")).map(|text| text.trim().to_owned())
}
