//! `uiap watch`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use uiap_model::web::diff::{Difference, diff};
use uiap_model::web::message::WebStateDeltaPayload;
use uiap_model::web::signal::WebSignal;
use uiap_model::web::{ElementNode, PageGraph};
use uiap_policy::{Redactor, Situation};
use uiap_runtime::text::{self, Refs, TextOptions};
use uiap_web::signal::{Observed, SignalStream};
use uiap_web::{Change, ObserveOptions, Revision};

use super::{block_on, open, redactor, stop_signal};
use crate::cli::Watch;
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

/// Tokens of one change for people.
const CHANGE: usize = 2_000;

pub(crate) fn run(args: &Watch) -> anyhow::Result<Exit> {
    block_on(watch(args))
}

async fn watch(args: &Watch) -> anyhow::Result<Exit> {
    // Taken before the browser starts, so that a Ctrl-C in between is not lost.
    let stop = stop_signal()?;
    tokio::pin!(stop);
    let opened = tokio::select! {
        opened = open(&args.target.url, &args.target.window, !args.headed, None) => opened?,
        () = &mut stop => return Ok(Exit::Ok),
    };
    let mut stream = SignalStream::new(opened.page.observe(ObserveOptions::default()), &opened.watch);
    let mut teller = Teller { refs: Refs::new(), text: args.text, redactor: redactor(), shown: None };
    let end = async {
        match args.seconds {
            // tidy: the person who watches asked for this time
            Some(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
            None => std::future::pending().await,
        }
    };
    tokio::pin!(end);
    loop {
        let observed = tokio::select! {
            () = &mut stop => break,
            () = &mut end => break,
            observed = stream.next() => observed,
        };
        let observed = observed.map_err(|error| Failure {
            exit: Exit::Page,
            message: format!("`{}` is gone: {error}", args.target.url),
            hint: None,
        })?;
        teller.tell(&observed, stream.graph())?;
    }
    opened.browser.close().await;
    Ok(Exit::Ok)
}

/// Prints what is observed.
struct Teller {
    refs: Refs,
    text: bool,
    redactor: Redactor,
    /// The page as it was printed last.
    shown: Option<PageGraph>,
}

impl Teller {
    fn tell(&mut self, observed: &Observed, graph: Option<&PageGraph>) -> anyhow::Result<()> {
        match (observed, graph) {
            (Observed::Signal(heard), _) => self.signal(&heard.signal),
            (Observed::Revision(Revision::Snapshot(_)), Some(graph)) => self.snapshot(graph),
            (Observed::Revision(Revision::Change(change)), Some(graph)) => self.change(change, graph),
            (Observed::Revision(_), None) => Ok(()),
        }
    }

    fn snapshot(&mut self, graph: &PageGraph) -> anyhow::Result<()> {
        let graph = self.shown.insert(self.redactor.graph(graph));
        if self.text {
            return Terminal::data(&text::page(graph, &mut self.refs, &TextOptions::default()).text);
        }
        line("web.state.snapshot", &json!({ "graph": graph }))
    }

    fn change(&mut self, change: &Change, graph: &PageGraph) -> anyhow::Result<()> {
        // A change of what is shown: made from what was shown, it cannot hold what that withholds.
        let shown = self.redactor.graph(graph);
        let before = self.shown.replace(shown.clone());
        if !self.text {
            let Some(Difference::Delta(ops)) = before.map(|before| diff(&before, &shown)) else {
                return line("web.state.snapshot", &json!({ "graph": shown }));
            };
            let delta = WebStateDeltaPayload { ops, ..change.delta.clone() };
            return line("web.state.delta", &serde_json::to_value(delta)?);
        }
        let cover = |node: &Option<Arc<ElementNode>>| {
            let covered = |node| self.redactor.element(node, &Situation::default());
            node.as_deref().map(|node| covered(node).unwrap_or_else(|| node.clone()))
        };
        let elements: Vec<_> = change
            .elements
            .iter()
            .map(|each| (&each.document_id, cover(&each.before), cover(&each.after)))
            .collect();
        let told = text::Change {
            base: Some(&change.delta.base_revision),
            route: change.route_before.as_ref().map(|_| &shown.route),
            elements: elements
                .iter()
                .map(|(id, before, after)| (*id, before.as_ref(), after.as_ref()))
                .collect(),
            notes: Vec::new(),
        };
        Terminal::data(&self.redactor.text(&text::change(&shown, &mut self.refs, &told, CHANGE)))
    }

    fn signal(&self, signal: &WebSignal) -> anyhow::Result<()> {
        let value = serde_json::to_value(self.redactor.signal(signal, &[]))?;
        if !self.text {
            return line("web.signal", &json!({ "signal": value }));
        }
        let kind = value.get("kind").and_then(Value::as_str).unwrap_or("signal").to_owned();
        let rest: Vec<String> = value
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(key, _)| {
                !matches!(key.as_str(), "kind" | "signalId" | "ts" | "revision" | "documentId")
            })
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        Terminal::data(&format!("! {kind} {}\n", text::harmless(&rest.join(" "), 300)))
    }
}

fn line(kind: &str, payload: &Value) -> anyhow::Result<()> {
    Terminal::data(&format!("{}\n", json!({ "type": kind, "payload": payload })))
}
