//! Findings of a discovery run as items of manifests.

use std::borrow::Cow;
use std::fmt;

use uiap_model::authoring::AuthoringKind;

use crate::source::Node;
use crate::tree::Tree;

/// What a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FindingKind {
    Route,
    Scope,
    Element,
    Action,
    WorkflowCandidate,
    ReviewItem,
}

impl FindingKind {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "route" => Self::Route,
            "scope" => Self::Scope,
            "element" => Self::Element,
            "action" => Self::Action,
            "workflowCandidate" => Self::WorkflowCandidate,
            "reviewItem" => Self::ReviewItem,
            _ => return None,
        })
    }

    /// Where the discovery package keeps them.
    pub(crate) fn catalog(self) -> [&'static str; 2] {
        match self {
            Self::Route => ["routeCatalog", "routes"],
            Self::Scope => ["scopeCatalog", "scopes"],
            Self::Element => ["elementCatalog", "elements"],
            Self::Action => ["actionCatalog", "actions"],
            Self::WorkflowCandidate => ["workflowCandidates", "workflows"],
            Self::ReviewItem => ["reviewQueue", "items"],
        }
    }

    /// The kind of manifest that takes them; a review item goes into the report.
    pub(crate) fn manifest(self) -> Option<AuthoringKind> {
        match self {
            Self::Route | Self::Scope | Self::Element => Some(AuthoringKind::Bindings),
            Self::Action => Some(AuthoringKind::Actions),
            Self::WorkflowCandidate => Some(AuthoringKind::WorkflowCatalog),
            Self::ReviewItem => None,
        }
    }

    /// The list of the manifest that takes them.
    pub(crate) fn list(self) -> &'static str {
        match self {
            Self::Route => "routes",
            Self::Scope => "scopes",
            Self::Element => "elements",
            Self::Action => "actions",
            Self::WorkflowCandidate | Self::ReviewItem => "workflows",
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Route => "route",
            Self::Scope => "scope",
            Self::Element => "element",
            Self::Action => "action",
            Self::WorkflowCandidate => "workflow candidate",
            Self::ReviewItem => "review item",
        })
    }
}

/// One finding.
pub(crate) struct Finding<'d> {
    pub(crate) kind: FindingKind,
    /// Stable id, or the semantic key of an element without one.
    pub(crate) id: &'d str,
    pub(crate) node: Node<'d>,
}

fn text<'d>(node: Node<'d>, key: &str) -> Option<&'d str> {
    node.get(key).and_then(Node::as_str)
}

impl<'d> Finding<'d> {
    pub(crate) fn new(kind: FindingKind, node: Node<'d>) -> Option<Self> {
        let id = match kind {
            FindingKind::Route => text(node, "routeId"),
            FindingKind::Scope => text(node, "scopeId"),
            FindingKind::Element => text(node, "stableId").or_else(|| text(node, "semanticKey")),
            FindingKind::Action | FindingKind::WorkflowCandidate | FindingKind::ReviewItem => {
                text(node, "id")
            }
        };
        Some(Self { kind, id: id?, node })
    }

    pub(crate) fn stable_id(&self) -> &'d str {
        self.id
    }

    pub(crate) fn lacks_stable_id(&self) -> bool {
        self.kind == FindingKind::Element && self.node.get("stableId").is_none()
    }

    /// Whether the run itself was not sure.
    pub(crate) fn is_doubtful(&self) -> bool {
        let unsafe_action = text(self.node, "reviewState") == Some("unsafe");
        let confidence = self.node.get("confidence");
        let level =
            confidence.and_then(Node::as_str).or_else(|| confidence.and_then(|each| text(each, "level")));
        let low_score =
            confidence.and_then(|each| each.get("score").unwrap_or(each).as_f64()).is_some_and(|n| n < 0.5);
        unsafe_action || level == Some("low") || low_score
    }
}

/// Builds objects whose places all point at the finding.
struct Maker<'d> {
    origin: Node<'d>,
    entries: Vec<(Cow<'d, str>, Tree<'d>)>,
}

impl<'d> Maker<'d> {
    fn new(origin: Node<'d>) -> Self {
        Self { origin, entries: Vec::new() }
    }

