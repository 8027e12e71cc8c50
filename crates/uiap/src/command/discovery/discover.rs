//! `uiap discover`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use serde_json::{Value, json};
use uiap_authoring::release::write_atomically;
use uiap_authoring::source::{Limits as SourceLimits, SourceFile, parse_source};
use uiap_discovery::login::Script;
use uiap_discovery::plan::{DEFAULT_PROFILE, Known, Plan};
use uiap_discovery::record::StateRecord;
use uiap_discovery::run::{Control, Explored, RunError, RunOptions};
use uiap_discovery::store::Store;
use uiap_model::discovery::{DiscoveryEnvironment, DiscoveryPackage, DiscoveryRunStatus};
use uiap_server::explore::{Access, GroundOptions, WebGround};
use uiap_web::bridge::BridgeGrants;
use uiap_web::storage::StorageState;

use super::progress::{Limits, View};
use crate::cli::{Discover, DiscoverVerb, Mode};
use crate::command::web::{block_on, stop_signal};
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

pub(crate) fn run(args: &Discover, terminal: &Terminal) -> anyhow::Result<Exit> {
    if let Some(DiscoverVerb::Explain(args)) = &args.verb {
        return super::explain::run(args, terminal);
    }
    if args.url.is_empty() {
        return Err(usage("the address of the app is missing: `uiap discover URL`").into());
    }
    // Without the guard nobody holds writes back, so somebody must have said that they may happen.
    if args.mode == Mode::SandboxWrite && !args.controlled_tenant {
        let message = "sandbox_write writes; say that the tenant is there for it by --controlled-tenant";
        return Err(usage(message).into());
    }
    block_on(discover(args, terminal))
}

pub(super) fn usage(message: impl std::fmt::Display) -> Failure {
    Failure { exit: Exit::Usage, message: message.to_string(), hint: None }
}

async fn discover(args: &Discover, terminal: &Terminal) -> anyhow::Result<Exit> {
    let store_path = args.out.join("run.sqlite");
    if store_path.exists() && !args.resume {
        let message = format!("`{}` holds a run already", args.out.display());
        let hint = Some("go on with it by --resume, or choose another --out".to_owned());
        return Err(Failure { exit: Exit::File, message, hint }.into());
    }
    if args.resume && !store_path.exists() {
        let message = format!("there is no run in `{}` to go on with", args.out.display());
        let hint = Some("leave --resume out to begin one".to_owned());
        return Err(Failure { exit: Exit::File, message, hint }.into());
    }
    let plan = plan(args)?;
    if let Some(reason) = plan.caution() {
        Terminal::say(&format!("warning: {reason}; run discovery where real people do not work"));
    }
    let mut access = access(args)?;
    if args.manual_login {
        let storage = by_hand(args, &plan).await?;
        for each in access.values_mut().filter(|each| each.login.is_none() && each.storage.is_none()) {
            each.storage = Some(storage.clone());
        }
    }
    super::folder::make(&args.out).with_context(|| format!("cannot make `{}`", args.out.display()))?;
    let store = Store::open(&store_path)?;
    let options = GroundOptions {
        executable: args.browser.clone(),
        headed: args.headed,
        viewport: args.viewport,
        locale: args.locale.clone(),
        hold_writes: args.mode != Mode::SandboxWrite,
        pictures: !args.no_pictures,
        keeps_private: args.keep_private,
        origins: origins(&args.origins)?,
        bridges: args.bridges.iter().cloned().collect(),
        access,
        ..GroundOptions::default()
    };
    // From here on Ctrl-C ends the run and not the process: what was found is written down.
    let control = Control::default();
    let stopper = control.clone();
    let stop = stop_signal()?;
    let watch = tokio::spawn(async move {
        stop.await;
        stopper.cancel();
    });
    let ground = launch(&plan, options).await?;
    let limits =
        Limits { states: args.max_states, transitions: args.max_transitions, seconds: args.max_runtime };
    let view = Arc::new(View::new(terminal, limits));
    let teller = Arc::clone(&view);
    let run = RunOptions {
        run_id: run_id(),
        workers: usize::from(args.browsers),
        gallery: Some(args.out.join("screenshots")),
        policy: uiap_discovery::fingerprint::default_policy(),
        control,
        listener: Arc::new(move |event| teller.tell(&event)),
        clock: uiap_runtime::clock::now,
    };
    let explored = uiap_server::explore::run(&ground, plan, store, run).await;
    watch.abort();
    ground.close().await;
    let explored = explored.map_err(refused)?;
    let package = write(&args.out, &explored)?;
    view.end();
    report(args, &package, terminal)
}

