//! What was seen after an action, sorted: what only the action can have done, what the page does by itself, and what speaks
//! against success.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use serde_json::json;
use tokio::time::Instant;
use uiap_model::capability::{SuccessSignal, TargetRef, UIRole};
use uiap_model::names::ElementInstanceId;
use uiap_model::web::signal::{ToastSeverity, WebSignalBody};
use uiap_model::web::{ElementNode, PageGraph, ScopeNode};

use super::check::{custom, target_ref};
use super::facts::is_refusal;
use super::property::differences;
use crate::ambience::Ambience;
use crate::scene::{Entry, Event};
use crate::surface::{Seen, Touched};

/// Something that speaks against success.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Surprise {
    /// What it is: `errorToast`, `alert`, `validation`, `failedRequest`, `pageError`, `dialog`, `permission`, `crash`.
    pub kind: &'static str,
    /// In words.
    pub text: String,
}

/// Where the action was carried out.
#[derive(Clone, Debug)]
pub(super) struct Place<'a> {
    pub(super) target: Option<&'a ElementInstanceId>,
    pub(super) before: &'a PageGraph,
    pub(super) ambience: &'a Ambience,
    /// When the input had been sent and the page was looked at first.
    pub(super) prompt: Instant,
    /// Whether the page was watched for so long that what changed once only is no habit of it.
    pub(super) doubts_end: bool,
}

/// A change that may be the page's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    /// Where: an element that changed, or a scope in which elements come and go.
    pub place: String,
    /// When.
    pub at: Instant,
    /// The element, where it is one.
    pub element: Option<ElementInstanceId>,
    /// What.
    pub signal: SuccessSignal,
}

/// What was seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// What only the action can have done.
    pub found: Vec<SuccessSignal>,
    /// Changes that may be the page's own.
    pub doubtful: Vec<Doubt>,
    /// Changes that are the page's own.
    pub ambient: usize,
    /// What speaks against it.
    pub surprises: Vec<Surprise>,
    /// Whether the app refused what a form holds.
    pub invalid: bool,
    /// Whether another document was shown.
    pub replaced: bool,
    /// Whether the doubts had time enough to be cleared.
    judged: bool,
    /// When a status of the page changed in place.
    ticks: HashSet<Instant>,
}

impl Surprise {
    /// Whether the app itself says that it did not work.
    pub fn is_refusal(&self) -> bool {
        is_refusal(self.kind)
    }
}

/// The kind of surprise that is a permission nobody granted.
pub(super) const PERMISSION: &str = "permission";
/// How the place of a status is called.
const STATUS: &str = "status of ";
/// Told things are cut to this many characters.
const WORDS: usize = 200;

impl Evidence {
    pub(super) fn gather(entries: &[Entry], place: &Place<'_>) -> Self {
        let mut evidence = Self::default();
        for entry in entries {
            match &entry.event {
                Event::Signal(heard) => evidence.signal(&heard.signal.body, entry.at, place),
                Event::Revision(seen) => evidence.revision(seen, entry.at, place),
                Event::Lost(error) => evidence.surprise("crash", &error.to_string()),
            }
        }
        evidence.judge(place.doubts_end);
        evidence
    }

    /// What changed in one place only once, while the page was watched, is no habit of the page.
    fn judge(&mut self, doubts_end: bool) {
        self.judged = doubts_end;
        if !doubts_end {
            return;
        }
        let doubtful = std::mem::take(&mut self.doubtful);
        // Several changes of one moment are one.
        let mut moments: HashMap<String, HashSet<Instant>> = HashMap::new();
        for doubt in &doubtful {
            moments.entry(doubt.place.clone()).or_default().insert(doubt.at);
        }
        // A status that ticks is told a few times only, and seen to change all the time.
        let ticks = self.ticks.len() > 1;
        for doubt in doubtful {
            let once = moments.get(&doubt.place).is_none_or(|times| times.len() <= 1);
            // What came and then never stood still is a clock that began to run.
            let restless = doubt.element.as_ref().and_then(|id| moments.get(id.as_str()));
            let once = once && restless.is_none_or(|times| times.len() <= 1);
            if once && !(ticks && doubt.place.starts_with(STATUS)) {
                self.find(doubt.signal);
            } else {
                self.ambient += 1;
            }
        }
    }

    /// Whether time will tell.
    pub(super) fn awaits_certainty(&self) -> bool {
        !self.judged && !self.doubtful.is_empty()
    }

    fn surprise(&mut self, kind: &'static str, text: &str) {
        let text: String = text.chars().take(WORDS).collect();
        let surprise = Surprise { kind, text };
        if !self.surprises.contains(&surprise) {
            self.surprises.push(surprise);
        }
    }

    fn find(&mut self, signal: SuccessSignal) {
        if self.found.len() < 20 && !self.found.contains(&signal) {
            self.found.push(signal);
        }
    }

