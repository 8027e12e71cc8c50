//! Runs in short: states, transitions and decisions as an explorer would have written them.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use uiap_discovery::fingerprint;
use uiap_discovery::package;
use uiap_discovery::record::{
    Aim, AxFact, DecisionRecord, Incident, IncidentKind, RequestRecord, RunRecord, SeedRecord, StateRecord,
    TransitionRecord,
};
use uiap_discovery::safety::{Stance, Subject, judge};
use uiap_model::discovery::DiscoveryPackage;
use uiap_model::names::ActionId;
use uiap_model::web::PageGraph;

use crate::graph::Page;

pub(crate) struct Run {
    pub(crate) record: RunRecord,
}

/// A run that saw nothing yet.
pub(crate) fn run() -> Run {
    Run {
        record: RunRecord {
            summary: serde_json::from_value(json!({
                "runId": "disc_1", "startedAt": "2026-03-27T10:00:00.000Z", "finishedAt": "2026-03-27T10:01:00.000Z",
                "status": "completed", "environmentId": "test",
            }))
            .unwrap(),
            environment: serde_json::from_value(json!({
                "environmentId": "test", "baseUrl": "https://app.example/", "safety": {"defaultMode": "safe_explore"},
            }))
            .unwrap(),
            seeds: Vec::new(),
            states: Vec::new(),
            transitions: Vec::new(),
            decisions: Vec::new(),
            incidents: Vec::new(),
            documents: Vec::new(),
        },
    }
}

impl Run {
    /// Adds a state and gives its id.
    pub(crate) fn state(&mut self, page: Page) -> String {
        self.shown(page.build())
    }

    /// The same for a graph.
    pub(crate) fn shown(&mut self, graph: PageGraph) -> String {
        let print = fingerprint::of(&graph, &fingerprint::default_policy());
        let id = print.state_id();
        if let Some(known) = self.record.states.iter_mut().find(|state| state.state_id == id) {
            known.other_urls.insert(graph.route.url.to_string());
            known.visits += 1;
            return id.to_string();
        }
        let first = self.record.states.is_empty();
        self.record.states.push(StateRecord {
            state_id: id.clone(),
            fingerprint: print.hash,
            url: graph.route.url.to_string(),
            other_urls: BTreeSet::new(),
            title: graph.route.title.as_deref().unwrap_or_default().to_owned(),
            graph: Arc::new(graph),
            accessibility: None,
            screenshot: None,
            app_actions: Vec::new(),
            seed: first.then(|| {
                serde_json::from_value(json!({"kind": "url", "url": "https://app.example/"})).unwrap()
            }),
            depth: u32::from(!first),
            profiles: BTreeSet::from(["default".into()]),
            visits: 1,
        });
        id.to_string()
    }

    /// What Chromium's accessibility tree says in a state.
    pub(crate) fn accessibility(&mut self, state: &str, facts: &[(&str, &str)]) {
        let facts = facts
            .iter()
            .map(|(role, name)| AxFact { role: (*role).into(), name: (*name).to_owned() })
            .collect();
        self.of(state).accessibility = Some(facts);
    }

    /// An action that the app registered.
    pub(crate) fn registered(&mut self, state: &str, action: Value) {
        let action = serde_json::from_value(action).unwrap();
        self.of(state).app_actions.push(action);
    }

    fn of(&mut self, state: &str) -> &mut StateRecord {
        self.record.states.iter_mut().find(|each| each.state_id == state).unwrap()
    }

    /// Adds something that was done: `role name` in a scope, with the signals that were seen.
    pub(crate) fn done(
        &mut self,
        from: &str,
        role: &str,
        name: &str,
        scope: &str,
        to: Option<&str>,
        signals: Value,
    ) -> &mut TransitionRecord {
        let action = if role == "link" { "nav.navigate" } else { "ui.activate" };
        let stable_id = {
            let state = self.of(from);
            let found = state.graph.elements().find(|(_, at, element)| {
                at.id == scope && element.role.as_str() == role && element.name.as_deref() == Some(name)
            });
            found.and_then(|(.., element)| element.stable_id.clone())
        };
        let number = self.record.transitions.len();
        self.record.transitions.push(TransitionRecord {
            transition_id: format!("tr_{number:02}_{from}").into(),
            from: from.into(),
            to: to.map(Into::into),
            action_id: ActionId::parse(action).unwrap(),
            aim: Some(Aim {
                stable_id,
                role: role.into(),
                name: name.to_owned(),
                scope_id: uiap_model::names::ScopeId::parse(scope),
                ordinal: 0,
                href: None,
            }),
            args: serde_json::from_value(json!({})).unwrap(),
            side_effect: uiap_model::policy::SideEffectClass::UiOnly,
            signals: serde_json::from_value(signals).unwrap(),
            requests: Vec::new(),
            profile: "default".into(),
            tries: 1,
            agreed: u32::from(to.is_some()),
            sealed: false,
        });
        self.record.transitions.last_mut().unwrap()
    }

    pub(crate) fn incident(&mut self, kind: IncidentKind, detail: &str) {
        self.record.incidents.push(Incident {
            kind,
            state_id: None,
            url: Some("https://app.example/x".into()),
            detail: detail.to_owned(),
        });
    }

    pub(crate) fn seed(&mut self, url: &str, state: Option<&str>, rejected: Option<&str>) {
        self.record.seeds.push(SeedRecord {
            seed: serde_json::from_value(json!({"kind": "url", "url": url})).unwrap(),
            origin: "commandLine".into(),
            rejected: rejected.map(str::to_owned),
            state_id: state.map(Into::into),
        });
    }

    /// Judges everything that could be done, as an explorer does.
    pub(crate) fn judged(&mut self) {
        let stance = Stance::of(&self.record.environment);
        for state in &self.record.states {
            for (_, scope, element) in state.graph.elements() {
                let action_id = if element.role.as_str() == "link" { "nav.navigate" } else { "ui.activate" };
                let subject = Subject {
                    graph: &state.graph,
                    scope: Some(scope),
                    element: Some(element),
                    action_id,
                    actions: &state.app_actions,
                };
                let verdict = judge(&subject, &stance);
                let href = element
                    .metadata
                    .as_ref()
                    .and_then(|metadata| metadata.0.get("href")?.as_str().map(str::to_owned));
                self.record.decisions.push(DecisionRecord {
                    state_id: state.state_id.clone(),
                    action_id: ActionId::parse(action_id).unwrap(),
                    aim: Some(Aim {
                        stable_id: element.stable_id.clone(),
                        role: element.role.as_str().into(),
                        name: element.name.as_deref().unwrap_or_default().to_owned(),
                        scope_id: Some(scope.id.clone()),
                        ordinal: 0,
                        href,
                    }),
                    side_effect: verdict.side_effect,
                    effect: verdict.effect,
                    reason: verdict.reason,
                    because: verdict.because,
                    profile: "default".into(),
                });
            }
        }
    }

    /// The package, after it passed every check that there is.
    pub(crate) fn package(&self) -> DiscoveryPackage {
        let package = package::derive(&self.record);
        let value = serde_json::to_value(&package).unwrap();
        let kind = uiap_model::document::kind("DiscoveryPackage").unwrap();
        let problems = uiap_model::document::validate(&value, kind);
        assert!(problems.is_empty(), "{problems:#?}");
        let flaws = uiap_discovery::audit::audit(&package);
        assert!(flaws.is_empty(), "{flaws:#?}");
        package
    }
}

pub(crate) fn wrote(path: &str, held: bool) -> RequestRecord {
    RequestRecord { method: "POST".into(), path: path.to_owned(), writes: true, held }
}
