//! The form of what is published, on real pages: what must be there is there, and a graph without it is refused.

use serde_json::{Value, json};
use uiap_model::capability::TargetRef;
use uiap_model::document::{kind, validate};
use uiap_model::names::StableId;
use uiap_model::web::element::ElementPatch;
use uiap_model::web::graph::{OpaqueReason, SemanticSource};
use uiap_model::web::{PageGraph, ScopeKind};
use uiap_web::ObserveOptions;
use uiap_web::screenshot::{Mark, Shot, take};

use crate::shared::{element, evaluate, json as written, named, page, run, scope_of, snapshot, text};
use crate::signal_site::Site;

const PAGES: [&str; 5] = [
    "<h1>Plain</h1><p>Text",
    "<form aria-label=F><input aria-label=A required><button>Go</button></form>",
    "<table><tr><td>1</td><td><a href=#>x</a></td></tr></table>",
    "<dialog open aria-label=D><form><input aria-label=In><button>OK</button></form></dialog>",
    "<iframe srcdoc='<button>Inside</button>'></iframe><canvas></canvas>",
];

/// The pointers of what is wrong with a graph.
fn faults(graph: &Value) -> Vec<String> {
    validate(graph, kind("PageGraph").unwrap()).into_iter().map(|problem| problem.pointer).collect()
}

/// The graph without a member; the first place where that is noticed.
fn without(graph: &Value, at: &str, member: &str) -> Option<String> {
    let mut graph = graph.clone();
    graph.pointer_mut(at).unwrap().as_object_mut().unwrap().remove(member).unwrap();
    faults(&graph).into_iter().next()
}

fn with(graph: &Value, at: &str, member: &str, value: Value) -> Vec<String> {
    let mut graph = graph.clone();
    graph.pointer_mut(at).unwrap().as_object_mut().unwrap().insert(member.to_owned(), value);
    faults(&graph)
}

/// Requirement: WEB-G-01
/// Requirement: WEB-T-07
#[test]
fn a_graph_has_its_mandatory_members_and_is_refused_without_one() {
    run(async {
        for html in PAGES {
            let graph = serde_json::to_value(snapshot(&page(html).await).await).unwrap();
            assert_eq!((&graph["modelVersion"], &graph["profile"]), (&json!("0.1"), &json!("web@0.1")));
            for member in
                ["modelVersion", "profile", "revision", "seq", "ts", "route", "rootDocumentId", "documents"]
            {
                assert_eq!(without(&graph, "", member).as_deref(), Some(""), "{member}");
            }
            assert_eq!(with(&graph, "", "modelVersion", json!("0.2")), ["/modelVersion"]);
            assert_eq!(without(&graph, "/route", "url").as_deref(), Some("/route"));
            assert_eq!(with(&graph, "/route", "params", json!({ "id": 7 })), ["/route/params/id"]);
        }
        let page = page("<main data-uiap-route=videos.one>x</main><title>One</title>").await;
        evaluate(&page, "history.pushState(null, '', '/videos/7?a=b')").await;
        let route = snapshot(&page).await.route;
        assert_eq!(route.route_id.as_deref(), Some("videos.one"));
        assert_eq!((route.path.as_deref(), route.title.as_deref()), (Some("/videos/7"), Some("One")));
        assert!(route.url.ends_with("/videos/7?a=b"));
    });
}

/// Requirement: WEB-G-06
/// Requirement: WEB-G-10
#[test]
fn scopes_and_elements_have_their_mandatory_members_and_are_refused_without_one() {
    run(async {
        let page = page(
            "<dialog open aria-label=D><form aria-label=F><input aria-label=In required aria-invalid=true aria-describedby=why><button>OK</button></form></dialog>
             <p id=why>It is empty</p>",
        )
        .await;
        let snapshot = snapshot(&page).await;
        let form = scope_of(&snapshot, ScopeKind::Form);
        assert!(form.parent_scope_id.is_some() && form.submit_target.is_some() && form.issues.is_some());
        let graph = serde_json::to_value(&snapshot).unwrap();
        let scopes = graph["documents"][0]["scopes"].as_array().unwrap();
        let at = scopes.iter().position(|scope| scope["kind"] == "form").unwrap();
        let scope = format!("/documents/0/scopes/{at}");
        for member in ["id", "kind", "elements"] {
            assert_eq!(without(&graph, &scope, member).as_deref(), Some(&*scope), "{member}");
        }
        let element = format!("{scope}/elements/0");
        for member in ["instanceId", "role", "affordances", "state", "web", "source"] {
            assert_eq!(without(&graph, &element, member).as_deref(), Some(&*element), "{member}");
        }
        assert_eq!(with(&graph, &element, "source", json!("dom")), [format!("{element}/source")]);
    });
}

