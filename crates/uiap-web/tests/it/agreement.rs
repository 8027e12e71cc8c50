//! Agreement with the browser's own accessibility tree and with what the demo application says of itself.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use uiap_cdp::protocol::accessibility::{AxValue, Enable, GetFullAxTree};
use uiap_model::web::PageGraph;
use uiap_web::Page;
use videoland::{GROUND_TRUTH, Options, Videoland};

use crate::shared::{evaluate, open, options, outline, role, run, snapshot, snapshot_with};

const PATHS: [&str; 6] = ["/dashboard", "/videos", "/videos/new", "/team", "/settings", "/billing"];

/// Holds as soon as the application has drawn its page and waits for nothing more.
const DRAWN: &str = "new Promise(done => { const look = () => document.querySelector('main h1') && !document.querySelector('[aria-busy=true]') && (seen.disconnect(), done(true));
    const seen = new MutationObserver(look); seen.observe(document, {subtree: true, childList: true, attributes: true}); look() })";

async fn videoland() -> Videoland {
    Videoland::start(Options { quiet: true, latency: Duration::ZERO, ..Options::default() }).await.unwrap()
}

async fn drawn(app: &Videoland, path: &str) -> Page {
    let page = open(&format!("{}{path}", app.base_url().trim_end_matches('/'))).await;
    evaluate(&page, DRAWN).await;
    page
}

/// The browser's words for what can be operated, with ours.
fn same_role(browser: &str, ours: &str) -> Option<bool> {
    let pairs: &[&str] = match browser {
        "button" => &["button", "fileinput"],
        "link" => &["link"],
        "textbox" => &["textbox", "textarea"],
        "searchbox" => &["searchbox"],
        "combobox" => &["combobox", "textbox", "searchbox"],
        "listbox" => &["listbox"],
        "checkbox" => &["checkbox"],
        "radio" => &["radio"],
        "switch" => &["switch"],
        "slider" => &["slider"],
        "spinbutton" => &["spinbutton"],
        "tab" => &["tab"],
        "menuitem" | "menuitemcheckbox" | "menuitemradio" => &["menuitem"],
        "Date" | "DateTime" => &["datepicker"],
        "InputTime" => &["timepicker"],
        "DisclosureTriangle" => &["button"],
        _ => return None,
    };
    Some(pairs.contains(&ours))
}

async fn ours(page: &Page) -> BTreeMap<i64, (String, String)> {
    let graph = snapshot_with(page, &options(r#"{"includeHidden":true,"maxElements":5000}"#)).await;
    let mut found = BTreeMap::new();
    for (_, _, each) in graph.elements() {
        let node = page.backend_node(&each.instance_id).await.unwrap();
        found.insert(node, (role(each), each.name.clone().unwrap_or_default().to_string()));
    }
    found
}

fn word(value: Option<&AxValue>) -> String {
    let text = value.and_then(|value| value.value.as_ref()).and_then(Value::as_str).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn names_and_roles_agree_with_the_browsers_own_accessibility_tree() {
    run(async {
        let app = videoland().await;
        let (mut agreed, mut different) = (0_u32, Vec::new());
        for path in PATHS {
            let page = drawn(&app, path).await;
            page.session().call(Enable {}).await.unwrap();
            let ours = ours(&page).await;
            for node in page.session().call(GetFullAxTree::default()).await.unwrap().nodes {
                let (role, name) = (word(node.role.as_ref()), word(node.name.as_ref()));
                let Some(id) = node.backend_dom_node_id.filter(|_| !node.ignored) else { continue };
                if same_role(&role, "").is_none() {
                    continue;
                }
                let found = ours.get(&id);
                let equal = found.is_some_and(|(our_role, our_name)| {
                    same_role(&role, our_role) == Some(true)
                        && our_name.split_whitespace().collect::<Vec<_>>().join(" ") == name
                });
                if equal {
                    agreed += 1;
                } else {
                    different.push(format!("{path}: browser {role} `{name}`, here {found:?}"));
                }
            }
            page.session().close().await.unwrap();
        }
        let total = agreed + u32::try_from(different.len()).unwrap();
        let share = 100.0 * f64::from(agreed) / f64::from(total);
        eprintln!("agreement with the accessibility tree: {agreed} of {total}, {share:.1} %");
        for line in &different {
            eprintln!("  {line}");
        }
        assert!(agreed > 100, "only {agreed} elements were compared");
        assert!(share >= 98.0, "{share:.1} %");
        app.shutdown().await;
    });
}

fn has_element(graph: &PageGraph, wanted_role: &str, wanted_name: &str) -> bool {
    graph
        .elements()
        .any(|(_, _, each)| role(each) == wanted_role && each.name.as_deref() == Some(wanted_name))
}

#[test]
fn what_the_demo_application_says_of_itself_is_found() {
    run(async {
        let app = videoland().await;
        let truth: Value = serde_json::from_str(GROUND_TRUTH).unwrap();
        let (mut found, mut missing) = (0, Vec::new());
        for route in truth.get("routes").unwrap().as_array().unwrap() {
            let pattern = route.get("pattern").and_then(Value::as_str).unwrap();
            let path = if pattern == "/" { "/dashboard" } else { pattern };
            if !PATHS.contains(&path) {
                continue;
            }
            let page = drawn(&app, path).await;
            let graph = snapshot(&page).await;
            for scope in route.get("scopes").unwrap().as_array().unwrap() {
                if scope.get("reach").and_then(Value::as_array).is_none_or(|reach| !reach.is_empty()) {
                    continue;
                }
                for each in scope.get("elements").unwrap().as_array().unwrap() {
                    let text = |key: &str| each.get(key).and_then(Value::as_str).unwrap_or_default();
                    let (role, name) = (text("role"), text("name"));
                    if each.get("repeats").is_some()
                        || each.get("reach").is_some()
                        || name.contains('{')
                        || name.is_empty()
                    {
                        continue;
                    }
                    if has_element(&graph, role, name) {
                        found += 1;
                    } else {
                        missing.push(format!("{path}: {role} `{name}`"));
                    }
                }
            }
            if !missing.is_empty() {
                eprintln!("{}", outline(&graph));
            }
            page.session().close().await.unwrap();
        }
        eprintln!("of the application's own list: {found} found, {} missing {missing:#?}", missing.len());
        assert!(found > 50, "only {found} elements were compared");
        // Out of sight until it has the focus, or until its own button opens it.
        missing.retain(|line| !line.contains("Skip to content") && !line.contains("fileinput `Thumbnail`"));
        assert!(missing.is_empty(), "{missing:#?}");
        app.shutdown().await;
    });
}
