//! `uiap act`.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use serde_json::{Map, Value, json};
use uiap_authoring::release::write_atomically;
use uiap_model::action::ActionConfirmationRequestPayload;
use uiap_model::action::request::{ActionTarget, Highlight, Pace, PresentationHints, RequestTarget};
use uiap_model::action::result::{ActionResultPayload, ActionStatus, RuntimeErrorCode};
use uiap_model::authoring::{BindingsManifest, BuildContext, UIAPCompiledBundle};
use uiap_model::capability::{ActionDescriptor, UIRole};
use uiap_model::names::{ScopeId, SessionId, StableId};
use uiap_model::policy::{PolicyGrant, PolicyPrincipal, vocabulary::PrincipalType};
use uiap_policy::Policies;
use uiap_policy::confirmation::Party;
use uiap_runtime::action::{ActionEvent, Refused, Runtime, RuntimeOptions};
use uiap_runtime::journal::Journal;
use uiap_runtime::order::Order;
use uiap_runtime::trace::{Line, story};
use uiap_server::address::{Origin, Reach};
use uiap_server::audit::AuditBook;
use uiap_web::presenter::present;
use uiap_web::surface::WebSurface;

use super::{Opened, block_on, open};
use crate::cli::Act;
use crate::command::{policy, session};
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

pub(crate) fn run(args: &Act, terminal: &Terminal) -> anyhow::Result<Exit> {
    let url = match (&args.page.session, &args.page.url) {
        (Some(session), _) => return in_session(args, session, terminal),
        (None, Some(url)) => url,
        (None, None) => anyhow::bail!("neither an address nor a session was given"),
    };
    let policies = match policy::in_force(&args.policy) {
        Ok(policies) => policies,
        // Nothing is done under a policy that cannot be read.
        Err(refused) => return refused.print(terminal),
    };
    if !args.page.window.bridges.is_empty() {
        return Err(
            usage("`--bridge` is for looking: nothing can be done in such a frame yet".to_owned()).into()
        );
    }
    let contract = args.bundle.as_deref().map(bundle).transpose()?.unwrap_or_default();
    block_on(act(args, url, policies, contract, terminal))
}

/// The session decides by what policy and with what journal.
fn in_session(args: &Act, name: &str, terminal: &Terminal) -> anyhow::Result<Exit> {
    let given = [
        ("--policy", !args.policy.is_empty()),
        ("--bundle", args.bundle.is_some()),
        ("--uploads", args.uploads.is_some()),
        ("--journal", args.journal.is_some()),
        ("--trace", args.trace.is_some()),
        ("--scope", args.scope.is_some()),
        ("--audit", args.audit.is_some()),
        ("--headed", args.headed),
    ];
    if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
        return Err(usage(format!("`{option}` is not for a running session")).into());
    }
    session::act(args, name, &arguments(&args.args)?, terminal)
}

