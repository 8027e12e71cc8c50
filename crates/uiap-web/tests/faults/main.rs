//! Every way in which an action can go wrong that we know of, in a real browser: no success that was none, no wrong target.
//!
//! `FAULTS=id,id` runs some of them, `FAULTS_TRACE=1` prints their traces.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a test suite that prints a table"
)]

mod scenario;
mod site;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use scenario::{Came, Scenario, Step};
use serde_json::{Value, json};
use site::Site;
use uiap_cdp::protocol::runtime::Evaluate;
use uiap_cdp::{Browser, LaunchOptions};
use uiap_model::action::request::ActionRequestPayload;
use uiap_model::action::result::{ActionResultPayload, ActionStatus};
use uiap_model::names::SessionId;
use uiap_model::policy::{PolicyPrincipal, vocabulary::PrincipalType};
use uiap_model::web::PageGraph;
use uiap_policy::confirmation::Party;
use uiap_runtime::action::{Refused, Runtime, RuntimeOptions};
use uiap_runtime::journal::Journal;
use uiap_runtime::resolve::Identity;
use uiap_runtime::trace;
use uiap_web::signal::WatchOptions;
use uiap_web::surface::WebSurface;
use uiap_web::{OpenOptions, Page};

/// Pages that are open at the same time.
const ABREAST: usize = 4;

/// Requirement: ACT-3-04
/// Requirement: ACT-9-01
/// Requirement: ACT-9.4-02
#[test]
fn nothing_succeeds_that_did_not_and_nothing_else_is_hit() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let came = runtime.block_on(run_all());
    let mut falsely_succeeded = 0;
    let mut falsely_failed = 0;
    let mut wrong_target = 0;
    let mut other = Vec::new();
    for (scenario, came) in &came {
        let mark = came.fault(scenario);
        println!(
            "{:<28} {:<10} {:<24} {:>6} ms  {}",
            scenario.id,
            came.status,
            came.code.as_deref().unwrap_or("-"),
            came.took.as_millis(),
            mark.as_deref().unwrap_or("")
        );
        match mark.as_deref() {
            Some(mark) if mark.starts_with("FALSE SUCCESS") => falsely_succeeded += 1,
            Some(mark) if mark.starts_with("FALSE FAILURE") => falsely_failed += 1,
            Some(mark) if mark.starts_with("WRONG TARGET") => wrong_target += 1,
            Some(mark) => other.push(format!("{}: {mark}", scenario.id)),
            None => {}
        }
    }
    let all = came.len();
    println!(
        "{all} scenarios: {falsely_succeeded} false successes, {wrong_target} wrong targets, {falsely_failed} false failures, {} others",
        other.len()
    );
    assert_eq!(falsely_succeeded, 0, "an action was called successful that was not");
    assert_eq!(wrong_target, 0, "something else was hit");
    assert!(falsely_failed * 50 <= all, "{falsely_failed} of {all} were called failed that were not");
    assert_eq!(other, Vec::<String>::new());
}

async fn run_all() -> Vec<(Scenario, Came)> {
    let site = Site::start().await;
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let only: Option<Vec<String>> =
        std::env::var("FAULTS").ok().map(|list| list.split(',').map(str::to_owned).collect());
    let scenarios: Vec<Scenario> = scenario::read()
        .into_iter()
        .filter(|each| only.as_ref().is_none_or(|only| only.contains(&each.id)))
        .collect();
    let (site, browser) = (&site, &browser);
    let mut came: Vec<(usize, (Scenario, Came))> =
        futures_util::stream::iter(scenarios.into_iter().enumerate())
            .map(|(at, scenario)| async move {
                let outcome =
                    tokio::time::timeout(Duration::from_mins(1), play(browser, site, &scenario)).await;
                let came = outcome.unwrap_or_else(|_| Came::hung());
                (at, (scenario, came))
            })
            .buffer_unordered(ABREAST)
            .collect()
            .await;
    came.sort_by_key(|(at, _)| *at);
    came.into_iter().map(|(_, each)| each).collect()
}

