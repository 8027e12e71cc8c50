//! Fingerprints against what people called the same page: labelled states of an app that nothing here was made for.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use compact_str::CompactString;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use uiap_cdp::{Browser, ContextOptions, LaunchOptions};
use uiap_discovery::fingerprint;
use uiap_model::web::PageGraph;
use uiap_model::web::message::SnapshotOptions;
use uiap_web::Page;

fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/petclinic-nd");
    path.is_dir().then_some(path)
}

/// Serves the files of a folder on loopback.
async fn serve(folder: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let folder = folder.clone();
            tokio::spawn(async move {
                let mut request = vec![0; 8192];
                let read = stream.read(&mut request).await.unwrap_or(0);
                let line = String::from_utf8_lossy(&request[..read]).into_owned();
                let name = line.split(' ').nth(1).unwrap_or("/").trim_start_matches('/').to_owned();
                let (status, body) = match std::fs::read(folder.join(&name)) {
                    Ok(body) if !name.contains('/') => ("200 OK", body),
                    _ => ("404 Not Found", Vec::new()),
                };
                let head = format!(
                    "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                // A browser that hangs up early is no failure of the page.
                drop(stream.write_all(&[head.into_bytes(), body].concat()).await);
            });
        }
    });
    url
}

/// Pages that are loaded side by side.
const ABREAST: usize = 4;

async fn captured(folder: &Path, labels: &Value) -> HashMap<String, PageGraph> {
    let base = serve(folder.join("doms")).await;
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let context = browser.new_context(ContextOptions::default()).await.unwrap();
    let states: Vec<(String, CompactString)> = labels["states"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(state, told)| (state.clone(), told["url"].as_str().unwrap().into()))
        .collect();
    let mut running = tokio::task::JoinSet::new();
    for part in states.chunks(states.len().div_ceil(ABREAST)) {
        let page = Page::attach(context.new_page("about:blank").await.unwrap()).await.unwrap();
        let (part, base) = (part.to_vec(), base.clone());
        running.spawn(async move {
            let mut graphs = Vec::new();
            for (state, url) in part {
                page.navigate(&format!("{base}/{state}.html")).await.unwrap();
                let mut graph = page.snapshot(&SnapshotOptions::default()).await.unwrap();
                graph.route.url = url;
                graphs.push((state, graph));
            }
            graphs
        });
    }
    let graphs = running.join_all().await.into_iter().flatten().collect();
    browser.close().await;
    graphs
}

/// How well equal fingerprints match the labels of the pairs.
fn pair_f1(labels: &Value, hashes: &HashMap<String, CompactString>) -> f64 {
    let (mut hits, mut wrong) = (0.0, 0.0);
    for pair in labels["pairs"].as_array().unwrap() {
        let same = pair[2].as_u64().unwrap() < 2;
        let predicted = hashes[pair[0].as_str().unwrap()] == hashes[pair[1].as_str().unwrap()];
        if same && predicted {
            hits += 1.0;
        } else if same != predicted {
            wrong += 1.0;
        }
    }
    2.0 * hits / (2.0 * hits + wrong)
}

/// What is left when the first state of each fingerprint is kept, in the order in which they were crawled.
fn model_f1(labels: &Value, hashes: &HashMap<String, CompactString>) -> f64 {
    let states = labels["states"].as_object().unwrap();
    let mut order: Vec<(&String, &Value)> = states.iter().collect();
    order.sort_by_key(|(_, told)| told["order"].as_u64());
    let classes: BTreeSet<&str> = order.iter().map(|(_, told)| told["class"].as_str().unwrap()).collect();
    let mut kept = HashSet::new();
    let found: BTreeSet<&str> = order
        .iter()
        .filter(|(state, _)| kept.insert(&hashes[*state]))
        .map(|(_, told)| told["class"].as_str().unwrap())
        .collect();
    let ratio =
        |of: usize| f64::from(u32::try_from(found.len()).unwrap()) / f64::from(u32::try_from(of).unwrap());
    let (precision, recall) = (ratio(kept.len()), ratio(classes.len()));
    2.0 * precision * recall / (precision + recall)
}

/// Requirement: DISC-11.3-01
#[test]
fn states_that_people_call_the_same_have_one_fingerprint() {
    let Some(folder) = corpus() else {
        // Written by itself: what a test prints is not shown when it passes.
        let word = "the labelled pages (`../shared/corpora/petclinic-nd`) are not here: nothing was compared";
        writeln!(std::io::stderr(), "{word}").unwrap();
        return;
    };
    let labels: Value = serde_json::from_slice(&std::fs::read(folder.join("labels.json")).unwrap()).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let graphs = runtime.block_on(captured(&folder, &labels));
    let policy = fingerprint::default_policy();
    let hashes: HashMap<String, CompactString> =
        graphs.iter().map(|(state, graph)| (state.clone(), fingerprint::of(graph, &policy).hash)).collect();
    let (pairs, model) = (pair_f1(&labels, &hashes), model_f1(&labels, &hashes));
    println!("{} states: pair F1 {pairs:.3}, model F1 {model:.3}", hashes.len());
    assert!(pairs >= 0.98, "pair F1 {pairs}");
    assert!(model >= 0.95, "model F1 {model}");
}
