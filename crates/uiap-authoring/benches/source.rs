//! Parsing, looking up and decoding, on the shape of manifest that is largest in practice.
#![expect(clippy::unwrap_used, reason = "a benchmark fails loudly")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use uiap_authoring::diagnostic::render::human::Human;
use uiap_authoring::source::{Limits, SourceFile, parse_source};

const ELEMENTS: usize = 10_000;

fn manifest() -> String {
    let mut out = String::from(
        "apiVersion: uiap.authoring/v0.1\nkind: Bindings\nmetadata:\n  id: b\nspec:\n  elements:\n",
    );
    for n in 0..ELEMENTS {
        out.extend([format!(
            "    - id: screen.element{n}\n      scopeId: scope{}\n      routeIds:\n        - route.home\n      role: button\n      name:\n        ref: label{n}\n        fallback: \"Element {n}\"\n      match:\n        - by: annotation\n          attr: data-uiap-id\n          value: element{n}\n        - by: semantic\n          role: button\n          name: Element {n}\n      risk: safe\n",
            n % 97
        )]);
    }
    out
}

fn parsing(criterion: &mut Criterion) {
    let yaml = SourceFile::new("b.yaml", manifest());
    let doc = parse_source(&yaml, &Limits::DEFAULT).doc.unwrap();
    let json = SourceFile::new("b.json", doc.root().to_value().to_string());
    let anchored = SourceFile::new("b.yaml", format!("anchor: &a 1\n{}", yaml.text()));
    let mut group = criterion.benchmark_group("parse");
    for (name, file) in [("yaml", &yaml), ("json", &json), ("yaml with an anchor", &anchored)] {
        group.throughput(Throughput::Bytes(file.text().len() as u64));
        group
            .bench_function(name, |bencher| bencher.iter(|| parse_source(black_box(file), &Limits::DEFAULT)));
    }
    group.finish();
}

fn reading(criterion: &mut Criterion) {
    let file = SourceFile::new("b.yaml", manifest());
    let doc = parse_source(&file, &Limits::DEFAULT).doc.unwrap();
    criterion.bench_function("pointer to the middle", |bencher| {
        bencher.iter(|| black_box(&doc).pointer("/spec/elements/5000/match/1/name"));
    });
    let node = doc.pointer("/spec/elements/5000/match/1/name").unwrap();
    criterion.bench_function("node to pointer", |bencher| bencher.iter(|| black_box(node).to_pointer()));
    criterion.bench_function("decode to a JSON value", |bencher| {
        bencher.iter(|| black_box(&doc).decode::<serde_json::Value>().unwrap());
    });
}

fn rendering(criterion: &mut Criterion) {
    let text = manifest().replace("risk: safe", "role: link");
    let parsed = parse_source(&SourceFile::new("b.yaml", text), &Limits::DEFAULT);
    criterion.bench_function("200 findings of 10,000 for people", |bencher| {
        bencher.iter(|| Human::default().render(black_box(&parsed.diagnostics)));
    });
}

criterion_group!(benches, parsing, reading, rendering);
criterion_main!(benches);