async fn act(
    args: &Act,
    url: &str,
    policies: Option<Policies>,
    contract: Contract,
    terminal: &Terminal,
) -> anyhow::Result<Exit> {
    let (mut target, hints) = args.target.as_deref().map(target).transpose()?.unwrap_or_default();
    if let (Some(scope), Some(target)) = (&args.scope, &mut target) {
        let id =
            ScopeId::parse(scope).ok_or_else(|| usage(format!("`{scope}` cannot be the id of a scope")))?;
        target.expected_scope_id = Some(id);
    }
    let order = Order {
        action: args.action.clone(),
        target,
        text: args.text.clone(),
        args: arguments(&args.args)?,
        expect: args.expect.clone(),
        timeout_ms: args.within,
    };
    let mut request = order.request().map_err(|error| usage(error.to_string()))?;
    if let Some(hints) = hints {
        request.metadata.get_or_insert_default().0.insert("hints".to_owned(), json!(hints));
    }
    request.idempotency_key = args.key.as_deref().map(Into::into);
    let journal = match &args.journal {
        Some(path) => opened_journal(path)?,
        None => Journal::in_memory()?,
    };
    let reach = reach(url);
    let Opened { browser, page, watch, _gate, .. } =
        open(url, &args.page.window, !args.headed, reach.clone()).await?;
    let surface = WebSurface::watched(&page, watch).await?;
    // Handles of actions outlive the process in the journal.
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let session =
        SessionId::parse(&format!("cli-{:x}", started.as_nanos())).context("a session needs a name")?;
    let mut options = RuntimeOptions::new(session, Arc::new(journal));
    if let Some(policies) = policies.or(contract.policies) {
        options.policies = Arc::new(policies);
    }
    if let Some(reach) = reach {
        options.may_visit = Arc::new(move |url| reach.check(url).map(drop).map_err(|no| no.to_string()));
    }
    options.salt = uiap_server::secret::bytes::<32>()?;
    if let Some(path) = &args.audit {
        let book = AuditBook::open(path, options.session_id.clone());
        options.audit = Some(book.with_context(|| format!("the audit file `{}`", path.display()))?.sink());
    }
    if args.show {
        options.presenter = Some(present(&page, Terminal::say).await?);
        request.presentation = Some(PresentationHints {
            ghost_cursor: Some(true),
            highlight: Some(Highlight::Spotlight),
            narration: None,
            pace: Some(Pace::Humanized),
        });
    }
    options.actions = contract.actions;
    options.routes = contract.routes;
    options.uploads.clone_from(&args.uploads);
    let asker = party(PrincipalType::Agent, "cli");
    let runtime = Runtime::start(surface, options, &asker).await.map_err(|error| page_failure(&error))?;
    let mut running = match runtime.request(&asker, request, None).await {
        Ok(running) => running,
        Err(refused) => {
            browser.close().await;
            return refusal(&refused, terminal);
        }
    };
    let result = loop {
        match running.events.recv().await {
            Some(ActionEvent::Result(result)) => break result,
            Some(ActionEvent::Confirmation(question)) => {
                // Whoever thinks longer than the question stands is not waited for.
                tokio::spawn(confirm(runtime.clone(), question));
            }
            Some(ActionEvent::Handoff(request)) => {
                Terminal::say(&format!("please do this yourself: {}", request.reason));
            }
            Some(ActionEvent::Progress(progress)) => {
                if let Some(note) = &progress.note {
                    tracing::info!(stage = %progress.stage, "{note}");
                }
            }
            None => anyhow::bail!("the action ended without a result"),
        }
    };
    let lines = runtime.trace(&result.action_handle).unwrap_or_default();
    browser.close().await;
    if let Some(path) = &args.trace {
        write_trace(path, &lines)?;
    }
    tell(&result, &lines, terminal)?;
    Ok(if result.status == ActionStatus::Succeeded { Exit::Ok } else { Exit::Found })
}

/// The page's own origin and every public address; what is on this machine only for a page that is, too.
fn reach(url: &str) -> Option<Reach> {
    let origin = Origin::of(url).ok()?;
    let reach = Reach::only(["public", &origin.to_string()]).ok()?;
    Some(if origin.is_this_machine() { reach.and_this_machine() } else { reach })
}

/// A request that was not taken in: what is malformed is the asker's fault, what is forbidden is an outcome.
fn refusal(refused: &Refused, terminal: &Terminal) -> anyhow::Result<Exit> {
    use RuntimeErrorCode as Code;
    let exit = match refused.code {
        Code::InvalidArgs | Code::TargetRequired | Code::ActionUnsupported => Exit::Usage,
        _ => Exit::Found,
    };
    if !terminal.json {
        let message = format!("{}: {refused}", refused.code);
        return Err(Failure { exit, message, hint: None }.into());
    }
    let told = json!({
        "status": "refused",
        "error": {
            "code": refused.code,
            "message": refused.message,
            "problems": refused.problems.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "detail": refused.detail,
        },
    });
    Terminal::data(&format!("{told:#}\n"))?;
    Ok(exit)
}

