//! Frames of other origins behind a bridge: names that outlast a page, and ids that meet no other.

use serde_json::{Value, json};
use uiap_discovery::bridged::named;
use uiap_model::web::PageGraph;
use uiap_model::web::check::check;
use uiap_model::web::graph::BoundaryAccess;

use crate::graph::page;

fn frame(id: &str) -> Value {
    json!({
        "documentId": id, "kind": "bridged", "url": "https://pay.example:8443/card?x=1", "origin": "https://pay.example:8443",
        "parentDocumentId": "doc_root", "access": "bridged",
        "scopes": [
            {"id": format!("{id}:~page"), "kind": "frame", "elements": []},
            {"id": format!("{id}:~form:card~2"), "kind": "form", "parentScopeId": format!("{id}:~page"), "elements": []},
            {"id": format!("{id}:card.owner"), "kind": "dialog", "parentScopeId": format!("{id}:~page"), "elements": []},
        ],
    })
}

/// A page that gave its frame elements these numbers.
fn loaded(first: &str, second: &str) -> PageGraph {
    let inner = json!({
        "documentId": format!("{first}:doc_2"), "kind": "frame", "parentDocumentId": first, "access": "open", "scopes": [],
    });
    let page = page("https://app.example/").document(frame(first)).document(inner).document(frame(second));
    page.with(json!({
        "modalStack": [format!("{second}:card.owner")],
        "focus": {"documentId": first, "scopeId": format!("{first}:~page")},
    }))
    .build()
}

/// Requirement: DISC-12.3-01
#[test]
fn documents_behind_a_bridge_are_called_by_their_host_whenever_the_page_is_loaded() {
    let graph = named(loaded("doc_of_e5", "doc_of_e6"));
    assert_eq!(graph, named(loaded("doc_of_e41", "doc_of_e7")));
    assert_eq!(check(&graph), []);
    let ids: Vec<_> = graph.documents.iter().map(|document| document.document_id.as_str()).collect();
    assert_eq!(ids, ["doc_root", "pay.example:8443", "pay.example:8443:doc_2", "pay.example:8443.2"]);
    let scopes: Vec<_> = graph.documents[1].scopes.iter().map(|scope| scope.id.as_str()).collect();
    let own = ["~pay.example:8443:page", "~pay.example:8443:form:card~2", "pay.example:8443:card.owner"];
    assert_eq!(scopes, own);
    assert!(graph.documents[1].scopes.iter().all(|scope| scope.access == Some(BoundaryAccess::Bridged)));
    assert_eq!(graph.documents[0].scopes[0].access, None);
    assert_eq!(graph.modal_stack.unwrap()[0].as_str(), "pay.example:8443.2:card.owner");
}