/// Other settings are the fault of the command line.
fn refused(error: RunError) -> anyhow::Error {
    match error {
        RunError::OtherSettings { .. } => usage(error).into(),
        error => error.into(),
    }
}

async fn launch(plan: &Plan, options: GroundOptions) -> anyhow::Result<WebGround> {
    Ok(WebGround::launch(plan.base().clone(), options).await.map_err(|error| Failure {
        exit: Exit::Environment,
        message: error.to_string(),
        hint: Some("`uiap doctor` tells what is missing, `uiap doctor --fix` installs it".to_owned()),
    })?)
}

/// Lets somebody log in at a window of the browser.
async fn by_hand(args: &Discover, plan: &Plan) -> anyhow::Result<StorageState> {
    let options = GroundOptions {
        executable: args.browser.clone(),
        headed: true,
        viewport: args.viewport,
        ..GroundOptions::default()
    };
    let ground = launch(plan, options).await?;
    Terminal::say("log in at the window that has opened, then press Enter here\n");
    let mut answer = Err(nobody());
    let enter = async |_| {
        let waiting = tokio::task::spawn_blocking(|| entered(&mut std::io::stdin().lock()));
        answer = waiting.await.unwrap_or_else(|_| Err(nobody()));
    };
    let state = ground.log_in_by_hand(enter).await;
    ground.close().await;
    answer?;
    Ok(state.map_err(|error| Failure { exit: Exit::Page, message: error.to_string(), hint: None })?)
}

/// Waits until somebody presses Enter. Where nobody can, nobody has logged in either.
fn entered(input: &mut impl std::io::BufRead) -> Result<(), Failure> {
    match input.read_line(&mut String::new()) {
        Ok(1..) => Ok(()),
        Ok(0) | Err(_) => Err(nobody()),
    }
}

fn nobody() -> Failure {
    let message = "--manual-login waits for Enter, and nobody can press it here: standard input is closed";
    let hint = Some("run it in a terminal, or log in by --login FILE or --storage-state FILE".to_owned());
    Failure { exit: Exit::Usage, message: message.to_owned(), hint }
}

/// An id that nobody else has: the time of its start.
fn run_id() -> compact_str::CompactString {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    compact_str::format_compact!("disc_{:x}", since.as_millis())
}

