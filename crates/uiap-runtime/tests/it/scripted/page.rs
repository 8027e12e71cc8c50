//! The app: a page graph that is edited by script, what was sent to it, and how it answers.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;
use uiap_model::capability::{ActionDescriptor, ExecutionMode};
use uiap_model::names::{ElementInstanceId, RevisionId};
use uiap_model::web::signal::WebSignal;
use uiap_model::web::{ElementNode, PageGraph, ScopeNode};
use uiap_runtime::surface::{Command, DispatchError, Done, Reach, Rest, Seen, Sight, SurfaceError, Touched};

use crate::graph::with;

/// How a command is answered.
pub(crate) enum Answer {
    /// It was carried out.
    Done(Done),
    /// It was not, or nobody knows.
    Fails(DispatchError),
    /// It was carried out, and that is told later.
    After(Duration, Done),
    /// Nothing is ever told.
    Hangs,
    /// The runtime itself breaks.
    Breaks,
}

type Handler = Arc<Mutex<dyn FnMut(&Page, &Command) -> Answer + Send>>;

struct Reaction {
    mode: Option<ExecutionMode>,
    command: &'static str,
    target: Option<String>,
    handler: Handler,
}

type Hook = Box<dyn FnOnce(&Page) + Send>;

#[derive(Default)]
pub(super) struct State {
    pub(super) queue: VecDeque<Sight>,
    pub(super) log: Vec<(ExecutionMode, Command)>,
    pub(super) cannot: HashSet<(ExecutionMode, &'static str)>,
    pub(super) app: Vec<ActionDescriptor>,
    pub(super) pending: Vec<String>,
    pub(super) hints: HashMap<String, String>,
    pub(super) fields: HashMap<String, String>,
    pub(super) fault: Option<SurfaceError>,
    pub(super) rest: Rest,
    pub(super) shown: Vec<Command>,
    pub(super) calling: bool,
    pub(super) asked: u32,
    reaches: HashMap<String, VecDeque<Reach>>,
    effects: BTreeMap<String, u32>,
    reactions: Vec<Reaction>,
    looks: u64,
    hooks: Vec<(u64, Hook)>,
    seq: u64,
}

pub(super) struct Inner {
    graph: Mutex<Arc<PageGraph>>,
    state: Mutex<State>,
    pub(super) told: Notify,
}

/// The app. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Page(pub(super) Arc<Inner>);

impl Page {
    pub(crate) fn new(graph: PageGraph) -> Self {
        let first = Seen {
            graph: Arc::new(graph.clone()),
            elements: Vec::new(),
            scopes: Vec::new(),
            is_fresh: true,
            caused: HashSet::new(),
        };
        let state = State {
            queue: VecDeque::from([Sight::Revision(first)]),
            rest: Rest { quiet: true, unrest: Vec::new() },
            seq: 1,
            ..State::default()
        };
        Self(Arc::new(Inner {
            graph: Mutex::new(Arc::new(graph)),
            state: Mutex::new(state),
            told: Notify::new(),
        }))
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap()
    }

    pub(crate) fn graph(&self) -> Arc<PageGraph> {
        Arc::clone(&self.0.graph.lock().unwrap())
    }

    /// Changes the page; whoever observes it is told what is different.
    pub(crate) fn edit(&self, change: impl FnOnce(&mut PageGraph)) {
        self.become_another(change, false);
    }

    /// Another document in the place of this one.
    pub(crate) fn load(&self, change: impl FnOnce(&mut PageGraph)) {
        self.become_another(change, true);
    }

    fn become_another(&self, change: impl FnOnce(&mut PageGraph), is_fresh: bool) {
        let before = self.graph();
        let mut after = (*before).clone();
        change(&mut after);
        let mut state = self.state();
        state.seq += 1;
        after.revision = RevisionId::parse(&format!("rev_{}", state.seq)).unwrap();
        after.seq = serde_json::from_value(json!(state.seq)).unwrap();
        let after = Arc::new(after);
        let (elements, scopes) = touched(&before, &after);
        *self.0.graph.lock().unwrap() = Arc::clone(&after);
        state.queue.push_back(Sight::Revision(Seen {
            graph: after,
            elements,
            scopes,
            is_fresh,
            caused: HashSet::new(),
        }));
        drop(state);
        self.0.told.notify_one();
    }

