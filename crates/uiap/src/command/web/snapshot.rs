//! `uiap snapshot`.

use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use uiap_authoring::release::write_atomically;
use uiap_model::json::Positive;
use uiap_model::names::ScopeId;
use uiap_model::web::PageGraph;
use uiap_model::web::message::SnapshotOptions;
use uiap_runtime::text::{Refs, TextOptions, page};
use uiap_web::screenshot::{Format, Mark, Shot, take};
use uiap_web::{CaptureOptions, Page};

use super::{Opened, block_on, open, redactor};
use crate::cli::Snapshot;
use crate::command::session;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

/// Elements that are read for everything.
const FULL: u64 = 200_000;

pub(crate) fn run(args: &Snapshot, terminal: &Terminal) -> anyhow::Result<Exit> {
    match (&args.subject.session, &args.subject.url) {
        (Some(session), _) => session::snapshot(args, session, terminal),
        (None, Some(url)) => block_on(show(args, url, terminal)),
        (None, None) => anyhow::bail!("neither an address nor a session was given"),
    }
}

async fn show(args: &Snapshot, url: &str, terminal: &Terminal) -> anyhow::Result<Exit> {
    let scope = scope(args)?;
    let opened = open(url, &args.subject.window, true, None).await?;
    let everything = args.full || terminal.json;
    let snapshot = SnapshotOptions {
        max_elements: everything.then_some(Positive(FULL)),
        scopes: scope.clone().map(|scope| vec![scope]),
        ..SnapshotOptions::default()
    };
    let begin = Instant::now();
    let graph = read(&opened, snapshot, everything).await.map_err(|error| Failure {
        exit: Exit::Page,
        message: format!("cannot read `{url}`: {error}"),
        hint: None,
    })?;
    let took = begin.elapsed();
    let graph = redactor().graph(&graph);
    let mut refs = Refs::new();
    if terminal.json {
        Terminal::data(&format!("{}\n", serde_json::to_string_pretty(&graph)?))?;
    } else {
        let options = TextOptions { budget: (!args.full).then_some(args.budget), scope };
        let shown = page(&graph, &mut refs, &options);
        Terminal::data(&shown.text)?;
        Terminal::say(&terminal.dim(&format!(
            "{} elements, about {} tokens, {} ms",
            shown.shown,
            shown.tokens,
            took.as_millis()
        )));
    }
    if let Some(path) = &args.screenshot {
        picture(args, path, &opened.page, &graph, &mut refs).await?;
    }
    opened.browser.close().await;
    Ok(Exit::Ok)
}

/// Reads the page; with a grant also the frames of those origins.
async fn read(opened: &Opened, snapshot: SnapshotOptions, everything: bool) -> anyhow::Result<PageGraph> {
    let Some(bridge) = &opened.bridge else {
        let options = CaptureOptions { snapshot: Some(snapshot), viewport_only: !everything };
        return Ok(opened.page.capture(&options).await?.graph);
    };
    Ok(bridge.snapshot(&snapshot).await?)
}

async fn picture(
    args: &Snapshot,
    path: &Path,
    page: &Page,
    graph: &PageGraph,
    refs: &mut Refs,
) -> anyhow::Result<()> {
    let jpeg = path
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("jpg") || end.eq_ignore_ascii_case("jpeg"));
    let mut shot = Shot { format: if jpeg { Format::Jpeg(85) } else { Format::Png }, ..Shot::default() };
    if args.marks {
        // Everything that has a name in the text is marked by it.
        uiap_runtime::text::page(graph, refs, &TextOptions { budget: None, scope: None });
        shot.marks = graph
            .elements()
            .filter_map(|(.., element)| {
                let label = refs.get(&element.instance_id)?.to_owned();
                Some(Mark { element: element.instance_id.clone(), label })
            })
            .collect();
    }
    let taken = take(page, &shot).await.map_err(|error| Failure {
        exit: Exit::Page,
        message: format!("no picture: {error}"),
        hint: None,
    })?;
    write_atomically(path, &taken.bytes).with_context(|| format!("cannot write `{}`", path.display()))?;
    Terminal::say(&format!("picture in {}", path.display()));
    Ok(())
}

fn scope(args: &Snapshot) -> Result<Option<ScopeId>, Failure> {
    let Some(text) = &args.scope else { return Ok(None) };
    ScopeId::parse(text).map(Some).ok_or_else(|| Failure {
        exit: Exit::Usage,
        message: format!("`{text}` cannot be the id of a scope"),
        hint: Some("`uiap snapshot URL --json` lists the scopes".to_owned()),
    })
}