/// A journal whose earlier actions have come to an end, also those that a killed process left under way.
fn opened_journal(path: &Path) -> anyhow::Result<Journal> {
    let unusable = || format!("the journal `{}`", path.display());
    let journal = Journal::open(path).with_context(unusable)?;
    for left in journal.recover().with_context(unusable)? {
        Terminal::say(&format!(
            "`{}` was interrupted; its effect is {}",
            left.handle, left.side_effect_state
        ));
    }
    Ok(journal)
}

fn usage(message: String) -> Failure {
    Failure { exit: Exit::Usage, message, hint: Some("`uiap help act` has examples".to_owned()) }
}

fn page_failure(error: &uiap_runtime::surface::SurfaceError) -> Failure {
    Failure { exit: Exit::Page, message: error.to_string(), hint: None }
}

fn party(principal_type: PrincipalType, connection: &str) -> Party {
    let grants = vec![PolicyGrant::Observe, PolicyGrant::Guide, PolicyGrant::Draft, PolicyGrant::Act];
    let principal =
        PolicyPrincipal { principal_type, id: connection.into(), roles: None, grants: Some(grants) };
    Party { principal, connection: connection.into() }
}

/// Puts the question to whoever sits at the terminal. Without one nobody agrees.
async fn confirm(runtime: Runtime<WebSurface>, question: ActionConfirmationRequestPayload) {
    let summary = question.preview.as_ref().and_then(|preview| preview.summary.clone()).unwrap_or_default();
    let asked = format!("{summary}\nrisk: {}. Do it? [y/N] ", question.risk.level);
    let answer = tokio::task::spawn_blocking(move || ask(&asked)).await.unwrap_or(false);
    let person = party(PrincipalType::User, "terminal");
    let outcome = if answer {
        runtime.grant(&person, true, &question.action_handle)
    } else {
        runtime.deny(&person, true, &question.action_handle, Some("nobody agreed at the terminal"))
    };
    if let Err(error) = outcome {
        tracing::info!(%error, "the answer came too late");
    }
}

fn ask(question: &str) -> bool {
    let input = std::io::stdin();
    if !input.is_terminal() {
        Terminal::say("a person has to agree, and there is no terminal to ask at");
        return false;
    }
    let mut out = std::io::stderr();
    if out.write_all(question.as_bytes()).and_then(|()| out.flush()).is_err() {
        return false;
    }
    let mut line = String::new();
    input.lock().read_line(&mut line).is_ok() && matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}

/// `ROLE "NAME"`, `#STABLE-ID`, `css=…`, `xpath=…`.
fn target(text: &str) -> Result<(Option<ActionTarget>, Option<Value>), Failure> {
    for kind in ["css", "xpath"] {
        if let Some(selector) = text.strip_prefix(kind).and_then(|rest| rest.strip_prefix('=')) {
            return Ok((None, Some(json!({ kind: selector }))));
        }
    }
    let reference = if let Some(id) = text.strip_prefix('#') {
        let value = StableId::parse(id).ok_or_else(|| usage(format!("`{id}` cannot be a stable id")))?;
        RequestTarget::StableId { value }
    } else {
        let (role, name) = text.split_once(' ').unwrap_or((text, ""));
        let Some(known) = UIRole::parse(role) else {
            return Err(usage(format!(
                "`{role}` is no role; a target reads ROLE \"NAME\", #STABLE-ID, css=… or xpath=…"
            )));
        };
        let name = name.trim().trim_matches('"');
        RequestTarget::Semantic { role: known, name: (!name.is_empty()).then(|| name.into()), scope: None }
    };
    let target = ActionTarget {
        r#ref: Some(reference),
        expected_role: None,
        expected_name: None,
        expected_scope_id: None,
        expected_document_id: None,
        allow_ambiguous: None,
    };
    Ok((Some(target), None))
}