    /// Merges members into an element.
    pub(crate) fn set(&self, id: &str, more: Value) {
        self.edit(|graph| {
            let element = element_mut(graph, id);
            let changed = with(serde_json::to_value(&**element).unwrap(), more);
            *element = Arc::new(serde_json::from_value(changed).unwrap());
        });
    }

    /// Merges members into the state of an element.
    pub(crate) fn set_state(&self, id: &str, state: Value) {
        self.set(id, json!({ "state": state }));
    }

    pub(crate) fn add(&self, scope: &str, element: Value) {
        let element: ElementNode = serde_json::from_value(element).unwrap();
        self.edit(|graph| scope_mut(graph, scope).elements.push(Arc::new(element)));
    }

    pub(crate) fn remove(&self, id: &str) {
        self.edit(|graph| {
            for scope in graph.documents.iter_mut().flat_map(|document| &mut document.scopes) {
                scope.elements.retain(|element| element.instance_id != id);
            }
        });
    }

    pub(crate) fn add_scope(&self, scope: Value) {
        let scope: ScopeNode = serde_json::from_value(scope).unwrap();
        self.edit(|graph| graph.documents[0].scopes.push(scope));
    }

    pub(crate) fn remove_scope(&self, id: &str) {
        self.edit(|graph| graph.documents[0].scopes.retain(|scope| scope.id != id));
    }

    /// A dialog, and the signal of it.
    pub(crate) fn open_dialog(&self, id: &str, elements: Vec<Value>) {
        self.tell(json!({ "kind": "dialog.opened", "scopeId": id }));
        self.add_scope(crate::graph::scope(id, "dialog", "Dialog", elements));
    }

    pub(crate) fn close_dialog(&self, id: &str) {
        self.tell(json!({ "kind": "dialog.closed", "scopeId": id }));
        self.remove_scope(id);
    }

    pub(crate) fn focus(&self, id: &str) {
        let focus = json!({ "documentId": "doc_root", "instanceId": id });
        self.edit(|graph| graph.focus = Some(serde_json::from_value(focus).unwrap()));
    }

    /// The app's router goes elsewhere.
    pub(crate) fn go(&self, path: &str) {
        let to = json!({ "url": format!("http://127.0.0.1{path}"), "path": path });
        self.tell(json!({ "kind": "route.changed", "to": to }));
        self.edit(|graph| graph.route = serde_json::from_value(to).unwrap());
    }

    /// A signal.
    pub(crate) fn tell(&self, signal: Value) {
        self.state()
            .queue
            .push_back(Sight::Signal(serde_json::from_value::<WebSignal>(signal).unwrap().into()));
        self.0.told.notify_one();
    }

    pub(crate) fn toast(&self, text: &str) {
        self.tell(json!({ "kind": "toast.shown", "text": text }));
    }

    /// Something happens by itself, so many milliseconds from now.
    pub(crate) fn later(&self, millis: u64, what: impl FnOnce(&Self) + Send + 'static) {
        let page = self.clone();
        let at = tokio::time::Instant::now() + Duration::from_millis(millis);
        tokio::spawn(async move {
            tokio::time::sleep_until(at).await;
            what(&page);
        });
    }

    /// Something happens right before the page is looked at for the n-th time from now, counted from 1.
    pub(crate) fn before_look(&self, n: u64, what: impl FnOnce(&Self) + Send + 'static) {
        let mut state = self.state();
        let at = state.looks + n;
        state.hooks.push((at, Box::new(what)));
    }

    pub(super) fn looked(&self) {
        let due: Vec<Hook> = {
            let mut state = self.state();
            state.looks += 1;
            let now = state.looks;
            let (due, rest) = std::mem::take(&mut state.hooks).into_iter().partition(|(at, _)| *at == now);
            state.hooks = rest;
            due.into_iter().map(|(_, hook)| hook).collect()
        };
        for hook in due {
            hook(self);
        }
    }

