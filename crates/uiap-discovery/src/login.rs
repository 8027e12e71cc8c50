//! Logging in by a script: a few actions, with secrets that come from the environment or from a file and are never written down.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Deserialize;
use uiap_model::capability::{UIAffordance, UIRole};
use uiap_model::web::{ElementNode, PageGraph};

use crate::ground::{Deed, GroundError, Place};
use crate::record::IncidentKind;
use crate::seed::address::Base;

/// What is done to log in.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "a log-in script with `steps`")]
pub struct Script {
    /// Where to log in; the app's own address when it is left out.
    #[serde(default)]
    pub url: Option<String>,
    /// What is done there.
    pub steps: Vec<LoginStep>,
    /// What must be seen afterwards: part of the address.
    #[serde(default)]
    pub expect: Option<String>,
}

/// One step.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "a step: `enter` or `press`")]
pub enum LoginStep {
    /// Writes into a field.
    Enter {
        /// The field's name or stable id.
        field: String,
        /// What.
        text: Words,
    },
    /// Presses a button or a link.
    Press(String),
}

/// What is written: as it stands, or a secret.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase", untagged)]
pub enum Words {
    /// As it stands.
    Plain(String),
    /// The value of an environment variable.
    #[serde(rename_all = "camelCase")]
    Env {
        /// Which.
        env: String,
    },
    /// The first line of a file.
    #[serde(rename_all = "camelCase")]
    File {
        /// Which.
        file: PathBuf,
    },
}

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Plain(_) => f.write_str("Plain(…)"),
            Self::Env { env } => write!(f, "Env({env})"),
            Self::File { file } => write!(f, "File({})", file.display()),
        }
    }
}

impl Words {
    fn read(&self) -> Result<String, GroundError> {
        let fault = |what: String| GroundError::new(IncidentKind::SessionExpired, what);
        match self {
            Self::Plain(text) => Ok(text.clone()),
            Self::Env { env } => std::env::var(env)
                .map_err(|_| fault(format!("the environment has no `{env}` to log in with"))),
            Self::File { file } => {
                let text = std::fs::read_to_string(file);
                let text =
                    text.map_err(|error| fault(format!("`{}` cannot be read: {error}", file.display())))?;
                Ok(text.lines().next().unwrap_or_default().to_owned())
            }
        }
    }
}

/// Logs in.
pub async fn perform<P: Place>(script: &Script, base: &Base, place: &mut P) -> Result<(), GroundError> {
    let fault = |what: String| GroundError::new(IncidentKind::SessionExpired, what);
    let url = script.url.as_deref().unwrap_or(base.url());
    let url = base.within(url).map_err(|refusal| fault(refusal.to_string()))?;
    let mut graph = place.go(&url).await?.graph;
    // A log-in is a write that is meant: everything that it sends counts as the page's own.
    let idle = BTreeSet::new();
    for step in &script.steps {
        let (name, deed) = match step {
            LoginStep::Enter { field, text } => (field, Deed::EnterText { text: text.read()? }),
            LoginStep::Press(name) => (name, Deed::Activate),
        };
        let fields = matches!(step, LoginStep::Enter { .. });
        let target = find(&graph, name, fields).ok_or_else(|| fault(missing(&graph, name, fields)))?;
        let target = target.instance_id.clone();
        graph = place.act(&deed, Some(&target), &idle).await?.looked.graph;
    }
    match &script.expect {
        Some(part) if !graph.route.url.contains(part.as_str()) => {
            Err(fault(format!("after logging in, `{}` was shown instead of `{part}`", graph.route.url)))
        }
        _ => Ok(()),
    }
}

/// The first that is called so, or has that id.
fn find<'a>(graph: &'a PageGraph, name: &str, fields: bool) -> Option<&'a ElementNode> {
    fitting(graph, fields).find(|element| {
        element.stable_id.as_ref().is_some_and(|id| id.as_str() == name)
            || element.name.as_deref().is_some_and(|own| bare(own).eq_ignore_ascii_case(bare(name)))
    })
}

/// A name without the signs by which forms mark a field.
fn bare(name: &str) -> &str {
    name.trim_matches(|letter: char| letter.is_whitespace() || matches!(letter, '*' | ':' | '＊' | '：'))
}

fn missing(graph: &PageGraph, name: &str, fields: bool) -> String {
    /// So many names help; more do not.
    const MOST: usize = 8;
    let what = if fields { "field" } else { "button or link" };
    let names = fitting(graph, fields).filter_map(|element| element.name.as_deref()).take(MOST);
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let there = if names.is_empty() { "none at all".to_owned() } else { names.join(", ") };
    format!("there is no {what} `{name}` to log in by at `{}`; there is {there}", graph.route.url)
}

/// What can be written into, or pressed.
fn fitting(graph: &PageGraph, fields: bool) -> impl Iterator<Item = &ElementNode> {
    let is_field = |role: &UIRole| {
        matches!(
            role,
            UIRole::Textbox | UIRole::Textarea | UIRole::Searchbox | UIRole::Combobox | UIRole::Spinbutton
        )
    };
    // A heading that is called like the button is none.
    let is_pressed = |element: &ElementNode| {
        element.affordances.contains(&UIAffordance::Activate)
            || element.affordances.contains(&UIAffordance::Submit)
            || matches!(element.role, UIRole::Button | UIRole::Link | UIRole::Menuitem)
    };
    graph.elements().map(|(.., element)| element).filter(move |element| {
        if fields { is_field(&element.role) } else { !is_field(&element.role) && is_pressed(element) }
    })
}
