//! What the page of a report draws: the package in short members, with pictures and boxes.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use serde::Serialize;
use serde_json::Value;
use uiap_model::capability::{RiskDescriptor, RiskLevel, SuccessSignal, TargetRef};
use uiap_model::discovery::catalog::{ActionReviewState, SkeletonStepType, WorkflowStepSkeleton};
use uiap_model::discovery::environment::SafetyMode;
use uiap_model::discovery::review::DiscoveryActionEffect;
use uiap_model::discovery::transition::{DiscoveryStateNode, DiscoveryTransition, TransitionGraph};
use uiap_model::discovery::{Confidence, DiscoveryPackage};
use uiap_model::json::JsonObject;
use uiap_model::web::PageGraph;

use crate::command::discovery::folder::Folder;

/// Bytes of pictures in one report, as text; the report as a whole stays below 25 MB.
const MOST_PICTURES: usize = 17_000_000;
/// Frames that are drawn on one picture.
const MOST_BOXES: usize = 160;
/// Lines of the safety log.
const MOST_DECISIONS: usize = 3_000;

#[derive(Serialize)]
pub(crate) struct Data {
    pub(crate) app: String,
    generator: String,
    run: Run,
    coverage: Coverage,
    routes: Vec<Place>,
    scopes: Vec<Region>,
    elements: Vec<Control>,
    actions: Vec<Action>,
    workflows: Vec<Task>,
    review: Vec<Finding>,
    states: Vec<State>,
    edges: Vec<Way>,
    decisions: Vec<Decision>,
    decided: usize,
    refused: usize,
}

#[derive(Serialize)]
struct Run {
    sentence: String,
    status: String,
    mode: String,
    when: String,
    took: String,
    profiles: Vec<String>,
    /// What else is to be known of how it ended.
    notes: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Coverage {
    seeds_total: u64,
    seeds_visited: u64,
    opaque: u64,
    unresolved: u64,
    confidence: BTreeMap<&'static str, u64>,
}

#[derive(Serialize)]
struct Place {
    id: String,
    urls: Vec<String>,
    titles: Vec<String>,
    states: u64,
    profiles: Vec<String>,
    confidence: Confidence,
}

#[derive(Serialize)]
struct Region {
    id: String,
    name: String,
    kind: String,
    routes: Vec<String>,
    confidence: Confidence,
}

#[derive(Serialize)]
struct Control {
    key: String,
    name: String,
    role: String,
    routes: Vec<String>,
    actions: Vec<String>,
    classes: Vec<String>,
    risk: Option<RiskDescriptor>,
    repeats: bool,
    confidence: Confidence,
}

#[derive(Serialize)]
struct Action {
    id: String,
    title: String,
    kind: String,
    effect: String,
    signals: Vec<String>,
    risk: Option<RiskDescriptor>,
    #[serde(rename = "unsafe")]
    left_alone: bool,
    confidence: Confidence,
}

#[derive(Serialize)]
struct Task {
    id: String,
    title: String,
    inputs: Vec<String>,
    steps: Vec<String>,
    lacks: Vec<String>,
    confidence: Confidence,
}

#[derive(Serialize)]
struct Finding {
    severity: String,
    kind: String,
    description: String,
    remediation: String,
    route: String,
    states: Vec<String>,
}

#[derive(Serialize)]
struct State {
    id: String,
    label: String,
    head: String,
    under: String,
    route: String,
    path: String,
    modals: Vec<String>,
    seed: bool,
    base: bool,
    profiles: Vec<String>,
    same: usize,
    held: bool,
    confidence: Confidence,
    shot: Option<String>,
    /// Where the picture lies that found no room here.
    file: Option<String>,
    w: f64,
    h: f64,
    boxes: Vec<Frame>,
}

#[derive(Serialize)]
struct Frame {
    n: String,
    r: String,
    x: f64,
    y: f64,
    w: f64,
    h: f64,
    k: &'static str,
}

/// From, to, name, unresolved.
#[derive(Serialize)]
struct Way {
    f: String,
    t: String,
    n: String,
    u: bool,
}

#[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
struct Decision {
    effect: String,
    reason: String,
    name: String,
    role: String,
    action: String,
    because: String,
    count: usize,
}

pub(crate) fn of(folder: &Folder) -> Data {
    let package = &folder.package;
    let decisions = folder.decisions();
    let names = Names::of(package);
    let refused = decisions.iter().filter(|decision| decision.effect != DiscoveryActionEffect::Allow).count();
    Data {
        app: host(&package.environment.base_url),
        generator: format!("uiap {}", env!("CARGO_PKG_VERSION")),
        run: run(package),
        coverage: coverage(package),
        routes: places(package),
        scopes: regions(package),
        elements: controls(package),
        actions: actions(package),
        workflows: tasks(package, &names),
        review: findings(package),
        states: states(folder, &names),
        edges: package.transition_graph.edges.iter().map(|edge| way(edge, &names)).collect(),
        decided: decisions.len(),
        decisions: log(&decisions),
        refused,
    }
}

fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest).to_owned()
}