    /// What a command does to an element. The first reaction that fits is used.
    pub(crate) fn on(
        &self,
        command: &'static str,
        target: &str,
        mut react: impl FnMut(&Self) + Send + 'static,
    ) {
        self.answer(None, command, Some(target), move |page, _| {
            react(page);
            Answer::Done(Done::default())
        });
    }

    /// The same, with an answer of its own.
    pub(crate) fn answer(
        &self,
        mode: Option<ExecutionMode>,
        command: &'static str,
        target: Option<&str>,
        handler: impl FnMut(&Self, &Command) -> Answer + Send + 'static,
    ) {
        let target = target.map(str::to_owned);
        let handler: Handler = Arc::new(Mutex::new(handler));
        self.state().reactions.push(Reaction { mode, command, target, handler });
    }

    pub(super) fn reaction(&self, mode: ExecutionMode, command: &Command) -> Option<Handler> {
        let name = name_of(command);
        let state = self.state();
        let found = state.reactions.iter().find(|each| {
            each.mode.is_none_or(|only| only == mode)
                && each.command == command.name()
                && each.target.as_deref().is_none_or(|wanted| name == Some(wanted))
        });
        found.map(|each| Arc::clone(&each.handler))
    }

    /// An effect on the data of the app.
    pub(crate) fn effect(&self, what: &str) {
        *self.state().effects.entry(what.to_owned()).or_default() += 1;
    }

    pub(crate) fn effects(&self, what: &str) -> u32 {
        self.state().effects.get(what).copied().unwrap_or_default()
    }

    /// Whether a pointer reaches an element: once each, the last one for good.
    pub(crate) fn reaches(&self, id: &str, reaches: impl IntoIterator<Item = Reach>) {
        self.state().reaches.insert(id.to_owned(), reaches.into_iter().collect());
    }

    pub(super) fn reach(&self, id: &str) -> Reach {
        let mut state = self.state();
        let Some(list) = state.reaches.get_mut(id) else { return Reach::Clear };
        if list.len() > 1 { list.pop_front().unwrap() } else { list.front().cloned().unwrap_or(Reach::Clear) }
    }

    /// The mode has no way to do this.
    pub(crate) fn cannot(&self, mode: ExecutionMode, command: &'static str) {
        self.state().cannot.insert((mode, command));
    }

    pub(crate) fn offer(&self, actions: Vec<ActionDescriptor>) {
        self.state().app = actions;
    }

    pub(crate) fn set_pending(&self, pending: &[&str]) {
        self.state().pending = pending.iter().map(|each| (*each).to_owned()).collect();
        self.0.told.notify_one();
    }

    pub(crate) fn hint(&self, selector: &str, id: &str) {
        self.state().hints.insert(selector.to_owned(), id.to_owned());
    }

    /// From now on the page calls without a pause, as one does whose document is new.
    pub(crate) fn calls_without_end(&self) {
        self.state().calling = true;
        self.0.told.notify_one();
    }

    /// From now on the page cannot be looked at.
    pub(crate) fn fail(&self, fault: SurfaceError) {
        self.state().fault = Some(fault);
        self.0.told.notify_one();
    }

    pub(crate) fn heal(&self) {
        self.state().fault = None;
        self.0.told.notify_one();
    }

    pub(crate) fn rests(&self, rest: Rest) {
        self.state().rest = rest;
    }

    /// What was sent, by name and target.
    pub(crate) fn sent(&self) -> Vec<String> {
        let told = |command: &Command| match name_of(command) {
            Some(target) => format!("{} {target}", command.name()),
            None => command.name().to_owned(),
        };
        self.state().log.iter().map(|(_, command)| told(command)).collect()
    }

    pub(crate) fn commands(&self) -> Vec<(ExecutionMode, Command)> {
        self.state().log.clone()
    }

    pub(crate) fn shown(&self) -> Vec<Command> {
        self.state().shown.clone()
    }

