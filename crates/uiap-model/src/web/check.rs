//! What must hold in a page graph beyond its form.

use std::collections::HashMap;
use std::sync::Arc;

use crate::capability::{UIAffordance, UIRole};
use crate::policy::DataClass;
use crate::problem::{Code, Problem};
use crate::web::element::ElementNode;
use crate::web::graph::{BoundaryAccess, DocumentKind, DocumentNode, PageGraph, ScopeNode};

/// The root document is missing or not first.
pub const NO_ROOT: Code = Code("UIAP-M070");
/// Something inside of what cannot be looked into, or no reason why.
pub const LEAKY_BOUNDARY: Code = Code("UIAP-M071");
/// Two things of one id.
pub const SAME_ID: Code = Code("UIAP-M072");
/// A reference to nothing.
pub const DANGLING: Code = Code("UIAP-M073");
/// A secret that left the page.
pub const LEAKED_SECRET: Code = Code("UIAP-M074");
/// A button that offers no activation.
pub const DEAD_BUTTON: Code = Code("UIAP-M075");

/// Everything that is wrong. Places are turned into pointers only when there is something to say.
pub fn check(graph: &PageGraph) -> Vec<Problem> {
    let mut problems = Vec::new();
    let root = graph.documents.first();
    if root.is_none_or(|root| root.document_id != graph.root_document_id || root.kind != DocumentKind::Root) {
        problems.push(
            Problem::error(NO_ROOT, "/documents", "the first document is not the root document")
                .help(format!("put the document `{}` of kind `root` first", graph.root_document_id)),
        );
    }
    let mut ids = HashMap::new();
    for (index, document) in graph.documents.iter().enumerate() {
        let at = || format!("/documents/{index}");
        if let Some(first) = ids.insert(document.document_id.as_str(), index) {
            let first = format!("/documents/{first}/documentId");
            problems.push(same_id(
                "documents",
                document.document_id.as_str(),
                format!("{}/documentId", at()),
                first,
            ));
        }
        check_document(document, &at(), &mut problems);
        if let Some(parent) = &document.parent_document_id
            && !graph.documents.iter().any(|each| each.document_id == *parent)
        {
            problems.push(dangling(format!("{}/parentDocumentId", at()), "document", parent.as_str()));
        }
    }
    for (index, scope) in graph.modal_stack.iter().flatten().enumerate() {
        if graph.scope(scope).is_none() {
            problems.push(dangling(format!("/modalStack/{index}"), "scope", scope.as_str()));
        }
    }
    problems
}

/// An element's place: its scope and its position there.
type Place = (usize, usize);

fn pointer(at: &str, (scope, element): Place, member: &str) -> String {
    format!("{at}/scopes/{scope}/elements/{element}/{member}")
}

fn check_document(document: &DocumentNode, at: &str, problems: &mut Vec<Problem>) {
    let opaque = document.access == BoundaryAccess::Opaque;
    if opaque && document.opaque_reason.is_none() {
        problems.push(
            Problem::error(LEAKY_BOUNDARY, at, "`opaqueReason` is missing")
                .help("an opaque document says why it cannot be looked into"),
        );
    }
    if opaque && !document.scopes.is_empty() {
        problems.push(Problem::error(
            LEAKY_BOUNDARY,
            format!("{at}/scopes"),
            "an opaque document shows scopes",
        ));
    }
    let elements = document.scopes.iter().map(|scope| scope.elements.len()).sum();
    let mut scopes: HashMap<&str, usize> = HashMap::new();
    let mut instances: HashMap<&str, Place> = HashMap::with_capacity(elements);
    let mut stable: HashMap<&str, (Place, &ElementNode)> = HashMap::new();
    for (index, scope) in document.scopes.iter().enumerate() {
        if let Some(first) = scopes.insert(scope.id.as_str(), index) {
            let first = format!("{at}/scopes/{first}/id");
            problems.push(same_id("scopes", scope.id.as_str(), format!("{at}/scopes/{index}/id"), first));
        }
        check_scope(document, scope, &format!("{at}/scopes/{index}"), problems);
        for (position, element) in scope.elements.iter().enumerate() {
            let place = (index, position);
            let id = element.instance_id.as_str();
            if let Some(first) = instances.insert(id, place) {
                let places = (pointer(at, place, "instanceId"), pointer(at, first, "instanceId"));
                problems.push(same_id("elements", id, places.0, places.1));
            }
            check_stable(&mut stable, element, place, at, problems);
            check_element(element, place, at, problems);
        }
    }
}

