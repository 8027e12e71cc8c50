//! Pages in short: a tree of lines becomes a page graph.

use serde_json::{Value, json};
use uiap_model::web::{ElementNode, PageGraph, ScopeNode};

/// A page under construction.
pub(crate) struct Page {
    value: Value,
    next: usize,
}

/// A page at an address, with a scope for the whole document.
pub(crate) fn page(url: &str) -> Page {
    let path = url.split("://").nth(1).and_then(|rest| rest.find('/').map(|at| rest[at..].to_owned()));
    let value = json!({
        "modelVersion": "0.1", "profile": "web@0.1", "revision": "r1", "seq": 1, "ts": "2026-03-27T10:00:00.000Z",
        "route": {"url": url, "path": path.unwrap_or("/".into()), "title": "A page"},
        "rootDocumentId": "doc_root", "modalStack": [],
        "documents": [{"documentId": "doc_root", "kind": "root", "url": url, "origin": "https://app.example", "access": "open", "scopes": [
            {"id": "~page", "kind": "page", "name": "A page", "elements": []}
        ]}],
    });
    Page { value, next: 1 }
}

impl Page {
    /// Adds a scope inside of another.
    pub(crate) fn scope(mut self, parent: &str, id: &str, kind: &str, more: Value) -> Self {
        let mut scope = json!({"id": id, "kind": kind, "parentScopeId": parent, "elements": []});
        merge(&mut scope, more);
        self.value["documents"][0]["scopes"].as_array_mut().unwrap().push(scope);
        self
    }

    /// Adds an element; its id is `e1`, `e2`, … in order.
    pub(crate) fn element(mut self, scope: &str, role: &str, name: &str, more: Value) -> Self {
        let affordances = match role {
            "button" | "menuitem" | "tab" => json!(["read", "focus", "activate"]),
            "link" => json!(["read", "focus", "activate", "navigate"]),
            "textbox" | "searchbox" | "textarea" => json!(["read", "focus", "edit"]),
            "combobox" | "listbox" => json!(["read", "focus", "choose"]),
            "checkbox" | "switch" => json!(["read", "focus", "toggle"]),
            _ => json!(["read"]),
        };
        let source = if role == "label" { "text" } else { "native" };
        let mut element = json!({
            "instanceId": format!("e{}", self.next), "role": role, "affordances": affordances,
            "state": {"visible": true, "enabled": true}, "web": {"attached": true, "inViewport": true}, "source": source,
        });
        if matches!(role, "textbox" | "searchbox" | "textarea") {
            element["state"]["editable"] = json!(true);
        }
        if !name.is_empty() {
            element["name"] = json!(name);
        }
        merge(&mut element, more);
        self.next += 1;
        let scopes = self.value["documents"][0]["scopes"].as_array_mut().unwrap();
        let home = scopes.iter_mut().find(|each| each["id"] == scope).unwrap();
        home["elements"].as_array_mut().unwrap().push(element);
        self
    }

    /// Changes the element that was added last to the last scope.
    pub(crate) fn with_last(mut self, more: Value) -> Self {
        let scopes = self.value["documents"][0]["scopes"].as_array_mut().unwrap();
        let elements = scopes.last_mut().unwrap()["elements"].as_array_mut().unwrap();
        merge(elements.last_mut().unwrap(), more);
        self
    }

    /// Changes the page itself.
    pub(crate) fn with(mut self, more: Value) -> Self {
        merge(&mut self.value, more);
        self
    }

    /// Adds a whole document.
    pub(crate) fn document(mut self, document: Value) -> Self {
        self.value["documents"].as_array_mut().unwrap().push(document);
        self
    }

    pub(crate) fn build(self) -> PageGraph {
        serde_json::from_value(self.value).unwrap()
    }
}

fn merge(into: &mut Value, more: Value) {
    match (into, more) {
        (Value::Object(into), Value::Object(more)) => {
            for (key, value) in more {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, more) => *into = more,
    }
}

/// The element of that name with its scope.
pub(crate) fn named<'a>(graph: &'a PageGraph, name: &str) -> (&'a ScopeNode, &'a ElementNode) {
    let found = graph.elements().find(|(.., element)| element.name.as_deref().unwrap_or_default() == name);
    let (_, scope, element) = found.unwrap_or_else(|| panic!("no element `{name}`"));
    (scope, element)
}