    pub(crate) fn element(&self, id: &str) -> Option<ElementNode> {
        self.graph().elements().find(|(.., each)| each.instance_id == id).map(|(.., each)| each.clone())
    }

    /// What a field holds.
    pub(crate) fn value(&self, id: &str) -> String {
        if let Some(text) = self.state().fields.get(id) {
            return text.clone();
        }
        self.element(id).and_then(|element| element.state.text_value.clone()).unwrap_or_default().into()
    }

    pub(crate) fn set_value(&self, id: &str, text: &str) {
        self.state().fields.insert(id.to_owned(), text.to_owned());
        if self.element(id).is_some_and(|element| element.state.sensitive != Some(true)) {
            self.set_state(id, json!({ "textValue": text }));
        }
    }
}

pub(super) fn name_of(command: &Command) -> Option<&str> {
    match command {
        Command::Click(press) => Some(press.target.as_str()),
        Command::Hover(id)
        | Command::Focus(id)
        | Command::ScrollIntoView(id)
        | Command::Submit(id)
        | Command::Highlight(id) => Some(id.as_str()),
        Command::Tap { target, .. }
        | Command::Pinch { target, .. }
        | Command::Type { target, .. }
        | Command::Select { target, .. }
        | Command::SetValue { target, .. }
        | Command::Upload { target, .. } => Some(target.as_str()),
        Command::Drag { source, .. } => Some(source.as_str()),
        Command::Keys { target, .. } | Command::Scroll { target, .. } => {
            target.as_ref().map(ElementInstanceId::as_str)
        }
        Command::Navigate(url) => Some(url),
        Command::Invoke { action_id, .. } => Some(action_id.as_str()),
        Command::Travel(_) => None,
    }
}

fn element_mut<'a>(graph: &'a mut PageGraph, id: &str) -> &'a mut Arc<ElementNode> {
    let mut all = graph
        .documents
        .iter_mut()
        .flat_map(|document| &mut document.scopes)
        .flat_map(|scope| &mut scope.elements);
    all.find(|element| element.instance_id == id).unwrap()
}

fn scope_mut<'a>(graph: &'a mut PageGraph, id: &str) -> &'a mut ScopeNode {
    let mut all = graph.documents.iter_mut().flat_map(|document| &mut document.scopes);
    all.find(|scope| scope.id == id).unwrap()
}

type Differences = (Vec<Touched<Arc<ElementNode>>>, Vec<Touched<ScopeNode>>);

/// What is different between two pages.
pub(crate) fn touched(before: &PageGraph, after: &PageGraph) -> Differences {
    let nodes = |graph: &PageGraph| -> Vec<(String, Arc<ElementNode>)> {
        let scopes = graph.documents.iter().flat_map(|document| &document.scopes);
        scopes
            .flat_map(|scope| &scope.elements)
            .map(|element| (element.instance_id.to_string(), Arc::clone(element)))
            .collect()
    };
    let bare = |graph: &PageGraph| -> Vec<(String, ScopeNode)> {
        graph
            .scopes()
            .map(|(_, scope)| (scope.id.to_string(), ScopeNode { elements: Vec::new(), ..scope.clone() }))
            .collect()
    };
    (differences(&nodes(before), &nodes(after)), differences(&bare(before), &bare(after)))
}

fn differences<T: Clone + PartialEq>(before: &[(String, T)], after: &[(String, T)]) -> Vec<Touched<T>> {
    let document_id = uiap_model::names::DocumentId::parse("doc_root").unwrap();
    let find = |list: &[(String, T)], id: &str| {
        list.iter().find(|(each, _)| each == id).map(|(_, node)| node.clone())
    };
    let mut all: Vec<&String> = before.iter().map(|(id, _)| id).collect();
    all.extend(after.iter().map(|(id, _)| id).filter(|id| !before.iter().any(|(each, _)| each == *id)));
    all.into_iter()
        .map(|id| (find(before, id), find(after, id)))
        .filter(|(before, after)| before != after)
        .map(|(before, after)| Touched { document_id: document_id.clone(), before, after })
        .collect()
}