    fn text(mut self, key: &'static str, text: &str) -> Self {
        self.entries.push((Cow::Borrowed(key), Tree::text(self.origin, text)));
        self
    }

    fn tree(mut self, key: &'static str, tree: Tree<'d>) -> Self {
        self.entries.push((Cow::Borrowed(key), tree));
        self
    }

    /// Copies a member of the finding, if it is there.
    fn copy(self, key: &'static str, from: Option<Node<'d>>) -> Self {
        match from {
            Some(node) => self.tree(key, Tree::Source(node)),
            None => self,
        }
    }

    /// Copies the first entry of a list.
    fn first(self, key: &'static str, from: Option<Node<'d>>) -> Self {
        self.copy(key, from.and_then(|list| list.item(0)))
    }

    /// The first scope that has a name of its own; the names of others last for one run.
    fn scope(self, key: &'static str, from: Option<Node<'d>>) -> Self {
        let lasts = |scope: &Node<'d>| scope.as_str().is_some_and(|id| !is_passing(id));
        self.copy(key, from.and_then(|list| list.items().find(lasts)))
    }

    fn done(self) -> Tree<'d> {
        Tree::map(self.origin, self.entries)
    }
}

/// Whether an id was made for one run.
pub(crate) fn is_passing(id: &str) -> bool {
    id.starts_with('~')
}

/// The item that a manifest gets for a finding.
pub(crate) fn binding<'d>(finding: &Finding<'d>, run: &str, mode: &str, prefix: &str) -> Tree<'d> {
    let node = finding.node;
    let source = if mode == "copy" { "import" } else { "discovery" };
    let provenance = Maker::new(node).text("source", source).text("ref", run).done();
    let metadata = Maker::new(node).tree("provenance", provenance);
    match finding.kind {
        FindingKind::Route => route(finding, metadata.done()),
        FindingKind::Scope => scope(finding, metadata.done()),
        FindingKind::Element => element(finding, metadata.copy("risk", node.get("risk")), prefix),
        FindingKind::Action => action(finding, metadata.done()),
        FindingKind::WorkflowCandidate | FindingKind::ReviewItem => workflow(finding, metadata.done()),
    }
}

fn route<'d>(finding: &Finding<'d>, metadata: Tree<'d>) -> Tree<'d> {
    let node = finding.node;
    let urls = node.get("urls").into_iter().flat_map(Node::items);
    let mut matchers: Vec<Tree<'d>> = urls
        .map(|url| {
            let kind =
                if url.as_str().is_some_and(|url| url.starts_with('/')) { "path" } else { "urlPattern" };
            Maker::new(url).text("kind", kind).tree("value", Tree::Source(url)).done()
        })
        .collect();
    if matchers.is_empty() {
        matchers.push(Maker::new(node).text("kind", "routeId").text("value", finding.id).done());
    }
    Maker::new(node)
        .text("id", finding.id)
        .tree("match", Tree::seq(node, matchers))
        .first("title", node.get("titles"))
        .tree("metadata", metadata)
        .done()
}

fn scope<'d>(finding: &Finding<'d>, metadata: Tree<'d>) -> Tree<'d> {
    let node = finding.node;
    Maker::new(node)
        .text("id", finding.id)
        .copy("kind", node.get("kind"))
        .copy("routeIds", node.get("routeIds"))
        .copy("parentScopeId", node.get("parentScopeId").filter(|id| !id.as_str().is_some_and(is_passing)))
        .first("title", node.get("names"))
        .copy("stableIds", node.get("stableIds"))
        .tree("metadata", metadata)
        .done()
}

/// `risk.level` is kept, its tags and reason go to the metadata.
fn element<'d>(finding: &Finding<'d>, metadata: Maker<'d>, prefix: &str) -> Tree<'d> {
    let node = finding.node;
    let annotation = Maker::new(node)
        .text("by", "annotation")
        .text("attr", &format!("{prefix}id"))
        .text("value", finding.id)
        .done();
    let semantic = Maker::new(node)
        .text("by", "semantic")
        .copy("role", node.get("role"))
        .first("name", node.get("names"))
        .scope("scopeId", node.get("scopes"))
        .done();
    Maker::new(node)
        .text("id", finding.id)
        .scope("scopeId", node.get("scopes"))
        .copy("routeIds", node.get("routes"))
        .copy("role", node.get("role"))
        .first("name", node.get("names"))
        .first("meaning", node.get("meanings"))
        .tree("match", Tree::seq(node, vec![annotation, semantic]))
        .copy("risk", node.get("risk").and_then(|risk| risk.get("level")))
        .copy("dataClasses", node.get("dataClasses"))
        .tree("metadata", metadata.done())
        .done()
}

