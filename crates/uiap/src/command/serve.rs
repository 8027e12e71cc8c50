//! `uiap serve`.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};
use uiap_authoring::source::{Limits, Node, SourceFile, parse_source};
use uiap_model::authoring::UIAPCompiledBundle;
use uiap_model::document;
use uiap_model::problem::Problem;
use uiap_server::address::{Origin, Reach};
use uiap_server::browsers::BrowserOptions;
use uiap_server::downloads::DownloadOptions;
use uiap_server::protocol::{HouseOptions, Keyring};
use uiap_server::serve::{ServeOptions, Server, policies};

use super::web::{block_on, stop_signal};
use crate::cli::Serve;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

pub(crate) fn run(args: &Serve, terminal: &Terminal) -> anyhow::Result<Exit> {
    let options = options(args)?;
    block_on(async {
        let stop = stop_signal()?;
        let mut hangup = signal(SignalKind::hangup())?;
        let server = Server::start(options).await.map_err(|error| refused(error.to_string(), None))?;
        announce(&server, terminal)?;
        let reloading = async {
            while hangup.recv().await.is_some() {
                reload(args, &server);
            }
            std::future::pending::<()>().await;
        };
        let serving = async {
            // The browser starts ahead of the first session; without one there is still a door that says why.
            if let Err(error) = server.warm().await {
                Terminal::say(&format!("no page is ready: {error}"));
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = serving => {}
            () = reloading => {}
            () = stop => {}
        }
        server.close().await;
        Ok(Exit::Ok)
    })
}

fn announce(server: &Server, terminal: &Terminal) -> anyhow::Result<()> {
    let address = server.address();
    let (socket, sessions) = (format!("ws://{address}/uiap/ws"), format!("http://{address}/uiap/sessions"));
    for left in server.interrupted() {
        Terminal::say(&format!(
            "`{}` was interrupted; its effect is {}",
            left.handle, left.side_effect_state
        ));
    }
    // Never on stdout: whoever starts an agent may hand that on.
    if let Some(operator) = server.operator() {
        Terminal::say(&format!("operator: {}", operator.url()));
    }
    if terminal.json {
        return Terminal::data(&format!("{}\n", json!({ "ws": socket, "http": sessions })));
    }
    Terminal::say(&format!("UIAP on {} and {sessions}; Ctrl-C ends it", terminal.strong(&socket)));
    Ok(())
}

/// Puts the policies into force as they stand in their files now.
fn reload(args: &Serve, server: &Server) {
    let read = || -> anyhow::Result<(Option<UIAPCompiledBundle>, Vec<Value>)> {
        Ok((args.bundle.as_deref().map(bundle).transpose()?, given(args)?))
    };
    let compiled = match read() {
        Ok((bundle, given)) => policies(bundle.as_ref(), &given),
        Err(error) => {
            let problem = Problem::error(uiap_policy::NOTHING_READ, "", format!("{error:#}"));
            Err(uiap_policy::Refusal::unreadable(problem))
        }
    };
    match server.house().replace_policy(compiled) {
        Ok(()) => Terminal::say("the policies were read again"),
        Err(refusal) => Terminal::say(&format!("everything is denied from now on: {refusal}")),
    }
}

fn given(args: &Serve) -> anyhow::Result<Vec<Value>> {
    let mut given = Vec::new();
    for path in &args.policy {
        given.extend(policy(path)?);
    }
    Ok(given)
}

fn refused(message: String, hint: Option<&str>) -> Failure {
    Failure { exit: Exit::File, message, hint: hint.map(str::to_owned) }
}

fn options(args: &Serve) -> anyhow::Result<ServeOptions> {
    let bundle = args.bundle.as_deref().map(bundle).transpose()?;
    let start = args.url.clone().or_else(|| bundle.as_ref().and_then(base_url));
    Ok(ServeOptions {
        listen: args.listen,
        beyond_loopback: args.beyond_loopback,
        hosts: args.host.clone(),
        client_origins: args.client_origin.clone(),
        keyring: args.token_file.as_deref().map(tokens).transpose()?.unwrap_or_default(),
        reach: reach(&args.allow_origin, start.as_deref())?,
        bundle: bundle.map(Box::new),
        policies: given(args)?,
        operator: (!args.no_operator).then_some(args.operator_port),
        journal: journal(args)?,
        audit: args.audit.clone(),
        downloads: DownloadOptions { keep: args.downloads.clone(), ..DownloadOptions::default() },
        browsers: BrowserOptions {
            executable: args.browser.clone(),
            most: usize::from(args.browsers),
            ..BrowserOptions::default()
        },
        discovery: args.discovery,
        discovery_writes: args.discovery_writes,
        house: HouseOptions {
            most_sessions: usize::from(args.sessions),
            start: start.map(Into::into),
            ..HouseOptions::default()
        },
        ..ServeOptions::default()
    })
}

/// The journal that was named, else one for each port in the user's state directory; none where the port is any.
fn journal(args: &Serve) -> anyhow::Result<Option<PathBuf>> {
    if let Some(path) = &args.journal {
        return Ok(Some(path.clone()).filter(|path| path != Path::new("none")));
    }
    if args.listen.port() == 0 {
        return Ok(None);
    }
    let home = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let Some(state) = home("XDG_STATE_HOME").or_else(|| Some(home("HOME")?.join(".local/state"))) else {
        return Ok(None);
    };
    let folder = state.join("uiap");
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder.create(&folder).with_context(|| {
        format!("cannot create `{}`; `--journal FILE` names another place", folder.display())
    })?;
    Ok(Some(folder.join(format!("serve-{}.journal", args.listen.port()))))
}

/// What pages may reach: what was listed, else everything public; where sessions begin in any case.
fn reach(listed: &[String], start: Option<&str>) -> anyhow::Result<Reach> {
    let mut entries = listed.to_vec();
    if entries.is_empty() {
        entries.push("public".to_owned());
    }
    if let Some(url) = start {
        let origin = Origin::of(url).map_err(|refusal| refused(format!("`{url}`: {refusal}"), None))?;
        entries.push(origin.to_string());
    }
    Reach::only(&entries).map_err(|(entry, refusal)| refused(format!("`{entry}`: {refusal}"), None).into())
}

fn base_url(bundle: &UIAPCompiledBundle) -> Option<String> {
    let environments = bundle.app.environments.as_deref()?;
    let wanted = bundle.build_context.environment.as_ref();
    let chosen = environments.iter().find(|each| wanted.is_none_or(|id| each.id == *id))?;
    chosen.base_urls.as_ref()?.first().map(ToString::to_string)
}

fn bundle(path: &Path) -> anyhow::Result<UIAPCompiledBundle> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let name = path.display();
    let value = uiap_model::parse::parse_value(&bytes)
        .map_err(|problem| refused(format!("`{name}`: {problem}"), None))?;
    if let Some(kind) = document::kind("UIAPCompiledBundle")
        && let Some(problem) = document::validate(&value, kind).into_iter().find(Problem::is_error)
    {
        let hint = "`uiap validate` tells everything that is wrong with it";
        return Err(refused(format!("`{name}`: {problem}"), Some(hint)).into());
    }
    uiap_model::json::read(&value).with_context(|| format!("cannot read `{name}`"))
}