fn check_scope(document: &DocumentNode, scope: &ScopeNode, at: &str, problems: &mut Vec<Problem>) {
    if let Some(parent) = &scope.parent_scope_id
        && !document.scopes.iter().any(|each| each.id == *parent)
    {
        problems.push(dangling(format!("{at}/parentScopeId"), "scope", parent.as_str()));
    }
    if scope.access == Some(BoundaryAccess::Opaque) && !scope.elements.is_empty() {
        problems.push(Problem::error(
            LEAKY_BOUNDARY,
            format!("{at}/elements"),
            "an opaque scope shows elements",
        ));
    }
}

/// A stable id that stands twice must say so on every bearer, so that nobody resolves by it.
fn check_stable<'a>(
    seen: &mut HashMap<&'a str, (Place, &'a ElementNode)>,
    element: &'a ElementNode,
    place: Place,
    at: &str,
    problems: &mut Vec<Problem>,
) {
    let Some(id) = &element.stable_id else { return };
    let (first, other) = *seen.entry(id.as_str()).or_insert((place, element));
    if first == place || (marked_duplicate(element) && marked_duplicate(other)) {
        return;
    }
    problems.push(
        Problem::error(SAME_ID, pointer(at, place, "stableId"), format!("stable id `{id}` stands twice"))
            .related(pointer(at, first, "stableId"), "first here")
            .help("mark every bearer with `metadata.duplicateStableId: true`"),
    );
}

fn marked_duplicate(element: &ElementNode) -> bool {
    let mark = element.metadata.as_ref().and_then(|metadata| metadata.0.get("duplicateStableId"));
    mark == Some(&serde_json::Value::Bool(true))
}

fn check_element(element: &ElementNode, place: Place, at: &str, problems: &mut Vec<Problem>) {
    let classes = element.data_classes.as_deref().unwrap_or_default();
    let secret = classes.iter().any(|class| matches!(class, DataClass::Credential | DataClass::Secret));
    let sensitive = element.state.sensitive == Some(true);
    if (sensitive || secret) && element.state.text_value.is_some() {
        problems.push(
            Problem::error(
                LEAKED_SECRET,
                pointer(at, place, "state/textValue"),
                "the value of a sensitive element",
            )
            .help("leave `textValue` out; sensitive values never leave the page"),
        );
    }
    if secret && !sensitive {
        problems.push(
            Problem::error(LEAKED_SECRET, pointer(at, place, "state"), "`sensitive` is missing")
                .help("an element of class credential or secret has `state.sensitive: true`"),
        );
    }
    let usable = element.state.enabled != Some(false);
    if element.role == UIRole::Button && usable && !element.affordances.contains(&UIAffordance::Activate) {
        problems.push(
            Problem::warning(DEAD_BUTTON, pointer(at, place, "affordances"), "a button without `activate`")
                .help("add the affordance `activate`, or give the element another role"),
        );
    }
}

fn same_id(what: &str, id: &str, at: String, first: String) -> Problem {
    Problem::error(SAME_ID, at, format!("two {what} have the id `{id}`")).related(first, "first here")
}

fn dangling(at: String, what: &str, id: &str) -> Problem {
    Problem::error(DANGLING, at, format!("there is no {what} `{id}`"))
}

fn holds_secret(element: &ElementNode) -> bool {
    let classes = element.data_classes.as_deref().unwrap_or_default();
    element.state.sensitive == Some(true)
        || classes.iter().any(|class| matches!(class, DataClass::Credential | DataClass::Secret))
}

/// The graph as it may leave the page: values of sensitive elements taken out and listed in `redacted`.
pub fn without_secrets(mut graph: PageGraph) -> PageGraph {
    use crate::capability::UIStateKey;
    let elements = graph
        .documents
        .iter_mut()
        .flat_map(|document| &mut document.scopes)
        .flat_map(|scope| &mut scope.elements)
        .filter(|element| holds_secret(element));
    for element in elements {
        let element = Arc::make_mut(element);
        element.state.sensitive = Some(true);
        if element.state.text_value.take().is_some() {
            element.redacted.get_or_insert_default().push(UIStateKey::TextValue);
        }
    }
    graph
}