/// Requirement: WEB-T-04
#[test]
fn each_boundary_says_why_it_is_one_and_no_other_word_is_taken() {
    run(async {
        let site = Site::with(&[("/frame", "<button>Foreign</button>")]).await;
        let page = page(&format!(
            "<script>customElements.define('x-shut', class extends HTMLElement {{ constructor() {{ super(); this.attachShadow({{ mode: 'closed' }}).innerHTML = 'shut' }} }})</script>
             <iframe src='{}'></iframe><iframe sandbox srcdoc='<button>Boxed</button>'></iframe><canvas width=50 height=50></canvas>
             <x-shut style='display:block;width:50px;height:20px'></x-shut>",
            site.foreign("/frame")
        ))
        .await;
        let graph = snapshot(&page).await;
        let mut reasons: Vec<String> =
            graph.documents.iter().filter_map(|document| document.opaque_reason.as_ref()).map(text).collect();
        let told = |each: &uiap_model::web::ElementNode| {
            each.metadata.as_ref()?.0.get("opaqueReason")?.as_str().map(str::to_owned)
        };
        reasons.extend(graph.elements().filter_map(|(_, _, each)| told(each)));
        reasons.sort();
        assert_eq!(reasons, ["closed_shadow", "cross_origin", "pixel_surface", "sandboxed"]);
        assert!(serde_json::from_value::<OpaqueReason>(json!("policy")).is_ok());
        let value = serde_json::to_value(&graph).unwrap();
        let at = graph.documents.iter().position(|document| document.opaque_reason.is_some()).unwrap();
        let wrong = with(&value, &format!("/documents/{at}"), "opaqueReason", json!("unknown"));
        assert_eq!(wrong, [format!("/documents/{at}/opaqueReason")]);
    });
}

/// Requirement: WEB-T-05
#[test]
fn each_element_tells_the_source_of_what_it_is() {
    run(async {
        let page = page(
            "<b data-uiap-role=button data-uiap-id=a>A</b><button>N</button><div role=button>R</div><p>T</p><div onclick=0>H</div>",
        )
        .await;
        let graph = snapshot(&page).await;
        let sources = [
            ("A", SemanticSource::Annotation),
            ("N", SemanticSource::Native),
            ("R", SemanticSource::Aria),
            ("T", SemanticSource::Text),
            ("H", SemanticSource::Heuristic),
        ];
        for (name, source) in sources {
            assert_eq!(element(&graph, name).source, source, "{name}");
        }
        for word in ["registry", "vision"] {
            assert!(serde_json::from_value::<SemanticSource>(json!(word)).is_ok(), "{word}");
        }
        assert!(serde_json::from_value::<SemanticSource>(json!("dom")).is_err());
    });
}

/// Requirement: WEB-P-04
#[test]
fn a_stable_id_finds_the_element_again_when_all_nodes_are_new() {
    run(async {
        let page = page("<ul id=list></ul>").await;
        let render = "list.innerHTML = [1, 2, 3].map(n => `<li><button data-uiap-id=\"item.${n}\" class=\"c${n}\">Item ${n}</button></li>`).join('')";
        evaluate(&page, render).await;
        let before = snapshot(&page).await;
        evaluate(&page, render).await;
        let after = snapshot(&page).await;
        let id = StableId::parse("item.2").unwrap();
        let of = |graph: &PageGraph| {
            graph.by_stable_id(&id).map(|each| (each.instance_id.clone(), each.name.clone()))
        };
        let ((old, name), (new, same)) = (of(&before).unwrap(), of(&after).unwrap());
        assert!(old != new && name == same, "the nodes are new, the thing is the same");
        for sign in ["c2", "#list", "//li", "li >", "nth-child"] {
            assert!(!written(&after).contains(sign), "{sign}");
        }
        for selector in [json!({ "css": ".c2" }), json!({ "xpath": "//li[2]" }), json!(".c2")] {
            assert!(serde_json::from_value::<TargetRef>(selector.clone()).is_err(), "{selector}");
        }
    });
}