fn plan(args: &Discover) -> anyhow::Result<Plan> {
    let mode = match args.mode {
        Mode::ObserveOnly => "observe_only",
        Mode::SafeExplore => "safe_explore",
        Mode::SandboxWrite => "sandbox_write",
    };
    let profiles: Vec<Value> = args
        .profiles
        .iter()
        .map(|text| json!({ "id": text.split('=').next().unwrap_or_default() }))
        .collect();
    let (width, height) = args.viewport;
    let mut environment = json!({
        "environmentId": "discover",
        "baseUrl": args.url,
        "viewport": { "width": width, "height": height },
        "budgets": {
            "maxStates": args.max_states,
            "maxTransitions": args.max_transitions,
            "maxDepth": args.max_depth,
            "maxRuntimeMs": args.max_runtime * 1_000,
            "maxPerRoute": args.max_per_route,
        },
        "safety": { "defaultMode": mode },
        "metadata": { "controlledTenant": args.controlled_tenant, "probeOpeners": !args.no_probing },
    });
    if let Some(members) = environment.as_object_mut() {
        if !profiles.is_empty() {
            members.insert("principalProfiles".into(), profiles.into());
        }
        if !args.flags.is_empty() {
            let flags: serde_json::Map<String, Value> = args.flags.iter().cloned().collect();
            members.insert("featureFlags".into(), flags.into());
        }
        if !args.origins.is_empty()
            && let Some(metadata) = members.get_mut("metadata").and_then(Value::as_object_mut)
        {
            metadata.insert("origins".into(), origins(&args.origins)?.into_iter().collect());
        }
        if !args.bridges.is_empty() {
            // A wrong one is told before anything is opened.
            BridgeGrants::new(&args.bridges)?;
            if let Some(metadata) = members.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.insert("bridges".into(), args.bridges.clone().into());
            }
        }
        if let Some(locale) = &args.locale {
            members.insert("locale".into(), locale.as_str().into());
        }
        let auth = match (&args.login, &args.storage_state) {
            _ if args.manual_login => Some("manual"),
            (Some(_), _) => Some("seeded"),
            (_, Some(_)) => Some("session_reuse"),
            _ => None,
        };
        if let Some(auth) = auth {
            members.insert("authMode".into(), auth.into());
        }
    }
    let environment: DiscoveryEnvironment = uiap_model::json::read(&environment)?;
    let mut known = Known::default();
    let offers = super::sources::offers(args, &mut known)?;
    let mut plan = Plan::new(environment, offers, known).map_err(usage)?;
    plan.sitemap = args.sitemap;
    Ok(plan)
}

/// Who is who.
fn access(args: &Discover) -> anyhow::Result<BTreeMap<String, Access>> {
    let credentials = match &args.basic_auth {
        None => None,
        Some(variable) => {
            let text =
                std::env::var(variable).map_err(|_| usage(format!("the environment has no `{variable}`")))?;
            let pair = text.split_once(':').map(|(name, password)| (name.to_owned(), password.to_owned()));
            Some(pair.ok_or_else(|| usage(format!("`{variable}` is not NAME:PASSWORD")))?)
        }
    };
    let usual = Access {
        storage: args.storage_state.as_deref().map(storage).transpose()?,
        login: args.login.as_deref().map(login).transpose()?,
        credentials: credentials.clone(),
    };
    let mut access = BTreeMap::new();
    for profile in &args.profiles {
        let (id, file) = profile
            .split_once('=')
            .map_or((profile.as_str(), None), |(id, file)| (id, Some(Path::new(file))));
        let own = match file {
            None => usual.clone(),
            Some(file) if file.extension().is_some_and(|extension| extension == "json") => {
                Access { storage: Some(storage(file)?), login: None, credentials: credentials.clone() }
            }
            Some(file) => {
                Access { storage: None, login: Some(login(file)?), credentials: credentials.clone() }
            }
        };
        access.insert(id.to_owned(), own);
    }
    if access.is_empty() {
        access.insert(DEFAULT_PROFILE.to_owned(), usual);
    }
    Ok(access)
}

fn storage(path: &Path) -> anyhow::Result<StorageState> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("`{}` is no stored session", path.display()))
}

fn login(path: &Path) -> anyhow::Result<Arc<Script>> {
    let unreadable = || usage(format!("`{}` is no log-in script: it cannot be read as YAML", path.display()));
    let file = SourceFile::load(path, &SourceLimits::DEFAULT).map_err(|fault| usage(&fault.message))?;
    let doc = parse_source(&file, &SourceLimits::DEFAULT).doc.ok_or_else(unreadable)?;
    let script: Script = serde_json::from_value(doc.root().to_value())
        .map_err(|error| usage(format!("`{}` is no log-in script: {error}", path.display())))?;
    Ok(Arc::new(script))
}

