//! How a signal belongs to an action: the page knows which elements the handlers of an input touched, so what those show was caused, and
//! the browser tells what was asked for and said while they ran, so that was caused too.
//! Everything else that came while the action was under way came in its window, and is said to be no more than that.

use uiap_model::names::{ActionHandle, ScopeId};
use uiap_model::web::signal::WebSignalBody;

use crate::surface::{Heard, Seen};

/// The word for the trace. `next` is the revision that shows what the signal tells.
pub(crate) fn link(heard: &Heard, handle: &ActionHandle, next: Option<&Seen>) -> &'static str {
    let Heard { signal, caused, .. } = heard;
    if signal.base.action_handle.as_ref() != Some(handle) {
        return "other";
    }
    if *caused || next.is_some_and(|seen| shows_its_cause(&signal.body, seen)) { "caused" } else { "window" }
}

fn shows_its_cause(body: &WebSignalBody, seen: &Seen) -> bool {
    match body {
        WebSignalBody::ToastShown { text, .. } | WebSignalBody::StatusChanged { text, .. } => {
            says(seen, text)
        }
        WebSignalBody::DialogOpened { scope_id, .. }
        | WebSignalBody::ValidationChanged { scope_id: Some(scope_id), .. } => touches(seen, scope_id),
        _ => false,
    }
}

/// Whether something that was touched by a handler says this.
fn says(seen: &Seen, text: &str) -> bool {
    let after = seen.elements.iter().filter_map(|touched| touched.after.as_ref());
    after
        .filter(|element| seen.caused.contains(&element.instance_id))
        .any(|element| [element.name.as_deref(), element.state.text_value.as_deref()].contains(&Some(text)))
}

/// Whether something in this scope was touched by a handler.
fn touches(seen: &Seen, scope: &ScopeId) -> bool {
    seen.graph
        .scope(scope)
        .is_some_and(|scope| scope.elements.iter().any(|each| seen.caused.contains(&each.instance_id)))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use serde_json::json;
    use uiap_model::names::ElementInstanceId;
    use uiap_model::web::signal::WebSignal;
    use uiap_model::web::{ElementNode, PageGraph};

    use super::*;
    use crate::surface::Touched;

    fn seen(caused: &[&str]) -> Seen {
        let element = json!({
            "instanceId": "el_1", "role": "status", "name": "Saved", "affordances": [], "state": { "visible": true },
            "web": { "attached": true }, "source": "native",
        });
        let graph: PageGraph = serde_json::from_value(json!({
            "modelVersion": "0.1", "profile": "web@0.1", "revision": "rev_1", "seq": 1, "ts": "2026-03-26T14:00:00.000Z",
            "route": { "url": "http://app.test/", "path": "/" }, "rootDocumentId": "doc_root", "modalStack": [],
            "documents": [{ "documentId": "doc_root", "kind": "root", "url": "http://app.test/", "access": "open",
                "scopes": [{ "id": "box", "kind": "dialog", "elements": [element] }] }],
        }))
        .unwrap();
        let after: Arc<ElementNode> = Arc::clone(graph.documents[0].scopes[0].elements.first().unwrap());
        let document_id = graph.root_document_id.clone();
        Seen {
            elements: vec![Touched { document_id, before: None, after: Some(after) }],
            scopes: Vec::new(),
            caused: caused.iter().map(|id| ElementInstanceId::parse(id).unwrap()).collect::<HashSet<_>>(),
            graph: Arc::new(graph),
            is_fresh: false,
        }
    }

    fn told(body: serde_json::Value) -> Heard {
        let mut signal = body;
        signal["actionHandle"] = "act_1".into();
        serde_json::from_value::<WebSignal>(signal).unwrap().into()
    }

    #[test]
    fn what_a_handler_made_the_page_say_was_caused_and_the_rest_came_meanwhile() {
        let mine = ActionHandle::parse("act_1").unwrap();
        let toast = told(json!({ "kind": "toast.shown", "text": "Saved" }));
        assert_eq!(link(&toast, &mine, Some(&seen(&["el_1"]))), "caused");
        assert_eq!(link(&toast, &mine, Some(&seen(&["el_2"]))), "window");
        assert_eq!(link(&toast, &mine, None), "window");
        let other = told(json!({ "kind": "toast.shown", "text": "Somebody joined" }));
        assert_eq!(link(&other, &mine, Some(&seen(&["el_1"]))), "window");
        assert_eq!(link(&toast, &ActionHandle::parse("act_2").unwrap(), Some(&seen(&["el_1"]))), "other");
        let dialog = told(json!({ "kind": "dialog.opened", "scopeId": "box" }));
        assert_eq!(link(&dialog, &mine, Some(&seen(&["el_1"]))), "caused");
        assert_eq!(link(&dialog, &mine, Some(&seen(&[]))), "window");
        let answer = told(json!({ "kind": "network.response", "url": "http://app.test/api", "status": 200 }));
        assert_eq!(link(&answer, &mine, Some(&seen(&["el_1"]))), "window");
        let asked_for = Heard { caused: true, ..answer };
        assert_eq!(link(&asked_for, &mine, None), "caused");
        assert_eq!(link(&asked_for, &ActionHandle::parse("act_2").unwrap(), None), "other");
    }
}