/// Requirement: WEB-R1-04
#[test]
fn a_patch_removes_by_null_merges_state_and_web_and_replaces_the_rest() {
    run(async {
        let page = page("<input type=checkbox aria-label=Yes title=Why>").await;
        let mut graph = serde_json::to_value(snapshot(&page).await).unwrap();
        let before = graph.pointer_mut("/documents/0/scopes/0/elements/0").unwrap().take();
        let mut node: uiap_model::web::ElementNode = serde_json::from_value(before.clone()).unwrap();
        let patch = json!({ "name": null, "state": { "checked": true }, "affordances": ["read"], "web": { "stable": false } });
        serde_json::from_value::<ElementPatch>(patch).unwrap().apply(&mut node);
        let after = serde_json::to_value(&node).unwrap();
        assert!(before["name"] == "Yes" && after.get("name").is_none());
        assert_eq!((&after["state"]["checked"], &after["state"]["enabled"]), (&json!(true), &json!(true)));
        assert_eq!((&after["web"]["stable"], &after["web"]["attached"]), (&json!(false), &json!(true)));
        assert_eq!(after["affordances"], json!(["read"]));
        assert_eq!(after["description"], "Why");
        assert!(serde_json::from_value::<ElementPatch>(json!({ "role": null })).is_err());
    });
}

/// Requirement: WEB-R4-04
#[test]
fn marks_of_ours_are_nothing_in_the_page() {
    run(async {
        let page = page("<button onclick=\"this.textContent = 'Done'\">Act</button>").await;
        let mut observation = page.observe(ObserveOptions::default());
        observation.next().await.unwrap();
        let before = evaluate(&page, "document.documentElement.outerHTML").await;
        let mark =
            Mark { element: element(&snapshot(&page).await, "Act").instance_id.clone(), label: "e1".into() };
        let shot = take(&page, &Shot { marks: vec![mark], ..Shot::default() }).await.unwrap();
        assert_eq!(shot.marked, 1);
        assert_eq!(evaluate(&page, "document.documentElement.outerHTML").await, before);
        assert!(observation.sync().await.unwrap().is_none(), "no delta comes of it");
        let graph = snapshot(&page).await;
        assert_eq!(graph.elements().count(), 1);
        assert_eq!(element(&graph, "Act").web.receives_events, Some(true));
    });
}

/// Requirement: WEB-A-02
#[test]
fn an_annotated_scope_has_its_id_and_kind_and_what_is_wrong_is_a_warning() {
    run(async {
        let page = page(
            "<section data-uiap-scope=cart data-uiap-scope-kind=drawer><button>A</button></section>
             <section data-uiap-scope-kind=form><button>B</button></section>
             <section data-uiap-scope=odd data-uiap-scope-kind=nonsense><button>C</button></section>",
        )
        .await;
        let graph = snapshot(&page).await;
        let scope =
            |id: &str| graph.scopes().map(|(_, scope)| scope).find(|scope| scope.id.as_str() == id).unwrap();
        assert_eq!(scope("cart").kind, ScopeKind::Drawer);
        assert_eq!(scope("odd").kind, ScopeKind::Custom);
        assert_eq!(named(&graph, "B").len(), 1);
        let warnings = serde_json::to_string(&graph.metadata).unwrap();
        assert!(warnings.contains("data-uiap-scope-kind `form` without data-uiap-scope"), "{warnings}");
        assert!(warnings.contains("unknown scope kind `nonsense`"), "{warnings}");
    });
}