fn strings<T: ToString>(list: Option<&Vec<T>>) -> Vec<String> {
    list.into_iter().flatten().map(ToString::to_string).collect()
}

fn member<'a>(metadata: Option<&'a JsonObject>, name: &str) -> Option<&'a Value> {
    metadata?.0.get(name)
}

fn texts(metadata: Option<&JsonObject>, name: &str) -> Vec<String> {
    let list = member(metadata, name).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn run(package: &DiscoveryPackage) -> Run {
    let mode =
        package.environment.safety.as_ref().map_or(SafetyMode::ObserveOnly, |safety| safety.default_mode);
    let (told, effect) = match mode {
        SafetyMode::ObserveOnly => ("observed only", "nothing was pressed"),
        SafetyMode::SafeExplore => {
            ("explored safely", "nothing that deletes, pays, sends or publishes was pressed")
        }
        SafetyMode::SandboxWrite => ("explored in a sandbox", "test data was written"),
    };
    let graph = &package.transition_graph;
    let sentence = format!(
        "Every page, control and way that was found in {} places and {} states, by {} actions; {effect}. It is a proposal: what it says was seen or guessed, and a person decides.",
        package.route_catalog.routes.len(),
        graph.states.len(),
        graph.edges.len(),
    );
    let profiles: BTreeSet<String> =
        graph.states.iter().flat_map(|state| texts(state.metadata.as_ref(), "profiles")).collect();
    let started = package.run.started_at.as_str();
    Run {
        sentence,
        status: package.run.status.to_string(),
        mode: told.to_owned(),
        when: started.get(..16).unwrap_or(started).replace('T', " ") + " UTC",
        took: took(started, package.run.finished_at.as_ref().map(uiap_model::names::Timestamp::as_str)),
        profiles: profiles.into_iter().collect(),
        notes: package.run.notes.iter().flatten().map(ToString::to_string).collect(),
    }
}

/// How long a run took; runs of more than a day are not made.
fn took(started: &str, finished: Option<&str>) -> String {
    let of_day = |at: &str| -> Option<i64> {
        let mut parts = at.get(11..19)?.split(':').map(|part| part.parse::<i64>().ok());
        Some(parts.next()?? * 3600 + parts.next()?? * 60 + parts.next()??)
    };
    let seconds =
        finished.and_then(|finished| Some((of_day(finished)? - of_day(started)?).rem_euclid(86_400)));
    match seconds {
        Some(seconds) if seconds >= 120 => format!("{} min", seconds / 60),
        Some(seconds) => format!("{seconds} s"),
        None => String::new(),
    }
}

fn coverage(package: &DiscoveryPackage) -> Coverage {
    let coverage = &package.coverage;
    let summary = coverage.confidence_summary.as_ref();
    let confidence = BTreeMap::from([
        ("high", summary.map_or(0, |summary| summary.high.0)),
        ("medium", summary.map_or(0, |summary| summary.medium.0)),
        ("low", summary.map_or(0, |summary| summary.low.0)),
    ]);
    Coverage {
        seeds_total: coverage.seeds_total.0,
        seeds_visited: coverage.seeds_visited.0,
        opaque: coverage.opaque_regions.0,
        unresolved: coverage.unresolved_transitions.0,
        confidence,
    }
}

fn places(package: &DiscoveryPackage) -> Vec<Place> {
    let of = |id: &str| {
        package.transition_graph.states.iter().filter(|state| state.route_id.as_deref() == Some(id)).count()
    };
    let place = |route: &uiap_model::discovery::catalog::DiscoveredRoute| Place {
        id: route.route_id.to_string(),
        urls: strings(route.urls.as_ref()),
        titles: strings(route.titles.as_ref()),
        states: of(&route.route_id) as u64,
        profiles: texts(route.metadata.as_ref(), "profiles")
            .into_iter()
            .filter(|name| name != "default")
            .collect(),
        confidence: route.confidence,
    };
    package.route_catalog.routes.iter().map(place).collect()
}

fn regions(package: &DiscoveryPackage) -> Vec<Region> {
    let scopes = package.scope_catalog.scopes.iter();
    scopes
        .map(|scope| Region {
            id: scope.scope_id.to_string(),
            name: scope.names.iter().flatten().next().map(ToString::to_string).unwrap_or_default(),
            kind: scope.kind.to_string(),
            routes: strings(scope.route_ids.as_ref()),
            confidence: scope.confidence,
        })
        .collect()
}

fn controls(package: &DiscoveryPackage) -> Vec<Control> {
    let elements = package.element_catalog.elements.iter();
    elements
        .map(|element| Control {
            key: element.semantic_key.to_string(),
            name: element.names.iter().flatten().next().map(ToString::to_string).unwrap_or_default(),
            role: element.role.to_string(),
            routes: strings(element.routes.as_ref()),
            actions: strings(element.supported_actions.as_ref()),
            classes: strings(element.data_classes.as_ref()),
            risk: element.risk.clone(),
            repeats: member(element.metadata.as_ref(), "repeats").is_some(),
            confidence: element.confidence,
        })
        .collect()
}

fn actions(package: &DiscoveryPackage) -> Vec<Action> {
    let actions = package.action_catalog.actions.iter();
    actions
        .map(|action| Action {
            id: action.id.to_string(),
            title: member(action.metadata.as_ref(), "title")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            kind: action.kind.to_string(),
            effect: action.side_effect_class.as_ref().map(ToString::to_string).unwrap_or_default(),
            signals: action.success_signals.iter().flatten().map(signal).collect(),
            risk: action.risk.clone(),
            left_alone: action.review_state == Some(ActionReviewState::Unsafe),
            confidence: action.confidence,
        })
        .collect()
}

/// A signal in one line.
fn signal(signal: &SuccessSignal) -> String {
    let mut value = serde_json::to_value(signal).unwrap_or_default();
    let kind = signal.tag();
    if let Some(members) = value.as_object_mut() {
        members.shift_remove("kind");
    }
    let rest: Vec<String> = value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(_, value)| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        .collect();
    format!("{kind} {}", rest.join(" ")).trim_end().to_owned()
}

/// What people call the things that have an id.
struct Names(BTreeMap<String, String>);

impl Names {
    fn of(package: &DiscoveryPackage) -> Self {
        let elements = package.element_catalog.elements.iter();
        Self(
            elements
                .filter_map(|element| {
                    let name = element.names.iter().flatten().next()?;
                    Some((element.stable_id.as_ref()?.to_string(), name.to_string()))
                })
                .collect(),
        )
    }

    fn target(&self, target: &TargetRef) -> String {
        match target {
            TargetRef::StableId { value } => {
                self.0.get(value.as_str()).map_or_else(|| value.to_string(), |name| format!("“{name}”"))
            }
            TargetRef::Scope { value } => value.to_string(),
            TargetRef::Route { value } => value.to_string(),
            TargetRef::Custom { value } => value.to_string(),
            TargetRef::Semantic { role, name, .. } => {
                name.as_ref().map_or_else(|| format!("a {role} without a name"), |name| format!("“{name}”"))
            }
        }
    }
}

fn tasks(package: &DiscoveryPackage, names: &Names) -> Vec<Task> {
    let input = |input: &uiap_model::workflow::WorkflowParameter| {
        let needed = if input.required == Some(true) { " *" } else { "" };
        format!("{}{needed}", input.name)
    };
    let workflows = package.workflow_candidates.iter().flat_map(|catalog| &catalog.workflows);
    workflows
        .map(|workflow| Task {
            id: workflow.id.to_string(),
            title: workflow.title.as_deref().unwrap_or(&workflow.id).to_owned(),
            inputs: workflow.required_inputs.iter().flatten().map(input).collect(),
            steps: workflow.step_skeleton.iter().map(|each| step(each, names)).collect(),
            lacks: texts(workflow.metadata.as_ref(), "lacks"),
            confidence: workflow.confidence,
        })
        .collect()
}

fn step(step: &WorkflowStepSkeleton, names: &Names) -> String {
    let target = step.target.as_ref().map(|target| names.target(target)).unwrap_or_default();
    let action = step.action_id.as_ref().map_or("", |id| id.as_str());
    let verb = match action {
        "nav.navigate" => "Go to",
        "ui.enterText" => "Fill in",
        "ui.choose" => "Choose from",
        "ui.toggle" => "Switch",
        "ui.setValue" => "Set",
        "ui.upload" => "Attach a file to",
        "ui.activate" | "ui.open" | "ui.submit" => "Press",
        own => own,
    };
    match step.step_type {
        SkeletonStepType::Ensure => {
            format!("See {}", step.signals.iter().flatten().map(signal).collect::<Vec<_>>().join(", "))
        }
        SkeletonStepType::Complete => "Done".to_owned(),
        _ => format!("{verb} {target}").trim().to_owned(),
    }
}

fn findings(package: &DiscoveryPackage) -> Vec<Finding> {
    let index: BTreeMap<&str, &str> = package
        .evidence_index
        .iter()
        .flat_map(|index| &index.entries)
        .filter_map(|entry| Some((entry.ref_id.as_str(), entry.state_id.as_deref()?)))
        .collect();
    let finding = |item: &uiap_model::discovery::review::ReviewItem| {
        let states: BTreeSet<&str> = item
            .evidence
            .iter()
            .filter_map(|evidence| index.get(evidence.ref_id.as_str()).copied())
            .collect();
        Finding {
            severity: item.severity.to_string(),
            kind: item.kind.to_string(),
            description: item.description.to_string(),
            remediation: item.remediation.as_deref().unwrap_or_default().to_owned(),
            route: item.route_id.as_deref().unwrap_or_default().to_owned(),
            states: states.into_iter().map(str::to_owned).collect(),
        }
    };
    package.review_queue.items.iter().map(finding).collect()
}

fn way(edge: &DiscoveryTransition, names: &Names) -> Way {
    Way {
        f: edge.from_state_id.to_string(),
        t: edge.to_state_id.to_string(),
        n: edge.target.as_ref().map_or_else(|| edge.via_action_id.to_string(), |target| names.target(target)),
        u: member(edge.metadata.as_ref(), "unresolved").is_some(),
    }
}

/// The state that shows a place by itself: without anything open, nearest to the start.
fn plainest(nodes: &[DiscoveryStateNode]) -> BTreeMap<&str, &str> {
    let rank = |node: &DiscoveryStateNode| {
        let depth = member(node.metadata.as_ref(), "depth").and_then(Value::as_u64).unwrap_or(u64::MAX);
        let seeded = member(node.metadata.as_ref(), "seeded").is_some();
        (node.modal_stack.is_some(), !seeded, depth, node.state_id.clone())
    };
    let mut best: BTreeMap<&str, &DiscoveryStateNode> = BTreeMap::new();
    for node in nodes {
        let route = node.route_id.as_deref().unwrap_or_default();
        let better = best.get(route).is_none_or(|known| rank(node) < rank(known));
        if better {
            best.insert(route, node);
        }
    }
    best.into_iter().map(|(route, node)| (route, node.state_id.as_str())).collect()
}

/// The states with pictures: one for each place first, then the others, as far as they fit.
fn states(folder: &Folder, names: &Names) -> Vec<State> {
    let graph = &folder.package.transition_graph;
    let best = plainest(&graph.states);
    let is_base = |node: &DiscoveryStateNode| {
        best.get(node.route_id.as_deref().unwrap_or_default()) == Some(&node.state_id.as_str())
    };
    let mut order: Vec<&DiscoveryStateNode> = graph.states.iter().collect();
    order.sort_by_key(|node| !is_base(node));
    let mut left = MOST_PICTURES;
    let mut pictures: BTreeMap<&str, String> = BTreeMap::new();
    for node in order {
        if let Some(uri) = picture(folder, node).filter(|uri| uri.len() <= left) {
            left -= uri.len();
            pictures.insert(&node.state_id, uri);
        }
    }
    let entering = openings(graph);
    let made = graph.states.iter().map(|node| {
        let base = is_base(node);
        let edge = if base { None } else { entering.get(node.state_id.as_str()) };
        let opened = edge.and_then(|edge| edge.target.as_ref()).map(|target| names.target(target));
        state(folder, node, pictures.remove(node.state_id.as_str()), base, opened)
    });
    made.collect()
}

/// The way by which a state is reached from its own place; the first by id where there are several.
fn openings(graph: &TransitionGraph) -> BTreeMap<&str, &DiscoveryTransition> {
    let routes: BTreeMap<&str, Option<&str>> =
        graph.states.iter().map(|state| (state.state_id.as_str(), state.route_id.as_deref())).collect();
    let mut found: BTreeMap<&str, &DiscoveryTransition> = BTreeMap::new();
    for edge in graph.edges.iter().filter(|edge| edge.from_state_id != edge.to_state_id) {
        let same = routes.get(edge.from_state_id.as_str()) == routes.get(edge.to_state_id.as_str());
        let first =
            found.get(edge.to_state_id.as_str()).is_none_or(|known| edge.transition_id < known.transition_id);
        if same && first {
            found.insert(&edge.to_state_id, edge);
        }
    }
    found
}

fn picture(folder: &Folder, node: &DiscoveryStateNode) -> Option<String> {
    let reference = node.screenshot_ref.as_deref()?;
    let kind = match reference.rsplit('.').next()? {
        "png" => "png",
        "webp" => "webp",
        "jpg" | "jpeg" => "jpeg",
        _ => return None,
    };
    let bytes = folder.bytes(reference)?;
    Some(format!("data:image/{kind};base64,{}", base64::engine::general_purpose::STANDARD.encode(bytes)))
}

fn state(
    folder: &Folder,
    node: &DiscoveryStateNode,
    shot: Option<String>,
    base: bool,
    opened: Option<String>,
) -> State {
    let metadata = node.metadata.as_ref();
    let graph = node.page_graph_ref.as_deref().and_then(|reference| folder.graph(reference));
    let viewport = graph.as_ref().and_then(|graph| graph.viewport.as_ref());
    let scope = node.modal_stack.iter().flatten().next_back();
    let open = scope.and_then(|id| {
        let named = folder.package.scope_catalog.scopes.iter().find(|scope| scope.scope_id == id.as_str());
        named.and_then(|scope| scope.names.iter().flatten().next()).map(ToString::to_string)
    });
    let route = node.route_id.as_deref().unwrap_or_default();
    let title = member(metadata, "title").and_then(Value::as_str).unwrap_or_default();
    let title = if title.is_empty() { route.to_owned() } else { short(title) };
    let head = open.or_else(|| opened.map(|opened| opened.trim_matches(['“', '”']).to_owned()));
    let label = match &head {
        Some(head) => format!("{title}: {head}"),
        None => title.clone(),
    };
    State {
        id: node.state_id.to_string(),
        head: head.unwrap_or_else(|| label.clone()),
        label,
        under: title,
        route: route.to_owned(),
        path: texts(metadata, "paths").into_iter().next().unwrap_or_default(),
        modals: strings(node.modal_stack.as_ref()),
        seed: member(metadata, "seeded").is_some(),
        base,
        profiles: texts(metadata, "profiles").into_iter().filter(|name| name != "default").collect(),
        same: texts(metadata, "standsFor").len(),
        held: member(metadata, "held").is_some(),
        confidence: node.confidence,
        file: node.screenshot_ref.as_ref().filter(|_| shot.is_none()).map(ToString::to_string),
        shot,
        w: viewport.map_or(1280.0, |viewport| viewport.width.0),
        h: viewport.map_or(800.0, |viewport| viewport.height.0),
        boxes: graph.as_ref().map(frames).unwrap_or_default(),
    }
}

/// `Team · Videoland` → `Team`.
fn short(title: &str) -> String {
    [" · ", " | ", " – ", " — ", " • ", " - "]
        .iter()
        .fold(title, |title, sign| title.split(sign).next().unwrap_or(title))
        .trim()
        .to_owned()
}

fn frames(graph: &PageGraph) -> Vec<Frame> {
    let root = &graph.root_document_id;
    graph
        .elements()
        .filter(|(document, _, element)| {
            let used = element
                .affordances
                .iter()
                .any(|affordance| !matches!(affordance.as_str(), "read" | "focus" | "scroll"));
            document.document_id == *root
                && used
                && element.state.visible != Some(false)
                && element.state.blocked != Some(true)
        })
        .filter_map(|(.., element)| {
            let bbox = element.bbox.as_ref()?;
            let kind = match element.risk.as_ref().map(|risk| risk.level) {
                Some(RiskLevel::Blocked) => "bad",
                Some(RiskLevel::Confirm) => "warn",
                _ => "",
            };
            let frame = Frame {
                n: element.name.as_deref().unwrap_or_default().to_owned(),
                r: element.role.to_string(),
                x: bbox.x.0.round(),
                y: bbox.y.0.round(),
                w: bbox.width.0.round(),
                h: bbox.height.0.round(),
                k: kind,
            };
            (frame.w > 0.0 && frame.h > 0.0 && frame.x + frame.w > 0.0 && frame.y + frame.h > 0.0)
                .then_some(frame)
        })
        .take(MOST_BOXES)
        .collect()
}

/// Equal decisions are one line.
fn log(decisions: &[uiap_discovery::record::DecisionRecord]) -> Vec<Decision> {
    let mut counts: BTreeMap<(String, String, String, String, String, String), usize> = BTreeMap::new();
    for decision in decisions {
        let aim = decision.aim.as_ref();
        let key = (
            decision.effect.to_string(),
            decision.reason.to_string(),
            aim.map(|aim| aim.name.clone()).unwrap_or_default(),
            aim.map(|aim| aim.role.to_string()).unwrap_or_default(),
            decision.action_id.to_string(),
            decision.because.clone(),
        );
        *counts.entry(key).or_insert(0) += 1;
    }
    let mut lines: Vec<Decision> = counts
        .into_iter()
        .map(|((effect, reason, name, role, action, because), count)| Decision {
            effect,
            reason,
            name,
            role,
            action,
            because,
            count,
        })
        .collect();
    let rank = |effect: &str| ["deny", "review", "skip", "allow"].iter().position(|each| *each == effect);
    lines.sort_by(|a, b| (rank(&a.effect), &a.reason, &a.name).cmp(&(rank(&b.effect), &b.reason, &b.name)));
    lines.truncate(MOST_DECISIONS);
    lines
}