fn words<'d>(origin: Node<'d>, words: &[&str]) -> Tree<'d> {
    Tree::seq(origin, words.iter().map(|word| Tree::text(origin, *word)).collect())
}

/// What nobody confirmed needs a confirmation.
fn action<'d>(finding: &Finding<'d>, metadata: Tree<'d>) -> Tree<'d> {
    let node = finding.node;
    let kind = if text(node, "kind") == Some("primitive") { "primitive" } else { "domain" };
    let made = Maker::new(node)
        .text("id", finding.id)
        .text("kind", kind)
        .tree("targetKinds", words(node, &["element"]))
        .tree("executionModes", words(node, &["semanticUi"]))
        .copy("args", node.get("args"));
    let made = match node.get("risk") {
        Some(risk) => made.tree("risk", Tree::Source(risk)),
        None => made.tree("risk", Maker::new(node).text("level", "confirm").done()),
    };
    made.copy("success", node.get("successSignals"))
        .tree("implementation", Maker::new(node).text("kind", "none").done())
        .tree("metadata", metadata)
        .done()
}

fn workflow<'d>(finding: &Finding<'d>, metadata: Tree<'d>) -> Tree<'d> {
    let node = finding.node;
    let skeleton: Vec<Node<'d>> = node.get("stepSkeleton").into_iter().flat_map(Node::items).collect();
    let mut steps: Vec<Tree<'d>> = Vec::new();
    for (index, step) in skeleton.iter().enumerate() {
        if text(*step, "type") == Some("complete") {
            continue;
        }
        let last = index + 1 >= skeleton.len()
            || skeleton.iter().skip(index + 1).all(|s| text(*s, "type") == Some("complete"));
        let next = if last { "done".to_owned() } else { format!("step{}", index + 2) };
        steps.push(workflow_step(*step, &format!("step{}", index + 1), &next));
    }
    let initial = if steps.is_empty() { "done" } else { "step1" };
    steps.push(Maker::new(node).text("id", "done").text("type", "complete").done());
    let definition = Maker::new(node)
        .text("id", finding.id)
        .text("version", "0.1.0")
        .text("title", text(node, "title").unwrap_or(finding.id))
        .text("category", text(node, "category").unwrap_or("custom"))
        .text("startMode", "manual")
        .tree("interactionModes", words(node, &["guide"]))
        .copy("routes", node.get("routeIds"))
        .copy("entryConditions", node.get("entryConditions"))
        .copy("parameters", node.get("requiredInputs"))
        .text("initialStepId", initial)
        .tree("steps", Tree::seq(node, steps))
        .copy("success", node.get("successSignals"))
        .tree("metadata", metadata)
        .done();
    let review = Maker::new(node).text("level", "candidate").done();
    Maker::new(node).tree("review", review).tree("definition", definition).done()
}

/// A branch cannot be guessed, so it becomes an instruction for a person.
fn workflow_step<'d>(step: Node<'d>, id: &str, next: &str) -> Tree<'d> {
    let kind = text(step, "type").unwrap_or("instruction");
    let made = Maker::new(step).text("id", id);
    let made = match kind {
        "action" if step.get("actionId").is_some() => made
            .text("type", "action")
            .copy("actionId", step.get("actionId"))
            .copy("target", step.get("target")),
        "collect" if step.get("parameterNames").is_some() => {
            made.text("type", "collect").copy("parameters", step.get("parameterNames"))
        }
        "ensure" if step.get("signals").is_some_and(|signals| !signals.is_empty()) => {
            made.text("type", "ensure").copy("signals", step.get("signals"))
        }
        "handoff" => made.text("type", "handoff").text("reason", "found by discovery"),
        _ => made.text("type", "instruction").copy("highlight", step.get("target")),
    };
    made.text("next", next).done()
}