    fn signal(&mut self, body: &WebSignalBody, at: Instant, place: &Place<'_>) {
        match body {
            WebSignalBody::RouteChanged { to, .. } if to.url != place.before.route.url => {
                let exact = Some(to.path.clone().unwrap_or_else(|| to.url.clone()));
                self.find(SuccessSignal::RouteChanged { pattern: None, exact });
            }
            WebSignalBody::ToastShown { text, severity } => {
                if *severity == Some(ToastSeverity::Error) {
                    self.surprise("errorToast", text);
                } else {
                    self.find(SuccessSignal::ToastContains { text: text.clone() });
                }
            }
            WebSignalBody::StatusChanged { text, scope_id } => {
                let signal = SuccessSignal::StatusContains { text: text.clone() };
                if place.ambience.is_calm(place.prompt) {
                    self.find(signal);
                } else {
                    let at_scope = scope_id.as_ref().map_or("page", uiap_model::names::ScopeId::as_str);
                    self.doubtful.push(Doubt {
                        place: format!("{STATUS}{at_scope}"),
                        at,
                        element: None,
                        signal,
                    });
                }
            }
            WebSignalBody::DialogOpened { scope_id, .. } => {
                let target = Some(TargetRef::Scope { value: scope_id.clone() });
                self.find(SuccessSignal::DialogOpened { target });
            }
            WebSignalBody::DialogClosed { scope_id, .. } => {
                let target = Some(TargetRef::Scope { value: scope_id.clone() });
                self.find(SuccessSignal::DialogClosed { target });
            }
            WebSignalBody::ValidationChanged { issues, .. } if !issues.is_empty() => {
                self.invalid = true;
                let words: Vec<&str> = issues.iter().map(|issue| issue.message.as_str()).collect();
                self.surprise("validation", &words.join("; "));
            }
            WebSignalBody::EntityCreated { .. }
            | WebSignalBody::EntityUpdated { .. }
            | WebSignalBody::EntityDeleted { .. } => self.entity(body),
            // What others answer, such as a counter of visits, says nothing about the app.
            WebSignalBody::NetworkResponse { url, status }
                if status.0 >= 400 && origin(url) == origin(&place.before.route.url) =>
            {
                self.surprise("failedRequest", &format!("{} answered {}", bare(url), status.0));
            }
            WebSignalBody::Custom { name, payload } => self.told(name, payload.as_ref()),
            _ => {}
        }
    }

    fn entity(&mut self, body: &WebSignalBody) {
        let (WebSignalBody::EntityCreated { entity_type, .. }
        | WebSignalBody::EntityUpdated { entity_type, .. }
        | WebSignalBody::EntityDeleted { entity_type, .. }) = body
        else {
            return;
        };
        let (entity_type, id_path) = (entity_type.clone(), None);
        self.find(match body {
            WebSignalBody::EntityCreated { .. } => SuccessSignal::EntityCreated { entity_type, id_path },
            WebSignalBody::EntityUpdated { .. } => SuccessSignal::EntityUpdated { entity_type, id_path },
            _ => SuccessSignal::EntityDeleted { entity_type, id_path },
        });
    }

    /// What the browser tells of a page.
    fn told(&mut self, name: &str, payload: Option<&uiap_model::JsonObject>) {
        let text = || payload.map(|payload| json!(payload.0).to_string()).unwrap_or_default();
        match name {
            "browser.page.error" | "browser.console.error" => self.surprise("pageError", &text()),
            "browser.crash" => self.surprise("crash", "the page crashed"),
            "browser.dialog" => {
                self.surprise("dialog", &text());
                self.find(custom(name, &json!({})));
            }
            // It may go without: only what is seen beside tells.
            "browser.permission" => {
                let name = payload.and_then(|payload| payload.0.get("name")).and_then(|name| name.as_str());
                let name = name.unwrap_or("unknown");
                let text = format!("the page asked for the permission `{name}`, which nobody granted");
                self.surprise(PERMISSION, &text);
            }
            "browser.popup" | "browser.download" => self.find(custom(name, &json!({}))),
            _ => {}
        }
    }

    fn revision(&mut self, seen: &Seen, at: Instant, place: &Place<'_>) {
        if seen.is_fresh {
            self.replaced = true;
            if seen.graph.route.url == place.before.route.url {
                self.find(custom("uiap.documentReplaced", &json!({})));
            } else {
                let route = &seen.graph.route;
                let exact = Some(route.path.clone().unwrap_or_else(|| route.url.clone()));
                self.find(SuccessSignal::RouteChanged { pattern: None, exact });
            }
            return;
        }
        for touched in &seen.elements {
            self.element(touched, seen, at, place);
        }
        for touched in &seen.scopes {
            self.scope(touched, at, place);
        }
    }

