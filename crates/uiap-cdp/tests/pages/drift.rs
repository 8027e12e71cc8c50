//! The typed protocol against the browser's own description of it: a misspelt name would otherwise be ignored in silence.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::connected::{Foreign, fetch};
use crate::shared::run;

/// A declaration in our sources.
struct Declared {
    name: String,
    fields: Vec<String>,
    is_event: bool,
}

/// Reads `Name = "Domain.method" -> Result { fields }` and `Name = "Domain.event" { fields }`.
fn declarations() -> Vec<Declared> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/protocol");
    let files = std::fs::read_dir(sources).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.file_name().is_some_and(|name| name != "mod.rs"))
        .flat_map(|path| read(&path))
        .collect()
}

fn read(path: &Path) -> Vec<Declared> {
    let source = std::fs::read_to_string(path).unwrap();
    let mut declared = Vec::new();
    let (mut is_event, mut current, mut renamed) = (false, None::<Declared>, None::<String>);
    for line in source.lines().map(str::trim) {
        match line {
            "command! {" => is_event = false,
            "event! {" => is_event = true,
            _ => {}
        }
        if let Some((_, rest)) = line.split_once(" = \"")
            && let Some((name, rest)) = rest.split_once('"')
            && name.contains('.')
        {
            let declaration = Declared { name: name.to_owned(), fields: Vec::new(), is_event };
            if rest.ends_with("{}") {
                declared.push(declaration);
            } else {
                current = Some(declaration);
            }
            continue;
        }
        if let Some((_, rest)) = line.split_once("rename = \"") {
            renamed = rest.split('"').next().map(str::to_owned);
        } else if line == "}" {
            declared.extend(current.take());
        } else if let (Some(current), Some((field, _))) = (&mut current, line.split_once(": "))
            && !line.starts_with("//")
        {
            current.fields.push(renamed.take().unwrap_or_else(|| camel_case(field)));
        }
    }
    declared
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..])
}

/// Names of all calls or events with the names of their parameters.
fn described(protocol: &Value, kind: &str) -> BTreeMap<String, BTreeSet<String>> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    list(&protocol["domains"])
        .iter()
        .flat_map(|domain| list(&domain[kind]).into_iter().map(|entry| (text(&domain["domain"]), entry)))
        .map(|(domain, entry)| {
            let parameters =
                list(&entry["parameters"]).iter().map(|parameter| text(&parameter["name"])).collect();
            (format!("{domain}.{}", text(&entry["name"])), parameters)
        })
        .collect()
}

#[test]
fn every_typed_name_is_known_to_the_browser() {
    run(async {
        let foreign = Foreign::start().await;
        let protocol = fetch(&foreign.authority(), "/json/protocol").await;
        let protocol: Value = serde_json::from_slice(&protocol).unwrap();
        let (commands, events) = (described(&protocol, "commands"), described(&protocol, "events"));
        let declared = declarations();
        assert!(declared.len() > 150, "only {} declarations were found", declared.len());
        let mut unknown = Vec::new();
        for Declared { name, fields, is_event } in declared {
            match if is_event { events.get(&name) } else { commands.get(&name) } {
                None => unknown.push(name),
                Some(known) => {
                    let foreign = fields.into_iter().filter(|field| !known.contains(field));
                    unknown.extend(foreign.map(|field| format!("{name} {field}")));
                }
            }
        }
        assert!(unknown.is_empty(), "{unknown:#?}");
    });
}