/// The policies of a file: a document, or a manifest that holds several.
fn policy(path: &Path) -> anyhow::Result<Vec<Value>> {
    let hint = "`uiap validate` tells everything that is wrong with it";
    let unreadable = || refused(format!("cannot read `{}`", path.display()), Some(hint));
    let file = SourceFile::load(path, &Limits::DEFAULT).map_err(|_| unreadable())?;
    let parsed = parse_source(&file, &Limits::DEFAULT);
    let doc = parsed.doc.filter(|_| !parsed.diagnostics.has_errors()).ok_or_else(unreadable)?;
    let set = doc.pointer("/spec/policies").filter(|_| doc.pointer("/kind").is_some());
    Ok(match set {
        Some(set) => set.items().map(Node::to_value).collect(),
        None => vec![doc.root().to_value()],
    })
}

pub(crate) fn tokens(path: &Path) -> anyhow::Result<Keyring> {
    use std::os::unix::fs::PermissionsExt;
    let name = path.display();
    let mode = std::fs::metadata(path).with_context(|| format!("cannot read `{name}`"))?.permissions().mode();
    if mode & 0o077 != 0 {
        let hint = format!("chmod 600 {name}");
        return Err(refused(format!("`{name}` can be read by others"), Some(&hint)).into());
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{name}`"))?;
    Keyring::parse(&text).map_err(|error| refused(format!("`{name}`: {error}"), None).into())
}