async fn play(browser: &Browser, site: &Site, scenario: &Scenario) -> Came {
    let context = browser.new_context(uiap_cdp::ContextOptions::default()).await.unwrap();
    let session = context.new_page("about:blank").await.unwrap();
    let page = Page::attach_with(session, OpenOptions::default()).await.unwrap();
    let surface = WebSurface::new(browser, &page, WatchOptions::default()).await.unwrap();
    page.navigate(&site.url(&scenario.page)).await.unwrap();
    let journal = Arc::new(Journal::in_memory().unwrap());
    let mut options =
        RuntimeOptions::new(SessionId::parse(&format!("sess_{}", scenario.id)).unwrap(), journal);
    options.uploads = Some(site::folder());
    let agent = Party {
        principal: PolicyPrincipal {
            principal_type: PrincipalType::Agent,
            id: "agent".into(),
            roles: None,
            grants: Some(serde_json::from_value(json!(["observe", "guide", "draft", "act"])).unwrap()),
        },
        connection: "test".into(),
    };
    let runtime = Runtime::start(surface, options, &agent).await.unwrap();
    let first = runtime.scene().look().await.unwrap();
    let mut came = None;
    for step in &scenario.steps {
        let payload = request(step, &first, site);
        if let Some(between) = &step.between {
            let evaluate = Evaluate { expression: between, await_promise: true, ..Evaluate::default() };
            page.session().call(evaluate).await.unwrap();
        }
        let start = Instant::now();
        let outcome = runtime.act(&agent, payload, Some(Arc::clone(&first))).await;
        let took = start.elapsed();
        if std::env::var("FAULTS_TRACE").is_ok()
            && let Ok(result) = &outcome
        {
            println!("{}\n{}", scenario.id, trace::story(&runtime.trace(&result.action_handle).unwrap()));
            println!("{}", serde_json::to_string(&**result).unwrap());
        }
        if let Ok(result) = &outcome {
            let lines = runtime.trace(&result.action_handle).unwrap();
            let verdict = trace::replay(&lines).expect("a trace holds together");
            if let Some(passed) = verdict {
                assert_eq!(passed, result.status == ActionStatus::Succeeded, "{}", scenario.id);
            }
        }
        came = Some(told(&outcome, took));
    }
    let mut came = came.unwrap();
    // What a page does after the verdict counts too; give it a moment.
    let moment = Evaluate {
        expression: "new Promise((done) => setTimeout(done, 400))",
        await_promise: true,
        ..Evaluate::default()
    };
    drop(page.session().call(moment).await);
    came.effects = effects(&page).await;
    came
}

/// What a user really caused on the page.
async fn effects(page: &Page) -> Value {
    let counters = Evaluate {
        expression: "JSON.stringify(window.__effects ?? JSON.parse(sessionStorage.getItem('effects') ?? '{}'))",
        return_by_value: true,
        ..Evaluate::default()
    };
    let Ok(evaluation) = page.session().call(counters).await else { return Value::Null };
    let text: Option<String> = evaluation.result.value_as().unwrap();
    serde_json::from_str(&text.unwrap_or_default()).unwrap_or_default()
}

fn told(outcome: &Result<Arc<ActionResultPayload>, Refused>, took: Duration) -> Came {
    match outcome {
        Ok(result) => Came {
            status: result.status.to_string(),
            code: result.error.as_ref().map(|error| error.code.to_string()),
            message: result.error.as_ref().map(|error| error.message.to_string()).unwrap_or_default(),
            side_effect: result.side_effect().to_string(),
            effects: Value::Null,
            took,
        },
        Err(refused) => Came {
            status: "failed".to_owned(),
            code: Some(refused.code.to_string()),
            message: refused.message.clone(),
            side_effect: "none".to_owned(),
            effects: Value::Null,
            took,
        },
    }
}

/// The request of a step. What was seen under a name at the first look is asked for by its instance, as a ref would be.
fn request(step: &Step, first: &PageGraph, site: &Site) -> ActionRequestPayload {
    let target = step.target.as_ref().map(|target| scenario::target(target, first));
    let mut args = step.args.clone().unwrap_or_default();
    if let Some(url) = args.get("url").and_then(Value::as_str)
        && !url.contains(':')
    {
        let url = site.url(url);
        args["url"] = json!(url);
    }
    if let Some(to) = args.get("dragTo").cloned() {
        args["dragTo"] = scenario::target(&to, first);
    }
    let mut payload = json!({ "actionId": step.action, "target": target, "args": args });
    if target_is_none(&payload) {
        payload.as_object_mut().unwrap().remove("target");
    }
    if step.expect.is_some() || step.require_revision_advance.is_some() {
        let mut spec = json!({});
        if let Some(expect) = &step.expect {
            spec = json!({ "policy": "all", "signals": expect, "timeoutMs": 4000 });
        }
        if let Some(advance) = step.require_revision_advance {
            spec["requireRevisionAdvance"] = json!(advance);
        }
        payload["verification"] = spec;
    }
    serde_json::from_value(payload).unwrap()
}

fn target_is_none(payload: &Value) -> bool {
    payload.get("target").is_none_or(Value::is_null)
}

/// An element as it was seen: its identity is what the one who asks expects.
pub(crate) fn seen(first: &PageGraph, role: &str, name: &str, nth: usize) -> Value {
    let found = first
        .elements()
        .filter(|(.., element)| element.role.to_string() == role && element.name.as_deref() == Some(name))
        .nth(nth);
    let Some((.., element)) = found else {
        return json!({ "ref": { "by": "semantic", "role": role, "name": name } });
    };
    let identity = Identity::of(first, &element.instance_id).unwrap();
    json!({
        "ref": { "by": "instanceId", "value": element.instance_id },
        "expectedRole": identity.role,
        "expectedName": identity.name,
    })
}
