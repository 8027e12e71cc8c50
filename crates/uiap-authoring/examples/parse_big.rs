//! Parses a generated `Bindings` manifest and prints time and memory, beside two other parsers on the same data.
//!
//! Usage: `parse_big [elements] [--only yaml|json|saphyr|serde_json] [--write FILE]`
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

use uiap_authoring::source::{Limits, SourceFile, parse_source};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let elements = args.first().and_then(|n| n.parse().ok()).unwrap_or(100_000);
    let value_of = |flag: &str| args.iter().position(|arg| arg == flag).and_then(|at| args.get(at + 1));
    let yaml = manifest(elements);
    if let Some(path) = value_of("--write") {
        match std::fs::write(path, &yaml) {
            Ok(()) => println!("wrote {path}: {} bytes", yaml.len()),
            Err(error) => println!("cannot write {path}: {error}"),
        }
        return;
    }
    let wanted = |name: &str| value_of("--only").is_none_or(|only| only == name);
    println!("{elements} elements, {:.1} MB of YAML", megabytes(yaml.len()));
    let json = wanted("json") || wanted("serde_json");
    let json = if json { as_json(&yaml) } else { String::new() };
    if wanted("yaml") {
        run("uiap yaml, tree with places", &yaml, |text| ours("big.yaml", text));
    }
    if wanted("json") {
        run("uiap json, tree with places", &json, |text| ours("big.json", text));
    }
    if wanted("saphyr") {
        run("saphyr-parser, events only", &yaml, |text| {
            saphyr_parser::Parser::new_from_str(&text).take_while(Result::is_ok).count()
        });
    }
    if wanted("serde_json") {
        run("serde_json, value without places", &json, |text| {
            serde_json::from_str::<serde_json::Value>(&text)
                .map_or(0, |value| black_box(value).as_object().map_or(0, serde_json::Map::len))
        });
    }
    println!("peak resident memory of this process: {} MB", peak_rss_megabytes());
}

fn ours(name: &str, text: String) -> usize {
    let file = SourceFile::new(name, text);
    let parsed = parse_source(&file, &Limits::DEFAULT);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    parsed.doc.map_or(0, |doc| doc.node_count())
}

fn run(name: &str, text: &str, parse: impl Fn(String) -> usize) {
    let (mut wall, mut cpu) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..5 {
        let copy = text.to_owned();
        let (start, busy) = (Instant::now(), cpu_seconds());
        black_box(parse(copy));
        wall = wall.min(start.elapsed().as_secs_f64());
        cpu = cpu.min(cpu_seconds() - busy);
    }
    let speed = megabytes(text.len()) / wall;
    println!("{name}: {:.0} ms ({:.0} ms of processor time), {speed:.0} MB/s", wall * 1000.0, cpu * 1000.0);
}

#[expect(clippy::cast_precision_loss, reason = "a figure to read")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn as_json(yaml: &str) -> String {
    let file = SourceFile::new("big.yaml", yaml);
    let parsed = parse_source(&file, &Limits::DEFAULT);
    parsed.doc.map_or_else(String::new, |doc| doc.root().to_value().to_string())
}

fn manifest(elements: usize) -> String {
    let mut out = String::with_capacity(elements * 400 + 200);
    out.push_str("apiVersion: uiap.authoring/v0.1\nkind: Bindings\nmetadata:\n  id: bindings.big\nspec:\n  elements:\n");
    for n in 0..elements {
        let scope = n % 97;
        let route = n % 31;
        let written = write!(
            out,
            "    - id: screen{route}.section{scope}.element{n}\n      scopeId: scope.section{scope}\n      routeIds:\n        - route.screen{route}\n      role: button\n      name:\n        ref: screen{route}.element{n}.label\n        fallback: \"Element number {n}\"\n      match:\n        - by: annotation\n          attr: data-uiap-id\n          value: screen{route}.element{n}\n        - by: semantic\n          role: button\n          name: Element number {n}\n      risk: safe\n"
        );
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
    }
    out
}

/// Time on a processor, which a busy machine does not inflate. Only Linux tells; elsewhere the figure is 0.
fn cpu_seconds() -> f64 {
    let schedstat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = schedstat.split(' ').next().and_then(|n| n.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) / 1e9
}

/// Only Linux tells; elsewhere the figure is 0.
fn peak_rss_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap_or(0) / 1000
}