/// Writes the package: what it is, what each state shows, what was decided.
fn write(out: &Path, explored: &Explored) -> anyhow::Result<DiscoveryPackage> {
    let mut failed = None;
    let states = out.join("states");
    let package = explored.package(|state: &StateRecord| {
        let stored = serde_json::to_vec(&state.graph).map_err(anyhow::Error::from).and_then(|bytes| {
            Ok(write_atomically(&states.join(format!("{}.json", state.state_id)), &bytes)?)
        });
        if let Err(error) = stored {
            failed.get_or_insert(error);
        }
    })?;
    if let Some(error) = failed {
        return Err(error.context(format!("cannot write into `{}`", states.display())));
    }
    let mut lines = String::new();
    for decision in explored.decisions()? {
        lines.push_str(&serde_json::to_string(&decision)?);
        lines.push('\n');
    }
    write_atomically(&out.join("decisions.jsonl"), lines.as_bytes())?;
    let text = serde_json::to_vec_pretty(&package)?;
    write_atomically(&out.join("package.json"), &text)?;
    Ok(package)
}

fn report(args: &Discover, package: &DiscoveryPackage, terminal: &Terminal) -> anyhow::Result<Exit> {
    // What the package calls a state: more may have been seen, and merged.
    let states = package.transition_graph.states.len();
    let coverage = &package.coverage;
    let status = package.run.status;
    if terminal.json {
        let text = json!({
            "status": status.to_string(),
            "package": args.out.join("package.json"),
            "states": states,
            "transitions": package.transition_graph.edges.len(),
            "coverage": coverage,
            "notes": package.run.notes.clone().unwrap_or_default(),
        });
        Terminal::data(&format!("{text:#}\n"))?;
    } else {
        Terminal::data(&format!(
            "{}: {} states, {} transitions, {} routes, {} elements, {} actions, {} workflow candidates, {} things to look at\n",
            status,
            states,
            package.transition_graph.edges.len(),
            coverage.routes_discovered.0,
            coverage.elements_discovered.0,
            coverage.actions_discovered.0,
            coverage.workflow_candidates_discovered.0,
            coverage.review_items.0,
        ))?;
        for note in package.run.notes.iter().flatten() {
            Terminal::say(&format!("note: {note}"));
        }
        terminal.hint(&format!("`uiap report {}` shows it", args.out.display()));
    }
    Ok(match status {
        DiscoveryRunStatus::Failed => Exit::Page,
        DiscoveryRunStatus::Cancelled => Exit::Found,
        _ => Exit::Ok,
    })
}

/// Origins as browsers write them: in small letters, without the port that goes without saying.
fn origins(given: &[String]) -> anyhow::Result<BTreeSet<String>> {
    let written = |origin: &String| {
        let origin = origin.strip_suffix('/').unwrap_or(origin).to_lowercase();
        let usual = if origin.starts_with("https:") { ":443" } else { ":80" };
        origin.strip_suffix(usual).map_or(origin.clone(), str::to_owned)
    };
    let written: BTreeSet<String> = given.iter().map(written).collect();
    if !written.is_empty() {
        BridgeGrants::new(&written)?;
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::entered;

    #[test]
    fn without_anybody_at_the_terminal_nobody_has_logged_in() {
        assert!(entered(&mut &b"\n"[..]).is_ok());
        let refusal = entered(&mut &b""[..]).unwrap_err();
        assert!(refusal.message.contains("--manual-login") && refusal.hint.is_some(), "{refusal}");
    }

    #[test]
    fn origins_are_written_as_browsers_write_them_and_nothing_else_is_one() {
        let written =
            |given: &str| super::origins(&[given.to_owned()]).map(|all| all.into_iter().collect::<Vec<_>>());
        assert_eq!(written("https://API.example.com:443/").unwrap(), ["https://api.example.com"]);
        assert_eq!(written("http://127.0.0.1:9000").unwrap(), ["http://127.0.0.1:9000"]);
        for wrong in ["api.example.com", "https://api.example.com/v1", "https://*.example.com"] {
            assert!(written(wrong).is_err(), "{wrong}");
        }
    }
}
