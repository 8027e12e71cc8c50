//! How fast documents are read and changed. Figures stand in docs/benchmarks.md.
#![expect(clippy::unwrap_used, clippy::cast_precision_loss, reason = "a benchmark fails by panicking")]
#![allow(missing_docs, clippy::allow_attributes, reason = "criterion writes the entry point")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};
use uiap_model::core::limits::Limits;
use uiap_model::core::registry;
use uiap_model::document;
use uiap_model::web::{PageGraph, WebStateDeltaPayload, apply, check, diff};

/// A table page: `rows` rows with a label, a checkbox and two buttons each.
fn page(rows: usize) -> Value {
    let elements: Vec<Value> = (0..rows)
        .flat_map(|row| {
            let element = |part: &str, role: &str, affordances: &[&str], state: Value| {
                json!({
                    "instanceId": format!("e{row}-{part}"), "stableId": format!("row.{row}.{part}"), "role": role,
                    "name": format!("{part} of video number {row}"), "affordances": affordances, "state": state,
                    "web": { "attached": true, "stable": true, "inViewport": row < 20, "receivesEvents": true },
                    "supportedActions": ["ui.activate", "ui.focus"],
                    "bbox": { "x": 12.5, "y": row * 24, "width": 180, "height": 22 }, "source": "native"
                })
            };
            [
                element("title", "cell", &["read"], json!({ "visible": true })),
                element("select", "checkbox", &["read", "focus", "toggle"], json!({ "visible": true, "enabled": true, "checked": false })),
                element("open", "link", &["read", "focus", "activate", "navigate"], json!({ "visible": true, "enabled": true, "focusable": true })),
                element("menu", "button", &["read", "focus", "activate"], json!({ "visible": true, "enabled": true, "hasPopup": "menu", "expanded": false })),
            ]
        })
        .collect();
    json!({
        "modelVersion": "0.1", "profile": "web@0.1", "revision": "rev_1", "seq": 1, "ts": "2026-03-26T14:00:00.000Z",
        "route": { "url": "https://app.example.com/videos", "path": "/videos", "title": "Videos" },
        "rootDocumentId": "doc_root",
        "documents": [{ "documentId": "doc_root", "kind": "root", "access": "open", "scopes": [
            { "id": "videos.table", "kind": "table", "collection": { "total": rows, "loaded": rows }, "elements": elements }
        ] }]
    })
}

fn reading(criterion: &mut Criterion) {
    let text = page(3_400).to_string();
    let mut group = criterion.benchmark_group("page graph");
    group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(20);
    group.bench_function(format!("parse and validate {:.1} MB", text.len() as f64 / 1e6), |bencher| {
        bencher.iter(|| {
            let graph: PageGraph = uiap_model::parse(text.as_bytes()).unwrap();
            assert!(check::check(&graph).is_empty());
            graph
        });
    });
    let wrong = text.replacen("\"checkbox\"", "\"chekbox\"", 1);
    group.bench_function("explain one fault in it", |bencher| {
        bencher.iter(|| uiap_model::parse::<PageGraph>(wrong.as_bytes()).unwrap_err());
    });
    group.finish();
}

fn changing(criterion: &mut Criterion) {
    let before: PageGraph = uiap_model::parse(page(2_500).to_string().as_bytes()).unwrap();
    let ops: Vec<Value> = (0..1_000)
        .map(|at| match at % 4 {
            0 => json!({ "op": "element.patch", "documentId": "doc_root", "instanceId": format!("e{at}-select"), "patch": { "state": { "checked": true } } }),
            1 => json!({ "op": "element.remove", "documentId": "doc_root", "instanceId": format!("e{at}-menu") }),
            2 => json!({ "op": "element.upsert", "documentId": "doc_root", "scopeId": "videos.table", "after": format!("e{at}-title"),
                "element": { "instanceId": format!("new{at}"), "role": "button", "affordances": ["activate"], "state": {}, "web": { "attached": true }, "source": "native" } }),
            _ => json!({ "op": "element.patch", "documentId": "doc_root", "instanceId": format!("e{at}-open"), "patch": { "name": "renamed" } }),
        })
        .collect();
    let delta = json!({ "baseRevision": "rev_1", "revision": "rev_2", "seq": 2, "ts": "2026-03-26T14:00:01.000Z", "ops": ops });
    let delta: WebStateDeltaPayload = uiap_model::parse(delta.to_string().as_bytes()).unwrap();
    let after = apply(&before, &delta).unwrap();
    let mut group = criterion.benchmark_group("delta");
    group.sample_size(30);
    group.bench_function("apply 1,000 operations to 10,000 elements", |bencher| {
        bencher.iter(|| apply(&before, &delta).unwrap());
    });
    group.bench_function("difference of two graphs of 10,000 elements", |bencher| {
        bencher.iter(|| diff(&before, &after));
    });
    group.finish();
}

fn messages(criterion: &mut Criterion) {
    let message = json!({
        "uiap": "0.1", "kind": "request", "type": "action.request", "id": "msg_77", "sessionId": "sess_1",
        "ts": "2026-03-26T14:03:00.000Z", "source": { "role": "agent", "id": "a" },
        "payload": { "actionId": "ui.activate", "target": { "ref": { "by": "stableId", "value": "video.submit" }, "expectedRole": "button" } }
    })
    .to_string();
    criterion.bench_function("read one action.request", |bencher| {
        bencher.iter(|| registry::read(message.as_bytes(), Limits::default()));
    });
    let value = page(100);
    let kind = document::kind("PageGraph").unwrap();
    criterion.bench_function("inspect a page of 400 elements", |bencher| {
        bencher.iter(|| document::validate(&value, kind));
    });
}

criterion_group!(benches, reading, changing, messages);
criterion_main!(benches);