fn arguments(pairs: &[String]) -> Result<Map<String, Value>, Failure> {
    pairs
        .iter()
        .map(|pair| {
            if let Some((name, value)) = pair.split_once(":=") {
                let value = serde_json::from_str(value)
                    .map_err(|error| usage(format!("the value of `{name}` is no JSON: {error}")))?;
                return Ok((name.to_owned(), value));
            }
            let (name, value) = pair
                .split_once('=')
                .ok_or_else(|| usage(format!("`{pair}` is no argument, expected NAME=TEXT or NAME:=JSON")))?;
            Ok((name.to_owned(), json!(value)))
        })
        .collect()
}

/// What a compiled bundle says of an app.
#[derive(Default)]
struct Contract {
    actions: Vec<ActionDescriptor>,
    policies: Option<Policies>,
    /// Ids and paths.
    routes: Vec<(String, String)>,
}

fn bundle(path: &Path) -> anyhow::Result<Contract> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let bundle: UIAPCompiledBundle = serde_json::from_str(&text).map_err(|error| Failure {
        exit: Exit::Found,
        message: format!("`{}` is no compiled bundle: {error}", path.display()),
        hint: Some("`uiap build` makes one, `uiap validate` tells what is wrong with it".to_owned()),
    })?;
    let context: BuildContext = bundle.build_context;
    let policies = bundle.policies.map(|policies| Policies::compile(policies, &context)).transpose();
    let policies = policies.map_err(|refusal| Failure {
        exit: Exit::Found,
        message: format!("the policies of `{}` cannot be used: {refusal}", path.display()),
        hint: None,
    })?;
    let declared = bundle.capabilities.into_iter().flat_map(|document| document.actions);
    let authored = bundle.actions.into_iter().flatten().map(|action| action.descriptor);
    let routes = bundle.bindings.iter().flat_map(BindingsManifest::paths);
    let routes = routes.map(|(id, path)| (id.to_owned(), path.to_owned())).collect();
    Ok(Contract { actions: authored.chain(declared).collect(), policies, routes })
}

/// What else could have been meant, each so that it can be asked for.
fn candidates(result: &ActionResultPayload) -> Vec<String> {
    let detail = result.error.as_ref().and_then(|error| error.detail.as_ref());
    let listed = detail.and_then(|detail| detail.0.get("candidates")).and_then(Value::as_array);
    let text = |candidate: &Value, name: &str| candidate.get(name).and_then(Value::as_str).map(str::to_owned);
    let line = |candidate: &Value| {
        let scope = text(candidate, "scopeId").map(|scope| format!(" --scope '{scope}'")).unwrap_or_default();
        if let Some(id) = text(candidate, "stableId") {
            return format!("  --target '#{id}'{scope}");
        }
        let (role, name) = (text(candidate, "role"), text(candidate, "name"));
        format!("  --target '{} \"{}\"'{scope}", role.unwrap_or_default(), name.unwrap_or_default())
    };
    listed.map(|listed| listed.iter().map(line).collect()).unwrap_or_default()
}

fn write_trace(path: &Path, lines: &[Line]) -> anyhow::Result<()> {
    let mut text = String::new();
    for line in lines {
        text.push_str(&serde_json::to_string(line)?);
        text.push('\n');
    }
    write_atomically(path, text.as_bytes()).with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(())
}

fn tell(result: &ActionResultPayload, lines: &[Line], terminal: &Terminal) -> anyhow::Result<()> {
    if terminal.json {
        return Terminal::data(&format!("{}\n", serde_json::to_string_pretty(result)?));
    }
    Terminal::data(&story(lines))?;
    let line = match (&result.status, &result.error) {
        (ActionStatus::Succeeded, _) => terminal.good("seen to work"),
        (_, Some(error)) => terminal.bad(&format!("{}: {}", error.code, error.message)),
        (status, None) => terminal.bad(&status.to_string()),
    };
    Terminal::say(&line);
    for candidate in candidates(result) {
        Terminal::say(&terminal.dim(&candidate));
    }
    Ok(())
}
