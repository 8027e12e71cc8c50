//! Who may know whom. A crate exists because it has a forbidden dependency to protect.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::repository::output;

/// A room and its walls.
struct Layer {
    name: &'static str,
    /// Crates of the workspace that it may use.
    knows: &'static [&'static str],
    /// Crates that must not be anywhere below it.
    never: &'static [&'static str],
}

const IO: &[&str] = &["tokio", "axum", "hyper", "rmcp", "tungstenite"];

const LAYERS: &[Layer] = &[
    Layer { name: "uiap-model-derive", knows: &[], never: IO },
    Layer { name: "uiap-model", knows: &["uiap-model-derive"], never: IO },
    Layer { name: "uiap-authoring", knows: &["uiap-model"], never: IO },
    Layer { name: "uiap-policy", knows: &["uiap-model"], never: IO },
    Layer {
        name: "uiap-runtime",
        knows: &["uiap-model", "uiap-policy"],
        never: &["axum", "hyper", "rmcp", "clap"],
    },
    Layer { name: "uiap-cdp", knows: &[], never: &["axum", "rmcp", "clap"] },
    Layer {
        name: "uiap-web",
        knows: &["uiap-model", "uiap-cdp", "uiap-policy", "uiap-runtime"],
        never: &["axum", "rmcp", "clap"],
    },
    Layer {
        name: "uiap-discovery",
        knows: &["uiap-model", "uiap-policy", "uiap-runtime"],
        never: &["axum", "hyper", "rmcp", "clap", "uiap-cdp", "uiap-web"],
    },
    Layer {
        name: "uiap-server",
        knows: &["uiap-model", "uiap-policy", "uiap-runtime", "uiap-cdp", "uiap-web", "uiap-discovery"],
        never: &["clap"],
    },
    Layer { name: "videoland", knows: &[], never: &["rmcp", "clap"] },
    Layer {
        name: "uiap",
        knows: &[
            "uiap-model",
            "uiap-authoring",
            "uiap-cdp",
            "uiap-discovery",
            "uiap-policy",
            "uiap-runtime",
            "uiap-server",
            "uiap-web",
            "videoland",
        ],
        never: &[],
    },
    Layer { name: "xtask", knows: &[], never: IO },
];

/// Fails when a wall has a hole.
pub(crate) fn run() -> Result<()> {
    let metadata: Value = serde_json::from_str(&output("cargo", &["metadata", "--format-version", "1"])?)?;
    let graph = normal_dependencies(&metadata)?;
    let members: BTreeSet<&str> = graph
        .iter()
        .filter(|(_, package)| package.member)
        .map(|(_, package)| package.name.as_str())
        .collect();
    let mut holes = Vec::new();
    for name in &members {
        match LAYERS.iter().find(|layer| layer.name == *name) {
            Some(layer) => holes.extend(check(layer, &graph, &members)),
            None => holes.push(format!("`{name}` has no entry in xtask/src/layers.rs")),
        }
    }
    if !holes.is_empty() {
        bail!("{}", holes.join("\n"));
    }
    println!("   {} crates keep to their layers", members.len());
    Ok(())
}

struct Package {
    name: String,
    member: bool,
    uses: Vec<String>,
}

/// Package id to what it uses in a normal build.
#[expect(clippy::indexing_slicing, reason = "a JSON value answers null for what it does not have")]
fn normal_dependencies(metadata: &Value) -> Result<BTreeMap<String, Package>> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let names: BTreeMap<String, String> = list(&metadata["packages"])
        .iter()
        .filter_map(|package| Some((text(&package["id"])?, text(&package["name"])?)))
        .collect();
    let members: BTreeSet<String> = list(&metadata["workspace_members"]).iter().filter_map(text).collect();
    let mut graph = BTreeMap::new();
    for node in list(&metadata["resolve"]["nodes"]) {
        let id = text(&node["id"]).context("a node without id")?;
        let uses = list(&node["deps"])
            .iter()
            .filter(|dep| list(&dep["dep_kinds"]).iter().any(|kind| kind["kind"].is_null()))
            .filter_map(|dep| text(&dep["pkg"]))
            .collect();
        let name = names.get(&id).cloned().unwrap_or_default();
        graph.insert(id.clone(), Package { name, member: members.contains(&id), uses });
    }
    Ok(graph)
}

fn check(layer: &Layer, graph: &BTreeMap<String, Package>, members: &BTreeSet<&str>) -> Vec<String> {
    let mut below = BTreeSet::new();
    let mut open: Vec<&Package> = graph.values().filter(|package| package.name == layer.name).collect();
    let direct: Vec<&str> = open
        .iter()
        .flat_map(|package| &package.uses)
        .filter_map(|id| graph.get(id))
        .map(|package| package.name.as_str())
        .collect();
    while let Some(package) = open.pop() {
        for next in package.uses.iter().filter_map(|id| graph.get(id)) {
            if below.insert(next.name.as_str()) {
                open.push(next);
            }
        }
    }
    let strangers = direct
        .iter()
        .filter(|name| members.contains(*name) && !layer.knows.contains(name))
        .map(|name| format!("`{}` must not know `{name}`", layer.name));
    let forbidden = layer.never.iter().filter(|name| below.contains(*name)).map(|name| {
        format!("`{}` must not depend on `{name}` (see `cargo tree -p {} -i {name}`)", layer.name, layer.name)
    });
    strangers.chain(forbidden).collect()
}