    fn element(
        &mut self,
        touched: &Touched<std::sync::Arc<ElementNode>>,
        seen: &Seen,
        at: Instant,
        place: &Place<'_>,
    ) {
        let (Some(node), kind) = (match (&touched.before, &touched.after) {
            (Some(before), Some(after)) if !is_meaningful(before, after) => return,
            (Some(_), Some(after)) => (Some(after), "changed"),
            (None, Some(after)) => (Some(after), "appeared"),
            (Some(before), None) => (Some(before), "disappeared"),
            (None, None) => return,
        }) else {
            return;
        };
        if node.role == UIRole::Status && kind == "changed" {
            self.ticks.insert(at);
        }
        if node.role == UIRole::Alert && kind != "disappeared" && touched.before.is_none() {
            self.surprise("alert", &words(node, &seen.graph));
        }
        let where_it_is = if touched.after.is_some() { &*seen.graph } else { place.before };
        let home = where_it_is
            .elements()
            .find(|(.., each)| each.instance_id == node.instance_id)
            .map(|(_, scope, _)| scope);
        let caused = seen.caused.contains(&node.instance_id);
        if !caused && place.target != Some(&node.instance_id) && is_restless(place.ambience, node, home, at) {
            self.ambient += 1;
            return;
        }
        let Some(scope) = home else { return };
        let target = target_ref(scope, node);
        let signal = match kind {
            "appeared" => SuccessSignal::ElementAppeared { target },
            "disappeared" => SuccessSignal::ElementDisappeared { target },
            _ => custom("uiap.element.changed", &changed(&target, touched, place)),
        };
        let related = place.target == Some(&node.instance_id)
            || node.parent_instance_id.is_some() && node.parent_instance_id.as_ref() == place.target;
        // The pointer that came over something may show a hint; that is no answer to a click.
        if node.role == UIRole::Popover {
            self.ambient += 1;
        } else if caused || related || place.ambience.is_calm(place.prompt) {
            self.find(signal);
        } else {
            let place = if kind == "changed" { node.instance_id.to_string() } else { scope.id.to_string() };
            self.doubtful.push(Doubt { place, at, element: Some(node.instance_id.clone()), signal });
        }
    }

    fn scope(&mut self, touched: &Touched<ScopeNode>, at: Instant, place: &Place<'_>) {
        let (kind, scope) = match (&touched.before, &touched.after) {
            (None, Some(scope)) => ("appeared", scope),
            (Some(scope), None) => ("disappeared", scope),
            // A scope that changed shows it by its elements.
            _ => return,
        };
        let target = TargetRef::Scope { value: scope.id.clone() };
        let signal = if kind == "appeared" {
            SuccessSignal::ElementAppeared { target }
        } else {
            SuccessSignal::ElementDisappeared { target }
        };
        if place.ambience.is_restless_scope(&scope.id, at) {
            self.ambient += 1;
        } else if place.ambience.is_calm(place.prompt) {
            self.find(signal);
        } else {
            self.doubtful.push(Doubt { place: scope.id.to_string(), at, element: None, signal });
        }
    }
}

/// What is told of a change: for the target of the action also what was there before.
fn changed(
    target: &TargetRef,
    touched: &Touched<std::sync::Arc<ElementNode>>,
    place: &Place<'_>,
) -> serde_json::Value {
    match (&touched.before, &touched.after) {
        (Some(before), Some(after)) if place.target == Some(&after.instance_id) => {
            json!({ "target": target, "changes": differences(before, after) })
        }
        _ => json!({ "target": target }),
    }
}

/// Whether a change is one that the page makes by itself.
pub(crate) fn is_ambient(
    touched: &Touched<std::sync::Arc<ElementNode>>,
    seen: &Seen,
    ambience: &Ambience,
    at: Instant,
) -> bool {
    let Some(node) = touched.after.as_ref().or(touched.before.as_ref()) else { return false };
    let mut places = seen.graph.elements();
    let home = places.find(|(.., each)| each.instance_id == node.instance_id).map(|(_, scope, _)| scope);
    is_restless(ambience, node, home, at)
}

fn is_restless(ambience: &Ambience, node: &ElementNode, home: Option<&ScopeNode>, at: Instant) -> bool {
    ambience.is_restless(&node.instance_id, at)
        || home.is_some_and(|scope| ambience.is_restless_scope(&scope.id, at))
}

/// An address without what may be secret in it.
fn bare(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or(url)
}

fn origin(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    url.get(..scheme.len() + 3 + end)
}

/// Whether an element changed in more than where it is and who points at it.
pub fn is_meaningful(before: &ElementNode, after: &ElementNode) -> bool {
    let essence = |element: &ElementNode| {
        let mut element = element.clone();
        element.bbox = None;
        element.metadata = None;
        element.web = uiap_model::web::element::WebElementState {
            attached: element.web.attached,
            stable: None,
            in_viewport: None,
            receives_events: None,
        };
        element.state.focused = None;
        element.state.hovered = None;
        element.state.focusable = None;
        element.state.obscured = None;
        element
    };
    essence(before) != essence(after)
}

/// What an element says: its name, its text, or the names of what lies in it.
fn words(node: &ElementNode, graph: &PageGraph) -> String {
    let own = node.name.as_deref().or(node.state.text_value.as_deref()).filter(|text| !text.is_empty());
    own.map_or_else(
        || {
            let inside = graph.elements().map(|(.., each)| each);
            let inside = inside.filter(|each| each.parent_instance_id.as_ref() == Some(&node.instance_id));
            inside.filter_map(|each| each.name.as_deref()).take(5).collect::<Vec<_>>().join(" ")
        },
        str::to_owned,
    )
}
